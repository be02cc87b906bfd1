"""Takes out of the tables what `closure.py` has chosen, and has the rest derived anew.

Nothing that is being derived meanwhile, from what was said before, can be stored afterwards: in the same transaction
the jobs concerned get new ids (`renew_jobs`), and a job's result is only stored under an id that is still there.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Erased, JobKind, Scope, Utterance, VectorKind, grouped
from bot.storage.engine.database import Database
from bot.storage.engine.store import Store
from bot.storage.memory.events import SqlEvents, count_up
from bot.storage.memory.relinking import link_anew, unlink_gone
from bot.storage.memory.traits import SqlTraits
from bot.storage.shared.care_rows import remove_characters, settle_gone, words_that_go
from bot.storage.shared.closure import gone_events, gone_traits, gone_utterances
from bot.storage.shared.index_marks import note_removal
from bot.storage.shared.privacy_tables import event_corrections
from bot.storage.shared.recall_tables import passages
from bot.storage.shared.rows import (
    awaits_answer,
    column_among,
    drop_jobs,
    renew_jobs,
    select_utterances,
    to_utterance,
    write_among,
)
from bot.storage.shared.sharing_tables import notices
from bot.storage.shared.tables import (
    event_speakers,
    event_topics,
    events,
    jobs,
    outbox,
    outbox_parts,
    reply_memories,
    sessions,
    trait_sources,
    traits,
    utterances,
)

LONG_NAME = 12
"""Characters from which a topic or a name is looked for by itself: shorter ones stand everywhere by chance."""

_GONE = select(gone_utterances.c.id)
_GONE_EVENTS = select(gone_events.c.id)
_GONE_TRAITS = select(gone_traits.c.id)


@dataclass
class Removed:
    """What one transaction took out."""

    utterances: list[Utterance] = field(default_factory=list)
    """In order of id."""
    message_ids: list[tuple[str, str]] = field(default_factory=list)
    """(platform, message id) of them, and of the messages that the companion's were sent as."""
    events: dict[int, str] = field(default_factory=dict)
    """Id → key of its place."""
    traits: dict[int, str] = field(default_factory=dict)
    """Id → key of its place."""
    passages: dict[int, str] = field(default_factory=dict)
    """Id → key of its place."""
    restored: list[int] = field(default_factory=list)
    """Traits that are current again."""
    texts: set[str] = field(default_factory=set)
    """All words that went, as far as they can be looked for."""
    counts: dict[str, int] = field(default_factory=dict)

    def vectors(self) -> tuple[tuple[Scope, tuple[int, ...]], ...]:
        """The vectors that must go."""
        kinds = ((VectorKind.EVENT, self.events), (VectorKind.TRAIT, self.traits), (VectorKind.PASSAGE, self.passages))
        found = grouped((Scope(kind, key), row_id) for kind, places in kinds for row_id, key in sorted(places.items()))
        return tuple((scope, tuple(ids)) for scope, ids in sorted(found.items()))


class Removing(Store):
    """A store that takes things out. `events`, `traits`: the stores that keep rows in memory."""

    def __init__(self, database: Database, events: SqlEvents, traits: SqlTraits) -> None:
        super().__init__(database)
        self._events = events
        self._traits = traits

    def _erased(self, erasure_id: int, removed: Removed) -> Erased:
        """What went, and has gone from memory too."""
        self._events.forget([*removed.events])
        self._traits.forget([*removed.traits, *removed.restored])
        return Erased(erasure_id, tuple(removed.utterances), tuple(sorted(removed.texts)), removed.vectors())


@dataclass
class _Anew:
    """What is to be derived again."""

    said: set[int]
    sessions: set[int]
    archives: set[int]
    """Sessions of which something is to become a passage."""


async def take_out(
    connection: AsyncConnection, *, said_anew: Sequence[int] = (), sessions_anew: Sequence[int] = ()
) -> Removed:
    """Removes what was chosen. `said_anew`, `sessions_anew`: utterances and sessions to be derived anew beside."""
    removed = await _read(connection)
    anew = _Anew(
        said={*said_anew, *await _sources_left(connection)},
        sessions={*sessions_anew, *await _sessions_of(connection)},
        archives={*sessions_anew},
    )
    removed.passages = await _remove_passages(connection, said_anew)
    # Whoever spoke in a channel may be reminded of that session: who said one thing there may not be any more.
    gone = removed.utterances or removed.events or removed.traits or removed.passages
    versioned = bool(gone) or await _corrects_an_event(connection)
    removed.restored = await _restore(connection)
    to_link = await unlink_gone(connection)
    await _unlink(connection)
    await _remove_memories(connection)
    await remove_characters(connection, said_anew)
    await settle_gone(connection)
    await _remove_utterances(connection, removed)
    await _shrink_sessions(connection, removed, anew)
    await _derive_anew(connection, anew, removed.traits.values())
    await link_anew(connection, to_link)
    if versioned:
        await count_up(connection)
    if removed.events or removed.traits or removed.passages:
        await note_removal(connection)
    return removed


