"""The Bot API over HTTP: tokens, polling, and what can go wrong on the way."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from aiohttp import web

from tests.platform.telegram_server.methods import Asked, Methods, Refused
from tests.platform.telegram_server.world import DEFAULT_UPDATES, Upload, Wire, World

TOKEN = "8000000001:AAE-a_token_of_a_Telegram_of_our_own"
LARGEST_REQUEST = 64 * 1024 * 1024
CONFLICTING = 409
CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"


class Fault(StrEnum):
    """What goes wrong with one request."""

    TOO_MANY = "429"
    BAD_GATEWAY = "502"
    DROP_BEFORE = "drop_before"
    """The connection is cut before anything is done."""
    DROP_AFTER = "drop_after"
    """It is done, but the connection is cut before the answer."""
    SLOW = "slow"
    """It is done, but the answer waits until `Faults.release`."""
    DUPLICATE_UPDATE = "duplicate_update"
    """What this getUpdates delivers is delivered a second time by the next one, confirmed or not."""
    CONFLICT = "conflict"
    """409: as if another process polled with the same token."""
    UNAUTHORIZED = "401"
    ENTITIES = "entities"
    """400: the formatting is refused."""


REFUSALS = {
    Fault.UNAUTHORIZED: Refused(401, "Unauthorized"),
    Fault.CONFLICT: Refused(409, CONFLICT),
    Fault.ENTITIES: Refused(400, "Bad Request: can't parse entities: Can't find end of the entity at byte offset 5"),
}


@dataclass
class Faults:
    """What goes wrong with the next requests, by method, first come."""

    waiting: dict[str, deque[tuple[Fault, int]]] = field(default_factory=lambda: defaultdict(deque))
    struck: list[tuple[str, Fault]] = field(default_factory=list)
    """What has gone wrong so far."""
    _released: asyncio.Event = field(default_factory=asyncio.Event)

    def next(self, method: str, kind: Fault | str, *, times: int = 1, retry_after: int = 1) -> None:
        """The next requests of `method` go wrong; `retry_after` (seconds) is what a 429 says."""
        self.waiting[method.lower()].extend([(Fault(kind), retry_after)] * times)

    def take(self, method: str) -> tuple[Fault | None, int]:
        """What goes wrong with this request."""
        if not self.waiting[method.lower()]:
            return None, 0
        fault, seconds = self.waiting[method.lower()].popleft()
        self.struck.append((method, fault))
        return fault, seconds

    def release(self) -> None:
        """Lets slow answers go."""
        self._released.set()
        self._released = asyncio.Event()

    async def released(self) -> None:
        """Waits for `release`."""
        await self._released.wait()


@dataclass(frozen=True)
class Called:
    """One request, as it came."""

    method: str
    asked: Wire
    fault: Fault | None = None


class TelegramServer:
    """Listens on 127.0.0.1. `calls` is what was asked of it, `faults` what shall go wrong, `world` who is there."""

    def __init__(self, token: str = TOKEN, now: Callable[[], float] | None = None) -> None:
        self.token = token
        self.world = World(now) if now is not None else World()
        self.faults = Faults()
        self.calls: list[Called] = []
        self.conflicts = 0
        """How often somebody who was polling was ended by another who began: two polled at once."""
        self.polled_s: list[float] = []
        """When updates were asked for, by the loop's clock."""
        self.port = 0
        self._methods = Methods(self.world)
        self._poller: object | None = None
        self._again: list[Wire] = []
        self._closing = False
        self._down = False
        self._runner: web.AppRunner | None = None
        self._site: web.TCPSite | None = None

    @property
    def base_url(self) -> str:
        """What the bot is to take for https://api.telegram.org/bot."""
        return f"http://127.0.0.1:{self.port}/bot"

    def count(self, method: str) -> int:
        """How often a method was asked for."""
        return sum(call.method.lower() == method.lower() for call in self.calls)

    async def open(self) -> None:
        """Begins to listen."""
        app = web.Application(client_max_size=LARGEST_REQUEST)
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.5, access_log=None)
        await self._runner.setup()
        await self.come_back()

    async def close(self) -> None:
        """Ends: whoever polls is answered."""
        self._closing = True
        self.faults.release()
        self.world.changed()
        if self._runner is not None:
            await self._runner.cleanup()

    async def go_down(self) -> None:
        """Nobody gets through any more: connections are refused, and the open ones cut."""
        self._down = True
        self.faults.release()
        self.world.changed()
        if self._site is not None:
            await self._site.stop()
            self._site = None

    async def come_back(self) -> None:
        """Listens (again), at the same port."""
        if self._runner is not None and self._site is None:
            self._down = False
            self._site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
            await self._site.start()
            self.port = self._runner.addresses[0][1]

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        """One request: token, fault, method, answer."""
        method, asked = request.match_info["method"], await _asked(request)
        if request.match_info["token"] != self.token:
            return _answer(Refused(401, "Unauthorized"))
        fault, retry_after = self.faults.take(method)
        self.calls.append(Called(method, asked.values, fault))
        self.world.changed()
        if fault is Fault.DROP_BEFORE or self._down:
            return _cut(request)
        if fault is Fault.TOO_MANY:
            return _answer(Refused(429, f"Too Many Requests: retry after {retry_after}", retry_after=retry_after))
        if fault is Fault.BAD_GATEWAY:
            return web.Response(status=502, text="<html><h1>502 Bad Gateway</h1></html>", content_type="text/html")
        if fault is not None and fault in REFUSALS:
            return _answer(REFUSALS[fault])
        try:
            answer = _answer(await self._do(method, asked, fault))
        except Refused as refused:
            alive = request.transport is not None and not request.transport.is_closing()
            self.conflicts += refused.code == CONFLICTING and alive
            answer = _answer(refused)
        if fault is Fault.SLOW:
            await self.faults.released()
        return _cut(request) if fault is Fault.DROP_AFTER or self._down else answer

    async def _do(self, method: str, asked: Asked, fault: Fault | None) -> Any:
        """The result of a method. Raises Refused."""
        if method.lower() == "getupdates":
            updates = await self._get_updates(asked)
            self._again = list(updates) if fault is Fault.DUPLICATE_UPDATE else []
            return updates
        found = self._methods.by_name.get(method.lower())
        if found is None:
            raise Refused(404, "Not Found: method not found")
        return found(asked)

    async def _get_updates(self, asked: Asked) -> list[Wire]:
        """What has happened since `offset`, as soon as there is something. A second poller ends the first."""
        world, me = self.world, object()
        self._poller = me
        self.polled_s.append(asyncio.get_running_loop().time())
        world.changed()
        if (kinds := asked.shape("allowed_updates")) is not None:
            world.allowed = frozenset(kinds)
        elif asked.values.get("allowed_updates") is not None:
            world.allowed = DEFAULT_UPDATES
        offset = asked.number("offset") or 0
        if offset < 0:
            offset = world.updates[max(len(world.updates) + offset, 0)]["update_id"] if world.updates else 0
        while world.updates and world.updates[0]["update_id"] < offset:
            world.updates.popleft()
        if self._again:
            return self._again
        with_patience = min(asked.number("timeout") or 0, 50)
        try:
            await world.until(lambda: bool(world.updates) or self._poller is not me or self._stopping, with_patience)
        except TimeoutError:
            return []
        if self._poller is not me:
            raise Refused(CONFLICTING, CONFLICT)
        return list(islice(world.updates, min(asked.number("limit") or 100, 100)))

    @property
    def _stopping(self) -> bool:
        return self._closing or self._down


