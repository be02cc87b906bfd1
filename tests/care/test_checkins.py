"""The loop of check-ins on the real SQLite: exactly once, at the right time, or not at all and with a reason."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import time, timedelta

import pytest

from bot.care.checkins import BATCH, MOST_ATTEMPTS
from bot.domain import CareWishes, CheckInState, Consent, Place, PlaceKind, Speaker, Utterance, Why
from bot.errors import DeliveryFailed, ModelUnavailable
from tests.care.checking import ASKED, BYE, EVENING, GRACE, LEASE, NOON, Caring, buttons, open_caring
from tests.living import ANN, BOB, DM

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
BOBS = Place("test", PlaceKind.DM, "bob")


@pytest.fixture
async def caring() -> AsyncIterator[Caring]:
    async with open_caring() as opened:
        yield opened


async def whys(caring: Caring) -> list[Why | None]:
    return [row.why for row in await caring.rows()]


async def test_what_is_due_is_sent_once_with_its_buttons_and_is_in_the_history(caring: Caring) -> None:
    assert (await caring.wants()).next_at == NOON
    assert await caring.at(NOON - MINUTE) == 0
    assert await caring.at(NOON) == 1
    assert await caring.at(NOON + MINUTE) == 0
    [row] = await caring.rows()
    assert caring.texts == [ASKED]
    assert caring.screen.sent[-1].choices == buttons(row.id)
    assert (row.state, row.due, row.why, row.failure) == (CheckInState.SENT, NOON, None, "")
    [last] = await caring.stores.utterances.recent(DM, 1)
    assert (last.text, last.id, last.speaker.is_agent, last.time) == (ASKED, row.utterance_id, True, NOON)
    assert await caring.planned() == NOON + DAY


async def test_a_no_is_a_row_with_its_reason_and_the_model_is_not_asked(caring: Caring) -> None:
    await caring.wants()
    await caring.stores.checkins.hold(on=True)
    assert await caring.at(NOON) == 1
    assert await whys(caring) == [Why.HELD]
    assert caring.words.asked == []
    assert caring.texts == []
    assert (await caring.planned() or NOON) > NOON


async def test_a_week_offline_gives_one_skipped_row_and_no_burst(caring: Caring) -> None:
    await caring.wants()
    back = NOON + 7 * DAY + timedelta(hours=3)
    assert await caring.at(back) == 1
    for minutes in range(1, 120, 20):
        assert await caring.at(back + minutes * MINUTE) == 0
    assert await whys(caring) == [Why.LATE]
    assert caring.texts == []
    assert await caring.planned() == EVENING + 7 * DAY


async def test_a_suspended_laptop_sends_what_is_within_the_grace_time_and_skips_what_is_not(caring: Caring) -> None:
    await caring.wants()
    await caring.at(NOON + 10 * timedelta(hours=1))
    assert await whys(caring) == [Why.LATE]
    await caring.at(NOON + DAY + GRACE)
    assert caring.texts == [ASKED]


async def test_a_clock_that_is_set_back_sends_nothing_a_second_time(caring: Caring) -> None:
    await caring.wants()
    await caring.at(NOON)
    await caring.at(NOON - timedelta(hours=5))
    for hours in range(-4, 20):
        await caring.at(NOON + hours * timedelta(hours=1))
    assert caring.texts == [ASKED]
    await caring.at(NOON + DAY)
    assert caring.texts == [ASKED, ASKED]


async def test_what_was_planned_by_a_clock_that_was_ahead_is_planned_anew(caring: Caring) -> None:
    await caring.wants()
    await caring.at(NOON + 1500 * DAY)
    assert await whys(caring) == [Why.LATE]
    await caring.at(NOON - timedelta(hours=2))
    assert await caring.planned() == NOON
    await caring.at(NOON)  # it was skipped, and no moment comes twice
    await caring.at(EVENING)
    assert caring.texts == [ASKED]


async def test_a_pause_of_a_year_is_no_clock_that_was_ahead(caring: Caring) -> None:
    wishes = await caring.wants(paused_until=NOON + 400 * DAY)
    await caring.at(NOON)
    assert await caring.planned() == wishes.next_at
    assert (wishes.next_at or NOON) >= NOON + 400 * DAY


async def test_out_of_reach_it_stays_due_and_is_sent_within_the_grace_time(caring: Caring) -> None:
    await caring.wants()
    caring.screen.out_of_reach.add(DM)
    assert await caring.at(NOON) == 0
    assert await caring.rows() == []
    assert await caring.planned() == NOON
    caring.screen.out_of_reach.clear()
    assert await caring.at(NOON + GRACE) == 1
    assert caring.texts == [ASKED]


async def test_out_of_reach_for_longer_it_is_skipped(caring: Caring) -> None:
    await caring.wants()
    caring.screen.out_of_reach.add(DM)
    await caring.at(NOON)
    await caring.at(NOON + GRACE + MINUTE)
    assert await whys(caring) == [Why.UNREACHABLE]
    assert await caring.planned() == EVENING


async def test_those_out_of_reach_keep_nobody_waiting(caring: Caring) -> None:
    crowd = [Speaker(f"test:{number}", f"P{number}") for number in range(2 * BATCH + 10)]
    caring.words.composed = Why.NOTHING
    for speaker in crowd:
        place = Place("test", PlaceKind.DM, speaker.id.removeprefix("test:"))
        caring.screen.out_of_reach.add(place)
        await caring.stores.checkins.choose(CareWishes(speaker.id, on=True, place=place, next_at=NOON - MINUTE))
    await caring.wants()
    assert await caring.at(NOON) == 1
    assert caring.words.asked == [DM.ref]
    caring.screen.out_of_reach.clear()
    assert await caring.at(NOON + MINUTE) == len(crowd)


async def test_the_longest_due_come_first(caring: Caring) -> None:
    await caring.wants()
    await caring.wants(BOB, BOBS, times=(time(11),))
    await caring.at(NOON)
    assert caring.words.asked == ["bob", "ann"]


async def test_the_words_of_the_day_are_not_written_by_the_model_beyond_the_budget() -> None:
    async with open_caring(by_model=True, background__daily_tokens=100) as caring:
        await caring.stores.jobs.spend_tokens(NOON.date(), 100)
        await caring.wants(times=(time(12),))
        await caring.at(NOON)
        assert await whys(caring) == [Why.BUDGET]
        assert caring.words.asked == []
        await caring.at(NOON + DAY)
        assert caring.texts == [ASKED]


async def test_rules_write_beyond_the_budget() -> None:
    async with open_caring(background__daily_tokens=0) as caring:
        await caring.wants()
        await caring.at(NOON)
        assert caring.texts == [ASKED]


async def test_a_model_that_is_away_is_a_reason_and_its_tokens_count(caring: Caring) -> None:
    caring.words.raises = ModelUnavailable("gone")
    caring.words.raises.tokens = 7
    await caring.wants()
    before = await caring.stores.jobs.spend_tokens(NOON.date(), 0)
    await caring.at(NOON)
    assert await whys(caring) == [Why.MODEL]
    assert await caring.stores.jobs.spend_tokens(NOON.date(), 0) == before + 7
    assert await caring.planned() == EVENING


@pytest.mark.parametrize("why", [Why.NOTHING, Why.SETTLED])
async def test_nothing_to_say_is_not_said(caring: Caring, why: Why) -> None:
    caring.words.composed = why
    await caring.wants()
    await caring.at(NOON)
    assert await whys(caring) == [why]
    assert await caring.planned() == EVENING


async def test_what_does_not_fit_any_more_is_not_said(caring: Caring) -> None:
    caring.words.fits = Why.SETTLED
    await caring.wants()
    await caring.at(NOON)
    assert await whys(caring) == [Why.SETTLED]
    assert caring.texts == []


async def test_the_person_is_faster(caring: Caring) -> None:
    async def writes() -> None:
        caring.clock.set_to(NOON + MINUTE)
        await caring.says("Hi, it went well!")

    caring.words.meanwhile = writes
    await caring.wants()
    await caring.at(NOON)
    assert await whys(caring) == [Why.CHANGED]
    assert caring.texts == []


async def test_the_person_is_faster_and_not_answered_yet(caring: Caring) -> None:
    async def writes() -> None:
        said = Utterance(DM, "waiting", ANN, "Hi!", NOON - MINUTE)  # by a clock of the platform that is behind
        assert await caring.stores.inbox.accept(said) is not None

    caring.words.meanwhile = writes
    await caring.wants()
    await caring.at(NOON)
    assert await whys(caring) == [Why.CHANGED]


async def test_what_it_is_made_of_is_erased_meanwhile(caring: Caring) -> None:
    async def erases() -> None:
        await caring.stores.erasures.erase_messages("test", ["m1"], NOON)

    caring.words.meanwhile = erases
    await caring.wants()
    await caring.at(NOON)
    assert await whys(caring) == [Why.CHANGED]
    assert caring.texts == []


async def test_switched_off_while_it_is_thought_of(caring: Caring) -> None:
    async def stops() -> None:
        await caring.stores.checkins.choose(replace(await caring.stores.checkins.wishes(ANN.id), on=False))

    caring.words.meanwhile = stops
    await caring.wants()
    await caring.at(NOON)
    assert await whys(caring) == [Why.OFF]
    assert await caring.planned() is None


async def test_without_consent_nothing_is_said(caring: Caring) -> None:
    await caring.wants()
    await caring.consents.decide(replace(await caring.consents.of(ANN.id), consent=Consent.REFUSED))
    await caring.at(NOON)
    assert await whys(caring) == [Why.CONSENT]
    assert caring.words.asked == []


async def test_after_five_without_an_answer_it_says_so_once_and_ends(caring: Caring) -> None:
    await caring.wants()
    for _ in range(12):
        due = await caring.planned()
        await caring.at(due or caring.clock.now() + 30 * DAY)
    assert caring.texts == [ASKED] * 5 + [BYE]
    assert caring.screen.sent[-1].choices == ()
    wishes = await caring.stores.checkins.wishes(ANN.id)
    assert (wishes.on, wishes.next_at) == (False, None)
    assert (await caring.rows())[-1].farewell
    assert caring.words.asked.count("farewell") == 1


async def test_a_farewell_that_the_person_prevents_leaves_check_ins_on(caring: Caring) -> None:
    await caring.wants()
    days = 0
    while caring.texts.count(ASKED) < 5:
        await caring.at(NOON + days * DAY)
        days += 1
    due = await caring.planned()
    assert due is not None
    caring.screen.refuse = [DeliveryFailed("away", retry=True), DeliveryFailed("away", retry=True)]
    await caring.at(due)
    caring.clock.set_to(due + 5 * MINUTE)
    await caring.says("Here I am.")
    await caring.delivery.deliver_left_over()
    caring.work.heard(ANN.id)
    await caring.at(due + 10 * MINUTE)
    assert BYE not in caring.texts
    assert (await caring.rows())[-1].why is Why.CHANGED


async def test_a_claim_whose_process_died_is_taken_up_when_its_lease_has_run_out(caring: Caring) -> None:
    wishes = await caring.wants()
    checkin = await caring.stores.checkins.claim(wishes, EVENING, NOON + LEASE)
    assert checkin is not None
    assert await caring.at(NOON + LEASE - MINUTE) == 0
    assert await caring.at(NOON + LEASE) == 1
    [row] = await caring.rows()
    assert (row.id, row.state, row.attempts) == (checkin.id, CheckInState.SENT, 2)
    assert caring.texts == [ASKED]


async def test_a_claim_that_is_taken_up_too_late_is_skipped(caring: Caring) -> None:
    wishes = await caring.wants()
    await caring.stores.checkins.claim(wishes, EVENING + DAY, NOON + LEASE)
    await caring.at(NOON + GRACE + MINUTE)
    assert await whys(caring) == [Why.LATE]
    assert await caring.planned() == EVENING


async def test_a_claim_that_kills_every_process_is_given_up(caring: Caring) -> None:
    wishes = await caring.wants()
    await caring.stores.checkins.claim(wishes, EVENING, NOON)
    caring.words.raises = RuntimeError("worse than an error")
    for tries in range(1, MOST_ATTEMPTS):
        await caring.at(NOON + tries * LEASE)
    await caring.at(NOON + MOST_ATTEMPTS * LEASE)
    assert await whys(caring) == [Why.MODEL]
    assert len(caring.words.asked) == MOST_ATTEMPTS - 1


async def test_a_refused_dm_is_failed_with_its_code_and_nothing_comes_until_the_person_writes(caring: Caring) -> None:
    await caring.wants()
    caring.screen.refuse = [DeliveryFailed("Ann takes no DMs.", retry=False, code="dm_closed")]
    await caring.at(NOON)
    [row] = await caring.rows()
    assert (row.state, row.failure) == (CheckInState.FAILED, "dm_closed")
    for days in range(1, 6):
        await caring.at(NOON + days * DAY)
    assert caring.texts == []
    assert {why for why in await whys(caring) if why} == {Why.REFUSED}
    await caring.says("Hello again.")
    caring.work.heard(ANN.id)
    await caring.at(NOON + 5 * DAY + timedelta(hours=1))
    await caring.at(EVENING + 5 * DAY)
    assert caring.texts == [ASKED]


async def test_who_speaks_is_planned_anew() -> None:
    async with open_caring(care__after_talk_hours=12) as caring:
        await caring.wants()
        caring.clock.set_to(NOON + 7 * timedelta(hours=1))
        await caring.says("Hello.")
        caring.work.heard(ANN.id)
        assert await caring.work.tick() >= 0
        assert await caring.planned() == NOON + DAY


async def test_settings_that_switch_all_of_it_off_leave_everything_as_it_is() -> None:
    async with open_caring(care__enabled=False) as caring:
        await caring.stores.checkins.choose(CareWishes(ANN.id, on=True, place=DM, next_at=NOON))
        assert await caring.at(NOON) == 0
        assert await caring.rows() == []


async def test_one_that_waits_in_the_outbox_is_withdrawn_when_it_is_too_late(caring: Caring) -> None:
    await caring.wants()
    caring.screen.refuse = [DeliveryFailed("away", retry=True), DeliveryFailed("away", retry=True)]
    await caring.at(NOON)
    assert [row.state for row in await caring.rows()] == [CheckInState.COMPOSED]
    caring.clock.set_to(NOON + GRACE + MINUTE)
    await caring.delivery.deliver_left_over()
    [row] = await caring.rows()
    assert (row.state, row.why, row.utterance_id) == (CheckInState.SKIPPED, Why.LATE, 0)
    assert caring.texts == []
    assert ASKED not in await caring.lines()
    assert await caring.stores.outbox.undelivered() == []
    assert await caring.planned() == EVENING


async def test_one_that_waits_in_the_outbox_is_withdrawn_when_the_person_wrote(caring: Caring) -> None:
    await caring.wants()
    caring.screen.refuse = [DeliveryFailed("away", retry=True), DeliveryFailed("away", retry=True)]
    await caring.at(NOON)
    caring.clock.set_to(NOON + MINUTE)
    await caring.says("It went well!")
    await caring.delivery.deliver_left_over()
    assert await whys(caring) == [Why.CHANGED]
    assert caring.texts == []


async def test_one_that_waits_in_the_outbox_is_sent_within_the_grace_time(caring: Caring) -> None:
    await caring.wants()
    caring.screen.refuse = [DeliveryFailed("away", retry=True), DeliveryFailed("away", retry=True)]
    await caring.at(NOON)
    caring.clock.set_to(NOON + GRACE)
    await caring.delivery.deliver_left_over()
    assert caring.texts == [ASKED]


async def test_withdrawn_words_that_a_killed_process_left_are_erased(caring: Caring) -> None:
    await caring.wants()
    caring.screen.refuse = [DeliveryFailed("away", retry=True), DeliveryFailed("away", retry=True)]
    await caring.at(NOON)
    [row] = await caring.rows()
    assert await caring.stores.checkins.withdraw(row.id, Why.LATE) == row.utterance_id
    await caring.at(NOON + DAY - timedelta(hours=1))
    assert ASKED not in await caring.lines()


async def test_what_may_have_arrived_is_not_sent_after_the_grace_time(caring: Caring) -> None:
    await caring.wants()
    lost = DeliveryFailed("no answer", retry=True, uncertain=True)
    caring.screen.refuse = [lost, DeliveryFailed("away", retry=True)]
    await caring.at(NOON)
    assert [row.state for row in await caring.rows()] == [CheckInState.SENDING]
    caring.clock.set_to(NOON + GRACE + MINUTE)
    await caring.delivery.deliver_left_over()
    [row] = await caring.rows()
    assert (row.state, row.failure) == (CheckInState.FAILED, "uncertain")
    assert caring.texts == []
    assert ASKED in await caring.lines()


async def test_why_at_each_time(caring: Caring) -> None:
    wishes = await caring.wants(every_days=2, days=(0, 1, 2, 3))
    told = await caring.work.planner.explain(wishes, NOON - MINUTE, NOON + 8 * DAY)
    sent = [moment for moment, why in told if why is None]
    assert sent == [NOON, NOON + 2 * DAY, NOON + 7 * DAY]
    assert dict(told)[EVENING] is Why.OFTEN
    assert all(moment.weekday() < 4 for moment, _ in told)
    assert await caring.rows() == []
    assert caring.words.asked == []


async def test_why_not_at_all(caring: Caring) -> None:
    off = await caring.wants(on=False)
    assert {why for _, why in await caring.work.planner.explain(off, NOON, NOON + DAY)} == {Why.OFF}
    nowhere = replace(off, on=True, zone="Nowhere/Never")
    assert await caring.work.planner.explain(nowhere, NOON, NOON + DAY) == [(NOON, Why.ZONE)]
    paused = replace(off, on=True, paused_until=NOON + DAY)
    assert dict(await caring.work.planner.explain(paused, NOON - MINUTE, NOON + DAY))[EVENING] is Why.PAUSED
