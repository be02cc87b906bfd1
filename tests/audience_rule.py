"""What is said in private stays in private: which memory may be used where (promise 3).

The rule in plain Python, to which a property test holds the SQL that applies it (`bot/storage/shared/audience.py`), and
both to the sentence that it stands for: everyone who can read the place could have read what the memory comes from.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain import AGENT_ID, Place, PlaceKind


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory comes from."""

    place: Place
    heard_by: frozenset[str] = frozenset()
    """The ids of those who spoke in the session that made it; of a trait, in the session of its first source."""
    public: bool = False
    """Whether everybody on the server can read the place now, as it was last told; false where that is not known."""
    channel_public: bool = False
    """Of a thread: the same of the channel that it hangs on. A thread that was archived is not told of any more."""

    @property
    def readable_by_all(self) -> bool:
        """Whether everybody on the server can surely read it: a thread as its channel."""
        return self.public and (self.place.parent is None or self.channel_public)


@dataclass(frozen=True, slots=True)
class Audience:
    """Who can read a place, as far as the rule asks."""

    place: Place
    people: frozenset[str] = frozenset()
    """Of a DM: all ids of the person it is with, on every platform. Empty for a channel."""
    shares: bool = False
    """Of a channel: whether its server's owner switched sharing on."""


def may_use(origin: Origin, audience: Audience) -> bool:
    """Whether a memory of this origin may be used before this audience.

    It may in the place where it was made. What was said in a DM goes to no other place but a DM of the same person on
    another platform. What was said in a channel goes to the DMs of those who spoke in that session, and, on a server
    that shares, to all its channels if everybody there can read where it was said. Threads are channels of their own,
    which nobody reads who cannot read the channel that they hang on.
    """
    made_in, used_in = origin.place, audience.place
    if made_in == used_in:
        return True
    if made_in.kind is PlaceKind.DM:
        return made_in.dm_person in audience.people
    if used_in.kind is PlaceKind.DM:
        return not audience.people.isdisjoint(origin.heard_by)
    one_server = (made_in.platform, made_in.server) == (used_in.platform, used_in.server)
    return one_server and origin.readable_by_all and audience.shares


def is_corrected(corrector: frozenset[str], origin: Origin, audience: Audience) -> bool:
    """Whether an event of this origin is hidden from this audience because one person corrected it.

    `corrector`: all ids of that person. It is hidden from them in private. It is hidden from others, too, only if
    nobody else but them and the companion spoke in its session: nobody changes what others remember.
    """
    mine = not audience.people.isdisjoint(corrector)
    return mine or origin.heard_by <= corrector | {AGENT_ID}
