"""The hot queries use an index: none of them reads a whole table that grows."""

import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from bot.domain import ChannelMode, Job, JobKind, RecalledEvent, RecalledTrait, Recollection
from bot.storage.database import open_database
from tests.stored import AGENT, ANN, ANNS_DM, BETA, HALL, START, Rows, reply_to, trait_of

LEASE = timedelta(minutes=5)


async def accept(rows: Rows) -> object:
    return await rows.accept()


async def append(rows: Rows) -> object:
    return await rows.sessions.append(await rows.accept(), BETA, 100)


async def commit(rows: Rows) -> object:
    said = await rows.accept()
    await rows.sessions.append(said, BETA, 100)
    reply = rows.utterance(speaker=AGENT)
    return await rows.outbox.commit(reply, [said.id], Recollection(), [Job(JobKind.TRAITS, 0)])


async def send(rows: Rows) -> object:
    said = await rows.accept()
    outgoing = await rows.outbox.commit(rows.utterance(speaker=AGENT), [said.id], Recollection(), [])
    assert outgoing is not None
    await rows.outbox.draft(ANNS_DM, "m1", "d1")
    await rows.outbox.sending(outgoing.id)
    await rows.outbox.part_sent(outgoing.id, "p1")
    await rows.outbox.sent(outgoing.id)
    return outgoing


async def correct(rows: Rows) -> object:
    """All that a correction can touch: an event, two traits one of which the other ended, a use, a job at work."""
    session = await rows.converse(HALL, [ANN, AGENT])
    await rows.event(session)
    old = await rows.trait(session, ANN)
    ended = [(old.id, 0, START)]
    await rows.traits.apply(await rows.leased(), [trait_of(session, ANN, "I live in Rome.")], superseded=ended)
    said, _ = session.utterances
    await rows.corrections.edit("chat", said.message_id, "other words")
    return await rows.corrections.erase("chat", [said.message_id, "unknown"], START)


QUERIES: dict[str, Callable[[Rows], Awaitable[object]]] = {
    "accept": accept,
    "append": append,
    "commit": commit,
    "send": send,
    "correct": correct,
    "drafts": lambda rows: rows.outbox.drafts(ANNS_DM, "m1"),
    "unfinished drafts": lambda rows: rows.outbox.unfinished(ANNS_DM),
    "last reply": lambda rows: rows.outbox.used(HALL),
    "reply": lambda rows: rows.outbox.used(HALL, "p0"),
    "events by id": lambda rows: rows.events.get([1, 2]),
    "by message": lambda rows: rows.utterances.by_message("chat", ["m1", "p0"]),
    "place names": lambda rows: rows.utterances.place_names([ANNS_DM, HALL]),
    "dms": lambda rows: rows.utterances.dms("chat"),
    "mode": lambda rows: rows.channels.mode(HALL),
    "set mode": lambda rows: rows.channels.set_mode(HALL, ChannelMode.OPEN, ANN.id),
    "spend": lambda rows: rows.usage.spend(START.date(), [ANN.id, "chat:server"], 5),
    "seen": lambda rows: rows.presence.saw("chat", START),
    "jobs waiting": lambda rows: rows.jobs.waiting(),
    "pending": lambda rows: rows.inbox.pending(),
    "pending in a place": lambda rows: rows.inbox.pending(ANNS_DM),
    "open session": lambda rows: rows.sessions.open_session(ANNS_DM),
    "close idle": lambda rows: rows.sessions.close_idle(START + 2 * BETA, START + 4 * BETA),
    "undelivered": lambda rows: rows.outbox.undelivered(),
    "undelivered in a place": lambda rows: rows.outbox.undelivered(ANNS_DM),
    "events in a DM": lambda rows: rows.events.readable_in(ANNS_DM),
    "events in a channel": lambda rows: rows.events.readable_in(HALL),
    "events version": lambda rows: rows.events.version(),
    "events unindexed": lambda rows: rows.events.unindexed(64),
    "traits current": lambda rows: rows.traits.current(ANN.id, ANNS_DM),
    "traits in a DM": lambda rows: rows.traits.readable_in(ANNS_DM, [ANN.id, AGENT.id]),
    "traits in a channel": lambda rows: rows.traits.readable_in(HALL, [ANN.id, AGENT.id]),
    "traits unindexed": lambda rows: rows.traits.unindexed(64),
    "claim": lambda rows: rows.jobs.claim(START, LEASE),
    "tokens": lambda rows: rows.jobs.spend_tokens(START.date(), 0),
    "recent": lambda rows: rows.utterances.recent(ANNS_DM, 20),
    "get": lambda rows: rows.utterances.get([1, 2, 3]),
}


@pytest.mark.parametrize("name", QUERIES)
async def test_no_hot_query_scans_a_table(name: str, tmp_path: Path) -> None:
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}")
    rows = Rows(database)
    session = await rows.converse(HALL, [ANN, AGENT])
    await rows.event(session)
    await rows.trait(session, ANN)
    await answer_with_all(rows)
    plans = await plans_of(rows, QUERIES[name])
    await database.aclose()
    assert plans
    assert [step for step in plans if re.match(r"SCAN (?!CONSTANT)", step) and " USING " not in step] == []
    assert [step for step in plans if "AUTOMATIC" in step] == []


async def answer_with_all(rows: Rows) -> None:
    """A reply that used memories, sent as p0."""
    said = await rows.accept(place=HALL)
    events, traits = await rows.events.readable_in(HALL), await rows.traits.readable_in(HALL, [ANN.id])
    recalled = Recollection(
        tuple(RecalledEvent(event, 1, 1, 0, 1) for event in events),
        tuple(RecalledTrait(trait, 1) for trait in traits),
    )
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], recalled, [])
    assert outgoing is not None
    await rows.outbox.part_sent(outgoing.id, "p0")


async def plans_of(rows: Rows, query: Callable[[Rows], Awaitable[object]]) -> list[str]:
    """The steps of SQLite's plans for all statements that `query` sends."""
    statements: list[tuple[str, object]] = []

    def listen(connection: Connection, cursor: object, statement: str, parameters: object, *others: object) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA", "EXPLAIN")):
            statements.append((statement, parameters))

    engine = rows.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", listen)
    await query(rows)
    event.remove(engine, "before_cursor_execute", listen)
    steps: list[str] = []
    async with rows.database.reading() as connection:
        for statement, parameters in statements:
            first: Any = parameters[0] if isinstance(parameters, list) else parameters
            plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", first)
            steps += [row.detail for row in plan]
    return steps
