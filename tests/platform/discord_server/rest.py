"""REST: what the bot asks for over HTTP, with Discord's own refusals."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from aiohttp import web

from tests.platform.discord_server import payloads
from tests.platform.discord_server.faults import Faults, Handling, suffer
from tests.platform.discord_server.gateway import Gateway
from tests.platform.discord_server.world import EPHEMERAL, JSON, Attachment, Channel, Guild, Message, Refused, World

PREFIX = "/api/v10"
LONGEST = 2000
LONGEST_NONCE = 25
MOST_HISTORY = 100
LARGEST_FILE = 10 * 1024 * 1024
LARGEST_REQUEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came in, whatever became of it."""

    method: str
    path: str
    """Without the prefix."""
    at: float
    """Seconds of time.monotonic()."""


def as_json(content: object, status: int = 200) -> web.Response:
    """An answer of exactly the content type that discord.py reads."""
    return web.Response(body=json.dumps(content).encode(), status=status, content_type="application/json")


def refusal(error: Refused) -> web.Response:
    """An error's answer."""
    return as_json({"message": error.text, "code": error.code}, error.status)


def check_content(content: str, *, may_be_empty: bool = False) -> str:
    """Refuses what Discord would not take."""
    if len(content) > LONGEST:
        raise Refused(400, 50035, "Invalid Form Body\nIn content: Must be 2000 or fewer in length.")
    if not content.strip() and not may_be_empty:
        raise Refused(400, 50006, "Cannot send an empty message")
    return content


def check_components(rows: list[JSON]) -> list[JSON]:
    """Refuses more than five rows of five, or custom ids that are too long or not unique."""
    ids = [item.get("custom_id", "") for row in rows for item in row.get("components", [])]
    full = len(rows) > 5 or any(len(row.get("components", [])) > 5 for row in rows)
    named = [one for one in ids if one]
    if full or any(len(one) > 100 for one in ids) or len(set(named)) != len(named):
        raise Refused(400, 50035, "Invalid Form Body\nIn components: refused.")
    return rows


async def body_of(request: web.Request) -> JSON:
    """The JSON of a request, out of a form where files come along."""
    if request.content_type == "application/json":
        body: JSON = await request.json()
        return body
    form = await request.post()
    return dict(json.loads(str(form["payload_json"]))) if "payload_json" in form else {}


async def uploads_of(request: web.Request) -> tuple[Attachment, ...]:
    """The files that come along in a form; refuses what is too large."""
    if request.content_type == "application/json":
        return ()
    form = await request.post()
    files = [value for name, value in form.items() if name.startswith("files[") and isinstance(value, web.FileField)]
    uploads = []
    for file in files:
        content = file.file.read()
        if len(content) > LARGEST_FILE:
            raise Refused(413, 40005, "Request entity too large")
        uploads.append(Attachment(file.filename, file.content_type, len(content), content=content))
    return tuple(uploads)


