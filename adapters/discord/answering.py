"""Commands on Discord: who asks, and how an answer is shown. The slash commands in `cogs/` and all buttons use it."""

import asyncio
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, Self, TypeAlias, cast

import discord
import structlog

from adapters.discord.buttons import view_of
from adapters.discord.messenger import FAULTS, MAX_CHARACTERS
from adapters.discord.reading import Me, channel_place, dm_with, place_name, speaker
from adapters.pace import Pace
from adapters.splitting import split
from bot.config import Settings
from bot.domain import Answer, Asker, Call, File
from bot.errors import HelloAgainError
from bot.ports import Core
from bot.texts import platforms as texts
from bot.texts.translating import here, speaking
from bot.usecases import calls
from bot.usecases.catalogue import Parameter, command_named

MAX_FILE_BYTES = 10 * texts.MEGABYTE
"""What Discord takes of one file, where an interaction does not say it."""

MAX_TYPED = 300
"""Characters of what is typed into a form: what a command takes of words."""
MAX_PLACEHOLDER = 100
SHOWN_S = 1.5
"""Seconds for what a form shows beside its field: it has to be there within three."""
FORM_S = 15 * 60.0
"""Seconds for which a form that was opened can be handed in."""

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

    @property
    def me(self) -> Me:
        """The companion, as Discord knows it."""
        ...


