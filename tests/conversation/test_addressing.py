"""Whether the companion is called by its name."""

import pytest

from bot.conversation.addressing import names_agent, without_name


@pytest.mark.parametrize(
    "text",
    [
        "Monica, are you there?",
        "hey monica?",
        "@Monica look",
        "so…MONICA!",
        "Ask (Monica).",
        "What do you think, Ｍonica",
        "Monica's idea",
        "*Monica* come here",
    ],
)
def test_the_name_as_a_word_of_its_own_calls_it(text: str) -> None:
    assert names_agent(text, "Monica")


@pytest.mark.parametrize(
    "text",
    [
        "Two Monicas met.",
        "I play harmonica",
        "monica_b is away",
        "write to monica@example.org",
        "https://monica.example.org",
        "see example.org/monica",
        "Mon ica",
        "",
    ],
)
def test_part_of_a_word_or_of_an_address_is_not_the_name(text: str) -> None:
    assert not names_agent(text, "Monica")


def test_a_name_of_several_words_may_be_broken_by_any_white_space() -> None:
    assert names_agent("Well, mary\u00a0 ann: hello", "Mary Ann")
    assert not names_agent("Mary and Ann", "Mary Ann")


def test_a_name_with_marks_is_taken_as_it_stands() -> None:
    assert names_agent("hi C-3PO!", "C-3PO")
    assert not names_agent("hi CX3PO", "C.3PO")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Hi Monica, I am back!", "Hi , I am back!"),
        ("monica?", "monica?"),
        ("Monicas are many", "Monicas are many"),
    ],
)
def test_memories_are_looked_for_without_the_name(text: str, rest: str) -> None:
    assert " ".join(without_name(text, "Monica").split()) == rest
