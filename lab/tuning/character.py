"""Trains the four classifiers of personality types: `python -m lab tune character --data FILE --out FILE`.

As at run time, a person is the mean vector of 20 of their posts, drawn anew some times each. One person in five is held
out to measure: accuracy a letter beside that of always saying the more frequent one (in the public set 60 to 86 %, so
accuracy alone says little), the mean of both letters' recalls, and the paper's consistency between two drawings. The
weights are then trained on all people. Each letter counts the same, however rare: else nearly all would be INFP.

The paper trains four BERT models and reports 55 to 61 % a letter. Here the encoder stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from bot.errors import BadInput
from bot.persona.character import LETTERS, SAMPLED, CharacterNet, agreement, letters
from bot.ports import Encoder, Vectors
from lab.datasets.mbti import Typed, read_people
from lab.tuning.weights_files import write_character

HELD_OUT = 0.2
"""Share of the people that measures."""
DRAWINGS = 4
"""Times that 20 posts of each person are drawn."""
MOST_POSTS = 60
"""Posts of a person that are encoded."""
STRENGTH = 10.0
"""sklearn's C: means of unit vectors are short, so little is held back."""
FEWEST_PEOPLE = 10
PAPER = "CareAgent's paper: 55 to 61 % a letter, consistency 0.95."


@dataclass(frozen=True, slots=True)
class LetterFigures:
    """How well one letter is told from the other, on people that were held out."""

    pair: tuple[str, str]
    accuracy: float
    majority: float
    """The accuracy of always saying the letter that is more frequent among those who were trained on."""
    balanced: float
    """The mean of both letters' recalls; 0.5 is chance."""

    def __str__(self) -> str:
        name = "/".join(self.pair)
        return (
            f"{name}: accuracy {self.accuracy:.1%} (always the frequent one: {self.majority:.1%}),"
            f" mean recall {self.balanced:.1%}"
        )


@dataclass(frozen=True, slots=True)
class CharacterReport:
    """What was trained, and how well it does. `str()` is the report for people."""

    out: Path
    people: int
    """With enough posts."""
    too_few: int
    """People with fewer than 20 posts that can be used."""
    named: int
    twice: int
    held_out: int
    seconds: float
    figures: tuple[LetterFigures, ...]
    stability: float
    """The paper's consistency between two drawings of 20 posts of one person."""

    def __str__(self) -> str:
        head = (
            f"Trained on {self.people} people in {self.seconds:.0f} s; left out: {self.too_few} with fewer than"
            f" {SAMPLED} usable posts, {self.twice} who were there twice, {self.named} posts that name a type."
            f"\nWrote {self.out}."
        )
        rows = [f"- {one}" for one in self.figures]
        tail = f"Consistency between two drawings of {SAMPLED}: {self.stability:.2f}. {PAPER}"
        return "\n".join([head, f"On {self.held_out} people who were held out:", *rows, tail])


@dataclass(frozen=True, slots=True)
class _Material:
    means: NDArray[np.float32]
    """Shape (people, DRAWINGS, dimension)."""
    first: NDArray[np.bool_]
    """Shape (people, 4): whether each letter is the pair's first."""


async def train(data: Path, encoder: Encoder, out: Path, seed: int = 0) -> CharacterReport:
    """Trains on the people in `data`, a file or a folder, and writes the weights to `out`.

    The same seed, data and machine give the same file. Raises BadInput, and ModelError from the encoder.
    """
    started = time.monotonic()
    _check(out)
    read = read_people(data)
    people = [one for one in read.people if len(one.posts) >= SAMPLED]
    if len(people) < FEWEST_PEOPLE:
        raise BadInput(f"Training needs {FEWEST_PEOPLE} people or more with {SAMPLED} usable posts each.")
    random = np.random.default_rng(seed)
    order = random.permutation(len(people))
    held, others = np.split(order, [max(1, round(HELD_OUT * len(people)))])
    material = _Material(
        means=await _means(people, encoder, random),
        first=np.array([[one.type[at] == pair[0] for at, pair in enumerate(LETTERS)] for one in people]),
    )
    figures, stability = _measured(_fitted(material, others, {}), material, held, others)
    about: dict[str, object] = {
        "data": "people with their posts and the type that they gave themselves",
        "command": f"python -m lab tune character --data FILE --out FILE --seed {seed}",
        "people": len(people),
        "fingerprint": encoder.fingerprint,
        "dimension": encoder.dimension,
        "balanced": [round(one.balanced, 4) for one in figures],
    }
    write_character(_fitted(material, order, about), out)
    return CharacterReport(
        out=out,
        people=len(people),
        too_few=len(read.people) - len(people),
        named=read.named,
        twice=read.twice,
        held_out=len(held),
        seconds=time.monotonic() - started,
        figures=figures,
        stability=stability,
    )


def _check(out: Path) -> None:
    if not out.parent.is_dir() or out.is_dir():
        raise BadInput(f"{out} cannot be written: give a file in a folder that is there with --out.")


async def _means(people: Sequence[Typed], encoder: Encoder, random: np.random.Generator) -> NDArray[np.float32]:
    """The mean vectors of DRAWINGS drawings a person, shape (people, DRAWINGS, dimension)."""
    found = np.empty((len(people), DRAWINGS, encoder.dimension), dtype=np.float32)
    for at, person in enumerate(people):
        vectors: Vectors = await encoder.encode(person.posts[:MOST_POSTS])
        for drawing in range(DRAWINGS):
            found[at, drawing] = vectors[random.choice(len(vectors), SAMPLED, replace=False)].mean(axis=0)
    return found


def _fitted(material: _Material, rows: NDArray[np.int64], about: dict[str, object]) -> CharacterNet:
    """Four logistic regressions over the drawings of these people. Raises BadInput where a letter is missing."""
    rows = np.sort(rows)
    dimension = material.means.shape[2]
    means = material.means[rows].reshape(-1, dimension)
    weights, biases = np.empty((len(LETTERS), dimension), dtype=np.float32), np.empty(len(LETTERS), dtype=np.float32)
    for at, pair in enumerate(LETTERS):
        wanted = np.repeat(material.first[rows, at], DRAWINGS)
        if wanted.all() or not wanted.any():
            raise BadInput(f"Training needs several people of {pair[0]} and of {pair[1]} types.")
        model = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=2000).fit(means, wanted)
        weights[at], biases[at] = model.coef_[0], model.intercept_[0]
    return CharacterNet(about, weights, biases)


def _measured(
    net: CharacterNet, material: _Material, held: NDArray[np.int64], others: NDArray[np.int64]
) -> tuple[tuple[LetterFigures, ...], float]:
    """The figures of each letter by the first drawing of people held out, and how much the second one agrees."""
    first, second = (net.logits(material.means[held, drawing]) for drawing in (0, 1))
    figures: list[LetterFigures] = []
    for at, pair in enumerate(LETTERS):
        said, true = first[:, at] >= 0, material.first[held, at]
        frequent = material.first[others, at].mean() >= 0.5  # noqa: PLR2004 - the half
        recalls = [float((said[true == letter] == letter).mean()) for letter in (True, False) if (true == letter).any()]
        accuracy, majority = float((said == true).mean()), float((true == frequent).mean())
        figures.append(LetterFigures(pair, accuracy, majority, float(np.mean(recalls))))
    alike = [agreement(letters(one), letters(other)) for one, other in zip(first, second, strict=True)]
    return tuple(figures), float(np.mean(alike))
