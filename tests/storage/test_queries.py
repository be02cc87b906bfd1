"""The hot queries use an index: none of them reads a whole table that grows."""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from bot.domain import (
    ChannelMode,
    Character,
    Composed,
    Event,
    Job,
    JobKind,
    Place,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Trait,
    Utterance,
    Why,
)
from bot.storage.engine.database import open_database
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.shared.privacy_tables import opt_outs, privacy
from tests.contract.checkins import WISHES
from tests.stored import AGENT, ANN, ANNS_DM, BETA, HALL, OTHER_HALL, START, Rows, reply_to, trait_of

LEASE = timedelta(minutes=5)
REMNANTS = re.compile(r"SELECT (\S+) \nFROM \S+ \nWHERE \1 IS NOT NULL")
"""After an erasure all text columns are read, to look for what should be gone: on purpose, and in no transaction."""
SMALL = (
    "SCAN link_codes",
    "SCAN first",
    "SCAN gone_events",
    "SCAN found",
    "SCAN known",
    "SCAN spoken_in_0",
    "SCAN spoken_in_1",
)
"""Codes of the last ten minutes, of which those that are over go whenever one is typed; sessions that were touched;
events that an erasure takes; what is found, of which everything is to be handed over or counted; and the places in
which somebody has spoken, which are found one after the other in an index."""


async def accept(rows: Rows) -> object:
    return await rows.accept()


async def append(rows: Rows) -> object:
    return await rows.sessions.append(await rows.accept(), BETA, 100)


async def commit(rows: Rows) -> object:
    said = await rows.accept()
    await rows.sessions.append(said, BETA, 100)
    reply = rows.utterance(speaker=AGENT)
    recalled = recollection(await rows.events.get([1]), await rows.traits.current(ANN.id, HALL))
    shown = {1: "something", 2: "something", said.id: said.text}
    outgoing = await rows.outbox.commit(reply, [said.id], recalled, [Job(JobKind.TRAITS, 0)], shown)
    assert outgoing is not None
    return outgoing


async def send(rows: Rows) -> object:
    said = await rows.accept()
    outgoing = await rows.outbox.commit(rows.utterance(speaker=AGENT), [said.id], Recollection(), [])
    assert outgoing is not None
    await rows.outbox.draft(ANNS_DM, "m1", "d1")
    await rows.outbox.sending(outgoing.id)
    await rows.outbox.part_sent(outgoing.id, "p1")
    await rows.outbox.sent(outgoing.id)
    return outgoing


async def linked(rows: Rows) -> Place:
    """The DM of somebody with two identities."""
    identities = SqlIdentities(rows.database)
    await identities.offer("post:ann", "owl", START + LEASE)
    await identities.link(ANN.id, "owl", START)
    return ANNS_DM


async def sharing(rows: Rows) -> Place:
    """A channel of a server that shares what is said in HALL."""
    await rows.channels.set_public({HALL: True})
    await rows.channels.set_sharing(OTHER_HALL, ANN.id, on=True)
    return OTHER_HALL


async def link_and_part(rows: Rows) -> object:
    """Links two people who have decided something, and parts them again."""
    async with rows.database.writing() as connection:
        for person in (ANN.id, "post:ann"):
            await connection.execute(privacy.insert().values(person_id=person, consent="agreed"))
            await connection.execute(opt_outs.insert().values(person_id=person, scope=HALL.key))
    identities = SqlIdentities(rows.database)
    await linked(rows)
    await identities.of(ANN.id)
    return await identities.unlink(ANN.id)


async def correct(rows: Rows) -> object:
    """All that a correction can touch: an event, two traits one of which the other ended, a use, a job at work."""
    session = await rows.converse(HALL, [ANN, AGENT])
    await rows.event(session)
    old = await rows.trait(session, ANN)
    ended = [(old.id, 0, START)]
    await rows.traits.apply(await rows.leased(), [trait_of(session, ANN, "I live in Rome.")], superseded=ended)
    said, _ = session.utterances
    await rows.corrections.edit("chat", said.message_id, "other words")
    return await rows.erasures.erase_messages("chat", [said.message_id, "unknown"], START)


