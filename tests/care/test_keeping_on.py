"""Check-ins when something goes wrong: with one person, with the clock, on the way out, or with what was noted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, time, timedelta

import pytest

from bot.care.clock_jumps import ClockWatch, Move
from bot.care.helping import HelpNotes
from bot.config import SafetySettings
from bot.conversation.crisis_responder import CrisisResponder, Help
from bot.domain import CareWishes, CheckInState, Composed, Consent, Place, PlaceKind, Speaker, Utterance, Why
from bot.errors import DeliveryFailed, IndexUnusable, StorageError
from tests.care.checking import ASKED, BYE, EVENING, NOON, Caring, open_caring
from tests.living import ANN, BOB, DM, START

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
BOBS = Place("test", PlaceKind.DM, "bob")
OTHER = Place("test", PlaceKind.DM, "other")
LOST = DeliveryFailed("no answer", retry=True, uncertain=True)
AWAY = DeliveryFailed("away", retry=True)

CALL = Help("Call 112.", sure=True)


@pytest.fixture
async def caring() -> AsyncIterator[Caring]:
    async with open_caring() as opened:
        yield opened


async def intervenes(caring: Caring, what: str) -> None:
    """Something after which nothing may be sent any more."""
    checkins = caring.stores.checkins
    wishes = await checkins.wishes(ANN.id)
    match what:
        case "off":
            await checkins.choose(replace(wishes, on=False, next_at=None))
        case "paused":
            await checkins.choose(replace(wishes, paused_until=NOON + DAY))
        case "moved":
            await checkins.choose(replace(wishes, place=OTHER))
        case "hold":
            await checkins.hold(on=True)
        case "help":
            caring.work.helped(ANN.id)
        case "said":
            await caring.says("I have no interview any more.")
        case "no consent":
            await caring.consents.decide(replace(await caring.consents.of(ANN.id), consent=Consent.REFUSED))
        case _:
            caring.clock.set_to(NOON + 60 * MINUTE)  # in quiet hours


EVENTS = ["off", "paused", "moved", "hold", "help", "said", "no consent", "quiet"]


@pytest.mark.parametrize("what", EVENTS)
async def test_what_may_have_arrived_is_not_sent_where_it_may_not_speak_any_more(caring: Caring, what: str) -> None:
    await caring.wants(quiet=(time(12, 30), time(8)))
    caring.screen.refuse = [LOST, AWAY]
    await caring.at(NOON)
    assert [row.state for row in await caring.rows()] == [CheckInState.SENDING]
    caring.clock.set_to(NOON + 10 * MINUTE)
    await intervenes(caring, what)
    await caring.delivery.deliver_left_over()
    [row] = await caring.rows()
    assert caring.texts == []
    assert (row.state, row.failure) == (CheckInState.FAILED, "uncertain")
    assert ASKED in await caring.lines()  # it may be there


@pytest.mark.parametrize("what", EVENTS)
async def test_what_did_not_arrive_is_withdrawn_where_it_may_not_speak_any_more(caring: Caring, what: str) -> None:
    await caring.wants(quiet=(time(12, 30), time(8)))
    caring.screen.refuse = [AWAY, AWAY]
    await caring.at(NOON)
    caring.clock.set_to(NOON + 10 * MINUTE)
    await intervenes(caring, what)
    await caring.delivery.deliver_left_over()
    assert caring.texts == []
    assert [row.state for row in await caring.rows()] == [CheckInState.SKIPPED]
    assert ASKED not in await caring.lines()


async def test_of_an_account_that_parted_meanwhile_nothing_is_told(caring: Caring) -> None:
    other = Place("other", PlaceKind.DM, "ann2")
    identities = caring.stores.identities
    from_there = await caring.says("I have an exam on Friday.", Speaker("other:ann2", "Ann"), other)
    await identities.offer(ANN.id, "ABCD", caring.clock.now() + DAY)
    await identities.link("other:ann2", "ABCD", caring.clock.now())
    assert isinstance(caring.words.composed, Composed)
    caring.words.composed = replace(caring.words.composed, sources=((from_there.id, from_there.text),))
    await caring.wants()
    caring.screen.refuse = [AWAY, AWAY]
    await caring.at(NOON)
    assert [row.state for row in await caring.rows()] == [CheckInState.COMPOSED]
    await identities.unlink(ANN.id)
    await caring.delivery.deliver_left_over()
    assert caring.texts == []
    assert [row.why for row in await caring.rows()] == [Why.CHANGED]


@pytest.mark.parametrize("when", ["while it is composed", "before it is sent"])
async def test_of_a_trait_that_was_corrected_meanwhile_nothing_is_told(caring: Caring, when: str) -> None:
    told = caring.stores.told
    words = Utterance(DM, "told:1", ANN, "I am a nurse.", START)
    nurse = await told.tell(words, words.text, now=START)
    assert isinstance(caring.words.composed, Composed)
    caring.words.composed = replace(caring.words.composed, traits=(nurse.id,))

    async def corrects() -> None:
        now = replace(words, message_id="told:2", text="I am a doctor.")
        await told.tell(now, now.text, instead_of=[("trait", nurse.id)], now=NOON)

    await caring.wants()
    if when == "while it is composed":
        caring.words.meanwhile = corrects
        await caring.at(NOON)
    else:
        caring.screen.refuse = [AWAY, AWAY]
        await caring.at(NOON)
        assert [row.state for row in await caring.rows()] == [CheckInState.COMPOSED]
        await corrects()
        await caring.delivery.deliver_left_over()
    assert caring.texts == []
    assert [row.why for row in await caring.rows()] == [Why.CHANGED]
    assert ASKED not in await caring.lines()


@pytest.mark.parametrize("error", [IndexUnusable("gone"), StorageError("full"), ValueError("unforeseen")])
async def test_what_goes_wrong_with_one_person_keeps_nobody_else_waiting(caring: Caring, error: Exception) -> None:
    await caring.wants(BOB, BOBS, times=(time(11),))
    await caring.wants()
    said = caring.words.compose

    async def compose(wishes: CareWishes, place: Place, now: datetime) -> Composed | Why:
        if place == BOBS:
            raise error
        return await said(wishes, place, now)

    caring.words.compose = compose  # type: ignore[method-assign]  # of one person it cannot be worded
    await caring.at(NOON)
    assert caring.texts == [ASKED]
    of_bob = [row for row in await caring.rows() if row.place == BOBS]
    if isinstance(error, IndexUnusable):
        assert [(row.state, row.why) for row in of_bob] == [(CheckInState.SKIPPED, Why.MODEL)]
    else:  # it is taken up again
        assert [row.state for row in of_bob] == [CheckInState.CLAIMED]


@pytest.mark.parametrize("error", [StorageError("busy"), ValueError("unforeseen")])
async def test_who_cannot_be_looked_at_keeps_nobody_else_waiting(caring: Caring, error: Exception) -> None:
    await caring.wants(BOB, BOBS, times=(time(11),))
    await caring.wants()
    known = caring.consents.of

    async def of(speaker_id: str) -> object:
        if speaker_id == BOB.id:
            raise error
        return await known(speaker_id)

    caring.consents.of = of  # type: ignore[method-assign, assignment]  # of one person it cannot be read
    caring.work.heard(BOB.id)
    caring.work.heard(ANN.id)
    await caring.at(NOON)
    assert caring.texts == [ASKED]
    # What may pass is tried at the next tick; what nobody foresaw, at the next daily look.
    assert (await caring.planned(BOB) is None) == isinstance(error, ValueError)
    caring.consents.of = known  # type: ignore[method-assign]
    await caring.at(EVENING + 6 * timedelta(hours=1))
    assert (await caring.planned(BOB) or NOON) > EVENING


async def test_for_whom_nothing_could_be_planned_something_is_once_it_can_be(caring: Caring) -> None:
    await caring.stores.checkins.choose(CareWishes(ANN.id, on=True, place=DM, offered=True))
    await caring.at(NOON - MINUTE)
    assert await caring.planned() == NOON


async def test_everybody_is_found_for_whom_nothing_is_planned(caring: Caring) -> None:
    crowd = [Speaker(f"test:{number}", f"P{number}") for number in range(120)]
    for speaker in crowd:
        place = Place("test", PlaceKind.DM, speaker.id.removeprefix("test:"))
        zone = "Nowhere/Never" if speaker is crowd[7] else ""
        await caring.stores.checkins.choose(CareWishes(speaker.id, on=True, place=place, zone=zone))
    await caring.at(NOON - MINUTE)
    unplanned = [speaker for speaker in crowd if await caring.planned(speaker) is None]
    assert unplanned == [crowd[7]]


async def test_what_a_clock_that_was_ahead_has_sent_silences_nobody(caring: Caring) -> None:
    await caring.wants()
    caring.clock.set_to(NOON + 1000 * DAY - MINUTE)
    await caring.work.planner.plan_anew(ANN.id)
    await caring.at(NOON + 1000 * DAY)
    assert caring.texts == [ASKED]
    for days in range(-1, 5):
        await caring.at(NOON + days * DAY)
    assert caring.texts.count(ASKED) > 1


async def test_what_a_clock_dated_that_leapt_ahead_is_set_right_as_soon_as_it_comes_back(caring: Caring) -> None:
    await caring.wants()
    await caring.at(NOON - MINUTE)
    caring.clock.set_to(NOON + 1000 * DAY - MINUTE)
    await caring.work.planner.plan_anew(ANN.id)
    await caring.at(NOON + 1000 * DAY)
    caring.work.helped(ANN.id)
    await caring.work.tick()
    assert caring.texts == [ASKED]
    await caring.at(NOON + MINUTE)
    for moment in (NOON + MINUTE, NOON + 2 * DAY):
        seen = await caring.work.planner.circumstances(ANN.id, moment)
        assert (seen.sent, seen.helped) == ((NOON + MINUTE,), NOON + MINUTE)


def test_a_clock_is_watched() -> None:
    def moves(*days: float) -> list[Move]:
        watch = ClockWatch()
        return [watch.seen(NOON + day * DAY) for day in days]

    on, back, home = Move.ON, Move.BACK, Move.HOME
    assert moves(0, 0.1, 0.1, 0.099) == [on, on, on, on]
    assert moves(0, 0.5, 0.1) == [on, on, back], "no leap, so nobody knows which was right"
    assert moves(0, 900, 0.1, 0.2) == [on, on, home, on]
    assert moves(0, 900, 900.1, 0.1) == [on, on, on, home]
    assert moves(0, 900, -1, 0.1) == [on, on, back, on]
    assert moves(0, 3, 4.5, 1) == [on, on, on, back], "after a day the time that it leapt to is believed"
    assert moves(0, 900, 0.1, 0.2, 0.1) == [on, on, home, on, back]


async def test_a_clock_that_starts_years_behind_forgets_nothing(caring: Caring) -> None:
    await caring.wants()
    caring.work.helped(ANN.id)
    await caring.at(NOON - 10_000 * DAY)
    await caring.at(NOON)
    assert (await caring.work.planner.circumstances(ANN.id, NOON)).helped == START
    assert caring.texts == []


async def test_what_a_clock_planned_that_was_weeks_ahead_is_planned_anew(caring: Caring) -> None:
    await caring.wants()
    caring.clock.set_to(NOON + 40 * DAY)
    await caring.work.planner.plan_anew(ANN.id)
    await caring.work.tick()
    await caring.at(NOON - MINUTE)
    assert await caring.planned() == NOON


async def unanswered(caring: Caring, refuse: list[DeliveryFailed | None]) -> datetime:
    """Lets check-ins go unanswered until the farewell is composed, which cannot be sent; when it was."""
    await caring.wants()
    moment = NOON
    while caring.texts.count(ASKED) < 5:
        await caring.at(moment)
        moment = await caring.planned() or moment
    caring.screen.refuse = refuse
    await caring.at(moment)
    assert (await caring.rows())[-1].farewell
    return moment


async def test_a_farewell_that_did_not_arrive_leaves_check_ins_on(caring: Caring) -> None:
    moment = await unanswered(caring, [AWAY, AWAY])
    assert (await caring.stores.checkins.wishes(ANN.id)).on
    caring.clock.set_to(moment + timedelta(hours=3))
    await caring.delivery.deliver_left_over()
    wishes = await caring.stores.checkins.wishes(ANN.id)
    assert wishes.on
    assert wishes.next_at is not None
    assert BYE not in caring.texts


async def test_a_farewell_that_arrives_later_switches_check_ins_off(caring: Caring) -> None:
    await unanswered(caring, [AWAY, AWAY])
    await caring.delivery.deliver_left_over()
    wishes = await caring.stores.checkins.wishes(ANN.id)
    assert (caring.texts[-1], wishes.on, wishes.next_at) == (BYE, False, None)


async def test_a_farewell_that_may_have_arrived_switches_check_ins_off(caring: Caring) -> None:
    moment = await unanswered(caring, [LOST, AWAY])
    caring.clock.set_to(moment + timedelta(hours=3))
    await caring.delivery.deliver_left_over()
    assert not (await caring.stores.checkins.wishes(ANN.id)).on
    assert BYE not in caring.texts


async def test_a_farewell_that_is_refused_leaves_check_ins_on(caring: Caring) -> None:
    await unanswered(caring, [DeliveryFailed("Ann takes no DMs.", retry=False, code="dm_closed")])
    wishes = await caring.stores.checkins.wishes(ANN.id)
    assert wishes.on
    assert wishes.next_at is not None


async def test_no_farewell_comes_to_who_has_switched_off(caring: Caring) -> None:
    await unanswered(caring, [AWAY, AWAY])
    await caring.stores.checkins.switch_off(ANN.id)
    await caring.delivery.deliver_left_over()
    assert BYE not in caring.texts


async def test_who_speaks_when_one_is_due_does_not_make_it_vanish(caring: Caring) -> None:
    await caring.wants()
    caring.work.heard(ANN.id)
    await caring.at(NOON)
    assert [row.state for row in await caring.rows()] == [CheckInState.SENT]


async def test_where_check_ins_are_closed_nobody_is_kept_in_mind() -> None:
    async with open_caring(care__enabled=False) as caring:
        for number in range(1000):
            caring.work.heard(f"test:{number}")
        assert not caring.work._heard


class Slow:
    """A store that takes its time."""

    def __init__(self, *errors: StorageError) -> None:
        self.go_on = asyncio.Event()
        self.errors = [*errors]
        self.noted: list[tuple[str, datetime]] = []

    async def note(self, speaker_id: str, at: datetime) -> None:
        await self.go_on.wait()
        if self.errors:
            raise self.errors.pop()
        self.noted.append((speaker_id, at))


async def test_help_does_not_wait_until_it_is_written_down(caring: Caring) -> None:
    store = Slow()
    notes = HelpNotes(store=store.note, clock=caring.clock)
    settings = SafetySettings()
    crisis_responder = CrisisResponder(
        utterances=caring.stores.utterances,
        consents=caring.consents,
        settings=settings,
        text_of=lambda *_: Help("Call 112.", sure=True),
        on_help=notes.add,
    )
    async with asyncio.timeout(20):
        assert await crisis_responder.help_for(ANN.id, "I want to kill myself.") == CALL
        assert store.noted == []
        store.go_on.set()
        await notes.written()
    assert [speaker_id for speaker_id, _ in store.noted] == [ANN.id]


async def test_what_could_not_be_written_down_is_tried_again_with_its_time(caring: Caring) -> None:
    store = Slow(StorageError("busy"))
    store.go_on.set()
    notes = HelpNotes(store=store.note, clock=caring.clock)
    began = caring.clock.now()
    notes.add(ANN.id)
    await notes.written()
    caring.clock.set_to(NOON)
    await notes.written()
    assert store.noted == [(ANN.id, began)]
