"""The long-term memory in SQL, under the audience rule (`shared/audience.py`)."""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from sqlalchemy import Select, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Event, Place
from bot.domain.text import well_formed
from bot.storage.engine.database import Database, insert_new, put
from bot.storage.memory.relinking import link_new
from bot.storage.shared.audience import Readers, readable_events, readers_of
from bot.storage.shared.rows import all_stored, end_job, some_at_a_time
from bot.storage.shared.tables import event_sources, event_speakers, event_topics, events, meta

VERSION_KEY = "events_version"
AUDIENCE_KEY = "audience_version"

MAX_LOADED = 50_000
"""How many events are kept in memory, at about 1.5 KB each."""


class SqlEvents:
    """Implements `bot.ports.Events`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._loaded: OrderedDict[int, Event] = OrderedDict()
        self._changes = 0

    async def get(self, ids: Sequence[int]) -> list[Event]:
        """The events with these ids, in order of id; also those that were corrected."""
        found: list[Event] = []
        changes = self._changes
        async with self._database.reading() as connection:
            for some in some_at_a_time(sorted(ids)):
                there = select(events.c.id).where(events.c.id.in_(some)).order_by(events.c.id)
                found += await self._load(connection, (await connection.execute(there)).scalars().all(), changes)
        return found

    async def add(self, event: Event, job_id: int) -> Event:
        """Stores an event and ends its job; 0 is no job. Its names come back in order of the speakers' ids.

        Not stored, and returned as it is, when the job is not there or has ended (a correction gives it a new id, so
        that nothing is made of what was said before), or one of its sources has been erased. With it comes a LINK job.
        """
        event, changes = _well_formed(event), self._changes
        async with self._database.writing() as connection:
            ended = await end_job(connection, job_id)
            first = await connection.scalar(select(events.c.id).where(events.c.session_id == event.session_id))
            if first is not None:
                return (await self._load(connection, [first], changes))[0]
            if (job_id and not ended) or not await all_stored(connection, event.sources):
                return event
            row = {
                "session_id": event.session_id,
                "place_key": event.place.key,
                "summary": event.summary,
                "time": event.time,
                "indexed": False,
            }
            event_id: int = (await connection.execute(events.insert().values(row).returning(events.c.id))).scalar_one()
            await _add_links(connection, event_id, event)
            await link_new(connection, event_id)
            await count_up(connection, added=True)
        return replace(event, id=event_id)

    async def readable_in(self, place: Place, only: Collection[int] | None = None) -> list[Event]:
        """The events that may be used in `place`, oldest first, without those that were corrected.

        In a DM, whoever is linked with its person is that person.
        """
        changes = self._changes
        async with self._database.reading() as connection:
            readers = await readers_of(connection, place)
            listed = (_listed if only is None else _chosen)(readers)
            rows = await connection.execute(listed, None if only is None else {"only": [*only]})
            found = await self._load(connection, rows.scalars().all(), changes)
        return [_as_here(event, readers) for event in found] if readers.elsewhere else found

    async def version(self) -> int:
        """Counts up whenever `readable_in` may find something else: also with links and sharing. Survives restarts."""
        async with self._database.reading() as connection:
            return await version_of(connection)

    async def unindexed(self, limit: int) -> list[Event]:
        """Events without a vector, oldest rows first."""
        query = select(events.c.id).where(~events.c.indexed).order_by(events.c.id).limit(limit)
        changes = self._changes
        async with self._database.reading() as connection:
            return await self._load(connection, (await connection.execute(query)).scalars().all(), changes)

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        async with self._database.writing() as connection:
            await connection.execute(events.update().where(events.c.id.in_(ids)).values(indexed=True))

    def forget(self, ids: Sequence[int]) -> None:
        """Drops what is kept in memory of these events, which have been removed."""
        self._changes += bool(ids)
        for event_id in ids:
            self._loaded.pop(event_id, None)

    async def _load(self, connection: AsyncConnection, ids: Sequence[int], changes: int) -> list[Event]:
        """The events with these ids, which exist, in the same order. An event never changes, so it is read once.

        `changes`: how many there had been before the transaction began.
        """
        found = {event_id: self._loaded[event_id] for event_id in ids if event_id in self._loaded}
        missing = [event_id for event_id in ids if event_id not in found]
        found.update((event.id, event) for event in await read_events(connection, missing))
        if changes == self._changes:  # else what was read may be gone by now
            self._loaded.update((event_id, found[event_id]) for event_id in missing)
        while len(self._loaded) > MAX_LOADED:
            self._loaded.popitem(last=False)
        return [found[event_id] for event_id in ids]


@lru_cache(maxsize=32)
def _listed(readers: Readers) -> Select[int]:
    """Gives the ids that these readers may be shown, oldest first; kept, because putting it together takes long."""
    return select(events.c.id).where(readable_events(readers)).order_by(events.c.time, events.c.id)


@lru_cache(maxsize=32)
def _chosen(readers: Readers) -> Select[int]:
    """The same of the ids in the parameter `only`."""
    only = events.c.id.in_(bindparam("only", expanding=True))
    return select(events.c.id).where(only, readable_events(readers, chosen=True)).order_by(events.c.time, events.c.id)


def _as_here(event: Event, readers: Readers) -> Event:
    """The event with the ids by which its speakers go where it is read."""
    if readers.elsewhere.isdisjoint(event.speakers):
        return event
    names = {readers.as_here(speaker_id): name for speaker_id, name in event.names}
    speakers = frozenset(map(readers.as_here, event.speakers))
    return replace(event, speakers=speakers, names=tuple(sorted(names.items())))


async def read_events(connection: AsyncConnection, ids: Sequence[int]) -> list[Event]:
    """The events with these ids that are there."""
    found: list[Event] = []
    for some in some_at_a_time(ids):
        found += await _read(connection, some)
    return found


async def _read(connection: AsyncConnection, ids: Sequence[int]) -> list[Event]:
    topics: defaultdict[int, list[str]] = defaultdict(list)
    heard_by: defaultdict[int, dict[str, str | None]] = defaultdict(dict)
    sources: defaultdict[int, list[int]] = defaultdict(list)
    nouns = select(event_topics.c.event_id, event_topics.c.noun).where(event_topics.c.event_id.in_(ids))
    for event_id, noun in await connection.execute(nouns):
        topics[event_id].append(noun)
    people = select(event_speakers).where(event_speakers.c.event_id.in_(ids))
    by_id = people.order_by(event_speakers.c.event_id, event_speakers.c.speaker_id)
    for event_id, speaker_id, name in await connection.execute(by_id):
        heard_by[event_id][speaker_id] = name
    said = select(event_sources.c.event_id, event_sources.c.utterance_id).where(event_sources.c.event_id.in_(ids))
    in_order = said.order_by(event_sources.c.event_id, event_sources.c.position)
    for event_id, utterance_id in await connection.execute(in_order):
        sources[event_id].append(utterance_id)
    return [
        Event(
            place=Place.parse(row.place_key),
            session_id=row.session_id,
            summary=row.summary,
            topics=frozenset(topics[row.id]),
            time=row.time,
            speakers=frozenset(heard_by[row.id]),
            sources=tuple(sources[row.id]),
            id=row.id,
            names=tuple((speaker_id, name) for speaker_id, name in heard_by[row.id].items() if name is not None),
        )
        for row in await connection.execute(select(events).where(events.c.id.in_(ids)).order_by(events.c.id))
    ]


def _well_formed(event: Event) -> Event:
    """The event as it can be stored: one name for each of those who spoke."""
    names = {speaker_id: well_formed(name) for speaker_id, name in event.names if speaker_id in event.speakers}
    topics = frozenset(map(well_formed, event.topics))
    return replace(event, summary=well_formed(event.summary), topics=topics, names=tuple(sorted(names.items())))


async def _add_links(connection: AsyncConnection, event_id: int, event: Event) -> None:
    topics = [{"event_id": event_id, "noun": noun} for noun in sorted(event.topics)]
    names = dict(event.names)
    speakers = [
        {"event_id": event_id, "speaker_id": speaker_id, "name": names.get(speaker_id)}
        for speaker_id in sorted(event.speakers)
    ]
    sources = [
        {"event_id": event_id, "position": position, "utterance_id": utterance_id}
        for position, utterance_id in enumerate(event.sources)
    ]
    await insert_new(connection, event_topics, topics)
    await insert_new(connection, event_speakers, speakers)
    await insert_new(connection, event_sources, sources)


async def version_of(connection: AsyncConnection) -> int:
    """What `version` gives, within a transaction."""
    return await _number(connection, VERSION_KEY)


async def count_up(connection: AsyncConnection, *, added: bool = False) -> None:
    """Makes `version` another number, and AUDIENCE_KEY's too, unless something was only `added`."""
    for key in (VERSION_KEY,) if added else (VERSION_KEY, AUDIENCE_KEY):
        await put(connection, meta, {"key": key, "value": str(await _number(connection, key) + 1)})


async def _number(connection: AsyncConnection, key: str) -> int:
    return int(await connection.scalar(_VALUE, {"key": key}) or 0)


def value_of(key: str) -> Select[str]:
    """Gives what the table `meta` has under a key, as text."""
    return select(meta.c.value).where(meta.c.key == key)


_VALUE = select(meta.c.value).where(meta.c.key == bindparam("key"))
"""The same for any key, put together once: it is asked for every reply."""
