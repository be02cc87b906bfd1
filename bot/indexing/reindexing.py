"""Makes the vectors of a newly chosen encoder in the background, while the one before it serves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import groupby

import structlog

from bot.domain import Scope, VectorKind
from bot.errors import ModelError, StorageError
from bot.indexing.indexing import event_text, passage_key, positions_of, tokens_of
from bot.ports import Encoder, Events, Passages
from bot.ports.switching import NextVectors

BATCH = 64
"""How many vectors are made at once. Whoever removes some waits for one batch at most."""

LOOK_S = 600.0
"""Seconds between two looks for what is new: a look goes over all rows."""
RETRY_S = 60.0
"""Seconds before another try after an error."""

_log = structlog.get_logger(__name__)


class Reindexer:
    """Fills the next index, and keeps it full until the program ends."""

    def __init__(self, *, following: NextVectors, events: Events, passages: Passages, encoder: Encoder) -> None:
        """`encoder`: the new one."""
        self._next = following
        self._events = events
        self._passages = passages
        self._encoder = encoder

    async def run(self) -> None:
        """Until cancelled."""
        ready = False
        while True:
            pause_s = LOOK_S
            try:
                made = await self.catch_up()
            except (ModelError, StorageError) as error:
                _log.error("the vectors of the new encoder wait", reason=str(error))
                pause_s = RETRY_S
            else:
                if not ready:
                    _log.warning(
                        "the vectors of the new encoder are made: it is used from the next start on", made=made
                    )
                ready = True
            await asyncio.sleep(pause_s)

    async def catch_up(self) -> int:
        """Makes all that is missing, the latest first, until nothing is; returns how many vectors were made."""
        done = 0
        while missing := await self._next.missing():
            for _, of_kind in groupby(missing, key=lambda row: row[0].kind):
                rows = list(of_kind)
                for start in range(0, len(rows), BATCH):
                    done += await self._fill(rows[start : start + BATCH])
        while ids := await self._next.without_tokens(BATCH):
            await self._fill_tokens(ids)
        await self._next.complete()
        return done

    async def _fill(self, rows: Sequence[tuple[Scope, int]]) -> int:
        """Rows of one kind. Those that have gone meanwhile are passed over."""
        async with self._next.filling():
            texts = await self._texts(rows[0][0].kind, [row_id for _, row_id in rows])
            there = [(scope, row_id) for scope, row_id in rows if row_id in texts]
            vectors = await self._encoder.encode([texts[row_id] for _, row_id in there])
            for scope, chosen in positions_of(scope for scope, _ in there).items():
                await self._next.upsert(scope, [there[at][1] for at in chosen], vectors[chosen])
        return len(there)

    async def _texts(self, kind: VectorKind, ids: Sequence[int]) -> dict[int, str]:
        """Row id → the text that it is found by."""
        if kind is VectorKind.EVENT:
            events = await self._events.get(ids)
            return {event.id: event_text(event) for event in events}
        if kind is VectorKind.TRAIT:
            return await self._next.trait_texts(ids)
        return {one.id: passage_key(one.utterance.text) for one in await self._passages.get(ids)}

    async def _fill_tokens(self, ids: Sequence[int]) -> None:
        await self._next.put_tokens(await tokens_of(self._encoder, await self._passages.get(ids)))
