"""Which of the things that were told answers a question, where rules are not sure: a small net over sentence vectors.

Rules (`told.py`) hear questions by their words, and find what shares words with them. People ask in ever other words
("the combination for the shed, what is it"), and of what they told in others ("who was making all that noise?"). The
net compares the question with each of the last lines, and says which one answers, or that none does.
`lab/tuning/finding.py` makes the weights. It knows English best, as the encoder does.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import log1p
from pathlib import Path

import numpy as np
import structlog
from numpy.typing import NDArray

from bot.conversation.addressing import spoken_words
from bot.conversation.situations import asks
from bot.conversation.told import Told, all_told
from bot.domain import Recollection, Session, Utterance
from bot.errors import ModelError, ModelUnavailable
from bot.language import weights as weights_file
from bot.language.lexicon import stems
from bot.language.patterns import Patterns
from bot.ports import Encoder

WEIGHTS = "answer_finder.npz"
"""The shipped weights' file, beside this module."""
FORMAT = 1
MOST = 20
"""Lines that a question is compared with."""
LATEST = 12
"""Lines of a session that always are; of those before, the ones that share a word with the question."""
LONGEST_LINE = 240
"""Characters of a line or a question that are read."""
LEAST_SURE = 0.4
"""The likelihood from which an answer counts."""
LEAST_LIKELY = 0.25
"""The one from which a model that can tell is shown it."""
SELDOM = 0.1
"""What is left of the likelihood that nothing told is asked for where the question itself points to it."""
FEATURES = 14
"""What the net sees of a line beside its vector."""
SCALE = 4
"""By what vectors of unit length, whose numbers are small, are enlarged."""
FAR_BACK = 8
"""Lines from the end that count as one."""
LONG_LINE = 20
"""Words of a line that counts as a long one."""

