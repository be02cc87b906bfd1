"""The audience rule of `bot/memory/audience.py` in SQL: only what may be used in a place is found for it.

Who is one person and what a server shares is read in the transaction that then looks for the memories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, Text, and_, literal, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Place, PlaceKind
from bot.storage.privacy_tables import event_corrections, identities, servers
from bot.storage.tables import event_speakers, events, places, trait_sources, traits, utterances


@dataclass(frozen=True, slots=True)
class Readers:
    """Who can read a place, as far as the rule asks."""

    place: Place
    people: tuple[str, ...] = ()
    """Of a DM: all ids of the person it is with, sorted. Empty for a channel."""
    here: str = ""
    """Of a DM: the id of the person it is with."""
    elsewhere: frozenset[str] = frozenset()
    """Of a DM: the other ids of that person."""
    shares: bool = False
    """Of a channel: whether its server shares what everybody there can read."""

    def as_here(self, speaker_id: str) -> str:
        """The id that a speaker goes by here: in a DM, every identity of its person is the one that it is with."""
        return self.here if speaker_id in self.elsewhere else speaker_id


async def readers_of(connection: AsyncConnection, place: Place) -> Readers:
    """Who can read this place now."""
    here = place.dm_person
    if here is not None:
        people = await identities_of(connection, here)
        return Readers(place, people, here, frozenset(people) - {here})
    this = (servers.c.platform == place.platform, servers.c.server == place.server)
    return Readers(place, shares=bool(await connection.scalar(select(servers.c.sharing).where(*this))))


async def identities_of(connection: AsyncConnection, speaker_id: str) -> tuple[str, ...]:
    """All ids of this person, sorted, this one included; it alone when nothing is linked."""
    person = select(identities.c.person_id).where(identities.c.speaker_id == speaker_id).scalar_subquery()
    linked = select(identities.c.speaker_id).where(identities.c.person_id == person)
    return tuple(sorted({speaker_id, *(await connection.execute(linked)).scalars()}))


def readable_events(readers: Readers) -> ColumnElement[bool]:
    """The events that these readers may be shown; not those that their person has corrected."""
    corrected = select(event_corrections.c.event_id).where(event_corrections.c.event_id == events.c.id).exists()
    allowed: ColumnElement[bool] = events.c.place_key.in_(_open_to(readers))
    if readers.people:
        origin = events.alias("origin")
        heard = (
            select(event_speakers.c.event_id)
            .join(origin, origin.c.id == event_speakers.c.event_id)
            .join(places, places.c.key == origin.c.place_key)
            .where(event_speakers.c.speaker_id.in_(readers.people), places.c.kind == PlaceKind.CHANNEL.value)
        )
        allowed = or_(allowed, events.c.id.in_(heard))
    return and_(allowed, ~corrected)


def readable_traits(readers: Readers) -> ColumnElement[bool]:
    """The traits that these readers may be shown.

    The session that made a trait is that of its first source: being said again elsewhere widens nothing.
    """
    if not readers.people:
        return traits.c.place_key.in_(_open_to(readers))
    dms = _dms_with(readers.people)
    channels = (
        select(utterances.c.place_key)
        .join(places, places.c.key == utterances.c.place_key)
        .where(utterances.c.speaker_id.in_(readers.people), places.c.kind == PlaceKind.CHANNEL.value)
    )
    # Beside "heard", which says it all: so that SQLite looks only where the person has spoken.
    where_they_spoke = traits.c.place_key.in_(union_all(*(select(literal(key, Text)) for key in dms), channels))
    return and_(where_they_spoke, or_(traits.c.place_key.in_(dms), _heard(readers.people)))


def _heard(people: Sequence[str]) -> ColumnElement[bool]:
    """The traits whose first source one of these people said, or somebody else in a session in which they spoke."""
    source, beside = utterances.alias("source"), utterances.alias("beside")
    spoke = select(beside.c.id).where(beside.c.session_id == source.c.session_id, beside.c.speaker_id.in_(people))
    return (
        select(trait_sources.c.trait_id)
        .join(source, source.c.id == trait_sources.c.utterance_id)
        .where(trait_sources.c.trait_id == traits.c.id, trait_sources.c.position == 0)
        .where(or_(source.c.speaker_id.in_(people), spoke.exists()))
        .exists()
    )


def _open_to(readers: Readers) -> list[str] | CompoundSelect[Any]:
    """The keys of the places of which everything may be used here, whoever spoke."""
    if readers.people:
        return _dms_with(readers.people)
    if not readers.shares:
        return [readers.place.key]
    of_server = (places.c.platform == readers.place.platform, places.c.server == readers.place.server)
    return union_all(
        select(literal(readers.place.key, Text)), select(places.c.key).where(*of_server, places.c.public.is_(True))
    )


def _dms_with(people: Sequence[str]) -> list[str]:
    """The keys of the DMs with these people, each on the platform of the id."""
    found: list[str] = []
    for speaker_id in people:
        platform, _, person = speaker_id.partition(":")
        found.append(Place(platform, PlaceKind.DM, person).key)
    return found
