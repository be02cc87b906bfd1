"""`fused`, our way to recall: how likely each thing that was said is to help with what was just said. No model call.

The largest part is a comparison word by word, each in its context (MaxSim of ColBERT: Khattab and Zaharia 2020). A word
may be answered by the utterances around as well: an answer often stands beside the words that were asked for. Beside it
count who is asked about, when it was, and what kind of sentence it is. All features are absolute, so that their sum by
weight is a logit: the same number means the same for every question.

MaxSim is computed for the passages alone that are best by what is quick to compute for all, vectors of whole utterances
and BM25; so its time does not grow with what there is.

Whether anything is relevant at all is a second question. Where the premise is false, the words were often said, but by
somebody else: so it looks at the best score, and at how much better the one who is asked about answers than others do.

Weights are settings; `lab tune recall` derives them, and BENCHMARKS.md says from what.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bot.config import FusedSettings
from bot.domain import AGENT_ID
from bot.language.lexicon import STOP_WORDS, question_stems, says_nothing, stem_of
from bot.memory.fragments import best_first
from bot.memory.passage_shelf import Floats, PassageShelf, Positions
from bot.memory.query import Query
from bot.memory.question import Question, asks_about_listener, read_question
from bot.ports import Encoder, PassageTokens, TokenVectors

CACHED_BYTES = 48_000_000
"""Bytes of token vectors that are kept in memory: those of about 20,000 passages."""

MOST_TOKENS = 64
"""Tokens of what was said that are compared; more is hardly a question."""

AT_ONCE = 256
"""Passages whose tokens are compared at once."""

STOP_WEIGHT = 0.8
"""What a word counts that says nothing; others count by how rare they are, from 0.7 to about 9."""

WINDOW = ((1, 0.9), (2, 0.8), (3, 0.7))
"""(How far away, how much it counts): utterances around that may answer a word."""

OTHERS = 0.8
"""How much a word counts that somebody else said than the one who is asked about (`mine`)."""

BESIDE = 0.35
"""How much the utterances before and after count in the first look."""

ECHO, NO_ANSWER = 0.9, -13.0
"""A question so similar to what is asked is the same, asked before, and no answer: its logit is at most this."""

LEAST = 1e-6
"""What is looked at closely is at least as likely as this, and what is not is less."""

DAY_S = 86_400.0
AFTER_DAYS, BEFORE_DAYS = 7.0, 4.0
"""How quickly nearness to a time fades: people tell afterwards what happened, rarely before."""
LONG_SPAN_DAYS = 100.0
"""From which on a span is a year or so, which says less."""

SEVERAL = 2

Features = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Scored:
    """What `fused` thinks of a shelf. `relevance`: how likely anything on it is relevant, in [0, 1]."""

    likely: Floats
    """How likely each passage is to help, in [0, 1], shape (n,)."""
    relevance: float


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at closely."""

    chosen: Positions
    """The positions, ascending."""
    features: Features
    """Name → value for each of them."""
    contrast: float
    """How much better the one who is asked about answers than others, in cosines; 0 where nobody is."""
    rough: Floats
    """The rough scores of all passages, shape (n,)."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, read and encoded."""

    question: Question
    vector: Floats
    tokens: TokenVectors
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Rough:
    """A rough look at all passages. `dense`, the vectors' cosines, and `scores` have shape (n,)."""

    dense: Floats
    scores: Floats
    chosen: Positions
    """The best ones, ascending."""
    around: Positions
    """Those and the ones around them, ascending."""


class TokenStore(Protocol):
    """Where token vectors come from: `bot.ports.Passages` is one."""

    async def tokens(self, ids: Sequence[int]) -> dict[int, PassageTokens]:
        """Passage id → its token vectors, for those that have them."""


