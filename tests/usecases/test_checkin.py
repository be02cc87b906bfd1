"""`/checkin …` over the real stores: what people choose, what they are told, and whose it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest

from bot.config import load_settings
from bot.domain import (
    AGENT_ID,
    Answer,
    Asker,
    Call,
    CareScores,
    CareWishes,
    Character,
    CheckIn,
    Composed,
    Consent,
    Privacy,
    Reaction,
    Sign,
    Speaker,
    Utterance,
    Why,
)
from bot.texts import checkin as texts
from bot.texts import commands, forgetting
from bot.usecases.calls import MAX_BYTES, encode
from bot.usecases.checkin import checkin_choices
from bot.usecases.intents import is_checkin_refusal
from bot.usecases.markup import bare
from tests.open_rows import open_rows
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, BETA, HALL, START
from tests.usecases.asking import Asking, in_channel, in_dm, owner
from tests.usecases.deciding import call_of, labels

ASKED = "You had your driving test. How did it go?"
SAID = "My driving test is on Friday."


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    """Everybody is remembered, and nobody's clock is known. `START` is Sunday, 1 March 2026, 12:00 in UTC."""
    async with open_rows() as rows:
        settings = load_settings(None, {}, privacy__consent="implied", care__jitter_minutes=0)
        yield Asking(rows, settings=settings)


async def wishes(asking: Asking, speaker: Speaker = ANN) -> CareWishes:
    return await asking.rows.checkins.wishes(speaker.id)


async def press(asking: Asking, answer: Answer, label: str, asker: Asker | None = None) -> Answer:
    return await asking.commands.run(call_of(answer, label), asker or in_dm())


async def checked_in(
    asking: Asking, speaker: Speaker = ANN, text: str = ASKED, toned_by: tuple[Utterance, ...] = ()
) -> CheckIn:
    """A check-in that was sent: it comes from something that they said, and something that Ben said in the hall."""
    rows, store = asking.rows, asking.rows.checkins
    place = in_dm(speaker).place
    said = await rows.accept(SAID, speaker=speaker, place=place, after=-2 * BETA)
    there = await rows.accept("I am in the hall.", speaker=speaker, place=HALL, after=-2 * BETA)
    for one in (said, there, heard := await rows.accept("She drives well.", speaker=BEN, place=HALL, after=-2 * BETA)):
        await rows.sessions.append(one, BETA, 1000)
        await rows.inbox.remembered([one.id])
    now = await store.wishes(speaker.id)
    due = START + timedelta(minutes=len(await store.latest(99)))
    await store.choose(replace(now, on=True, place=place, zone="UTC", next_at=due))
    claimed = await store.claim(await store.wishes(speaker.id), START + timedelta(days=1), START + BETA)
    assert claimed is not None
    sources = ((said.id, said.text), (heard.id, heard.text))
    composed = Composed(text, "The test.", "To hear how it went.", sources, CareScores(0.8, 0.5, 0.25, 0.6))
    composed = replace(composed, toned_by=tuple((one.id, one.text) for one in (said, *toned_by) if toned_by))
    await rows.characters.put(Character(speaker.id, "INFP", sources=tuple(dict(composed.toned_by))))
    message = Utterance(place, "", AGENT, text, due, to_bot=False)
    outgoing = await store.compose(claimed, message, composed, due)
    assert outgoing is not None
    await rows.outbox.sending(outgoing.id)
    await rows.outbox.part_sent(outgoing.id, f"p{outgoing.id}")
    await rows.outbox.sent(outgoing.id)
    found = await store.get(claimed.id)
    assert found is not None
    return found


async def test_on_asks_for_the_clock_and_then_says_when_the_first_may_come(asking: Asking) -> None:
    asked = await asking.answer("/checkin on")
    assert texts.ASK_ZONE in asked.text
    assert ((await wishes(asking)).on, (await wishes(asking)).next_at) == (True, None)
    told = await asking.ask("/checkin timezone Europe/Berlin")
    assert "Berlin (UTC+1)" in told
    assert "It is 13:00 there now" in told
    assert "Sunday, 1 March, 18:00" in told
    assert (await wishes(asking)).next_at == START + timedelta(hours=5)
    assert (await wishes(asking)).place == ANNS_DM
    again = await asking.ask("/checkin on")
    assert "Sunday, 1 March, 18:00" in again
    assert bare(texts.HOW_TO_STOP) in again


