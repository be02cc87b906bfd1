"""The contract of `bot.ports.CheckIns`: what has happened, as far as it decides when the next one comes."""

from dataclasses import replace

from bot.domain import CareWishes, CheckInState, Circumstances, Why
from tests.contract.checkins import DAY, HOUR, LEASE, WISHES, claimed, composed, message, put_out, said, sent
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, START, Rows


async def test_what_has_happened(rows: Rows) -> None:
    await said(rows, after=HOUR)
    assert await rows.checkins.circumstances(ANN.id, START + DAY) == Circumstances(last_said=START + HOUR)
    assert (await rows.checkins.circumstances(ANN.id, START)).last_said == START, "a clock was ahead"
    waiting = await rows.accept("hi", place=HALL, after=2 * HOUR)
    found = await rows.checkins.circumstances(ANN.id, START + DAY)
    assert (found.last_said, found.waiting) == (START + 2 * HOUR, True)
    assert await rows.checkins.circumstances(BEN.id, START + DAY) == Circumstances()
    await rows.inbox.remembered([waiting.id])
    assert not (await rows.checkins.circumstances(ANN.id, START + DAY)).waiting


async def test_what_was_sent_and_not_answered(rows: Rows) -> None:
    days = [START + number * DAY for number in range(1, 14)]
    for day in days[:11]:
        await sent(rows, day)
    found = await rows.checkins.circumstances(ANN.id, days[-1])
    assert (found.sent, found.unanswered) == (tuple(days[1:11]), 11)
    await rows.accept("in a channel", place=HALL, after=12 * DAY)
    assert (await rows.checkins.circumstances(ANN.id, days[-1])).unanswered == 11
    await said(rows, "here I am", after=10 * DAY)
    assert (await rows.checkins.circumstances(ANN.id, days[-1])).unanswered == 1
    assert (await rows.checkins.circumstances(ANN.id, days[0])).sent == (days[0],) * 10


async def test_what_is_on_its_way_counts_as_sent_and_not_as_unanswered(rows: Rows) -> None:
    outgoing = await put_out(rows)
    found = await rows.checkins.circumstances(ANN.id, START + DAY)
    assert (found.sent, found.unanswered) == ((START + DAY,), 0)
    await rows.outbox.sending(outgoing.id)
    assert (await rows.checkins.circumstances(ANN.id, START + DAY)).unanswered == 1
    await rows.outbox.put_back(outgoing.id)
    await rows.checkins.withdraw(outgoing.checkin_id, Why.LATE)
    assert await rows.checkins.circumstances(ANN.id, START + DAY) == Circumstances()


async def test_after_a_farewell_it_is_counted_anew(rows: Rows) -> None:
    for number in range(1, 4):
        await sent(rows, START + number * DAY, farewell=number == 2)
    assert (await rows.checkins.circumstances(ANN.id, START + 9 * DAY)).unanswered == 1


async def test_after_a_refusal_it_waits_until_the_person_writes(rows: Rows) -> None:
    outgoing = await put_out(rows)
    await rows.outbox.failed(outgoing.id, "dm_closed")
    found = await rows.checkins.circumstances(ANN.id, START + DAY)
    assert found == Circumstances(refused=True)
    line = await rows.accept("in a channel", place=HALL, after=2 * DAY)
    await rows.inbox.remembered([line.id])
    assert (await rows.checkins.circumstances(ANN.id, START + 3 * DAY)).refused
    await said(rows, "here I am", after=2 * DAY)
    assert not (await rows.checkins.circumstances(ANN.id, START + 3 * DAY)).refused


async def test_what_may_have_arrived_was_not_refused(rows: Rows) -> None:
    outgoing = await put_out(rows)
    await rows.outbox.failed(outgoing.id, "uncertain")
    found = await rows.checkins.circumstances(ANN.id, START + DAY)
    assert found == Circumstances(sent=(START + DAY,), unanswered=1)


async def test_help_is_noted_of_everybody(rows: Rows) -> None:
    await rows.checkins.helped(ANN.id, START)
    assert await rows.checkins.wishes(ANN.id) == CareWishes(ANN.id)
    await rows.checkins.choose(WISHES)
    assert (await rows.checkins.circumstances(ANN.id, START + DAY)).helped == START
    await rows.checkins.helped(ANN.id, START + HOUR)
    await rows.checkins.choose(replace(WISHES, zone="UTC"))
    assert (await rows.checkins.circumstances(ANN.id, START + DAY)).helped == START + HOUR
    assert (await rows.checkins.circumstances(ANN.id, START)).helped == START