async def _asked(request: web.Request) -> Asked:
    """The parameters, from wherever they stand."""
    values: Wire = dict(request.query)
    if request.content_type == "application/json":
        values |= json.loads(await request.text() or "{}")
    elif request.method == "POST":
        values |= {name: _field(value) for name, value in (await request.post()).items()}
    return Asked(values)


def _field(value: str | bytearray | bytes | web.FileField) -> object:
    """A field of a form; a file's content is read, since it goes with the request."""
    return Upload(value.filename, value.file.read()) if isinstance(value, web.FileField) else value


def _answer(result: Any) -> web.Response:
    """A result, or a refusal, as Telegram wraps it."""
    if not isinstance(result, Refused):
        return web.json_response({"ok": True, "result": result})
    shown = {"ok": False, "error_code": result.code, "description": result.description}
    if result.parameters:
        shown["parameters"] = result.parameters
    return web.json_response(shown, status=result.code)


def _cut(request: web.Request) -> web.Response:
    """Cuts the connection; what is returned reaches nobody."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


@asynccontextmanager
async def open_telegram(*, token: str = TOKEN, now: Callable[[], float] | None = None) -> AsyncIterator[TelegramServer]:
    """A Telegram that is there while the context is open; `now` (seconds since 1970) dates its messages."""
    server = TelegramServer(token, now)
    await server.open()
    try:
        yield server
    finally:
        await server.close()
