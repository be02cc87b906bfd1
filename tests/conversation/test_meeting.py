"""Welcomes by the name that somebody says."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.conversation.meeting import (
    GLAD,
    HOW_HAVE_YOU_BEEN,
    Reunion,
    greeting_again,
    welcome_of,
)
from bot.conversation.own_words import Known
from bot.conversation.phrases import phrases_of
from bot.conversation.situations import Situation
from bot.conversation.told import Told


def welcome(line: str, *said: str, language: str = "en", situation: Situation = Situation.TALK) -> str:
    return welcome_of(Known(situation, line, "ann", {}, None, (), None, said, language))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("My name is Walter and I am 80 years old.", "Walter"),
        ("my name's alan", "Alan"),
        ("I am Tunde from Ibadan. I sell phone accessories", "Tunde"),
        ("hey, I'm Freja btw", "Freja"),
        ("Hi, I'm Josh, I stay home with our daughter", "Josh"),
        ("myself Sneha, 2nd year engineering", "Sneha"),
        ("Good afternoon Monica, my name is Beryl. I hope I am doing this right.", "Beryl"),
    ],
)
def test_who_says_their_name_is_welcomed_by_it(line: str, name: str) -> None:
    assert welcome(line) == f"Nice to meet you, {name}!"


@pytest.mark.parametrize(
    "line",
    [
        "I'm Irish, we talk like that",
        "I am German.",
        "I'm tired. long day",
        "I'm Welsh, we sing",
        "I'm Gay. And proud",
        "call me crazy, but i like rain",
        "ok, call me later",
        "myself included.",
        "Hi, I'm Walter, we talked yesterday",
        "he always calls me doctora",
        "hes 91 and he thinks im called dolores",
        "i cant make myself go",
        "my dog's name is Rex",
        "Im Bleeding. I need help",
        "im Terminal, i have weeks",
    ],
)
def test_what_is_no_name_of_theirs_is_not_taken_for_one(line: str) -> None:
    assert welcome(line) == ""


def test_nobody_is_welcomed_twice_late_or_where_something_else_is_due() -> None:
    line = "my name is Walter"
    assert welcome(line, "Nice to meet you, Walter!") == ""
    assert welcome(line, "Hi Walter!") == ""
    assert welcome(line, *"abcd") == ""
    assert welcome(line, language="de") == ""
    long_ago = Told("ann", "I keep bees.", datetime(2026, 1, 1, tzinfo=UTC), fresh=False, utterance=3)
    known = Known(Situation.TALK, line, "ann", {}, None, (long_ago,), None, (), "en")
    assert welcome_of(known) == ""
    assert welcome_of(replace(known, asker="bob")) == "Nice to meet you, Walter!"
    assert welcome(line, situation=Situation.ASK) == ""


def test_what_was_learnt_a_moment_ago_makes_nobody_an_old_friend() -> None:
    line, now = "My name is Nora and I am 80 years old.", datetime(2026, 11, 27, tzinfo=UTC)
    said = Told("ann", "My grandson set this up.", now, fresh=True)
    learnt = replace(said, words="I have a grandson.", fresh=False)
    first = Known(Situation.TALK, line, "ann", {}, None, (learnt, said), None, ("Hi!",), "en")
    assert welcome_of(first) == "Nice to meet you, Nora!"
    before = replace(learnt, time=datetime(2026, 11, 20, tzinfo=UTC))
    assert welcome_of(replace(first, told=(before, said))) == ""


@pytest.mark.parametrize(
    ("line", "name", "hello"),
    [
        ("Good evening, it is Walter again.", "Walter", "Good evening, Walter!"),
        ("hey hey", "", "Hey!"),
        ("me again", "", "Hi!"),
        ("yo", "", "Hi!"),
    ],
)
def test_a_greeting_is_returned_as_it_was_given(line: str, name: str, hello: str) -> None:
    english = phrases_of("en")
    asked = [greeting_again(line, Reunion("en", name=name, turn=day), english) for day in range(3)]
    assert asked == [f"{hello} {how}" for how in HOW_HAVE_YOU_BEEN]
    assert greeting_again(line, Reunion("en", "How is work?", name=name), english) == f"{hello} How is work?"
    gentle = Reunion("en", "How are you?", name=name, gentle=True)
    assert greeting_again(line, gentle, english) == f"{hello} {GLAD} How are you?"


def test_a_greeting_is_returned_in_its_language_or_the_owners() -> None:
    german = Reunion("de", "Wie geht es dir?", turn=1)
    assert greeting_again("hallo", german, phrases_of("de")) == "Hallo! Wie geht es dir?"
    assert greeting_again("hallo", Reunion("de", turn=1), phrases_of("de")) == phrases_of("de").replies.greeting[1]
    assert greeting_again("hallo", german, phrases_of("fr")) == phrases_of("fr").replies.greeting[1]
