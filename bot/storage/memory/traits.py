"""The persona banks in SQL, under the audience rule (`shared/audience.py`). Nothing in them is overwritten."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, Select, and_, bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import TOLD, Place, Trait
from bot.domain.text import well_formed
from bot.storage.engine.database import insert_new
from bot.storage.memory.events import count_up
from bot.storage.memory.kept import Kept
from bot.storage.shared.audience import Readers, readable_traits, readers_of
from bot.storage.shared.rows import end_job, insert_one, lists_among, rows_among, some_at_a_time
from bot.storage.shared.tables import trait_sources, traits, utterances


class SqlTraits(Kept[Trait]):
    """Implements `bot.ports.Traits`."""

    _table = traits

    async def current(self, speaker_id: str, place: Place) -> list[Trait]:
        learnt_here = and_(traits.c.speaker_id == speaker_id, traits.c.place_key == place.key)
        return await self._select(select(traits.c.id).where(learnt_here, traits.c.until.is_(None)))

    async def readable_in(
        self, place: Place, speaker_ids: Sequence[str], only: Collection[int] | None = None
    ) -> list[Trait]:
        """The current traits of these speakers that may be used in `place`, oldest first.

        In a DM, whoever is linked with its person is that person.
        """
        changes = self._changes
        async with self._database.reading() as connection:
            readers = await readers_of(connection, place)
            asked = _asked(readers, speaker_ids)
            listed = (_listed if only is None else _chosen)(readers, asked)
            found = await self._load(connection, listed, changes, None if only is None else {"only": [*only]})
        return [_as_here(trait, readers) for trait in found] if readers.elsewhere else found

    async def former(self, place: Place, speaker_ids: Sequence[str], ids: Sequence[int]) -> dict[int, list[Trait]]:
        """What each of these traits ended, also by way of what may not be shown here, the last that was true first."""
        changes = self._changes
        found: dict[int, list[Trait]] = {}
        async with self._database.reading() as connection:
            readers = await readers_of(connection, place)
            followed_by = await _ended_by(connection, ids)
            of_them = _once_told(readers, _asked(readers, speaker_ids))
            for some in some_at_a_time(followed_by):
                for trait in await self._load(connection, of_them, changes, {"only": [*some]}):
                    found.setdefault(followed_by[trait.id], []).append(_as_here(trait, readers))
        for former in found.values():
            former.sort(key=lambda trait: (trait.until or trait.since, trait.id), reverse=True)
        return found

    async def successor(self, place: Place, speaker_ids: Sequence[str], trait_id: int) -> int:
        """Which current trait ended this one, itself or by way of others; 0: none, or one of the two is not shown."""
        async with self._database.reading() as connection:
            readers = await readers_of(connection, place)
            asked = _asked(readers, speaker_ids)
            if await connection.scalar(_once_told(readers, asked), {"only": [trait_id]}) is None:
                return 0
            last = await _ended_at_last_by(connection, trait_id)
            only = [last] if last != trait_id else []
            current: int | None = await connection.scalar(_chosen(readers, asked), {"only": only})
        return current or 0

    async def apply(
        self,
        job_id: int,
        new: Sequence[Trait] = (),
        refreshed: Sequence[tuple[int, datetime, tuple[int, ...]]] = (),
        superseded: Sequence[tuple[int, int, datetime]] = (),
    ) -> list[Trait]:
        """Applies what one utterance said and ends the job. An empty list when the job has ended, or is not there.

        A correction that changes what is known in a place gives the jobs that are being done there new ids, so every
        trait that the caller compared with, and every source, is still as it was read. A trait that stopped being true
        before keeps its time and its successor.
        """
        touched = [*(trait_id for trait_id, *_ in refreshed), *(old_id for old_id, *_ in superseded)]
        async with self._database.writing() as connection:
            if not await end_job(connection, job_id):
                return []
            stored = [await _add(connection, trait) for trait in new]
            for trait_id, time, sources in refreshed:
                await _refresh(connection, trait_id, time, sources)
            for old_id, position, time in superseded:
                was_true = traits.update().where(traits.c.id == old_id, traits.c.until.is_(None))
                await connection.execute(was_true.values(until=time, superseded_by=stored[position].id))
            ended = [trait.id for trait in stored if trait.superseded_by is not None]
            if await _is_one_told_otherwise(connection, [*ended, *touched]):
                await count_up(connection)  # what says such a trait is hidden with it
        self.forget(touched)
        return stored

    async def _read(self, connection: AsyncConnection, ids: Sequence[int]) -> list[Trait]:
        return await read_traits(connection, ids)


@lru_cache(maxsize=64)
def _listed(readers: Readers, speaker_ids: tuple[str, ...]) -> Select[int]:
    """Gives the ids of the current traits of these speakers that these readers may be shown, oldest first.

    Putting the statement together takes several times as long as the answer, so those for the last places are kept.
    """
    of_them = and_(traits.c.speaker_id.in_(speaker_ids), traits.c.until.is_(None))
    return select(traits.c.id).where(of_them, readable_traits(readers)).order_by(traits.c.id)


@lru_cache(maxsize=64)
def _chosen(readers: Readers, speaker_ids: tuple[str, ...]) -> Select[int]:
    """The same of the ids in the parameter `only`."""
    return _listed(readers, speaker_ids).where(traits.c.id.in_(bindparam("only", expanding=True)))


@lru_cache(maxsize=64)
def _once_told(readers: Readers, speaker_ids: tuple[str, ...]) -> Select[int]:
    """The same, also of traits that are not true any more. In any order."""
    of_them = and_(traits.c.speaker_id.in_(speaker_ids), readable_traits(readers))
    return select(traits.c.id).where(of_them, traits.c.id.in_(bindparam("only", expanding=True)))


def _asked(readers: Readers, speaker_ids: Sequence[str]) -> tuple[str, ...]:
    """These speakers, sorted, with all that the person goes by whom the place is with, if one of them is asked for."""
    linked = readers.people if not {*speaker_ids}.isdisjoint(readers.people) else ()
    return tuple(sorted({*speaker_ids, *linked}))


async def _ended_by(connection: AsyncConnection, ids: Sequence[int]) -> dict[int, int]:
    """Id of a trait → which of `ids` ended it, itself or by way of what that ended."""
    found: dict[int, int] = {}
    lately = {trait_id: trait_id for trait_id in ids}
    while lately:
        query = select(traits.c.id, traits.c.superseded_by)
        rows = await rows_among(connection, query, traits.c.superseded_by, lately)
        before = {row.id: lately[row.superseded_by] for row in rows}
        lately = {trait_id: last for trait_id, last in before.items() if trait_id not in found}
        found |= lately
    return found


async def _ended_at_last_by(connection: AsyncConnection, trait_id: int) -> int:
    """The last of the row in which each trait ended the one before; the same one: nothing ended it."""
    seen: set[int] = set()
    now: int | None = trait_id
    while now is not None and now not in seen:
        seen.add(trait_id := now)
        now = await connection.scalar(select(traits.c.superseded_by).where(traits.c.id == now))
    return trait_id


def _as_here(trait: Trait, readers: Readers) -> Trait:
    """The trait with the id by which its speaker goes where it is read."""
    here = readers.as_here(trait.speaker_id)
    return trait if here == trait.speaker_id else replace(trait, speaker_id=here)


async def _add(connection: AsyncConnection, trait: Trait) -> Trait:
    trait = replace(trait, text=well_formed(trait.text))
    row = {name: getattr(trait, name) for name in _AS_IT_IS}
    trait_id = await insert_one(connection, traits, row | {"place_key": trait.place.key, "indexed": False})
    await _add_sources(connection, trait_id, trait.sources)
    return replace(trait, id=trait_id)


async def _add_sources(connection: AsyncConnection, trait_id: int, sources: Iterable[int]) -> None:
    """Adds sources behind those that are there; one that is there already is left out."""
    there = select(func.max(trait_sources.c.position)).where(trait_sources.c.trait_id == trait_id)
    highest = await connection.scalar(there)
    start = 0 if highest is None else int(highest) + 1
    rows = [
        {"trait_id": trait_id, "position": position, "utterance_id": utterance_id}
        for position, utterance_id in enumerate(sources, start)
    ]
    await insert_new(connection, trait_sources, rows)


async def _refresh(connection: AsyncConnection, trait_id: int, time: datetime, sources: Iterable[int]) -> None:
    """Records that a trait was said again; a time before the last one leaves that one as it is."""
    later = or_(traits.c.refreshed.is_(None), traits.c.refreshed < time)
    await connection.execute(traits.update().where(traits.c.id == trait_id, later).values(refreshed=time))
    if await connection.scalar(select(traits.c.id).where(traits.c.id == trait_id)) is not None:
        await _add_sources(connection, trait_id, sources)


async def _is_one_told_otherwise(connection: AsyncConnection, ids: Iterable[int]) -> bool:
    """Whether somebody told the successor of any of these traits with a command (`audience.py`, corrected passages)."""
    query = (
        select(traits.c.id)
        .join(trait_sources, and_(trait_sources.c.trait_id == traits.c.superseded_by, trait_sources.c.position == 0))
        .join(utterances, utterances.c.id == trait_sources.c.utterance_id)
        .where(utterances.c.message_id.startswith(TOLD, autoescape=True))
    )
    return bool(await rows_among(connection, query.limit(1), traits.c.id, ids))


async def read_traits(connection: AsyncConnection, ids: Sequence[int]) -> list[Trait]:
    """The traits with these ids that are there, superseded ones too."""
    of, said = trait_sources.c.trait_id, trait_sources.c.utterance_id
    sources = await lists_among(connection, of, said, ids, trait_sources.c.position)
    rows = await rows_among(connection, select(traits).order_by(traits.c.id), traits.c.id, ids)
    return [_to_trait(row, sources.get(row.id, ())) for row in rows]


def _to_trait(row: Row[*tuple[Any, ...]], sources: Sequence[int]) -> Trait:
    as_it_is = {name: getattr(row, name) for name in _AS_IT_IS}
    return Trait(place=Place.parse(row.place_key), sources=tuple(sources), id=row.id, **as_it_is)


_AS_IT_IS = ("speaker_id", "text", "since", "until", "superseded_by", "refreshed")
"""What a trait and its row have under the same name."""
