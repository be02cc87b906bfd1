"""What goes along when something is erased: everything that was made with it in view, and nothing else.

Erasing a set U of utterances erases, to a fixed point:

1. the companion's utterances that answer one of U; that were shown a memory that goes; that came later in the session
   of one of U, or in the next session of the place, as far as it was shown the end of the session before
   (`bot/conversation/context.py`); and that came later than a line that replies to one of U, because the model is
   shown what a line replies to. Each of them counts as one of U from then on. What people said stays, unless it is
   in U: the words are theirs.
2. the events and traits that have a source in U; and, of three traits that followed each other, the last when the one
   in the middle goes: it was never compared with the first, which is current again, so it is learnt anew.

The set is built in temporary tables of the transaction's connection: they hold ids and no words. Each round starts
from what the one before added, so the work grows with what goes, not with what is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Column, ColumnElement, Index, Integer, MetaData, Select, Table, and_, func, literal, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.schema import CreateIndex, CreateTable

from bot.domain import AGENT_ID, Place, PlaceKind, Selection
from bot.storage.database import insert_new
from bot.storage.privacy_tables import reply_sources
from bot.storage.rows import some_at_a_time
from bot.storage.tables import (
    answers,
    event_sources,
    event_speakers,
    events,
    outbox,
    outbox_parts,
    reply_memories,
    trait_sources,
    traits,
    utterances,
)

CARRIED_OVER = 4
"""That of `bot/conversation/context.py`: the first lines of a session that are shown the end of the one before."""

LINES_BEFORE = 2 * CARRIED_OVER - 1
"""How many lines before its first one such a session is shown at most."""

_scratch = MetaData()


def _ids(name: str) -> Table:
    columns = (Column("id", Integer, primary_key=True), Column("round", Integer, nullable=False))
    return Table(name, _scratch, *columns, Index(f"ix_{name}_round", "round"), prefixes=["TEMPORARY"])


gone_utterances = _ids("gone_utterances")
gone_events = _ids("gone_events")
gone_traits = _ids("gone_traits")
_shown = _ids("gone_shown")
"""What goes, and the lines that reply to it."""
_unchained = _ids("gone_unchained")
"""Traits that go because the one before them does."""


async def begin(connection: AsyncConnection) -> None:
    """Makes the temporary tables of this connection, empty."""
    for table in _scratch.sorted_tables:
        await connection.execute(CreateTable(table, if_not_exists=True))
        for index in table.indexes:
            await connection.execute(CreateIndex(index, if_not_exists=True))
        await connection.execute(table.delete())


async def choose(connection: AsyncConnection, selection: Selection) -> None:
    """Puts into the tables what is selected itself, that is: what is stored of it."""
    await choose_utterances(connection, selection.utterances)
    for some in some_at_a_time(person for person in selection.people if person != AGENT_ID):
        of_them = (
            (gone_utterances, select(utterances.c.id).where(utterances.c.speaker_id.in_(some))),
            (gone_events, select(event_speakers.c.event_id).where(event_speakers.c.speaker_id.in_(some))),
            (gone_traits, select(traits.c.id).where(traits.c.speaker_id.in_(some))),
        )
        for table, query in of_them:
            await _add(connection, table, query, 0)
    for some in some_at_a_time(all_places(selection)):
        for table, rows in ((gone_utterances, utterances), (gone_events, events), (gone_traits, traits)):
            await _add(connection, table, select(rows.c.id).where(rows.c.place_key.in_(some)), 0)


async def choose_utterances(connection: AsyncConnection, ids: Iterable[int]) -> None:
    """Puts these utterances into the tables, those that are stored."""
    for some in some_at_a_time(ids):
        await _add(connection, gone_utterances, select(utterances.c.id).where(utterances.c.id.in_(some)), 0)


async def choose_memories_of(connection: AsyncConnection, utterance_id: int) -> None:
    """Puts into the tables the memories that have this utterance as a source; and not the utterance."""
    for sources, table, key in ((event_sources, gone_events, "event_id"), (trait_sources, gone_traits, "trait_id")):
        await _add(connection, table, select(sources.c[key]).where(sources.c.utterance_id == utterance_id), 0)
    await _break_chains(connection, 1)


async def keep_sources_of_replies(connection: AsyncConnection) -> None:
    """Notes what the memories in the tables come from, for the replies that were shown them: both may part later."""
    for kind, sources, gone, key in (
        ("event", event_sources, gone_events, "event_id"),
        ("trait", trait_sources, gone_traits, "trait_id"),
    ):
        shown = select(reply_memories.c.reply_id, sources.c.utterance_id).join(
            sources, sources.c[key] == reply_memories.c.memory_id
        )
        of_kind = shown.where(reply_memories.c.kind == kind, reply_memories.c.memory_id.in_(select(gone.c.id)))
        rows = [row._asdict() for row in await connection.execute(of_kind)]
        await insert_new(connection, reply_sources, rows)


def all_places(selection: Selection) -> list[str]:
    """The keys of the places that are selected, with the DMs of the people who are."""
    people = (person.partition(":") for person in selection.people if person != AGENT_ID)
    dms = [Place(platform, PlaceKind.DM, ref).key for platform, _, ref in people if ref]
    return list(dict.fromkeys([*selection.places, *dms]))


async def close(connection: AsyncConnection, beta: timedelta) -> None:
    """Adds what goes along. `beta`: the gap that ends a session; over a longer one nothing is carried over."""
    number = 0
    while await _spread(connection, number, beta) or await _complete(connection, number + 1):
        number += 1


async def _spread(connection: AsyncConnection, number: int, beta: timedelta) -> int:
    """Adds what comes directly from what round `number` added; returns how many utterances that were."""
    lately = select(gone_utterances.c.id).where(gone_utterances.c.round == number)
    for sources, table, key in ((event_sources, gone_events, "event_id"), (trait_sources, gone_traits, "trait_id")):
        await _add(connection, table, select(sources.c[key]).where(sources.c.utterance_id.in_(lately)), number)
    await _add(connection, _shown, lately, number)
    for query in _links(lately):
        await _add(connection, _shown, query, number)
    added = 0
    for query in (*_replies(lately, number), *await _carried_over(connection, number, beta)):
        added += await _add(connection, gone_utterances, query, number + 1)
    return added


def _links(lately: Select[int]) -> Iterable[Select[int]]:
    """The lines that reply to one of these utterances, or to a message that it was a part of."""
    line, gone = utterances.alias("line"), utterances.alias("gone")
    same = line.c.platform == gone.c.platform
    lines = select(line.c.id).select_from(gone)
    yield lines.join(line, and_(same, line.c.reply_to == gone.c.message_id)).where(gone.c.id.in_(lately))
    parts = lines.join(outbox, outbox.c.utterance_id == gone.c.id)
    parts = parts.join(outbox_parts, outbox_parts.c.outgoing_id == outbox.c.id)
    # An expression, so that SQLite goes from the parts to the lines and not from all lines to the parts.
    answers_one = and_(same, line.c.reply_to == outbox_parts.c.platform_message_id.concat(""))
    yield parts.join(line, answers_one).where(gone.c.id.in_(lately))


def _replies(lately: Select[int], number: int) -> Iterable[Select[int]]:
    """The companion's utterances that were made with what round `number` added in view."""
    yield select(answers.c.reply_id).where(answers.c.utterance_id.in_(lately))
    for kind, table in (("event", gone_events), ("trait", gone_traits)):
        memories = select(table.c.id).where(table.c.round == number)
        of_kind = (reply_memories.c.kind == kind, reply_memories.c.memory_id.in_(memories))
        yield select(reply_memories.c.reply_id).where(*of_kind)
    yield select(reply_sources.c.reply_id).where(reply_sources.c.utterance_id.in_(lately))
    shown = select(_shown.c.id).where(_shown.c.round == number)
    yield select(utterances.c.id).where(utterances.c.id.in_(shown), _by_agent())
    line = utterances.alias("line")
    since = select(line.c.session_id, func.min(line.c.position).label("position"))
    since = since.where(line.c.id.in_(shown), line.c.session_id.is_not(None))
    first = since.group_by(line.c.session_id).subquery("first")
    later = select(utterances.c.id).join(first, first.c.session_id == utterances.c.session_id)
    yield later.where(utterances.c.position > first.c.position, _by_agent())


