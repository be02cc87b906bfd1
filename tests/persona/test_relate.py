import pytest

from bot.persona.relate import Relation, relate

RESTATE = 0.9


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I like tea.", "I don't like tea."),
        ("I like tea.", "I no longer like tea."),
        ("I smoke.", "I quit smoke."),
        ("I live in Leeds.", "I moved to Berlin."),
        ("I live in Leeds.", "I now live in Berlin."),
        ("My name is Ann.", "My name is Anna Maria."),
        ("I am 30 years old.", "I'm 31."),
        ("I am single.", "I'm married."),
        ("I work as a nurse.", "I now work as a teacher."),
        ("My favorite color is red.", "My favourite color is blue."),
    ],
)
def test_contradictions_are_seen_whatever_the_similarity(old: str, new: str) -> None:
    assert relate(old, new, 0.95, RESTATE) is Relation.CONTRADICTS
    assert relate(old, new, 0.1, RESTATE) is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I like tea.", "I like coffee."),
        ("I live in Leeds.", "I work at a bank."),
        ("My favorite color is red.", "My favorite food is rice."),
        ("I have two dogs.", "I do not like rain."),
        ("I live in Leeds.", "I live in Leeds, near the river."),
    ],
)
def test_other_things_stand_side_by_side(old: str, new: str) -> None:
    assert relate(old, new, 0.5, RESTATE) is Relation.OTHER


def test_the_same_words_or_a_high_similarity_restate() -> None:
    assert relate("I like tea.", "i like tea!", 0.0, RESTATE) is Relation.RESTATES
    assert relate("I have two dogs.", "I own two dogs.", 0.93, RESTATE) is Relation.RESTATES
    assert relate("I have two dogs.", "I own two dogs.", 0.9, RESTATE) is Relation.OTHER
