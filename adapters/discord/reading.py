"""A Discord message as an utterance. Pure: nothing is asked of Discord, nothing is stored."""

import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import discord

from bot.domain import AGENT_ID, Place, PlaceKind, Quotation, Speaker, Utterance
from bot.language.attachments import Kind, mark, with_marks
from bot.texts import platforms as texts

PLATFORM = "discord"

AnyMessage: TypeAlias = discord.Message | discord.MessageSnapshot

_MARKUP = re.compile(
    r"<@!?(?P<person>\d+)>|<@&(?P<role>\d+)>|<#(?P<channel>\d+)>|<a?:(?P<emoji>\w+):\d+>"
    r"|</(?P<command>[^:>\n]{1,120}):\d+>|<t:(?P<time>-?\d{1,13})(?::\w)?>"
)
_DELETED_NAME = re.compile(r"deleted_user_[0-9a-f]{6,}|deleted user [0-9a-f]{6,}", re.IGNORECASE)
_SPOKEN = (discord.MessageType.default, discord.MessageType.reply)
_SILENT = (discord.TextChannel, discord.ForumChannel)
_VOCAL = (discord.VoiceChannel, discord.StageChannel)
_BY_CONTENT_TYPE = (
    ("image/gif", Kind.ANIMATION),
    ("image/", Kind.PHOTO),
    ("video/", Kind.VIDEO),
    ("audio/", Kind.AUDIO),
)


@dataclass(frozen=True, slots=True)
class Me:
    """The companion, as Discord knows it."""

    id: int
    name: str
    """What people call it (`agent.name`), whatever its account is called."""


def is_said(message: discord.Message) -> bool:
    """Whether a person said this: not a bot, a webhook, the companion itself, or a notice of Discord's."""
    return not message.author.bot and message.webhook_id is None and message.type in _SPOKEN


def place_of(message: discord.Message) -> Place | None:
    """Where a person's message was said; None when its channel is not known yet, or cannot be used."""
    if message.guild is None and isinstance(message.channel, discord.DMChannel):
        return dm_with(message.author.id)
    return channel_place(message.channel)


def dm_with(person: int) -> Place:
    """The DM with a person."""
    return Place(PLATFORM, PlaceKind.DM, str(person))


def channel_place(channel: object) -> Place | None:
    """The place of a server's channel or thread; None for everything else."""
    if isinstance(channel, discord.Thread):
        return Place(PLATFORM, PlaceKind.CHANNEL, f"{channel.guild.id}/{channel.parent_id}/{channel.id}")
    if isinstance(channel, discord.abc.GuildChannel):
        return Place(PLATFORM, PlaceKind.CHANNEL, f"{channel.guild.id}/{channel.id}")
    return None


def place_name(channel: object) -> str:
    """What people call a channel, such as "#kitchen in Home"; empty for a DM."""
    if isinstance(channel, discord.Thread):
        parent = channel.parent.name if channel.parent else str(channel.parent_id)
        return texts.THREAD_NAME.format(thread=channel.name, channel=parent, server=channel.guild.name)
    if isinstance(channel, discord.abc.GuildChannel):
        return texts.CHANNEL_NAME.format(channel=channel.name, server=channel.guild.name)
    return ""


def is_public(channel: object) -> bool | None:
    """Whether everybody on its server can read a channel or a thread, and what was said there; None: not known.

    A channel for adults only is not for everybody, nor a voice channel whose conversation everybody may not join.
    """
    if isinstance(channel, discord.Thread):
        return False if channel.is_private() else is_public(channel.parent)
    if not isinstance(channel, (*_SILENT, *_VOCAL)):
        return None
    everyone = channel.guild.get_role(channel.guild.id)
    if everyone is None:
        return None
    allowed = channel.permissions_for(everyone)
    heard = allowed.connect or isinstance(channel, _SILENT)
    return allowed.read_messages and allowed.read_message_history and heard and not channel.is_nsfw()


def is_deleted(person: discord.abc.User | None) -> bool:
    """Whether this is what Discord shows in the place of a person whose account has been deleted.

    The name alone proves nothing: who says something has an account, whatever it is called.
    """
    if person is None or person.bot or person.avatar is not None:
        return False
    nameless = getattr(person, "global_name", None) is None and person.discriminator in {"0", "0000"}
    return nameless and _DELETED_NAME.fullmatch(person.name) is not None


def speaker(person: discord.abc.User) -> Speaker:
    """A person, by their id and the name they go by here: nickname, else display name, else username."""
    return Speaker(f"{PLATFORM}:{person.id}", person.display_name)


