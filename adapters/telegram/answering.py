"""Commands on Telegram: who asks, and where an answer is shown.

What is private and was asked for in a group is answered in the private chat. Its buttons still belong to the group,
as long as the person is in it. That is kept in memory only: after a restart they belong to the private chat.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import structlog
from telegram import (
    CallbackQuery,
    ChatMember,
    ChatMemberAdministrator,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Message,
    MessageReactionUpdated,
    User,
)
from telegram.error import TelegramError

from adapters.pace import Pace
from adapters.telegram.connection import Connection
from adapters.telegram.formatting import Formatted, formatted, messages
from adapters.telegram.keyboard import keyboard_of
from adapters.telegram.menu import menu
from adapters.telegram.reacting import reaction_of
from adapters.telegram.reading import Reader, chat_and_topic, dm_with, is_in, message_id, place_of, replied_to, speaker
from adapters.telegram.sending import failure, named, post, post_file, rewrite
from bot.config import Settings
from bot.domain import Answer, Asker, Call, Place, PlaceKind
from bot.errors import HelloAgainError
from bot.ports import Clock, Core
from bot.texts import platforms as texts
from bot.texts.translating import ENGLISH, speaking
from bot.usecases import calls
from bot.usecases.channel import welcome

START = "start"
"""What Telegram's apps send when somebody opens the chat for the first time."""
REMEMBER = "memory remember"
ABOUT_MESSAGES = frozenset({REMEMBER, "memory forget", "memory why"})
"""Commands that, in reply to a message, are about that message."""
REMEMBERED = 2000
"""Answers whose group, and people whose rights, are kept in mind."""
RIGHTS_FOR = timedelta(minutes=1)
"""How long it is believed that somebody manages a group."""
PAUSES_S = (1.0, 4.0, None)
"""Seconds between attempts to show an answer, where Telegram does not say how long to wait."""
LONGEST_WAIT_S = 60.0
MAX_FILE_BYTES = 50 * texts.MEGABYTE
"""What Telegram takes of a file from a bot."""

_MANAGERS = (ChatMember.OWNER, ChatMember.ADMINISTRATOR)

Key = TypeVar("Key")
Value = TypeVar("Value")
Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Rights:
    """What somebody may do in a group; believed until a time."""

    until: datetime
    manages: bool
    manages_server: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a command was used: the place, what it is called, and the command's message."""

    place: Place
    place_name: str
    asked_in: str


