"""What happened on Telegram, to the core: what was said at once, commands and buttons by a few workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from telegram import Message, Update

from adapters.telegram.answering import Answering
from adapters.telegram.reading import PLATFORM, Reader, is_command, is_said, message_id
from bot.ports import Core

WORKERS = 4
"""Commands that are done at the same time."""
LONGEST_LINE = 100
"""Commands that may wait. Beyond, nothing more is heard until one is done: Telegram keeps it."""

_log = structlog.get_logger(__name__)


class Hearing:
    """Deals with updates, one after the other."""

    def __init__(self, core: Core, reader: Reader, answering: Answering) -> None:
        self._core = core
        self._reader = reader
        self._answering = answering
        self._line: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue(LONGEST_LINE)

    async def deal(self, update: Update) -> None:
        """Returns when what was said is stored, and a command stands in line. Raises StorageError."""
        if update.message is not None:
            await self._said(update.message)
        elif update.edited_message is not None:
            await self._edited(update.edited_message)
        elif (query := update.callback_query) is not None:
            await self._line.put(lambda: self._answering.pressed(query))
        elif (change := update.my_chat_member) is not None:
            _log.info("my place in a chat has changed", chat=change.chat.id, status=change.new_chat_member.status)

    async def work(self) -> None:
        """Does commands, one after the other, without end."""
        while True:
            await (await self._line.get())()

    async def _said(self, message: Message) -> None:
        self._reader.learn_topic(message)
        if message.migrate_to_chat_id is not None:
            _log.warning(
                "a group has become a supergroup: what I remember of it stays with its old id",
                old=message.chat.id,
                new=message.migrate_to_chat_id,
            )
        elif is_command(message):
            if is_said(message):
                await self._line.put(lambda: self._answering.command(message))
        elif (utterance := self._reader.utterance(message)) is not None:
            await self._core.receive(utterance)

    async def _edited(self, message: Message) -> None:
        text = self._reader.words(message)
        if text and is_said(message) and not is_command(message):
            await self._core.edited(PLATFORM, message_id(message), text)
