"""Messages on their way to Telegram, and what its refusals mean."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

import httpx
import structlog
from telegram import InlineKeyboardMarkup, LinkPreviewOptions, Message, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter, TelegramError

from adapters.telegram.connection import SEND_S, Connection
from adapters.telegram.formatting import Formatted
from adapters.telegram.reading import chat_and_topic, id_in, is_of, number_of
from bot.domain import File, Place, PlaceKind
from bot.errors import DeliveryFailed
from bot.texts import platforms as texts

NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Faults after which Telegram has surely not seen the request."""

PERSON_GONE = "person_gone"
"""The code of a failure: the account that a private chat is with has been deleted."""

_DEACTIVATED = "user is deactivated"
_TOO_LARGE = "request entity too large"
_NOT_MODIFIED = "message is not modified"
_NOT_THERE = ("message to edit not found", "message can't be edited", "message_id_invalid")
_LOST = (
    "chat not found",
    "message thread not found",
    "not enough rights",
    "have no rights",
    "need administrator rights",
    "chat_write_forbidden",
    "topic_closed",
    "topic_deleted",
    _DEACTIVATED,
    "peer_id_invalid",
)
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


async def post(
    bot: Connection,
    place: Place,
    message: Formatted,
    *,
    reply_to: str | None = None,
    keyboard: InlineKeyboardMarkup | None = None,
    anywhere: bool = False,
) -> Message:
    """A new message, in a group (or `anywhere`) as a reply to `reply_to` if that is there. Raises TelegramError.

    Not as a reply to what was said before the group got another id: that cannot be replied to.
    """
    chat, topic = chat_and_topic(place)
    refers_to = None
    if reply_to is not None and (anywhere or place.kind is PlaceKind.CHANNEL) and is_of(place, reply_to):
        refers_to = ReplyParameters(number_of(reply_to), allow_sending_without_reply=True)

    async def send(shown: Formatted) -> Message:
        return await bot.send_message(
            chat,
            shown.text,
            entities=shown.entities,
            message_thread_id=topic,
            reply_parameters=refers_to,
            reply_markup=keyboard,
            link_preview_options=_NO_PREVIEW,
            read_timeout=SEND_S,
        )

    sent = await _or_plain(send, message)
    if keyboard is not None:
        carried = tuple(str(button.callback_data) for row in keyboard.inline_keyboard for button in row)
        bot.offers(id_in(chat, sent.message_id), carried)
    return sent


async def post_file(bot: Connection, place: Place, file: File) -> None:
    """A file, in a private chat. Raises TelegramError."""
    chat, _ = chat_and_topic(place)
    await bot.send_document(chat, file.content, filename=file.name, read_timeout=SEND_S)


async def rewrite(
    bot: Connection, place: Place, message_id: str, message: Formatted, *, keyboard: InlineKeyboardMarkup | None = None
) -> bool:
    """Whether a message of ours shows `message` now; False when it is not there any more. Raises TelegramError."""
    chat, _ = chat_and_topic(place)

    async def send(shown: Formatted) -> None:
        await bot.edit_message_text(
            shown.text,
            chat,
            number_of(message_id),
            entities=shown.entities,
            reply_markup=keyboard,
            link_preview_options=_NO_PREVIEW,
        )

    try:
        await _or_plain(send, message)
    except BadRequest as refusal:
        if _NOT_MODIFIED in refusal.message.lower():
            return True
        if _says(refusal, _NOT_THERE):
            return False
        raise
    return True


async def show_draft(bot: Connection, place: Place, number: int, message: Formatted) -> None:
    """A message that is being written, in a private chat; `number`: the same for one message. Raises TelegramError."""
    chat, _ = chat_and_topic(place)

    async def send(shown: Formatted) -> None:
        await bot.send_message_draft(chat, number, shown.text, entities=shown.entities)

    await _or_plain(send, message)


async def show_typing(bot: Connection, place: Place) -> None:
    """The typing indicator, for five seconds. Raises TelegramError."""
    chat, topic = chat_and_topic(place)
    await bot.send_chat_action(chat, ChatAction.TYPING, message_thread_id=topic)


def failure(fault: TelegramError, place: Place) -> DeliveryFailed:
    """What a fault means for a message that was being sent."""
    match fault:
        case RetryAfter():
            return DeliveryFailed(texts.TELEGRAM_BUSY, retry=True, after_s=seconds_to_wait(fault))
        case Forbidden() | ChatMigrated():
            return _out_of_reach(fault, place)
        case BadRequest() if _says(fault, _LOST):
            return _out_of_reach(fault, place)
        case _ if isinstance(fault, BadRequest) or _says(fault, (_TOO_LARGE,)):
            return DeliveryFailed(texts.TELEGRAM_REFUSED.format(reason=named(fault)), retry=False)
        case _:
            unseen = isinstance(fault, InvalidToken) or isinstance(fault.__cause__, NOT_SENT)
            return DeliveryFailed(texts.TELEGRAM_BROKEN.format(reason=named(fault)), retry=True, uncertain=not unseen)


def _out_of_reach(fault: TelegramError, place: Place) -> DeliveryFailed:
    """Nothing can be sent there any more. Somebody who blocks the companion is there all the same."""
    private = place.kind is PlaceKind.DM
    if private and _says(fault, (_DEACTIVATED,)):
        return DeliveryFailed(texts.TELEGRAM_PERSON_GONE, retry=False, code=PERSON_GONE)
    if private and isinstance(fault, Forbidden):
        return DeliveryFailed(texts.TELEGRAM_DM_CLOSED, retry=False, code="dm_closed")
    return DeliveryFailed(texts.TELEGRAM_GONE, retry=False, code="gone")


def seconds_to_wait(fault: RetryAfter) -> float:
    """How long Telegram wants to be left alone."""
    wait = fault.retry_after  # a number, or a timedelta where PTB_TIMEDELTA is set
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def named(fault: Exception) -> str:
    """The kind of a fault; never its text, which may quote what was sent."""
    cause = fault.__cause__
    return f"{type(fault).__name__} after {type(cause).__name__}" if cause is not None else type(fault).__name__


async def _or_plain(send: Callable[[Formatted], Awaitable[Result]], message: Formatted) -> Result:
    """Sends a message; as it was written, when Telegram does not take its entities."""
    try:
        return await send(message)
    except BadRequest as refusal:
        if not message.entities or not _says(refusal, ("entit", "can't parse")):
            raise
        _log.info("Telegram does not take the formatting of a message")
    return await send(Formatted(message.source, message.source))


def _says(refusal: TelegramError, reasons: tuple[str, ...]) -> bool:
    said = refusal.message.lower()
    return any(reason in said for reason in reasons)