async def review(rows: Rows) -> object:
    """A review for signs of danger, from its beginning to its end, with a check-in that it has to look at."""
    await check_in(rows)
    reviews = rows.safety_reviews
    await reviews.begin("1")
    await reviews.behind_unsent()
    [said, *_] = await reviews.unreviewed(9)
    await reviews.reviewed(said.id, [said.id], START)
    await reviews.end()
    await reviews.forget()
    return said


async def archive(rows: Rows) -> object:
    session = await rows.converse(HALL, [ANN, AGENT])
    return await rows.passages.archive(session.id, [], await rows.leased(JobKind.ARCHIVE))


async def check_in(rows: Rows) -> object:
    """A check-in on its whole way, and all that is asked of it."""
    await rows.checkins.choose(WISHES)
    checkins = rows.checkins
    due = [*await checkins.due(START + 9 * BETA, 50), *await checkins.astray(START, 50), *await checkins.planned(50)]
    assert await checkins.plan(due[0], WISHES.next_at)
    assert await checkins.claim(WISHES, START + 99 * BETA, START) is not None
    claimed = await checkins.take_over(START + BETA, LEASE)
    assert claimed is not None
    words = Composed("How are you?", "", "", ((1, "something"),))
    utterance = Utterance(ANNS_DM, "", AGENT, "", START + 2 * BETA)
    outgoing = await checkins.compose(claimed, utterance, words, START + BETA)
    assert outgoing is not None
    await checkins.rethink(claimed.id, "", "", [(1, "something")], outgoing.id)
    await checkins.opened(2)
    await checkins.spoken_of(ANN.id, 9)
    await checkins.latest(9, ANN.id)
    await checkins.withdraw(claimed.id, Why.LATE)
    await checkins.unsaid(9)
    await checkins.helped(ANN.id, START)
    await checkins.answered(ANN.id, START)
    await checkins.is_readable(claimed.id)
    await checkins.unplanned(50)
    await checkins.set_right(START + 99 * BETA)
    await checkins.skip(claimed, Why.LATE)
    await checkins.prune(START)
    return await checkins.circumstances(ANN.id, START + 9 * BETA)


async def character(rows: Rows) -> object:
    assert await rows.characters.put(Character(ANN.id, "INFP", sources=(1,)))
    return await rows.characters.of(ANN.id)


