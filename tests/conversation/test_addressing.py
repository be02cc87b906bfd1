"""Whether the companion is called by its name."""

import pytest

from bot.conversation.addressing import calls_agent, names_agent, without_call, without_name


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


def test_a_name_with_a_sign_before_it_goes_whole() -> None:
    assert without_name("@Monica I live in York.", "Monica").split() == ["I", "live", "in", "York."]
    assert names_agent("@Monica look", "Monica")
    assert not names_agent("ann@monica.example", "Monica")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("@Monica I live in York.", "I live in York."),
        (" Monica, I live in York.", "I live in York."),
        ("I told Monica that I live in York.", "I told Monica that I live in York."),
        ("@Monica!", "@Monica!"),
    ],
)
def test_what_is_to_be_remembered_is_kept_without_the_call_before_it(text: str, rest: str) -> None:
    assert without_call(text, "Monica") == rest


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


@pytest.mark.parametrize(
    "text",
    [
        "Monica",
        "monica?",
        "@Monica look",
        "Monica, are you there?",
        "Monica are you there?",
        "Monica is it raining?",
        "Monica tell me a joke",
        "Monica what do you think",
        "hey Monica look at that",
        "Hi Monica!",
        "ok. Monica help me",
        "Thank you Monica",
        "good night Monica",
        "I like soup, Monica.",
        "What do you think Monica",
        "what is that Monica?",
        "so…MONICA!",
        "*Monica* come here",
        "Bob is late. Monica, where is he?",
        "Was meinst du, Monica?",
        "Danke Monica",
        "Monica 😂",
        "My aunt Monica likes hiking. What do you say, Monica?",
        "Monica need your help",
        "Monica don't go",
        "Monica have you called my aunt?",
    ],
)
def test_who_is_called(text: str) -> None:
    assert calls_agent(text, "Monica")


@pytest.mark.parametrize(
    "text",
    [
        "My aunt Monica likes hiking",
        "Monica likes hiking.",
        "Monica said no",
        "Monica's idea is better",
        "I met Monica yesterday",
        "I met Monica",
        "I'm going out with Monica",
        "Are you going with Monica?",
        "yesterday Monica and Bob came",
        "Monica and Bob came",
        "do you know if the other Monica comes",
        "Meine Tante Monica wandert gern",
        "Mi tía Monica vive en Leeds",
        "Ma tante Monica est là",
        "Two Monicas met.",
        "Monica called me yesterday",
        "Monica gave me a book",
        "Monica doesn't like soup",
        "Monica isn’t here",
        "Monica rief gestern an",
        "Monica llamó ayer",
        "Monica m’a appelé hier",
        "Monica ha chiamato ieri",
        "Monica woont in Gent",
    ],
)
def test_who_is_spoken_about(text: str) -> None:
    assert not calls_agent(text, "Monica")