async def test_signs_under_a_check_in_are_its_buttons(asking: Asking) -> None:
    await checked_in(asking)
    [outgoing] = [one for one in range(1, 9) if await asking.rows.outbox.used(ANNS_DM, f"p{one}") is not None]

    async def react(sign: Sign, who: Asker | None = None) -> Answer | None:
        sent = f"p{outgoing}"
        return await asking.commands.reacting.react(Reaction(who or in_dm(), sent, sign, asking.clock.now(), "x"))

    assert await react(Sign.NO, in_dm(BEN)) is None
    assert await react(Sign.YES) is None
    less = await react(Sign.NO)
    assert less is not None
    assert (await wishes(asking)).every_days
    later = await react(Sign.AGAIN)
    assert later is not None
    assert (await wishes(asking)).paused_until is not None
    off = await react(Sign.STOP)
    assert off is not None
    assert bare(texts.OFF) in bare(off.text)
    assert not (await wishes(asking)).on


async def test_in_a_channel_it_is_the_dm_that_is_written_to(asking: Asking) -> None:
    answer = await asking.answer("/checkin on", in_channel())
    assert answer.private
    assert texts.ON_IN_CHANNEL in answer.text
    assert (await wishes(asking)).place == ANNS_DM


async def test_without_memory_none_comes_and_the_button_gives_it(asking: Asking) -> None:
    asking.settings = load_settings(None, {}, privacy__consent="ask", care__jitter_minutes=0)
    answer = await asking.answer("/checkin on")
    assert texts.NEEDS_MEMORY in answer.text
    await press(asking, answer, texts.REMEMBER)
    assert texts.NEEDS_MEMORY not in (await asking.answer("/checkin on")).text
    await asking.ask("/privacy pause on")
    paused = await asking.answer("/checkin show")
    assert texts.NEEDS_NO_PAUSE in paused.text
    await press(asking, paused, texts.END_MEMORY_PAUSE)
    assert texts.NEEDS_NO_PAUSE not in (await asking.answer("/checkin show")).text


async def test_minors_are_told_that_they_get_fewer(asking: Asking) -> None:
    await asking.rows.privacies.put(Privacy(ANN.id, minor=True, consent=Consent.AGREED))
    assert texts.FOR_MINORS.format(most=1) in await asking.ask("/checkin on")
    assert "1 a week at most" in await asking.ask("/checkin show")


async def test_off_is_at_once_and_can_be_undone(asking: Asking) -> None:
    await asking.ask("/checkin timezone Europe/Berlin")
    await asking.ask("/checkin on")
    answer = await asking.answer("/checkin off")
    assert answer.text == texts.OFF
    assert ((await wishes(asking)).on, (await wishes(asking)).next_at) == (False, None)
    await press(asking, answer, texts.UNDO)
    assert (await wishes(asking)).on
    assert (await wishes(asking)).next_at is not None
    assert (await asking.answer("/checkin off", in_dm(BEN))).text == texts.NOT_ON


async def test_the_owner_can_leave_them_out(asking: Asking) -> None:
    asking.settings = load_settings(None, {}, care__enabled=False)
    assert await asking.ask("/checkin on") == texts.CLOSED
    assert texts.CLOSED in await asking.ask("/checkin show")
    assert not (await wishes(asking)).on


async def test_what_is_chosen_is_stored_and_shown(asking: Asking) -> None:
    for line in (
        "/checkin timezone Europe/Berlin",
        "/checkin on",
        "/checkin times 9 am, 17:30",
        "/checkin days mon wed",
        "/checkin quiet 20:00-10:00",
        "/checkin often 3",
    ):
        await asking.ask(line)
    chosen = await wishes(asking)
    assert (chosen.times, chosen.days, chosen.quiet) == ((time(9), time(17, 30)), (0, 2), (time(20), time(10)))
    assert chosen.every_days == 3
    assert chosen.next_at == datetime(2026, 3, 2, 16, 30, tzinfo=UTC)
    shown = await asking.ask("/checkin show")
    for words in ("Berlin", "17:30", "on Monday and Wednesday", "20:00 to 10:00", "every 3 days", "2 March, 17:30"):
        assert words in shown
    assert await asking.ask("/checkin times 11 pm") == f"{texts.TIMES_SET.format(times='23:00')}\n{texts.NONE_FITS}"
    for line in ("/checkin times default", "/checkin days every", "/checkin quiet default", "/checkin often default"):
        await asking.ask(line)
    usual = await wishes(asking)
    assert (usual.times, usual.days, usual.quiet, usual.every_days) == ((), (), None, None)
    assert texts.QUIET_OFF in await asking.ask("/checkin quiet off")
    for line in (
        "/checkin times soon",
        "/checkin days blue",
        "/checkin quiet 22",
        "/checkin often 0",
        "/checkin pause x",
    ):
        assert "/checkin " in await asking.ask(line)
    assert (await wishes(asking)).times == ()


