"""Brings the vector index up to the tables: the one way in which vectors are made."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence

from bot.domain import Event, Scope, Trait, VectorKind
from bot.ports import Encoder, Events, Traits, VectorIndex
from bot.speakers import without_number

BATCH = 64

_NAME_TAG = re.compile(
    r"(?P<before>^|[.!?…][\"'”’)\]]?\s+|\n\s*)"
    r"(?!(?:About|After|Around|At|Before|By|From|On|Since|Till|Until)\s\d)"
    r"(?P<name>[^\W\d_][^\s:]{0,39}(?:\s(?:[^\W\d_][^\s:]{0,39}|\d+)){0,2})"
    r"(?:\s\(\d+\))?:\s"
)
"""One to three words, or a word and a number ("Speaker 1"), where a sentence starts; "At 10: lunch" is a time.

A namesake's number may follow: "Ann (3): ".
"""


def event_key(summary: str, names: Iterable[str] = ()) -> str:
    """The text an event is found by: its summary without the "Name: " tags at the start of its sentences.

    `names` are what the event calls its people (`Event.names`); any other name is known by its upper-case letters.
    Names drown the words in a small encoder: RETRIEVAL measured it for one-word names on LoCoMo turns, not for
    summaries.
    """
    forms = sorted({form for name in names for form in (name, without_number(name)) if form}, key=len, reverse=True)
    known = rf"(?:^|(?<=\s))(?:{'|'.join(map(re.escape, forms))}):\s" if forms else r"(?!)"
    return _NAME_TAG.sub(_without_name, re.sub(known, "", summary)).strip() or summary


def _without_name(tag: re.Match[str]) -> str:
    """What stays of a tag: only what stood before it, or all of it when a word starts with a lower-case letter."""
    is_name = not any(word[0].islower() for word in tag["name"].split())
    return tag["before"] if is_name else tag[0]


class Indexer:
    """Embeds what is not in the index yet: after every new event or trait, and after the index was lost."""

    def __init__(self, *, events: Events, traits: Traits, index: VectorIndex, encoder: Encoder) -> None:
        self._events = events
        self._traits = traits
        self._index = index
        self._encoder = encoder
        self._lock = asyncio.Lock()

    async def catch_up(self) -> int:
        """Embeds and indexes all that is missing; returns how many vectors were made."""
        async with self._lock:
            done = 0
            while events := await self._events.unindexed(BATCH):
                texts = [event_key(event.summary, [name for _, name in event.names]) for event in events]
                done += await self._index_batch(VectorKind.EVENT, events, texts, self._events.mark_indexed)
            while traits := await self._traits.unindexed(BATCH):
                texts = [trait.text for trait in traits]
                done += await self._index_batch(VectorKind.TRAIT, traits, texts, self._traits.mark_indexed)
            return done

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        """Removes vectors, but not between another's embedding and writing of them. Raises IndexUnusable."""
        async with self._lock:
            await self._index.remove(scope, ids)

    async def expunge(self, chosen: Sequence[tuple[Scope, Sequence[int]]]) -> None:
        """Removes vectors and all that is left of them on disk, as `remove` does. Raises IndexUnusable."""
        async with self._lock:
            await self._index.expunge(chosen)

    async def _index_batch(
        self,
        kind: VectorKind,
        rows: Sequence[Event | Trait],
        texts: Sequence[str],
        mark: Callable[[Sequence[int]], Awaitable[None]],
    ) -> int:
        vectors = await self._encoder.encode(texts)
        positions: defaultdict[str, list[int]] = defaultdict(list)
        for position, row in enumerate(rows):
            positions[row.place.key].append(position)
        for place_key, chosen in positions.items():
            await self._index.upsert(Scope(kind, place_key), [rows[at].id for at in chosen], vectors[chosen])
        await mark([row.id for row in rows])
        return len(rows)
