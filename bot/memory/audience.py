"""What is said in private stays in private: which memory may be used where (promise 3).

The stores apply the same rule in SQL (`bot/storage/events.py`, `bot/storage/traits.py`); a property test holds the two
together. Not covered: sharing between the channels of one server, which its owner would have to switch on.
"""

from __future__ import annotations

from bot.domain import Place, PlaceKind


def may_use(origin: Place, heard_by: frozenset[str], place: Place) -> bool:
    """Whether a memory that was made in `origin` may be used in `place`.

    `heard_by`: the ids of those who spoke in the session, or sessions, that the memory comes from. Everyone who can
    read `place` must have been able to read `origin`: so it is the same place, or a DM with somebody who spoke there
    when it was a channel. A memory of a DM goes nowhere else, and no memory goes from one channel to another.
    """
    if place == origin:
        return True
    return place.dm_person is not None and place.dm_person in heard_by and origin.kind is PlaceKind.CHANNEL