async def test_a_place_with_several_clocks_is_asked_about(asking: Asking) -> None:
    answer = await asking.answer("/checkin timezone Springfield")
    assert answer.text == texts.WHICH_ZONE
    choices = [choice for row in answer.choices for choice in row]
    assert len({choice.call.get("place") for choice in choices}) == len(choices) > 1
    chosen = await asking.commands.run(choices[0].call, in_dm())
    assert (await wishes(asking)).zone == choices[0].call.get("place")
    assert texts.NOT_ON_YET in chosen.text
    assert "Nowhereville" in await asking.ask("/checkin timezone Nowhereville")
    assert texts.ZONE_FIXED in await asking.ask("/checkin timezone UTC+2")
    assert await asking.ask("/checkin timezone none") == texts.ZONE_GONE
    assert await asking.ask("/checkin timezone") == bare(texts.NO_ZONE)


async def test_a_pause_by_words_moves_the_next_one(asking: Asking) -> None:
    await asking.ask("/checkin timezone Europe/Berlin")
    await asking.ask("/checkin on")
    answer = await asking.answer("/checkin pause until 9 March")
    assert "Monday, 9 March, 00:00" in answer.text
    assert (await wishes(asking)).next_at == datetime(2026, 3, 9, 11, tzinfo=UTC)
    assert "9 March" in await asking.ask("/checkin pause")
    assert "9 March" in await asking.ask("/checkin show")
    await press(asking, answer, texts.END_PAUSE)
    assert (await wishes(asking)).paused_until is None
    offered = await asking.answer("/checkin pause")
    assert offered.text == texts.NOT_PAUSED
    await press(asking, offered, "2 weeks")
    assert (await wishes(asking)).paused_until == START + timedelta(days=14)


async def test_the_buttons_under_a_check_in_fit_and_leave_its_words_there(asking: Asking) -> None:
    one = await checked_in(asking)
    choices = {choice.label: choice.call for row in checkin_choices(one.id) for choice in row}
    assert list(choices) == [texts.NOT_NOW, texts.LESS_OFTEN, texts.STOP, texts.WHY]
    biggest = [choice.call for row in checkin_choices(10**9 - 1) for choice in row]
    assert all(len(encode(call).encode()) <= MAX_BYTES for call in biggest)
    snoozed = await asking.commands.run(choices[texts.NOT_NOW], in_dm())
    assert bare(snoozed.text) == f"{ASKED}\n\n{texts.SNOOZED}"
    assert labels(snoozed) == [texts.LESS_OFTEN, texts.STOP, texts.WHY]
    assert (await wishes(asking)).paused_until == datetime(2026, 3, 2, tzinfo=UTC)
    less = await asking.commands.run(choices[texts.LESS_OFTEN], in_dm())
    assert bare(less.text) == f"{ASKED}\n\n{texts.LESS.format(often='once every 4 days')}"
    assert (await wishes(asking)).every_days == 4
    stopped = await asking.commands.run(choices[texts.STOP], in_dm())
    assert bare(stopped.text) == f"{ASKED}\n\n{texts.OFF}"
    assert labels(stopped) == [texts.UNDO]
    assert not (await wishes(asking)).on


async def test_less_often_goes_down_to_once_a_month_and_says_so(asking: Asking) -> None:
    await asking.ask("/checkin on")
    await asking.ask("/checkin often 1")
    steps = []
    for _ in range(6):
        await asking.ask("/checkin less")
        steps.append((await wishes(asking)).every_days)
    assert steps == [2, 4, 7, 14, 30, 30]
    assert await asking.ask("/checkin less") == texts.LEAST.format(often="once every 30 days")


