"""What is said in private stays in private: in SQL, which memory may be used where (promise 3).

A memory may be used in the place where it was made. What was said in a DM goes to no other place but a DM of the same
person on another platform. What was said in a channel goes to the DMs of those who spoke in that session, and, on a
server that shares, to all its channels if everybody there can read where it was said. Threads are channels of their
own, which nobody reads who cannot read the channel that they hang on. `tests/audience_rule.py` says it in Python, and a
property test holds the two together.

Who is one person and what a server shares is read in the transaction that then looks for the memories.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    FromClause,
    Select,
    Text,
    and_,
    bindparam,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import AGENT_ID, THREAD_DEPTH, TOLD, Place, PlaceKind
from bot.storage.shared.privacy_tables import event_corrections, identities, servers
from bot.storage.shared.recall_tables import passages
from bot.storage.shared.tables import event_sources, event_speakers, events, places, trait_sources, traits, utterances


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
    linked = await connection.execute(_LINKED, {"speaker": speaker_id})
    return tuple(sorted({speaker_id, *linked.scalars()}))


_LINKED = select(identities.c.speaker_id).where(
    identities.c.person_id
    == select(identities.c.person_id).where(identities.c.speaker_id == bindparam("speaker")).scalar_subquery()
)
"""The ids of the person of a speaker, where any are linked. Asked for every reply, so it is put together once."""


def readable_events(readers: Readers, *, chosen: bool = False) -> ColumnElement[bool]:
    """The events that these readers may be shown, without those that are corrected for them.

    `chosen`: of a few, whose ids are asked for beside this. Each is looked at then, and not all that could be shown.
    """
    return and_(_heard_events(readers, chosen=chosen), ~_corrected_for(readers))


def events_of_person(readers: Readers) -> ColumnElement[bool]:
    """Of the events that the readers of a DM may be shown, those of sessions in which its person spoke.

    Looked for where they have spoken alone, so that an index gives them.
    """
    own = (select(literal(key, Text)) for key in _dms_with(readers.people))
    spoke = select(event_speakers.c.event_id).where(
        event_speakers.c.event_id == events.c.id, event_speakers.c.speaker_id.in_(readers.people)
    )
    here = events.c.place_key.in_(union_all(*own, channels_of(readers.people)))
    return and_(here, spoke.exists(), ~_corrected_for(readers))


def names_of_others(readers: Readers) -> Select[Any]:
    """What the events of a DM's person call others: speaker ids and names, with when and where they did so last."""
    in_channels = events.c.place_key.not_in(_dms_with(readers.people))
    theirs = select(events.c.id, events.c.time).where(events_of_person(readers), in_channels).subquery("theirs")
    last = (func.max(theirs.c.time).label("time"), func.max(theirs.c.id).label("id"))
    named = event_speakers.c.speaker_id.not_in((AGENT_ID, *readers.people)), event_speakers.c.name.is_not(None)
    query = select(event_speakers.c.speaker_id, event_speakers.c.name, *last).join(
        theirs, theirs.c.id == event_speakers.c.event_id
    )
    return query.where(*named).group_by(event_speakers.c.speaker_id, event_speakers.c.name)


def calls_otherwise(named: Mapping[str, str]) -> ColumnElement[bool]:
    """The events that call one of these (speaker id → name) something else, but for a number behind the name."""
    called = event_speakers.c.name
    otherwise = (
        and_(
            event_speakers.c.speaker_id == key,
            called != name,
            ~called.startswith(f"{name} (", autoescape=True),
        )
        for key, name in named.items()
    )
    of_event = select(event_speakers.c.event_id).where(event_speakers.c.event_id == events.c.id)
    return of_event.where(called.is_not(None), or_(false(), *otherwise)).exists()


