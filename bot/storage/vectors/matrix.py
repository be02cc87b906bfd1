"""Vectors in memory: those of one scope as a matrix, and which scopes' matrices are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.domain import Scope
from bot.errors import IndexUnusable
from bot.ports import Similarities, Vector, Vectors

CACHED_VECTORS = 100_000
"""How many vectors are held in memory over all scopes: 150 MB at 384 dimensions. One scope may be larger alone."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of one scope: `ids` of shape (n,), `rows` of shape (n, dimension), unit length."""

    ids: NDArray[np.int64]
    rows: Vectors

    def upserted(self, ids: Sequence[int], vectors: Vectors) -> Matrix:
        """With these vectors added, or put in the place of those that have the same id."""
        kept = self.without(ids)
        new = np.asarray(ids, dtype=np.int64)
        if not len(kept.ids):
            return Matrix(new, vectors)
        return Matrix(np.concatenate([kept.ids, new]), np.concatenate([kept.rows, vectors]))

    def without(self, ids: Sequence[int]) -> Matrix:
        """Without the vectors that have these ids."""
        keep = ~np.isin(self.ids, np.asarray(ids, dtype=np.int64))
        return self if bool(keep.all()) else Matrix(self.ids[keep], self.rows[keep])

    def only(self, ids: Sequence[int]) -> Matrix:
        """Those of these vectors that have one of these ids."""
        chosen = np.isin(self.ids, np.asarray(ids, dtype=np.int64))
        return Matrix(self.ids[chosen], self.rows[chosen])

    def in_order(self) -> Matrix:
        """The same vectors by ascending id, in arrays of their own."""
        order = np.argsort(self.ids)
        return Matrix(self.ids[order], self.rows[order])

    def similarities(self, query: Vector) -> Similarities:
        """The ids and the cosine of each to `query`."""
        if not len(self.ids):
            return self.ids, np.empty(0, np.float32)
        same_dimension(self.rows.shape[1], query.shape[0])
        return self.ids, np.asarray(self.rows @ unit(query[None, :])[0], dtype=np.float32)


EMPTY = Matrix(np.empty(0, np.int64), np.empty((0, 0), np.float32))


class Matrices:
    """The scopes whose vectors are in memory, least recently used first. For several threads.

    A matrix can be pinned: while its scope is written anew, it is all that there is of it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Scope, Matrix] = OrderedDict()
        self._pinned: dict[Scope, Matrix] = {}

    @property
    def any_pinned(self) -> bool:
        """Whether a scope is still being written anew, or could not be."""
        with self._lock:
            return bool(self._pinned)

    def is_pinned(self, scope: Scope) -> bool:
        """Whether this scope is being written anew."""
        with self._lock:
            return scope in self._pinned

    def get(self, scope: Scope) -> Matrix | None:
        """The matrix of a scope; None when it is not in memory."""
        with self._lock:
            if scope in self._pinned:
                return self._pinned[scope]
            if scope in self._kept:
                self._kept.move_to_end(scope)
            return self._kept.get(scope)

    def put(self, scope: Scope, matrix: Matrix) -> None:
        """Keeps a matrix, as long as there is room."""
        with self._lock:
            if scope in self._pinned:
                self._pinned[scope] = matrix
                return
            self._kept[scope] = matrix
            self._kept.move_to_end(scope)
            vectors = sum(len(kept.ids) for kept in self._kept.values())
            while vectors > CACHED_VECTORS and len(self._kept) > 1:
                vectors -= len(self._kept.popitem(last=False)[1].ids)

    def drop(self, scope: Scope) -> None:
        """Keeps the matrix of a scope no longer, unless it is pinned."""
        with self._lock:
            self._kept.pop(scope, None)

    def pin(self, scope: Scope, matrix: Matrix) -> None:
        """Keeps a matrix until `unpin`, whatever its size."""
        with self._lock:
            self._kept.pop(scope, None)
            self._pinned[scope] = matrix

    def unpin(self, scope: Scope) -> None:
        """Keeps it no longer."""
        with self._lock:
            self._pinned.pop(scope, None)


def joined(matrices: Sequence[Matrix]) -> Matrix:
    """All of these vectors as one matrix."""
    there = [one for one in matrices if len(one.ids)]
    if not there:
        return EMPTY
    return Matrix(np.concatenate([one.ids for one in there]), np.concatenate([one.rows for one in there]))


def unit(vectors: Vectors) -> Vectors:
    """The same directions at unit length; a zero vector stays zero."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def same_dimension(there: int, given: int) -> None:
    """Raises IndexUnusable when they differ."""
    if there != given:
        raise IndexUnusable(
            f"The vector index holds vectors of dimension {there}, and one of dimension {given} was given: "
            "it was made by another encoder. Set encoder.id back, or restart the program to rebuild the index."
        )
