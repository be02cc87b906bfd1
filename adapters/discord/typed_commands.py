"""Commands that somebody types as a plain message, instead of choosing them from Discord's menu.

In a DM they are done, as on Telegram and in the terminal. In a channel an answer could not be for one person alone: who
mentions the companion and types a command there is told how to use it. None of that is said in the conversation.
"""

import asyncio
import io
import re
from collections import deque
from typing import Any

import discord
import structlog
from discord.ext import commands

from adapters.discord.answering import MAX_FILE_BYTES, Front, render, with_buttons
from adapters.discord.messenger import FAULTS
from adapters.discord.reading import Me, dm_with, is_said, speaker, words
from bot.conversation.checking.language import guessed_language
from bot.domain import Answer, Asker, Call, File
from bot.errors import HelloAgainError
from bot.texts import platforms as texts
from bot.texts.translating import speaking
from bot.usecases.calls import is_known, parse_line

LATELY = 8
"""Utterances of a DM that tell the language: a message does not, as an interaction does."""
LOOKED_AT = 20
"""Messages behind a missed command in which its answer is looked for."""
LOOKING_S = 5.0
"""Seconds for that: what else was missed waits for it."""
REMEMBERED = 500
"""Commands that are kept in mind: Discord may tell of a message twice."""

_NOBODY = discord.AllowedMentions.none()
_log = structlog.get_logger(__name__)


def typed_command(message: discord.Message, me: Me) -> Call | None:
    """The command that a person's message is; None: it is none. In a channel, one of ours behind a mention.

    In private a mistyped one ("/hlep") is one, too; with more behind it, it is talk: "/gen are you ok".
    """
    if not is_said(message):
        return None
    in_dm = message.guild is None
    mention = re.match(rf"\s*<@!?{me.id}>\s*", message.content)
    if not (in_dm or mention):
        return None
    read = words(message, me)
    call = parse_line(read.removeprefix(f"@{me.name}") if mention else read)
    known = call is not None and is_known(call.command.partition(" ")[0])
    return call if known or (in_dm and len(read.split()) == 1) else None


class TypedCommands(commands.Cog):
    """Hears of them, beside the client, which leaves them out of the conversation."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._dealt_with = deque[int](maxlen=REMEMBERED)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Does what was typed. What goes wrong is logged, and told in a sentence where that is possible."""
        call = typed_command(message, self._front.me)
        if call is None or message.id in self._dealt_with:
            return
        self._dealt_with.append(message.id)
        try:
            if message.guild is not None:
                if not self._front.presses.allows(message.author.id):
                    return
                with speaking(message.guild.preferred_locale.value):
                    await self._show(Answer(texts.CHOOSE_COMMAND.format(command=call.command)), message)
            else:
                with speaking(await self._language(message)):
                    await self._show(await self._answer(call, message), message)
        except FAULTS as fault:
            _log.warning("an answer to a typed command could not be shown", fault=type(fault).__name__)

    async def missed(self, message: discord.Message) -> None:
        """Says that it was away when a command was typed, unless it answered it then. It is not done so late."""
        if message.guild is not None or message.id in self._dealt_with:
            return
        self._dealt_with.append(message.id)
        try:
            async with asyncio.timeout(LOOKING_S):
                async for one in message.channel.history(after=message, limit=LOOKED_AT):
                    if one.reference is not None and one.reference.message_id == message.id:
                        return
                with speaking(await self._language(message)):
                    await self._show(Answer(texts.COMMAND_MISSED), message)
        except (TimeoutError, *FAULTS) as fault:
            _log.warning("a missed command could not be answered", fault=type(fault).__name__)

    async def _answer(self, call: Call, message: discord.Message) -> Answer:
        if not self._front.presses.allows(message.author.id):
            return Answer(texts.COMMANDS_TOO_FAST)
        who = speaker(message.author)
        owns = who.id in self._front.settings.owners or message.author.id in self._front.owners
        try:
            return await self._front.core.command(
                call, Asker(who, dm_with(message.author.id), is_owner=owns, may_manage=True)
            )
        except HelloAgainError:
            _log.exception("a typed command failed", command=call.command if is_known(call.command) else None)
            return Answer(texts.COMMAND_FAILED)

    async def _language(self, message: discord.Message) -> str:
        try:
            said = await self._front.core.recent(dm_with(message.author.id), LATELY)
        except HelloAgainError:
            said = []
        return guessed_language("\n".join(one.text for one in said if not one.speaker.is_agent))

    async def _show(self, answer: Answer, message: discord.Message) -> None:
        """As a reply to the command's message. Raises what discord.py raises."""
        reference: Any = message.to_reference(fail_if_not_exists=False)
        for part, buttons in with_buttons(*render(answer)):
            await message.channel.send(
                part, view=buttons, reference=reference, mention_author=False, allowed_mentions=_NOBODY
            )
            reference = discord.utils.MISSING
        if message.guild is None:
            for file in answer.files:
                await self._hand_over(file, message.channel)

    async def _hand_over(self, file: File, channel: discord.abc.Messageable) -> None:
        """A file of an answer; what cannot be handed over, in words."""
        if len(file.content) > MAX_FILE_BYTES:
            await channel.send(texts.too_large(file.name, len(file.content), "Discord", MAX_FILE_BYTES))
            return
        try:
            await channel.send(file=discord.File(io.BytesIO(file.content), file.name))
        except FAULTS as fault:
            _log.warning("a file could not be handed over", fault=type(fault).__name__)
            await channel.send(texts.FILES_NOT_TAKEN)