def _heard_events(readers: Readers, *, chosen: bool = False) -> ColumnElement[bool]:
    """The events that these readers may be shown, also those that are corrected."""
    allowed: ColumnElement[bool] = events.c.place_key.in_(_open_to(readers))
    if readers.people and chosen:
        in_channel = (places.c.key == events.c.place_key, places.c.kind == PlaceKind.CHANNEL.value)
        spoke = (event_speakers.c.event_id == events.c.id, event_speakers.c.speaker_id.in_(readers.people))
        # One `exists` for both: no index has what is on either side of the "or", so the ids that are asked for lead.
        allowed = or_(allowed, exists().where(*in_channel, *spoke).correlate(events))
    elif readers.people:
        origin = events.alias("origin")
        heard = (
            select(event_speakers.c.event_id)
            .join(origin, origin.c.id == event_speakers.c.event_id)
            .join(places, places.c.key == origin.c.place_key)
            .where(event_speakers.c.speaker_id.in_(readers.people), places.c.kind == PlaceKind.CHANNEL.value)
        )
        allowed = or_(allowed, events.c.id.in_(heard))
    return allowed


def _corrected_for(readers: Readers) -> ColumnElement[bool]:
    """The events that this person has corrected, or for everybody that the only one who spoke there has."""
    corrector, beside = traits.alias("corrector"), event_speakers.alias("beside")
    somebody_else = (
        select(beside.c.event_id)
        .where(beside.c.event_id == events.c.id, _is_no(beside.c.speaker_id, corrector))
        .correlate(events, corrector)
    )
    counts: ColumnElement[bool] = ~somebody_else.exists()
    if readers.people:
        counts = or_(corrector.c.speaker_id.in_(readers.people), counts)
    corrections = select(event_corrections.c.event_id).join(corrector, corrector.c.id == event_corrections.c.trait_id)
    return corrections.where(event_corrections.c.event_id == events.c.id, counts).exists()


def _is_no(speaker_id: ColumnElement[str], corrector: FromClause) -> ColumnElement[bool]:
    """Whether this speaker is somebody else than the person of the trait `corrector`, and not the companion."""
    mine, theirs = identities.alias("mine"), identities.alias("theirs")
    of_corrector = (
        select(theirs.c.speaker_id)
        .join(mine, mine.c.person_id == theirs.c.person_id)
        .where(mine.c.speaker_id == corrector.c.speaker_id)
        .correlate(corrector)
    )
    not_them = and_(speaker_id != corrector.c.speaker_id, speaker_id.not_in(of_corrector))
    return and_(speaker_id != AGENT_ID, not_them)


def readable_passages(readers: Readers) -> Select[int]:
    """The ids of the passages that these readers may be shown, without those that are corrected for them.

    What was said in a session may be shown where its event may be.
    """
    found = _heard_passages(readers).subquery("found")
    return select(found.c.id).where(found.c.id.not_in(union_all(*_corrected_passages(readers))))


def _heard_passages(readers: Readers) -> Select[int] | CompoundSelect[Any]:
    """The same, also those that are corrected. Neither part needs more of the passages than an index.

    Their rows cannot be the same: those of one part are of DMs, those of the other of channels.
    """
    here = select(passages.c.id).where(passages.c.place_key.in_(_open_to(readers)))
    if not readers.people:
        return here
    spoke = (
        select(utterances.c.session_id)
        .where(utterances.c.speaker_id.in_(readers.people), utterances.c.place_key.in_(channels_of(readers.people)))
        .where(utterances.c.session_id.is_not(None))
    )
    return union_all(here, select(passages.c.id).where(passages.c.session_id.in_(spoke)))


