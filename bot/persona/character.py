"""The character extractor (CareAgent, METHODS §4): a personality type of sixteen, from 20 things that a person said.

    utterances → encoder → mean → four linear classifiers (E/I, S/N, T/F, J/P) → four letters → one sentence

Inference needs numpy alone; `lab tune character` makes the weights (`lab/tuning/character.py`). Without weights a model
that follows instructions may be asked. Either way it is a weak signal (the paper: 55 to 61 % a letter): no fact.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from bot.domain import Character, GenerationRequest, Priority
from bot.errors import MalformedOutput, ModelUnavailable
from bot.language import weights as weights_file
from bot.language.untrusted import as_words
from bot.language.weights import finite
from bot.ports import ChatModel, Vectors
from bot.prompting.asking import Answer, Form, ask
from bot.prompting.templates import render, turns
from bot.texts.character import DESCRIPTIONS, TYPES

LETTERS = (("E", "I"), ("S", "N"), ("T", "F"), ("J", "P"))
"""The four dimensions: focus, perception, judgement, cognition. The first letter is that of logits from 0."""
SAMPLED = 20
"""Utterances that a type is guessed from."""
RESAMPLES = 40
FORMAT = 1
"""Counted up when the arrays change: older files are then refused."""
LONGEST_SHOWN = 300
"""Characters of an utterance that a model is shown."""
ANSWER_TOKENS = 12
UNKNOWN = "UNKNOWN"
EXAMPLE = "ISFJ"
"""The answer's form; any type would do."""

_LABEL = re.compile(r"^\s*(?:personality\s+)?type\s*:\s*", re.IGNORECASE)

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CharacterNet:
    """Four linear classifiers over the mean vector of what a person said. Safe to use from several threads."""

    about: Mapping[str, object]
    """What they were made from; `fingerprint` is the encoder's."""
    weights: Array
    """Shape (4, dimension)."""
    biases: Array
    """Shape (4,)."""

    @classmethod
    def load(cls, path: Path, fingerprint: str) -> Self:
        """The classifiers of the file at `path`, for the encoder with this fingerprint.

        Raises ModelUnavailable when the file is missing, damaged, of another version or of another encoder.
        """
        net = cls(*weights_file.read(path, "personality types", _ADVICE, FORMAT, _unpacked))
        if net.about["fingerprint"] != fingerprint:
            raise ModelUnavailable(
                f"The weights {path} were made with another text encoder than the one in use. {_ADVICE}"
            )
        return net

    def logits(self, means: Vectors) -> Array:
        """For mean vectors of shape (n, dimension) the logits of the first letters, shape (n, 4)."""
        return np.asarray(means @ self.weights.T + self.biases, dtype=np.float32)

    def type_of(self, vectors: Vectors) -> str:
        """The type of who said what has these vectors, shape (n, dimension), n at least 1."""
        return letters(self.logits(vectors.mean(axis=0, keepdims=True))[0])

    def stability(self, vectors: Vectors, seed: int) -> float:
        """How much of the type stays when as many are drawn from the same utterances again: the paper's consistency.

        0.25 for each letter that stays, averaged over RESAMPLES drawings with replacement.
        """
        drawn = np.random.default_rng(seed).integers(0, len(vectors), size=(RESAMPLES, len(vectors)))
        first = self.type_of(vectors)
        others = self.logits(vectors[drawn].mean(axis=1))
        return float(np.mean([agreement(first, letters(one)) for one in others]))


def letters(logits: Array) -> str:
    """The type that four logits stand for."""
    return "".join(pair[0] if logit >= 0 else pair[1] for pair, logit in zip(LETTERS, logits, strict=True))


def agreement(one: str, other: str) -> float:
    """The share of the four letters that are the same."""
    return sum(left == right for left, right in zip(one, other, strict=True)) / len(LETTERS)


_ADVICE = "Make them with `python -m lab tune character --data FILE --out FILE`, or set care.character to off or model."


def _unpacked(
    about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> tuple[Mapping[str, object], Array, Array]:
    weights, biases = finite(arrays["weights"]), finite(arrays["biases"])
    if weights.shape != (len(LETTERS), about["dimension"]) or biases.shape != (len(LETTERS),):
        raise ValueError("arrays of the wrong shape")
    _ = about["fingerprint"]
    return about, weights, biases


class Guessed(Form):
    """The type of somebody."""

    type: str = Field(json_schema_extra={"enum": [*TYPES, UNKNOWN]})


async def asked_of(model: ChatModel, said: Sequence[str], deadline: timedelta) -> Answer[str]:
    """The type that a model guesses; empty when it cannot say, None when it does not answer as it should.

    `deadline`: of one answer. Raises what `ChatModel.stream` raises.
    """
    lines = [as_words(text[:LONGEST_SHOWN]) for text in said]
    schema = Guessed.schema_for(model)
    messages = turns("character", lines=lines, example=EXAMPLE, json=schema is not None)
    request = GenerationRequest(
        messages, max_tokens=ANSWER_TOKENS, priority=Priority.BACKGROUND, deadline=deadline, schema=schema
    )
    return await ask(model, request, parse_type, "character", Guessed)


def parse_type(text: str) -> str:
    """A model's answer as a type; empty for UNKNOWN. Raises MalformedOutput for anything else."""
    word = _LABEL.sub("", text).strip().strip("*.`\"'").upper()
    if word == UNKNOWN:
        return ""
    if word not in TYPES:
        raise MalformedOutput("not one of the sixteen types")
    return word


def portrait(name: str, character: Character) -> str:
    """A person as a sentence for a prompt: "[name] is a person with the personality [type], who [description]".

    The paper's [identity] is "person": nothing is assumed of what somebody is.
    """
    values = {"person": name, "type": character.type, "description": DESCRIPTIONS[character.type]}
    return render("portrait", **values, guessed=character.guessed)
