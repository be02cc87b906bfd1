"""Two plain ways to find what was said, to compare recall with: dense vectors alone, and BM25 alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bot.domain import Utterance
from bot.ports import Encoder, TokenVectors, Vectors
from lab.evaluation.metrics import unique

LIMIT = 100
"""How many utterances a ranking holds at most: more than 400 words of them."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What came up for a question, the best first."""

    utterances: tuple[Utterance, ...]
    relevant: bool | None = None
    ms: float | None = None


class Ranker(Protocol):
    """A way to find what was said."""

    async def rank(self, question: str) -> Ranking:
        """What it finds."""
        ...


class RememberingEncoder:
    """An encoder that keeps every vector it made: the same questions are put to many settings."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Vectors] = {}
        self._tokens: dict[str, TokenVectors] = {}

    @property
    def fingerprint(self) -> str:
        """The other encoder's."""
        return self._encoder.fingerprint

    @property
    def dimension(self) -> int:
        """The other encoder's."""
        return self._encoder.dimension

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """The same rows as the other encoder's, shape (len(texts), dimension)."""
        missing = unique([text for text in texts if text not in self._vectors])
        if missing:
            self._vectors.update(zip(missing, await self._encoder.encode(missing), strict=True))
        return np.asarray([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """The same as the other encoder's."""
        missing = unique([text for text in texts if text not in self._tokens])
        if missing:
            self._tokens.update(zip(missing, await self._encoder.encode_tokens(missing), strict=True))
        return [self._tokens[text] for text in texts]


class DenseRanker:
    """What most products do: the cosine between the question and "Speaker: text"."""

    def __init__(self, utterances: Sequence[Utterance], vectors: Vectors, encoder: Encoder) -> None:
        self._utterances = utterances
        self._vectors = vectors
        self._encoder = encoder

    @classmethod
    async def of(cls, utterances: Sequence[Utterance], encoder: Encoder) -> DenseRanker:
        """Over these utterances."""
        vectors = await encoder.encode([_with_name(utterance) for utterance in utterances])
        return cls(utterances, vectors, encoder)

    async def rank(self, question: str) -> Ranking:
        """The nearest ones."""
        cosines = self._vectors @ (await self._encoder.encode([question]))[0]
        order = np.argsort(-cosines, kind="stable")[:LIMIT]
        return Ranking(tuple(self._utterances[position] for position in order))


class Bm25Ranker:
    """BM25 over "Speaker: text" with English stems, as SQLite's FTS5 has it (k1 = 1.2, b = 0.75)."""

    def __init__(self, utterances: Sequence[Utterance]) -> None:
        self._utterances = utterances

    async def rank(self, question: str) -> Ranking:
        """Those that share words with the question."""
        words = unique(_words(question))
        if not words:
            return Ranking(())
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE said USING fts5(words, tokenize='porter unicode61')")
            rows = ((number, _with_name(one)) for number, one in enumerate(self._utterances))
            connection.executemany("INSERT INTO said(rowid, words) VALUES (?, ?)", rows)
            found = connection.execute(
                "SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said), rowid LIMIT ?",
                (" OR ".join(f'"{word}"' for word in words), LIMIT),
            ).fetchall()
        return Ranking(tuple(self._utterances[position] for (position,) in found))


def _words(text: str) -> list[str]:
    return "".join(character if character.isalnum() else " " for character in text.casefold()).split()


def _with_name(utterance: Utterance) -> str:
    return f"{utterance.speaker.name}: {utterance.text}"