def utterance(message: discord.Message, me: Me) -> Utterance | None:
    """What a person said. None when nobody said anything, or it is not known where."""
    place = place_of(message)
    text = words(message, me)
    if place is None or not text or not is_said(message):
        return None
    reply_to, answered = _reference(message), _answered(message)
    author_answered = answered.author.id if answered is not None else None
    in_dm = place.kind is PlaceKind.DM
    mentioned = {person.id for person in message.mentions}
    to_bot = in_dm or me.id in mentioned or author_answered == me.id or _names_own_role(message)
    others = {author_answered, *mentioned} - {None, me.id, message.author.id}
    return Utterance(
        place=place,
        message_id=str(message.id),
        speaker=speaker(message.author),
        text=text,
        time=message.created_at,
        to_bot=to_bot,
        reply_to=None if reply_to is None else str(reply_to),
        to_other=bool(others) and not to_bot,
        place_name=place_name(message.channel),
        place_public=is_public(message.channel),
        quoting=_quoting(message, me),
    )


def words(message: discord.Message, me: Me) -> str:
    """The text of a message as a person reads it, with marks for what is no text."""
    marks = [*_marks(message), *(part for shot in message.message_snapshots for part in _forwarded(shot, message, me))]
    return with_marks(_legible(message.content, message, me).strip(), marks)


def _legible(content: str, message: discord.Message, me: Me) -> str:
    """Discord's own markup (mentions, custom emoji, times) as a person sees it."""

    def shown(match: re.Match[str]) -> str:
        found = match.lastgroup
        value = match[found] if found else ""
        match found:
            case "person":
                return f"@{_name_of(int(value), message, me)}"
            case "role":
                role = message.guild.get_role(int(value)) if message.guild else None
                return f"@{role.name}" if role else texts.UNKNOWN_ROLE
            case "channel":
                channel = message.guild.get_channel_or_thread(int(value)) if message.guild else None
                return f"#{channel.name}" if channel else texts.UNKNOWN_CHANNEL
            case "emoji":
                return f":{value}:"
            case "command":
                return f"/{value}"
            case _:
                return _moment(int(value)) or match[0]

    return _MARKUP.sub(shown, content)


def _name_of(person: int, message: discord.Message, me: Me) -> str:
    if person == me.id:
        return me.name
    known = next((user for user in message.mentions if user.id == person), None)
    return known.display_name if known else texts.UNKNOWN_PERSON


def _moment(seconds: int) -> str | None:
    """A time in words, in UTC; None when there is no such date."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return None


def _marks(message: AnyMessage) -> Iterator[str]:
    for attachment in message.attachments:
        yield _attachment(attachment)
    for sticker in message.stickers:
        yield mark(Kind.STICKER, sticker.name)
    poll = message.poll if isinstance(message, discord.Message) else None
    if poll is not None:
        yield mark(Kind.POLL, poll.question or "")
    if not message.content:
        for embed in message.embeds:
            yield mark(Kind.FILE, embed.title or embed.description or "")


def _attachment(attachment: discord.Attachment) -> str:
    if attachment.is_voice_message():
        return mark(Kind.VOICE)
    content_type = attachment.content_type or mimetypes.guess_type(attachment.filename)[0] or ""
    kind = next((kind for start, kind in _BY_CONTENT_TYPE if content_type.startswith(start)), Kind.FILE)
    return mark(kind, attachment.description or attachment.filename)


def _forwarded(snapshot: discord.MessageSnapshot, message: discord.Message, me: Me) -> list[str]:
    """What a person passed on, in marks, so that nobody's words are taken for theirs. Discord does not tell whose."""
    marks = list(_marks(snapshot))
    inside = _legible(snapshot.content, message, me).strip()
    return [*marks, mark(Kind.FORWARD, inside)] if inside or not marks else marks


def _reference(message: discord.Message) -> int | None:
    """The id of the message that this one replies to; forwards are no replies."""
    reference = message.reference
    if reference is None or reference.type is not discord.MessageReferenceType.reply:
        return None
    return reference.message_id


def _quoting(message: discord.Message, me: Me) -> Quotation | None:
    """The words that this message replies to, where Discord tells them."""
    answered = _answered(message)
    text = "" if answered is None else words(answered, me)
    if answered is None or not text:
        return None
    author = Speaker(AGENT_ID, me.name) if answered.author.id == me.id else speaker(answered.author)
    return Quotation(author.name, text, author.id)


def _answered(message: discord.Message) -> discord.Message | None:
    """What this message replies to, where Discord tells it."""
    if _reference(message) is None or message.reference is None:
        return None
    answered = message.reference.resolved or message.reference.cached_message
    return answered if isinstance(answered, discord.Message) else None


def _names_own_role(message: discord.Message) -> bool:
    """Whether the role that Discord made for the companion is mentioned: people mistake it for its name."""
    own = message.guild.self_role if message.guild else None
    return own is not None and own in message.role_mentions