class Fused:
    """Scores the passages of a shelf."""

    def __init__(self, *, encoder: Encoder, passages: TokenStore, settings: FusedSettings) -> None:
        self._encoder = encoder
        self._passages = passages
        self._candidates = settings.candidates
        self._weights: dict[str, float] = settings.weights.model_dump()
        self._of_relevance: dict[str, float] = settings.relevance.model_dump()
        self._tokens: OrderedDict[int, PassageTokens] = OrderedDict()
        self._held = 0

    async def score(self, shelf: PassageShelf, query: Query) -> Scored:
        """How likely each passage is to help, and whether any is relevant."""
        if not len(shelf) or says_nothing(query.text):
            return Scored(np.zeros(len(shelf), dtype=np.float32), 0.0)
        looked = await self.look(shelf, query)
        logits = weighted(looked.features, self._weights)
        echoes = (looked.features["dense"] > ECHO) & (looked.features["asks"] > 0)
        logits = np.where(echoes, np.minimum(logits, NO_ANSWER), logits)
        # Those that were not looked at closely come after all that were, in the order of the rough look.
        likely = _logistic(looked.rough) * np.float32(LEAST)
        likely[looked.chosen] = np.maximum(_logistic(logits), LEAST)
        return Scored(likely, relevance(float(logits.max()), looked.contrast, self._of_relevance))

    async def look(self, shelf: PassageShelf, query: Query) -> Looked:
        """Chooses passages by a rough look at all, and looks at them closely. The shelf is not empty."""
        asked = await self._read(shelf, query)
        about = speaker_shares(shelf, asked.question)
        rough = await asyncio.to_thread(_roughly, shelf, asked, about, self._candidates)
        chosen = rough.chosen
        ids = shelf.ids[rough.around].tolist()
        tokens = await self._tokens_of(ids)
        closely = await asyncio.to_thread(_closely, shelf, rough, asked.tokens, list(map(tokens.get, ids)), about)
        weights = word_weights(shelf, asked.tokens.words)
        features = {name: values @ weights for name, values in closely.items()}
        own = features.pop("own")
        features |= {"dense": rough.dense[chosen]} | {name: values[chosen] for name, values in about.items()}
        features |= {name: values[chosen] for name, values in of_time(shelf, asked.question).items()}
        return Looked(chosen, features, contrast_of(own, features), rough.scores)

    async def _read(self, shelf: PassageShelf, query: Query) -> _Asked:
        names = {key: words for key, words in shelf.names.items() if key != AGENT_ID}
        question = read_question(query.text, names, query.speaker_id, query.time, shelf.years)
        (vector,), (tokens,) = await asyncio.gather(
            self._encoder.encode([question.spoken]), self._encoder.encode_tokens([question.spoken])
        )
        tokens = TokenVectors(tokens.words[:MOST_TOKENS], tokens.vectors[:MOST_TOKENS])
        about = {word for key in question.about for word in names.get(key, ())}
        return _Asked(question, vector, tokens, question_stems(question.words, about))

    async def _tokens_of(self, ids: Sequence[int]) -> Mapping[int, PassageTokens]:
        found = {key: self._tokens[key] for key in ids if key in self._tokens}
        missing = [key for key in ids if key not in found]
        if missing:
            read = await self._passages.tokens(missing)
            found |= read
            self._tokens.update(read)
            self._held += sum(one.vectors.nbytes for one in read.values())
        for key in found.keys() & self._tokens.keys():
            self._tokens.move_to_end(key)
        while self._held > CACHED_BYTES and self._tokens:
            self._held -= self._tokens.popitem(last=False)[1].vectors.nbytes
        return found

    def forget(self, passages: Collection[int]) -> None:
        """Drops what is kept in memory of these passages, which have been erased."""
        for key in self._tokens.keys() & set(passages):
            self._held -= self._tokens.pop(key).vectors.nbytes


def weighted(features: Features, weights: Mapping[str, float]) -> Floats:
    """The logits: the sum of the features, each times its weight, and `bias`."""
    total = sum((weights[name] * values for name, values in features.items() if name in weights), np.float32(0.0))
    return np.asarray(total + weights["bias"], dtype=np.float32)


def relevance(best: float, contrast: float, weights: Mapping[str, float]) -> float:
    """How likely anything is relevant, by the best logit and the contrast between speakers."""
    logit = weights["bias"] + weights["best"] * best + weights["contrast"] * contrast
    return float(_logistic(np.array([logit]))[0])


def contrast_of(own: Floats, features: Features) -> float:
    """How much better the one who is asked about answers by their own words than anybody else by theirs."""
    theirs = (features["speaker"] + features["first"]) > 0
    if theirs.all() or not theirs.any():
        return 0.0
    return float(own[theirs].max() - own[~theirs].max())


def _logistic(logits: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0))), dtype=np.float32)


def rough_scores(shelf: PassageShelf, vector: Floats, stems: frozenset[str], about: Features) -> tuple[Floats, Floats]:
    """Of every passage its vector's cosine, and its rough score: by that, BM25, speakers, and those beside it."""
    dense = np.zeros(len(shelf), dtype=np.float32)
    if shelf.vectors.shape[1]:
        dense = np.asarray(shelf.vectors @ vector, dtype=np.float32)
    bm25 = shelf.bm25.scores(stems)
    words = _standard(bm25 + np.float32(0.5) * shelf.around(bm25))
    alone = _standard(dense) + words + np.float32(0.5) * _standard(bm25) + 2 * about["speaker"]
    return dense, alone + np.float32(BESIDE) * shelf.around(alone)


def _standard(values: Floats) -> Floats:
    """The same with mean 0 and standard deviation 1."""
    return np.asarray((values - values.mean()) / (values.std() + np.float32(1e-6)), dtype=np.float32)


