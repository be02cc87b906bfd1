"""What can go wrong on the way, switched on by a test, one request at a time."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

from aiohttp import web

Handling = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Fault(StrEnum):
    """What happens to a request."""

    RATE_LIMITED = "429"
    SERVER_ERROR = "500"
    BAD_GATEWAY = "502"
    UNAVAILABLE = "503"
    """Unlike 500 and 502, discord.py does not retry it."""
    DROP_BEFORE = "drop_before"
    """The connection breaks when the request has come in; it is not handled."""
    DROP_AFTER = "drop_after"
    """It is handled, but the answer is lost."""
    SLOW = "slow"
    """It is handled and answered, late."""
    HOLD_BEFORE = "hold_before"
    """It waits until the test releases it; if its sender is gone by then, it is not handled."""
    HOLD_AFTER = "hold_after"
    """It is handled, and the answer waits until the test releases it."""
    ODD = "odd"
    """It is not handled, and answered with something that is no answer to it."""


@dataclass(slots=True)
class Planned:
    """A fault that waits for its request."""

    method: str
    path: re.Pattern[str]
    fault: Fault
    after_s: float
    """Seconds: `retry_after` of a 429, the delay of a slow one."""
    skip: int
    """Requests that match and go through before it strikes."""
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it strikes."""
    release: asyncio.Event = field(default_factory=asyncio.Event)
    """Lets what is held go on."""


class Faults:
    """The faults to come, first planned first struck; each strikes once."""

    def __init__(self) -> None:
        self.planned: list[Planned] = []
        self._twice: list[str] = []

    def next(
        self, method: str, path: str, kind: Fault | str, *, times: int = 1, after_s: float = 0.2, skip: int = 0
    ) -> Planned:
        """Strikes the next `times` requests whose path (without /api/v10) `path` matches; the last one planned."""
        for _ in range(times):
            self.planned.append(Planned(method, re.compile(path + "$"), Fault(kind), after_s, skip))
        return self.planned[-1]

    def duplicate_dispatch(self, event: str, times: int = 1) -> None:
        """Delivers the next `times` events of this name twice."""
        self._twice.extend([event] * times)

    def copies(self, event: str) -> int:
        """How often this event is to be delivered now."""
        if event not in self._twice:
            return 1
        self._twice.remove(event)
        return 2

    def strikes(self, method: str, path: str) -> Planned | None:
        """The fault for this request, taken off the list."""
        for planned in self.planned:
            if planned.method != method or not planned.path.match(path):
                continue
            if planned.skip:
                planned.skip -= 1
                continue
            self.planned.remove(planned)
            planned.reached.set()
            return planned
        return None


def abort(request: web.Request) -> web.Response:
    """Breaks the connection of a request; what is returned goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _failing(planned: Planned) -> web.Response | None:
    """The answer of a fault that is an answer."""
    if planned.fault is Fault.RATE_LIMITED:
        body = {"message": "You are being rate limited.", "retry_after": planned.after_s, "global": False}
        headers = {"Via": "1.1 google", "Retry-After": str(planned.after_s)}
        return web.Response(
            body=json.dumps(body).encode(), status=429, headers=headers, content_type="application/json"
        )
    if planned.fault in {Fault.SERVER_ERROR, Fault.BAD_GATEWAY, Fault.UNAVAILABLE}:
        return web.Response(status=int(planned.fault), text="upstream failed")
    if planned.fault is Fault.ODD:
        return web.json_response([{"odd": "x" * 5000}])
    return None


async def suffer(planned: Planned, request: web.Request, handling: Handling) -> web.StreamResponse:
    """Handles a request as its fault has it."""
    await request.read()
    failing = _failing(planned)
    if failing is not None:
        return failing
    if planned.fault is Fault.DROP_BEFORE:
        return abort(request)
    if planned.fault is Fault.SLOW:
        await asyncio.sleep(planned.after_s)
    if planned.fault is Fault.HOLD_BEFORE:
        await planned.release.wait()
        if request.transport is None or request.transport.is_closing():
            return web.Response()
    answer = await handling(request)
    if planned.fault is Fault.DROP_AFTER:
        return abort(request)
    if planned.fault is Fault.HOLD_AFTER:
        await planned.release.wait()
    return answer