class Form(discord.ui.Modal):
    """Asks for the one thing that a call still needs, and does it then."""

    def __init__(self, call: Call, wanted: Parameter, shown: str) -> None:
        super().__init__(title=f"/{call.command}", timeout=FORM_S)
        self._call, self._wanted = call, wanted
        self.words = discord.ui.TextInput[Self](
            style=discord.TextStyle.paragraph, max_length=MAX_TYPED, placeholder=shown[:MAX_PLACEHOLDER] or None
        )
        label = discord.ui.Label(
            text=texts.FORM_LABEL, description=here(wanted.help)[:MAX_PLACEHOLDER], component=self.words
        )
        self.add_item(label)

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Does the command, with what was typed."""
        await answer(
            interaction, Call(self._call.command, (*self._call.arguments, (self._wanted.name, self.words.value)))
        )


class CallButton(
    discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=re.compile(r"(?P<call>.+)", re.DOTALL)
):
    """A button that stands for a command. What it does is in its id, so that it outlives restarts."""

    def __init__(self, label: str, custom_id: str, *, row: int | None = None) -> None:
        super().__init__(discord.ui.Button(label=label, custom_id=custom_id), row=row)

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
        await answer(interaction, calls.decode(self.custom_id))


def _front(interaction: Interaction) -> Front:
    return cast("Front", interaction.client)


async def answer(interaction: Interaction, call: Call | None) -> None:
    """Takes an interaction, does its command as the one who asks, and shows the answer, in their language.

    Discord wants to be told within three seconds that it was taken, so that comes first. Nothing is raised: what goes
    wrong is logged and told to the person in a sentence.
    """
    with speaking(interaction.locale.value):
        await _answer(interaction, call)


async def _answer(interaction: Interaction, call: Call | None) -> None:
    page = _Page(interaction)
    try:
        if not _front(interaction).presses.allows(interaction.user.id):
            await interaction.response.send_message(texts.COMMANDS_TOO_FAST, ephemeral=True)
            return
        if call is not None and (form := await _form(interaction, call)) is not None:
            await interaction.response.send_modal(form)
            return
        await page.defer()
    except (discord.InteractionResponded, *FAULTS) as fault:
        _log.warning("an interaction could not be taken", fault=type(fault).__name__)
        return
    try:
        reply = await _reply(interaction, call)
    except HelloAgainError:
        _log.exception("a command failed", command=call.command if call else None)
        reply = Answer(texts.COMMAND_FAILED)
    try:
        await page.show(reply)
    except FAULTS as fault:
        _log.warning("an answer could not be shown", fault=type(fault).__name__)


async def _form(interaction: Interaction, call: Call) -> Form | None:
    """What asks for the words that a call lacks, with what they will replace; None: it lacks nothing of that kind."""
    command = command_named(call.command)
    if command is None or interaction.type is discord.InteractionType.modal_submit:
        return None
    wanted = next((one for one in command.parameters if one.in_form and not call.get(one.name)), None)
    if wanted is None:
        return None
    asker = asker_of(interaction)
    entry, shown = call.get("entry"), []
    if asker is not None and entry:
        try:
            async with asyncio.timeout(SHOWN_S):
                shown = await _front(interaction).core.suggest(call.command, "entry", entry, asker)
        except (HelloAgainError, TimeoutError):
            _log.info("a form does not show what is to be corrected")
    return Form(call, wanted, next((label for label, value in shown if value == entry), ""))


async def _reply(interaction: Interaction, call: Call | None) -> Answer:
    if call is None:
        return Answer(texts.BUTTON_TOO_OLD)
    asker = asker_of(interaction)
    return Answer(texts.COMMAND_NOT_HERE) if asker is None else await _front(interaction).core.command(call, asker)


def asker_of(interaction: Interaction) -> Asker | None:
    """Who uses a command, and where; None where the companion does not live (a group DM, a foreign server)."""
    in_dm = interaction.guild_id is None
    place = dm_with(interaction.user.id) if in_dm else channel_place(interaction.channel)
    if place is None:
        return None
    who, allowed, front = speaker(interaction.user), interaction.permissions, _front(interaction)
    return Asker(
        speaker=who,
        place=place,
        is_owner=who.id in front.settings.owners or interaction.user.id in front.owners,
        may_manage=in_dm or allowed.manage_channels,
        place_name=place_name(interaction.channel),
        may_manage_server=not in_dm and (allowed.manage_guild or allowed.administrator or _owns_server(interaction)),
    )


def render(reply: Answer) -> tuple[list[str], discord.ui.View | None]:
    """An answer as message texts of 2,000 characters at most; the buttons belong to the last one."""
    parts = split(reply.text, MAX_CHARACTERS) or ["…"]
    return parts, view_of(reply.choices, CallButton)


def with_buttons(parts: Sequence[str], view: discord.ui.View | None) -> Iterator[tuple[str, Any]]:
    """Each part of an answer with its `view`, as discord.py wants it: the last one has the buttons."""
    for index, part in enumerate(parts, start=1):
        yield part, view if view is not None and index == len(parts) else discord.utils.MISSING


class _Page:
    """Where the answer of one interaction is shown.

    A slash command opens a message for the asker alone; an answer for everybody is put beside it, and it goes. A
    button's answer takes the place of the message that the button is on, if only the presser sees that message. On a
    message that everybody sees, a private answer opens a message for the presser alone and leaves that one as it is;
    an answer for everybody takes its place where the presser is whom it was made for.
    """

    def __init__(self, interaction: Interaction) -> None:
        self._interaction = interaction
        pressed = interaction.type is discord.InteractionType.component
        self._source = interaction.message if pressed else None
        self._in_place = self._source is not None and (self._source.flags.ephemeral or interaction.guild_id is None)

    async def defer(self) -> None:
        """Tells Discord that the interaction was taken. What will be answered is not known: nobody else sees that."""
        if self._in_place:
            await self._interaction.response.defer()
        else:
            await self._interaction.response.defer(ephemeral=True, thinking=True)

    async def show(self, reply: Answer) -> None:
        """Shows the answer. Raises what discord.py raises."""
        parts, view = render(reply)
        if self._in_place or reply.private:
            await self._fill(parts, view)
            if reply.private and reply.files:
                await self._hand_over(reply.files)
        else:
            await self._publish(parts, view)

    async def _fill(self, parts: list[str], view: discord.ui.View | None) -> None:
        """The message that was opened, or that the button is on; what does not fit follows it."""
        buttons = view if len(parts) == 1 else None
        await self._interaction.edit_original_response(content=parts[0], view=buttons, allowed_mentions=_NOBODY)
        await self._follow(parts[1:], view, private=True)

    async def _publish(self, parts: list[str], view: discord.ui.View | None) -> None:
        """For everybody, although a message for the asker alone had been opened.

        That one is filled first and then taken away: the first message after opening takes its place, and its privacy.
        """
        await self._interaction.edit_original_response(content=parts[0], view=None, allowed_mentions=_NOBODY)
        if self._source is not None and _made_for(self._source, self._interaction.user):
            buttons = view if len(parts) == 1 else None
            await self._source.edit(content=parts[0], view=buttons, allowed_mentions=_NOBODY)
            parts = parts[1:]
        await self._follow(parts, view, private=False)
        await self._interaction.delete_original_response()

    async def _follow(self, parts: list[str], view: discord.ui.View | None, *, private: bool) -> None:
        for part, buttons in with_buttons(parts, view):
            await self._interaction.followup.send(part, view=buttons, ephemeral=private, allowed_mentions=_NOBODY)

    async def _hand_over(self, files: Sequence[File]) -> None:
        """The answer's files, for the asker alone; what cannot be handed over, in words. Raises discord.py's faults."""
        limit = self._interaction.filesize_limit or MAX_FILE_BYTES
        untold = [
            texts.too_large(file.name, len(file.content), "Discord", limit)
            for file in files
            if len(file.content) > limit
        ]
        fitting = [file for file in files if len(file.content) <= limit]
        if fitting:
            try:
                attached = [discord.File(io.BytesIO(file.content), file.name) for file in fitting]
                await self._interaction.followup.send(files=attached, ephemeral=True)
            except FAULTS as fault:
                _log.warning("the files of an answer could not be handed over", fault=type(fault).__name__)
                untold.append(texts.FILES_NOT_TAKEN)
        await self._follow(untold, None, private=True)


def _owns_server(interaction: Interaction) -> bool:
    return interaction.guild is not None and interaction.guild.owner_id == interaction.user.id


def _made_for(message: discord.Message, person: discord.abc.User) -> bool:
    """Whether a message that everybody sees answers this person: a stranger's press does not change it."""
    asker = message.interaction_metadata.user if message.interaction_metadata else _author_answered(message)
    return asker is not None and asker.id == person.id


def _author_answered(message: discord.Message) -> discord.abc.User | None:
    """Whose message a reply of ours answers, where Discord tells."""
    answered = message.reference.resolved if message.reference else None
    return answered.author if isinstance(answered, discord.Message) else None
