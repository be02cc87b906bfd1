"""Commands on Discord: who asks, and how an answer is shown. The slash commands in `cogs/` and all buttons use it."""

from __future__ import annotations

import re
from typing import Any, Protocol, Self, TypeAlias, cast

import discord
import structlog

from adapters.discord.messenger import FAULTS, MAX_CHARACTERS
from adapters.discord.reading import channel_place, dm_with, place_name, speaker
from adapters.pace import Pace
from adapters.splitting import split
from bot.config import Settings
from bot.domain import Answer, Asker, Call, Choice
from bot.errors import HelloAgainError
from bot.ports import Core
from bot.texts import platforms as texts
from bot.usecases import calls
from bot.usecases.catalogue import command_named

MAX_ROWS = 5
MAX_IN_ROW = 5
MAX_LABEL = 80

Interaction: TypeAlias = discord.Interaction[Any]

_NOBODY = discord.AllowedMentions.none()
_log = structlog.get_logger(__name__)


class Front(Protocol):
    """What is asked of the client that an interaction came to (`Companion`)."""

    settings: Settings
    core: Core
    presses: Pace

    @property
    def owners(self) -> frozenset[int]:
        """The Discord ids of those who own the application."""
        ...


class CallButton(
    discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=re.compile(r"(?P<call>.+)", re.DOTALL)
):
    """A button that stands for a command. What it does is in its id, so that it outlives restarts."""

    def __init__(self, label: str, custom_id: str, *, row: int | None = None) -> None:
        super().__init__(discord.ui.Button(label=label[:MAX_LABEL], custom_id=custom_id), row=row)

    @classmethod
    async def from_custom_id(
        cls,
        interaction: Interaction,  # noqa: ARG003  # discord.py passes it
        item: discord.ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        """The button that somebody pressed, perhaps one of an earlier run."""
        return cls(getattr(item, "label", None) or "", match["call"])

    async def callback(self, interaction: Interaction) -> None:
        """Does the command, as the one who presses."""
        client = cast("Front", interaction.client)
        await answer(interaction, client.core, calls.decode(self.custom_id))


async def answer(interaction: Interaction, core: Core, call: Call | None) -> None:
    """Takes an interaction, does its command as the one who asks, and shows the answer where it belongs.

    Discord wants to be told within three seconds that it was taken, so that comes first. Nothing is raised: what goes
    wrong is logged and told to the person in a sentence.
    """
    page = _Page(interaction)
    try:
        if not cast("Front", interaction.client).presses.allows(interaction.user.id):
            await interaction.response.send_message(texts.COMMANDS_TOO_FAST, ephemeral=True)
            return
        await page.defer(private=_is_private(call))
    except (discord.InteractionResponded, *FAULTS) as fault:
        _log.warning("an interaction could not be taken", fault=type(fault).__name__)
        return
    try:
        reply = await _reply(interaction, core, call)
    except HelloAgainError:
        _log.exception("a command failed", command=call.command if call else None)
        reply = Answer(texts.COMMAND_FAILED)
    try:
        await page.show(reply)
    except FAULTS as fault:
        _log.warning("an answer could not be shown", fault=type(fault).__name__)


async def _reply(interaction: Interaction, core: Core, call: Call | None) -> Answer:
    if call is None:
        return Answer(texts.BUTTON_TOO_OLD)
    client = cast("Front", interaction.client)
    asker = asker_of(interaction, client.settings, client.owners)
    return Answer(texts.COMMAND_NOT_HERE) if asker is None else await core.command(call, asker)


def asker_of(interaction: Interaction, settings: Settings, owners: frozenset[int]) -> Asker | None:
    """Who uses a command, and where; None where the companion does not live (a group DM, a foreign server)."""
    in_dm = interaction.guild_id is None
    place = dm_with(interaction.user.id) if in_dm else channel_place(interaction.channel)
    if place is None:
        return None
    who = speaker(interaction.user)
    return Asker(
        speaker=who,
        place=place,
        is_owner=who.id in settings.owners or interaction.user.id in owners,
        may_manage=in_dm or interaction.permissions.manage_channels,
        place_name=place_name(interaction.channel),
    )


def render(reply: Answer) -> tuple[list[str], discord.ui.View | None]:
    """An answer as message texts of 2,000 characters at most; the buttons belong to the last one."""
    parts = split(reply.text, MAX_CHARACTERS) or ["…"]
    view = discord.ui.View(timeout=None)
    seen = set[str]()
    for row, choices in enumerate(reply.choices[:MAX_ROWS]):
        for choice in choices[:MAX_IN_ROW]:
            _add(view, choice, row, seen)
    return parts, view if view.children else None


def _add(view: discord.ui.View, choice: Choice, row: int, seen: set[str]) -> None:
    """One button, if it can carry its call; Discord refuses two with the same id, and they would do the same."""
    custom_id = calls.encode(choice.call) if calls.fits(choice.call) else ""
    if custom_id and custom_id not in seen:
        seen.add(custom_id)
        view.add_item(CallButton(choice.label, custom_id, row=row))


class _Page:
    """Where the answer of one interaction is shown.

    A slash command opens a message, for the asker alone if its command is private. A button's answer takes the place of
    the message that the button is on, if only the presser sees that message, or if everybody may see the answer; a
    private answer to a button that everybody sees opens a message for the presser alone.
    """

    def __init__(self, interaction: Interaction) -> None:
        self._interaction = interaction
        pressed = interaction.type is discord.InteractionType.component
        self._source = interaction.message if pressed else None
        self._in_place = self._source is not None and (self._source.flags.ephemeral or interaction.guild_id is None)
        self._private = True

    async def defer(self, *, private: bool) -> None:
        """Tells Discord that the interaction was taken."""
        if self._in_place:
            await self._interaction.response.defer()
            return
        self._private = private or self._source is not None
        await self._interaction.response.defer(ephemeral=self._private, thinking=True)

    async def show(self, reply: Answer) -> None:
        """Shows the answer. Raises what discord.py raises."""
        parts, view = render(reply)
        if self._in_place or reply.private or not self._private:
            await self._fill(parts, view)
        else:
            await self._publish(parts, view)

    async def _fill(self, parts: list[str], view: discord.ui.View | None) -> None:
        """The message that was opened, or that the button is on; what does not fit follows it."""
        buttons = view if len(parts) == 1 else None
        await self._interaction.edit_original_response(content=parts[0], view=buttons, allowed_mentions=_NOBODY)
        await self._follow(parts[1:], view, private=self._private)

    async def _publish(self, parts: list[str], view: discord.ui.View | None) -> None:
        """For everybody, although a message for the asker alone had been opened.

        That one is filled first and then taken away: the first message after opening takes its place, and its privacy.
        """
        await self._interaction.edit_original_response(content=parts[0], view=None, allowed_mentions=_NOBODY)
        if self._source is not None:
            buttons = view if len(parts) == 1 else None
            await self._source.edit(content=parts[0], view=buttons, allowed_mentions=_NOBODY)
            parts = parts[1:]
        await self._follow(parts, view, private=False)
        await self._interaction.delete_original_response()

    async def _follow(self, parts: list[str], view: discord.ui.View | None, *, private: bool) -> None:
        for index, part in enumerate(parts, start=1):
            buttons = view if view is not None and index == len(parts) else discord.utils.MISSING
            await self._interaction.followup.send(part, view=buttons, ephemeral=private, allowed_mentions=_NOBODY)


def _is_private(call: Call | None) -> bool:
    command = command_named(call.command) if call is not None else None
    return command is None or command.private
