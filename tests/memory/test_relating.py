"""What connects two sentences, by their words."""

from datetime import UTC, datetime

import numpy as np
import pytest

from bot.domain import Relation
from bot.memory.relating import Said, connect

TIMES = (datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 20, tzinfo=UTC))


def relation(older: str, newer: str, *things: str, cosine: float = 0.55, speaker: str = "Ann") -> Relation | None:
    named = frozenset(things)
    found = connect([Said("Ann", older, named)], [Said(speaker, newer, named)], np.array([[cosine]]), TIMES)
    return found.relation if found is not None else None


@pytest.mark.parametrize(
    ("older", "newer", "thing", "expected"),
    [
        ("I live in Leeds near the river.", "I moved to York last week.", "river", Relation.CHANGED),
        ("I sing in the choir on Mondays.", "I quit the choir last month.", "choir", Relation.CHANGED),
        ("I am going to adopt a rabbit.", "I finally adopted a rabbit on Friday.", "rabbit", Relation.CAUSE),
        ("I'm keen on counseling one day.", "Lately I've been looking into counseling.", "counseling", Relation.CAUSE),
        ("I want to speak Welsh one day.", "I'm finally learning Welsh at night.", "welsh", Relation.CAUSE),
        ("I hurt my knee at the hockey match.", "I walk with a stick because of my knee.", "knee", Relation.CAUSE),
        ("I hurt my knee again.", "I could not run the marathon because of my knee.", "knee", Relation.HINDERED_BY),
        ("I want to run the marathon in May.", "I had to cancel the marathon.", "marathon", Relation.HINDERED_BY),
        ("My niece was born on Sunday.", "I am so happy about my niece.", "niece", Relation.REACT),
        ("We saw a film about Iceland.", "I would love to see Iceland one day.", "iceland", Relation.WANT),
        ("We took Flopsy to the vet.", "The vet says that our Flopsy is well again.", "flopsy", Relation.SAME_TOPIC),
    ],
)
def test_a_cue_and_a_thing_that_both_name(older: str, newer: str, thing: str, expected: Relation) -> None:
    assert relation(older, newer, thing) is expected


@pytest.mark.parametrize(
    ("older", "newer", "thing"),
    [
        ("I hurt my knee again.", "Did you hurt your knee?", "knee"),
        ("Your kind words mean a lot to me.", "Your words mean a lot.", "words"),
        ("I need your support with this.", "I thank my sister for the support.", "support"),
        ("I am doing well today, Kate.", "We met for a long chat, Kate.", "kate"),
        ("I like tea with milk.", "I bought a kettle for tea.", "tea"),
    ],
)
def test_chatter_and_a_thing_in_passing_connect_nothing(older: str, newer: str, thing: str) -> None:
    assert relation(older, newer, thing) is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Leeds near the river.", "We just moved to York."),
        ("Ich wohne in Köln.", "Ich bin nach Bonn gezogen."),
        ("Mi hijo tiene seis años.", "Mi hijo ha cumplido siete."),
        ("Je travaille comme infirmière.", "J'ai démissionné."),
    ],
)
def test_a_change_of_a_fact_needs_no_word_that_both_have(older: str, newer: str) -> None:
    assert relation(older, newer, cosine=0.1) is Relation.CHANGED
    assert relation(older, newer, cosine=0.1, speaker="Ben") is None


def test_of_somebody_who_is_named_the_later_sentence_needs_no_i() -> None:
    assert relation("I adopted our dog Rex in May.", "Rex passed away last night.", "rex") is Relation.CHANGED
    assert relation("I made some toast for us.", "Toast was cancelled by the cafe.", "toast") is None


def test_curly_apostrophes_are_read_as_straight_ones() -> None:
    assert relation("I’m going to adopt a rabbit.", "We’ve adopted a rabbit now.", "rabbit") is Relation.CAUSE


def test_what_is_little_alike_or_of_two_people_is_not_connected() -> None:
    older, newer = "I want to run the marathon in May.", "I had to cancel the marathon."
    assert relation(older, newer, "marathon", cosine=0.3) is None
    assert relation(older, newer, "marathon", speaker="Ben") is None


def test_the_relation_that_says_most_is_taken() -> None:
    older = [Said("Ann", "I sing in the choir on Mondays.", frozenset({"choir"}))]
    newer = [
        Said("Ann", "Our choir has forty voices.", frozenset({"choir"})),
        Said("Ann", "I quit the choir last month.", frozenset({"choir"})),
    ]
    found = connect(older, newer, np.array([[0.9, 0.6]]), TIMES)
    assert found is not None
    assert found.relation is Relation.CHANGED
