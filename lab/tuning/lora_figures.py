"""How well a skill is done: figures over answers to held-out prompts, in shares from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TypeAlias

from bot.config import Memory, Persona
from bot.domain import Skill
from bot.errors import MalformedOutput
from bot.language.extractive import Topics
from bot.memory import events
from bot.memory.events import parse_summary
from bot.persona import extract
from bot.persona.extract import NO_TRAIT, parse_traits
from lab.evaluation.overlap import corpus_bleu, rouge_l, words
from lab.evaluation.rouge import mean_rouge
from lab.tuning.lora_data import Example, Messages

ROOM = 64
"""Tokens of an answer, at most."""

Figures: TypeAlias = Mapping[str, float]
"""What is measured → the share."""


@dataclass(frozen=True, slots=True)
class Judge:
    """How answers of one skill are judged."""

    untuned: Callable[[Example], Messages]
    """What a model that was not tuned is shown instead of the example's prompt."""
    judged: Callable[[Sequence[Example], Sequence[str]], Figures]
    room: int = ROOM

    def __call__(self, examples: Sequence[Example], answers: Sequence[str]) -> Figures:
        """The figures of these answers, one for each example; at least one."""
        return self.judged(examples, answers)


def judge_of(skill: Skill, topics: Topics) -> Judge:
    """The judge of a skill."""
    if skill is Skill.EXTRACTOR:
        return Judge(lambda one: extract.asked(one.source, Persona().trait_words), _Traits(topics))
    if skill is Skill.SUMMARIZER:
        return Judge(_untuned_summary, _Summaries(topics))
    return Judge(lambda one: one.untuned or one.messages, _replies)


def _untuned_summary(example: Example) -> Messages:
    lines = _lines(example)
    names = list(dict.fromkeys(name for name, _ in lines))
    return events.asked(lines, names, Memory().summary_words)


def _lines(example: Example) -> list[tuple[str, str]]:
    """The lines (name, text) of a summary's source."""
    return [(name, text) for name, _, text in (line.partition(": ") for line in example.source.split("\n"))]


@dataclass(frozen=True, slots=True)
class _Traits:
    topics: Topics

    def __call__(self, examples: Sequence[Example], answers: Sequence[str]) -> Figures:
        """An answer that the parser does not take counts as no answer: as wrong, and as no common word."""
        parsed = [self._parsed(one, answer) for one, answer in zip(examples, answers, strict=True)]
        gold = [one.answer != NO_TRAIT for one in examples]
        right = [said is not None and bool(said) == carries for said, carries in zip(parsed, gold, strict=True)]
        overlaps = [
            (mean_rouge(" ".join(said), one.answers).longest if said else 0.0, bool(said))
            for said, one, carries in zip(parsed, examples, gold, strict=True)
            if carries
        ]
        return {
            "trait or none, rightly told": mean(right),
            "ROUGE-L, all utterances with traits": mean(value for value, _ in overlaps or [(0.0, False)]),
            "ROUGE-L, where traits were found too": mean([value for value, found in overlaps if found] or [0.0]),
            "answers that the parser takes": mean(said is not None for said in parsed),
        }

    def _parsed(self, example: Example, answer: str) -> tuple[str, ...] | None:
        try:
            return parse_traits(answer, example.source, self.topics, Persona().trait_words)
        except MalformedOutput:
            return None


@dataclass(frozen=True, slots=True)
class _Summaries:
    topics: Topics

    def __call__(self, examples: Sequence[Example], answers: Sequence[str]) -> Figures:
        """ROUGE of the answers as they came, whether the parser takes them or not."""
        scores = [mean_rouge(answer, one.answers) for one, answer in zip(examples, answers, strict=True)]
        return {
            "ROUGE-1": mean(one.unigrams for one in scores),
            "ROUGE-2": mean(one.bigrams for one in scores),
            "ROUGE-L": mean(one.longest for one in scores),
            "answers that the parser takes": mean(map(self._taken, examples, answers)),
        }

    def _taken(self, example: Example, answer: str) -> bool:
        names = sorted({name for name, _ in _lines(example)})
        try:
            return bool(parse_summary(answer, example.source, names, self.topics, Memory().summary_words))
        except MalformedOutput:
            return False


def _replies(examples: Sequence[Example], answers: Sequence[str]) -> Figures:
    pairs = [(words(answer), words(one.answer)) for one, answer in zip(examples, answers, strict=True)]
    return {
        "BLEU-2": corpus_bleu(pairs, 2),
        "BLEU-3": corpus_bleu(pairs, 3),
        "ROUGE-L": mean(rouge_l(said, gold) for said, gold in pairs),
    }
