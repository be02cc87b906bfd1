"""Very many made-up utterances of many people, written straight into the tables and the index: for timing recall.

Everybody talks in a DM of their own, in sessions of SESSION utterances with an event each; every third event is linked
with the next. Words are made of syllables and come as often as words of a language do (Zipf), between real English
function words. A vector is the sum of its words' random directions: texts that share rare words are near each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Table

from bot.config import Settings
from bot.domain import AGENT_ID, Place, PlaceKind, Relation, Scope, Speaker, VectorKind
from bot.ports import TokenVectors, VectorIndex, Vectors
from bot.storage.engine.database import Database, open_database
from bot.storage.memory.events import count_up
from bot.storage.shared import recall_tables, tables
from bot.storage.stores import open_stores

PLATFORM = "made-up"
START = datetime(2021, 1, 1, tzinfo=UTC)
YEARS = timedelta(days=5 * 365)
END = START + YEARS
SESSION = 20
"""Utterances of one session."""
WORDS = 20_000
SHORTEST, LONGEST = 5, 40
"""Words of an utterance."""
DIMENSION = 384
TOKEN_DIMENSION = 128
LARGEST = 127
"""Of eight bits."""
FIRST_PERSON = 10_000
"""Utterances of the first person, where there are enough for all: the same whoever else is there."""
BATCH = 20_000
"""Rows of a transaction, about."""
AT_ONCE = 500
"""Utterances whose words' directions are in memory together."""
LITTLE = 0.15
"""How far an utterance is from the sum of its words."""

FUNCTION_WORDS = (
    "i you he she it we they the a an and but or so to of in on at for with my your his her our their is was are were"
    " have had has do did not no yes that this what when where who how why just really very me him them from about"
).split()
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in ("a", "e", "i", "o", "u", "ar", "en")]

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is: utterances of all people, people, and questions that are timed."""

    utterances: int
    people: int
    queries: int = 200
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Sentences:
    """Utterances. `vectors` has shape (len(texts), DIMENSION); `tokens`: the telling words' vectors in eight bits."""

    texts: list[str]
    vectors: Vectors
    tokens: list[bytes]


class MadeUpWords:
    """The words, how often each comes, and the direction of each. The same for the same seed."""

    def __init__(self, seed: int) -> None:
        dice = np.random.default_rng(seed)
        syllables = np.array(SYLLABLES)[dice.integers(len(SYLLABLES), size=(WORDS, 3))]
        made = dict.fromkeys("".join(three) for three in syllables)
        self._words = np.array([*FUNCTION_WORDS, *made], dtype=object)
        few = len(FUNCTION_WORDS)
        often = np.concatenate([np.full(few, 0.45 / few), 0.55 * _zipf(len(made))])
        self._until = np.cumsum(often) / often.sum()
        weight = np.concatenate([np.full(few, 0.15), np.ones(len(made))])[:, None]
        self._directions = (dice.normal(size=(len(self._words), DIMENSION)) * weight).astype(np.float32)
        self._tokens = _unit(dice.standard_normal(size=(len(self._words), TOKEN_DIMENSION), dtype=np.float32))
        self.scale = float(np.abs(self._tokens).max()) / LARGEST
        self._in_eight_bits = np.round(self._tokens / self.scale).astype(np.int8)
        self._numbers = {word: number for number, word in enumerate(self._words)}

    def sentences(self, dice: np.random.Generator, count: int) -> Sentences:
        """So many utterances with their vectors."""
        lengths = dice.integers(SHORTEST, LONGEST + 1, size=count)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        numbers = np.minimum(np.searchsorted(self._until, dice.random(int(lengths.sum()))), len(self._words) - 1)
        words = self._words[numbers]
        texts = [" ".join(words[start : start + length]) for start, length in zip(starts, lengths, strict=True)]
        vectors = np.empty((count, DIMENSION), np.float32)
        for first in range(0, count, AT_ONCE):
            chosen = starts[first : first + AT_ONCE]
            until = starts[first + AT_ONCE] if first + AT_ONCE < count else len(numbers)
            sums = np.add.reduceat(self._directions[numbers[chosen[0] : until]], chosen - chosen[0], axis=0)
            noise = dice.standard_normal(size=sums.shape, dtype=np.float32)
            vectors[first : first + AT_ONCE] = _unit(_unit(sums) + LITTLE * _unit(noise))
        telling = [one[one >= len(FUNCTION_WORDS)] for one in np.split(numbers, starts[1:])]
        return Sentences(texts, vectors, [self._in_eight_bits[one].tobytes() for one in telling])

    def question(self, dice: np.random.Generator, text: str) -> str:
        """A question on an utterance: some of its rarer words."""
        rare = [word for word in text.split() if word not in FUNCTION_WORDS] or text.split()
        asked = dice.choice(rare, size=min(4, len(rare)), replace=False)
        return f"What did I say about {' '.join(asked)}?"

    def tokens(self, text: str) -> TokenVectors:
        """Every word is a token, with the same direction everywhere; one that is not known has the first one's."""
        words = tuple(text.lower().strip("?").split())
        return TokenVectors(words, self._tokens[[self._numbers.get(word, 0) for word in words]])

    def vector(self, text: str) -> NDArray[np.float32]:
        """The direction of a text, shape (DIMENSION,); of one without a known word that of the first word."""
        numbers = [self._numbers[word] for word in text.lower().strip("?").split() if word in self._numbers] or [0]
        direction: NDArray[np.float32] = _unit(self._directions[numbers].sum(axis=0, keepdims=True))[0]
        return direction


