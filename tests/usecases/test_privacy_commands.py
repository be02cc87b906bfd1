"""`/privacy policy | consent | pause | keep | channel | country | receipt`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import (
    Call,
    Consent,
    ErasureReason,
    Place,
    PlaceKind,
    Privacy,
    Selection,
    Speaker,
)
from bot.texts import privacy as texts
from bot.texts.translating import speaking
from bot.usecases.calls import decode, encode
from bot.usecases.countries import COUNTRIES, country_named
from bot.usecases.markup import bare
from tests.stored import ANN, BEN, HALL, OTHER_HALL, START
from tests.usecases.asking import in_channel, in_dm
from tests.usecases.deciding import Deciding, call_of, labels, open_deciding

ANN_TOO = Speaker("talk:1", "Ann")
THERE = replace(in_dm(ANN_TOO), place=Place("talk", PlaceKind.DM, "1"))
THREAD = replace(HALL, ref=f"{HALL.ref}/7")
FOREVER_BUTTON = texts.FOREVER
ONE_SCREEN = 1500
"""Characters that a phone shows without much scrolling."""


async def decided(deciding: Deciding, speaker: Speaker = ANN) -> Privacy:
    return await deciding.privacies.of(speaker.id)


async def link(deciding: Deciding) -> None:
    """Makes Ann one person on two platforms."""
    code = "AAAABBBB"
    await deciding.identities.offer(ANN.id, code, START + timedelta(days=9999))
    await deciding.identities.link(ANN_TOO.id, code, START)


# policy


async def test_the_policy_is_one_screen_and_names_every_way_out() -> None:
    async with open_deciding() as deciding:
        deciding.set(backup__keep_days=17)
        words = await deciding.ask("/privacy policy")
    assert len(words) < ONE_SCREEN
    for promised in (
        "a machine: not a person and not an emergency service",
        *("/memory list", "/memory why", "/memory export", "/memory correct", "/memory forget"),
        *("/privacy keep", "/privacy pause", "/privacy channel out", "/privacy receipt"),
        "17 days",
    ):
        assert promised in words


async def test_the_policy_tells_of_personality_types_where_they_are_guessed() -> None:
    async with open_deciding() as deciding:
        assert "personality" not in await deciding.ask("/privacy policy")
        deciding.set(care__character="model")
        words = await deciding.ask("/privacy policy")
        assert bare(texts.POLICY_CHARACTER) in words
        assert "/persona show" in words
        assert len(words) < ONE_SCREEN
        await deciding.ask("/privacy age minor")
        assert "personality" not in await deciding.ask("/privacy policy")


async def test_the_policy_says_where_the_model_runs() -> None:
    async with open_deciding() as deciding:
        assert texts.MODEL_HERE in await deciding.ask("/privacy policy")
        deciding.set(model__engine="remote", model__remote__base_url="http://127.0.0.1:8080/v1")
        assert texts.MODEL_HERE in await deciding.ask("/privacy policy")
        deciding.set(model__engine="remote", model__remote__base_url="https://models.example/v1")
        words = await deciding.ask("/privacy policy")
    assert texts.MODEL_AWAY in words
    assert texts.MODEL_HERE not in words


async def test_the_policy_says_how_long_and_offers_what_is_not_decided() -> None:
    async with open_deciding() as deciding:
        policy = await deciding.answer("/privacy policy")
        assert bare(texts.POLICY_HOW_LONG_ASK) in bare(policy.text)
        assert labels(policy) == [texts.LOOK, texts.YES, texts.NO]
        await deciding.press(policy, texts.YES)
        assert labels(await deciding.answer("/privacy policy")) == [texts.LOOK, texts.NO]
        deciding.set(privacy__consent="implied")
        assert bare(texts.POLICY_HOW_LONG_IMPLIED) in await deciding.ask("/privacy policy")


async def test_the_companions_name_is_no_markup() -> None:
    async with open_deciding() as deciding:
        deciding.set(agent__name="Mo*ni*ca")
        assert "Mo\\*ni\\*ca" in (await deciding.answer("/privacy policy")).text


# consent


async def test_nobody_is_remembered_until_they_say_yes() -> None:
    async with open_deciding() as deciding:
        shown = await deciding.answer("/privacy consent")
        assert shown.text == texts.UNDECIDED
        assert deciding.changed == []
        said = await deciding.press(shown, texts.YES)
        assert said.text == texts.SAID_YES
        assert (await decided(deciding)).consent is Consent.AGREED
        assert deciding.changed == [ANN.id]
        assert deciding.consented == [(ANN.id, True)]
        assert await deciding.ask("/privacy consent") == texts.AGREED


async def test_a_second_yes_changes_nothing_of_what_was_said() -> None:
    async with open_deciding() as deciding:
        await deciding.answer("/privacy consent yes")
        await deciding.answer("/privacy pause on")
        await deciding.answer("/privacy pause off")
        assert await deciding.ask("/privacy consent yes") == texts.AGREED
        assert deciding.consented == [(ANN.id, True)], "what was said in the pause would be kept"


async def test_a_no_of_whom_nothing_is_known_offers_nothing_to_erase() -> None:
    async with open_deciding() as deciding:
        said = await deciding.answer("/privacy consent no")
        assert (said.text, said.choices) == (texts.SAID_NO_UNKNOWN, ())
        assert (await decided(deciding)).consent is Consent.REFUSED


async def test_the_policy_is_german_as_a_whole_for_who_has_german_set() -> None:
    async with open_deciding() as deciding:
        with speaking("de"):
            german = await deciding.ask("/privacy policy")
        english = await deciding.ask("/privacy policy")
    lines = {line for line in english.splitlines() if line.strip()}
    assert not lines & set(german.splitlines())


async def test_a_no_offers_to_erase_or_to_keep_what_there_is() -> None:
    async with open_deciding() as deciding:
        await deciding.answer("/privacy consent yes")
        await deciding.say(in_dm(), days_ago=0)
        said = await deciding.answer("/privacy consent no")
        assert said.text == texts.SAID_NO
        assert (await decided(deciding)).consent is Consent.REFUSED
        assert deciding.consented == [(ANN.id, True), (ANN.id, False)]
        assert call_of(said, texts.ERASE_ALL) == Call("memory forget", (("what", "everything"),))
        kept = await deciding.press(said, texts.KEEP_ALL)
        assert kept.text == texts.REFUSED
        assert labels(kept) == [texts.YES]
        assert deciding.eraser.asked == []


async def test_the_buttons_of_the_first_contact_work() -> None:
    async with open_deciding() as deciding:
        for answer, consent in (("yes", Consent.AGREED), ("no", Consent.REFUSED)):
            call = decode(encode(Call("privacy consent", (("answer", answer),))))
            assert call is not None
            await deciding.do(call)
            assert (await decided(deciding)).consent is consent


async def test_where_nobody_is_asked_consent_is_given_and_can_be_refused() -> None:
    async with open_deciding() as deciding:
        deciding.set(privacy__consent="implied")
        assert await deciding.ask("/privacy consent") == texts.IMPLIED
        assert await deciding.ask("/privacy consent yes") == texts.AGREED
        assert deciding.consented == [], "it was all on record"
        await deciding.answer("/privacy consent no")
        assert await deciding.ask("/privacy consent") == texts.REFUSED
        await deciding.answer("/privacy consent yes")
        assert deciding.consented == [(ANN.id, False), (ANN.id, True)]


async def test_a_yes_does_not_end_a_pause() -> None:
    async with open_deciding() as deciding:
        await deciding.answer("/privacy pause on")
        said = await deciding.answer("/privacy consent yes")
        assert said.text == texts.SAID_YES_PAUSED
        assert deciding.consented == []
        resumed = await deciding.press(said, texts.RESUME)
        assert resumed.text == texts.PAUSE_OFF
    assert labels(resumed) == [texts.PAUSE]


async def test_what_one_identity_says_holds_for_the_other_and_both_are_told_of() -> None:
    async with open_deciding() as deciding:
        await link(deciding)
        await deciding.answer("/privacy consent no", THERE)
        assert (await decided(deciding)).consent is Consent.REFUSED
        assert deciding.changed == [ANN.id, ANN_TOO.id]
        assert deciding.consented == [(ANN.id, False), (ANN_TOO.id, False)]
        assert (await decided(deciding, BEN)).consent is Consent.UNASKED


async def test_two_commands_at_once_do_not_undo_each_other() -> None:
    async with open_deciding() as deciding:
        rules = deciding.rules
        await asyncio.gather(
            rules.consent(Call("privacy consent", (("answer", "no"),)), in_dm()),
            rules.country(Call("privacy country", (("country", "DE"),)), in_dm()),
            rules.pause(Call("privacy pause", (("state", "on"),)), in_dm()),
        )
        assert await decided(deciding) == Privacy(ANN.id, Consent.REFUSED, paused=True, country="DE")


# pause


async def test_a_pause_begins_is_shown_and_ends() -> None:
    async with open_deciding() as deciding:
        await deciding.answer("/privacy consent yes")
        shown = await deciding.answer("/privacy pause")
        assert shown.text == texts.NOT_PAUSED
        begun = await deciding.press(shown, texts.PAUSE)
        assert begun.text == texts.PAUSE_ON
        assert (await decided(deciding)) == Privacy(ANN.id, Consent.AGREED, paused=True)
        assert await deciding.ask("/privacy pause") == texts.PAUSED
        ended = await deciding.press(begun, texts.RESUME)
        assert ended.text == texts.PAUSE_OFF
        assert not (await decided(deciding)).paused
        assert deciding.consented == [(ANN.id, True)], "what was said in the pause is not kept afterwards"
    assert deciding.changed == [ANN.id] * 3


async def test_the_end_of_a_pause_is_no_yes() -> None:
    async with open_deciding() as deciding:
        await deciding.answer("/privacy pause on")
        ended = await deciding.answer("/privacy pause off")
        assert ended.text == texts.PAUSE_OFF_UNAGREED
        assert labels(ended) == [texts.PAUSE, texts.YES, texts.NO]
        assert (await decided(deciding)).consent is Consent.UNASKED
        deciding.set(privacy__consent="implied")
        assert await deciding.ask("/privacy pause off") == texts.PAUSE_OFF
        await deciding.answer("/privacy consent no")
        assert await deciding.ask("/privacy pause off") == texts.PAUSE_OFF_UNAGREED


# keep


async def test_nothing_is_asked_where_nothing_is_too_old() -> None:
    async with open_deciding() as deciding:
        assert await deciding.ask("/privacy keep") == texts.KEEPS_FOREVER
        await deciding.say(in_dm(), days_ago=29)
        said = await deciding.answer("/privacy keep 30")
        assert said.text == "From now on: I keep what you say for 30 days. What is older is erased."
        assert (await decided(deciding)).keep_days == 30
        assert deciding.changed == [ANN.id]
        shown = await deciding.answer("/privacy keep")
        assert labels(shown) == ["365 days", FOREVER_BUTTON]
        assert (await deciding.press(shown, FOREVER_BUTTON)).text == f"From now on: {texts.KEEPS_FOREVER}"
        assert (await decided(deciding)).keep_days is None
        assert "365 days" in await deciding.ask("/privacy keep 365")
    assert deciding.eraser.asked == []


async def test_what_would_be_erased_is_told_first_and_nothing_is_done() -> None:
    async with open_deciding() as deciding:
        for days_ago in (40, 31, 29):
            await deciding.say(in_dm(), days_ago=days_ago)
        asked = await deciding.answer("/privacy keep 30")
        assert "goes now: 2 messages of yours" in asked.text
        assert labels(asked) == [texts.ERASE_OLD, texts.LEAVE]
        assert await decided(deciding) == Privacy(ANN.id)
        assert (await deciding.press(asked, texts.LEAVE)).text == texts.KEEPS_FOREVER
        assert await decided(deciding) == Privacy(ANN.id)
    assert deciding.eraser.asked == []
    assert deciding.changed == []


async def test_it_is_done_when_they_confirm_it_and_once() -> None:
    async with open_deciding() as deciding:
        old = [await deciding.say(in_dm(), days_ago=40), await deciding.say(in_channel(), days_ago=30.5)]
        await deciding.say(in_dm(BEN), days_ago=50)
        await deciding.say(in_dm(), days_ago=1)
        asked = await deciding.answer("/privacy keep 30")
        done = await deciding.press(asked, texts.ERASE_OLD)
        assert "for 30 days" in done.text
        assert "2 messages of yours went. Receipt 1 " in done.text
        assert deciding.eraser.asked == [(Selection(utterances=tuple(old)), ErasureReason.RETENTION, ANN.id)]
        assert (await decided(deciding)).keep_days == 30
        assert deciding.changed == [ANN.id]
        assert "Receipt 1" in (await deciding.press(done, "Receipt 1")).text
        assert (await deciding.press(asked, texts.ERASE_OLD)).text == texts.QUESTION_OVER
    assert len(deciding.eraser.asked) == 1


async def test_a_strangers_press_neither_confirms_nor_cancels() -> None:
    async with open_deciding() as deciding:
        await deciding.say(in_dm(), days_ago=40)
        await deciding.say(in_dm(BEN), days_ago=40)
        asked = await deciding.answer("/privacy keep 30")
        assert (await deciding.press(asked, texts.ERASE_OLD, in_dm(BEN))).text == texts.NOT_YOUR_QUESTION
        assert deciding.eraser.asked == []
        assert await decided(deciding) == Privacy(ANN.id)
        assert await decided(deciding, BEN) == Privacy(BEN.id)
        await deciding.press(asked, texts.ERASE_OLD)
        assert [who for _, _, who in deciding.eraser.asked] == [ANN.id]


async def test_a_question_is_over_after_its_minutes_and_an_invented_answer_is_none() -> None:
    async with open_deciding() as deciding:
        deciding.set(privacy__confirm_minutes=3)
        await deciding.say(in_dm(), days_ago=40)
        asked = await deciding.answer("/privacy keep 30")
        deciding.clock.advance(timedelta(minutes=3))
        assert (await deciding.press(asked, texts.ERASE_OLD)).text == texts.QUESTION_OVER
        invented = Call("privacy keep", (("days", "30 yes"),))
        assert (await deciding.do(invented)).text == texts.QUESTION_OVER
    assert deciding.eraser.asked == []


async def test_linked_identities_are_asked_and_confirm_as_one() -> None:
    async with open_deciding() as deciding:
        await link(deciding)
        old = [await deciding.say(THERE, days_ago=41), await deciding.say(in_dm(), days_ago=40)]
        asked = await deciding.answer("/privacy keep 7")
        assert "2 messages" in asked.text
        await deciding.press(asked, texts.ERASE_OLD, THERE)
        assert [selection.utterances for selection, _, _ in deciding.eraser.asked] == [tuple(old)]
        assert (await decided(deciding)).keep_days == 7


@pytest.mark.parametrize("typed", ["0", "-1", "36501", "1.5", "week", "٣٠٠٠٠٠", "9" * 30, "²"])
async def test_what_is_no_number_of_days_is_said_so(typed: str) -> None:
    async with open_deciding() as deciding:
        assert await deciding.ask(f"/privacy keep {typed}") == texts.NOT_DAYS.format(most=36_500)
        assert deciding.changed == []


@pytest.mark.parametrize("typed", ["1", "36500", "FOREVER", "Forever"])
async def test_what_is_one_is_taken(typed: str) -> None:
    async with open_deciding() as deciding:
        assert "From now on" in await deciding.ask(f"/privacy keep {typed}")


async def test_minors_cannot_choose_more_than_the_setting_allows() -> None:
    async with open_deciding() as deciding:
        deciding.set(privacy__minor_keep_days=20)
        await deciding.privacies.put(Privacy(ANN.id, minor=True))
        shown = await deciding.answer("/privacy keep")
        assert shown.text.startswith("You are under 18, so what you say is erased after 20 days.")
        assert "before stays until you erase it" in shown.text
        assert labels(shown) == ["20 days"]
        for typed in ("21", "forever"):
            refused = await deciding.answer(f"/privacy keep {typed}")
            assert "20 days at most" in refused.text
            assert (await decided(deciding)).keep_days is None
        await deciding.press(refused, "20 days")
        assert (await decided(deciding)).keep_days == 20
        assert "for 5 days" in await deciding.ask("/privacy keep 5")
        deciding.set(privacy__minor_keep_days=400)
        assert labels(await deciding.answer("/privacy keep")) == ["30 days", "365 days", "400 days"]


# age


async def test_an_adult_taken_for_a_minor_can_say_so() -> None:
    async with open_deciding() as deciding:
        await deciding.privacies.put(Privacy(ANN.id, minor=True, keep_days=30))
        shown = await deciding.do(Call("privacy age"))
        assert shown.text.startswith(texts.MINOR)
        freed = await deciding.do(Call("privacy age", (("age", "adult"),)))
        assert freed.text.startswith(f"{texts.ADULT}\nI keep what you say for 30 days.")
        assert await decided(deciding) == Privacy(ANN.id, keep_days=30), "for how long is theirs to choose"
        assert texts.FOREVER in labels(freed)
    assert deciding.changed == [ANN.id]


async def test_what_a_minor_says_is_kept_for_so_many_days() -> None:
    async with open_deciding() as deciding:
        deciding.set(privacy__minor_keep_days=10)
        minor = Call("privacy age", (("age", "minor"),))
        await deciding.do(minor)
        since = deciding.clock.now()
        assert await decided(deciding) == Privacy(ANN.id, minor=True, minor_since=since)
        deciding.clock.advance(timedelta(days=1))
        await deciding.answer("/privacy keep 3")
        assert "for 3 days" in (await deciding.do(minor)).text
        assert await decided(deciding) == Privacy(ANN.id, minor=True, keep_days=3, minor_since=since)


@pytest.mark.parametrize("chosen", [None, 90])
async def test_who_was_taken_for_a_minor_has_all_again_that_they_had_chosen(chosen: int | None) -> None:
    async with open_deciding() as deciding:
        before = Privacy(ANN.id, Consent.AGREED, keep_days=chosen)
        await deciding.privacies.put(before)
        old = await deciding.say(in_dm(), days_ago=80)
        taken = await deciding.do(Call("privacy age", (("age", "minor"),)))
        stays = "until you erase it" if chosen is None else "for the 90 days that you had chosen"
        assert f"since {START:%Y-%m-%d}; what you said before stays {stays}." in taken.text
        assert deciding.eraser.asked == []
        assert await decided(deciding) == replace(before, minor=True, minor_since=START)
        asked = await deciding.press(taken, "30 days")
        assert "1 message of yours" in asked.text, "what is older goes in two steps"
        await deciding.press(taken, texts.ADULT_BUTTON)
        assert await decided(deciding) == before
        await deciding.do(Call("privacy age", (("age", "minor"),)))
        await deciding.press(asked, texts.ERASE_OLD)
        assert [selection.utterances for selection, _, _ in deciding.eraser.asked] == [(old,)]


async def test_a_question_about_some_days_is_not_answered_with_others() -> None:
    async with open_deciding() as deciding:
        await deciding.say(in_dm(), days_ago=40)
        asked = call_of(await deciding.answer("/privacy keep 30"), texts.ERASE_OLD).get("days")
        forged = Call("privacy keep", (("days", asked.replace("30 ", "1 ", 1)),))
        assert (await deciding.do(forged)).text == texts.QUESTION_OVER
        assert deciding.eraser.asked == []


async def test_minors_are_asked_also_where_others_are_not() -> None:
    async with open_deciding() as deciding:
        deciding.set(privacy__consent="implied")
        await deciding.privacies.put(Privacy(ANN.id, Consent.TOLD, minor=True))
        assert await deciding.ask("/privacy consent") == texts.UNDECIDED_MINOR
        assert bare(texts.POLICY_HOW_LONG_ASK) in await deciding.ask("/privacy policy")
        await deciding.answer("/privacy consent yes")
        assert deciding.consented == [(ANN.id, True)]


# channel


async def test_a_channel_can_be_left_and_come_back_to() -> None:
    async with open_deciding() as deciding:
        here = in_channel()
        shown = await deciding.answer("/privacy channel", here)
        assert shown.text == texts.IN
        left = await deciding.press(shown, texts.BE_OUT, here)
        assert left.text == texts.NOW_OUT
        assert call_of(left, texts.ERASE_HERE) == Call("memory forget", (("what", HALL.key),))
        assert await deciding.privacies.opted_out(ANN.id, HALL)
        assert not await deciding.privacies.opted_out(ANN.id, OTHER_HALL)
        assert await deciding.ask("/privacy channel", here) == texts.OUT
        assert await deciding.ask("/privacy channel", in_channel(place=THREAD)) == texts.OUT
        assert await deciding.ask("/privacy channel", in_channel(BEN)) == bare(texts.IN)
        assert (await deciding.press(left, texts.BE_IN, here)).text == texts.NOW_IN
        assert not await deciding.privacies.opted_out(ANN.id, HALL)
    assert deciding.changed == [ANN.id] * 2
    assert deciding.eraser.asked == []


async def test_a_whole_server_can_be_left_and_come_back_to() -> None:
    async with open_deciding() as deciding:
        here, other = in_channel(), in_channel(place=OTHER_HALL)
        await deciding.answer("/privacy channel out", other)
        left = await deciding.press(await deciding.answer("/privacy channel", here), texts.BE_OUT_EVERYWHERE, here)
        assert left.text == texts.NOW_OUT_EVERYWHERE
        assert await deciding.ask("/privacy channel", in_channel(place=THREAD)) == bare(texts.OUT_EVERYWHERE)
        assert await deciding.privacies.opted_out(ANN.id, OTHER_HALL)
        back = await deciding.answer("/privacy channel in", here)
        assert back.text == texts.NOW_IN_EVERYWHERE
        assert await deciding.ask("/privacy channel", here) == bare(texts.IN)
        assert await deciding.ask("/privacy channel", other) == texts.OUT, "chosen for itself"


async def test_both_identities_are_told_that_one_left_a_channel() -> None:
    async with open_deciding() as deciding:
        await link(deciding)
        await deciding.answer("/privacy channel out", in_channel())
        assert deciding.changed == [ANN.id, ANN_TOO.id]


# country


async def test_a_country_is_told_shown_and_taken_back() -> None:
    async with open_deciding() as deciding:
        assert await deciding.ask("/privacy country") == texts.NO_COUNTRY
        assert "DE" in await deciding.ask("/privacy country de")
        assert (await decided(deciding)).country == "DE"
        assert "DE" in await deciding.ask("/privacy country")
        assert "GB" in await deciding.ask("/privacy country uk")
        assert await deciding.ask("/privacy country NONE") == texts.COUNTRY_GONE
        assert (await decided(deciding)).country == ""
    assert deciding.changed == [ANN.id] * 3


async def test_what_is_no_country_changes_nothing() -> None:
    async with open_deciding() as deciding:
        await deciding.answer("/privacy country FR")
        answer = await deciding.answer("/privacy country **X**")
        assert "“\\*\\*X\\*\\*”" in answer.text
        assert (await decided(deciding)).country == "FR"
        assert len(await deciding.ask(f"/privacy country {'X' * 500}")) < 200


def test_countries_are_two_letters_each() -> None:
    assert all(len(code) == 2 and code.isupper() for code in COUNTRIES)
    assert len(COUNTRIES) == 249
    assert {country_named(typed) for typed in (" de ", "UK", "gb")} == {"DE", "GB"}
    named = ("Germany", "deutschland", "the Netherlands", "Ivory  coast", "United States")
    assert [country_named(name) for name in named] == ["DE", "DE", "NL", "CI", "US"]
    assert country_named("EU") is country_named("") is country_named("DEU") is None


# receipts


async def test_receipts_say_how_much_and_whether_anything_was_left() -> None:
    async with open_deciding() as deciding:
        assert await deciding.ask("/privacy receipt") == texts.NO_RECEIPTS
        clean, unfinished, found = [await deciding.forgets(in_dm(), found=found) for found in (0, None, 2)]
        shown = await deciding.answer("/privacy receipt")
        assert labels(shown) == [str(found), str(unfinished), str(clean)]
        assert bare(shown.text).splitlines()[1:] == [
            f"- {found} (1 March 2026): 1 message; {texts.SHORT_FOUND}",
            f"- {unfinished} (1 March 2026): 1 message; {texts.SHORT_NOT_DONE}",
            f"- {clean} (1 March 2026): 1 message; {texts.SHORT_VERIFIED}",
        ]
        verified = bare((await deciding.press(shown, str(clean))).text)
        assert verified == f"Receipt {clean}, of 1 March 2026: you asked for it.\nGone: 1 message.\n{texts.VERIFIED}"
        assert texts.NOT_DONE in (await deciding.press(shown, str(unfinished))).text
        left = (await deciding.press(shown, str(found))).text
        assert "still found something of it in 2 places" in left
        assert texts.VERIFIED not in left


async def test_somebody_elses_receipt_is_not_there() -> None:
    async with open_deciding() as deciding:
        theirs = await deciding.forgets(in_dm(BEN))
        for typed in (str(theirs), "99", "nonsense", "9" * 40, "-1", "²"):
            assert await deciding.ask(f"/privacy receipt {typed}") == bare(texts.NO_SUCH_RECEIPT)
        assert await deciding.ask("/privacy receipt") == texts.NO_RECEIPTS


async def test_receipts_of_all_identities_come_together_the_latest_first() -> None:
    async with open_deciding() as deciding:
        await link(deciding)
        numbers = [await deciding.forgets(THERE if one % 2 else in_dm()) for one in range(6)]
        assert labels(await deciding.answer("/privacy receipt")) == [str(number) for number in numbers[:0:-1]]
        assert "Gone: 1 message" in await deciding.ask(f"/privacy receipt {numbers[0]}", THERE)


def test_what_went_is_said_in_words() -> None:
    counts = (("utterances", 3), ("replies", 1), ("jobs", 0), ("snow", 2))
    assert texts.went(counts) == "3 messages, 1 reply of mine, 2 snow"
    assert texts.went([("events", 0)]) == texts.NOTHING_WENT


def test_every_reason_has_words() -> None:
    assert set(texts.REASONS) == {reason.value for reason in ErasureReason}
