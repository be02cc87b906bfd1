"""`lab tune recall`: the weights of `fused`, from conversations with questions and the turns that answer them (LoCoMo).

The features are those of the live code (`bot/memory/fused.py`), over shelves that are filled straight from the files.
The weights are fitted listwise: each turn that answers a question against all that do not, with an L2 penalty. To say
how they will do on conversations that they have not seen, each conversation is ranked by weights from the others
(leave one out). The weighted sum is then scaled and shifted to be a logit (Platt 1999).

Whether anything is relevant is fitted on questions that have an answer, against those of category 5, whose premise is
false, and against the questions of another conversation with the names of this one in them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from bot.config import FusedSettings, FusedWeights
from bot.domain import Passage
from bot.errors import BadInput
from bot.indexing.indexing import in_eight_bits, passage_key
from bot.memory.fused import Fused, relevance
from bot.memory.passage_shelf import PassageShelf
from bot.memory.query import Query
from bot.ports import Encoder, PassageTokens
from lab.datasets.locomo import Category, Conversation, read_conversation
from lab.replay.datasets import read_locomo
from lab.replay.input import ReplayLine

Floats = NDArray[np.float64]

CUTS = (1, 3, 5, 10, 20)
PENALTY = 1e-3
"""Weight of the squared weights (of standardised features) beside the loss, in nats a question."""
LATER = timedelta(days=7)
"""How long after the last session the questions are asked."""
ASKER = "locomo:asker"
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
FEWEST = 2
BATCH = 256

NAMES = tuple(name for name in FusedWeights.model_fields if name not in {"bias", "agent"})
"""The weights that are fitted. In these conversations the companion says nothing, so `agent` is set by hand."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: the features of the passages that were looked at, shape (n, features), and which are evidence."""

    features: Floats
    evidence: NDArray[np.bool_]
    wanted: int
    """How many passages are evidence, also those that were not looked at."""
    category: Category | None
    """None: it was asked of another conversation, and nobody has talked of it here."""
    contrast: float
    """See `bot.memory.fused.Looked`."""

    @property
    def answerable(self) -> bool:
        """Whether there is an answer."""
        return self.category is not None and self.category is not Category.ADVERSARIAL


@dataclass(frozen=True, slots=True)
class Fit:
    """What came out. `held_out`: for each conversation, by weights of the others, rows of recall@CUTS and category."""

    weights: dict[str, float]
    held_out: tuple[Floats, ...]
    ceiling: float
    """The share of evidence among what was looked at closely."""
    relevance: dict[str, float]
    shown: dict[str, tuple[float, ...]]
    """What kind of question → the share for which anything is shown, held out, from each of THRESHOLDS on."""

    @property
    def recall(self) -> list[float]:
        """Evidence recall at CUTS over all questions, held out."""
        return [float(value) for value in np.concatenate(self.held_out)[:, : len(CUTS)].mean(axis=0)]


class Tokens:
    """Token vectors in memory."""

    def __init__(self) -> None:
        self.known: dict[int, PassageTokens] = {}

    async def tokens(self, ids: Sequence[int]) -> dict[int, PassageTokens]:
        """Those of these passages."""
        return {key: self.known[key] for key in ids if key in self.known}


async def read_all(data: Path, encoder: Encoder, settings: FusedSettings, progress: Progress) -> list[list[Asked]]:
    """The questions of every conversation under `data`/locomo. Raises BadInput."""
    files = sorted((data / "locomo").glob("*.json"))
    if len(files) < FEWEST:
        raise BadInput(f"{data / 'locomo'} should hold at least {FEWEST} conversations of LoCoMo (*.json).")
    conversations = [read_conversation(file) for file in files]
    task = progress.add_task("Reading", total=len(files))
    found: list[list[Asked]] = []
    for number, file in enumerate(files):
        found.append(await read_one(file, conversations[number], conversations[number - 1], encoder, settings))
        progress.advance(task)
    return found