class MadeUpEncoder:
    """An encoder that takes no time: what is measured with it is everything else."""

    def __init__(self, words: MadeUpWords) -> None:
        self._words = words

    @property
    def fingerprint(self) -> str:
        """The same for all seeds: nothing of it outlives a benchmark."""
        return f"{DIMENSION}-made-up"

    @property
    def dimension(self) -> int:
        """That of all-MiniLM-L6-v2."""
        return DIMENSION

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text, shape (len(texts), DIMENSION)."""
        return np.asarray([self._words.vector(text) for text in texts], np.float32).reshape(-1, DIMENSION)

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """The tokens of each text, in TOKEN_DIMENSION dimensions."""
        return [self._words.tokens(text) for text in texts]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, the first of their utterances by id, and how many they are. Their sessions are numbered alike."""

    number: int
    first: int
    first_session: int
    utterances: int

    @property
    def speaker(self) -> Speaker:
        """Who they are."""
        return Speaker(f"{PLATFORM}:p{self.number}", f"Person {self.number}")

    @property
    def place(self) -> Place:
        """Their DM."""
        return Place(PLATFORM, PlaceKind.DM, f"p{self.number}")

    @property
    def sessions(self) -> int:
        """How many sessions they had."""
        return -(-self.utterances // SESSION)


@dataclass(frozen=True, slots=True)
class Said:
    """All that one person said, in order. `scale`: of the tokens' vectors."""

    person: Person
    sentences: Sentences
    scale: float


def people(size: Size) -> list[Person]:
    """The people who share the utterances, each with one at least; the first has FIRST_PERSON or half of all."""
    dice = np.random.default_rng(size.seed)
    most = size.utterances if size.people == 1 else min(FIRST_PERSON, size.utterances // 2)
    weights = dice.uniform(0.25, 1.75, size=size.people - 1)
    shares = np.maximum(1, (weights / max(weights.sum(), 1.0) * (size.utterances - most)).astype(int)).tolist()
    found: list[Person] = []
    first, session = 1, 1
    for number, share in enumerate([most, *shares]):
        found.append(Person(number, first, session, share))
        first, session = first + share, session + found[-1].sessions
    return found


def said_by(person: Person, words: MadeUpWords, seed: int) -> Said:
    """What a person said; the same for the same person and seed, whoever else is there."""
    dice = np.random.default_rng([seed, person.number])
    return Said(person, words.sentences(dice, person.utterances), words.scale)


def fill(settings: Settings, size: Size) -> None:
    """Writes the made-up people into the data folder of the settings; blocks."""
    asyncio.run(_fill(settings, size))


async def _fill(settings: Settings, size: Size) -> None:
    words = MadeUpWords(size.seed)
    everybody = people(size)
    async with open_stores(settings, MadeUpEncoder(words).fingerprint) as stores:
        database = await open_database(settings.database_url)
        try:
            await write((said_by(person, words, size.seed) for person in everybody), database, stores.index)
        finally:
            await database.aclose()


async def write(said: Iterator[Said], database: Database, index: VectorIndex) -> None:
    """Writes rows and vectors into an empty store, all as indexed."""
    async with database.writing() as connection:
        await connection.execute(tables.speakers.insert(), [{"id": AGENT_ID, "name": "Monica", "number": 1}])
    waiting: list[Said] = []
    for one in said:
        waiting.append(one)
        if sum(len(other.sentences.texts) for other in waiting) >= BATCH:
            await _write(waiting, database, index)
            waiting = []
    await _write(waiting, database, index)


async def _write(some: Sequence[Said], database: Database, index: VectorIndex) -> None:
    if not some:
        return
    rows = await asyncio.to_thread(lambda: [part for one in some for part in _rows(one)])
    async with database.writing() as connection:
        for table in dict.fromkeys(table for table, _ in rows):
            values = [row for other, part in rows if other is table for row in part]
            if values:
                await connection.execute(table.insert(), values)
    for one in some:
        key, person, vectors = one.person.place.key, one.person, one.sentences.vectors
        events = vectors[::SESSION]
        await index.upsert(Scope(VectorKind.PASSAGE, key), _ids(person.first, person.utterances), vectors)
        await index.upsert(Scope(VectorKind.EVENT, key), _ids(person.first_session, person.sessions), events)


async def change_of_others(database: Database) -> None:
    """Counts as a change of what may be used somewhere, as every event, link and erasure of somebody else does."""
    async with database.writing() as connection:
        await count_up(connection)


def _rows(said: Said) -> list[tuple[Table, Rows]]:
    """The rows of one person, table by table in the order in which they can be written."""
    person, place = said.person, said.person.place
    sessions = range(person.first_session, person.first_session + person.sessions)
    times = {number: _time(number - person.first_session, person.sessions) for number in sessions}
    session = {"place_key": place.key, "words": 400, "state": "closed"}
    sources: Rows = []
    utterances: Rows = []
    for offset, text in enumerate(said.sentences.texts):
        number, position = person.first_session + offset // SESSION, offset % SESSION
        utterances.append(_utterance(said, offset, text, number, times[number] + position * timedelta(seconds=30)))
        sources.append({"event_id": number, "position": position, "utterance_id": person.first + offset})
    return [
        (tables.places, [{"key": place.key, "platform": PLATFORM, "kind": place.kind.value, "ref": place.ref}]),
        (tables.speakers, [{"id": person.speaker.id, "name": person.speaker.name, "number": person.number + 2}]),
        (tables.sessions, [session | {"id": n, "started": time, "last": time} for n, time in times.items()]),
        (tables.utterances, utterances),
        (recall_tables.passages, [_passage(row) for row in utterances]),
        (recall_tables.passage_tokens, [_token_row(said, row) for row in enumerate(said.sentences.tokens)]),
        (tables.events, [_event(said, number, time) for number, time in times.items()]),
        (tables.event_topics, [row for number in sessions for row in _topics(said, number)]),
        (tables.event_sources, sources),
        (tables.event_speakers, [{"event_id": number, "speaker_id": person.speaker.id} for number in sessions]),
        (recall_tables.edges, [_edge(number) for number in sessions[:-1] if number % 3 == 0]),
    ]


def _utterance(said: Said, offset: int, text: str, session: int, time: datetime) -> dict[str, Any]:
    person = said.person
    return {
        "id": person.first + offset,
        "place_key": person.place.key,
        "platform": PLATFORM,
        "message_id": f"m{person.first + offset}",
        "speaker_id": person.speaker.id,
        "speaker_name": person.speaker.name,
        "text": text,
        "time": time,
        "to_bot": False,
        "session_id": session,
        "position": offset % SESSION,
    }


def _passage(said: Mapping[str, Any]) -> dict[str, Any]:
    """The passage of an utterance, with the same id."""
    row = {"id": said["id"], "utterance_id": said["id"], "session_id": said["session_id"]}
    return row | {"place_key": said["place_key"], "indexed": True, "has_tokens": True}


def _token_row(said: Said, numbered: tuple[int, bytes]) -> dict[str, Any]:
    offset, vectors = numbered
    row = {"passage_id": said.person.first + offset, "count": len(vectors) // TOKEN_DIMENSION}
    return row | {"scale": said.scale, "vectors": vectors}


def _event(said: Said, number: int, time: datetime) -> dict[str, Any]:
    text = said.sentences.texts[(number - said.person.first_session) * SESSION]
    row = {"id": number, "session_id": number, "place_key": said.person.place.key}
    return row | {"summary": f"{said.person.speaker.name}: {text}", "time": time, "indexed": True}


def _topics(said: Said, number: int) -> Rows:
    start = (number - said.person.first_session) * SESSION
    nouns = {
        word for text in said.sentences.texts[start : start + 3] for word in text.split() if word not in FUNCTION_WORDS
    }
    return [{"event_id": number, "noun": noun} for noun in sorted(nouns)[:10]]


def _edge(number: int) -> dict[str, Any]:
    return {"older": number, "newer": number + 1, "relation": Relation.SAME_TOPIC.value}


def _time(position: int, sessions: int) -> datetime:
    return START + YEARS * (position / max(sessions, 1))


def _ids(first: int, count: int) -> list[int]:
    return list(range(first, first + count))


def _zipf(count: int) -> NDArray[np.float64]:
    share = 1.0 / np.arange(10, count + 10, dtype=np.float64)
    total: NDArray[np.float64] = share / share.sum()
    return total


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return scaled