def _corrected_passages(readers: Readers) -> Iterator[Select[int]]:
    """The ids of passages that are corrected for these readers: at least those that they could be shown otherwise.

    A passage is corrected with the event that is made of it, and with a trait that it says and that somebody told
    otherwise. As with events, that counts for this person, and for everybody where nobody else spoke.
    """
    yield (
        select(passages.c.id)
        .select_from(events)
        .join(event_sources, event_sources.c.event_id == events.c.id)
        .join(passages, passages.c.utterance_id == event_sources.c.utterance_id)
        .where(_heard_events(readers), _corrected_for(readers))
    )
    corrector, beside = traits.alias("corrector"), utterances.alias("beside")
    told = (
        select(passages.c.id)
        .select_from(traits)
        .join(corrector, corrector.c.id == traits.c.superseded_by)
        .join(trait_sources, trait_sources.c.trait_id == traits.c.id)
        .join(passages, passages.c.utterance_id == trait_sources.c.utterance_id)
        .where(_is_told(corrector))
    )
    somebody_else = (
        select(beside.c.id)
        .where(beside.c.session_id == passages.c.session_id, _is_no(beside.c.speaker_id, corrector))
        .correlate(passages, corrector)
    )
    yield told.where(traits.c.place_key.in_(_open_to(readers)), ~somebody_else.exists())
    if readers.people:
        yield told.where(corrector.c.speaker_id.in_(readers.people))


def _is_told(trait: FromClause) -> ColumnElement[bool]:
    """Whether somebody told a trait with a command."""
    first, words = trait_sources.alias("first"), utterances.alias("words")
    by_command = words.c.message_id.startswith(TOLD, autoescape=True)
    return (
        select(first.c.trait_id)
        .join(words, words.c.id == first.c.utterance_id)
        .where(first.c.trait_id == trait.c.id, first.c.position == 0, by_command)
        .correlate(trait)
        .exists()
    )


def readable_traits(readers: Readers) -> ColumnElement[bool]:
    """The traits that these readers may be shown.

    The session that made a trait is that of its first source: being said again elsewhere widens nothing.
    """
    if not readers.people:
        return traits.c.place_key.in_(_open_to(readers))
    dms = _dms_with(readers.people)
    own = (select(literal(key, Text)) for key in dms)
    # Beside "heard", which says it all: so that SQLite looks only where the person has spoken.
    where_they_spoke = traits.c.place_key.in_(union_all(*own, channels_of(readers.people)))
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
    public = (places.c.public.is_(True), or_(~_is_thread(), _channel_is_public()))
    return union_all(select(literal(readers.place.key, Text)), select(places.c.key).where(*of_server, *public))


def _is_thread() -> ColumnElement[bool]:
    slashes = func.length(places.c.ref) - func.length(func.replace(places.c.ref, "/", ""))
    return slashes >= THREAD_DEPTH


def _channel_is_public() -> ColumnElement[bool]:
    """Of a thread: whether everybody can read the channel that it hangs on.

    Its own row may be from before that was closed: platforms do not tell of threads that are archived.
    """
    channel = places.alias("channel")
    # What is cut off from the right is all but slashes, so it ends at the last one: `Place.parent`.
    its_key = func.rtrim(func.rtrim(places.c.key, func.replace(places.c.key, "/", "")), "/")
    return select(channel.c.key).where(channel.c.key == its_key, channel.c.public.is_(True)).exists()


def channels_of(people: Sequence[str]) -> Select[str]:
    """The keys of the channels in which one of these people has spoken."""
    return select(places.c.key).where(
        places.c.kind == PlaceKind.CHANNEL.value,
        places.c.key.in_(union_all(*(_places_of(speaker_id, n) for n, speaker_id in enumerate(people)))),
    )


def _places_of(speaker_id: str, number: int) -> Select[str]:
    """The keys of the places in which this speaker has spoken, the `number`-th of a statement.

    From one to the next in the index: as many steps as there are places, however much was said in them.
    """
    first = select(func.min(utterances.c.place_key).label("key")).where(utterances.c.speaker_id == speaker_id)
    found = first.cte(f"spoken_in_{number}", recursive=True)
    after = select(func.min(utterances.c.place_key))
    after = after.where(utterances.c.speaker_id == speaker_id, utterances.c.place_key > found.c.key)
    found = found.union_all(select(after.scalar_subquery()).where(found.c.key.is_not(None)))
    return select(found.c.key).where(found.c.key.is_not(None))


def _dms_with(people: Sequence[str]) -> list[str]:
    """The keys of the DMs with these people, each on the platform of the id."""
    return [Place.dm_with(speaker_id).key for speaker_id in people]
