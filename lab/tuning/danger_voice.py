"""Trains the voice's second opinion on danger (`bot/conversation/danger_voice.py`): a reading of its hidden states.

It learns on those sentences of the net's files in which the second look finds something and no rule a sign, since only
such are asked about, and on lines of ordinary conversation of that kind. How much it counts beside the net, in English
and in other languages, is what hears most dangers by nets and readings out of fold, at the threshold that goes with it:
the lowest at which no more than `MOST_UNSURE` of the lines of real chat are *unsure*, hints of the rules among them,
and `MOST_TO_IT` of what people say to a companion in the conversations without patterns (`evaluation/companion`), from
which no net has learnt; in other languages than English also `MOST_ELSEWHERE` of what people say in those that were
written for the voice (`talk`): real chat that is at hand is English, and tells nothing of them. Half of the research
data (every other conversation or log) is kept aside from that; the test set and the fresh one are never seen here.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold

from bot.conversation import danger_net, danger_voice
from bot.conversation.danger_voice import WEIGHTS
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import Doubt, danger_in, doubt_in, sign_by_rules
from bot.conversation.state_reading import OPENING, StateReading, Weighing, prompt_of, write_reading
from bot.errors import BadInput
from bot.language.languages import is_english
from bot.ports import Vector
from lab.datasets.written import read_written
from lab.evaluation.companion.conversations import READ_ONLY, read_ours
from lab.evaluation.safety import real_chat
from lab.evaluation.voice_states import KeptStates
from lab.tuning import danger
from lab.tuning.danger_figures import Sentence
from lab.tuning.hashed import target_of

_IN_BRACKETS = re.compile(r"^\[[^\]]{0,2000}\]")
"""What is remembered, as it stands before what is said."""
FOLDS = 5
STRENGTHS = (0.0003, 0.001, 0.003, 0.01, 0.03)
"""scikit-learn's C, of which the best out of fold is taken."""
SHARES = (0.0, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0)
"""How much the reading may count beside the net."""
MOST_UNSURE = 30 / 6000
"""The share of lines of real chat that may be unsure."""
MOST_TO_IT = 0.008
"""The share of lines said to a companion that may be: they are short, lean on what was said before, and tell more of
what hurts."""
MOST_ELSEWHERE = 0.005
"""The same for what is said to it in other languages than English."""


@dataclass(frozen=True, slots=True)
class Told:
    """A text that the voice is asked about."""

    doubt: Doubt
    danger: bool
    sentence: Sentence | None
    """None: ordinary conversation."""
    learnt: bool
    """Whether the net has learnt from it, so that its margin says nothing here."""


@dataclass(frozen=True, slots=True)
class VoiceReport:
    """What was trained. `str()` is the report for people."""

    out: Path
    seconds: float
    asked: int
    dangers: int
    strength: float
    areas: tuple[float, float, float]
    """Under the curve of the sentences, out of fold: the net's margin, the reading, both."""
    recalls: tuple[float, float]
    """The share of the dangers among them that are heard out of fold, at as many alarms in chat: net alone, both."""
    listener: StateReading
    lines: int
    """Of the real chat that the threshold was chosen on."""
    unsure: tuple[int, int]
    """Of them, by rules and net alone; with the voice."""

    def __str__(self) -> str:
        net, voice, both = self.areas
        return (
            f"Trained on {self.asked} texts ({self.dangers} of danger) in {self.seconds:.0f} s, C {self.strength}.\n"
            f"Area under the curve, out of fold: net {net:.3f}, voice {voice:.3f}, both {both:.3f}.\n"
            f"As loud in chat, the net hears {self.recalls[0]:.1%} of the dangers, both {self.recalls[1]:.1%}.\n"
            f"The voice counts {_said(self.listener.english)} in English, {_said(self.listener.elsewhere)} elsewhere: "
            f"of {self.lines} lines of real chat {self.unsure[1]} are unsure ({self.unsure[0]} without it).\n"
            f"Wrote {self.out}."
        )


def _said(weighing: Weighing) -> str:
    return f"{weighing.share:.2f} (threshold {weighing.threshold:.2f})"


async def train(model: KeptStates, data: Path, out: Path | None = None, seed: int = 0) -> VoiceReport:
    """Trains on what is given and writes the weights to `out` (None: the shipped file).

    The same seed, data and states give the same bytes. Raises BadInput and ModelError.
    """
    started = time.monotonic()
    target = target_of(danger_voice.__package__, WEIGHTS, out)
    told = [*_sentences(), *_ordinary(data, seed)]
    chats = [chat for chat in real_chat(data) if not chat.aside]
    seen = await _states(model, [one.doubt for one in told])
    chat = await _chat_of(model, [line for chat in chats for line in chat.lines])
    talks = [talk for talk in read_ours() if talk.kind == READ_ONLY]
    to_it = await _chat_of(model, [line.text for talk in talks for line in talk.lines])
    elsewhere = await _chat_of(model, await asyncio.to_thread(_said_elsewhere))
    chats_of_all = (chat, to_it, elsewhere)
    return await asyncio.to_thread(_trained, model.model_digest, told, seen, chats_of_all, data, target, seed, started)


