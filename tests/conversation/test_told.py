from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.conversation.checking import told_question
from bot.conversation.told import Found, Told, best_told

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def told(*lines: tuple[str, str]) -> list[Told]:
    """What people said, a minute apart."""
    return [
        Told(who, words, NOW + timedelta(minutes=at), fresh=True, utterance=at + 1)
        for at, (who, words) in enumerate(lines)
    ]


def found(question: str, lines: Sequence[Told], *, asker: str = "ann", language: str = "en") -> Found | None:
    asked = told_question(question)
    assert asked is not None
    return best_told(asked, lines, asker, language)


@pytest.mark.parametrize(
    ("question", "said", "answer", "language"),
    [
        ("What is my cat called?", "My cat is called Pixel.", "My cat is called Pixel.", "en"),
        ("Where do I live?", "I moved to Tromsø last month.", "I moved to Tromsø last month.", "en"),
        (
            "What is my cat called?",
            "Sorry, I meant Nixel, my cat is called Nixel, not Pixel.",
            "my cat is called Nixel",
            "en",
        ),
        ("Wie heißt mein Hund?", "Mein Hund heißt Kuno.", "Mein Hund heißt Kuno.", "de"),
        ("¿De qué color es mi bici?", "Ayer compré una bici azul.", "Ayer compré una bici azul.", "es"),
        ("What is my pet called?", "My ferret is called Biscuit.", "My ferret is called Biscuit.", "en"),
    ],
)
def test_their_own_words_answer(question: str, said: str, answer: str, language: str) -> None:
    best = found(question, told(("ann", "It rains today."), ("ann", said)), language=language)
    assert best is not None
    assert best.words == answer


def test_nothing_answers_what_was_not_told() -> None:
    assert found("What is my dog's name?", told(("ann", "I like long walks."))) is None


def test_what_has_no_name_in_it_tells_no_name() -> None:
    assert found("What is my dog's name?", told(("ann", "i walked the dog today."))) is None


def test_my_things_are_answered_from_my_words_alone() -> None:
    lines = told(("bob", "My parrot is called Sultan."), ("ann", "My parrot is called Kiki."))
    best = found("What is my parrot called?", lines, asker="bob")
    assert best is not None
    assert best.words == "My parrot is called Sultan."
    of_us = found("Who of us has a parrot?", lines[:1])
    assert of_us is not None
    assert of_us.told.speaker_id == "bob"


def test_of_two_as_good_the_later_one_is_true_now() -> None:
    best = found("Where do I live?", told(("ann", "I live in Utrecht."), ("ann", "I live in Gent.")))
    assert best is not None
    assert best.words == "I live in Gent."


@pytest.mark.parametrize(
    ("question", "said", "language"),
    [
        ("¿Cómo se llama mi madre?", "Vivo en Madrid.", "es"),
        ("Comment s'appelle mon mari ?", "Ma sœur Marie est venue hier.", "fr"),
        ("¿Dónde vivo?", "Estoy casada con Marta.", "es"),
        ("Onde eu moro?", "Sou casado há dez anos.", "pt"),
    ],
)
def test_a_word_that_only_begins_alike_answers_nothing(question: str, said: str, language: str) -> None:
    assert found(question, told(("ann", said)), language=language) is None