async def read_one(
    file: Path, here: Conversation, other: Conversation, encoder: Encoder, settings: FusedSettings
) -> list[Asked]:
    """The questions of the conversation `here` that have evidence, and those of another one, with their features."""
    shelf, tokens, numbers = await fill(file, encoder)
    fused = Fused(encoder=encoder, passages=tokens, settings=settings)
    now = here.sessions[-1].date_time + LATER
    found: list[Asked] = []
    asked: list[tuple[str, Category | None, Sequence[str]]] = [
        (question.question, question.category, question.evidence) for question in here.questions
    ]
    asked += [(renamed(one.question, other.speakers, here.speakers), None, ()) for one in other.questions]
    for text, category, evidence in asked:
        gold = {numbers[one] for one in evidence if one in numbers}
        vector = (await encoder.encode([text]))[0]
        looked = await fused.look(shelf, Query(text, vector, frozenset(), ASKER, now))
        rows = np.stack([looked.features[name] for name in NAMES], axis=1).astype(np.float64)
        is_evidence = np.isin(shelf.ids[looked.chosen], sorted(gold))
        one = Asked(rows, is_evidence, len(gold), category, looked.contrast)
        if gold or not one.answerable:
            found.append(one)
    return found


def renamed(question: str, before: Sequence[str], after: Sequence[str]) -> str:
    """The question with other speakers' names."""
    for old, new in zip(before, after, strict=True):
        question = re.sub(rf"\b{re.escape(old)}\b", new, question)
    return question


async def fill(file: Path, encoder: Encoder) -> tuple[PassageShelf, Tokens, dict[str, int]]:
    """A shelf with all that was said in a conversation, and turn id → passage id."""
    passages: list[Passage] = []
    numbers: dict[str, int] = {}
    session, last = 0, None
    for line in read_locomo(file):
        if isinstance(line, ReplayLine):
            session += last is None or line.time - last > timedelta(hours=1)
            last = line.time
            number = len(passages) + 1
            numbers[line.message_id.rpartition("/")[2]] = number
            said = replace(line.utterance, id=number, session_id=session)
            passages.append(Passage(said, number))
    shelf, tokens = await shelf_of(passages, encoder)
    return shelf, tokens, numbers


async def shelf_of(passages: Sequence[Passage], encoder: Encoder) -> tuple[PassageShelf, Tokens]:
    """A shelf with these passages, and their token vectors."""
    shelf, tokens = PassageShelf(), Tokens()
    keys = [passage_key(one.utterance.text) for one in passages]
    vectors = await encoder.encode(keys)
    shelf.add(passages, {one.id: row for one, row in zip(passages, vectors, strict=True)})
    for start in range(0, len(keys), BATCH):
        of_some = await encoder.encode_tokens(keys[start : start + BATCH])
        for one, of in zip(passages[start : start + BATCH], of_some, strict=True):
            tokens.known[one.id] = in_eight_bits(one.id, of)
    return shelf, tokens


def fit_all(conversations: Sequence[Sequence[Asked]]) -> Fit:
    """Fits weights to all, and says how weights of the others do on each."""
    held_out: list[Floats] = []
    shown: dict[str, list[bool]] = {}
    for number, asked in enumerate(conversations):
        others = [one for at, those in enumerate(conversations) if at != number for one in those]
        weights = fit(others)
        held_out.append(
            np.array([[*recalled(one, weights), int(one.category or 0)] for one in asked if one.answerable])
        )
        of_others = fit_relevance(others, weights)
        for one in asked:
            likely = _relevance(one, weights, of_others)
            shown.setdefault(kind_of(one), []).extend(likely >= threshold for threshold in THRESHOLDS)
    flat = [one for asked in conversations for one in asked]
    weights = fit(flat)
    scale, bias = calibrate(flat, weights)
    weights = weights * scale
    ceiling = float(np.mean([one.evidence.sum() / one.wanted for one in flat if one.answerable]))
    names = {"bias": bias} | {name: float(weight) for name, weight in zip(NAMES, weights, strict=True)}
    relevance = fit_relevance(flat, weights, bias)
    shares = {kind: tuple(np.reshape(rows, (-1, len(THRESHOLDS))).mean(axis=0)) for kind, rows in shown.items()}
    return Fit(names, tuple(held_out), ceiling, relevance, shares)


