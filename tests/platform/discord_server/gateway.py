"""The gateway: sessions that outlive their connections, shards, and what can happen to them."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntFlag

from aiohttp import WSMsgType, web

from tests.platform.discord_server import payloads
from tests.platform.discord_server.faults import Faults
from tests.platform.discord_server.world import JSON, Guild, World

RESUMABLE_S = 180.0
"""Seconds for which a session without a connection is kept."""

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11


class Intent(IntFlag):
    """The intents that matter here."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_REACTIONS = 1 << 10
    DIRECT_MESSAGES = 1 << 12
    DIRECT_REACTIONS = 1 << 13
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT


class Socket:
    """One connection, compressed as its client asked."""

    def __init__(self, request: web.Request, websocket: web.WebSocketResponse, compress: str | None) -> None:
        self._request = request
        self.websocket = websocket
        self._zlib = zlib.compressobj() if compress == "zlib-stream" else None

    async def send(self, payload: JSON) -> None:
        """Sends a payload; on a connection that is gone it is lost, as on any network."""
        text = json.dumps(payload)
        try:
            if self._zlib is None:
                await self.websocket.send_str(text)
            else:
                packed = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
                await self.websocket.send_bytes(packed)
        except ConnectionResetError:
            self.abort()

    def abort(self) -> None:
        """Breaks the TCP connection."""
        if self._request.transport is not None:
            self._request.transport.abort()


