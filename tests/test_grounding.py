"""Tests of the check on what a model says of its source."""

import pytest

from bot.language.grounding import invented, stem
from tests.tagged import tagger

TOPICS = tagger().topics


@pytest.mark.parametrize(
    ("output", "source", "expected"),
    [
        ("Alice has three dogs.", "Alice: I have two dogs", {"three"}),
        ("I have 7 cats.", "I have 17 cats", {"7"}),
        ("Alice lives in Paris with Bob.", "Alice: I live in Paris", {"bob"}),
        ("I own a farm.", "I read books", {"farm"}),
        ("She has an art studio.", "We had a party in the studio", {"art"}),
        ("Ann moved to Москва.", "Ann: I moved last week", {"москва"}),
    ],
)
def test_what_the_source_does_not_have(output: str, source: str, expected: set[str]) -> None:
    assert invented(output, source, TOPICS) == expected
    assert invented(output, source, TOPICS)


@pytest.mark.parametrize(
    ("output", "source"),
    [
        ("I have 2 dogs.", "i have two dogs"),
        ("She is a baker.", "I run a bakery"),
        ("I like swimming.", "I swim a lot"),
        ("Alice is anxious about her interview.", "Alice: interview on Thursday, I am so nervous"),
        ("The speaker talked with a friend about plans.", "Ann: let us meet, Bob: sure"),
        ("Her children visit Rome.", "My child is visiting Rome"),
        ("", "anything"),
        ("", ""),
    ],
)
def test_the_same_in_other_forms_is_not_invented(output: str, source: str) -> None:
    assert invented(output, source, TOPICS) == frozenset()


def test_stems_only_compare() -> None:
    assert stem("swimming") == stem("swims") == stem("swim")
    assert stem("stories") == stem("story")
    assert stem("bus") != stem("but")