def _said_elsewhere() -> list[str]:
    """What people say in the conversations in other languages than English, without what stands in brackets there."""
    said = (text for one in read_written() if one.language != ENGLISH for text, _ in one.turns)
    return [line for text in said if (line := _IN_BRACKETS.sub("", text).strip())]


@dataclass(frozen=True, slots=True)
class _Chat:
    """Real chat that the threshold is chosen on: its lines, and of those that are asked about, margins and states."""

    lines: Sequence[str]
    hints: int
    """In how many of them the rules find something that is not sure."""
    doubts: Sequence[Doubt]
    states: NDArray[np.float32]

    @property
    def margins(self) -> NDArray[np.float64]:
        return np.array([one.margin for one in self.doubts])

    def threshold(self, reading: tuple[Vector, float], share: float, most: float) -> float:
        """The lowest sum of margin and reading that at most this share of the lines reach, with the rules' hints."""
        weights, bias = reading
        alarms = max(0, int(most * len(self.lines)) - self.hints)
        return _threshold(self.margins + share * (self.states @ weights + bias), alarms)


async def _chat_of(model: KeptStates, lines: Sequence[str]) -> _Chat:
    doubts = await asyncio.to_thread(lambda: [doubt for line in lines if (doubt := doubt_in(line)) is not None])
    hints = await asyncio.to_thread(_hints, lines)
    return _Chat(lines, hints, doubts, await _states(model, doubts))


def _hints(lines: Sequence[str]) -> int:
    """In how many of the lines the rules find something that is not sure."""
    return sum(sign is not None and not sign.sure for sign, _ in map(sign_by_rules, lines))


def _trained(
    digest: str,
    told: Sequence[Told],
    seen: NDArray[np.float32],
    chats: tuple[_Chat, _Chat, _Chat],
    data: Path,
    target: Path,
    seed: int,
    started: float,
) -> VoiceReport:
    """The work of `train` when everything is read: `seen` are the states of `told`, a row each.

    `chats`: real ones, what is said to a companion in English, and in other languages.
    """
    labels = np.array([one.danger for one in told])
    folds = _folds(told, seed)
    strength, logits = max(
        ((strength, out_of_fold(seen, labels, folds, strength)) for strength in STRENGTHS),
        key=lambda one: roc_auc_score(labels, one[1]),
    )
    judged = np.array([one.sentence is not None for one in told])
    margins = _margins([one for one in told if one.sentence is not None], data, seed)
    weights, bias = fitted(seen, labels, strength)
    chat, to_it, said_elsewhere = chats
    lines = chat.lines
    limits = [(chat, MOST_UNSURE), (to_it, MOST_TO_IT)]
    dangers = labels[judged]
    english = np.array([is_english(one.doubt.words) for one in told])[judged]
    reads = Reads((weights, bias), logits[judged], margins, dangers)
    in_english, quiet = reads.best(limits, english[dangers])
    elsewhere, _ = reads.best([*limits, (said_elsewhere, MOST_ELSEWHERE)], ~english[dangers])
    hears = {way: reads.hears(way) for way in (in_english, elsewhere, quiet)}
    heard = np.where(english[dangers], hears[in_english], hears[elsewhere])
    listener = StateReading(_about(told, len(lines), seed), digest, weights, bias, in_english, elsewhere)
    write_reading(listener, target)
    alone = sum((sign := danger_in(line)) is not None and not sign.sure for line in lines)
    areas = (margins, logits[judged], margins + np.where(english, in_english.share, elsewhere.share) * logits[judged])
    net_area, voice_area, both_area = (float(roc_auc_score(dangers, one)) for one in areas)
    return VoiceReport(
        out=target,
        seconds=time.monotonic() - started,
        asked=len(told),
        dangers=int(labels.sum()),
        strength=strength,
        areas=(net_area, voice_area, both_area),
        recalls=(float(hears[quiet].mean()), float(heard.mean())),
        listener=listener,
        lines=len(lines),
        unsure=(alone, chat.hints + sum(one >= 0 for one in _with_voice(listener, chat))),
    )


@dataclass(frozen=True, slots=True)
class Reads:
    """What a reading hears of the sentences, out of fold: `logits` and the net's `margins` of each, dangers marked."""

    reading: tuple[Vector, float]
    logits: NDArray[np.float64]
    margins: NDArray[np.float64]
    dangers: NDArray[np.bool_]

    def hears(self, way: Weighing) -> NDArray[np.bool_]:
        """Which of the dangers are heard."""
        heard: NDArray[np.bool_] = (self.margins + way.share * self.logits >= way.threshold)[self.dangers]
        return heard

    def best(self, limits: Sequence[tuple[_Chat, float]], group: NDArray[np.bool_]) -> tuple[Weighing, Weighing]:
        """How it counts where most of a `group` of the dangers is heard, within the limits; and how the net alone."""
        ways = [
            Weighing(share, max(chat.threshold(self.reading, share, most) for chat, most in limits)) for share in SHARES
        ]
        return max(ways, key=lambda way: int(self.hears(way)[group].sum())), ways[0]