async def _read(connection: AsyncConnection) -> Removed:
    """What goes, as it is."""
    removed = Removed()
    said = select_utterances().where(utterances.c.id.in_(_GONE)).order_by(utterances.c.id)
    removed.utterances = [to_utterance(row) for row in await connection.execute(said)]
    removed.message_ids = [(said.place.platform, said.message_id) for said in removed.utterances]
    parts = select(utterances.c.platform, outbox_parts.c.platform_message_id)
    parts = parts.join(outbox, outbox.c.utterance_id == utterances.c.id)
    parts = parts.join(outbox_parts, outbox_parts.c.outgoing_id == outbox.c.id).where(utterances.c.id.in_(_GONE))
    removed.message_ids += [(row[0], row[1]) for row in await connection.execute(parts)]
    event_rows = select(events.c.id, events.c.place_key, events.c.summary).where(events.c.id.in_(_GONE_EVENTS))
    trait_rows = select(traits.c.id, traits.c.place_key, traits.c.text).where(traits.c.id.in_(_GONE_TRAITS))
    for query, found in ((event_rows, removed.events), (trait_rows, removed.traits)):
        for row_id, place_key, text in await connection.execute(query):
            found[row_id] = place_key
            removed.texts.add(text)
    removed.texts.update(said.text for said in removed.utterances)
    removed.texts |= await words_that_go(connection)
    removed.texts.discard("")
    topics = await _read_names(connection, removed)
    by_agent = sum(said.speaker.is_agent for said in removed.utterances)
    removed.counts = {
        "utterances": len(removed.utterances) - by_agent,
        "replies": by_agent,
        "events": len(removed.events),
        "topics": topics,
        "traits": len(removed.traits),
    }
    return removed


async def _read_names(connection: AsyncConnection, removed: Removed) -> int:
    """Adds the names and topics that can be looked for; returns how many topics go."""
    of_topics = select(event_topics.c.noun).where(event_topics.c.event_id.in_(_GONE_EVENTS))
    of_speakers = select(event_speakers.c.name).where(event_speakers.c.event_id.in_(_GONE_EVENTS))
    topics = (await connection.execute(of_topics)).scalars().all()
    names = (await connection.execute(of_speakers.distinct())).scalars().all()
    every = {*topics, *names, *(said.speaker.name for said in removed.utterances)}
    removed.texts.update(name for name in every if name is not None and len(name) >= LONG_NAME)
    return len(topics)


async def _sources_left(connection: AsyncConnection) -> Sequence[int]:
    """The utterances that stay and of which a trait goes."""
    query = select(trait_sources.c.utterance_id).where(trait_sources.c.trait_id.in_(_GONE_TRAITS))
    left = query.where(trait_sources.c.utterance_id.not_in(_GONE))
    return (await connection.execute(left.distinct())).scalars().all()


async def _sessions_of(connection: AsyncConnection) -> set[int]:
    """The sessions that something goes from."""
    of_said = select(utterances.c.session_id).where(utterances.c.id.in_(_GONE), utterances.c.session_id.is_not(None))
    of_events = select(events.c.session_id).where(events.c.id.in_(_GONE_EVENTS))
    return {one for query in (of_said, of_events) for one in await connection.scalars(query.distinct())}


async def _corrects_an_event(connection: AsyncConnection) -> bool:
    """Whether an event is current again, because the trait that corrects it goes."""
    query = select(event_corrections.c.event_id).where(event_corrections.c.trait_id.in_(_GONE_TRAITS))
    return await connection.scalar(query.limit(1)) is not None


async def _restore(connection: AsyncConnection) -> list[int]:
    """Makes current again what was superseded by what goes; returns the ids."""
    query = select(traits.c.id).where(traits.c.superseded_by.in_(_GONE_TRAITS), traits.c.id.not_in(_GONE_TRAITS))
    found = list((await connection.execute(query)).scalars().all())
    await write_among(connection, traits.update().values(until=None, superseded_by=None), traits.c.id, found)
    return found


async def _unlink(connection: AsyncConnection) -> None:
    """Takes the ids of messages that go out of the lines that reply to them and stay."""
    line, gone = utterances.alias("line"), utterances.alias("gone")
    same = line.c.platform == gone.c.platform
    lines = select(line.c.id).select_from(gone)
    to_one = lines.join(line, and_(same, line.c.reply_to == gone.c.message_id))
    parts = lines.join(outbox, outbox.c.utterance_id == gone.c.id)
    parts = parts.join(outbox_parts, outbox_parts.c.outgoing_id == outbox.c.id)
    # An expression, so that SQLite goes from the parts to the lines and not from all lines to the parts.
    to_part = parts.join(line, and_(same, line.c.reply_to == outbox_parts.c.platform_message_id.concat("")))
    for links in (to_one, to_part):
        linked = utterances.update().where(utterances.c.id.in_(links.where(gone.c.id.in_(_GONE))))
        await connection.execute(linked.values(reply_to=None))