async def test_a_stranger_changes_only_their_own_and_sees_nothing(asking: Asking) -> None:
    one = await checked_in(asking)
    before = await wishes(asking)
    for row in checkin_choices(one.id):
        for choice in row:
            answer = await asking.commands.run(choice.call, in_dm(BEN))
            assert "driving" not in answer.text
    forget = await asking.commands.run(Call("memory forget", (("what", f"c{one.id}"),)), in_dm(BEN))
    assert forget.text == forgetting.NOTHING_BEHIND
    assert await wishes(asking) == before
    assert await asking.ask(f"/checkin why {one.id}", in_dm(BEN)) == bare(texts.UNKNOWN_NUMBER)


async def test_why_shows_ones_own_words_and_forget_that_takes_exactly_these(asking: Asking) -> None:
    tea = await asking.rows.accept("I like tea.", after=-3 * BETA)
    await asking.rows.inbox.remembered([tea.id])
    one = await checked_in(asking)
    for line in ("/checkin why", f"/checkin why {one.id}", f"/checkin why c{one.id}"):
        why = await asking.answer(line)
        words = bare(why.text)
        assert [part in words for part in (ASKED, SAID, "To hear how it went")] == [True] * 3
        assert "She drives well" not in words
        assert texts.BECAUSE_OTHERS in words
    preview = await press(asking, why, texts.FORGET_THAT)
    assert SAID in bare(preview.text)
    assert "1 message" in bare(preview.text)
    done = await press(asking, preview, forgetting.ERASE)
    assert "Gone" in done.text
    kept = {said.text for said in await asking.rows.utterances.recent(ANNS_DM, 10)}
    assert kept == {"I like tea."}, "the check-in goes with what it was made of"
    assert texts.WORDS_GONE in await asking.ask(f"/checkin why {one.id}")


async def test_why_tells_what_gave_it_its_tone_in_one_line_and_forget_that_leaves_it(asking: Asking) -> None:
    rows = asking.rows
    told = [await rows.accept(f"I like number {number}.", after=-3 * BETA) for number in range(20)]
    await rows.inbox.remembered([one.id for one in told])
    await checked_in(asking, toned_by=tuple(told))
    why = await asking.answer("/checkin why")
    words = bare(why.text)
    assert bare(texts.BECAUSE_TONE.format(others="20 other things")) in words
    assert SAID in words, "it is about this, too"
    assert "I like number" not in words
    done = await press(asking, await press(asking, why, texts.FORGET_THAT), forgetting.ERASE)
    assert "Gone" in done.text
    kept = [said.text for said in await rows.utterances.recent(ANNS_DM, 99)]
    assert kept == [one.text for one in told]


async def test_a_check_in_is_told_of_and_stopped_after_months_of_nothing_to_say(asking: Asking) -> None:
    store, one = asking.rows.checkins, await checked_in(asking)
    for day in range(1, 60):
        now = await store.wishes(ANN.id)
        await store.choose(replace(now, next_at=START + timedelta(days=day)))
        await store.claim(await store.wishes(ANN.id), START + timedelta(days=day + 1), START, Why.NOTHING)
    assert ASKED in await asking.ask("/checkin why")
    assert f"{one.id} on Sunday, 1 March" in await asking.ask("/checkin show")
    answer = await asking.commands.wished(await asking.rows.accept("stop"))
    assert answer is not None
    assert answer.text == texts.OFF


async def test_without_a_check_in_there_is_nothing_to_tell(asking: Asking) -> None:
    assert await asking.ask("/checkin why") == texts.NO_CHECK_INS
    for number in ("7", "x", "99999999999999999999"):
        assert await asking.ask(f"/checkin why {number}") == bare(texts.UNKNOWN_NUMBER)
    assert texts.WHAT_IT_IS in await asking.ask("/checkin show")
    assert labels(await asking.answer("/checkin show")) == [texts.SWITCH_ON]


async def test_the_last_ones_are_shown_with_their_numbers(asking: Asking) -> None:
    one = await checked_in(asking)
    shown = await asking.answer("/checkin show")
    assert f"{one.id} on Sunday, 1 March, 12:00" in bare(shown.text)
    assert labels(shown) == [texts.SWITCH_OFF, texts.WHY_BUTTON.format(number=one.id)]


