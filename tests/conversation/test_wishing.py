"""Wishes for what is said to lie ahead."""

from datetime import UTC, datetime

import pytest

from bot.conversation.own_words import Known
from bot.conversation.situations import Situation, situation_of
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
        ("blood test on monday", "I hope it goes well on Monday."),
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