def speaker_shares(shelf: PassageShelf, question: Question) -> Features:
    """1 where the only one who is asked about spoke (`speaker`), or the first of several (`first`)."""
    known = [shelf.speakers[key] for key in question.about if key in shelf.speakers]
    if not question.about and asks_about_listener(question.words) and AGENT_ID in shelf.speakers:
        known = [shelf.speakers[AGENT_ID]]
    none = np.zeros(len(shelf), dtype=np.float32)
    spoke = (shelf.by == known[0]).astype(np.float32) if known else none
    alone = len(question.about) < SEVERAL
    return {
        "speaker": spoke if alone else none,
        "first": none if alone else spoke,
        "agent": shelf.agent().astype(np.float32),
    }


def of_time(shelf: PassageShelf, question: Question) -> Features:
    """How near to a time that is asked for, whether it is a question, and whether it tells a time that is asked for."""
    near, near_year = (np.zeros(len(shelf), dtype=np.float32) for _ in range(2))
    for start, end in question.spans:
        begins, ends = start.timestamp(), end.timestamp()
        early = np.maximum(begins - shelf.times, 0.0) / DAY_S
        late = np.maximum(shelf.times - ends, 0.0) / DAY_S
        value = np.exp(-early / BEFORE_DAYS - late / AFTER_DAYS).astype(np.float32)
        target = near_year if (ends - begins) / DAY_S > LONG_SPAN_DAYS else near
        np.maximum(target, value, out=target)
    return {
        "near": near,
        "near_year": near_year,
        "asks": shelf.flag("ends_asking").astype(np.float32),
        "when": shelf.flag("tells_time").astype(np.float32) * question.asks_when,
    }


def neighbours(shelf: PassageShelf, chosen: Positions) -> Positions:
    """The positions of these passages and of those around them, ascending, each once."""
    far = max(distance for distance, _ in WINDOW)
    return np.unique(np.concatenate([shelf.beside(chosen, step) for step in range(-far, far + 1)]))


def token_matches(asked: TokenVectors, passages: Sequence[PassageTokens | None]) -> Floats:
    """How well each token that was asked is answered by each passage: the best cosine, shape (passages, tokens).

    0 where a passage has no tokens.
    """
    found = np.zeros((len(passages), len(asked.words)), dtype=np.float32)
    there = [at for at, one in enumerate(passages) if one is not None and len(one.vectors)]
    if not there or not len(asked.words):
        return found
    for start in range(0, len(there), AT_ONCE):
        some = there[start : start + AT_ONCE]
        rows = [one.vectors for at in some if (one := passages[at]) is not None]
        scales = np.array([one.scale for at in some if (one := passages[at]) is not None], dtype=np.float32)
        starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
        similar = asked.vectors @ np.concatenate(rows).astype(np.float32).T
        found[some] = np.maximum.reduceat(similar, starts, axis=1).T * scales[:, None]
    return found


def word_weights(shelf: PassageShelf, words: Sequence[str]) -> Floats:
    """How much each word of a question counts, shape (words,), sum 1: by how rare it is in what may be used here."""
    found = [_weight(shelf, word) for word in words]
    total = sum(found) or 1.0
    return np.asarray([one / total for one in found], dtype=np.float32)


def _weight(shelf: PassageShelf, word: str) -> float:
    if not word.isalnum() or word in STOP_WORDS:
        return STOP_WEIGHT
    return shelf.bm25.idf(stem_of(word))


def _roughly(shelf: PassageShelf, asked: _Asked, about: Features, candidates: int) -> _Rough:
    """Chooses so many passages by what is quick to compute for all."""
    dense, scores = rough_scores(shelf, asked.vector, asked.stems, about)
    chosen = np.sort(best_first(scores, candidates))
    return _Rough(dense, scores, chosen, neighbours(shelf, chosen))


def _closely(
    shelf: PassageShelf, rough: _Rough, asked: TokenVectors, passages: Sequence[PassageTokens | None], about: Features
) -> dict[str, Floats]:
    """How well the chosen passages answer each token, shape (chosen, tokens): alone, and with those around them.

    `mine` is `window` with the words of others than the one who is asked about counting less. `passages`: the tokens of
    those that are around.
    """
    chosen, around = rough.chosen, rough.around
    answers = np.maximum(token_matches(asked, passages), 0.0)
    theirs = (about["speaker"] + about["first"])[around]
    share = np.where(theirs > 0, 1.0, OTHERS).astype(np.float32) if theirs.any() else np.ones(len(around), np.float32)
    return {
        "own": answers[np.searchsorted(around, chosen)],
        "window": _window(shelf, chosen, around, answers),
        "mine": _window(shelf, chosen, around, answers * share[:, None]),
    }


def _window(shelf: PassageShelf, chosen: Positions, around: Positions, own: Floats) -> Floats:
    """The best answer to each token in each chosen passage or around it, shape (chosen, tokens)."""
    window = own[np.searchsorted(around, chosen)].copy()
    for distance, share in WINDOW:
        for step in (-distance, distance):
            beside = shelf.beside(chosen, step, missing=-1)
            answers = own[np.searchsorted(around, np.maximum(beside, around[0]))] * np.float32(share)
            np.maximum(window, np.where((beside >= 0)[:, None], answers, 0.0), out=window)
    return window