_log = structlog.get_logger(__name__)
_READ = Patterns.beside(__file__)
_ASKS_AMOUNT, _AMOUNT, _OWN = _READ["asks_amount"], _READ["amount"], _READ["own"]
_RECALLS, _REMINDS, _WITHIN = _READ["recalls"], _READ["reminds"], _READ["within"]

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody said, as the net sees it."""

    who: str
    words: str
    by_asker: bool


@dataclass(frozen=True, slots=True)
class FoundLine:
    """What the net found. `sure`: it answers; else it may, and no other line is likelier to."""

    utterance: int
    sure: bool


@dataclass(frozen=True, slots=True, eq=False)
class FinderNet:
    """The weights. Two layers for each line, two for "no line answers" and "nothing that was told is asked for".

    Shapes, with d the encoder's dimension, f = FEATURES, r the rank, t the parts of the question's kind, h hidden:
    question (r, d), line (r, d), kind (t, d) and its bias (t,), each (h, f + 1 + t), and none (h, f + 3 + t).
    """

    about: weights_file.About
    arrays: weights_file.Arrays

    def likelihoods(self, question: Floats, lines: Floats, told: Floats) -> Floats:
        """Of each line that it answers, then that none does, then that nothing told is asked for; they sum up to 1.

        `question`: its vector, shape (d,). `lines`: theirs, shape (n, d). `told`: of `features_of`, shape (n, f).
        """
        one = self.arrays
        told = np.asarray((told - one["mean"]) / one["spread"], dtype=np.float32)
        alike = SCALE * (lines @ one["line"].T) @ (one["question"] @ question)
        kind = np.tanh(SCALE * one["kind"] @ question + one["kind_bias"])
        rows = np.column_stack([told, alike, np.broadcast_to(kind, (len(told), len(kind)))])
        scores = _layers(rows, one, "each")[:, 0]
        total = float(np.logaddexp.reduce(scores))
        best = np.exp(scores.max() - total)
        beside = np.concatenate([told.max(axis=0), [alike.max()], kind, [total, best]])
        logits = np.concatenate([scores, _layers(beside[None], one, "none")[0]])
        likely = np.exp(logits - logits.max())
        return np.asarray(likely / likely.sum(), dtype=np.float32)


def _layers(rows: NDArray[np.floating], arrays: weights_file.Arrays, name: str) -> NDArray[np.floating]:
    hidden = np.maximum(rows @ arrays[f"{name}_in"].T + arrays[f"{name}_in_bias"], 0)
    return np.asarray(hidden @ arrays[f"{name}_out"].T + arrays[f"{name}_out_bias"])


def features_of(question: str, vector: Floats, lines: Sequence[Line], vectors: Floats) -> Floats:
    """What the net sees of each line beside its vector, shape (n, FEATURES). `vectors`: (n, d), of unit length."""
    wanted = frozenset(stems(question))
    told = [frozenset(stems(line.words)) for line in lines]
    counts = Counter(stem for one in told for stem in one)
    channel = any(not line.by_asker for line in lines)
    named = [re.search(rf"\b{re.escape(line.who)}", question, re.IGNORECASE) is not None for line in lines]
    amount, own = _ASKS_AMOUNT.search(question) is not None, _OWN.search(question) is not None
    of_asker = channel and own and not any(named)
    rows: list[list[float]] = []
    for at, (line, has) in enumerate(zip(lines, told, strict=True)):
        shared, back = wanted & has, len(lines) - 1 - at
        counted = _AMOUNT.search(line.words) is not None
        rows.append(
            [
                float(vector @ vectors[at]),
                len(shared) / max(len(wanted), 1),
                bool(shared),
                sum(log1p(len(lines) / counts[stem]) for stem in shared),
                line.by_asker,
                line.by_asker and of_asker,
                not line.by_asker and of_asker,
                named[at],
                any(named) and not named[at],
                back / FAR_BACK,
                back == 0,
                amount and counted,
                amount and not counted,
                min(len(line.words.split()), LONG_LINE) / LONG_LINE,
            ]
        )
    return np.array(rows, dtype=np.float32).reshape(len(lines), FEATURES)


@dataclass(frozen=True, slots=True)
class AnswerFinder:
    """Finds it with an `encoder`, the one that the `net` was trained with. `agent`: what the companion is called."""

    encoder: Encoder
    net: FinderNet
    agent: str

    async def find(self, session: Session, latest: Utterance, recollection: Recollection) -> FoundLine | None:
        """The line that answers `latest`, or may; None where it asks nothing, or nothing does."""
        question = spoken_words(latest.text, self.agent)[:LONGEST_LINE]
        if not (asks(question) or _REMINDS.search(question) or _WITHIN.search(question)):
            return None
        told = [one for one in all_told(session, latest, recollection, self.agent) if one.utterance > 0]
        told = [one for one in told if not asks(one.words)]
        shown = nearest(told, question)
        if not shown:
            return None
        lines = [Line(one.who, one.words[:LONGEST_LINE], one.speaker_id == latest.speaker.id) for one in shown]
        try:
            vectors = await self.encoder.encode([question, *(line.words for line in lines)])
        except ModelError as error:
            _log.warning("a question is answered by rules alone", error=type(error).__name__)
            return None
        likely = _likelihoods(question, self.net, vectors[0], lines, vectors[1:])
        best = int(np.argmax(likely[: len(lines)]))
        if likely[best] < max(LEAST_LIKELY, likely[-1]):
            return None
        return FoundLine(shown[best].utterance, _surely(likely) == best)


def answer_in(question: str, net: FinderNet, vector: Floats, lines: Sequence[Line], vectors: Floats) -> int | None:
    """The place of the line that answers; None where none surely does. `vector`, `vectors`: as for `features_of`."""
    return _surely(_likelihoods(question, net, vector, lines, vectors))


def _likelihoods(question: str, net: FinderNet, vector: Floats, lines: Sequence[Line], vectors: Floats) -> Floats:
    """As `FinderNet.likelihoods`. Who asks "do you still know" or "what was it again" asks for something told."""
    likely = net.likelihoods(vector, vectors, features_of(question, vector, lines, vectors))
    if recalls(question):
        likely[-1] *= SELDOM
        likely /= likely.sum()
    return likely


def _surely(likely: Floats) -> int | None:
    best = int(np.argmax(likely))
    return best if best < len(likely) - 2 and likely[best] >= LEAST_SURE else None


def recalls(question: str) -> bool:
    """Whether a question has a word that points to what was told."""
    return any(one.search(question) for one in (_RECALLS, _REMINDS))


def nearest(told: Sequence[Told], question: str) -> list[Told]:
    """The lines that a question is compared with, oldest first: the last of this session, and what shares a word."""
    wanted = frozenset(stems(question))
    fresh, before = [one for one in told if one.fresh], [one for one in told if not one.fresh]
    last, earlier = fresh[-LATEST:], fresh[:-LATEST]
    near = [one for one in (*before, *earlier) if not wanted.isdisjoint(stems(one.words))]
    rest = [one for one in before if one not in near]
    room = MOST - len(last)
    chosen = (*rest, *near)[-room:] if room else ()
    return [one for one in told if one in chosen or one in last]


def finder_for(encoder: Encoder, agent: str) -> AnswerFinder | None:
    """With the shipped net; None, and a line in the log, where it is missing, damaged or made for another encoder."""
    net = _shipped()
    if net is None:
        return None
    if net.about.get("encoder") != encoder.fingerprint:
        _log.info("what answers a question is found by rules alone: the encoder is another one")
        return None
    return AnswerFinder(encoder, net, agent)


@cache
def _shipped() -> FinderNet | None:
    try:
        return read_weights()
    except ModelUnavailable as error:
        _log.error("what answers a question is found by rules alone", error=str(error))
        return None


def read_weights(path: Path | None = None) -> FinderNet:
    """The net in the file at `path` (None: the shipped one). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make it anew with `python -m lab tune finding`."
    return weights_file.read(source, "the net that finds answers", advice, FORMAT, _unpacked)


def _unpacked(about: weights_file.About, arrays: weights_file.Arrays) -> FinderNet:
    kept = {name: weights_file.finite(array) for name, array in arrays.items()}
    parts, width, rank = kept["kind"].shape[0], kept["line"].shape[1], kept["line"].shape[0]
    hidden = kept["each_in"].shape[0]
    shapes = {
        "mean": (FEATURES,),
        "spread": (FEATURES,),
        "question": (rank, width),
        "line": (rank, width),
        "kind": (parts, width),
        "kind_bias": (parts,),
        "each_in": (hidden, FEATURES + 1 + parts),
        "each_in_bias": (hidden,),
        "each_out": (1, hidden),
        "each_out_bias": (1,),
        "none_in": (hidden, FEATURES + 3 + parts),
        "none_in_bias": (hidden,),
        "none_out": (2, hidden),
        "none_out_bias": (2,),
    }
    if {name: array.shape for name, array in kept.items()} != shapes:
        raise ValueError("arrays that do not fit each other")
    return FinderNet(about, kept)
