"""Replies on their way to Telegram: typing, a draft or a message that grows, and the final parts.

Telegram has nothing by which it could tell a second attempt from a new message. When only the answer to a send was
lost, the reply is sent again: a double is rarer, and kinder, than silence. Editing is safe to repeat. A check-in, for
which nobody waits, is not sent again then.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Literal

import structlog
from telegram.error import BadRequest, NetworkError, TelegramError

from adapters.live import Pump, pumping
from adapters.telegram.connection import Connection
from adapters.telegram.formatting import Formatted, beginning, messages
from adapters.telegram.keyboard import keyboard_of
from adapters.telegram.reading import PLATFORM, chat_and_topic, message_id, number_of
from adapters.telegram.sending import PERSON_GONE, failure, named, post, rewrite, show_draft, show_typing
from bot.config import Telegram
from bot.domain import LastPart, Outgoing, Place, PlaceKind
from bot.errors import DeliveryFailed
from bot.ports import Growing, Live
from bot.texts import platforms as texts
from bot.texts.sending import MAY_HAVE_ARRIVED

TYPING_S = 4.5
"""Telegram's typing indicator goes after five seconds."""
DRAFT_EVERY_S = 0.7
"""Seconds between two states of a draft at least."""

_log = structlog.get_logger(__name__)


class TelegramMessenger:
    """Implements `bot.ports.Messenger`. `connect` gives it the bot that is logged in."""

    resends: Literal[True] = True

    def __init__(self, settings: Telegram) -> None:
        self._settings = settings
        self._bot: Connection | None = None
        self._gone: Callable[[Place], None] = lambda _place: None

    def connect(self, bot: Connection | None, gone: Callable[[Place], None] = lambda _place: None) -> None:
        """From now on this bot is used; None: there is none. `gone` hears of DMs whose person has been deleted."""
        self._bot = bot
        self._gone = gone

    def reaches(self, place: Place) -> bool:
        """Whether the bot is logged in and the place is one of Telegram's."""
        return place.platform == PLATFORM and self._bot is not None

    @asynccontextmanager
    async def live(self, growing: Growing) -> AsyncIterator[Live]:
        """Typing, and the growing reply: as a draft in private, in a message that is edited in a group."""
        screen = _Screen(self._bot, growing)
        private = growing.place.kind is PlaceKind.DM
        put = (screen.put_draft if private else screen.put) if self._settings.stream else None
        every_s = min(DRAFT_EVERY_S, self._settings.edit_every_s) if private else self._settings.edit_every_s
        async with pumping(Pump(put=put, every_s=every_s, nudge=screen.type, nudge_s=TYPING_S)) as pump:
            yield pump

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """The parts of 4,096 units that are missing, one after the other. Raises DeliveryFailed."""
        bot = self._bot
        if bot is None:
            raise DeliveryFailed(texts.TELEGRAM_AWAY, retry=True)
        parts = messages(outgoing.text)
        if outgoing.checkin_id and outgoing.uncertain and len(outgoing.parts) < len(parts):
            raise DeliveryFailed(MAY_HAVE_ARRIVED, retry=False, code="uncertain")
        for index in range(len(outgoing.parts), len(parts)):
            try:
                sent = await _part(bot, outgoing, index, parts[index], last=index == len(parts) - 1)
            except TelegramError as fault:
                failed = failure(fault, outgoing.place)
                if failed.code == PERSON_GONE:
                    self._gone(outgoing.place)
                raise failed from fault
            yield LastPart(sent) if index == len(parts) - 1 else sent

    async def retract(self, place: Place, message_id: str) -> None:
        """Deletes a message that shows a reply which will not come."""
        if self._bot is None:
            return
        try:
            await self._bot.delete_message(chat_and_topic(place)[0], number_of(message_id))
        except TelegramError as fault:
            _log.warning("a draft could not be taken back", place=place.key, fault=named(fault))


async def _part(bot: Connection, outgoing: Outgoing, index: int, part: Formatted, *, last: bool) -> str:
    """One part of a reply; the first takes the place of the message in which the reply grew, the last has buttons."""
    draft = outgoing.draft if index == 0 else None
    keyboard = keyboard_of(outgoing.choices) if last else None
    if draft is not None and await rewrite(bot, outgoing.place, draft, part, keyboard=keyboard):
        return draft
    reply_to, notice = outgoing.in_reply_to if index == 0 else None, outgoing.id <= 0
    return message_id(await post(bot, outgoing.place, part, reply_to=reply_to, keyboard=keyboard, anywhere=notice))


class _Screen:
    """One growing reply. Its faults are logged, and cost at most that it is not seen to grow."""

    def __init__(self, bot: Connection | None, growing: Growing) -> None:
        self._bot = bot
        self._growing = growing
        self._message_id = growing.draft
        self._shown: str | None = None
        self._refused = False

    async def type(self) -> None:
        """Shows the typing indicator."""
        if self._bot is not None:
            with self._surviving():
                await show_typing(self._bot, self._growing.place)

    async def put_draft(self, text: str) -> None:
        """Shows the text as a draft, which goes by itself when the message comes. It is no message and has no id."""
        message = beginning(text)
        if self._bot is None or message.text == self._shown:
            return
        if not self._refused:
            # The same for every try at the same reply, and never 0.
            number = number_of(self._growing.in_reply_to or "1") or 1
            with self._surviving():
                await show_draft(self._bot, self._growing.place, number, message)
                self._shown = message.text
        if self._refused:
            await self.type()

    async def put(self, text: str) -> None:
        """Shows the text in a message, as far as one can."""
        message, place = beginning(text), self._growing.place
        if self._bot is None or self._refused or message.text == self._shown:
            return
        if not self._bot.has_room(chat_and_topic(place)[0]):
            await self.type()
            return
        with self._surviving():
            if self._message_id is None or not await rewrite(self._bot, place, self._message_id, message):
                await self._begin(self._bot, message)
            self._shown = message.text

    async def _begin(self, bot: Connection, message: Formatted) -> None:
        """A new message. It is tried once: one that may be there cannot be found again."""
        self._refused = True
        sent = await post(bot, self._growing.place, message, reply_to=self._growing.in_reply_to)
        self._message_id = message_id(sent)
        await self._growing.created(self._message_id)
        self._refused = False

    @contextmanager
    def _surviving(self) -> Iterator[None]:
        try:
            yield
        except TelegramError as fault:
            if isinstance(fault, BadRequest) or not isinstance(fault, NetworkError):
                self._refused = True
            _log.info("a growing reply could not be shown", place=self._growing.place.key, fault=named(fault))
