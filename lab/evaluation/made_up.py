"""A store with very many made-up memories, written straight into the tables: for the time that an erasure takes."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Table

from bot.domain import AGENT_ID, Place, PlaceKind, Scope, Speaker, VectorKind
from bot.storage.engine.database import Database
from bot.storage.shared import recall_tables, tables

PLATFORM = "made-up"
START = datetime(2024, 1, 1, tzinfo=UTC)
EACH = 100
"""Memories of one person."""

IN_CHANNEL = 4
"""One memory in so many was made in the one channel that all share; the others in a DM."""

SHARE = 20
"""Of so many memories one is the person's who is erased."""

TOKENS, TOKEN_BYTES = 8, 128
"""Telling words of an utterance, and the bytes of each one's vector."""

ROWS = 2000
"""How many memories are written at once."""

WORDS = (
    "garden kitchen guitar bicycle roof boat camera novel recipe sofa ticket lamp piano tent puppy market museum "
    "harbour school library forest station clinic stadium island monday summer winter birthday holiday evening".split()
)

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Memory:
    """One session of two utterances, its event and their passages; every tenth has a trait of the same number."""

    number: int
    speaker: Speaker
    place: Place
    text: str

    @property
    def has_trait(self) -> bool:
        """Whether a trait was learnt in it."""
        return self.number % 10 == 0


class MadeUp:
    """`count` memories of one for each hundred people, the same for the same count."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.person = _person(0)

    def memories(self) -> Iterator[Memory]:
        """All of them, numbered from 1."""
        dice = random.Random(self.count)  # noqa: S311 - repeatable, not secret
        people = max(2, self.count // EACH)
        channel = Place(PLATFORM, PlaceKind.CHANNEL, "server/hall")
        for number in range(1, self.count + 1):
            speaker = self.person if number % SHARE == 0 else _person(1 + number % (people - 1))
            dm = Place(PLATFORM, PlaceKind.DM, speaker.id.partition(":")[2])
            words = " ".join(dice.choices(WORDS, k=12))
            text = f"I told you about {words}, number {dice.getrandbits(64):x}."
            yield Memory(number, speaker, channel if dice.randrange(IN_CHANNEL) == 0 else dm, text)

    def scopes(self) -> dict[Scope, list[int]]:
        """The ids of the vectors that belong to the rows."""
        found: defaultdict[Scope, list[int]] = defaultdict(list)
        for memory in self.memories():
            found[Scope(VectorKind.EVENT, memory.place.key)].append(memory.number)
            if memory.has_trait:
                found[Scope(VectorKind.TRAIT, memory.place.key)].append(memory.number)
            found[Scope(VectorKind.PASSAGE, memory.place.key)] += _utterances(memory)
        return dict(found)

    async def write(self, database: Database) -> None:
        """Writes all rows into an empty database, as indexed."""
        every = list(self.memories())
        speakers = {memory.speaker.id: memory.speaker for memory in every}
        places = {memory.place.key: memory.place for memory in every}
        named = [{"id": AGENT_ID, "name": "Monica", "number": 1}]
        named += [{"id": one.id, "name": one.name, "number": n} for n, one in enumerate(speakers.values(), start=2)]
        async with database.writing() as connection:
            await connection.execute(tables.places.insert(), [_place(place) for place in places.values()])
            await connection.execute(tables.speakers.insert(), named)
        for start in range(0, len(every), ROWS):
            some = every[start : start + ROWS]
            async with database.writing() as connection:
                for table, rows in _rows(some):
                    if rows:
                        await connection.execute(table.insert(), rows)


def _person(number: int) -> Speaker:
    return Speaker(f"{PLATFORM}:p{number}", f"Person {number}")


def _place(place: Place) -> Mapping[str, Any]:
    return {
        "key": place.key,
        "platform": place.platform,
        "kind": place.kind.value,
        "ref": place.ref,
        "server": place.server,
    }


def _rows(memories: Sequence[Memory]) -> list[tuple[Table, Rows]]:
    """The rows of some memories, table by table in the order in which they can be written."""
    numbered = [(memory, START + timedelta(hours=memory.number)) for memory in memories]
    events: Rows = [_event(memory, time) for memory, time in numbered]
    taught = [(memory, time) for memory, time in numbered if memory.has_trait]
    return [
        (tables.sessions, [_session(memory, time) for memory, time in numbered]),
        (tables.utterances, [_said(memory, time, by_agent) for memory, time in numbered for by_agent in (False, True)]),
        (tables.answers, [{"utterance_id": 2 * m.number - 1, "reply_id": 2 * m.number} for m in memories]),
        (tables.events, events),
        (tables.event_topics, [{"event_id": m.number, "noun": noun} for m in memories for noun in _nouns(m.text)]),
        (
            tables.event_sources,
            [{"event_id": m.number, "position": 0, "utterance_id": 2 * m.number - 1} for m in memories],
        ),
        (
            tables.event_speakers,
            [{"event_id": m.number, "speaker_id": who} for m in memories for who in (m.speaker.id, AGENT_ID)],
        ),
        (recall_tables.passages, [_passage(memory, said) for memory in memories for said in _utterances(memory)]),
        (recall_tables.passage_tokens, [_tokens(said) for memory in memories for said in _utterances(memory)]),
        (tables.traits, [_trait(memory, time) for memory, time in taught]),
        (
            tables.trait_sources,
            [{"trait_id": m.number, "position": 0, "utterance_id": 2 * m.number - 1} for m, _ in taught],
        ),
    ]


def _session(memory: Memory, time: datetime) -> dict[str, Any]:
    place = memory.place.key
    return {"id": memory.number, "place_key": place, "started": time, "last": time, "words": 30, "state": "closed"}


def _said(memory: Memory, time: datetime, by_agent: bool) -> dict[str, Any]:
    """What the person said, or the companion's answer."""
    row_id = 2 * memory.number - 1 + by_agent
    return {
        "id": row_id,
        "place_key": memory.place.key,
        "platform": PLATFORM,
        "message_id": f"m{row_id}",
        "speaker_id": AGENT_ID if by_agent else memory.speaker.id,
        "speaker_name": "Monica" if by_agent else memory.speaker.name,
        "text": f"You said: {memory.text}" if by_agent else memory.text,
        "time": time,
        "to_bot": not by_agent,
        "session_id": memory.number,
        "position": int(by_agent),
    }


