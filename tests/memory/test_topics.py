"""Tests of the topic nouns, with the real English tagger."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ModelUnavailable
from bot.memory import topics as topics_module
from bot.memory.topics import NOT_TOPICS, SpacyTopics, load_topics
from tests.tagged import tagger

EXTRACTOR = tagger()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have two dogs and a parrot.", {"dog", "parrot"}),
        ("My sister moved to Lisbon last year", {"sister", "lisbon", "year"}),
        ("I don't know what to say", set()),
        ("Hello! Thanks a lot, that's a nice thing.", set()),
        (
            "See https://example.org/garden or ask bob@example.org about the `garden` at 12:30, @zoe <@123> :smile:",
            set(),
        ),
        ("```python\nchicken = 1\n``` is my code", {"code"}),
        ("😀 🎉 42 1999", set()),
        ("", set()),
    ],
)
def test_english_nouns(text: str, expected: set[str]) -> None:
    assert EXTRACTOR.topics(text) == expected


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("Ich habe mit meiner Schwester einen Kuchen gegessen", {"kuchen", "schwester"}, {"ich", "mit", "einen"}),
        ("J'ai un entretien d'embauche jeudi à Lyon", {"entretien", "embauche", "lyon"}, {"un", "j'ai"}),
        ("Tôi có một con mèo ở Huế", {"mèo", "huế"}, {"tôi", "có", "một"}),
        ("昨日レストランで寿司を食べた", {"レストラン", "寿司"}, {"で", "を"}),
        ("我昨天去了北京", {"昨天", "北京"}, {"我", "了"}),
        ("서울에서 고양이를 키워요", {"서울", "고양이"}, {"서울에서"}),
        ("Я купил машину", {"машину"}, {"я"}),
        ("I cooked 寿司 for my brother", {"寿司", "brother"}, {"i", "my"}),
    ],
)
def test_other_languages_give_their_surface_words(text: str, inside: set[str], outside: set[str]) -> None:
    found = EXTRACTOR.topics(text)
    assert inside <= found
    assert not outside & found


def test_a_topic_in_the_middle_of_a_long_text_is_found() -> None:
    text = "We talked and talked for hours. " * 100 + "Then she bought a piano. " + "We talked and talked. " * 100
    assert "piano" in EXTRACTOR.topics(text)


@pytest.mark.parametrize(
    "text", ["I like tea and cake. " * 5000, "x" * 100_000, "<@a" * 30_000, "a@a." * 25_000, "`" * 100_000]
)
def test_only_the_beginning_of_a_huge_text_is_read(text: str) -> None:
    assert EXTRACTOR.topics(text) == EXTRACTOR.topics(text[: topics_module.LONGEST])


def test_several_threads_get_what_one_gets() -> None:
    texts = [
        f"My {animal} ate the {food} in the kitchen." for animal in ("cat", "goat") for food in ("soup", "bread")
    ] * 20
    alone = [EXTRACTOR.topics(text) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(EXTRACTOR.topics, texts)) == alone


def test_new_words_are_not_kept() -> None:
    pipeline = EXTRACTOR._pipeline
    EXTRACTOR.topics("The zorblaxquux barked.")
    assert "zorblaxquux" not in pipeline.vocab.strings


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_gives_lower_case_words(text: str) -> None:
    found = EXTRACTOR.topics(text)
    assert found == EXTRACTOR.topics(text)
    assert all(topic and topic == topic.lower() and not any(char.isspace() for char in topic) for topic in found)
    assert not found & NOT_TOPICS


def test_a_missing_tagger_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics_module, "MODEL_PACKAGE", "no_such_tagger")
    with pytest.raises(ModelUnavailable, match="pip install --no-deps no-such-tagger"):
        load_topics()


def test_it_is_a_spacy_topics() -> None:
    assert isinstance(EXTRACTOR, SpacyTopics)
