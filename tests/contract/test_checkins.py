"""The contract of `bot.ports.CheckIns`: what people chose, and each check-in once."""

import asyncio
from dataclasses import replace
from datetime import time, timedelta

import pytest

from bot.domain import CareWishes, CheckIn, CheckInState, Circumstances, JobKind, Opened, Recollection, Why
from bot.storage.shared.care_tables import checkin_wishes
from tests.contract.checkins import (
    DAY,
    HOUR,
    LEASE,
    NOBODY,
    SCORES,
    WISHES,
    claimed,
    composed,
    link,
    message,
    put_out,
    said,
    state_of,
)
from tests.looking import open_session
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, START, Rows, reply_to


async def test_who_chose_nothing_has_the_defaults(rows: Rows) -> None:
    assert await rows.checkins.wishes(ANN.id) == NOBODY
    assert await rows.checkins.circumstances(ANN.id, START) == Circumstances()


async def test_what_was_chosen_comes_back_whole(rows: Rows) -> None:
    wishes = CareWishes(
        ANN.id,
        on=True,
        place=ANNS_DM,
        offered=True,
        zone="Asia/Kathmandu",
        times=(time(8, 5), time(18)),
        days=(0, 6),
        quiet=(time(22, 30), time(7)),
        every_days=3,
        paused_until=START + DAY,
        next_at=START + DAY + timedelta(microseconds=7),
    )
    await rows.checkins.choose(wishes)
    assert await rows.checkins.wishes(ANN.id) == wishes
    assert await rows.checkins.wishes(BEN.id) == CareWishes(BEN.id)
    await rows.checkins.choose(NOBODY)
    assert await rows.checkins.wishes(ANN.id) == NOBODY


async def test_they_come_in_a_dm(rows: Rows) -> None:
    with pytest.raises(ValueError, match="DM"):
        await rows.checkins.choose(CareWishes(ANN.id, on=True, place=HALL))


async def test_the_longest_due_is_first(rows: Rows) -> None:
    bens = CareWishes(BEN.id, on=True, place=BENS_DM, next_at=START)
    for wishes in (
        WISHES,
        bens,
        CareWishes("chat:cem", next_at=START + 2 * DAY),
        CareWishes("chat:dan"),
    ):
        await rows.checkins.choose(wishes)
    assert await rows.checkins.due(START + DAY, 5) == [bens, WISHES]
    assert await rows.checkins.due(START + DAY, 1) == [bens]
    assert await rows.checkins.due(START - HOUR, 5) == []
    planned = await rows.checkins.planned(9)
    assert [one.speaker_id for one in planned] == [BEN.id, ANN.id, "chat:cem"]
    assert len(await rows.checkins.planned(2)) == 2


async def test_what_a_clock_that_was_ahead_planned_is_found(rows: Rows) -> None:
    paused = CareWishes(BEN.id, place=BENS_DM, paused_until=START + 90 * DAY, next_at=START + 91 * DAY)
    over = CareWishes("chat:cem", paused_until=START, next_at=START + 91 * DAY)
    for wishes in (WISHES, paused, over):
        await rows.checkins.choose(wishes)
    assert [one.speaker_id for one in await rows.checkins.astray(START + 30 * DAY, 9)] == ["chat:cem"]
    assert len(await rows.checkins.astray(START, 9)) == 2
    assert len(await rows.checkins.astray(START, 1)) == 1


async def test_what_is_due_is_claimed_once(rows: Rows) -> None:
    await rows.checkins.choose(WISHES)
    checkin = await rows.checkins.claim(WISHES, START + 2 * DAY, START + LEASE)
    assert checkin == CheckIn(1, ANN.id, ANNS_DM, START + DAY, CheckInState.CLAIMED, attempts=1)
    assert await rows.checkins.claim(WISHES, START + 3 * DAY, START + LEASE) is None
    assert (await rows.checkins.wishes(ANN.id)).next_at == START + 2 * DAY
    assert await rows.checkins.latest(9) == [checkin]


async def test_of_many_claims_at_once_one_is_taken(rows: Rows) -> None:
    await rows.checkins.choose(WISHES)
    claims = (rows.checkins.claim(WISHES, START + number * DAY, START + LEASE) for number in range(2, 8))
    taken = await asyncio.gather(*claims)
    assert sum(one is not None for one in taken) == 1
    assert len(await rows.checkins.latest(9)) == 1


