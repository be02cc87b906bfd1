"""The contract of `bot.ports.Sessions` (LD-Agent eq. 4)."""

from datetime import timedelta

import pytest

from bot.domain import JobKind, Recollection, Session, Utterance
from bot.errors import StorageError
from tests.looking import open_session
from tests.stored import AGENT, ANNS_DM, BEN, BENS_DM, BETA, START, Rows

MANY_WORDS = 1000
SECOND = timedelta(seconds=1)
LATER = START + 10 * BETA


async def say(rows: Rows, text: str = "hello", after: timedelta = timedelta(0), max_words: int = MANY_WORDS) -> Session:
    return await rows.sessions.append(await rows.accept(text, after=after), BETA, max_words)


async def deal_with_all(rows: Rows) -> None:
    """Leaves nothing pending."""
    await rows.inbox.remembered([said.id for said in await rows.inbox.pending()])


async def jobs_due(rows: Rows) -> list[tuple[JobKind, int]]:
    found = []
    while (job := await rows.jobs.claim(START, timedelta(minutes=5))) is not None:
        found.append((job.kind, job.subject))
    return found


def memories_of(session: Session) -> list[tuple[JobKind, int]]:
    """What is to be done when a session has ended, in the order in which it is claimed."""
    return [(JobKind.SUMMARISE, session.id), (JobKind.ARCHIVE, session.id)]


async def test_the_first_utterance_opens_a_session(rows: Rows) -> None:
    assert await open_session(rows.sessions, ANNS_DM) is None
    session = await say(rows, "one")
    assert [said.text for said in session.utterances] == ["one"]
    assert session.utterances[0].session_id == session.id
    assert await open_session(rows.sessions, ANNS_DM) == session
    assert await rows.sessions.get(session.id) == session


async def test_a_gap_of_beta_goes_on_and_a_longer_one_starts_anew(rows: Rows) -> None:
    first = await say(rows)
    assert (await say(rows, after=BETA)).id == first.id
    assert await jobs_due(rows) == []
    third = await say(rows, after=2 * BETA + SECOND)
    assert third.id != first.id
    assert len(third.utterances) == 1
    assert await jobs_due(rows) == memories_of(first)


async def test_a_session_with_too_many_words_is_closed_by_the_next_utterance(rows: Rows) -> None:
    first = await say(rows, "one two three", max_words=3)
    assert (await say(rows, "four", max_words=3)).id == first.id
    assert (await say(rows, "five", max_words=3)).id != first.id
    assert await jobs_due(rows) == memories_of(first)


async def test_late_arrivals_neither_split_nor_turn_the_clock_back(rows: Rows) -> None:
    first = await say(rows, "now", after=10 * BETA)
    late = await say(rows, "late", after=9 * BETA)
    assert late.id == first.id
    assert [said.text for said in late.utterances] == ["now", "late"]
    assert (await say(rows, "next", after=11 * BETA)).id == first.id


async def test_a_session_of_a_clock_that_was_ahead_is_closed_by_the_next_utterance(rows: Rows) -> None:
    ahead = await say(rows, "in a year", after=365 * 24 * BETA)
    assert (await say(rows, "now")).id != ahead.id
    assert await jobs_due(rows) == memories_of(ahead)


async def test_appending_again_changes_nothing(rows: Rows) -> None:
    said = await rows.accept("once upon a time")
    first = await rows.sessions.append(said, BETA, MANY_WORDS)
    assert await rows.sessions.append(said, BETA, MANY_WORDS) == first
    assert await rows.sessions.append(said, BETA, max_words=0) == first
    assert await rows.sessions.get(first.id) == first


async def test_appending_again_gives_what_came_before_it(rows: Rows) -> None:
    early = await rows.accept("early")
    first = await rows.sessions.append(early, BETA, MANY_WORDS)
    await say(rows, "later")
    assert await rows.sessions.append(early, BETA, MANY_WORDS) == first