class Rest:
    """The routes for channels, messages, people and commands."""

    def __init__(self, world: World, gateway: Gateway, faults: Faults, token: str) -> None:
        self.world, self.gateway, self.faults, self._token = world, gateway, faults, token
        self.asked: list[Asked] = []

    def routes(self) -> list[web.RouteDef]:
        """The routes, without the prefix taken off."""
        table = [
            web.get("/gateway/bot", self._gateway),
            web.get("/users/@me", self._me),
            web.get("/users/{user}", self._user),
            web.get("/oauth2/applications/@me", self._application),
            web.get("/applications/@me", self._application),
            web.post("/users/@me/channels", self._open_dm),
            web.get("/applications/{app}/commands", self._commands),
            web.put("/applications/{app}/commands", self._overwrite_commands),
            web.get("/guilds/{guild}", self._guild),
            web.get("/guilds/{guild}/channels", self._guild_channels),
            web.get("/guilds/{guild}/threads/active", self._threads),
            web.get("/guilds/{guild}/members/{user}", self._member),
            web.get("/channels/{channel}", self._channel_alone),
            web.get("/channels/{channel}/threads/archived/public", self._archived),
            web.post("/channels/{channel}/typing", self._typing),
            web.get("/channels/{channel}/messages", self._history),
            web.post("/channels/{channel}/messages", self._create),
            web.get("/channels/{channel}/messages/{message}", self._message_alone),
            web.patch("/channels/{channel}/messages/{message}", self._edit),
            web.delete("/channels/{channel}/messages/{message}", self._delete),
        ]
        return [web.RouteDef(one.method, PREFIX + one.path, one.handler, one.kwargs) for one in table]

    @web.middleware
    async def edge(self, request: web.Request, handler: Handling) -> web.StreamResponse:
        """Faults, then the token, then Discord's refusals as JSON."""
        if not request.path.startswith(PREFIX):
            return await handler(request)
        path = request.path.removeprefix(PREFIX)
        self.asked.append(Asked(request.method, path, time.monotonic()))
        self.world.changes.tell()
        planned = self.faults.strikes(request.method, path)
        if planned is not None:
            return await suffer(planned, request, lambda again: self._answer(again, handler))
        return await self._answer(request, handler)

    async def _answer(self, request: web.Request, handling: Handling) -> web.StreamResponse:
        path = request.path.removeprefix(PREFIX)
        needs_token = not path.startswith(("/interactions/", "/webhooks/"))
        if needs_token and request.headers.get("Authorization") != f"Bot {self._token}":
            return as_json({"message": "401: Unauthorized", "code": 0}, 401)
        try:
            return await handling(request)
        except Refused as error:
            return refusal(error)
        except web.HTTPNotFound:
            return as_json({"message": "404: Not Found", "code": 0}, 404)

    async def tell(self, event: str, message: Message) -> None:
        """Dispatches what happened to a message, unless only one person sees it."""
        if message.shown_to is None:
            content = payloads.message(self.world, message)
            if event == "MESSAGE_CREATE" and message.nonce is not None:
                content["nonce"] = message.nonce
            await self.gateway.dispatch(event, content)

    async def tell_deleted(self, *messages: Message) -> None:
        """Dispatches a deletion, in bulk where it is more than one."""
        channel = messages[0].channel
        content: JSON = {"channel_id": str(channel.id)}
        if channel.guild is not None:
            content["guild_id"] = str(channel.guild.id)
        if len(messages) == 1:
            await self.gateway.dispatch("MESSAGE_DELETE", content | {"id": str(messages[0].id)})
        else:
            await self.gateway.dispatch("MESSAGE_DELETE_BULK", content | {"ids": [str(one.id) for one in messages]})

    async def _gateway(self, request: web.Request) -> web.Response:
        return as_json(self.gateway.starts.payload(self.gateway.url))

    async def _me(self, request: web.Request) -> web.Response:
        return as_json(payloads.user(self.world.bot) | {"verified": True, "mfa_enabled": False, "locale": "en-US"})

    async def _user(self, request: web.Request) -> web.Response:
        known = self.world.users.get(int(request.match_info["user"]))
        if known is None:
            raise Refused(404, 10013, "Unknown User")
        return as_json(payloads.user(known))

    async def _application(self, request: web.Request) -> web.Response:
        return as_json(payloads.application(self.world))

    async def _open_dm(self, request: web.Request) -> web.Response:
        recipient = self.world.users.get(int((await body_of(request))["recipient_id"]))
        if recipient is None or not recipient.known:
            raise Refused(404, 10013, "Unknown User")
        return as_json(payloads.channel(self.world.dm(recipient)))

    async def _commands(self, request: web.Request) -> web.Response:
        shown = self.world.commands
        if "with_localizations" not in request.query:
            shown = [{key: value for key, value in one.items() if "localizations" not in key} for one in shown]
        return as_json(shown)

    async def _overwrite_commands(self, request: web.Request) -> web.Response:
        asked = await request.json()
        world = self.world
        world.commands = [
            {
                "type": 1,
                "description": "",
                "default_member_permissions": None,
                "nsfw": False,
                "dm_permission": True,
                "description_localizations": None,
                "name_localizations": None,
                "contexts": None,
                "integration_types": [0],
            }
            | one
            | {
                "id": str(world.snowflake()),
                "application_id": str(world.bot.id),
                "version": str(world.snowflake()),
            }
            for one in asked
        ]
        world.changes.tell()
        return as_json(world.commands)

    def _guild_of(self, request: web.Request) -> Guild:
        known = self.world.guilds.get(int(request.match_info["guild"]))
        if known is None:
            raise Refused(404, 10004, "Unknown Guild")
        return known

    async def _guild(self, request: web.Request) -> web.Response:
        return as_json(payloads.guild(self.world, self._guild_of(request)))

    async def _guild_channels(self, request: web.Request) -> web.Response:
        return as_json(payloads.guild(self.world, self._guild_of(request))["channels"])

    async def _threads(self, request: web.Request) -> web.Response:
        threads = payloads.guild(self.world, self._guild_of(request))["threads"]
        return as_json({"threads": threads, "members": [], "has_more": False})

    async def _archived(self, request: web.Request) -> web.Response:
        self._channel(request)
        return as_json({"threads": [], "members": [], "has_more": False})

    async def _member(self, request: web.Request) -> web.Response:
        guild = self._guild_of(request)
        known = guild.members.get(int(request.match_info["user"]))
        if known is None:
            raise Refused(404, 10007, "Unknown Member")
        return as_json(payloads.member(guild, known, alone=True))

    def _channel(self, request: web.Request) -> Channel:
        return self.world.find(int(request.match_info["channel"]))

    def _message(self, request: web.Request) -> Message:
        return self.world.message(self._channel(request), int(request.match_info["message"]))

    async def _channel_alone(self, request: web.Request) -> web.Response:
        return as_json(payloads.channel(self._channel(request)))

    async def _typing(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        self._check_open(channel)
        self.world.typed.append(channel.id)
        self.world.changes.tell()
        return web.Response(status=204)

    async def _history(self, request: web.Request) -> web.Response:
        standing = self.world.history(self._channel(request))
        limit = int(request.query.get("limit", "50"))
        if not 1 <= limit <= MOST_HISTORY:
            raise Refused(400, 50035, "Invalid Form Body\nIn limit: refused.")
        if "after" in request.query:
            chosen = [one for one in standing if one.id > int(request.query["after"])][:limit]
        else:
            before = int(request.query.get("before", str(1 << 63)))
            chosen = [one for one in standing if one.id < before][-limit:]
        return as_json([payloads.history_message(self.world, one) for one in reversed(chosen)])

    async def _message_alone(self, request: web.Request) -> web.Response:
        return as_json(payloads.history_message(self.world, self._message(request)))

    def _check_open(self, channel: Channel) -> None:
        if channel.recipient is not None and not channel.recipient.takes_dms:
            raise Refused(403, 50007, "Cannot send messages to this user")

    async def _create(self, request: web.Request) -> web.Response:
        channel, body, world = self._channel(request), await body_of(request), self.world
        self._check_open(channel)
        files = await uploads_of(request)
        content = check_content(body.get("content") or "", may_be_empty=bool(files))
        components = check_components(body.get("components") or [])
        nonce = None if body.get("nonce") is None else str(body["nonce"])
        if nonce is not None and len(nonce) > LONGEST_NONCE:
            raise Refused(400, 50035, "Invalid Form Body\nIn nonce: Must be 25 or fewer in length.")
        first = world.by_nonce(channel, world.bot, nonce) if nonce and body.get("enforce_nonce") else None
        if first is not None:
            return as_json(payloads.message(world, first) | {"nonce": nonce})
        message = Message(
            world.snowflake(), channel, world.bot, content, world.now(), self._reference(channel, body), nonce,
            flags=body.get("flags", 0) & ~EPHEMERAL, components=components, attachments=files,
        )  # fmt: skip
        world.put(message, body.get("allowed_mentions"))
        await self.tell("MESSAGE_CREATE", message)
        return as_json(payloads.message(world, message) | {"nonce": nonce})

    def _reference(self, channel: Channel, body: JSON) -> int | None:
        asked = body.get("message_reference")
        if asked is None:
            return None
        answered = self.world.messages.get(int(asked["message_id"]))
        if answered is not None and answered.channel is channel and answered.shown_to is None:
            return answered.id
        if asked.get("fail_if_not_exists", True):
            raise Refused(400, 50035, "Invalid Form Body\nIn message_reference: Unknown message")
        return None

    async def _edit(self, request: web.Request) -> web.Response:
        message, body = self._message(request), await body_of(request)
        if message.author is not self.world.bot:
            raise Refused(403, 50005, "Cannot edit a message authored by another user")
        if "components" in body:
            message.components = check_components(body["components"] or [])
        if body.get("content") is not None:
            self.world.rewrite(message, check_content(body["content"]))
        await self.tell("MESSAGE_UPDATE", message)
        return as_json(payloads.message(self.world, message))

    async def _delete(self, request: web.Request) -> web.Response:
        message = self._message(request)
        if message.author is not self.world.bot:
            raise Refused(403, 50013, "Missing Permissions")
        self.world.remove(message)
        await self.tell_deleted(message)
        return web.Response(status=204)
