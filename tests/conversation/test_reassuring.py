"""Yes or no to who asks whether it is wrong, or normal, to feel as they do."""

import pytest

from bot.conversation.own_words import Known
from bot.conversation.reassuring import NOT_AT_ALL, OF_COURSE, comfort_of
from bot.conversation.situations import situation_of


def comfort(line: str, *said: str, sorrow: bool = False, language: str = "en") -> str:
    return comfort_of(
        Known(situation_of(line, (), "en"), line, "ann", {}, None, (), None, said, language, sorrow=sorrow)
    )


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("is it wrong that im so angry with him", NOT_AT_ALL),
        ("is it wrong to miss someone who hurt you", NOT_AT_ALL),
        ("am i a bad mother for feeling jealous of my sister", NOT_AT_ALL),
        ("is it normal to cry over nothing", OF_COURSE),
        ("is it ok to feel relieved he died?", OF_COURSE),
    ],
)
def test_who_asks_about_a_feeling_is_told_that_it_makes_sense(line: str, answer: str) -> None:
    assert comfort(line) == answer
    assert comfort(line, answer) == ""
    assert comfort(line, language="de") == ""


def test_in_sorrow_it_may_point_to_what_was_told() -> None:
    assert comfort("Do you think that is foolish?", sorrow=True) == NOT_AT_ALL
    assert comfort("Do you think that is foolish?") == ""


@pytest.mark.parametrize(
    "line",
    [
        "is it normal to bleed after that",
        "is it bad that i hate my kid",
        "is it bad if i hit him when i'm angry",
        "is it ok to skip my meds when i feel nothing",
        "is it normal to feel numb in my left arm",
        "is it wrong that i want to hurt myself when i'm sad",
        "is it stupid to quit",
        "is it ok to be angry and drive drunk",
        "do you think that is normal or should I talk to someone",
        "is it normal that my baby isn't crying",
        "is it wrong that i'm happy when i hit him",
    ],
)
def test_nobody_is_reassured_about_what_is_done_or_of_the_body(line: str) -> None:
    assert comfort(line, sorrow=True) == ""
