"""Replies on their way to Discord: a typing indicator, a message that grows, and the final parts.

Every new message carries a nonce that Discord enforces: within some minutes, a second attempt gives the message that
the first one made. After that the channel's history tells. The first message of a reply has a nonce that follows from
what it answers, so that a process which was killed with a half-grown reply on people's screens is followed by one that
goes on with the same message.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

import aiohttp
import discord
import structlog
from discord.http import handle_message_parameters

from adapters.discord.buttons import view_of
from adapters.discord.reading import PLATFORM, is_deleted
from adapters.live import Pump, pumping
from adapters.splitting import split
from bot.config import Discord
from bot.domain import LastPart, Outgoing, Place, PlaceKind
from bot.errors import DeliveryFailed
from bot.ports import Growing, Live
from bot.texts import platforms as texts
from bot.texts.sending import MAY_HAVE_ARRIVED, NOT_THERE

if TYPE_CHECKING:
    from discord.types.message import Message as MessagePayload  # which cannot be imported on its own

MAX_CHARACTERS = 2000
MAX_NONCE = 25
"""Characters of a nonce that Discord takes."""
TYPING_S = 8.0
"""Discord's typing indicator goes after ten seconds."""
REQUEST_S = 90.0
"""Seconds for one message, discord.py's own waiting for a rate limit included."""
LOOKED_AT = 100
"""Messages of a channel's history in which a part that may have arrived is looked for."""

NONCE_HOLDS = timedelta(minutes=1)
"""Discord says "the past few minutes"."""

CHECKIN_AGE = timedelta(hours=26)
"""A check-in is never sent later than a day after it was due, so its message cannot be older; clocks may differ."""

UNREACHABLE = (aiohttp.ClientError, TimeoutError, OSError)
"""What is raised when a request did not get through, or its answer did not."""
FAULTS = (discord.HTTPException, discord.RateLimited, *UNREACHABLE)

SENDING_FAULTS = (*FAULTS, RuntimeError)
"""The same while something is sent: aiohttp raises RuntimeError when the client was closed meanwhile."""

PERSON_GONE = "person_gone"
"""The code of a failure: the account that a DM is with has been deleted."""

UNKNOWN_USER = 10013
_UNKNOWN_MESSAGE = 10008
_SERVER_ERRORS = 500
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NOBODY = discord.AllowedMentions.none()

_log = structlog.get_logger(__name__)


class DiscordMessenger:
    """Implements `bot.ports.Messenger`. `connect` gives it the client of the session at hand."""

    resends: Literal[True] = True

    def __init__(self, settings: Discord) -> None:
        self._settings = settings
        self._client: discord.Client | None = None
        self._gone: Callable[[str], None] = lambda _person: None

    def connect(self, client: discord.Client, gone: Callable[[str], None] = lambda _person: None) -> None:
        """From now on this client is used; `gone` hears the id of a person whose account has been deleted."""
        self._client = client
        self._gone = gone

    def reaches(self, place: Place) -> bool:
        """Whether Discord is connected and the place is one of its."""
        return place.platform == PLATFORM and self._ready() is not None

    @asynccontextmanager
    async def live(self, growing: Growing) -> AsyncIterator[Live]:
        """Typing, and the growing reply in a message that is edited, if `discord.stream` says so."""
        client = self._ready()
        screen = _Screen(client, growing, self._settings.stream)
        put = screen.put if self._settings.stream else None
        async with (
            screen.settled(),
            pumping(Pump(put=put, every_s=self._settings.edit_every_s, nudge=screen.type, nudge_s=TYPING_S)) as pump,
        ):
            yield pump

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """The parts of 2,000 characters that are missing, one after the other. Raises DeliveryFailed."""
        client = self._ready()
        if client is None:
            raise DeliveryFailed(texts.DISCORD_AWAY, retry=True)
        texts_of_parts = split(outgoing.text, MAX_CHARACTERS)
        channel = await self._opened(client, outgoing.place)
        for index in range(len(outgoing.parts), len(texts_of_parts)):
            last = index == len(texts_of_parts) - 1
            part = _part(outgoing, channel, index, texts_of_parts[index], view_of(outgoing.choices) if last else None)
            with _told():
                if outgoing.sought_from is not None and index == len(outgoing.parts):
                    message_id = await _sought(client, part, outgoing.sought_from)
                else:
                    message_id = await _put_out(client, outgoing, part, index)
            yield LastPart(message_id) if last else message_id

    async def retract(self, place: Place, message_id: str) -> None:
        """Deletes a message that shows a reply which will not come."""
        client = self._ready()
        if client is None:
            return
        try:
            await client.http.delete_message(await channel_id(client, place), int(message_id))
        except discord.NotFound:
            return
        except SENDING_FAULTS as fault:
            _log.warning("a draft could not be taken back", place=place.key, fault=_named(fault))

    async def _opened(self, client: discord.Client, place: Place) -> int:
        """The channel that something is sent to. Raises DeliveryFailed."""
        try:
            with _told():
                if place.kind is PlaceKind.DM and is_deleted((await _dm(client, place)).recipient):
                    self._gone(place.ref)
                return await channel_id(client, place)
        except DeliveryFailed as failed:
            if failed.code == PERSON_GONE:
                self._gone(place.ref)
            raise

    def _ready(self) -> discord.Client | None:
        client = self._client
        return client if client is not None and client.is_ready() and not client.is_closed() else None