def _by_agent() -> ColumnElement[bool]:
    """An expression, so that SQLite does not begin with all that the companion ever said."""
    return utterances.c.speaker_id.concat("") == AGENT_ID


async def _carried_over(connection: AsyncConnection, number: int, beta: timedelta) -> list[Select[int]]:
    """The companion's first utterances in sessions that were shown the end of the one before."""
    times: list[tuple[int, datetime, datetime]] = [
        (row.session_id, row.began, row.last) for row in await connection.execute(_next_sessions(number))
    ]
    shown = [session_id for session_id, began, last in times if began - last <= beta]
    early = select(utterances.c.id).where(utterances.c.position < CARRIED_OVER, _by_agent())
    return [early.where(utterances.c.session_id.in_(some)) for some in some_at_a_time(shown)]


def _next_sessions(number: int) -> Select[Any]:
    """Sessions that began a few lines after what was shown, the time they began, and the time of the last such line."""
    said, first = utterances.alias("said"), utterances.alias("first")
    beside, line = utterances.alias("beside"), utterances.alias("line")
    after = select(line.c.id).where(line.c.place_key == said.c.place_key, line.c.id > said.c.id)
    after = after.order_by(line.c.id).limit(LINES_BEFORE).correlate(said)
    begins = select(func.min(beside.c.position)).where(beside.c.session_id == first.c.session_id).correlate(first)
    elsewhere = or_(said.c.session_id.is_(None), first.c.session_id != said.c.session_id)
    query = select(first.c.session_id, first.c.time.label("began"), func.max(said.c.time).label("last"))
    shown = select(_shown.c.id).where(_shown.c.round == number)
    joined = query.select_from(said).join(first, first.c.id.in_(after))
    chosen = joined.where(said.c.id.in_(shown), elsewhere, first.c.position == begins.scalar_subquery())
    return chosen.group_by(first.c.session_id, first.c.time)


