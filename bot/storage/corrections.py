"""What was said is edited or erased, in SQL, and what was derived from it goes along.

Nothing that is being derived meanwhile, from what was said before, can be stored afterwards: in the same transaction
the jobs concerned get new ids (`renew_jobs`), and a job's result is only stored under an id that is still there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Correction, JobKind, Scope, Trait, Utterance, VectorKind
from bot.storage.database import Database, insert_new
from bot.storage.events import SqlEvents, count_up
from bot.storage.index_marks import note_removal
from bot.storage.rows import drop_jobs, renew_jobs, select_utterances, some_at_a_time, storable, to_utterance
from bot.storage.tables import (
    erased_messages,
    event_sources,
    events,
    jobs,
    reply_memories,
    sessions,
    trait_sources,
    traits,
    utterances,
)
from bot.storage.traits import SqlTraits, read_traits
from bot.storage.utterances import with_message, with_part

KEPT = timedelta(days=90)
"""How long the id of an erased message is kept. Messages can be missed and caught up for 30 days at most."""


@dataclass
class _Change:
    """What one transaction changed, and what is to be derived anew when it has seen everything."""

    removed: dict[VectorKind, dict[int, str]] = field(default_factory=lambda: {kind: {} for kind in VectorKind})
    """Kind → id of what was removed → key of its place."""
    altered: set[int] = field(default_factory=set)
    """Traits that are current again."""
    said: set[int] = field(default_factory=set)
    """Utterances whose traits are to be extracted anew."""
    sessions: set[int] = field(default_factory=set)
    """Sessions that are to be summarised anew."""

    def vectors(self) -> tuple[tuple[Scope, tuple[int, ...]], ...]:
        """The vectors that must go."""
        found: defaultdict[Scope, list[int]] = defaultdict(list)
        for kind, places in self.removed.items():
            for row_id, place_key in sorted(places.items()):
                found[Scope(kind, place_key)].append(row_id)
        return tuple((scope, tuple(ids)) for scope, ids in sorted(found.items()))


class SqlCorrections:
    """Implements `bot.ports.Corrections`. `events` and `traits`: the stores that keep rows in memory."""

    def __init__(self, database: Database, events: SqlEvents, traits: SqlTraits) -> None:
        self._database = database
        self._events = events
        self._traits = traits

    async def edit(self, platform: str, message_id: str, text: str) -> Correction | None:
        """Replaces what a person said. None, too, for the companion's own messages."""
        text, change = storable(text), _Change()
        query = select_utterances().where(with_message(platform, [message_id]))
        async with self._database.writing() as connection:
            row = (await connection.execute(query)).one_or_none()
            before = to_utterance(row) if row is not None else None
            if before is None or before.speaker.is_agent or before.text == text:
                return None
            chosen = utterances.update().where(utterances.c.id == before.id)
            await connection.execute(chosen.values(text=text))
            await _add_words(connection, before.session_id, len(text.split()) - len(before.text.split()))
            await _forget(connection, [before], change)
            change.said.add(before.id)
            await _derive_anew(connection, change)
        self._forget(change)
        return Correction((replace(before, text=text),), change.vectors())

    async def erase(self, platform: str, message_ids: Sequence[str], now: datetime) -> Correction:
        """Erases utterances, and the companion's replies of which one of these messages is a part."""
        erased: list[Utterance] = []
        change = _Change()
        async with self._database.writing() as connection:
            for some in some_at_a_time(message_ids):
                found = await _said_in(connection, platform, some)
                await _erase(connection, found, change)
                erased += found
                rows = [{"platform": platform, "message_id": message_id, "at": now} for message_id in some]
                await insert_new(connection, erased_messages, rows)
            await connection.execute(erased_messages.delete().where(erased_messages.c.at < now - KEPT))
            change.said.difference_update(utterance.id for utterance in erased)
            await _derive_anew(connection, change)
        self._forget(change)
        return Correction(tuple(erased), change.vectors())

    def _forget(self, change: _Change) -> None:
        self._events.forget([*change.removed[VectorKind.EVENT]])
        self._traits.forget([*change.removed[VectorKind.TRAIT], *change.altered])


async def _said_in(connection: AsyncConnection, platform: str, message_ids: Sequence[str]) -> list[Utterance]:
    """The utterances that these messages are, or are a part of, in order of id."""
    found: dict[int, Utterance] = {}
    for query in (select_utterances().where(with_message(platform, message_ids)), with_part(platform, message_ids)):
        for row in await connection.execute(query):
            found[row.id] = to_utterance(row)
    return [found[key] for key in sorted(found)]


async def _erase(connection: AsyncConnection, said: Sequence[Utterance], change: _Change) -> None:
    """Removes utterances with all that belongs to them: inbox, answers, outbox, jobs, and empty sessions."""
    await _forget(connection, said, change)
    ids = [utterance.id for utterance in said]
    await drop_jobs(connection, JobKind.TRAITS, ids)
    for some in some_at_a_time(ids):
        await connection.execute(utterances.delete().where(utterances.c.id.in_(some)))
    for utterance in said:
        await _add_words(connection, utterance.session_id, -len(utterance.text.split()))
    for session_id in {utterance.session_id for utterance in said if utterance.session_id}:
        await _shrink(connection, session_id, change)