def kind_of(asked: Asked) -> str:
    """What kind of question it is, in words."""
    if asked.category is None:
        return "of another conversation"
    return "whose premise is false" if asked.category is Category.ADVERSARIAL else "that have an answer"


def recalled(asked: Asked, weights: Floats) -> list[float]:
    """Evidence recall at CUTS."""
    order = np.argsort(-(asked.features @ weights), kind="stable")
    return [float(asked.evidence[order[:cut]].sum() / asked.wanted) for cut in CUTS]


def fit(asked: Sequence[Asked], penalty: float = PENALTY) -> Floats:
    """Weights by which evidence stands before all else: the mean over evidence of ln(1 + Σ exp(other − it))."""
    scale = np.concatenate([one.features for one in asked]).std(axis=0) + 1e-3
    rows = [
        (one.features / scale, one.evidence)
        for one in asked
        if one.answerable and one.evidence.any() and not one.evidence.all()
    ]

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = penalty * float(weights @ weights), 2 * penalty * weights
        for features, evidence in rows:
            scores = features @ weights
            others = scores[~evidence]
            top = others.max()
            mass = np.exp(others - top)
            behind = np.clip(top + np.log(mass.sum()) - scores[evidence], -50, 50)
            pull = 1 / (1 + np.exp(-behind)) / len(behind)
            total += float(np.logaddexp(0, behind).mean()) / len(rows)
            others_mean = (mass / mass.sum()) @ features[~evidence]
            gradient = gradient + (pull.sum() * others_mean - pull @ features[evidence]) / len(rows)
        return total, gradient

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return np.asarray(found.x / scale)


def calibrate(asked: Sequence[Asked], weights: Floats) -> tuple[float, float]:
    """(scale, bias) that make the weighted sum the logit of being evidence, for questions that have an answer."""
    answerable = [one for one in asked if one.answerable]
    scores = np.concatenate([one.features @ weights for one in answerable])
    evidence = np.concatenate([one.evidence for one in answerable])
    middle = float(scores.mean())
    scale, bias = logistic(scores[:, None] - middle, evidence)
    return scale, bias - scale * middle


def fit_relevance(asked: Sequence[Asked], weights: Floats, bias: float = 0.0) -> dict[str, float]:
    """Weights of the best logit and of the contrast, for "has an answer"; the three kinds of questions count alike."""
    signs = np.array([_signs(one, weights, bias) for one in asked])
    kinds = [kind_of(one) for one in asked]
    counts = Counter(kinds)
    share = np.array([(1.0 if one.answerable else 0.5) / counts[kind] for one, kind in zip(asked, kinds, strict=True)])
    best, contrast, offset = logistic(signs, np.array([one.answerable for one in asked]), share)
    return {"bias": offset, "best": best, "contrast": contrast}


def _signs(asked: Asked, weights: Floats, bias: float) -> tuple[float, float]:
    return float((asked.features @ weights).max()) + bias, asked.contrast


def _relevance(asked: Asked, weights: Floats, of_relevance: dict[str, float]) -> float:
    best, contrast = _signs(asked, weights, 0.0)
    return relevance(best, contrast, of_relevance)


def logistic(signs: Floats, truth: NDArray[np.bool_], share: Floats | None = None) -> list[float]:
    """Logistic regression of `truth` on `signs`, shape (n, k): k weights, the bias. `share`: what each row counts."""
    model = LogisticRegression(C=1e3, max_iter=1000)
    model.fit(signs, truth, sample_weight=None if share is None else share * len(share))
    return [*map(float, model.coef_[0]), float(model.intercept_[0])]


def as_settings(fit: Fit) -> str:
    """The weights as lines of config.yaml."""
    lines = ["memory:", "  fused:"]
    for name, weights in (("weights", fit.weights), ("relevance", fit.relevance)):
        lines += [f"    {name}:", *(f"      {key}: {value:.4g}" for key, value in weights.items())]
    return "\n".join(lines)