async def test_appending_again_after_the_close_gives_the_closed_session(rows: Rows) -> None:
    said = await rows.accept()
    first = await rows.sessions.append(said, BETA, MANY_WORDS)
    await deal_with_all(rows)
    assert await rows.sessions.close(ANNS_DM)
    assert await rows.sessions.append(said, BETA, MANY_WORDS) == first
    assert await open_session(rows.sessions, ANNS_DM) is None


async def test_a_reply_stands_between_what_it_answers_and_what_comes_next(rows: Rows) -> None:
    question, next_one = await rows.accept("question"), await rows.accept("next")
    await rows.sessions.append(question, BETA, MANY_WORDS)
    reply = Utterance(ANNS_DM, "r1", AGENT, "answer", START + SECOND)
    await rows.outbox.commit(reply, [question.id], Recollection(), [])
    session = await rows.sessions.append(next_one, BETA, MANY_WORDS)
    assert [said.text for said in session.utterances] == ["question", "answer", "next"]


async def test_places_have_sessions_of_their_own(rows: Rows) -> None:
    mine = await say(rows)
    other = await rows.sessions.append(await rows.accept(speaker=BEN, place=BENS_DM), BETA, MANY_WORDS)
    assert mine.id != other.id
    await rows.inbox.remembered([said.id for said in other.utterances])
    assert await rows.sessions.close(BENS_DM)
    assert await open_session(rows.sessions, ANNS_DM) == mine


async def test_close_ends_the_session_once(rows: Rows) -> None:
    session = await say(rows)
    await deal_with_all(rows)
    assert await rows.sessions.close(ANNS_DM)
    assert not await rows.sessions.close(ANNS_DM)
    assert await jobs_due(rows) == memories_of(session)
    assert (await say(rows)).id != session.id


async def test_a_session_is_not_closed_while_a_reply_is_on_its_way(rows: Rows) -> None:
    session = await say(rows)
    assert not await rows.sessions.close(ANNS_DM)
    assert await open_session(rows.sessions, ANNS_DM) == session
    assert await jobs_due(rows) == []
    await deal_with_all(rows)
    assert await rows.sessions.close(ANNS_DM)


async def test_what_is_pending_elsewhere_keeps_no_session_open(rows: Rows) -> None:
    await say(rows)
    await deal_with_all(rows)
    await rows.accept(speaker=BEN, place=BENS_DM)
    assert await rows.sessions.close(ANNS_DM)


async def test_a_session_that_lies_in_the_future_is_idle(rows: Rows) -> None:
    session = await say(rows, after=10 * BETA)
    await deal_with_all(rows)
    assert await rows.sessions.close_idle(START, START + 10 * BETA) == 0
    assert await rows.sessions.close_idle(START, START + 10 * BETA - SECOND) == 1
    assert await jobs_due(rows) == memories_of(session)


async def test_idle_sessions_are_closed_by_time(rows: Rows) -> None:
    session = await say(rows)
    await rows.inbox.remembered([said.id for said in session.utterances])
    assert await rows.sessions.close_idle(START, LATER) == 0
    assert await rows.sessions.close_idle(START + SECOND, LATER) == 1
    assert await rows.sessions.close_idle(START + SECOND, LATER) == 0
    assert await jobs_due(rows) == memories_of(session)


async def test_a_session_whose_place_has_something_pending_is_not_idle(rows: Rows) -> None:
    session = await say(rows)
    assert await rows.sessions.close_idle(START + BETA, LATER) == 0
    await rows.inbox.remembered([said.id for said in session.utterances])
    waiting = await rows.accept("not in the session yet")
    assert await rows.sessions.close_idle(START + BETA, LATER) == 0
    await rows.inbox.remembered([waiting.id])
    assert await rows.sessions.close_idle(START + BETA, LATER) == 1


async def test_an_unknown_session_is_none_and_an_unknown_utterance_an_error(rows: Rows) -> None:
    assert await rows.sessions.get(99) is None
    with pytest.raises(StorageError, match="not stored"):
        await rows.sessions.append(rows.utterance(), BETA, MANY_WORDS)
