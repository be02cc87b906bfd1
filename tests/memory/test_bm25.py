import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.memory.bm25 import K1, B, Bm25

TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), max_size=12)


def by_the_book(texts: list[list[str]], query: set[str]) -> list[float]:
    """The formula, one text and one term at a time."""
    mean = sum(map(len, texts)) / len(texts) or 1.0
    scores = []
    for text in texts:
        score = 0.0
        for term in query & set(text):
            there = sum(term in other for other in texts)
            idf = math.log(1 + (len(texts) - there + 0.5) / (there + 0.5))
            count = text.count(term)
            score += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * len(text) / mean))
        scores.append(score)
    return scores


@given(TEXTS.filter(bool), st.sets(st.sampled_from("abcdefgh")))
def test_the_scores_are_those_of_the_formula(texts: list[list[str]], query: set[str]) -> None:
    bm25 = Bm25()
    bm25.add(texts)
    assert bm25.scores(query).tolist() == pytest.approx(by_the_book(texts, query), abs=1e-4)


@given(TEXTS, TEXTS, st.randoms(use_true_random=False))
def test_what_is_dropped_leaves_no_trace(first: list[list[str]], later: list[list[str]], dice: random.Random) -> None:
    bm25 = Bm25()
    bm25.add(first)
    kept = np.array([dice.random() < 0.5 for _ in first], dtype=np.bool_)
    bm25.keep(kept)
    bm25.add(later)
    anew = Bm25()
    anew.add([text for text, stays in zip(first, kept, strict=True) if stays])
    anew.add(later)
    for term in "abcdefg":
        assert (bm25.scores(term) > 0).tolist() == (anew.scores(term) > 0).tolist()
        assert bm25.idf(term) == anew.idf(term)
    assert bm25.scores("abcdefg").tolist() == pytest.approx(anew.scores("abcdefg").tolist(), abs=1e-5)


def test_a_dropped_word_is_no_longer_known() -> None:
    bm25 = Bm25()
    bm25.add([["secret"], ["garden"]])
    bm25.keep(np.array([False, True]))
    assert "secret" not in repr(vars(bm25))
    assert bm25.scores(["garden"]).tolist()[0] > 0


def test_weights_count() -> None:
    bm25 = Bm25()
    bm25.add([["a"], ["b"], ["c"]])
    assert bm25.scores({"a": 2.0})[0] == pytest.approx(2 * bm25.scores(["a"])[0])
    assert not bm25.scores({"d": 1.0}).any()
    assert not len(Bm25().scores(["a"]))
