"""The contract of `bot.ports.Sessions`, on: a session that a check-in opened waits for its answer."""

from datetime import timedelta

from bot.domain import JobKind, Session
from bot.storage.conversation.sessions import SqlSessions
from tests.contract.checkins import DAY, HOUR, sent
from tests.looking import open_session
from tests.stored import AGENT, ANN, ANNS_DM, BETA, START, Rows

OPENED = START + DAY
"""When the check-in was sent."""
ANSWER = timedelta(days=3)
SECOND = timedelta(seconds=1)


async def say(rows: Rows, after: timedelta, max_words: int = 1000) -> Session:
    """Ann says something so long after the check-in."""
    line = await rows.accept(after=DAY + after)
    session = await rows.sessions.append(line, BETA, max_words)
    await rows.inbox.remembered([line.id])
    return session


async def opened(rows: Rows) -> Session:
    """The session of a check-in."""
    await sent(rows)
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    return session


async def jobs(rows: Rows) -> list[JobKind]:
    found = []
    while (job := await rows.jobs.claim(START, HOUR)) is not None:
        found.append(job.kind)
    return found


async def test_it_takes_the_answer_for_some_days(rows: Rows) -> None:
    session = await opened(rows)
    answered = await say(rows, ANSWER)
    assert answered.id == session.id
    assert [line.speaker.id for line in answered.utterances] == [AGENT.id, ANN.id]


async def test_it_takes_no_later_one(rows: Rows) -> None:
    session = await opened(rows)
    assert (await say(rows, ANSWER + SECOND)).id != session.id
    assert await jobs(rows) == [], "nobody has spoken in the first one"


async def test_how_long_it_waits_is_a_setting(rows: Rows) -> None:
    rows.sessions = SqlSessions(rows.database, timedelta(days=10))
    session = await opened(rows)
    assert (await say(rows, timedelta(days=10))).id == session.id


async def test_what_was_written_long_before_is_no_answer(rows: Rows) -> None:
    session = await opened(rows)
    assert (await say(rows, -BETA)).id == session.id
    other = await opened_again(rows)
    assert (await say(rows, timedelta(days=2) - BETA - SECOND)).id != other.id


async def opened_again(rows: Rows) -> Session:
    """The session of another check-in, two days after the first."""
    await sent(rows, OPENED + 2 * DAY)
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    return session


async def test_once_somebody_has_spoken_it_is_a_session_as_any_other(rows: Rows) -> None:
    session = await opened(rows)
    await say(rows, DAY)
    assert (await say(rows, DAY + BETA)).id == session.id
    assert (await say(rows, DAY + 2 * BETA + SECOND)).id != session.id
    assert await jobs(rows) == [JobKind.SUMMARISE, JobKind.ARCHIVE]


async def test_a_session_that_people_began_does_not_wait(rows: Rows) -> None:
    first = await say(rows, -DAY)
    assert (await say(rows, -DAY + BETA + SECOND)).id != first.id


async def test_it_is_left_open_as_long_as_it_waits(rows: Rows) -> None:
    session = await opened(rows)
    end, ahead = OPENED + ANSWER, OPENED + 99 * DAY
    assert await rows.sessions.close_idle(end, ahead) == 0
    assert await open_session(rows.sessions, ANNS_DM) == session
    assert await rows.sessions.close_idle(end + SECOND, ahead) == 1
    assert await jobs(rows) == [], "of what nobody answered no memory is made"


async def test_it_is_not_left_open_once_somebody_has_spoken(rows: Rows) -> None:
    await opened(rows)
    await say(rows, HOUR)
    assert await rows.sessions.close_idle(OPENED + HOUR + SECOND, OPENED + 99 * DAY) == 1
    assert await jobs(rows) == [JobKind.SUMMARISE, JobKind.ARCHIVE]


async def test_one_of_a_clock_that_was_ahead_is_closed(rows: Rows) -> None:
    await opened(rows)
    assert await rows.sessions.close_idle(START - DAY, START) == 1


async def test_the_next_check_in_closes_it_without_a_memory(rows: Rows) -> None:
    first = await opened(rows)
    second = await opened_again(rows)
    assert first.id != second.id
    assert await rows.sessions.close(ANNS_DM)
    assert await jobs(rows) == []


async def test_when_its_answer_is_erased_no_memory_is_made_of_the_rest(rows: Rows) -> None:
    session = await opened(rows)
    answered = await say(rows, HOUR)
    assert await rows.sessions.close(ANNS_DM)
    await rows.erasures.erase_messages("chat", [answered.utterances[-1].message_id], START)
    left = await rows.sessions.get(session.id)
    assert left is not None
    assert [line.speaker.id for line in left.utterances] == [AGENT.id]
    assert JobKind.SUMMARISE not in await jobs(rows)


async def turned(rows: Rows, session: Session, since: int) -> bool:
    """The person turns to another memory, which they told of before the check-in, with the utterance `since`."""
    opened = await rows.checkins.opened(session.id)
    assert opened is not None
    told = session.utterances[1]
    return await rows.checkins.rethink(opened.checkin_id, "Ann sings.", "Ask.", [(told.id, told.text)], since)


async def test_where_the_person_turns_to_something_else_it_ends_and_the_next_one_begins(rows: Rows) -> None:
    session = await opened(rows)
    for number in range(5):
        session = await say(rows, number * SECOND)
    first, since = session.utterances[:3], session.utterances[3].id
    assert await turned(rows, session, since)
    new = await open_session(rows.sessions, ANNS_DM)
    assert new is not None
    assert new.id != session.id
    assert [line.id for line in new.utterances] == [line.id for line in session.utterances[3:]]
    stopped = await rows.sessions.get(session.id)
    assert stopped is not None
    assert [line.id for line in stopped.utterances] == [line.id for line in first]
    assert await jobs(rows) == [JobKind.SUMMARISE, JobKind.ARCHIVE], "it is remembered as any other"
    behind = await rows.checkins.opened(new.id)
    assert behind is not None
    assert (behind.background, behind.intention) == ("Ann sings.", "Ask.")
    assert (await say(rows, 6 * SECOND)).id == new.id


async def test_where_it_has_only_begun_it_goes_on(rows: Rows) -> None:
    await opened(rows)
    session = await say(rows, SECOND)
    assert await turned(rows, session, session.utterances[1].id)
    assert await open_session(rows.sessions, ANNS_DM) == session
    behind = await rows.checkins.opened(session.id)
    assert behind is not None
    assert behind.background == "Ann sings."


async def test_an_ended_session_is_not_ended_again(rows: Rows) -> None:
    await opened(rows)
    for number in range(3):
        session = await say(rows, number * SECOND)
    assert await rows.sessions.close(ANNS_DM)
    assert await turned(rows, session, session.utterances[-1].id)
    assert await rows.sessions.get(session.id) == session
    assert await open_session(rows.sessions, ANNS_DM) is None


async def test_it_is_no_conversation_before_somebody_has_spoken(rows: Rows) -> None:
    assert not await rows.sessions.any_open()
    await opened(rows)
    assert not await rows.sessions.any_open()
    await say(rows, ANSWER)
    assert await rows.sessions.any_open()
    await rows.sessions.close(ANNS_DM)
    assert not await rows.sessions.any_open()
