"""`lab bench turn`: what one turn costs besides the model, with few and with many memories of one person.

The memories are made up from a word list with a fixed seed and written straight into the tables, each a session of two
utterances with its event. Everything that is measured is real: SQLite, Chroma, the encoder, the topics, the prompt.
The model is a scripted one that answers at once; its time is taken off all the same (`lab bench engine`
measures a real one).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import Settings
from bot.conversation.turn import Turn
from bot.domain import AGENT_ID, Place, PlaceKind, Speaker, Utterance
from bot.llm.scripted import ScriptedChatModel
from bot.storage.engine.database import Database, open_database
from bot.storage.shared import tables
from lab.silent import SilentMessenger

PLACE = Place("bench", PlaceKind.DM, "ann")
ANN = Speaker("bench:ann", "Ann")
AGENT = Speaker(AGENT_ID, "Monica")
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SEED = 7
TRAITS = 50
WARM_UP_TURNS = 5
MODEL_STAGE = "model"

SUBJECTS = "sister brother neighbour boss friend daughter son teacher doctor cousin uncle colleague".split()
VERBS = "bought sold painted repaired lost found visited cleaned planned cancelled enjoyed missed".split()
THINGS = "car garden kitchen guitar bicycle roof boat camera novel recipe sofa ticket lamp piano tent puppy".split()
PLACES = "Leeds Oslo Lisbon market museum harbour school library forest station clinic stadium island".split()
TIMES = "monday tuesday spring summer autumn winter christmas easter birthday weekend holiday evening".split()
NOUNS = frozenset(word.lower() for word in (*SUBJECTS, *THINGS, *PLACES, *TIMES))


@dataclass(frozen=True, slots=True)
class TurnRow:
    """Milliseconds of one turn without the model, with `memories` of one person."""

    memories: int
    turns: int
    p50: float
    p95: float
    stages: dict[str, tuple[float, float]]
    """Stage → (p50, p95)."""


async def run(settings: Settings, sizes: list[int], turns: int) -> int:
    """Measures and prints the table."""
    console = Console(highlight=False, width=120)
    console.print(turn_table([await measure(settings, size, turns) for size in sizes]))
    return 0


async def measure(settings: Settings, memories: int, turns: int) -> TurnRow:
    """Milliseconds of `turns` turns in a fresh folder with `memories` events of one person."""
    with TemporaryDirectory(prefix="hello-again-bench-") as folder:
        settings = settings.at_home().in_folder(Path(folder))
        database = await open_database(settings.database_url)
        try:
            await _fill(database, memories)
        finally:
            await database.aclose()
        seen: list[Turn] = []
        model = ScriptedChatModel("I remember that well, and I am glad that you told me about it.")
        async with open_app(
            settings,
            clock=ManualClock(NOW),
            messengers={PLACE.platform: SilentMessenger()},
            model=model,
            on_turn=seen.append,
        ) as app:
            await app.indexer.catch_up()
            walls = [await _one(app, sentence, number) for number, sentence in enumerate(_sentences(turns, SEED + 1))]
    return _row(memories, walls[WARM_UP_TURNS:], seen[WARM_UP_TURNS:])


async def _one(app: App, sentence: str, number: int) -> float:
    """Milliseconds from handing over a message until its reply is sent."""
    message = Utterance(PLACE, f"q{number}", ANN, f"Do you remember? {sentence}", NOW + timedelta(seconds=number))
    start = perf_counter()
    await app.receive(message)
    await app.idle()
    return (perf_counter() - start) * 1000


def _row(memories: int, walls: list[float], turns: list[Turn]) -> TurnRow:
    rests = [wall - turn.stages_ms[MODEL_STAGE] for wall, turn in zip(walls, turns, strict=True)]
    stages = [name for name in turns[0].stages_ms if name != MODEL_STAGE]
    spans = {name: [turn.stages_ms[name] for turn in turns] for name in stages}
    # What is not in a stage: the inbox row, and the way through the queue.
    spans["inbox"] = [
        rest - sum(turn.stages_ms[name] for name in stages) for rest, turn in zip(rests, turns, strict=True)
    ]
    return TurnRow(
        memories, len(rests), median(rests), _p95(rests), {name: (median(ms), _p95(ms)) for name, ms in spans.items()}
    )


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


def _sentences(number: int, seed: int) -> list[str]:
    """Made-up sentences, the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    return [
        f"My {dice.choice(SUBJECTS)} {dice.choice(VERBS)} a {dice.choice(THINGS)} in {dice.choice(PLACES)} "
        f"before {dice.choice(TIMES)}, with {dice.choice(THINGS)} number {dice.randrange(1000)}."
        for _ in range(number)
    ]