async def test_what_was_spoken_of(rows: Rows) -> None:
    exam = await said(rows)
    for number in (1, 2, 3):
        due = START + number * DAY
        words = composed(sources=(exam,) if number != 2 else ())
        outgoing = await rows.checkins.compose(await claimed(rows, due), message(due), words, due)
        assert outgoing is not None
        await rows.outbox.sent(outgoing.id)
    refused = await put_out(rows, START + 4 * DAY)
    await rows.outbox.failed(refused.id, "dm_closed")
    await sent(rows, START + 5 * DAY, farewell=True)
    all_of_them = [(START + 3 * DAY, (exam.id,)), (START + 2 * DAY, ()), (START + DAY, (exam.id,))]
    assert await rows.checkins.spoken_of(ANN.id, 9) == all_of_them
    assert await rows.checkins.spoken_of(ANN.id, 1) == all_of_them[:1]
    assert await rows.checkins.spoken_of(BEN.id, 9) == []


async def test_a_subject_stays_spoken_of_when_the_message_is_erased(rows: Rows) -> None:
    exam, told = await said(rows), await said(rows, "I am shy.")
    words = replace(composed(sources=(exam, told)), about=(exam.id,))
    outgoing = await rows.checkins.compose(await claimed(rows), message(START + DAY), words, START + HOUR)
    assert outgoing is not None
    await rows.outbox.sent(outgoing.id)
    assert await rows.checkins.spoken_of(ANN.id, 9) == [(START + DAY, (exam.id,))]
    await rows.erasures.erase_messages("chat", [told.message_id], START)
    assert (await rows.checkins.latest(1))[0].utterance_id == 0
    assert await rows.checkins.spoken_of(ANN.id, 9) == [(START + DAY, (exam.id,))]
    await rows.erasures.erase_messages("chat", [exam.message_id], START)
    assert await rows.checkins.spoken_of(ANN.id, 9) == []
    assert (await rows.utterances.counts()).rows["checkin_threads"] == 0


async def test_when_they_are_switched_on_it_is_counted_anew(rows: Rows) -> None:
    for number in (1, 2):
        await sent(rows, START + number * DAY)
    await rows.checkins.choose(replace(WISHES, zone="UTC"))
    assert (await rows.checkins.circumstances(ANN.id, START + 9 * DAY)).unanswered == 2, "they were on all the time"
    await rows.checkins.switch_off(ANN.id)
    assert (await rows.checkins.circumstances(ANN.id, START + 9 * DAY)).unanswered == 2
    await rows.checkins.choose(WISHES)
    assert (await rows.checkins.circumstances(ANN.id, START + 9 * DAY)).unanswered == 0
    await sent(rows, START + 3 * DAY)
    assert (await rows.checkins.circumstances(ANN.id, START + 9 * DAY)).unanswered == 1


async def test_a_button_is_an_answer(rows: Rows) -> None:
    for number in (1, 2, 3):
        await sent(rows, START + number * DAY)
    await rows.checkins.answered(BEN.id, START + 9 * DAY)
    assert (await rows.checkins.circumstances(ANN.id, START + 9 * DAY)).unanswered == 3
    await rows.checkins.answered(ANN.id, START + 2 * DAY + HOUR)
    found = await rows.checkins.circumstances(ANN.id, START + 9 * DAY)
    assert (found.unanswered, found.last_said) == (1, None), "nothing was said"


async def test_the_gap_and_the_answer_stay_when_the_words_are_erased(rows: Rows) -> None:
    await sent(rows)
    for after, place, unanswered in ((2 * DAY, HALL, 1), (3 * DAY, ANNS_DM, 0)):
        line = await rows.accept("forget this", place=place, after=after)
        await rows.erasures.erase_messages("chat", [line.message_id], START)
        found = await rows.checkins.circumstances(ANN.id, START + 4 * DAY)
        assert (found.last_said, found.unanswered, found.waiting) == (START + after, unanswered, False)
    assert await rows.checkins.circumstances(BEN.id, START + 4 * DAY) == Circumstances()
    checkin = await claimed(rows, START + 5 * DAY)
    assert await rows.checkins.compose(checkin, message(START + 5 * DAY), composed(), START + 2 * DAY) is None


