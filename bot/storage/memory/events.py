"""The long-term memory in SQL, under the audience rule (`shared/audience.py`)."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from sqlalchemy import Select, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Event, Place
from bot.domain.text import well_formed
from bot.storage.engine.database import insert_new, put
from bot.storage.memory.kept import Kept
from bot.storage.memory.relinking import link_new
from bot.storage.shared.audience import Readers, readable_events, readers_of
from bot.storage.shared.rows import all_stored, end_job, insert_one, lists_among, rows_among, some_at_a_time
from bot.storage.shared.tables import event_sources, event_speakers, event_topics, events, meta

VERSION_KEY = "events_version"
AUDIENCE_KEY = "audience_version"


class SqlEvents(Kept[Event]):
    """Implements `bot.ports.Events`. An event never changes, but it may be removed."""

    _table = events

    async def get(self, ids: Sequence[int]) -> list[Event]:
        """The events with these ids, in order of id; also those that were corrected."""
        found: list[Event] = []
        changes = self._changes
        async with self._database.reading() as connection:
            for some in some_at_a_time(sorted(ids)):
                there = select(events.c.id).where(events.c.id.in_(some)).order_by(events.c.id)
                found += await self._load(connection, there, changes)
        return found

    async def add(self, event: Event, job_id: int) -> Event:
        """Stores an event and ends its job; 0 is no job. Its names come back in order of the speakers' ids.

        Not stored, and returned as it is, when the job is not there or has ended (a correction gives it a new id, so
        that nothing is made of what was said before), or one of its sources has been erased. With it comes a LINK job.
        """
        event, changes = _well_formed(event), self._changes
        async with self._database.writing() as connection:
            ended = await end_job(connection, job_id)
            of_session = select(events.c.id).where(events.c.session_id == event.session_id)
            if first := await self._load(connection, of_session, changes):
                return first[0]
            if (job_id and not ended) or not await all_stored(connection, event.sources):
                return event
            row = {
                "session_id": event.session_id,
                "place_key": event.place.key,
                "summary": event.summary,
                "time": event.time,
                "indexed": False,
            }
            event_id = await insert_one(connection, events, row)
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
            found = await self._load(connection, listed, changes, None if only is None else {"only": [*only]})
        return [_as_here(event, readers) for event in found] if readers.elsewhere else found

    async def version(self) -> int:
        """Counts up whenever `readable_in` may find something else: also with links and sharing. Survives restarts."""
        async with self._database.reading() as connection:
            return await version_of(connection)

    async def _read(self, connection: AsyncConnection, ids: Sequence[int]) -> list[Event]:
        return await read_events(connection, ids)


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
    heard_by: defaultdict[int, dict[str, str | None]] = defaultdict(dict)
    topics = await lists_among(connection, event_topics.c.event_id, event_topics.c.noun, ids)
    people = select(event_speakers).order_by(event_speakers.c.event_id, event_speakers.c.speaker_id)
    for event_id, speaker_id, name in await rows_among(connection, people, event_speakers.c.event_id, ids):
        heard_by[event_id][speaker_id] = name
    of, said = event_sources.c.event_id, event_sources.c.utterance_id
    sources = await lists_among(connection, of, said, ids, event_sources.c.position)
    return [
        Event(
            place=Place.parse(row.place_key),
            session_id=row.session_id,
            summary=row.summary,
            topics=frozenset(topics.get(row.id, ())),
            time=row.time,
            speakers=frozenset(heard_by[row.id]),
            sources=tuple(sources.get(row.id, ())),
            id=row.id,
            names=tuple((speaker_id, name) for speaker_id, name in heard_by[row.id].items() if name is not None),
        )
        for row in await rows_among(connection, select(events).order_by(events.c.id), events.c.id, ids)
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
