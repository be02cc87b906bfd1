"""The vector index of tests and evaluations, in memory."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bot.domain import Scope
from bot.ports import Similarities, Vector, Vectors
from bot.storage.vectors.matrix import EMPTY, Matrix, same_dimension, unit


class NumpyVectorIndex:
    """Implements `bot.ports.VectorIndex` in memory; gone with the process."""

    def __init__(self) -> None:
        self._scopes: dict[Scope, Matrix] = {}

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        before = self._scopes.get(scope, EMPTY)
        if len(before.ids):
            same_dimension(before.rows.shape[1], vectors.shape[1])
        self._scopes[scope] = before.upserted(ids, unit(vectors))

    async def similarities(self, scope: Scope, query: Vector) -> Similarities:
        return self._scopes.get(scope, EMPTY).similarities(query)

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        if scope in self._scopes:
            self._scopes[scope] = self._scopes[scope].without(ids)

    async def get(self, scope: Scope, ids: Sequence[int]) -> Vectors:
        return self._scopes.get(scope, EMPTY).only(ids).rows

    async def load(self, scope: Scope, ids: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        ordered = self._scopes.get(scope, EMPTY).only(ids).in_order()
        return ordered.ids, ordered.rows

    async def expunge(self, chosen: Sequence[tuple[Scope, Sequence[int]]]) -> None:
        for scope, ids in chosen:
            await self.remove(scope, ids)