class Answering:
    """Does commands and presses of buttons. What goes wrong is logged, and told where that is possible."""

    def __init__(self, bot: Connection, core: Core, reader: Reader, settings: Settings, clock: Clock) -> None:
        self._bot = bot
        self._core = core
        self._reader = reader
        self._settings = settings
        self._clock = clock
        self._origins: dict[str, Origin] = {}
        """By the id of the private message that answers."""
        self._rights: dict[tuple[int, int], Rights] = {}
        self._lines = Pace(clock, 1)
        """Groups take 20 messages a minute: one person hears the same line in one of them once a minute."""

    def is_for_us(self, message: Message) -> bool:
        """Whether a command is one for us: in private all are, in a group those of our menu or with our name.

        `/start` without a name is every bot's. In privacy mode Telegram shows it only to the bot that wrote last.
        """
        call, place = calls.parse_line(message.text or "", self._bot.username), place_of(message)
        if call is None or place is None:
            return False
        word, named_bot = _word(message)
        if word == f"/{START}" and not self._bot.can_read_all_group_messages:
            return True
        return place.kind is PlaceKind.DM or bool(named_bot) or call.command.partition(" ")[0] in dict(menu())

    async def command(self, message: Message) -> None:
        """Does the command that a person's message is; it must be for us."""
        person, place = message.from_user, place_of(message)
        call = calls.parse_line(message.text or "", self._bot.username)
        if person is None or place is None or call is None:
            return
        call = _of_replied_to(call, message, self._reader)
        with _speaking_with(person):
            await self._do(call, Origin(place, self._reader.place_name(message), message_id(message)), message, person)

    async def _do(self, call: Call, origin: Origin, message: Message, person: User) -> None:
        if _word(message)[0] == f"/{START}":
            greeting = Answer(texts.TELEGRAM_START.format(name=self._settings.agent.name), private=False)
            await self._surviving(self._show_new(greeting, origin, person))
        else:
            await self._surviving(self._show_new(await self._ask(call, origin, person), origin, person))

    async def pressed(self, query: CallbackQuery) -> None:
        """Does what a button stands for, as the one who presses it."""
        with _speaking_with(query.from_user):
            await self._surviving(self._press(query))

    async def reacted(self, change: MessageReactionUpdated, person: User) -> None:
        """Does what a sign stands for that somebody put under a message. What is answered is shown in private alone."""
        reaction = reaction_of(change, person, self._bot)
        if reaction is None:
            return
        answer = await self._core.reacted(reaction)
        if answer is not None and reaction.asker.place.kind is PlaceKind.DM:
            await self._surviving(self._post(answer, reaction.asker.place))

    async def greet(self, group: Place, person: User) -> None:
        """Says hello in a group that it was just added to, in the language of whoever did so."""
        with _speaking_with(person):
            await self._surviving(self._post(welcome(self._settings.agent.name, self._settings.channels.mode), group))

    async def refuse(self, message: Message, person: User) -> None:
        """Asks somebody who sends too many commands to wait."""
        place = place_of(message)
        if place is not None:
            with _speaking_with(person):
                await self._surviving(self._post(Answer(texts.COMMANDS_TOO_FAST), place, reply_to=message_id(message)))

    async def refuse_press(self, query: CallbackQuery) -> None:
        """Asks somebody who presses too many buttons to wait."""
        with _speaking_with(query.from_user):
            await _tell(query, texts.COMMANDS_TOO_FAST)

    async def _press(self, query: CallbackQuery) -> None:
        message = query.message if isinstance(query.message, Message) else None
        place = place_of(message) if message is not None else None
        call = calls.decode(query.data or "")
        if message is None or place is None or call is None:
            await _tell(query, texts.BUTTON_TOO_OLD)
            return
        await _tell(query)
        mine = place.kind is PlaceKind.DM or _is_for(message, query.from_user)
        here = Origin(place, self._reader.place_name(message), _asked_in(message) if mine else message_id(message))
        origin = self._origins.get(message_id(message), here)
        if origin.place != place and not await self._is_in(origin.place, query.from_user):
            origin = here
        answer = await self._ask(call, origin, query.from_user)
        if place.kind is PlaceKind.CHANNEL and (answer.private or not mine):
            await self._show_new(answer, origin, query.from_user)
            return
        if not answer.private and origin.place != place:
            await self._post(answer, origin.place, reply_to=origin.asked_in)
        await self._replace(message, answer, origin)

    async def _ask(self, call: Call, origin: Origin, person: User) -> Answer:
        rights = await self._rights_of(origin.place, person)
        asker = Asker(
            speaker=speaker(person),
            place=origin.place,
            is_owner=speaker(person).id in self._settings.owners,
            may_manage=rights.manages,
            place_name=origin.place_name,
            may_manage_server=rights.manages_server,
        )
        try:
            return await self._core.command(call, asker)
        except HelloAgainError:
            _log.exception("a command failed", command=call.command)
            return Answer(texts.COMMAND_FAILED)

    async def _rights_of(self, place: Place, person: User) -> Rights:
        """What somebody may do in a group; in their private chat everybody manages all there is."""
        now = self._clock.now()
        if place.kind is PlaceKind.DM:
            return Rights(now, manages=True, manages_server=False)
        chat, _ = chat_and_topic(place)
        known = self._rights.get((chat, person.id))
        if known is not None and now < known.until:
            return known
        try:
            member = await self._bot.get_chat_member(chat, person.id)
        except TelegramError as fault:
            _log.warning("Telegram does not say who manages a group", place=place.key, fault=named(fault))
            return Rights(now, manages=False, manages_server=False)
        trusted = isinstance(member, ChatMemberAdministrator) and member.can_change_info
        manages, owns = member.status in _MANAGERS, member.status == ChatMember.OWNER
        rights = Rights(self._clock.now() + RIGHTS_FOR, manages, manages_server=owns or trusted)
        _remember(self._rights, (chat, person.id), rights)
        return rights

    async def _is_in(self, place: Place, person: User) -> bool:
        """Whether somebody surely is in a group now. It is asked anew each time: what is shown of it hangs on it."""
        chat, _ = chat_and_topic(place)
        try:
            return is_in(await self._bot.get_chat_member(chat, person.id))
        except TelegramError as fault:
            _log.info("Telegram does not say who is in a group", place=place.key, fault=named(fault))
            return False

    async def _show_new(self, answer: Answer, origin: Origin, person: User) -> None:
        """Shows an answer in a new message: in private what is private, else where it was asked for."""
        if origin.place.kind is PlaceKind.DM or not answer.private:
            await self._post(answer, origin.place, reply_to=origin.asked_in)
            return
        dm = dm_with(person.id)
        try:
            last = await self._post(answer, dm)
        except TelegramError as fault:
            if failure(fault, dm).retry:
                raise
            link = f"https://t.me/{self._bot.username}?start=hello"
            button = InlineKeyboardButton(texts.START_ME_BUTTON, url=link)
            await self._line(texts.START_ME_FIRST, origin, person, InlineKeyboardMarkup([[button]]))
        else:
            _remember(self._origins, message_id(last), origin)
            await self._line(texts.ANSWERED_IN_PRIVATE, origin, person)

    async def _line(
        self, text: str, origin: Origin, person: User, keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """A word in the group, with nothing private in it. Not again within a minute."""
        if not self._lines.allows((origin.place.server, person.id, text)):
            return
        await _patiently(
            lambda: post(self._bot, origin.place, formatted(text), reply_to=origin.asked_in, keyboard=keyboard),
            origin.place,
        )

    async def _post(self, answer: Answer, place: Place, *, reply_to: str | None = None) -> Message:
        """Sends an answer; the buttons are on its last message, which is returned."""
        return await self._post_parts(_parts(answer), answer, place, reply_to)

    async def _post_parts(
        self, parts: list[Formatted], answer: Answer, place: Place, reply_to: str | None = None
    ) -> Message:
        *earlier, last = parts
        for part in earlier:
            await self._post_part(part, place, reply_to, None)
        shown = await self._post_part(last, place, reply_to, keyboard_of(answer.choices))
        await self._hand_over(answer, place)
        return shown

    async def _post_part(
        self, part: Formatted, place: Place, reply_to: str | None, keyboard: InlineKeyboardMarkup | None
    ) -> Message:
        return await _patiently(lambda: post(self._bot, place, part, reply_to=reply_to, keyboard=keyboard), place)

    async def _replace(self, message: Message, answer: Answer, origin: Origin) -> None:
        """Shows an answer in the message that the button is on; what does not fit follows it."""
        place = place_of(message)
        if place is None:
            return
        first, *others = _parts(answer)
        keyboard = None if others else keyboard_of(answer.choices)
        reply_to = _asked_in(message) if place.kind is PlaceKind.CHANNEL else None
        there = await _patiently(
            lambda: rewrite(self._bot, place, message_id(message), first, keyboard=keyboard), place
        )
        if others or not there:
            last = await self._post_parts(others if there else [first, *others], answer, place, reply_to)
            _remember(self._origins, message_id(last), origin)
        else:
            await self._hand_over(answer, place)

    async def _hand_over(self, answer: Answer, place: Place) -> None:
        """The files of a private answer; what cannot be handed over, in words. Never in a group."""
        if place.kind is not PlaceKind.DM or not answer.private:
            return
        for file in answer.files:
            try:
                if len(file.content) > MAX_FILE_BYTES:
                    untold = texts.too_large(file.name, len(file.content), "Telegram", MAX_FILE_BYTES)
                    await self._post_part(formatted(untold), place, None, None)
                else:
                    await _patiently(partial(post_file, self._bot, place, file), place)
            except TelegramError as fault:
                _log.warning("a file could not be handed over", fault=named(fault))
                await self._post_part(formatted(texts.FILES_NOT_TAKEN), place, None, None)
                return

    async def _surviving(self, work: Awaitable[object]) -> None:
        try:
            await work
        except TelegramError as fault:
            _log.warning("an answer could not be shown", fault=named(fault))


def _speaking_with(person: User) -> AbstractContextManager[None]:
    return speaking(person.language_code or ENGLISH)


def _of_replied_to(call: Call, message: Message, reader: Reader) -> Call:
    """A call that is given nothing but replies to a message: about that one. Only one's own words are handed over."""
    pointed = replied_to(message)
    if pointed is None or call.arguments or call.command not in ABOUT_MESSAGES:
        return call
    own = (
        pointed.from_user is not None and message.from_user is not None and pointed.from_user.id == message.from_user.id
    )
    words = (("words", reader.words(pointed)),) if own and call.command == REMEMBER else ()
    return Call(call.command, (*words, ("message", message_id(pointed))))


def _word(message: Message) -> tuple[str, str]:
    """The first word of a command, as "/memory", and the bot that it names, if it names one."""
    word, _, named_bot = (message.text or "").split(maxsplit=1)[0].partition("@")
    return word.casefold(), named_bot


def _parts(answer: Answer) -> list[Formatted]:
    """An answer as messages, at least one."""
    return messages(answer.text) or [formatted("…")]


def _is_for(message: Message, person: User) -> bool:
    """Whether an answer in a group was made for this person: it replies to their command."""
    asked = message.reply_to_message
    return asked is not None and asked.from_user is not None and asked.from_user.id == person.id


def _asked_in(message: Message) -> str:
    """The command's message, where an answer shows it."""
    return message_id(message.reply_to_message or message)


async def _tell(query: CallbackQuery, text: str | None = None) -> None:
    """Ends the waiting that a pressed button shows, with an alert if there is a text. Too late is no fault."""
    try:
        await query.answer(text, show_alert=text is not None)
    except TelegramError as fault:
        _log.info("a pressed button could not be answered", fault=named(fault))


async def _patiently(attempt: Callable[[], Awaitable[Result]], place: Place) -> Result:
    """What `attempt` gives, tried again where that may help. Raises TelegramError."""
    for pause in PAUSES_S:
        try:
            return await attempt()
        except TelegramError as fault:
            why = failure(fault, place)
            if pause is None or not why.retry or why.after_s > LONGEST_WAIT_S:
                raise
            await asyncio.sleep(why.after_s or pause)
    raise AssertionError("the last attempt either returns or raises")


def _remember(known: dict[Key, Value], key: Key, value: Value) -> None:
    """Keeps something in mind; of too much, the oldest goes."""
    known.pop(key, None)
    known[key] = value
    while len(known) > REMEMBERED:
        known.pop(next(iter(known)))
