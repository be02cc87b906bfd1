"""Yes or no to who asks whether it is wrong, or normal, to feel as they do."""

from datetime import UTC, datetime

import pytest

from bot.care.grave import weight_of
from bot.conversation.own_words import Known
from bot.conversation.reassuring import NOT_AT_ALL, OF_COURSE, comfort_of
from bot.conversation.situations import situation_of
from bot.conversation.told import Told


def comfort(line: str, *said: str, language: str = "en", before: str = "") -> str:
    told = [Told("ann", before, datetime(2026, 11, 27, tzinfo=UTC), fresh=True)] if before else []
    known = Known(situation_of(line, (), "en"), line, "ann", {}, None, told, None, said, language)
    return comfort_of(known, weight_of)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("is it wrong that im so angry with him", NOT_AT_ALL),
        ("do you think it's silly to be sad about it", NOT_AT_ALL),
        ("is it normal to cry over nothing", OF_COURSE),
        ("is it normal that I feel ashamed?", OF_COURSE),
        ("is it ok to feel relieved", OF_COURSE),
    ],
)
def test_who_asks_about_a_feeling_is_told_that_it_makes_sense(line: str, answer: str) -> None:
    assert comfort(line) == answer
    assert comfort(line, answer) == ""
    assert comfort(line, language="de") == ""
    assert comfort(line, before="i want to kill myself") == ""


@pytest.mark.parametrize(
    "line",
    """
    is it normal to be scared of my husband
    is it ok to be afraid to go home
    is it normal to be scared when he locks me in
    is it normal to feel happy now that i've decided
    is it bad that i'm relieved it'll all be over soon
    is it wrong to miss her so much i want to join her
    am i a bad mother for feeling angry enough to shake her
    am i a bad mother for feeling nothing for my baby
    is it normal to cry every day after having a baby
    is it okay to be mad at my kid and lock him in
    is it wrong to feel happy when i see her cry
    is it wrong to hurt people
    is it normal to hurt when i pee
    is it normal to feel numb down one side
    is it normal to feel really tired after taking so many
    is it ok to miss my insulin
    is it normal to feel proud that i weigh 40kg
    is it silly to be worried, he hasn't moved for an hour
    is it wrong that i want to hurt myself when i'm sad
    is it stupid to quit
    is that normal?
    is it awful?
    am i a bad person?
    do you think that is normal or should I talk to someone
    """.strip().splitlines(),
)
def test_nobody_is_reassured_about_more_than_a_feeling(line: str) -> None:
    assert comfort(line.strip()) == ""
