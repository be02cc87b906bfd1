"""BLEU and ROUGE-L against values that are known or reckoned by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.evaluation.overlap import corpus_bleu, matches, plain_bleu, rouge_l, sentence_bleu, words

SENTENCE = st.lists(st.sampled_from("abcde"), max_size=8)


def test_words_are_lower_case_with_marks_and_contractions_apart() -> None:
    assert words("I don’t like it's name, Ann!") == ("i", "do", "n't", "like", "it", "'s", "name", ",", "ann", "!")
    assert words("  ") == ()


def test_a_word_counts_as_often_as_the_reference_has_it() -> None:
    """The example of Papineni et al.: seven times "the" against a sentence that has it twice."""
    said, wanted = ("the " * 7).split(), "the cat is on the mat".split()
    assert matches(said, wanted, 1).common == (2,)
    assert plain_bleu(said, wanted, 1) == pytest.approx(2 / 7)


def test_the_corpus_is_counted_together() -> None:
    pairs = [("a b c".split(), "a b d".split()), (["e"], ["e", "f"])]
    assert corpus_bleu(pairs, 2) == pytest.approx(math.exp(1 - 5 / 4) * math.sqrt(3 / 4 * 1 / 2))
    assert corpus_bleu([], 2) == 0.0


def test_smoothing_adds_one_above_single_words_only() -> None:
    said, wanted = "a x b".split(), "a y b".split()
    assert plain_bleu(said, wanted, 2) == 0.0
    assert sentence_bleu(said, wanted, 2) == pytest.approx(math.sqrt(2 / 3 * 1 / 3))
    assert sentence_bleu(["x"], ["y"], 2) == 0.0


def test_a_longer_reply_has_no_brevity_penalty_and_a_shorter_one_has() -> None:
    assert plain_bleu("a b c d".split(), "a b".split(), 1) == pytest.approx(0.5)
    assert plain_bleu("a b".split(), "a b c d".split(), 1) == pytest.approx(math.exp(-1))


@pytest.mark.parametrize(
    ("said", "value"), [("police kill the gunman", 0.75), ("the gunman kill police", 0.5), ("nobody came", 0.0)]
)
def test_rouge_l_of_the_examples_of_lin(said: str, value: float) -> None:
    assert rouge_l(said.split(), "police killed the gunman".split()) == pytest.approx(value)


def test_rouge_l_weighs_recall_more() -> None:
    beta = 1.2
    precision, recall = 1.0, 0.5
    wanted = (1 + beta**2) * precision * recall / (recall + beta**2 * precision)
    assert rouge_l(["a"], ["a", "b"]) == pytest.approx(wanted)
    assert rouge_l(["a"], ["a", "b"]) < rouge_l(["a", "b"], ["a"])


@given(SENTENCE, SENTENCE)
def test_all_scores_are_shares_and_1_for_the_same_words(said: list[str], wanted: list[str]) -> None:
    for score in (rouge_l(said, wanted), *(way(said, wanted, 2) for way in (plain_bleu, sentence_bleu))):
        assert 0.0 <= score <= 1.0 + 1e-12
    if len(said) >= 2:
        assert rouge_l(said, said) == pytest.approx(1.0)
        assert plain_bleu(said, said, 2) == sentence_bleu(said, said, 2) == pytest.approx(1.0)
        assert corpus_bleu([(said, said)] * 3, 2) == pytest.approx(1.0)