class _Screen:
    """One growing reply. Its faults are logged, and cost at most that it is not seen to grow."""

    def __init__(self, client: discord.Client | None, growing: Growing, streams: bool) -> None:
        self._client = client
        self._growing = growing
        self._message_id = growing.draft if streams else None
        self._nonce = first_nonce(growing.in_reply_to, uuid4().hex)
        self._shown = ""
        self._uncertain = ""
        """What a message shows that may have been made, although nothing said so."""
        self._refused = client is None

    async def type(self) -> None:
        """Shows the typing indicator."""
        if self._client is not None and not self._refused:
            with self._surviving():
                await self._client.http.send_typing(await channel_id(self._client, self._growing.place))

    async def put(self, text: str) -> None:
        """Shows the text as far as one message can."""
        shown = beginning(text)
        if self._client is None or self._refused or shown == self._shown:
            return
        with self._surviving():
            channel = await channel_id(self._client, self._growing.place)
            known = self._message_id
            if known is None or not await _edited(self._client, known, _Part(channel, shown, self._nonce)):
                await self._begin(self._client, channel, shown)
            self._shown = shown

    @asynccontextmanager
    async def settled(self) -> AsyncIterator[None]:
        """At its end, finds the id of a message that may have been made, so that it is not left behind."""
        try:
            yield
        finally:
            if self._uncertain and self._client is not None:
                with self._surviving():
                    channel = await channel_id(self._client, self._growing.place)
                    await self._begin(self._client, channel, self._uncertain)

    async def _begin(self, client: discord.Client, channel: int, shown: str) -> None:
        refers_to = _refers_to(channel, self._growing.place, self._growing.in_reply_to)
        self._message_id, self._uncertain = None, self._uncertain or shown
        self._message_id = await _create(client, _Part(channel, shown, self._nonce, refers_to))
        self._uncertain = ""
        await self._growing.created(self._message_id)

    @contextmanager
    def _surviving(self) -> Iterator[None]:
        try:
            yield
        except SENDING_FAULTS as fault:
            self._refused = isinstance(fault, discord.Forbidden | discord.NotFound | RuntimeError)
            if isinstance(fault, discord.HTTPException) and fault.status < _SERVER_ERRORS:
                self._uncertain = ""
            _log.info("a growing reply could not be shown", place=self._growing.place.key, fault=_named(fault))


async def channel_id(client: discord.Client, place: Place) -> int:
    """The id of the channel behind a place; opens a DM if need be."""
    if place.kind is PlaceKind.DM:
        return (await _dm(client, place)).id
    return int(place.ref.rpartition("/")[2])


