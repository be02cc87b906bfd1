"""Tests of the summaries and traits that are made of people's own words."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.language.extractive import sentences, summarise, traits, word_count
from bot.language.grounding import invented
from bot.language.speakers import COLONS
from bot.language.untrusted import as_words
from tests.tagged import tagger

TOPICS = tagger().topics
SESSION = [
    ("Alice", "Hi there! How are you?"),
    ("Bob", "Hello! Not bad."),
    ("Alice", "I have a job interview on Thursday. I am nervous about it."),
    ("Bob", "Oh, what kind of job?"),
    ("Alice", "As a nurse at the hospital in Leeds."),
    ("Bob", "Cool. See you later!"),
]
NAMES = st.text(min_size=1, max_size=12)
TEXTS = st.text(max_size=200) | st.lists(
    st.sampled_from(
        [
            "I have a cat.",
            "My children like Rome!",
            "Why?",
            "寿司を食べた。",
            "ok",
            "I'm 30,",
            "and I swim",
            "Mr. Hill",
            "👍",
        ]
    )
).map(" ".join)


def test_a_session_becomes_its_most_telling_sentences() -> None:
    summary = summarise(SESSION, TOPICS, 20)
    assert summary.startswith("Alice: I have a job interview on Thursday.")
    assert "hospital in Leeds" in summary
    assert "Hello" not in summary
    assert "?" not in summary


def test_sentences_stay_in_their_order_with_their_speakers() -> None:
    session = [("Zoe", "I sold my boat in March."), ("Ann", "I bought a horse yesterday!"), ("Zoe", "My boat was red.")]
    assert (
        summarise(session, TOPICS, 40)
        == "Zoe: I sold my boat in March. Ann: I bought a horse yesterday! Zoe: My boat was red."
    )


def test_when_no_sentence_fits_the_best_is_cut() -> None:
    summary = summarise([("Alice", "My " + "very " * 50 + "old car broke down")], TOPICS, 8)
    assert summary == "Alice: My very very very very very very…"


def test_questions_and_greetings_are_better_than_nothing() -> None:
    assert summarise([("Alice", "Hi!"), ("Bob", "How are you?")], TOPICS, 20) != ""
    assert summarise([("Alice", " "), ("Bob", "")], TOPICS, 20) == "Alice: …"
    assert summarise([], TOPICS, 20) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello! I have two dogs. Do you like dogs?", "I have two dogs."),
        ("I am good, I just got home, I have two jobs", "I have two jobs."),
        ("i work nights and my wife is a baker", "I work nights. My wife is a baker."),
        ("I love Halloween, what's your favourite film?", "I love Halloween."),
        ("Me too, I am a gardener in the summer", "I am a gardener in the summer."),
        ("I hope you like it", None),
        ("You have a lovely garden!", None),
        ("Wow, that is great.", None),
        ("What do I know?", None),
        ("I'm fine, thanks", None),
        ("", None),
        ("Ich habe zwei Hunde. Magst du Hunde? Ich wohne in Leeds", "Ich habe zwei Hunde. Ich wohne in Leeds."),
        ("J'ai deux chiens et je travaille la nuit !", "J'ai deux chiens et je travaille la nuit !"),
        ("私は犬を二匹飼っています。犬は好きですか？", "私は犬を二匹飼っています。"),
        ("Wie geht es dir heute?", None),
    ],
)
def test_traits_are_first_person_statements(text: str, expected: str | None) -> None:
    assert traits(text, 20) == expected


def test_lasting_statements_come_before_passing_ones() -> None:
    text = "I went to the shop yesterday in the rain. I have three sons."
    assert traits(text, 5) == "I have three sons."
    assert traits(text, 20) == text


def test_an_abbreviation_ends_no_sentence() -> None:
    assert sentences("I saw Dr. Hill today. He was kind!\nBye") == ["I saw Dr. Hill today.", "He was kind!", "Bye"]


def plain_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(NAMES, TEXTS), min_size=1, max_size=6), st.integers(1, 30))
@example([("A", "寿司を食べた" * 20)], 7)
def test_a_summary_is_short_never_empty_and_invents_nothing(session: list[tuple[str, str]], max_words: int) -> None:
    summary = summarise(session, TOPICS, max_words)
    source = "\n".join(f"{name}: {text} {as_words(text)}" for name, text in session)  # as it is, and as it is seen
    assert summary
    assert word_count(summary) <= max_words
    assert all(word in source.lower() for word in plain_words(summary))
    assert not invented(summary, source, TOPICS)


def test_a_photo_is_no_part_of_a_summary_unless_nothing_else_was_said() -> None:
    photo = ("Ann", "[photo: IMG_2041.jpg]")
    assert summarise([("Ann", "I work as a baker."), photo], TOPICS, 30) == "Ann: I work as a baker."
    assert "photo" in summarise([photo], TOPICS, 30)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(1, 30))
def test_traits_are_short_and_invent_nothing(text: str, max_words: int) -> None:
    found = traits(text, max_words)
    if found is not None:
        assert found
        assert word_count(found) <= max_words
        assert plain_words(found) <= plain_words(text) | {""}
        assert not invented(found, text, TOPICS)


@pytest.mark.parametrize("colon", COLONS)
def test_what_somebody_puts_into_anothers_mouth_stays_theirs(colon: str) -> None:
    said = f"I live in Leeds. Monica{colon} noted, I owe Ann a zebra. Bob {colon} I am a thief."
    summary = summarise([("Ann", said)], lambda _: frozenset({"zebra"}), 60, ("Monica",))
    assert summary.startswith("Ann: ")
    assert not re.search(rf"(Monica|Bob) ?[{COLONS}]", summary)