async def test_the_owner_sees_the_queue_without_words_or_names_and_stops_all(asking: Asking) -> None:
    one = await checked_in(asking)
    await asking.rows.checkins.choose(CareWishes(BEN.id, on=True, place=BENS_DM, zone="UTC", next_at=START))
    late = await asking.rows.checkins.wishes(BEN.id)
    assert await asking.rows.checkins.claim(late, START + timedelta(hours=7), START, Why.LATE) is not None
    refused = bare(f"{commands.ONLY_OWNER} {commands.IF_YOU_OWN_ME.format(who=ANN.id)}")
    assert await asking.ask("/checkin queue") == refused
    queue = await asking.ask("/checkin queue", owner())
    assert f"{one.id} Sunday, 1 March, 12:00, person 2: sent; importance 0.80, balance 0.50, freshness 0.25" in queue
    assert "person 1: skipped (late)" in queue
    assert "Sunday, 1 March, 19:00, person 1" in queue
    assert not [word for word in ("ann", "ben", "driving", "chat:") if word in queue.casefold().replace("planned", "")]
    assert await asking.ask("/checkin hold on") == refused
    await asking.ask("/checkin hold on", owner())
    assert texts.HELD_NOW in await asking.ask("/checkin queue", owner())
    assert texts.WHY_NONE[Why.HELD.value] in await asking.ask("/checkin show")
    await press(asking, await asking.answer("/checkin hold", owner()), texts.GO_ON, owner())
    assert texts.GOING_ON in await asking.ask("/checkin hold", owner())


async def sessions(asking: Asking, number: int) -> Utterance:
    """Ann has talked so often in private, and says one more thing."""
    for session in range(number):
        told = await asking.talk(ANNS_DM, [(ANN, f"I like tea {session}.")], after=-10 * BETA * (session + 1))
        await asking.remember(told, f"Ann likes tea {session}.")
    return await asking.rows.accept("Hello again.")


async def test_the_offer_comes_once_after_some_talks_and_to_adults_who_agreed(asking: Asking) -> None:
    latest = await sessions(asking, 3)
    assert await asking.commands.offered(latest) is None, "she has not agreed"
    await asking.rows.privacies.put(Privacy(ANN.id, consent=Consent.AGREED, minor=True))
    assert await asking.commands.offered(latest) is None
    await asking.rows.privacies.put(Privacy(ANN.id, consent=Consent.AGREED))
    usual = asking.settings
    asking.settings = load_settings(None, {}, care__offer=False)
    assert await asking.commands.offered(latest) is None
    asking.settings = usual
    assert await asking.commands.offered(replace(latest, place=HALL)) is None
    offer = await asking.commands.offered(latest)
    assert offer is not None
    assert labels(offer) == [texts.YES_PLEASE, texts.NO_THANKS, texts.WHAT_IS_THAT]
    assert (await wishes(asking)).offered, "before it is shown"
    assert await asking.commands.offered(latest) is None
    assert texts.WHAT_IT_IS in (await press(asking, offer, texts.WHAT_IS_THAT)).text
    assert (await press(asking, offer, texts.NO_THANKS)).text == texts.NOT_ON
    await press(asking, offer, texts.YES_PLEASE)
    assert (await wishes(asking)).on


@pytest.mark.parametrize("spoiled", ["too few talks", "danger", "chosen before"])
async def test_it_is_not_offered_where_it_does_not_fit(asking: Asking, spoiled: str) -> None:
    latest = await sessions(asking, 2 if spoiled == "too few talks" else 3)
    await asking.rows.privacies.put(Privacy(ANN.id, consent=Consent.AGREED))
    if spoiled == "danger":
        await asking.rows.accept("I want to kill myself.")
    if spoiled == "chosen before":
        await asking.ask("/checkin off")
    assert await asking.commands.offered(latest) is None


