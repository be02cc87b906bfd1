"""The contract of `bot.ports.Outbox`."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from bot.domain import (
    Draft,
    Event,
    Job,
    JobKind,
    Outgoing,
    Place,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Trait,
    UsedMemories,
    Utterance,
)
from bot.storage.conversation.shared_outbox import SqlSharedOutbox
from bot.storage.shared.privacy_tables import reply_sources
from bot.storage.shared.tables import reply_memories
from tests.looking import open_session
from tests.postgres import Server
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, BETA, HALL, START, Rows, reply_to

NOTHING = Recollection()
SHARED = "postgres of several processes"


@pytest.fixture(params=["file", "postgres", SHARED])
def server(request: pytest.FixtureRequest) -> Server | None:
    """As everywhere, and once more for the outbox that gateways and workers have."""
    return None if request.param == "file" else request.getfixturevalue("postgres")


@pytest.fixture
def rows(rows: Rows, request: pytest.FixtureRequest) -> Rows:
    """The stores, with the outbox of several processes where that is meant."""
    if request.node.callspec.params["server"] == SHARED:
        rows.outbox = SqlSharedOutbox(rows.database)
    return rows


async def test_a_reply_is_stored_in_the_session_and_ready_to_send(rows: Rows) -> None:
    said = await rows.accept()
    session = await rows.sessions.append(said, BETA, 1000)
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [])
    assert outgoing is not None
    assert (outgoing.place, outgoing.text, outgoing.in_reply_to) == (ANNS_DM, "hi", said.message_id)
    assert not outgoing.uncertain
    assert await rows.outbox.undelivered() == [outgoing]
    assert await rows.inbox.pending() == []
    stored = await rows.sessions.get(session.id)
    assert stored is not None
    assert [(line.speaker.id, line.text) for line in stored.utterances] == [(ANN.id, "hello"), (AGENT.id, "hi")]


async def test_a_second_reply_is_refused_and_nothing_of_it_stays(rows: Rows) -> None:
    first, second = await rows.accept(), await rows.accept()
    assert await rows.outbox.commit(reply_to(first), [first.id], NOTHING, []) is not None
    before = await rows.utterances.counts()
    again = await rows.outbox.commit(reply_to(second), [first.id, second.id], NOTHING, [Job(JobKind.TRAITS, 0)])
    assert again is None
    assert await rows.utterances.counts() == before
    assert await rows.inbox.pending() == [second]


async def test_of_two_replies_at_once_one_is_taken(rows: Rows) -> None:
    said = await rows.accept()
    replies = [Utterance(ANNS_DM, f"r{number}", AGENT, "hi", START) for number in range(5)]
    taken = await asyncio.gather(*(rows.outbox.commit(reply, [said.id], NOTHING, []) for reply in replies))
    assert sum(outgoing is not None for outgoing in taken) == 1
    assert len(await rows.outbox.undelivered()) == 1


async def test_one_reply_may_answer_a_burst(rows: Rows) -> None:
    burst = [await rows.accept(), await rows.accept()]
    assert await rows.outbox.commit(reply_to(burst[-1]), [said.id for said in burst], NOTHING, []) is not None
    assert await rows.inbox.pending() == []
    assert await rows.outbox.commit(Utterance(ANNS_DM, "x", AGENT, "hi", START), [burst[0].id], NOTHING, []) is None


async def test_an_erased_utterance_gets_no_reply(rows: Rows) -> None:
    assert await rows.outbox.commit(Utterance(ANNS_DM, "x", AGENT, "hi", START), [99], NOTHING, []) is None
    assert (await rows.utterances.counts()).rows["utterances"] == 0


async def test_a_job_without_subject_is_about_the_reply(rows: Rows) -> None:
    said = await rows.accept()
    await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [Job(JobKind.TRAITS, 0), Job(JobKind.TRAITS, said.id)])
    [reply] = [line for line in await rows.utterances.recent(ANNS_DM, 5) if line.speaker.is_agent]
    jobs = [await rows.jobs.claim(START, timedelta(minutes=1)) for _ in range(2)]
    assert {job.subject for job in jobs if job is not None} == {reply.id, said.id}


async def test_the_memories_it_used_are_recorded(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    recalled = Recollection((RecalledEvent(event, 1, 1, 0, 1),), (RecalledTrait(trait, 0.5),))
    said = await rows.accept()
    await rows.outbox.commit(reply_to(said), [said.id], recalled, [])
    async with rows.database.reading() as connection:
        stored = (await connection.execute(select(reply_memories.c.kind, reply_memories.c.memory_id))).all()
    assert sorted(map(tuple, stored)) == [("event", event.id), ("trait", trait.id)]


async def test_a_reply_to_a_session_that_was_closed_meanwhile_still_belongs_there(rows: Rows) -> None:
    said = await rows.accept()
    session = await rows.sessions.append(said, BETA, 1000)
    later = await rows.sessions.append(await rows.accept(after=3 * BETA), BETA, 1000)
    await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [])
    stored = await rows.sessions.get(session.id)
    assert stored is not None
    assert len(stored.utterances) == 2
    assert await open_session(rows.sessions, ANNS_DM) == later


async def test_the_way_of_a_reply(rows: Rows) -> None:
    said = [await rows.accept() for _ in range(3)]
    first, second, third = [await rows.outbox.commit(reply_to(one), [one.id], NOTHING, []) for one in said]
    assert first is not None
    assert second is not None
    assert third is not None
    assert len({first.nonce, second.nonce, third.nonce}) == 3
    await rows.outbox.sending(first.id)
    left = await rows.outbox.undelivered()
    assert [(one.id, one.nonce, one.uncertain) for one in left] == [
        (first.id, first.nonce, True),
        (second.id, second.nonce, False),
        (third.id, third.nonce, False),
    ]
    await rows.outbox.sent(first.id)
    await rows.outbox.failed(second.id, "Forbidden")
    assert [one.id for one in await rows.outbox.undelivered()] == [third.id]
    await rows.outbox.sending(first.id)
    await rows.outbox.sent(second.id)
    assert [one.id for one in await rows.outbox.undelivered()] == [third.id]
    assert (await rows.utterances.counts()).rows["outbox failed"] == 1


async def answered(rows: Rows, text: str = "hi", place: Place = ANNS_DM, recalled: Recollection = NOTHING) -> Outgoing:
    """A reply to something new, ready to send."""
    said = await rows.accept(place=place)
    outgoing = await rows.outbox.commit(reply_to(said, text), [said.id], recalled, [])
    assert outgoing is not None
    return outgoing


async def test_what_was_remembered_may_be_answered_once(rows: Rows) -> None:
    said = await rows.accept(place=HALL)
    await rows.inbox.remembered([said.id])
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, []) is not None
    again = Utterance(HALL, "again", AGENT, "hi", START)
    assert await rows.outbox.commit(again, [said.id], NOTHING, []) is None


async def test_the_parts_that_arrived_are_known_to_the_next_process(rows: Rows) -> None:
    first, second = await answered(rows, "one"), await answered(rows, "two")
    await rows.outbox.sending(first.id)
    for part in ("p1", "p2"):
        await rows.outbox.part_sent(first.id, part)
    assert await rows.outbox.undelivered() == [replace(first, uncertain=True, parts=("p1", "p2")), second]
    await rows.outbox.sent(first.id)
    assert await rows.outbox.undelivered() == [second]


async def test_a_part_of_what_is_not_on_its_way_is_no_part(rows: Rows) -> None:
    outgoing = await answered(rows)
    await rows.outbox.part_sent(outgoing.id, "p1")
    await rows.outbox.sent(outgoing.id)
    for outgoing_id in (outgoing.id, 999):
        await rows.outbox.part_sent(outgoing_id, "late")
    assert list(await rows.utterances.by_message("chat", ["p1", "late"])) == ["p1"]


async def test_what_is_sent_at_once_is_on_its_way_to_the_next_process(rows: Rows) -> None:
    said, after_a_crash = await rows.accept(), Rows(rows.database).outbox
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [], at_once=True)
    assert outgoing is not None
    [here], [there] = await rows.outbox.undelivered(), await after_a_crash.undelivered()
    assert (here.uncertain, there.uncertain) == (False, True)
    assert replace(there, uncertain=False) == here == replace(outgoing, alone=False)
    await rows.outbox.sending(outgoing.id)
    assert [one.uncertain for one in await rows.outbox.undelivered()] == [True]
    await rows.outbox.put_back(outgoing.id)
    assert [one.uncertain for one in await after_a_crash.undelivered()] == [False]
    await rows.outbox.sending(outgoing.id)  # another attempt, which is recorded
    assert [one.uncertain for one in await after_a_crash.undelivered()] == [True]


async def test_what_waits_behind_another_reply_is_not_sent_at_once(rows: Rows) -> None:
    first, second, bens = await rows.accept(), await rows.accept(), await rows.accept(speaker=BEN, place=BENS_DM)
    after_a_crash, replies = Rows(rows.database).outbox, list[Outgoing]()
    for said, at_once in ((first, False), (second, True), (bens, True)):
        outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [], at_once=at_once)
        assert outgoing is not None
        replies.append(outgoing)
    assert [one.uncertain for one in await after_a_crash.undelivered()] == [False, False, True]
    await rows.outbox.sending(replies[1].id)  # not recorded before, so it is now
    assert [one.uncertain for one in await after_a_crash.undelivered()] == [False, True, True]


async def test_a_part_is_recorded_once(rows: Rows) -> None:
    outgoing = await answered(rows, "one")
    await rows.outbox.sending(outgoing.id)
    for part in ("p1", "p1", "p2"):
        assert await rows.outbox.part_sent(outgoing.id, part)
    assert [one.parts for one in await rows.outbox.undelivered()] == [("p1", "p2")]


async def test_the_last_part_ends_a_reply_and_no_other(rows: Rows) -> None:
    first, second = await answered(rows, "one"), await answered(rows, "two")
    for outgoing in (first, second):
        await rows.outbox.sending(outgoing.id)
    assert await rows.outbox.part_sent(first.id, "p1")
    assert await rows.outbox.part_sent(first.id, "p2", last=True)
    assert await rows.outbox.undelivered() == [replace(second, uncertain=True)]
    await rows.outbox.sent(first.id)
    assert not await rows.outbox.part_sent(first.id, "late", last=True)
    assert not await rows.outbox.part_sent(999, "late", last=True)
    assert list(await rows.utterances.by_message("chat", ["p1", "p2", "late"])) == ["p1", "p2"]
    assert await rows.outbox.part_sent(second.id, "p3")
    await rows.outbox.sent(second.id)
    assert await rows.outbox.undelivered() == []


async def test_the_last_part_takes_the_draft_along_too(rows: Rows) -> None:
    said = await rows.accept()
    await rows.outbox.draft(ANNS_DM, said.message_id, "d1")
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [], at_once=True)
    assert outgoing is not None
    assert await rows.outbox.part_sent(outgoing.id, "d1", last=True)
    assert await rows.outbox.drafts(ANNS_DM, said.message_id) is None
    assert await rows.outbox.undelivered() == []


async def test_a_draft_is_there_until_the_first_part_or_the_end(rows: Rows) -> None:
    said = await rows.accept()
    asked = said.message_id
    assert await rows.outbox.drafts(ANNS_DM, asked) is None
    for message_id in ("d1", "d2"):
        await rows.outbox.draft(ANNS_DM, asked, message_id)
    await rows.outbox.draft(BENS_DM, None, "d3")
    assert (await rows.outbox.drafts(ANNS_DM, asked), await rows.outbox.drafts(BENS_DM, None)) == ("d2", "d3")
    await rows.outbox.draft(BENS_DM, None, None)
    assert await rows.outbox.drafts(BENS_DM, None) is None
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [])
    assert outgoing is not None
    assert outgoing.draft == "d2"
    assert await rows.outbox.undelivered() == [outgoing]
    await rows.outbox.part_sent(outgoing.id, "d2")
    assert await rows.outbox.drafts(ANNS_DM, asked) is None


async def test_a_draft_belongs_to_one_reply_and_goes_to_no_other(rows: Rows) -> None:
    begun, first = [await answered(rows, text) for text in ("begun", "first")]
    await rows.outbox.draft(ANNS_DM, first.in_reply_to, "d1")
    await rows.outbox.draft(ANNS_DM, "of the next one", "d2")
    await rows.outbox.part_sent(begun.id, "p1")
    second = await answered(rows, "second")
    left = await rows.outbox.undelivered()
    assert [(one.id, one.draft) for one in left] == [(begun.id, None), (first.id, "d1"), (second.id, None)]
    assert second.draft is None
    await rows.outbox.draft(ANNS_DM, second.in_reply_to, "d2")  # a message shows one reply
    assert await rows.outbox.drafts(ANNS_DM, "of the next one") is None
    assert await rows.outbox.drafts(ANNS_DM, second.in_reply_to) == "d2"


async def test_drafts_that_no_unsent_reply_takes(rows: Rows) -> None:
    waiting, unsent, bens = await rows.accept(), await answered(rows), await rows.accept(place=BENS_DM)
    await rows.outbox.draft(ANNS_DM, waiting.message_id, "d1")
    await rows.outbox.draft(ANNS_DM, unsent.in_reply_to, "d2")
    await rows.outbox.draft(ANNS_DM, None, "d3")
    await rows.outbox.draft(BENS_DM, bens.message_id, "d4")
    await rows.erasures.erase_messages("chat", [bens.message_id], START)
    anns = [Draft(ANNS_DM, None, "d3", asked=False), Draft(ANNS_DM, waiting.message_id, "d1", asked=True)]
    found = await rows.outbox.unfinished(ANNS_DM)
    assert sorted(found, key=lambda draft: draft.asked) == anns
    everywhere = {(draft.message_id, draft.asked) for draft in await rows.outbox.unfinished()}
    assert everywhere == {("d1", True), ("d3", False), ("d4", False)}
    await rows.outbox.failed(unsent.id, "refused")
    assert Draft(ANNS_DM, unsent.in_reply_to, "d2", asked=False) in await rows.outbox.unfinished(ANNS_DM)


async def test_what_is_undelivered_in_a_place(rows: Rows) -> None:
    anns, bens = await answered(rows), await answered(rows, place=BENS_DM)
    assert await rows.outbox.undelivered(ANNS_DM) == [anns]
    assert await rows.outbox.undelivered() == [anns, bens]


async def test_the_memories_behind_a_reply(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    recalled = Recollection((RecalledEvent(event, 1, 1, 0, 1),), (RecalledTrait(trait, 0.5),))
    assert await rows.outbox.used(ANNS_DM) is None
    with_memories = await answered(rows, "with", recalled=recalled)
    for part in ("p1", "p2"):
        await rows.outbox.part_sent(with_memories.id, part)
    replies = await rows.utterances.by_message("chat", ["p1"])
    used = UsedMemories(replies["p1"], (event,), (trait,))
    assert await rows.outbox.used(ANNS_DM) == used
    await answered(rows, "without")
    last = await rows.outbox.used(ANNS_DM)
    assert last is not None
    assert (last.reply.text, last.events, last.traits) == ("without", (), ())
    assert await rows.outbox.used(ANNS_DM, "p2") == used
    assert await rows.outbox.used(BENS_DM, "p2") is None
    assert await rows.outbox.used(ANNS_DM, "unknown") is None


async def test_a_reply_that_was_refused_is_not_the_last_one(rows: Rows) -> None:
    await answered(rows, "seen")
    await rows.outbox.failed((await answered(rows, "refused")).id, "dm_closed")
    last = await rows.outbox.used(ANNS_DM)
    assert last is not None
    assert last.reply.text == "seen"


async def told(rows: Rows) -> tuple[Event, Trait, Recollection]:
    """An event and a trait of something that Ann said in the hall as m1, and both as they come to mind."""
    session = await rows.converse(HALL, [ANN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    return event, trait, Recollection((RecalledEvent(event, 1, 1, 0, 1),), (RecalledTrait(trait, 0.5),))


async def test_what_a_reply_was_shown_is_recorded_with_what_it_answers(rows: Rows) -> None:
    said = [await rows.accept() for _ in range(4)]
    shown = {one.id: one.text for one in (said[0], said[2], said[3])}
    assert await rows.outbox.commit(reply_to(said[3]), [said[1].id, said[3].id], NOTHING, [], shown) is not None
    async with rows.database.reading() as connection:
        stored = (await connection.execute(select(reply_sources.c.reply_id, reply_sources.c.utterance_id))).all()
    assert sorted(map(tuple, stored)) == [(5, one.id) for one in said]


async def test_a_reply_that_was_shown_what_is_not_there_any_more_is_refused(rows: Rows) -> None:
    secret, said = await rows.accept("my secret", place=HALL), await rows.accept("hello", speaker=BEN, place=HALL)
    await rows.erasures.erase_messages("chat", [secret.message_id], START)
    before = await rows.utterances.counts()
    jobs = [Job(JobKind.TRAITS, 0)]
    shown = {one.id: one.text for one in (secret, said)}
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, jobs, shown) is None
    assert await rows.utterances.counts() == before
    assert await rows.inbox.pending() == [said]
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, jobs, {said.id: said.text}) is not None


async def test_a_reply_that_was_shown_what_says_something_else_by_now_is_refused(rows: Rows) -> None:
    edited, said = await rows.accept("my PIN is 4711"), await rows.accept("what is it?")
    shown = {one.id: one.text for one in (edited, said)}
    await rows.corrections.edit("chat", edited.message_id, "my PIN is secret")
    before = await rows.utterances.counts()
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [], shown) is None
    assert await rows.utterances.counts() == before
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [], shown | {edited.id: "my PIN is secret"})


async def test_words_that_no_database_takes_are_compared_as_they_are_stored(rows: Rows) -> None:
    said = await rows.accept("hm \ud83d\x00")
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [], {said.id: "hm \ud83d\x00"}) is not None


@pytest.mark.parametrize("kind", ["event", "trait"])
async def test_a_reply_that_was_shown_a_memory_that_went_since_is_refused(rows: Rows, kind: str) -> None:
    _, _, recalled = await told(rows)
    recalled = replace(recalled, traits=()) if kind == "event" else replace(recalled, events=())
    said = await rows.accept()
    await rows.erasures.erase_messages("chat", ["m1"], START)
    before = await rows.utterances.counts()
    assert await rows.outbox.commit(reply_to(said), [said.id], recalled, []) is None
    assert await rows.utterances.counts() == before
    assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, []) is not None


async def test_a_reply_that_was_shown_a_memory_of_words_edited_since_is_refused(rows: Rows) -> None:
    _, _, recalled = await told(rows)
    said = await rows.accept()
    await rows.corrections.edit("chat", "m1", "something else")
    assert await rows.outbox.commit(reply_to(said), [said.id], recalled, []) is None


async def test_a_memory_that_was_superseded_is_still_there(rows: Rows) -> None:
    _, old, recalled = await told(rows)
    new = Trait(ANN.id, HALL, "I dance.", START, old.sources)
    await rows.traits.apply(await rows.leased(), [new], superseded=[(old.id, 0, START)])
    said = await rows.accept()
    assert await rows.outbox.commit(reply_to(said), [said.id], recalled, []) is not None