async def test_a_moment_that_had_its_check_in_gets_no_second_one(rows: Rows) -> None:
    await claimed(rows)
    await rows.checkins.choose(WISHES)  # a choice with the moment that was read before
    assert await rows.checkins.claim(WISHES, START + 3 * DAY, START + LEASE) is None
    assert (await rows.checkins.wishes(ANN.id)).next_at == START + 3 * DAY
    assert len(await rows.checkins.latest(9)) == 1


async def test_what_is_skipped_at_once_has_its_row(rows: Rows) -> None:
    await rows.checkins.choose(WISHES)
    checkin = await rows.checkins.claim(WISHES, None, START + LEASE, Why.QUIET)
    assert checkin is not None
    assert (checkin.state, checkin.why) == (CheckInState.SKIPPED, Why.QUIET)
    assert await rows.checkins.due(START + 9 * DAY, 9) == []
    assert await rows.checkins.take_over(START + 9 * DAY, LEASE) is None


async def test_a_plan_moves_only_from_what_is_stored(rows: Rows) -> None:
    assert not await rows.checkins.plan(WISHES, START)
    await rows.checkins.choose(WISHES)
    assert not await rows.checkins.plan(replace(WISHES, next_at=START), START + 9 * DAY)
    assert not await rows.checkins.plan(replace(WISHES, next_at=None), START + 9 * DAY)
    assert await rows.checkins.plan(WISHES, START + 9 * DAY)
    assert await rows.checkins.wishes(ANN.id) == replace(WISHES, next_at=START + 9 * DAY)
    assert await rows.checkins.latest(9) == []


async def test_a_lease_that_ran_out_is_taken_over(rows: Rows) -> None:
    checkin = await claimed(rows)
    until = START + DAY + LEASE
    assert await rows.checkins.take_over(until - timedelta(seconds=1), LEASE) is None
    again = await rows.checkins.take_over(until, LEASE)
    assert again == replace(checkin, attempts=2)
    assert await rows.checkins.take_over(until, LEASE) is None
    assert await rows.checkins.compose(checkin, message(until), composed(), START) is None, "it is somebody else's"
    assert await rows.checkins.compose(again, message(until), composed(), START) is not None


async def test_a_lease_of_a_clock_that_was_ahead_is_taken_over(rows: Rows) -> None:
    await claimed(rows, START + 30 * DAY)
    assert await rows.checkins.take_over(START, LEASE) is not None


async def test_what_is_claimed_can_be_skipped(rows: Rows) -> None:
    checkin = await claimed(rows)
    assert await rows.checkins.skip(checkin, Why.NOTHING)
    assert not await rows.checkins.skip(checkin, Why.MODEL)
    assert await state_of(rows, checkin.id) == (CheckInState.SKIPPED, Why.NOTHING, "")
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START + DAY) is None


async def test_who_lost_the_lease_skips_nothing(rows: Rows) -> None:
    lost = await claimed(rows)
    won = await rows.checkins.take_over(START + DAY + LEASE, LEASE)
    assert won is not None
    assert not await rows.checkins.skip(lost, Why.MODEL)
    assert (await state_of(rows, won.id))[0] is CheckInState.CLAIMED
    assert await rows.checkins.skip(won, Why.NOTHING)
    assert await state_of(rows, won.id) == (CheckInState.SKIPPED, Why.NOTHING, "")


async def test_one_thing_changes_and_nothing_else_of_what_was_chosen(rows: Rows) -> None:
    await rows.checkins.switch_off(ANN.id)
    assert await rows.checkins.wishes(ANN.id) == NOBODY
    await rows.checkins.offered(ANN.id)
    assert await rows.checkins.wishes(ANN.id) == replace(NOBODY, offered=True)
    await rows.checkins.choose(WISHES)
    await rows.checkins.offered(ANN.id)
    assert await rows.checkins.wishes(ANN.id) == replace(WISHES, offered=True)
    await rows.checkins.switch_off(ANN.id)
    assert await rows.checkins.wishes(ANN.id) == replace(WISHES, offered=True, on=False, next_at=None)


