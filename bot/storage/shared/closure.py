"""What goes along when something is erased: everything that was made with it in view, and nothing else.

Erasing a set U of utterances erases, to a fixed point:

1. the companion's utterances that answer one of U; that were shown one of U, as `reply_sources` says: the outbox notes
   with each reply what its prompt held; and that were shown a memory that goes (`reply_memories`). Each of them counts
   as one of U from then on. What people said stays, unless it is in U: the words are theirs.
2. the events and traits that have a source in U; and, of three traits that followed each other, the last when the one
   in the middle goes: it was never compared with the first, which is current again, so it is learnt anew.

What the companion said in a conversation that was read from a file went through no outbox, so nobody knows what it was
made of. It goes when it came later in the session of one of U.

The set is built in temporary tables of the transaction's connection: they hold ids and no words. Each round starts
from what the one before added, so the work grows with what goes, not with what is kept.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Column, Index, Integer, MetaData, Select, Table, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.schema import CreateIndex, CreateTable

from bot.domain import AGENT_ID, Place, Selection
from bot.storage.engine.database import insert_into
from bot.storage.shared.privacy_tables import reply_sources
from bot.storage.shared.rows import some_at_a_time
from bot.storage.shared.tables import (
    answers,
    event_sources,
    event_speakers,
    events,
    outbox,
    reply_memories,
    trait_sources,
    traits,
    utterances,
)

_scratch = MetaData()


def _ids(name: str) -> Table:
    return Table(
        name,
        _scratch,
        Column("id", Integer, primary_key=True, autoincrement=False),
        Column("round", Integer, nullable=False),
        Index(f"ix_{name}_round", "round"),
        prefixes=["TEMPORARY"],
        postgresql_on_commit="DELETE ROWS",
    )


gone_utterances = _ids("gone_utterances")
gone_events = _ids("gone_events")
gone_traits = _ids("gone_traits")
_unchained = _ids("gone_unchained")
"""Traits that go because the one before them does."""

_ALONE = -1
"""The round of what is chosen without what comes from it: `close` starts from round 0."""

_DERIVED = ((event_sources, gone_events, "event_id"), (trait_sources, gone_traits, "trait_id"))
"""The sources of what is derived, where it is chosen, and the column of its id."""


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


async def choose_derived(connection: AsyncConnection, ids: Iterable[int]) -> None:
    """Puts into the tables the events and traits that have a source among these utterances, and nothing that was said.

    With them, the traits that cannot stay without them. Replies that were made with them in view stay.
    """
    for some in some_at_a_time(ids):
        for sources, table, key in _DERIVED:
            await _add(connection, table, select(sources.c[key]).where(sources.c.utterance_id.in_(some)), _ALONE)
    while await _break_chains(connection, _ALONE):
        pass


async def spare(connection: AsyncConnection, utterance_id: int) -> None:
    """Takes an utterance out of the tables; what was added because of it stays in them."""
    await connection.execute(gone_utterances.delete().where(gone_utterances.c.id == utterance_id))


def all_places(selection: Selection) -> list[str]:
    """The keys of the places that are selected, with the DMs of the people who are."""
    dms = (Place.dm_with(person) for person in selection.people if person != AGENT_ID)
    return list(dict.fromkeys([*selection.places, *(dm.key for dm in dms if dm.ref)]))


async def close(connection: AsyncConnection) -> None:
    """Adds what goes along."""
    number = 0
    while await _spread(connection, number) or await _complete(connection, number + 1):
        number += 1


async def _spread(connection: AsyncConnection, number: int) -> int:
    """Adds what comes directly from what round `number` added; returns how many utterances that were."""
    lately = select(gone_utterances.c.id).where(gone_utterances.c.round == number)
    for sources, table, key in _DERIVED:
        await _add(connection, table, select(sources.c[key]).where(sources.c.utterance_id.in_(lately)), number)
    replies = (*_replies(lately, number), _recorded(lately))
    return sum([await _add(connection, gone_utterances, query, number + 1) for query in replies])


def _replies(lately: Select[int], number: int) -> Iterable[Select[int]]:
    """The companion's utterances that were made with what round `number` added in view."""
    yield select(answers.c.reply_id).where(answers.c.utterance_id.in_(lately))
    yield select(reply_sources.c.reply_id).where(reply_sources.c.utterance_id.in_(lately))
    for kind, table in (("event", gone_events), ("trait", gone_traits)):
        memories = select(table.c.id).where(table.c.round == number)
        of_kind = (reply_memories.c.kind == kind, reply_memories.c.memory_id.in_(memories))
        yield select(reply_memories.c.reply_id).where(*of_kind)


def _recorded(lately: Select[int]) -> Select[int]:
    """What the companion said later in these sessions that came through no outbox."""
    line = utterances.alias("line")
    since = select(line.c.session_id, func.min(line.c.position).label("position"))
    since = since.where(line.c.id.in_(lately), line.c.session_id.is_not(None))
    first = since.group_by(line.c.session_id).subquery("first")
    later = select(utterances.c.id).join(first, first.c.session_id == utterances.c.session_id)
    # An expression, so that SQLite does not begin with all that the companion ever said.
    by_agent = utterances.c.speaker_id.concat("") == AGENT_ID
    sent = select(outbox.c.id).where(outbox.c.utterance_id == utterances.c.id)
    return later.where(utterances.c.position > first.c.position, by_agent, ~sent.exists())


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
        for table in (_unchained, gone_traits):
            await _add(connection, table, select(traits.c.id).where(traits.c.id.in_(some)), number)
    return len(found)


async def _add(connection: AsyncConnection, table: Table, query: Select[Any], number: int) -> int:
    """Adds the ids that `query` gives to a temporary table; returns how many were not in it. `query` has a WHERE."""
    rows = query.add_columns(literal(number, Integer))
    statement = insert_into(connection, table).from_select(["id", "round"], rows)
    added = await connection.execute(statement.on_conflict_do_nothing())
    return added.rowcount
