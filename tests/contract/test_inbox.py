"""The contract of `bot.ports.Inbox`."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.exc import StatementError

from bot.domain import Job, JobKind, Place, PlaceKind, Quotation, Recollection, SessionLimits, Utterance
from bot.storage.conversation.inbox import UNSEEN
from tests.looking import open_session
from tests.stored import ANNS_DM, BEN, BENS_DM, BETA, START, Rows, reply_to

SECOND = timedelta(seconds=1)
LIMITS = SessionLimits(BETA, 1000)


async def test_what_is_accepted_is_pending_word_for_word(rows: Rows) -> None:
    said = replace(rows.utterance("Grüße 👋\nfrom  Ann"), to_bot=False)
    stored = await rows.inbox.accept(said)
    assert stored is not None
    assert stored.id > 0
    assert replace(stored, id=0, speaker=said.speaker) == said
    assert stored.speaker == replace(said.speaker, number=1)
    assert await rows.inbox.pending() == [stored]


async def test_of_what_it_replies_to_the_id_stays_where_that_is_stored_or_the_companions(rows: Rows) -> None:
    said = await rows.accept("first")
    await rows.outbox.draft(said.place, said.message_id, "draft-1")
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], Recollection(), [])
    assert outgoing is not None
    await rows.outbox.part_sent(outgoing.id, "sent-1")
    for link, kept in ((said.message_id, said.message_id), ("sent-1", "sent-1"), ("of nobody", UNSEEN), (None, None)):
        stored = await rows.inbox.accept(replace(rows.utterance(), reply_to=link))
        assert stored is not None
        assert stored.reply_to == kept
        assert (await rows.utterances.get([stored.id]))[0].reply_to == kept


async def test_what_it_replies_to_may_still_be_growing(rows: Rows) -> None:
    said = await rows.accept("first")
    await rows.outbox.draft(said.place, said.message_id, "draft-1")
    stored = await rows.inbox.accept(replace(rows.utterance(), reply_to="draft-1"))
    assert stored is not None
    assert stored.reply_to == "draft-1"


async def test_a_redelivery_is_none_and_changes_nothing(rows: Rows) -> None:
    said = rows.utterance("first")
    stored = await rows.inbox.accept(said)
    assert await rows.inbox.accept(replace(said, text="second")) is None
    assert await rows.inbox.pending() == [stored]


async def test_what_joins_its_session_at_once_stands_in_it_as_if_appended(rows: Rows) -> None:
    first = await rows.inbox.accept(rows.utterance("first"), LIMITS)
    second = await rows.inbox.accept(rows.utterance("second", after=BETA), LIMITS)
    assert first is not None
    assert second is not None
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    assert (first.session_id, second.session_id) == (session.id, session.id)
    assert [said.text for said in session.utterances] == ["first", "second"]
    assert await rows.inbox.pending() == [first, second]
    assert await rows.sessions.append(second, BETA, 1000) == session
    assert await rows.sessions.get(session.id) == session


async def test_without_limits_it_waits_outside_every_session(rows: Rows) -> None:
    stored = await rows.accept()
    assert stored.session_id == 0
    assert await open_session(rows.sessions, ANNS_DM) is None


@pytest.mark.parametrize("limits", [LIMITS, SessionLimits(10 * BETA, 2)], ids=["after a gap", "too many words"])
async def test_what_its_session_does_not_take_closes_it_and_begins_another(rows: Rows, limits: SessionLimits) -> None:
    first = await rows.inbox.accept(rows.utterance("one two three"), limits)
    assert first is not None
    before = await open_session(rows.sessions, ANNS_DM)
    await rows.inbox.remembered([first.id])
    second = await rows.inbox.accept(rows.utterance("four", after=BETA + SECOND), limits)
    after = await open_session(rows.sessions, ANNS_DM)
    assert before is not None
    assert second is not None
    assert after is not None
    assert [said.text for said in after.utterances] == ["four"]
    assert second.session_id == after.id != before.id
    jobs = [await rows.jobs.claim(START + BETA, BETA) for _ in range(2)]
    assert before.id in {job.subject for job in jobs if job is not None and job.kind is JobKind.SUMMARISE}


async def test_every_place_has_its_own_session_to_join(rows: Rows) -> None:
    mine = await rows.inbox.accept(rows.utterance(), LIMITS)
    bens = await rows.inbox.accept(rows.utterance(speaker=BEN, place=BENS_DM), LIMITS)
    assert mine is not None
    assert bens is not None
    assert mine.session_id != bens.session_id


async def test_a_redelivery_joins_nothing(rows: Rows) -> None:
    said = rows.utterance("first")
    await rows.inbox.accept(said, LIMITS)
    before = await open_session(rows.sessions, ANNS_DM)
    assert await rows.inbox.accept(said, LIMITS) is None
    assert await open_session(rows.sessions, ANNS_DM) == before


async def test_a_redelivery_of_what_was_dealt_with_is_none_too(rows: Rows) -> None:
    said = rows.utterance()
    stored = await rows.inbox.accept(said)
    assert stored is not None
    await rows.inbox.remembered([stored.id])
    assert await rows.inbox.accept(said) is None
    assert await rows.inbox.pending() == []


async def test_the_same_message_id_on_two_platforms_is_two_messages(rows: Rows) -> None:
    said = rows.utterance()
    elsewhere = replace(said, place=Place("other", PlaceKind.DM, "ann"))
    assert await rows.inbox.accept(said) is not None
    assert await rows.inbox.accept(elsewhere) is not None


async def test_many_deliveries_at_once_store_each_message_once(rows: Rows) -> None:
    said = [rows.utterance(str(number)) for number in range(20)]
    accepted = await asyncio.gather(*(rows.inbox.accept(utterance) for utterance in said * 3))
    stored = [utterance for utterance in accepted if utterance is not None]
    assert sorted(utterance.message_id for utterance in stored) == sorted(utterance.message_id for utterance in said)
    assert len({utterance.id for utterance in stored}) == len(said)


async def test_pending_is_oldest_first_and_can_be_of_one_place(rows: Rows) -> None:
    first = await rows.accept(place=BENS_DM)
    second = await rows.accept(place=ANNS_DM)
    third = await rows.accept(place=BENS_DM)
    assert await rows.inbox.pending() == [first, second, third]
    assert await rows.inbox.pending(BENS_DM) == [first, third]


async def test_remembered_takes_out_those_alone_and_adds_jobs_once(rows: Rows) -> None:
    first, second = await rows.accept(), await rows.accept()
    for _ in range(2):
        await rows.inbox.remembered([first.id], [Job(JobKind.TRAITS, first.id)])
    assert await rows.inbox.pending() == [second]
    assert (await rows.utterances.counts()).rows["jobs"] == 1


async def test_what_was_answered_stays_answered(rows: Rows) -> None:
    said = await rows.accept()
    reply = Utterance(ANNS_DM, "r", rows.utterance().speaker, "hi", START)
    assert await rows.outbox.commit(reply, [said.id], Recollection(), []) is not None
    await rows.inbox.remembered([said.id])
    counts = (await rows.utterances.counts()).rows
    assert counts["inbox answered"] == 1
    assert "inbox remembered" not in counts


async def test_text_that_no_database_takes_is_mended(rows: Rows) -> None:
    stored = await rows.accept("a\ud800b\x00c")
    assert stored.text == "a\ufffdb\ufffdc"
    assert await rows.inbox.pending() == [stored]


async def test_a_time_without_zone_is_refused(rows: Rows) -> None:
    with pytest.raises(StatementError, match="no time zone"):
        await rows.inbox.accept(replace(rows.utterance(), time=START.replace(tzinfo=None)))
    assert await rows.inbox.pending() == []


async def test_what_was_refused_is_known_and_nothing_of_it_is_stored(rows: Rows) -> None:
    said, other = rows.utterance("too much"), rows.utterance("also")
    await rows.inbox.refused(said)
    await rows.inbox.refused(said)
    assert [await rows.inbox.was_refused(one) for one in (said, other)] == [True, False]
    assert await rows.inbox.pending() == []
    assert await rows.inbox.accept(said) is not None


async def test_words_that_are_quoted_are_not_stored(rows: Rows) -> None:
    quoting = Quotation("Bob", "The party is at nine", "test:bob")
    stored = await rows.inbox.accept(replace(rows.utterance("and?"), quoting=quoting))
    assert stored is not None
    assert stored.quoting == quoting
    assert [one.quoting for one in await rows.inbox.pending()] == [None]