def _utterances(memory: Memory) -> tuple[int, int]:
    """The ids of what was said in it, and of the passages that this became."""
    return 2 * memory.number - 1, 2 * memory.number


def _passage(memory: Memory, said: int) -> dict[str, Any]:
    row = {"id": said, "utterance_id": said, "session_id": memory.number, "place_key": memory.place.key}
    return row | {"indexed": True, "has_tokens": True}


def _tokens(said: int) -> dict[str, Any]:
    """Random vectors of the telling words of an utterance, the same for the same one."""
    vectors = np.random.default_rng(said).bytes(TOKENS * TOKEN_BYTES)
    return {"passage_id": said, "count": TOKENS, "scale": 0.01, "vectors": vectors}


def _event(memory: Memory, time: datetime) -> dict[str, Any]:
    summary = f"{memory.speaker.name}: {memory.text}"
    row = {"id": memory.number, "session_id": memory.number, "place_key": memory.place.key, "summary": summary}
    return row | {"time": time, "indexed": True}


def _trait(memory: Memory, time: datetime) -> dict[str, Any]:
    row = {"id": memory.number, "speaker_id": memory.speaker.id, "place_key": memory.place.key, "text": memory.text}
    return row | {"since": time, "indexed": True}


def _nouns(text: str) -> set[str]:
    return {word for word in text.replace(",", "").split() if word in WORDS}