async def test_who_has_them_on_with_nothing_planned_is_found(rows: Rows) -> None:
    def on(name: str) -> CareWishes:
        return CareWishes(f"chat:{name}", on=True, place=replace(ANNS_DM, ref=name))

    for wishes in (WISHES, on("ada"), on("cem"), on("eve"), replace(on("dan"), on=False)):
        await rows.checkins.choose(wishes)
    await rows.checkins.switch_off("chat:eve")
    assert await rows.checkins.unplanned(9) == [on("ada"), on("cem")]
    assert await rows.checkins.unplanned(1) == [on("ada")]
    assert await rows.checkins.unplanned(9, after="chat:ada") == [on("cem")]


async def test_a_row_that_cannot_be_read_stops_nobody_elses(rows: Rows) -> None:
    for name in ("ada", "cem"):
        await rows.checkins.choose(CareWishes(f"chat:{name}", on=True, place=replace(ANNS_DM, ref=name), next_at=START))
    async with rows.database.writing() as connection:
        spoilt = checkin_wishes.update().where(checkin_wishes.c.person_id == "chat:ada")
        await connection.execute(spoilt.values(times="noon"))
    assert [one.speaker_id for one in await rows.checkins.planned(9)] == ["chat:cem"]
    assert [one.speaker_id for one in await rows.checkins.due(START, 2)] == ["chat:cem"]
    assert [one.speaker_id for one in await rows.checkins.due(START, 1)] == ["chat:cem"], "it takes up no room"
    assert await rows.checkins.unplanned(9) == []


async def test_a_check_in_opens_a_session_and_is_ready_to_send(rows: Rows) -> None:
    exam = await said(rows)
    before = await open_session(rows.sessions, ANNS_DM)
    assert before is not None
    checkin = await claimed(rows)
    words = composed("How did \x00it go?", (exam,))
    outgoing = await rows.checkins.compose(checkin, message(START + DAY), words, START)
    assert outgoing is not None
    assert (outgoing.place, outgoing.text, outgoing.checkin_id) == (ANNS_DM, "How did \ufffdit go?", checkin.id)
    assert (outgoing.in_reply_to, outgoing.draft, len(outgoing.nonce)) == (None, None, 24)
    assert await rows.outbox.undelivered() == [outgoing]
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    assert session.id != before.id
    [line] = session.utterances
    assert (line.text, line.message_id, line.speaker.id) == (outgoing.text, f"checkin:{checkin.id}", AGENT.id)
    stored = await rows.checkins.get(checkin.id)
    assert stored == replace(checkin, state=CheckInState.COMPOSED, scores=SCORES, utterance_id=line.id)
    opened = Opened(checkin.id, line.id, "Ann has an exam.", "Ask about the exam.", (exam.id,))
    assert await rows.checkins.opened(session.id) == opened
    assert await rows.checkins.opened(before.id) is None
    assert await due_jobs(rows) == {
        (JobKind.SUMMARISE, before.id),
        (JobKind.ARCHIVE, before.id),
    }
    assert await rows.checkins.take_over(START + 9 * DAY, LEASE) is None
    assert await rows.checkins.compose(checkin, message(START + DAY), words, START) is None


async def due_jobs(rows: Rows) -> set[tuple[JobKind, int]]:
    """What is to be done."""
    found = set()
    while (job := await rows.jobs.claim(START, LEASE)) is not None:
        found.add((job.kind, job.subject))
    return found


async def test_a_draft_is_of_the_reply_that_grows_and_not_of_a_check_in(rows: Rows) -> None:
    await rows.outbox.draft(ANNS_DM, None, "d1")
    outgoing = await put_out(rows)
    assert await rows.outbox.undelivered() == [outgoing]
    assert [draft.message_id for draft in await rows.outbox.unfinished(ANNS_DM)] == ["d1"]
    await rows.outbox.part_sent(outgoing.id, "p1")
    assert await rows.outbox.drafts(ANNS_DM, None) == "d1"


async def test_the_way_of_a_check_in_is_that_of_its_message(rows: Rows) -> None:
    outgoing = await put_out(rows)
    await rows.outbox.sending(outgoing.id)
    assert await state_of(rows, outgoing.checkin_id) == (CheckInState.SENDING, None, "")
    [left] = await rows.outbox.undelivered()
    assert left == replace(outgoing, uncertain=True)
    await rows.outbox.put_back(outgoing.id)
    assert (await state_of(rows, outgoing.checkin_id))[0] is CheckInState.COMPOSED
    await rows.outbox.sent(outgoing.id)
    found = await rows.checkins.get(outgoing.checkin_id)
    assert found is not None
    assert (found.state, found.sent_at) == (CheckInState.SENT, START + DAY)
    refused = await put_out(rows, START + 2 * DAY)
    await rows.outbox.failed(refused.id, "dm_closed")
    assert await state_of(rows, refused.checkin_id) == (CheckInState.FAILED, None, "dm_closed")


