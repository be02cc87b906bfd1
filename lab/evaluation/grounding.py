"""`lab evaluate grounding`: does the check for inventions let pass what people wrote, and stop what is of another text?

People's summaries (DialogSum) and traits (Multi-Session Chat), each with its own source, where a refusal is a mistake,
and with the source of the next one, where it is right. Who wrote a trait down had read the session so far, so traits
are measured with the utterance alone, as the extractor has it, and with the lines before it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from bot.language.extractive import Topics
from bot.language.grounding import invented
from bot.memory.topics import load_topics
from lab.datasets import dialogsum
from lab.datasets.msc_persona import read_split
from lab.evaluation.metrics import Estimate, estimate
from lab.evaluation.report import EvaluationReport, Grid, show
from lab.evaluation.structured import percent

Pair = tuple[str, str]
"""What somebody wrote, and what it was made of."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked. `sample`: texts of each kind at most."""

    data: Path
    sample: int = 1000
    seed: int = 0


def run(options: Options) -> int:
    """Measures and prints. Raises BadInput."""
    topics = load_topics().topics
    sets = {
        "summaries, DialogSum dev": summaries(options.data, "dev"),
        "summaries, DialogSum test": summaries(options.data, "test"),
        "traits, MSC valid, the utterance alone": traits(options.data, "valid", before=False),
        "traits, MSC valid, with the lines before it": traits(options.data, "valid", before=True),
        "traits, MSC test, the utterance alone": traits(options.data, "test_open", before=False),
        "traits, MSC test, with the lines before it": traits(options.data, "test_open", before=True),
    }
    rows = tuple(_row(name, _drawn([*pairs], options), topics, options.seed) for name, pairs in sets.items())
    columns = ("what people wrote", "texts", "accepted, its own source", "refused, another one's source")
    grid = Grid("The check for inventions", columns, rows, "In per cent, with intervals at 95 %.")
    show(EvaluationReport("grounding", "Grounding", (), (grid,), (), {}), Console(highlight=False, width=140))
    return 0


def summaries(data: Path, split: str) -> Iterator[Pair]:
    """The first summary of each dialogue. Raises BadInput."""
    for dialogue in dialogsum.read_dialogues(data / "dialogsum" / f"dialogsum.{split}.jsonl"):
        yield dialogue.summaries[0], "\n".join(f"{turn.speaker}: {turn.text}" for turn in dialogue.turns)


def traits(data: Path, split: str, *, before: bool) -> Iterator[Pair]:
    """What was written down of each utterance that carries a trait; `before`: its source is the session so far."""
    for session in read_split(data, split):
        said: list[str] = []
        for one in session.utterances:
            said.append(one.text)
            if one.carries_trait:
                yield one.traits, "\n".join(said) if before else one.text


def _drawn(pairs: list[Pair], options: Options) -> Sequence[Pair]:
    random.Random(options.seed).shuffle(pairs)  # noqa: S311 - repeatable, not secret
    return pairs[: options.sample]


def _row(name: str, pairs: Sequence[Pair], topics: Topics, seed: int) -> tuple[str, ...]:
    others = [*pairs[1:], *pairs[:1]]
    right = [[float(not invented(text, source, topics))] for text, source in pairs]
    wrong = [
        [float(bool(invented(text, source, topics)))] for (text, _), (_, source) in zip(pairs, others, strict=True)
    ]
    found: list[Estimate] = [estimate(values, seed) for values in (right, wrong)]
    return name, str(len(pairs)), *(percent(one) for one in found)