async def _add_words(connection: AsyncConnection, session_id: int, words: int) -> None:
    chosen = sessions.update().where(sessions.c.id == session_id)
    await connection.execute(chosen.values(words=sessions.c.words + words))


async def _shrink(connection: AsyncConnection, session_id: int, change: _Change) -> None:
    """Sets the times of a session to those of what is left in it; one that is empty goes."""
    left = select(func.min(utterances.c.time), func.max(utterances.c.time)).where(utterances.c.session_id == session_id)
    first, last = (await connection.execute(left)).one()
    if first is not None:
        chosen = sessions.update().where(sessions.c.id == session_id)
        await connection.execute(chosen.values(started=first, last=last))
        return
    await _remove_events(connection, events.c.session_id == session_id, change)
    change.sessions.discard(session_id)
    await drop_jobs(connection, JobKind.SUMMARISE, [session_id])
    await connection.execute(sessions.delete().where(sessions.c.id == session_id))


async def _forget(connection: AsyncConnection, said: Sequence[Utterance], change: _Change) -> None:
    """Removes the events and traits that come from these utterances, and notes what is to be derived anew."""
    ids = [utterance.id for utterance in said]
    change.sessions.update(utterance.session_id for utterance in said if utterance.session_id)
    for some in some_at_a_time(ids):
        with_source = select(event_sources.c.event_id).where(event_sources.c.utterance_id.in_(some))
        await _remove_events(connection, events.c.id.in_(with_source), change)
        of_traits = select(trait_sources.c.trait_id).where(trait_sources.c.utterance_id.in_(some)).distinct()
        found = await read_traits(connection, (await connection.execute(of_traits)).scalars().all())
        await _remove_traits(connection, found, change)


async def _remove_events(connection: AsyncConnection, which: ColumnElement[bool], change: _Change) -> None:
    rows = (await connection.execute(select(events.c.id, events.c.place_key, events.c.session_id).where(which))).all()
    for row in rows:
        await connection.execute(events.delete().where(events.c.id == row.id))
        change.removed[VectorKind.EVENT][row.id] = row.place_key
        change.sessions.add(row.session_id)
    await _remove_uses(connection, "event", [row.id for row in rows])


async def _remove_traits(connection: AsyncConnection, found: Sequence[Trait], change: _Change) -> None:
    """Removes traits; those that they had superseded are current again.

    Of three that followed each other, the last was never compared with the first, which comes back when the one in
    the middle goes: so the last one goes too, and comes back by the jobs of its sources, which then compare the two.
    """
    removed = {trait.id: trait for trait in found}
    restored = await _superseded_by(connection, removed)
    after_removed = {removed[successor].superseded_by for successor in restored.values()}
    last = await read_traits(connection, sorted(key for key in after_removed if key and key not in removed))
    removed |= {trait.id: trait for trait in last}
    restored = await _superseded_by(connection, removed)
    for some in some_at_a_time(restored):
        await connection.execute(traits.update().where(traits.c.id.in_(some)).values(until=None, superseded_by=None))
    for some in some_at_a_time(removed):
        await connection.execute(traits.delete().where(traits.c.id.in_(some)))
    await _remove_uses(connection, "trait", removed)
    change.altered.update(restored)
    for trait in removed.values():
        change.removed[VectorKind.TRAIT][trait.id] = trait.place.key
        change.said.update(trait.sources)


async def _superseded_by(connection: AsyncConnection, removed: Collection[int]) -> dict[int, int]:
    """Trait that stays → the one of `removed` that had superseded it."""
    found: dict[int, int] = {}
    for some in some_at_a_time(removed):
        query = select(traits.c.id, traits.c.superseded_by).where(traits.c.superseded_by.in_(some))
        found.update((row.id, row.superseded_by) for row in await connection.execute(query) if row.id not in removed)
    return found


async def _remove_uses(connection: AsyncConnection, kind: str, ids: Iterable[int]) -> None:
    """No reply is remembered as having used these memories."""
    for some in some_at_a_time(ids):
        of_kind = (reply_memories.c.kind == kind, reply_memories.c.memory_id.in_(some))
        await connection.execute(reply_memories.delete().where(*of_kind))


async def _derive_anew(connection: AsyncConnection, change: _Change) -> None:
    """Makes the jobs due, and lets no reader and no index keep what was removed."""
    said = change.said | set(await _being_learnt(connection, change.removed[VectorKind.TRAIT].values()))
    await renew_jobs(connection, JobKind.TRAITS, said)
    for some in some_at_a_time(change.sessions):
        closed = select(sessions.c.id).where(sessions.c.id.in_(some), sessions.c.state == "closed")
        await renew_jobs(connection, JobKind.SUMMARISE, (await connection.execute(closed)).scalars().all())
    if change.removed[VectorKind.EVENT]:
        await count_up(connection)
    if any(change.removed.values()):
        await note_removal(connection)


async def _being_learnt(connection: AsyncConnection, place_keys: Iterable[str]) -> list[int]:
    """The utterances whose traits are being compared, right now, with what was known in these places."""
    found: list[Any] = []
    for some in some_at_a_time(place_keys):
        query = select(jobs.c.subject).join(utterances, utterances.c.id == jobs.c.subject)
        leased = query.where(jobs.c.state == "leased", jobs.c.kind == JobKind.TRAITS.value)
        found += (await connection.execute(leased.where(utterances.c.place_key.in_(some)))).scalars().all()
    return found
