"""The dialogue-context retriever's way of finding keys: spans of past dialogue like the end of the current one.

The query is the last one, two or three utterances; keys are spans of as many that end with the same speaker; both are
encoded as one text each. Vectors of single utterances are stored; longer spans are encoded when they may be among the
best: the 64 whose utterances match best one by one (ours; the paper encodes all).
"""

from collections import OrderedDict
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from bot.memory.fragments import Key, best_first, key_scores
from bot.memory.passage_shelf import Floats, PassageShelf
from bot.memory.query import Query
from bot.ports import Encoder, Passages

PROMISING = 64
"""Longer spans that are encoded for one query."""

CACHED_SPANS = 4096
"""Vectors of longer spans that are kept in memory."""


class KeyNext:
    """Finds keys."""

    def __init__(self, *, encoder: Encoder, passages: Passages) -> None:
        self._encoder = encoder
        self._passages = passages
        self._spans: OrderedDict[tuple[int, ...], Floats] = OrderedDict()

    async def keys(self, shelf: PassageShelf, query: Query, length: str, number: int) -> list[Key]:
        """The `number` most similar keys, best first. `length`: 1, 2, 3, or 1+2+3 (keys of all three lengths).

        Keys are as long as the query, which is shorter where a conversation has just begun.
        """
        lengths = sorted({min(int(part), len(query.before) + 1) for part in length.split("+")})
        found = [key for one in lengths for key in await self._of_length(shelf, query, one, number)]
        return sorted(found, key=lambda key: -key.score)[:number]

    async def _of_length(self, shelf: PassageShelf, query: Query, length: int, number: int) -> list[Key]:
        if not len(shelf) or not shelf.vectors.shape[1]:
            return []
        single = np.asarray(shelf.vectors @ query.vector, dtype=np.float32)
        if length == 1:
            scores = key_scores(shelf, single, 1, query.speaker_id)
            return [Key((int(at),), float(scores[at])) for at in best_first(scores, number)]
        together = single + sum(shelf.shifted(single, -back) for back in range(1, length))
        promising = best_first(key_scores(shelf, together, length, query.speaker_id), min(PROMISING, number))
        spans = [tuple(shelf.in_session_of(int(at), length - 1, 0).tolist()) for at in promising]
        if not spans:
            return []
        asked = (await self._encoder.encode([" ".join([*query.before, query.text][-length:])]))[0]
        vectors = await self._vectors(shelf, spans)
        return [Key(span, float(cosine)) for span, cosine in zip(spans, vectors @ asked, strict=True)]

    async def _vectors(self, shelf: PassageShelf, spans: list[tuple[int, ...]]) -> NDArray[np.float32]:
        """The vector of each span, shape (n, dimension)."""
        names = [tuple(shelf.ids[list(span)].tolist()) for span in spans]
        known = {name: self._spans[name] for name in names if name in self._spans}
        for name in known:
            self._spans.move_to_end(name)
        missing = [name for name in dict.fromkeys(names) if name not in known]
        if missing:
            wanted = sorted({passage_id for name in missing for passage_id in name})
            texts = {one.id: one.utterance.text for one in await self._passages.get(wanted)}
            joined = [" ".join(texts.get(passage_id, "") for passage_id in name) for name in missing]
            known.update(zip(missing, await self._encoder.encode(joined), strict=True))
            self._spans.update(known)
        while len(self._spans) > CACHED_SPANS:
            self._spans.popitem(last=False)
        return np.stack([known[name] for name in names])

    def forget(self, passages: Collection[int]) -> None:
        """Drops what is kept in memory of these passages, which have been erased."""
        gone = set(passages)
        for name in [name for name in self._spans if not gone.isdisjoint(name)]:
            del self._spans[name]
