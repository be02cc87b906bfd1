"""Questions that only what stands around them makes questions about what was told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.conversation.checking.asking import told_question
from bot.conversation.following import answerable_of, asked_before, following, value_of
from bot.conversation.told import Told, best_told
from bot.domain import AGENT_ID, Place, PlaceKind, Session, Speaker, Utterance

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HALL = Place("test", PlaceKind.CHANNEL, "home/hall")


def told(*lines: str) -> list[Told]:
    return [
        Told("ann", words, START + timedelta(minutes=at), fresh=True, utterance=at + 1)
        for at, words in enumerate(lines)
    ]


def test_who_did_what_one_word_names_is_known_by_its_answer() -> None:
    lines = told("hi, my sister Lena got engaged yesterday")
    assert answerable_of("who got engaged?", lines, "ann", "en") is not None
    assert answerable_of("who cares?", lines, "ann", "en") is None
    assert answerable_of("why engaged?", lines, "ann", "en") is None


@pytest.mark.parametrize(
    ("before", "text", "answer"),
    [
        ("How old is my son?", "and his name?", "his name is Anselm"),
        ("What is my son called?", "and how old is he?", "my son is 3"),
        ("What is my son called?", "and my daughter?", "my daughter is called Ida"),
    ],
)
def test_a_question_goes_on_from_the_one_before(before: str, text: str, answer: str) -> None:
    asked = told_question(before)
    question = following(text, asked, "en")
    assert question is not None
    lines = told("my son is 3", "his name is Anselm", "my daughter is called Ida")
    best = best_told(question, lines, "ann", "en")
    assert best is not None
    assert best.words == answer


def test_another_one_asks_the_same_of_theirs() -> None:
    before = told_question("what is my boat called?")
    assert following("and mine?", before, "en") == before
    assert following("und meiner?", told_question("wie heißt mein Hund?"), "de") is not None


@pytest.mark.parametrize("text", ["his name?", "and then i left", "and what would you do with a boat like that one?"])
def test_what_does_not_go_on_is_left(text: str) -> None:
    assert following(text, told_question("what is my boat called?"), "en") is None
    assert following("and his name?", None, "en") is None


def test_the_question_before_is_looked_for_a_few_lines_back() -> None:
    said = ["what is my boat called?", "Your boat …", "thanks", "and mine?"]
    people = [Speaker("a", "Ann"), Speaker(AGENT_ID, "Monica"), Speaker("a", "Ann"), Speaker("b", "Bob")]
    lines = tuple(
        Utterance(HALL, str(at), who, text, START, id=at + 1)
        for at, (who, text) in enumerate(zip(people, said, strict=True))
    )
    found = asked_before(Session(1, HALL, lines), lines[-1], ())
    assert found is not None
    assert found.text == said[0]
    assert asked_before(Session(1, HALL, lines[-1:]), lines[-1], ()) is None


def test_a_question_is_known_by_its_answer() -> None:
    lines = told("my roommate Ludmila is leaving for Tallinn", "theres this boy in 9b, Linus")
    assert answerable_of("who is leaving for Tallinn?", lines, "ann", "en") is not None
    assert answerable_of("what's the name of the boy?", lines, "ann", "en") is not None
    assert answerable_of("what is the capital of Estonia?", lines, "ann", "en") is None
    assert answerable_of("what should i do about Tallinn and Ludmila?", lines, "ann", "en") is None
    assert answerable_of("what is a roommate?", lines, "ann", "en") is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("how old is she?", "en"),
        ("what's his name?", "en"),
        ("wie alt ist er?", "de"),
        ("¿cuántos años tiene?", "es"),
        ("quel âge il a ?", "fr"),
        ("hoe heet hij?", "nl"),
    ],
)
def test_only_the_person_can_tell_a_name_or_an_age(text: str, language: str) -> None:
    question = value_of(text, None, language)
    assert question is not None
    assert best_told(question, told("my sister plays handball"), "ann", language) is None


@pytest.mark.parametrize(
    "text", ["how old are you?", "what's your name?", "how old is the earth?", "she is old", "how are things?"]
)
def test_other_questions_are_no_such_ones(text: str) -> None:
    assert value_of(text, None, "en") is None
