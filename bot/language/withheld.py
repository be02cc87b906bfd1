"""Which lines of a conversation no memory is made of, when a look withholds some of them. Pure."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from bot.domain import Utterance

Withheld = Callable[[Utterance], bool]
"""Whether nothing is to be made of what somebody said."""


def silenced(lines: Sequence[Utterance], withheld: Withheld) -> set[int]:
    """The ids of the lines of a session, in order, that no memory is made of.

    They are what people said that is `withheld`, what replies to it, and the companion's replies to somebody of whom
    one of the lines that wait for a reply is such: a reply names the last line of a burst and is made of them all.
    """
    hidden: dict[str, int] = {}
    """Message id of what is hidden → its id."""
    waiting: defaultdict[str, list[str]] = defaultdict(list)
    """Speaker id → message ids of what they said since the companion's last reply to them."""
    for line in lines:
        if line.speaker.is_agent:
            burst = next((said for said in waiting.values() if line.reply_to in said), [])
            hide = line.reply_to in hidden or not hidden.keys().isdisjoint(burst)
            burst.clear()
        else:
            hide = withheld(line) or line.reply_to in hidden
            waiting[line.speaker.id].append(line.message_id)
        if hide:
            hidden[line.message_id] = line.id
    return {*hidden.values()}