@dataclass(slots=True, eq=False)
class Session:
    """What an IDENTIFY began: its events can be asked for again by a RESUME."""

    id: str
    intents: Intent
    shard: tuple[int, int] = (0, 1)
    """Its number, and how many there are."""
    socket: Socket | None = None
    left_s: float = field(default_factory=time.monotonic)
    """Since when it has no connection, where it has none; by the monotonic clock."""
    events: list[JSON] = field(default_factory=list)
    """All that was dispatched; the sequence number of an event is its place plus one."""

    def add(self, event: str, content: JSON) -> JSON:
        """Numbers an event and keeps it."""
        payload = {"op": DISPATCH, "t": event, "s": len(self.events) + 1, "d": content}
        self.events.append(payload)
        return payload

    def detach(self) -> None:
        """Its connection is over."""
        self.socket, self.left_s = None, time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether it has been without a connection for so long that nobody can go on with it."""
        return self.socket is None and time.monotonic() - self.left_s > RESUMABLE_S

    def holds(self, guild: int | str | None) -> bool:
        """Whether what happens on a server is told here; None: in a DM, which is told to the first shard alone."""
        number, count = self.shard
        if count == 1:  # of whatever is told
            return True
        return number == 0 if guild is None else (int(guild) >> 22) % count == number


@dataclass(slots=True)
class Starts:
    """How connections may begin, and how they have: what `GET /gateway/bot` tells of."""

    shards: int = 1
    """How many are recommended."""
    apart_s: float = 0.0
    """Seconds between two of one bucket; 0: it does not matter."""
    buckets: int = 1
    total: int = 1000
    remaining: int = 1000
    reset_after_s: float = 3600.0
    most_servers: int = 2500
    """Servers that one shard may have."""
    refused: list[int] = field(default_factory=list)
    """Shards that identified too early."""
    _latest: dict[int, float] = field(default_factory=dict)

    def allows(self, shard: int) -> bool:
        """Whether a shard may identify now; counts it if so."""
        now, bucket = time.monotonic(), shard % self.buckets
        if now - self._latest.get(bucket, -self.apart_s) < self.apart_s or self.remaining < 1:
            self.refused.append(shard)
            return False
        self._latest[bucket] = now
        self.remaining -= 1
        return True

    def payload(self, url: str) -> JSON:
        """As it is told."""
        limit = {
            "total": self.total, "remaining": self.remaining, "max_concurrency": self.buckets,
            "reset_after": int(self.reset_after_s * 1000),
        }  # fmt: skip
        return {"url": url, "shards": self.shards, "session_start_limit": limit}


class Gateway:
    """All sessions. Its faults take hold at once: what is dispatched after them no longer gets through."""

    def __init__(self, world: World, faults: Faults, token: str, heartbeat_s: float) -> None:
        self._world, self._faults, self._token, self._heartbeat_s = world, faults, token, heartbeat_s
        self.allowed = PRIVILEGED
        """Privileged intents that are switched on for the application; others get close code 4014."""
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.starts = Starts()
        self.unavailable = set[int]()
        """Servers of which nothing is told for now."""
        self.identified = 0
        self.resumed = 0
        self._numbers = itertools.count(1)
        self._open = asyncio.Event()
        self._open.set()

    @property
    def connected(self) -> bool:
        """Whether a bot is listening."""
        return any(session.socket is not None for session in self.sessions.values())

    @property
    def shards(self) -> list[int]:
        """The shards that are connected."""
        return sorted(session.shard[0] for session in self.sessions.values() if session.socket is not None)

    async def dispatch(self, event: str, content: JSON) -> None:
        """Delivers an event to every session that wants it, and keeps it for those that are away."""
        guild = _guild_of(event, content)
        if isinstance(guild, str) and guild.isdecimal() and int(guild) in self.unavailable:  # tests send nonsense, too
            return
        copies = self._faults.copies(event)
        for session in list(self.sessions.values()):
            if not _wanted(session.intents, event, content) or not session.holds(guild):
                continue
            for _ in range(copies):
                payload = session.add(event, self._readable(session.intents, event, content))
                if session.socket is not None:
                    await session.socket.send(payload)

    def abort(self) -> None:
        """Breaks the TCP connections; the sessions can be resumed."""
        for socket in self._detached():
            socket.abort()

    async def close(self, code: int, *, forget: bool = False) -> None:
        """Closes the connections with a code; `forget`: the sessions cannot be resumed."""
        sockets = self._detached()
        if forget:
            self.sessions.clear()
        for socket in sockets:
            await socket.websocket.close(code=code)

    async def reconnect(self) -> None:
        """Op 7: asks the bot to connect again and resume."""
        for socket in self._detached():
            await socket.send({"op": RECONNECT, "d": None, "s": None, "t": None})

    async def invalid_session(self) -> None:
        """Op 9: the sessions are gone, and what is dispatched until the next IDENTIFY is lost."""
        sockets = self._detached()
        self.sessions.clear()
        for socket in sockets:
            await socket.send({"op": INVALID_SESSION, "d": False, "s": None, "t": None})

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Lets new connections wait, unanswered, while the context is open."""
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    async def listen(self, request: web.Request) -> web.WebSocketResponse:
        """Serves one connection."""
        compress = request.query.get("compress")
        if compress not in {None, "zlib-stream"}:
            raise web.HTTPNotImplemented(text=f"no {compress} here")
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        await self._open.wait()
        socket = Socket(request, websocket, compress)
        await socket.send(
            {"op": HELLO, "d": {"heartbeat_interval": int(self._heartbeat_s * 1000)}, "s": None, "t": None}
        )
        try:
            async for frame in websocket:
                if frame.type is WSMsgType.TEXT:
                    await self._take(socket, json.loads(frame.data))
        finally:
            for session in self.sessions.values():
                if session.socket is socket:
                    session.detach()
        return websocket

    async def _take(self, socket: Socket, payload: JSON) -> None:
        if payload["op"] == HEARTBEAT:
            await socket.send({"op": ACK, "d": None, "s": None, "t": None})
        elif payload["op"] == IDENTIFY:
            await self._identify(socket, payload["d"])
        elif payload["op"] == RESUME:
            await self._resume(socket, payload["d"])

    async def _identify(self, socket: Socket, asked: JSON) -> None:
        intents = Intent(asked["intents"])
        if asked["token"] != self._token:
            await socket.websocket.close(code=4004, message=b"Authentication failed.")
            return
        if intents & PRIVILEGED & ~self.allowed:
            await socket.websocket.close(code=4014, message=b"Disallowed intent(s).")
            return
        number, count = asked.get("shard", (0, 1))
        world = self._world
        session = Session(f"session-{next(self._numbers)}", intents, (number, count))
        guilds = [one for one in world.guilds.values() if session.holds(one.id)]
        if not 0 <= number < count or len(guilds) > self.starts.most_servers:
            wrong = 4010 if not 0 <= number < count else 4011
            await socket.websocket.close(code=wrong, message=b"Invalid shard, or sharding required.")
            return
        if not self.starts.allows(number):
            await socket.send({"op": INVALID_SESSION, "d": False, "s": None, "t": None})
            return
        self.identified += 1
        self.sessions = {name: one for name, one in self.sessions.items() if not one.is_over}
        session.add("READY", self._ready(session, guilds))
        if intents & Intent.GUILDS:
            for one in (one for one in guilds if one.id not in self.unavailable):
                everyone = bool(intents & Intent.GUILD_MEMBERS)
                session.add("GUILD_CREATE", payloads.guild(world, one, everyone=everyone))
        self.sessions[session.id] = session
        await self._catch_up(session, socket, 0)

    def _ready(self, session: Session, guilds: list[Guild]) -> JSON:
        world = self._world
        return {
            "v": 10,
            "user": payloads.user(world.bot) | {"verified": True, "mfa_enabled": False},
            "guilds": [{"id": str(one.id), "unavailable": True} for one in guilds],
            "session_id": session.id,
            "shard": [*session.shard],
            "resume_gateway_url": self.url,
            "private_channels": [],
            "relationships": [],
            "application": {"id": str(world.bot.id), "flags": 1 << 19},
        }

    async def _resume(self, socket: Socket, asked: JSON) -> None:
        session = self.sessions.get(asked["session_id"])
        if session is None or asked["token"] != self._token:
            await socket.send({"op": INVALID_SESSION, "d": False, "s": None, "t": None})
            return
        self.resumed += 1
        await self._catch_up(session, socket, asked["seq"])
        await socket.send(session.add("RESUMED", {"_trace": []}))

    async def _catch_up(self, session: Session, socket: Socket, sent: int) -> None:
        while sent < len(session.events):
            await socket.send(session.events[sent])
            sent += 1
        session.socket = socket  # no await since the last look: nothing can fall between
        self._world.changes.tell()

    def _detached(self) -> list[Socket]:
        """Takes the connections from their sessions, so that what follows is kept and not sent."""
        sockets = []
        for session in self.sessions.values():
            if session.socket is not None:
                sockets.append(session.socket)
                session.detach()
        return sockets

    def _readable(self, intents: Intent, event: str, content: JSON) -> JSON:
        """The event as a session may read it: without the text where it lacks the intent."""
        if event not in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} or intents & Intent.MESSAGE_CONTENT:
            return content
        me = str(self._world.bot.id)
        concerned = content["author"]["id"] == me or any(named["id"] == me for named in content["mentions"])
        if "guild_id" not in content or concerned:
            return content
        return content | {"content": "", "attachments": [], "embeds": [], "components": []}


def _guild_of(event: str, content: JSON) -> str | None:
    """The server on which something happens; None: on none."""
    guild: str | None = content.get("id") if event in {"GUILD_CREATE", "GUILD_DELETE"} else content.get("guild_id")
    return guild


def _wanted(intents: Intent, event: str, content: JSON) -> bool:
    """Whether the intents of a session cover an event."""
    if event.startswith("MESSAGE_REACTION_"):
        return bool(intents & (Intent.GUILD_REACTIONS if "guild_id" in content else Intent.DIRECT_REACTIONS))
    if event.startswith("MESSAGE_"):
        return bool(intents & (Intent.GUILD_MESSAGES if "guild_id" in content else Intent.DIRECT_MESSAGES))
    if event.startswith(("GUILD_", "CHANNEL_", "THREAD_")):
        return bool(intents & Intent.GUILDS)
    return True