async def _remove_memories(connection: AsyncConnection) -> None:
    for kind, gone, rows in (("event", _GONE_EVENTS, events), ("trait", _GONE_TRAITS, traits)):
        of_kind = (reply_memories.c.kind == kind, reply_memories.c.memory_id.in_(gone))
        await connection.execute(reply_memories.delete().where(*of_kind))
        await connection.execute(rows.delete().where(rows.c.id.in_(gone)))


async def _remove_passages(connection: AsyncConnection, said_anew: Sequence[int]) -> dict[int, str]:
    """Removes the passages of what goes, and of utterances that say something else now; id → key of its place."""
    found: dict[int, str] = {}
    for chosen in (_GONE, *([said_anew] if said_anew else ())):
        of_them = passages.delete().where(passages.c.utterance_id.in_(chosen))
        removed = await connection.execute(of_them.returning(passages.c.id, passages.c.place_key))
        found.update({row.id: row.place_key for row in removed})
    return found


async def _remove_utterances(connection: AsyncConnection, removed: Removed) -> None:
    """Removes utterances with all that belongs to them: inbox, answers, outbox, jobs; notices that may quote them."""
    of_places = select(utterances.c.place_key).where(utterances.c.id.in_(_GONE))
    await connection.execute(notices.delete().where(notices.c.place_key.in_(of_places)))
    of_them = (jobs.c.kind == JobKind.TRAITS.value, jobs.c.subject.in_(_GONE))
    dropped = await connection.execute(jobs.delete().where(*of_them))
    removed.counts["jobs"] = dropped.rowcount
    await connection.execute(utterances.delete().where(utterances.c.id.in_(_GONE)))


async def _shrink_sessions(connection: AsyncConnection, removed: Removed, anew: _Anew) -> None:
    """Sets the times and words of sessions to those of what is left in them; those that are empty go."""
    words: defaultdict[int, int] = defaultdict(int)
    for said in removed.utterances:
        words[said.session_id] += len(said.text.split())
    words.pop(0, None)
    of_session = utterances.c.session_id
    left = {*await column_among(connection, select(of_session).distinct(), of_session, words)}
    empty = words.keys() - left
    await add_words(connection, {key: -number for key, number in words.items()})
    times = (select(of(utterances.c.time)).where(of_session == sessions.c.id) for of in (func.min, func.max))
    started, last = (time.scalar_subquery() for time in times)
    await write_among(connection, sessions.update().values(started=started, last=last), sessions.c.id, left)
    making = jobs.delete().where(jobs.c.kind.in_([JobKind.SUMMARISE.value, JobKind.ARCHIVE.value]))
    removed.counts["jobs"] += await write_among(connection, making, jobs.c.subject, empty)
    await write_among(connection, sessions.delete(), sessions.c.id, empty)
    anew.sessions.difference_update(empty)
    removed.counts["sessions"] = len(empty)


async def add_words(connection: AsyncConnection, words: dict[int, int]) -> None:
    """Adds to the words of sessions: id → how many, negative for fewer."""
    if words:
        update = sessions.update().where(sessions.c.id == bindparam("key"))
        rows = [{"key": key, "more": number} for key, number in words.items()]
        await connection.execute(update.values(words=sessions.c.words + bindparam("more")), rows)


async def _derive_anew(connection: AsyncConnection, anew: _Anew, place_keys: Iterable[str]) -> None:
    """Makes the jobs due."""
    await renew_jobs(connection, JobKind.TRAITS, anew.said | {*await _being_learnt(connection, place_keys)})
    is_closed = select(sessions.c.id).where(sessions.c.state == "closed")
    closed, unanswered = [
        await column_among(connection, is_closed.where(which), sessions.c.id, anew.sessions)
        for which in (~awaits_answer(), awaits_answer())
    ]
    for kind in (JobKind.SUMMARISE, JobKind.ARCHIVE):
        await drop_jobs(connection, kind, unanswered)
    await renew_jobs(connection, JobKind.SUMMARISE, closed)
    await renew_jobs(connection, JobKind.ARCHIVE, anew.archives.intersection(closed))


async def _being_learnt(connection: AsyncConnection, place_keys: Iterable[str]) -> list[int]:
    """The utterances whose traits are being compared, right now, with what was known in these places."""
    query = select(jobs.c.subject).join(utterances, utterances.c.id == jobs.c.subject)
    leased = query.where(jobs.c.state == "leased", jobs.c.kind == JobKind.TRAITS.value)
    return await column_among(connection, leased, utterances.c.place_key, place_keys)
