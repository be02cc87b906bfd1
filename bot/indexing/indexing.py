"""Brings the vector index up to the tables: the one way in which vectors are made."""

import asyncio
import re
from collections.abc import Iterable, Sequence

import numpy as np

from bot.domain import Event, Passage, Place, Scope, Trait, VectorKind, grouped
from bot.language.lexicon import FUNCTION_WORDS
from bot.language.speakers import without_number
from bot.ports import Encoder, Events, Passages, PassageTokens, TokenVectors, Traits, VectorIndex

BATCH = 64
"""How many vectors are made at once. Others who remove some wait for one batch at most."""

LONGEST_KEY = 2000
"""Characters of a passage that are embedded; an encoder reads no more than the first hundreds of words."""

LARGEST = 127
"""The largest number of eight bits with a sign."""

_NAME_TAG = re.compile(
    r"(?P<before>^|[.!?…][\"'”’)\]]?\s+|\n[^\S\n]*)"
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


def passage_key(text: str) -> str:
    """The text a passage is found by: its words, without the name of who said them; a long one's beginning."""
    return text[:LONGEST_KEY]


class Indexer:
    """Embeds what is not in the index yet: after every new event, trait or passage, and after the index was lost."""

    def __init__(
        self, *, events: Events, traits: Traits, passages: Passages, index: VectorIndex, encoder: Encoder
    ) -> None:
        self._stores: dict[VectorKind, Events | Traits | Passages]
        self._stores = {VectorKind.EVENT: events, VectorKind.TRAIT: traits, VectorKind.PASSAGE: passages}
        self._passages = passages
        self._index = index
        self._encoder = encoder
        self._lock = asyncio.Lock()
        """Held from the moment that rows are read until their vectors are in the index, or while some are removed."""
        self._wanted = False
        """Whether somebody has asked for passages since their making was begun."""
        self._memories, self._words = asyncio.Lock(), asyncio.Lock()
        """Held by whoever makes all that is missing: of events and traits, and of passages, which can take long."""

    async def catch_up(self, *, passages: bool = True) -> int:
        """Embeds and indexes all that is missing; returns how many vectors were made.

        Events and traits come first. Without `passages` only they: for somebody who waits. Who is making those of
        passages already makes the new ones, too.
        """
        done = 0
        async with self._memories:
            while batch := await self._next(VectorKind.EVENT) or await self._next(VectorKind.TRAIT):
                done += batch
        if passages:
            self._wanted = True
            if not self._words.locked():
                async with self._words:
                    done += await self._all_passages()
        return done

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        """Removes vectors, but not between another's embedding and writing of them. Raises IndexUnusable."""
        async with self._lock:
            await self._index.remove(scope, ids)

    async def expunge(self, chosen: Sequence[tuple[Scope, Sequence[int]]]) -> None:
        """Removes vectors and all that is left of them on disk, as `remove` does. Raises IndexUnusable."""
        async with self._lock:
            await self._index.expunge(chosen)

    async def _next(self, kind: VectorKind) -> int:
        """Embeds and indexes the next ones of a kind; returns how many."""
        store = self._stores[kind]
        async with self._lock:
            if not (rows := await store.unindexed(BATCH)):
                return 0
            vectors = await self._encoder.encode([_text_of(one) for one in rows])
            for scope, chosen in grouped((Scope(kind, _place_of(rows[at]).key), at) for at in range(len(rows))).items():
                await self._index.upsert(scope, [rows[at].id for at in chosen], vectors[chosen])
            await store.mark_indexed([one.id for one in rows])
        return len(rows)

    async def _all_passages(self) -> int:
        done = 0
        while self._wanted:
            self._wanted = False
            while batch := await self._next(VectorKind.PASSAGE) or await self._next_tokens():
                done += batch
        return done

    async def _next_tokens(self) -> int:
        """Makes token vectors; not of words that say nothing, nor of punctuation."""
        found = await self._passages.without_tokens(BATCH)
        await self._passages.put_tokens(await tokens_of(self._encoder, found))
        return len(found)


def _text_of(row: Event | Trait | Passage) -> str:
    """What a row is found by."""
    if isinstance(row, Event):
        return event_text(row)
    return row.text if isinstance(row, Trait) else passage_key(row.utterance.text)


def _place_of(row: Event | Trait | Passage) -> Place:
    return row.utterance.place if isinstance(row, Passage) else row.place


async def tokens_of(encoder: Encoder, passages: Sequence[Passage]) -> list[PassageTokens]:
    """The token vectors of passages as they are stored."""
    found = await encoder.encode_tokens([passage_key(one.utterance.text) for one in passages])
    return [in_eight_bits(one.id, of) for one, of in zip(passages, found, strict=True)]


def in_eight_bits(passage_id: int, tokens: TokenVectors) -> PassageTokens:
    """The token vectors of a passage as they are stored: a quarter of the size, and as good."""
    telling = [at for at, word in enumerate(tokens.words) if word.isalnum() and word not in FUNCTION_WORDS]
    rows = tokens.vectors[telling or [*range(len(tokens.words))][:1]]
    scale = float(np.abs(rows).max()) / LARGEST if rows.size else 1.0
    return PassageTokens(passage_id, np.round(rows / (scale or 1.0)).astype(np.int8), scale or 1.0)


def event_text(event: Event) -> str:
    """The text an event is found by."""
    return event_key(event.summary, [name for _, name in event.names])