def _with_voice(listener: StateReading, chat: _Chat) -> Iterator[float]:
    """The margins of what is asked about, with the voice."""
    for doubt, state in zip(chat.doubts, chat.states, strict=True):
        yield listener.margin(doubt.margin, state, english=is_english(doubt.words))


async def _states(model: KeptStates, doubts: Sequence[Doubt]) -> NDArray[np.float32]:
    """What the model holds of each, a row each."""
    return await model.states_of([prompt_of(one.words) for one in doubts], OPENING)


def _sentences() -> list[Told]:
    """Sentences that are asked about."""
    learnt, told = net_has_learnt(), list[Told]()
    for number, one in enumerate(sentence for path in danger.DATA for sentence in danger.read_sentences(path)):
        if (doubt := doubt_in(one.text)) is not None:
            told.append(Told(doubt, one.danger is not None, one, number < learnt))
    return told


def net_has_learnt() -> int:
    """From how many sentences of `danger.DATA` the shipped net has learnt: the first ones. Raises BadInput."""
    learnt = danger_net.read_weights().about["sentences"]
    if not isinstance(learnt, int):
        raise BadInput("The net's weights do not say how many sentences they were made from.")
    return learnt


def _ordinary(data: Path, seed: int) -> Iterator[Told]:
    """Ordinary conversation that the net has learnt from, and finds something in all the same."""
    for one in danger.ordinary_talk(data, seed):
        if (doubt := doubt_in(one.text)) is not None:
            yield Told(doubt, danger=False, sentence=None, learnt=True)


def _folds(told: Sequence[Told], seed: int) -> NDArray[np.intp]:
    """In which fold each text is judged. Near copies are in one, as for the net; ordinary lines are each for itself."""
    sentences = [one.sentence for one in told if one.sentence is not None]
    groups = danger.groups_of(sentences)
    alone = np.arange(len(told) - len(sentences)) + groups.max(initial=0) + 1
    labels = np.array([one.danger for one in told])
    folds = np.zeros(len(told), dtype=np.intp)
    split = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    for fold, (_, unseen) in enumerate(split.split(labels, labels, np.concatenate([groups, alone]))):
        folds[unseen] = fold
    return folds


def fitted(states: NDArray[np.float32], labels: NDArray[np.bool_], strength: float) -> tuple[Vector, float]:
    """Weights and bias for states as they are: learnt on standardised numbers, which are folded in."""
    means, spreads = states.mean(axis=0), states.std(axis=0) + np.float32(1e-6)
    fit = LogisticRegression(C=strength, class_weight="balanced", max_iter=2000, random_state=0)
    fit.fit((states - means) / spreads, labels)
    weights = np.asarray(fit.coef_[0] / spreads, dtype=np.float32)
    return weights, float(fit.intercept_[0] - weights @ means)


def out_of_fold(
    states: NDArray[np.float32], labels: NDArray[np.bool_], folds: NDArray[np.intp], strength: float
) -> NDArray[np.float64]:
    """The logits of readings that have not seen what they judge. `folds`: in which of FOLDS each state is judged."""
    logits = np.zeros(len(labels))
    for fold in range(FOLDS):
        unseen = folds == fold
        weights, bias = fitted(states[~unseen], labels[~unseen], strength)
        logits[unseen] = states[unseen] @ weights + bias
    return logits


def _margins(told: Sequence[Told], data: Path, seed: int) -> NDArray[np.float64]:
    """The net's margins of sentences; for those that the shipped net has learnt from, of nets that have not."""
    sentences = [sentence for path in danger.DATA for sentence in danger.read_sentences(path)][: net_has_learnt()]
    logits, _ = danger.out_of_fold(sentences, danger.ordinary_talk(data, seed), seed)
    unseen = {one.text: float(logit) for one, logit in zip(sentences, logits[0], strict=True)}
    net, margins = danger_net.read_weights(), []
    for one in told:
        text = one.sentence.text if one.sentence is not None else one.doubt.words
        shift = unseen[text] - net.hear(text).danger if one.learnt else 0.0
        margins.append(one.doubt.margin + shift)
    return np.array(margins)


def _threshold(sums: NDArray[np.float64], most: int) -> float:
    """The lowest sum, to two digits, that at most `most` of these reach."""
    louder = np.sort(sums)[::-1]
    if len(louder) <= most:
        return round(float(louder[-1]), 2) if len(louder) else 0.0
    return float(np.ceil(louder[most] * 100 + 1) / 100)


def _about(told: Sequence[Told], lines: int, seed: int) -> dict[str, object]:
    return {
        "data": [
            *(path.name for path in danger.DATA),
            "MSC persona data, valid",
            "DialogSum, dev",
            "LoCoMo",
            "Ubuntu IRC",
        ],
        "threshold_chosen_on": "every other conversation of REALTALK and log of Ubuntu IRC's second half",
        "asked": len(told),
        "lines_of_chat": lines,
        "seed": seed,
        "command": f"python -m lab tune danger-voice --data DIR --seed {seed}",
        "licence": danger.LICENCE,
    }