def on(
    prepared: Callable[[Rows], Awaitable[Place]], asked: Callable[[Rows, Place], Awaitable[object]]
) -> Callable[[Rows], Awaitable[object]]:
    """What is asked of the place that was prepared."""

    async def both(rows: Rows) -> object:
        return await asked(rows, await prepared(rows))

    return both


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
    "unprocessed": lambda rows: rows.utterances.unprocessed([ANN.id], 60),
    "place names": lambda rows: rows.utterances.place_names([ANNS_DM, HALL]),
    "dms": lambda rows: rows.utterances.dms("chat"),
    "mode": lambda rows: rows.channels.mode(HALL),
    "set mode": lambda rows: rows.channels.set_mode(HALL, ChannelMode.OPEN, ANN.id),
    "shares": lambda rows: rows.channels.shares(HALL),
    "set sharing": sharing,
    "set public": lambda rows: rows.channels.set_public({HALL: True}),
    "link and part": link_and_part,
    "spent": lambda rows: rows.usage.spent(START.date(), [ANN.id, "chat:server"]),
    "seen": lambda rows: rows.presence.saw("chat", START),
    "jobs waiting": lambda rows: rows.jobs.waiting(),
    "pending": lambda rows: rows.inbox.pending(),
    "pending in a place": lambda rows: rows.inbox.pending(ANNS_DM),
    "close": lambda rows: rows.sessions.close(ANNS_DM),
    "close idle": lambda rows: rows.sessions.close_idle(START + 2 * BETA, START + 4 * BETA),
    "undelivered": lambda rows: rows.outbox.undelivered(),
    "undelivered in a place": lambda rows: rows.outbox.undelivered(ANNS_DM),
    "events in a DM": lambda rows: rows.events.readable_in(ANNS_DM),
    "events in a channel": lambda rows: rows.events.readable_in(HALL),
    "events in a linked DM": on(linked, lambda rows, place: rows.events.readable_in(place)),
    "events where it is shared": on(sharing, lambda rows, place: rows.events.readable_in(place)),
    "traits in a linked DM": on(linked, lambda rows, place: rows.traits.readable_in(place, [ANN.id, AGENT.id])),
    "traits where it is shared": on(sharing, lambda rows, place: rows.traits.readable_in(place, [ANN.id, AGENT.id])),
    "events version": lambda rows: rows.events.version(),
    "events unindexed": lambda rows: rows.events.unindexed(64),
    "archive": archive,
    "passages in a DM": lambda rows: rows.passages.readable_in(ANNS_DM),
    "passages in a channel": lambda rows: rows.passages.readable_in(HALL),
    "passages in a linked DM": on(linked, lambda rows, place: rows.passages.readable_in(place)),
    "passages where it is shared": on(sharing, lambda rows, place: rows.passages.readable_in(place)),
    "passages by id": lambda rows: rows.passages.get([1, 2]),
    "passages unindexed": lambda rows: rows.passages.unindexed(64),
    "traits current": lambda rows: rows.traits.current(ANN.id, ANNS_DM),
    "traits in a DM": lambda rows: rows.traits.readable_in(ANNS_DM, [ANN.id, AGENT.id]),
    "traits in a channel": lambda rows: rows.traits.readable_in(HALL, [ANN.id, AGENT.id]),
    "traits of a page": lambda rows: rows.traits.readable_in(ANNS_DM, [ANN.id], [1, 2]),
    "events of a page": lambda rows: rows.events.readable_in(ANNS_DM, [1, 2]),
    "how many memories": lambda rows: rows.shelf.count(ANNS_DM, 100),
    "newest memories": lambda rows: rows.shelf.newest(ANNS_DM, 0, 20),
    "what others are called": lambda rows: rows.shelf.called(ANNS_DM),
    "memories with a word": lambda rows: rows.shelf.holding(ANNS_DM, ["sea"], 20, {"chat:2": "Ben"}),
    "newest memories in a linked DM": on(linked, lambda rows, place: rows.shelf.newest(place, 0, 20)),
    "channels somebody spoke in": lambda rows: rows.exports.channels([ANN.id]),
    "traits unindexed": lambda rows: rows.traits.unindexed(64),
    "claim": lambda rows: rows.jobs.claim(START, LEASE),
    "check-in": check_in,
    "review": review,
    "personality type": character,
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
    scans = [step for step in plans if re.match(r"SCAN (?!CONSTANT)", step) and " USING " not in step]
    assert [step for step in scans if step not in SMALL] == []
    assert [step for step in plans if "AUTOMATIC" in step] == []


async def answer_with_all(rows: Rows) -> None:
    """A reply that used memories, sent as p0."""
    said = await rows.accept(place=HALL)
    events, traits = await rows.events.readable_in(HALL), await rows.traits.readable_in(HALL, [ANN.id])
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], recollection(events, traits), [], {1: "something"})
    assert outgoing is not None
    await rows.outbox.part_sent(outgoing.id, "p0")


def recollection(events: Sequence[Event], traits: Sequence[Trait]) -> Recollection:
    """These, come to mind."""
    return Recollection(
        tuple(RecalledEvent(event, 1, 1, 0, 1) for event in events), tuple(RecalledTrait(trait, 1) for trait in traits)
    )


async def plans_of(rows: Rows, query: Callable[[Rows], Awaitable[object]]) -> list[str]:
    """The steps of SQLite's plans for all statements that `query` sends."""
    statements: list[tuple[str, object]] = []

    def listen(connection: Connection, cursor: object, statement: str, parameters: object, *others: object) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA", "EXPLAIN")) and not REMNANTS.fullmatch(statement):
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
