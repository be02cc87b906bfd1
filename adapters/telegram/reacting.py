"""Reactions to the companion's messages. Telegram tells a bot of them in private, and in groups that it administers.

Its own emoji are the choice there is: 👍 👎, 🤔 for "say that again in other words" and 🙊 for "stop".
"""

import zlib

from telegram import Chat, MessageReactionUpdated, ReactionTypeEmoji, User

from adapters.telegram.connection import Connection
from adapters.telegram.reading import dm_with, general, id_in, speaker
from bot.domain import Asker, Reaction, Sign
from bot.usecases import calls

SIGNS = {"👍": Sign.YES, "👎": Sign.NO, "🤔": Sign.AGAIN, "🙊": Sign.STOP}
NO_MESSAGE = 2_000_000_000
"""A number from which on no chat has messages, for ids of words that are none."""
_UP_TO = 2**31 - 1 - NO_MESSAGE


def reaction_of(change: MessageReactionUpdated, person: User, bot: Connection) -> Reaction | None:
    """The sign that somebody has just put; None: none of the four, or nowhere where the companion lives.

    In which topic of a group is not told; the message, whose number is of the whole chat, tells it.
    """
    before = {one.emoji for one in change.old_reaction if isinstance(one, ReactionTypeEmoji)}
    put = [one.emoji for one in change.new_reaction if isinstance(one, ReactionTypeEmoji) and one.emoji not in before]
    sign = next((SIGNS[emoji] for emoji in put if emoji in SIGNS), None)
    if sign is None or person.is_bot or change.chat.type not in {Chat.PRIVATE, Chat.GROUP, Chat.SUPERGROUP}:
        return None
    message = id_in(change.chat.id, change.message_id)
    private = change.chat.type == Chat.PRIVATE
    own = zlib.crc32(f"{message} {person.id} {sign}".encode()) % _UP_TO
    offered = bot.offered.get(message, ()) if private else ()
    return Reaction(
        asker=Asker(speaker(person), dm_with(person.id) if private else general(change.chat.id)),
        message_id=message,
        sign=sign,
        time=change.date,
        as_message=id_in(change.chat.id, NO_MESSAGE + own),
        topic_untold=not private,
        offered=tuple(call for one in offered if (call := calls.decode(one)) is not None),
    )
