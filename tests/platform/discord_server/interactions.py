"""Interactions: slash commands, buttons and completions, with the three seconds they give a bot."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.platform.discord_server import payloads
from tests.platform.discord_server.rest import (
    PREFIX,
    Rest,
    as_json,
    body_of,
    check_components,
    check_content,
    uploads_of,
)
from tests.platform.discord_server.world import (
    EPHEMERAL,
    JSON,
    LOADING,
    Attachment,
    Channel,
    Message,
    Refused,
    User,
    real_now,
)

COMMAND, BUTTON, COMPLETION, FORM = 2, 3, 4, 5
REPLY, DEFER, DEFER_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
PATIENCE_S = 3.0
"""Seconds after which an interaction that nobody acknowledged has failed."""


@dataclass(slots=True, eq=False)
class Interaction:
    """One press or command, and what came back."""

    id: int
    token: str
    kind: int
    user: User
    channel: Channel
    asked_at: float
    pressed: Message | None = None
    acknowledged: bool = False
    deferred: bool = False
    """Its answer is still thought of."""
    response: Message | None = None
    """The answer; for a button that changes its message, that message."""
    followups: list[Message] = field(default_factory=list)
    choices: list[JSON] | None = None
    """What a completion offered."""
    form: JSON | None = None
    """What the bot opened for the person to fill in."""
    deleted: bool = False
    """The answer was taken back."""

    @property
    def answered(self) -> bool:
        """Whether the person sees more than "is thinking"."""
        return self.acknowledged and not self.deferred


class Interactions:
    """The routes for callbacks and follow-ups, and how people start interactions."""

    def __init__(self, rest: Rest) -> None:
        self._rest, self._world = rest, rest.world
        self._by_token: dict[str, Interaction] = {}
        self._numbers = itertools.count(1)

    def routes(self) -> list[web.RouteDef]:
        """The routes; they need no token of the bot."""
        hook = "/webhooks/{app}/{token}"
        table = [
            web.post("/interactions/{interaction}/{token}/callback", self._callback),
            web.post(hook, self._follow_up),
            web.get(hook + "/messages/{message}", self._get),
            web.patch(hook + "/messages/{message}", self._patch),
            web.delete(hook + "/messages/{message}", self._delete),
        ]
        return [web.RouteDef(one.method, PREFIX + one.path, one.handler, one.kwargs) for one in table]

    async def begin(
        self,
        kind: int,
        user: User,
        channel: Channel,
        content: JSON,
        pressed: Message | None = None,
        locale: str = "en-US",
    ) -> Interaction:
        """Tells the bot that somebody did something."""
        number = next(self._numbers)
        interaction = Interaction(
            self._world.snowflake(real_now()), f"token-{number}", kind, user, channel,
            time.monotonic(), pressed,
        )  # fmt: skip
        self._by_token[interaction.token] = interaction
        payload: JSON = {
            "id": str(interaction.id),
            "application_id": str(self._world.bot.id),
            "type": kind,
            "token": interaction.token,
            "version": 1,
            "data": content,
            "channel_id": str(channel.id),
            "channel": payloads.channel(channel),
            "locale": locale,
            "app_permissions": "0",
            "attachment_size_limit": 10485760,
            "entitlements": [],
            "authorizing_integration_owners": {},
            "context": 0 if channel.guild is not None else 1,
        }
        if channel.guild is not None:
            payload |= {
                "guild_id": str(channel.guild.id),
                "guild": {"id": str(channel.guild.id), "locale": "en-US", "features": []},
                "guild_locale": "en-US",
                "member": payloads.member(channel.guild, user, alone=True),
                "app_permissions": str(payloads.permissions(channel.guild, self._world.bot)),
            }
        else:
            payload["user"] = payloads.user(user)
        if pressed is not None:
            payload["message"] = payloads.message(self._world, pressed)
        await self._rest.gateway.dispatch("INTERACTION_CREATE", payload)
        return interaction

    def command(self, name: str, options: Mapping[str, Any], focused: str | None = None) -> JSON:
        """The content of a command's interaction: "memory list" finds the group; raises LookupError."""
        first, *path = name.split()
        registered = next((one for one in self._world.commands if one["name"] == first and one["type"] == 1), None)
        if registered is None:
            raise LookupError(f"no command /{name}: {[one['name'] for one in self._world.commands]}")
        content: JSON = {"id": registered["id"], "name": first, "type": 1}
        inner, described = content, registered
        for part in path:
            described = next((one for one in described.get("options", []) if one["name"] == part), {})
            if not described:
                raise LookupError(f"no command /{name}")
            step: JSON = {"name": part, "type": described["type"]}
            inner["options"] = [step]
            inner = step
        known = {one["name"]: one["type"] for one in described.get("options", [])}
        unknown = set(options) - set(known)
        if unknown:
            raise LookupError(f"/{name} has no {unknown}")
        inner["options"] = [
            {"name": option, "type": known[option], "value": value} | ({"focused": True} if option == focused else {})
            for option, value in options.items()
        ]
        return content

    def menu(self, name: str, message: Message) -> JSON:
        """The content of a message menu's interaction; raises LookupError."""
        registered = next((one for one in self._world.commands if one["name"] == name and one["type"] == 3), None)
        if registered is None:
            raise LookupError(f"no {name!r} in the menu of a message")
        resolved = {"messages": {str(message.id): payloads.message(self._world, message)}}
        return {
            "id": registered["id"], "name": name, "type": 3, "target_id": str(message.id), "resolved": resolved
        }  # fmt: skip

    def _found(self, request: web.Request) -> Interaction:
        interaction = self._by_token.get(request.match_info["token"])
        if interaction is None or not interaction.acknowledged:
            raise Refused(404, 10015, "Unknown Webhook")
        return interaction

    async def _callback(self, request: web.Request) -> web.Response:
        interaction = self._by_token.get(request.match_info["token"])
        late = interaction is not None and time.monotonic() - interaction.asked_at > PATIENCE_S
        if interaction is None or (late and not interaction.acknowledged):
            raise Refused(404, 10062, "Unknown interaction")
        if interaction.acknowledged:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        body = await request.json()
        kind, content = body["type"], body.get("data") or {}
        if kind == REPLY:
            interaction.response = self._written(interaction, content)
        elif kind == DEFER:
            flags = content.get("flags", 0) | LOADING
            interaction.response = self._put(interaction, "", flags, [])
            interaction.deferred = True
        elif kind == UPDATE:
            assert interaction.pressed is not None
            self._change(interaction.pressed, content)
        elif kind == CHOICES:
            interaction.choices = content["choices"]
        elif kind == MODAL:
            interaction.form = content
        if kind in {UPDATE, DEFER_UPDATE}:
            interaction.response = interaction.pressed
        interaction.acknowledged = True
        await self._tell("MESSAGE_UPDATE" if kind == UPDATE else "MESSAGE_CREATE", interaction, kind)
        if request.query.get("with_response") in {"1", "true", "True"}:
            return as_json(self._callback_response(interaction, kind))
        return web.Response(status=204)

    async def _tell(self, event: str, interaction: Interaction, kind: int) -> None:
        self._world.changes.tell()
        if interaction.response is not None and kind not in {CHOICES, DEFER_UPDATE, MODAL}:
            await self._rest.tell(event, interaction.response)

    def _callback_response(self, interaction: Interaction, kind: int) -> JSON:
        about: JSON = {"id": str(interaction.id), "type": interaction.kind}
        answer: JSON = {"interaction": about}
        message = interaction.response
        if message is not None:
            about["response_message_id"] = str(message.id)
            about["response_message_loading"] = bool(message.flags & LOADING)
            about["response_message_ephemeral"] = bool(message.flags & EPHEMERAL)
            if kind in {REPLY, DEFER, UPDATE}:
                answer["resource"] = {"type": kind, "message": payloads.message(self._world, message)}
        return answer

    def _put(self, interaction: Interaction, content: str, flags: int, components: list[JSON]) -> Message:
        world = self._world
        message = Message(
            world.snowflake(), interaction.channel, world.bot, content, world.now(), flags=flags, components=components,
            shown_to=interaction.user if flags & EPHEMERAL else None,
            extra={
                "application_id": str(world.bot.id),
                "webhook_id": str(world.bot.id),
                "interaction_metadata": {
                    "id": str(interaction.id), "type": interaction.kind, "user": payloads.user(interaction.user),
                    "authorizing_integration_owners": {},
                },
            },
        )  # fmt: skip
        return world.put(message, {"parse": []})

    def _written(self, interaction: Interaction, content: JSON, files: tuple[Attachment, ...] = ()) -> Message:
        text = check_content(content.get("content") or "", may_be_empty=bool(files))
        components = check_components(content.get("components") or [])
        message = self._put(interaction, text, content.get("flags", 0), components)
        message.attachments = files
        return message

    def _change(self, message: Message, content: JSON) -> None:
        if "components" in content:
            message.components = check_components(content["components"] or [])
        if content.get("content") is not None:
            self._world.rewrite(message, check_content(content["content"]))
        message.flags &= ~LOADING
        self._world.changes.tell()

    async def _follow_up(self, request: web.Request) -> web.Response:
        interaction, content = self._found(request), await body_of(request)
        if interaction.deferred and interaction.response is not None:
            self._change(interaction.response, content)
            interaction.deferred = False
            await self._rest.tell("MESSAGE_UPDATE", interaction.response)
            return as_json(payloads.message(self._world, interaction.response))
        message = self._written(interaction, content, await uploads_of(request))
        interaction.followups.append(message)
        await self._rest.tell("MESSAGE_CREATE", message)
        return as_json(payloads.message(self._world, message))

    def _named(self, request: web.Request) -> tuple[Interaction, Message]:
        interaction = self._found(request)
        name = request.match_info["message"]
        mine = [interaction.response, *interaction.followups]
        message = (
            interaction.response if name == "@original" else next((m for m in mine if m and str(m.id) == name), None)
        )
        if message is None or message.id not in self._world.messages:
            raise Refused(404, 10008, "Unknown Message")
        return interaction, message

    async def _get(self, request: web.Request) -> web.Response:
        return as_json(payloads.message(self._world, self._named(request)[1]))

    async def _patch(self, request: web.Request) -> web.Response:
        interaction, message = self._named(request)
        self._change(message, await body_of(request))
        if message is interaction.response:
            interaction.deferred = False
        self._world.changes.tell()
        await self._rest.tell("MESSAGE_UPDATE", message)
        return as_json(payloads.message(self._world, message))

    async def _delete(self, request: web.Request) -> web.Response:
        interaction, message = self._named(request)
        if message is interaction.response:
            interaction.deleted, interaction.deferred = True, False
        self._world.remove(message)
        if message.shown_to is None:
            await self._rest.tell_deleted(message)
        return web.Response(status=204)
