"""What a newly chosen encoder needs: an index of its own, filled beside the one that serves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from bot.domain import Scope
from bot.ports.engines import Vectors
from bot.ports.recalling import PassageTokens


class NextVectors(Protocol):
    """Vectors of everything by another encoder than the one in use, which does not see them. Raises IndexUnusable.

    What is erased or moved meanwhile leaves it too. It survives restarts, half full as it is.
    """

    async def missing(self) -> list[tuple[Scope, int]]:
        """Which rows have no vector in it yet: events, then traits, then passages, of each kind the latest first."""
        ...

    async def without_tokens(self, limit: int) -> list[int]:
        """Ids of passages that have no token vectors in it yet, the latest first."""
        ...

    async def trait_texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Trait id → its text, for those that are there."""
        ...

    def filling(self) -> AbstractAsyncContextManager[object]:
        """Nothing is removed meanwhile: read rows and put in their vectors within it, or what went comes back."""
        ...

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors or replaces those that have the same id. `vectors` has shape (len(ids), dimension)."""
        ...

    async def put_tokens(self, rows: Sequence[PassageTokens]) -> None:
        """Stores token vectors. Passages that are not there are passed over."""
        ...

    async def complete(self) -> None:
        """Records that it may take over: the next start uses it, and what is missing in it by then is added there."""
        ...