async def _dm(client: discord.Client, place: Place) -> discord.DMChannel:
    return await client.create_dm(discord.Object(int(place.ref)))


def first_nonce(in_reply_to: str | None, nonce: str) -> str:
    """The nonce of a reply's first message, the same in every process; `nonce` where nothing is answered."""
    return f"re{in_reply_to}"[:MAX_NONCE] if in_reply_to else nonce_of(nonce, 0)


def nonce_of(nonce: str, index: int) -> str:
    """The nonce of one part: at most 25 characters, another one for every part."""
    digits = ""
    while index or not digits:
        index, digit = divmod(index, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return nonce[: MAX_NONCE - len(digits)] + digits


def beginning(text: str) -> str:
    """As much of a growing text as one message can show."""
    return text if len(text) <= MAX_CHARACTERS else f"{split(text, MAX_CHARACTERS - 2)[0]} …"


def failure(fault: Exception) -> DeliveryFailed:
    """What a fault of discord.py or of the network means for a message that was being sent."""
    sentence, retry, uncertain, code, after_s = texts.DISCORD_BROKEN.format(reason=_named(fault)), True, True, "", 0.0
    match fault:
        case discord.RateLimited():
            sentence, uncertain, after_s = texts.DISCORD_BUSY, False, fault.retry_after
        case discord.HTTPException(status=429):
            sentence, uncertain = texts.DISCORD_BUSY, False
        case discord.HTTPException(code=50007):
            sentence, retry, code = texts.DISCORD_DM_CLOSED, False, "dm_closed"
        case discord.HTTPException(code=code_) if code_ == UNKNOWN_USER:
            sentence, retry, code = texts.DISCORD_PERSON_GONE, False, PERSON_GONE
        case discord.NotFound():
            sentence, retry, code = texts.DISCORD_GONE, False, "gone"
        case discord.HTTPException(status=status) if status < _SERVER_ERRORS:
            sentence, retry = texts.DISCORD_REFUSED.format(status=status, code=fault.code), False
        case aiohttp.ClientConnectorError():
            uncertain = False
        case RuntimeError():
            sentence, uncertain = texts.DISCORD_AWAY, False
        case _:
            pass
    return DeliveryFailed(sentence, retry=retry, uncertain=retry and uncertain, code=code or "refused", after_s=after_s)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except SENDING_FAULTS as fault:
        raise failure(fault) from fault


@dataclass(frozen=True, slots=True)
class _Part:
    """One message as it is to be."""

    channel: int
    text: str
    nonce: str
    refers_to: discord.MessageReference | None = None
    view: discord.ui.View | None = None


def _part(outgoing: Outgoing, channel: int, index: int, text: str, view: discord.ui.View | None) -> _Part:
    if index:
        return _Part(channel, text, nonce_of(outgoing.nonce, index), view=view)
    notice = outgoing.id <= 0
    refers_to = _refers_to(channel, outgoing.place, outgoing.in_reply_to, anywhere=notice)
    # A notice is not taken for a reply to the same message, which may come later.
    nonce = nonce_of(outgoing.nonce, 0) if notice else first_nonce(outgoing.in_reply_to, outgoing.nonce)
    return _Part(channel, text, nonce, refers_to, view)


async def _put_out(client: discord.Client, outgoing: Outgoing, part: _Part, index: int) -> str:
    """The id of the message that shows a part: its draft, one that arrived without our knowing, or a new one."""
    draft = outgoing.draft if index == 0 else None
    if draft is not None and await _edited(client, draft, part):
        return draft
    if outgoing.uncertain and index == len(outgoing.parts):
        arrived = await _arrived(client, outgoing, part)
        if arrived is not None and (part.view is None or await _edited(client, arrived, part)):
            return arrived
    return await _create(client, part)


async def _create(client: discord.Client, part: _Part) -> str:
    reference = discord.utils.MISSING if part.refers_to is None else part.refers_to.to_message_reference_dict()
    with handle_message_parameters(
        part.text,
        nonce=part.nonce,
        allowed_mentions=_NOBODY,
        mention_author=False,
        message_reference=reference,
        view=part.view or discord.utils.MISSING,
    ) as parameters:
        async with asyncio.timeout(REQUEST_S):
            made = await client.http.send_message(part.channel, params=parameters)
    bare = part.view is not None and not made.get("components")
    if bare or made["content"].strip() != part.text.strip():  # an earlier attempt's message
        await _edited(client, str(made["id"]), part)
    return str(made["id"])


async def _edited(client: discord.Client, message_id: str, part: _Part) -> bool:
    """Whether the message shows the part now; False when it is not there any more."""
    view = part.view or discord.utils.MISSING
    with handle_message_parameters(part.text, allowed_mentions=_NOBODY, view=view) as parameters:
        try:
            async with asyncio.timeout(REQUEST_S):
                await client.http.edit_message(part.channel, int(message_id), params=parameters)
        except discord.NotFound as error:
            if error.code != _UNKNOWN_MESSAGE:
                raise
            return False
    return True


async def _arrived(client: discord.Client, outgoing: Outgoing, part: _Part) -> str | None:
    """The id of a message of ours that is this part: it has the nonce, or the text where the nonce is not told.

    Two replies may have the same text. In a channel they differ in what they refer to. Elsewhere a message so young
    that Discord still enforces its nonce is left to that: a second attempt cannot double it.
    """
    after = int(outgoing.parts[-1] if outgoing.parts else outgoing.in_reply_to or 0)
    if not after and outgoing.checkin_id:  # it answers nothing, and an older one may have had the same words
        after = discord.utils.time_snowflake(discord.utils.utcnow() - CHECKIN_AGE)
    for message in await client.http.logs_from(part.channel, LOOKED_AT, after=after or None):
        if not _shows(client, message, part):
            continue
        answered = message.get("message_reference", {}).get("message_id")
        age = discord.utils.utcnow() - discord.utils.snowflake_time(int(message["id"]))
        is_it = answered == outgoing.in_reply_to if part.refers_to is not None else age > NONCE_HOLDS
        if is_it or message.get("nonce") == part.nonce:
            return str(message["id"])
    return None


async def _sought(client: discord.Client, part: _Part, since: datetime) -> str:
    """The id of the message in which an earlier attempt has shown a part since then. Nothing is sent.

    Raises DeliveryFailed: it is not there, or so much was said on that day that nobody knows.
    """
    first, last = (discord.utils.time_snowflake(moment) for moment in (since, since + CHECKIN_AGE))
    messages = await client.http.logs_from(part.channel, LOOKED_AT, before=last)
    looked_at = sorted(int(message["id"]) for message in messages)
    for message in messages:
        if int(message["id"]) >= first and _shows(client, message, part):
            return str(message["id"])
    if len(looked_at) < LOOKED_AT or looked_at[0] < first:
        raise DeliveryFailed(NOT_THERE, retry=True, absent=True)
    raise DeliveryFailed(MAY_HAVE_ARRIVED, retry=False, code="uncertain")


def _shows(client: discord.Client, message: MessagePayload, part: _Part) -> bool:
    """Whether a message is of ours, and has the nonce of a part or, where its nonce is not told, its text."""
    if client.user is None or int(message["author"]["id"]) != client.user.id:
        return False
    nonce = message.get("nonce")
    return message["content"].strip() == part.text.strip() if nonce is None else nonce == part.nonce


def _refers_to(
    channel: int, place: Place, message_id: str | None, *, anywhere: bool = False
) -> discord.MessageReference | None:
    """In a channel (or `anywhere`) it says what it replies to; in a DM that is plain."""
    if message_id is None or (place.kind is PlaceKind.DM and not anywhere):
        return None
    return discord.MessageReference(message_id=int(message_id), channel_id=channel, fail_if_not_exists=False)


def _named(fault: Exception) -> str:
    """The kind of a fault; never its text, which may quote what was sent."""
    status = f" {fault.status}" if isinstance(fault, discord.HTTPException) else ""
    return f"{type(fault).__name__}{status}"