REFUSALS = [
    "stop checking in on me",
    "Please don't message me first.",
    "Monica, do not write to me first any more!",
    "Could you stop texting me first, please?",
    "No more check-ins please",
    "I don't want you to check in on me anymore.",
    "I'm busy. Stop sending me these check-ins.",
    "stop messaging me",
    "Please stop writing to me.",
    "Don't text me again",
    "Hey, stop bothering me all the time!",
    "I don't want you to message me any more",
    "No more messages from you, please.",
    "Schreib mir bitte nicht mehr",
    "Hör auf, mir zu schreiben!",
    "Melde dich nicht mehr bei mir",
    "Arrête de m'écrire",
    "Ne m'écris plus",
    "No me escribas más",
    "Deja de escribirme, por favor",
    "Bitte schreib mir nicht mehr von dir aus.",
    "Hör auf, dich von selbst zu melden",
    "Ne m'écris plus en premier, s'il te plaît",
    "Arrête de prendre de mes nouvelles.",
    "No me escribas más por tu cuenta",
    "Deja de escribirme primero, por favor.",
]
NO_REFUSALS = [
    "My mother should stop checking in on me.",
    "He told me: don't message me first.",
    "I never text him first.",
    "Don't message me first if you do not like me, she said.",
    "Stop it.",
    "Should I stop messaging him first?",
    "She does not check in on me any more.",
    "Er schreibt mir nie von sich aus.",
    "Don't stop checking in on me!",
    "I don't want to check in on him.",
    "Don't write me off.",
    "Stop",
    "Leave me alone.",
    "He does not message me any more.",
    "They should stop bothering me.",
    "Schreib mir nicht so viel",
]
STOPS = [
    "stop",
    "Stop it!",
    "No, please stop",
    "Monica, leave me alone.",
    "Hör auf",
    "Arrête ça",
    "Basta",
    "Déjame en paz",
]
NO_STOPS = [
    "I had to stop at the shop.",
    "The bus stop was closed",
    "It will never stop.",
    "They told me to stop",
    "Stop the car",
]


@pytest.mark.parametrize("said", REFUSALS)
def test_who_does_not_want_it_can_say_so(said: str) -> None:
    assert is_checkin_refusal(said.removeprefix("Monica, "))


@pytest.mark.parametrize("said", NO_REFUSALS)
def test_what_only_sounds_so_is_none(said: str) -> None:
    assert not is_checkin_refusal(said)


@pytest.mark.parametrize("said", STOPS)
async def test_right_below_a_check_in_a_mere_stop_is_enough(asking: Asking, said: str) -> None:
    await checked_in(asking)
    answer = await asking.commands.wished(await asking.rows.accept(said))
    assert answer is not None
    assert (answer.text, labels(answer)) == (texts.OFF, [texts.UNDO])
    assert not (await wishes(asking)).on
    later = await asking.rows.accept(said, after=BETA)
    assert await asking.commands.wished(later) is None, "what is said later is about something else"


@pytest.mark.parametrize("said", NO_STOPS)
async def test_not_every_stop_is_one(asking: Asking, said: str) -> None:
    await checked_in(asking)
    assert await asking.commands.wished(await asking.rows.accept(said)) is None
    assert await asking.commands.wished(await asking.rows.accept("stop", speaker=BEN, place=BENS_DM)) is None
    assert (await wishes(asking)).on


async def test_said_in_ordinary_words_it_stops_and_can_be_undone(asking: Asking) -> None:
    await asking.ask("/checkin on")
    said = Utterance(ANNS_DM, "m", ANN, "Monica, please stop checking in on me.", START)
    in_hall = await asking.commands.wished(replace(said, place=HALL))
    assert in_hall is not None
    assert (in_hall.text, labels(in_hall)) == (texts.WISH_IN_CHANNEL, [texts.STOP_THEM])
    assert (await wishes(asking)).on, "in a channel a button does it"
    answer = await asking.commands.wished(said)
    assert answer is not None
    assert (answer.text, labels(answer)) == (texts.OFF, [texts.UNDO])
    assert not (await wishes(asking)).on
    assert await asking.commands.wished(replace(said, speaker=Speaker(AGENT_ID, "Monica"))) is None


async def test_who_never_had_any_and_says_so_is_not_asked_either(asking: Asking) -> None:
    answer = await asking.commands.wished(Utterance(ANNS_DM, "m", ANN, "Don't message me first.", START))
    assert answer is not None
    assert answer.text == texts.NOT_ON
    assert (await wishes(asking)).offered


async def test_the_export_has_choices_check_ins_and_type(asking: Asking) -> None:
    await asking.ask("/checkin days mon-fri")
    one = await checked_in(asking)
    answer = await asking.answer("/memory export")
    programs, people = (file.content.decode() for file in answer.files)
    assert f'"utterance": {one.utterance_id}' in programs
    assert '"timezone": "UTC"' in programs
    assert '"character": {' in programs
    assert "I may do so on Monday, Tuesday, Wednesday, Thursday and Friday." in people
    assert "\n- Sunday, 1 March 2026, at 12:00\n" in people
    assert ASKED in people


async def test_half_a_character_is_answered_in_words(asking: Asking) -> None:
    for words in ("Ber\ud800lin", "\udfff", "Paris\x00"):
        assert texts.NO_SUCH_ZONE.partition("{")[0] in await asking.ask(f"/checkin timezone {words}")
