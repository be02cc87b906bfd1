"""Fences: what has to hold, in the same transaction, for anything to be written (PostgreSQL only).

Whoever works under a lease does so within `fenced`. Every writing transaction that is begun there, and in the tasks
that are started there, first locks the row that the lease is. When the row is gone another process has taken over, and
nothing is written. While the transaction is open, nobody can take over: a takeover deletes the row.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import LeaseLost

Fence = Select[int]
"""Gives the id of the row that has to be there."""

_FENCES: ContextVar[tuple[Fence, ...]] = ContextVar("fences", default=())


@contextmanager
def fenced(fence: Fence) -> Iterator[None]:
    """What is written within, and in tasks that are started within, is written only while `fence` gives a row."""
    token = _FENCES.set((*_FENCES.get(), fence.with_for_update(key_share=True, read=True)))
    try:
        yield
    finally:
        _FENCES.reset(token)


async def check_fences(connection: AsyncConnection) -> None:
    """Raises LeaseLost when a fence gives nothing any more. Its row stays until this transaction has ended."""
    for fence in _FENCES.get():
        if await connection.scalar(fence) is None:
            raise LeaseLost("Another process has taken over what this one was doing.")
