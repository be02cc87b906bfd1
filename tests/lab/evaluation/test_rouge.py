"""ROUGE against values that are reckoned by hand."""

import pytest

from lab.evaluation.rouge import Rouge, best_rouge, mean_rouge, rouge, tokens


def test_words_are_stems_without_marks() -> None:
    assert tokens("He was running, quickly: 3 dogs!") == ("he", "was", "run", "quickli", "3", "dog")
    assert tokens("was his bus") == ("was", "his", "bus"), "three letters stay as they are"
    assert tokens("…") == ()


def test_the_figures_are_f_measures() -> None:
    """Of "the cat sat" and "the cat lay down": 2 of 3 and 4 words, 1 of 2 and 3 pairs."""
    found = rouge("The cat sat.", "the cat lay down")
    assert found.unigrams == pytest.approx(2 * 2 / (3 + 4))
    assert found.bigrams == pytest.approx(2 * 1 / (2 + 3))
    assert found.longest == pytest.approx(2 * 2 / (3 + 4))


def test_the_longest_common_subsequence_may_have_gaps_and_keeps_the_order() -> None:
    found = rouge("a b c d", "a x c b d")
    assert found.longest == pytest.approx(2 * 3 / (4 + 5))
    assert found.unigrams == pytest.approx(2 * 4 / (4 + 5))
    assert found.bigrams == 0.0


def test_a_word_counts_as_often_as_the_reference_has_it() -> None:
    assert rouge("the the the the", "the cat").unigrams == pytest.approx(2 * 1 / (4 + 2))


def test_forms_of_a_word_are_one_word() -> None:
    assert rouge("She walked dogs", "she walks the dog").unigrams == pytest.approx(2 * 3 / (3 + 4))


def test_the_same_text_is_all_and_none_is_nothing() -> None:
    assert rouge("One two three.", "one two three") == Rouge(1.0, 1.0, 1.0)
    assert rouge("", "one") == rouge("one", "") == rouge("", "") == Rouge(0.0, 0.0, 0.0)


def test_several_references_have_a_mean_and_a_best() -> None:
    mean, best = (judge("a b", ["a b", "a c", "x y"]) for judge in (mean_rouge, best_rouge))
    assert mean.unigrams == pytest.approx((1 + 0.5 + 0) / 3)
    assert mean.bigrams == pytest.approx(1 / 3)
    assert best == Rouge(1.0, 1.0, 1.0)
