"""What a text says that its source does not, on sentences of our own, with the real tagger."""

import pytest

from bot.language.extractive import summarise, traits
from lab.evaluation.inventions import NOTHING, Invented, Inventions, load_tagger, values
from tests.living import WordTopics


@pytest.fixture(scope="module")
def inventions() -> Inventions:
    return Inventions(load_tagger())


@pytest.mark.parametrize(
    ("output", "source", "wanted"),
    [
        ("I have two dogs.", "I've got 2 dogs, you know.", NOTHING),
        ("I have two dogs and a cat.", "I have 2 dogs.", Invented(nouns=("cat",))),
        ("I have three dogs.", "I have 2 dogs.", Invented(numbers=("3",))),
        ("I lived in Paris.", "i was living in paris once", NOTHING),
        ("I lived in Paris.", "I lived in a big city.", Invented(names=("paris",))),
        ("Ann baked a cake.", "Ann: we were baking cakes", NOTHING),
        ("I am a baker.", "I own a bakery.", Invented(nouns=("baker",))),
        ("I have a child.", "I have four children.", NOTHING),
        ("I own twenty-five cars.", "I own 25 cars.", NOTHING),
        ("I own twenty-five cars.", "I own 20 cars and had 5 cars.", Invented(numbers=("25",))),
        ("I paid 1,000 dollars.", "I paid 1000 dollars.", NOTHING),
        ("One of my dogs is old.", "A dog of mine is old.", NOTHING),
        ("A million dogs ran.", "Some dogs ran.", Invented(numbers=("million",))),
        ("", "I have 2 dogs.", NOTHING),
    ],
)
def test_names_numbers_and_nouns_that_are_new_are_found(
    inventions: Inventions, output: str, source: str, wanted: Invented
) -> None:
    assert inventions.found(output, source) == wanted


def test_a_noun_that_every_summary_may_need_counts_too(inventions: Inventions) -> None:
    assert inventions.found("The conversation was about dogs.", "Ann: I have dogs.").nouns == ("conversation",)


def test_what_is_no_noun_is_no_invention(inventions: Inventions) -> None:
    assert not inventions.found("I really love my big dogs and they sleep well.", "my dogs")


def test_people_s_own_words_invent_nothing(inventions: Inventions) -> None:
    said = [
        ("Ann", "Hi! I am Ann, a nurse from Leeds, and I've 3 cats."),
        ("Bob", "Nice. I'm a baker; I get up at 4:30 every day, so I can't stay late on Mondays."),
        ("Ann", "My sister's twenty-two and she's moved to New Zealand with her boyfriend's parents."),
    ]
    source = "\n".join(f"{name}: {text}" for name, text in said)
    for words in (8, 20, 60):
        assert inventions.found(summarise(said, WordTopics().topics, words), source) == NOTHING
    for _, text in said:
        found = traits(text, 20)
        assert found
        assert inventions.found(found, text) == NOTHING


def test_numbers_are_the_same_in_words_and_in_digits() -> None:
    assert values("twenty-five and 3rd, one") == {25, 20, 5, 3, 1}
    assert values("2,500 people, 7:30 pm, the second") == {2500, 7, 30, 2}
    assert values("twenty, and then five") == {20, 5}
    assert values("nobody") == frozenset()