async def _fill(database: Database, memories: int) -> None:
    """Writes `memories` past sessions of two utterances with their events, and some traits, not indexed yet."""
    numbers = range(1, memories + 1)
    times = [NOW - timedelta(days=1, hours=6 * (memories - number)) for number in numbers]
    numbered = list(zip(numbers, times, _sentences(memories, SEED), strict=True))
    place = {"key": PLACE.key, "platform": PLACE.platform, "kind": PLACE.kind.value, "ref": PLACE.ref}
    session = {"place_key": PLACE.key, "words": 20, "state": "closed"}
    event = {"place_key": PLACE.key, "indexed": False}
    trait = {"speaker_id": ANN.id, "place_key": PLACE.key, "since": NOW, "indexed": False}
    traits = list(enumerate(_sentences(TRAITS, SEED + 2), start=1))
    rows: list[tuple[Any, Sequence[Mapping[str, Any]]]] = [
        (tables.places, [place]),
        (tables.speakers, [{"id": one.id, "name": one.name, "number": n} for n, one in enumerate((ANN, AGENT), 1)]),
        (tables.sessions, [session | {"id": n, "started": time, "last": time} for n, time, _ in numbered]),
        (tables.utterances, [_said(n, time, text, speaker) for n, time, text in numbered for speaker in (ANN, AGENT)]),
        (
            tables.events,
            [event | {"id": n, "session_id": n, "summary": f"Ann: {text}", "time": time} for n, time, text in numbered],
        ),
        (tables.event_topics, [{"event_id": n, "noun": noun} for n, _, text in numbered for noun in _nouns(text)]),
        (tables.event_sources, [{"event_id": n, "position": 0, "utterance_id": 2 * n - 1} for n in numbers]),
        (tables.event_speakers, [{"event_id": n, "speaker_id": s} for n in numbers for s in (ANN.id, AGENT_ID)]),
        (tables.traits, [trait | {"id": n, "text": text} for n, text in traits]),
        (tables.trait_sources, [{"trait_id": n, "position": 0, "utterance_id": 1} for n, _ in traits]),
    ]
    async with database.writing() as connection:
        for table, values in rows:
            await connection.execute(table.insert(), values)


def _said(number: int, time: datetime, text: str, speaker: Speaker) -> dict[str, Any]:
    """One of the two utterances of session `number`: what the person said, or the agent's answer."""
    position = int(speaker is AGENT)
    row_id = 2 * number - 1 + position
    return {
        "id": row_id,
        "place_key": PLACE.key,
        "platform": PLACE.platform,
        "message_id": f"m{row_id}",
        "speaker_id": speaker.id,
        "speaker_name": speaker.name,
        "text": "I see. Tell me more?" if position else text,
        "time": time,
        "to_bot": not position,
        "session_id": number,
        "position": position,
    }


def _nouns(text: str) -> frozenset[str]:
    return NOUNS & {word.strip(",.").lower() for word in text.split()}


def turn_table(rows: list[TurnRow]) -> Table:
    """The figures as a table."""
    table = Table(title="One turn without the model, milliseconds: p50 / p95", title_justify="left")
    table.add_column("memories", justify="right")
    table.add_column("whole turn", justify="right")
    stages = list(rows[0].stages)
    for name in stages:
        table.add_column(name, justify="right")
    for row in rows:
        cells = (f"{row.stages[name][0]:.1f} / {row.stages[name][1]:.1f}" for name in stages)
        table.add_row(f"{row.memories:,}", f"{row.p50:.1f} / {row.p95:.1f}", *cells)
    return table
