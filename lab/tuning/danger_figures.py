"""What the trained danger net is worth: figures out of fold, and the thresholds that are chosen by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.conversation.crisis.wording import Danger
from bot.conversation.safety import sign_by_rules
from bot.language.languages import is_english
from lab.evaluation.safety import DEV, Share, share

MOST_FALSE_ALARMS = 0.0026
"""The share of ordinary English utterances that the net may take for danger, out of fold. What people really say
decides, since cries are rare in it, and half of what was written for training."""

MOST_ELSEWHERE = 0.013
"""The same in other languages, of which there are some hundred lines alone, each written to be mistaken."""

MOST_WITHHELD = 0.03
"""The same of the second look, which only keeps a text from being made into memories."""

STEP, LOUDEST = 0.01, 4.0
"""What a threshold is rounded to; and the one where nothing ordinary is known."""

FIRMER = 1.0
"""How much surer, as a logit, the net must be where the rules took something back."""

EVERY_LANGUAGE = "all"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a data file, with what the rules make of it."""

    text: str
    language: str
    danger: Danger | None
    kind: str
    source: str
    by_rules: bool
    doubted: bool
    """Whether the rules found something and took it back."""


@dataclass(frozen=True, slots=True)
class Ordinary:
    """Something said in an ordinary conversation."""

    text: str
    language: str
    fold: int
    """In which it is judged."""
    weight: float


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Figures of one language or file on sentences that the net had not seen."""

    name: str
    rules_recall: Share
    rules_precision: Share
    recall: Share
    """Of rules and net together."""
    precision: Share

    def __str__(self) -> str:
        parts = (self.rules_recall, self.rules_precision, self.recall, self.precision)
        shown = ["–" if part.share is None else f"{part.share:.1%} ({part.hits}/{part.of})" for part in parts]
        return (
            f"{self.name}: recall {shown[2]}, precision {shown[3]}; "
            f"rules alone: recall {shown[0]}, precision {shown[1]}"
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of a sentence or an ordinary utterance when thresholds are chosen."""

    danger: bool
    english: bool
    """As it is taken at run time."""
    by_rules: bool
    doubted: bool
    ordinary: bool


def judged(one: Sentence) -> Judged:
    """What is known of a sentence."""
    return Judged(one.danger is not None, is_english(one.text), one.by_rules, one.doubted, ordinary=False)


def judged_ordinary(one: Ordinary) -> Judged:
    """What is known of an ordinary utterance."""
    sign, doubted = sign_by_rules(one.text)
    return Judged(False, is_english(one.text), sign is not None, doubted, ordinary=True)


def heard_of(
    told: Sequence[Judged], logits: NDArray[np.float64], english: float, elsewhere: float
) -> NDArray[np.bool_]:
    """What rules and net together take for danger."""
    rules = np.array([one.by_rules for one in told])
    least = [(english if one.english else elsewhere) + (FIRMER if one.doubted else 0.0) for one in told]
    return np.asarray(rules | (logits >= np.array(least)), dtype=bool)


def threshold_of(told: Sequence[Judged], logits: NDArray[np.float64], most: float, *, english: bool) -> float:
    """The lowest logit that at most the share `most` of ordinary utterances reach, in English or elsewhere."""
    chosen = np.array([one.ordinary and one.english is english and not one.by_rules for one in told])
    return round(float(np.quantile(logits[chosen], 1 - most)) + STEP, 2) if chosen.any() else LOUDEST


def alarms_of(ordinary: Sequence[Ordinary], heard: NDArray[np.bool_]) -> Iterator[tuple[str, Share]]:
    """By language, how much of what is ordinary is taken for danger."""
    for language in dict.fromkeys(one.language for one in ordinary):
        chosen = np.array([one.language == language for one in ordinary])
        yield language, share(int((heard & chosen).sum()), int(chosen.sum()))


def rows_of(sentences: Sequence[Sentence], heard: NDArray[np.bool_]) -> Iterator[OutOfFold]:
    """The figures of all, by file, by language."""
    fair = np.array([sentence.source != DEV.name for sentence in sentences])
    yield _row(f"{EVERY_LANGUAGE} but {DEV.name}", sentences, heard, fair)
    for source in dict.fromkeys(sentence.source for sentence in sentences):
        yield _row(source, sentences, heard, np.array([sentence.source == source for sentence in sentences]))
    for language in dict.fromkeys(sentence.language for sentence in sentences):
        chosen = np.array([sentence.language == language for sentence in sentences])
        yield _row(language, sentences, heard, fair & chosen)


def _row(name: str, sentences: Sequence[Sentence], heard: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> OutOfFold:
    dangers = np.array([sentence.danger is not None for sentence in sentences]) & chosen
    rules = np.array([sentence.by_rules for sentence in sentences]) & chosen
    both = heard & chosen
    of_rules, of_both = int((rules & dangers).sum()), int((both & dangers).sum())
    return OutOfFold(
        name,
        share(of_rules, int(dangers.sum())),
        share(of_rules, int(rules.sum())),
        share(of_both, int(dangers.sum())),
        share(of_both, int(both.sum())),
    )


def others_right_of(sentences: Sequence[Sentence], logits: NDArray[np.float64]) -> Share:
    """Of the dangers, those that the second head tells rightly."""
    dangers = [
        (one.danger is Danger.OTHERS, logit > 0) for one, logit in zip(sentences, logits, strict=True) if one.danger
    ]
    return share(sum(bool(one == other) for one, other in dangers), len(dangers))