async def _complete(connection: AsyncConnection, number: int) -> int:
    """When nothing more comes from anything: adds what cannot stay all the same, as round `number`; returns how many.

    That is what would be derived otherwise from what stays, and the events of sessions of which nothing does.
    """
    gone = select(gone_utterances.c.id)
    left = select(utterances.c.id).where(utterances.c.session_id == events.c.session_id, utterances.c.id.not_in(gone))
    shrunk = select(utterances.c.session_id).where(utterances.c.id.in_(gone))
    emptied = select(events.c.id).where(events.c.session_id.in_(shrunk), ~left.exists())
    return await _add(connection, gone_events, emptied, number) + await _break_chains(connection, number)


async def _break_chains(connection: AsyncConnection, number: int) -> int:
    """Adds the traits that ended one which goes and which had itself ended one that stays; returns how many.

    Asked when nothing more comes from anything. One step only: those that such a trait had ended are compared with
    their successors by its job.
    """
    before, middle = traits.alias("before"), traits.alias("middle")
    gone, unchained = select(gone_traits.c.id), select(_unchained.c.id)
    last = select(middle.c.superseded_by).join(before, before.c.superseded_by == middle.c.id)
    chosen = last.where(
        middle.c.id.in_(gone),
        middle.c.id.not_in(unchained),
        middle.c.superseded_by.not_in(gone),
        before.c.id.not_in(gone),
    )
    found: Sequence[int] = (await connection.execute(chosen.distinct())).scalars().all()
    for some in some_at_a_time(found):
        query = select(traits.c.id).where(traits.c.id.in_(some))
        for table in (_unchained, gone_traits):
            await _add(connection, table, query, number)
    return len(found)


async def _add(connection: AsyncConnection, table: Table, query: Select[Any], number: int) -> int:
    """Adds the ids that `query` gives to a temporary table; returns how many were not in it. `query` has a WHERE."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    rows = query.add_columns(literal(number, Integer))
    added = await connection.execute(insert(table).from_select(["id", "round"], rows).on_conflict_do_nothing())
    return added.rowcount