async def test_who_chose_nothing_gets_no_row_by_speaking(rows: Rows) -> None:
    await said(rows)
    assert (await rows.utterances.counts()).rows["checkin_wishes"] == 0


async def test_what_a_clock_that_was_ahead_has_dated_is_set_right(rows: Rows) -> None:
    far = START + 900 * DAY
    await sent(rows, far)
    await rows.checkins.helped(ANN.id, far)
    now = START + 3 * DAY
    assert await rows.checkins.set_right(now) == 2
    assert await rows.checkins.set_right(now + HOUR) == 0
    found = await rows.checkins.circumstances(ANN.id, now + HOUR)
    assert (found.sent, found.helped, found.unanswered) == ((now,), now, 1)
    await said(rows, "here I am", after=3 * DAY + HOUR)
    assert (await rows.checkins.circumstances(ANN.id, now + 2 * HOUR)).unanswered == 0


async def test_what_was_said_under_a_clock_that_was_ahead_counts_nowhere(rows: Rows) -> None:
    await said(rows, "really", after=HOUR)
    await rows.checkins.choose(WISHES)
    await said(rows, "ahead", after=900 * DAY)
    found = await rows.checkins.circumstances(ANN.id, START + 3 * DAY)
    assert found.last_said == START + HOUR
    await sent(rows, START + 4 * DAY)
    assert (await rows.checkins.circumstances(ANN.id, START + 4 * DAY)).unanswered == 1


async def test_the_last_ones_of_all_and_of_one(rows: Rows) -> None:
    for number in (1, 2):
        await sent(rows, START + number * DAY)
    bens = CareWishes(BEN.id, on=True, place=BENS_DM, next_at=START)
    await rows.checkins.choose(bens)
    await rows.checkins.claim(bens, None, START + LEASE, Why.OFTEN)
    assert [one.speaker_id for one in await rows.checkins.latest(9)] == [BEN.id, ANN.id, ANN.id]
    assert [one.due for one in await rows.checkins.latest(1, ANN.id)] == [START + 2 * DAY]
    assert await rows.checkins.get(99) is None


async def test_the_last_that_were_sent_are_found_behind_any_number_that_were_not(rows: Rows) -> None:
    first, second = await sent(rows), await sent(rows, START + 2 * DAY)
    gone = await said(rows, after=3 * DAY)
    third = await claimed(rows, START + 4 * DAY)
    made = await rows.checkins.compose(third, message(START + 4 * DAY), composed(sources=(gone,)), START + 4 * DAY)
    assert made is not None
    await rows.outbox.sent(made.id)
    await rows.erasures.erase_messages("chat", [gone.message_id], START)
    for number in range(60):
        await rows.checkins.skip(await claimed(rows, START + (5 + number) * DAY), Why.NOTHING)
    await put_out(rows, START + 90 * DAY)
    latest = await rows.checkins.latest(5, ANN.id, sent=True)
    assert [one.id for one in latest] == [third.id, second.checkin_id, first.checkin_id]
    assert {one.state for one in latest} == {CheckInState.SENT}
    assert await rows.checkins.latest(5, BEN.id, sent=True) == []


async def test_old_rows_go(rows: Rows) -> None:
    await rows.checkins.choose(WISHES)
    await rows.checkins.claim(WISHES, None, START, Why.QUIET)
    for number in range(2, 5):
        outgoing = await put_out(rows, START + number * DAY)
        await rows.outbox.failed(outgoing.id, "uncertain" if number == 3 else "dm_closed")
    await sent(rows, START + 5 * DAY)
    last = await put_out(rows, START + 6 * DAY)
    await rows.outbox.failed(last.id, "dm_closed")
    assert await rows.checkins.prune(START + DAY) == 0
    assert await rows.checkins.prune(START + 3 * DAY) == 2
    assert await rows.checkins.prune(START + 9 * DAY) == 1
    left = await rows.checkins.latest(9)
    assert [(one.due - START).days for one in left] == [6, 5, 3], "the last refusal still counts"
    assert (await rows.checkins.circumstances(ANN.id, START + 9 * DAY)).refused
