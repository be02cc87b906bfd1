"""What happened on Telegram, to the core: what was said at once, commands and buttons by a few workers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import structlog
from telegram import Chat, ChatMemberUpdated, Message, Update, User

from adapters.pace import COMMANDS_PER_MINUTE, Pace
from adapters.telegram.answering import Answering
from adapters.telegram.polling import survived
from adapters.telegram.reading import PLATFORM, Reader, general, is_command, is_in, is_said, message_id
from bot.domain import Place
from bot.errors import HelloAgainError
from bot.ports import Clock, Core

WORKERS = 4
"""Commands that are done at the same time."""
LONGEST_LINE = 100
"""Commands that may wait. Beyond, they are left out: what is said must never wait for them."""

Work: TypeAlias = Callable[[], Awaitable[None]]

_log = structlog.get_logger(__name__)


class Hearing:
    """Deals with updates, one after the other."""

    def __init__(self, core: Core, reader: Reader, answering: Answering, clock: Clock) -> None:
        self._core = core
        self._reader = reader
        self._answering = answering
        self._pace = Pace(clock, COMMANDS_PER_MINUTE)
        self._asked_to_wait = Pace(clock, 1)
        self._line: asyncio.Queue[Work] = asyncio.Queue(LONGEST_LINE)
        self._told = set[Place]()
        """Groups with topics of which the core was told who reads them."""

    async def deal(self, update: Update) -> None:
        """Returns when what was said is stored, and a command stands in line. Raises StorageError."""
        if update.message is not None:
            await self._said(update.message)
        elif update.edited_message is not None:
            await self._edited(update.edited_message)
        elif (query := update.callback_query) is not None:
            do, refuse = lambda: self._answering.pressed(query), lambda: self._answering.refuse_press(query)
            self._take(query.from_user, do, refuse)
        elif (reacted := update.message_reaction) is not None and (person := reacted.user) is not None:
            if self._pace.allows(person.id):
                self._put(lambda: self._answering.reacted(reacted, person))
        elif (change := update.my_chat_member) is not None:
            await self._here_or_not(change)

    async def work(self) -> None:
        """Does commands, one after the other, without end."""
        while True:
            work = await self._line.get()
            try:
                await survived(work())
            finally:
                self._line.task_done()

    async def finish(self, seconds: float) -> None:
        """Waits until the commands that stand in line are done, for so many seconds at most."""
        try:
            async with asyncio.timeout(seconds):
                await self._line.join()
        except TimeoutError:
            _log.info("commands are left undone at the stop", waiting=self._line.qsize())

    def person_gone(self, place: Place) -> None:
        """The account that a private chat is with has been deleted. Returns at once; later tries tell it again."""
        try:
            self._line.put_nowait(lambda: self._forget(place))
        except asyncio.QueueFull:
            _log.info("too many commands wait; that somebody has left Telegram is noticed later")

    async def _forget(self, place: Place) -> None:
        try:
            await self._core.gone(f"{PLATFORM}:{place.ref}")
        except HelloAgainError:
            _log.exception("somebody who left Telegram could not be erased; it is tried again when it is noticed again")

    async def _here_or_not(self, change: ChatMemberUpdated) -> None:
        """Whether the companion is in a group has changed. Somebody who blocks it in private has not left Telegram."""
        if change.chat.type not in {Chat.GROUP, Chat.SUPERGROUP}:
            return
        if is_in(change.new_chat_member):
            is_new = str(change.chat.id) not in await self._core.known_servers(PLATFORM)
            await self._core.joined(PLATFORM, str(change.chat.id))
            if is_new:
                self._put(lambda: self._answering.greet(general(change.chat.id), change.from_user))
        else:
            await self._core.left(PLATFORM, str(change.chat.id))

    def _take(self, person: User, do: Work, refuse: Work) -> None:
        """Puts a person's command in line, or what tells them to wait. Returns at once."""
        if not self._pace.allows(person.id):
            if not self._asked_to_wait.allows(person.id):
                return
            do = refuse
        self._put(do)

    def _put(self, do: Work) -> None:
        """Puts something in line. Returns at once."""
        try:
            self._line.put_nowait(do)
        except asyncio.QueueFull:
            _log.info("too many commands wait; one is left out")

    async def _said(self, message: Message) -> None:
        self._reader.learn_topic(message)
        if message.migrate_to_chat_id is not None:
            await self._became_supergroup(message.chat.id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id is not None:
            await self._became_supergroup(message.migrate_from_chat_id, message.chat.id)
        elif is_command(message):
            person = message.from_user
            if person is not None and is_said(message) and self._answering.is_for_us(message):
                do, refuse = lambda: self._answering.command(message), lambda: self._answering.refuse(message, person)
                self._take(person, do, refuse)
        elif (utterance := self._reader.utterance(message)) is not None:
            await self._tell_of_group(utterance.place)
            await self._core.receive(utterance)

    async def _became_supergroup(self, old: int, new: int) -> None:
        """A group has another id from now on. Both the old chat and the new one tell of it, so it comes twice."""
        await self._core.moved(general(old), general(new))

    async def _tell_of_group(self, place: Place) -> None:
        """All members read a group: the core is told where only a topic of it says something, once a run."""
        group = place.parent
        if group is not None and group not in self._told:
            await self._core.visible({group: True})
            self._told.add(group)

    async def _edited(self, message: Message) -> None:
        """What was said says something else now. An edited command is not done again; it is not stored, either."""
        text = self._reader.words(message)
        if text and is_said(message):
            await self._core.edited(PLATFORM, message_id(message), text)