async def test_nothing_is_composed_when_the_person_has_spoken(rows: Rows) -> None:
    exam = await said(rows)
    checkin = await claimed(rows)
    before = await rows.utterances.counts()
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START - HOUR) is None
    assert await rows.utterances.counts() == before
    waiting = await rows.accept("hello", place=HALL, after=-DAY)
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), exam.time) is None, "one waits"
    await rows.inbox.remembered([waiting.id])
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), exam.time) is not None


async def test_nothing_is_composed_when_another_identity_has_spoken(rows: Rows) -> None:
    await link(rows)
    checkin = await claimed(rows)
    line = await rows.accept("hello", speaker=replace(ANN, id="post:ann"), place=HALL, after=HOUR)
    await rows.inbox.remembered([line.id])
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START) is None
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START + HOUR) is not None


@pytest.mark.parametrize("change", ["erased", "edited"])
async def test_nothing_is_composed_of_words_that_are_not_there_any_more(rows: Rows, change: str) -> None:
    exam, other = await said(rows), await said(rows, "I live in Rome.")
    checkin = await claimed(rows)
    if change == "erased":
        await rows.erasures.erase_messages("chat", [exam.message_id], START)
    else:
        await rows.corrections.edit("chat", exam.message_id, "I had an exam.")
    for sources, fits in (((exam, other), False), ((other,), True)):
        outgoing = await rows.checkins.compose(checkin, message(START + DAY), composed(sources=sources), START + HOUR)
        assert (outgoing is not None) is fits


@pytest.mark.parametrize(
    "chosen",
    [
        replace(WISHES, on=False),
        replace(WISHES, place=None),
        replace(WISHES, place=BENS_DM),
        replace(WISHES, paused_until=START + 2 * DAY),
    ],
)
async def test_nothing_is_composed_that_is_not_wanted_any_more(rows: Rows, chosen: CareWishes) -> None:
    checkin = await claimed(rows)
    await rows.checkins.choose(chosen)
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START) is None
    await rows.checkins.choose(replace(WISHES, paused_until=START + DAY))
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START) is not None


async def test_the_owner_can_stop_all(rows: Rows) -> None:
    checkin = await claimed(rows)
    for _ in range(2):
        await rows.checkins.hold(on=True)
    assert (await rows.checkins.circumstances(ANN.id, START)).held
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START) is None
    for _ in range(2):
        await rows.checkins.hold(on=False)
    assert not (await rows.checkins.circumstances(ANN.id, START)).held
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START) is not None


@pytest.mark.parametrize("way", ["ready", "sent", "withdrawn"])
async def test_nothing_is_composed_when_another_came_or_comes(rows: Rows, way: str) -> None:
    first, due = await claimed(rows), START + DAY + HOUR
    second = await claimed(rows, due)
    outgoing = await rows.checkins.compose(first, message(due), composed(), due)
    assert outgoing is not None
    if way == "sent":
        await rows.outbox.sent(outgoing.id)
    if way == "withdrawn":
        await rows.checkins.withdraw(first.id, Why.LATE)
    before = await rows.checkins.compose(second, message(due), composed(), due - timedelta(seconds=1))
    assert (before is not None) is (way == "withdrawn")
    after = await rows.checkins.compose(second, message(due), composed(), due)
    assert (after is not None) is (way == "sent")


async def test_words_for_another_place_are_a_fault(rows: Rows) -> None:
    checkin = await claimed(rows)
    with pytest.raises(ValueError, match="DM"):
        await rows.checkins.compose(checkin, replace(message(START), place=BENS_DM), composed(), START)


async def test_a_reply_has_no_number_of_a_check_in(rows: Rows) -> None:
    line = await rows.accept()
    outgoing = await rows.outbox.commit(reply_to(line), [line.id], Recollection(), [])
    assert outgoing is not None
    assert (outgoing.checkin_id, [one.checkin_id for one in await rows.outbox.undelivered()]) == (0, [0])
