"""Wishes for what is said to lie ahead."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.conversation.own_words import Known
from bot.conversation.situations import Situation, situation_of
from bot.conversation.told import Told
from bot.conversation.wishing import wish_for

NOW = datetime(2026, 11, 24, 18, tzinfo=UTC)  # a Tuesday


def wish(line: str, *said: str, language: str = "en") -> str:
    return wish_for(Known(situation_of(line, (), "en"), line, "ann", {}, None, (), None, said, language), NOW)


@pytest.mark.parametrize(
    ("line", "wished"),
    [
        ("have a maths test thursday and i havent studied at all", "Good luck on Thursday!"),
        ("my driving test is tomorrow morning", "Good luck tomorrow morning!"),
        ("job interview next week", "Good luck next week!"),
        ("anatomy exam in 3 days and i know nothing", "Good luck!"),
        ("I have the eye doctor on Wednesday.", "I hope it goes well on Wednesday."),
        ("my son has his final exam on friday", "I hope it goes well on Friday."),
        ("hip gets done on the 14th of december, operation at 8", "I hope it goes well."),
        ("sent out 6 applications. heard back from one, phone interview thursday at 10", "Good luck on Thursday!"),
        ("blood test on monday", "I hope it goes well on Monday."),
        ("Oh, I hear the gate. Wish me luck!", "Good luck!"),
        ("my boss said the interview is on thursday", "I hope it goes well on Thursday."),
    ],
)
def test_a_test_or_an_appointment_ahead_gets_a_wish(line: str, wished: str) -> None:
    assert wish(line) == f"{wished} Tell me afterwards how it went."


@pytest.mark.parametrize(
    "line",
    [
        "the exam was on thursday",
        "my exam on friday got cancelled",
        "should I go to the interview on friday?",
        "if the scan on monday is clear we'll go away",
        "no exam until june",
        "the doctor said less cheese",
        "pizza with ellie on saturday",
        "today my daughter corrected my english in front of the doctor",
        "surgery in january",
        "my husband is not well, he came home from hospital on tuesday",
        "i passed my exam, next one on friday",
        "my dog biscuit quit eating sunday and the vet found somthing on her spleen",
        "he threw up on sunday so off to the vet",
    ],
)
def test_what_is_over_called_off_far_or_no_trial_gets_none(line: str) -> None:
    assert wish(line) == ""


def test_nothing_is_wished_twice_nor_where_another_reply_is_due() -> None:
    line = "my driving test is tomorrow"
    assert wish(line, wish(line)) == ""
    assert wish(line, language="de") == ""
    known = Known(Situation.WORRY, line, "ann", {}, None, (), None, (), "en")
    assert wish_for(known, NOW) == ""


@pytest.mark.parametrize(
    "line",
    [
        "vet tomorrow to say goodbye to rex",
        "they turn off dads life support tomorrow, the doctor said 10 am",
        "my baby has no heartbeat, surgery on friday",
        "he hit me again and the court hearing is on monday",
        "i feel so alone and empty, interview tomorrow",
        "panic attacks all night, exam tomorrow",
        "watching the match on saturday with beer",
        "my tinder match wants to meet tomorrow",
        "movie marathon tomorrow night with pizza",
        "gotta go now, driving test tomorrow, good night",
    ],
)
def test_nobody_is_wished_luck_for_what_is_heavy_or_no_trial(line: str) -> None:
    assert wish(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "my dad always used to wish me luck",
        "they didn't even wish me luck",
        "don't wish me luck, it jinxes it",
        "wish me luck, burying my dog today",
    ],
)
def test_who_does_not_ask_for_luck_is_not_wished_it(line: str) -> None:
    assert wish(line) == ""
    assert wish("Wish me luck!", wish("Wish me luck!")) == ""


def test_the_day_is_that_of_the_trial() -> None:
    assert wish("quitting tomorrow, my interview with hr is on friday").startswith("Good luck on Friday!")
    assert wish("my students have a test tomorrow").startswith("I hope it goes well tomorrow.")


def test_nobody_who_mourns_or_told_of_a_danger_is_wished_luck() -> None:
    line, lost = "i have an exam on friday anyway", "i want to kill myself"
    told = tuple(Told("ann", text, NOW, fresh=True, utterance=number) for number, text in enumerate((lost, line)))
    known = Known(Situation.TALK, line, "ann", {}, None, (), None, (), "en")
    assert wish_for(known, NOW)
    assert wish_for(replace(known, told=told), NOW) == ""
    assert wish_for(replace(known, sad=True), NOW) == ""
