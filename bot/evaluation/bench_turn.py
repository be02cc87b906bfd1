"""`bot bench turn`: what one turn costs besides the model, with few and with many memories of one person.

The memories are made up from a word list with a fixed seed and written straight into the tables, each a session of two
utterances with its event. Everything that is measured is real: SQLite, Chroma, the encoder, the topics, the prompt.
The model is a scripted one that answers at once; its time is taken off all the same.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.app import App, open_app
from bot.clock import ManualClock
from bot.config import Settings
from bot.conversation.turn import Turn
from bot.domain import AGENT_ID, Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.evaluation.bench_engine import measure as measure_engine
from bot.llm.local import load_local_model
from bot.llm.scripted import ScriptedChatModel
from bot.storage import tables
from bot.storage.database import Database, open_database

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


@dataclass(frozen=True, slots=True)
class TurnRow:
    """Milliseconds of one turn without the model, with `memories` of one person."""

    memories: int
    turns: int
    p50: float
    p95: float
    stages: dict[str, tuple[float, float]]
    """Stage → (p50, p95)."""


class _Nowhere:
    """A platform that takes everything and shows nothing."""

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Nothing to show."""
        return nullcontext()

    async def show(self, place: Place, text: str) -> None:
        """Nothing to show."""

    async def send(self, outgoing: Outgoing) -> str:
        """Takes it."""
        return outgoing.nonce


async def run(settings: Settings, sizes: list[int], turns: int, *, with_model: bool) -> int:
    """Measures and prints both tables."""
    console = Console(highlight=False)
    console.print(turn_table([await measure(settings, size, turns) for size in sizes]))
    if with_model:
        await _print_engine(settings, console)
    return 0


async def measure(settings: Settings, memories: int, turns: int) -> TurnRow:
    """Milliseconds of `turns` turns in a fresh folder with `memories` events of one person."""
    with TemporaryDirectory(prefix="hello-again-bench-") as folder:
        storage = settings.storage.model_copy(update={"data_dir": Path(folder), "database_url": ""})
        settings = settings.model_copy(update={"storage": storage})
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
            messengers={PLACE.platform: _Nowhere()},
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
    key = PLACE.key
    sentences = _sentences(memories, SEED)
    times = [NOW - timedelta(days=1, hours=6 * (memories - number)) for number in range(memories)]
    numbered = list(zip(range(1, memories + 1), times, sentences, strict=True))
    said = [
        {
            "id": 2 * number - offset,
            "place_key": key,
            "platform": PLACE.platform,
            "message_id": f"m{2 * number - offset}",
            "speaker_id": speaker.id,
            "speaker_name": speaker.name,
            "text": text if speaker is ANN else "I see. Tell me more?",
            "time": time,
            "to_bot": speaker is ANN,
            "session_id": number,
            "position": 1 - offset,
        }
        for number, time, text in numbered
        for offset, speaker in ((1, ANN), (0, AGENT))
    ]
    events = [
        {
            "id": number,
            "session_id": number,
            "place_key": key,
            "summary": f"Ann: {text}",
            "time": time,
            "indexed": False,
        }
        for number, time, text in numbered
    ]
    nouns = [
        {"event_id": number, "noun": noun}
        for number, _, text in numbered
        for noun in {word.strip(",.").lower() for word in text.split()}
        & {*SUBJECTS, *THINGS, *map(str.lower, PLACES), *TIMES}
    ]
    traits = [
        {"id": number, "speaker_id": ANN.id, "place_key": key, "text": text, "since": NOW, "indexed": False}
        for number, text in enumerate(_sentences(TRAITS, SEED + 2), start=1)
    ]
    place = {"key": key, "platform": PLACE.platform, "kind": PLACE.kind.value, "ref": PLACE.ref}
    sessions = [
        {"id": number, "place_key": key, "started": time, "last": time, "words": 20, "state": "closed"}
        for number, time, _ in numbered
    ]
    rows: list[tuple[Any, Sequence[Mapping[str, Any]]]] = [
        (tables.places, [place]),
        (tables.speakers, [{"id": speaker.id, "name": speaker.name} for speaker in (ANN, AGENT)]),
        (tables.sessions, sessions),
        (tables.utterances, said),
        (tables.events, events),
        (tables.event_topics, nouns),
        (tables.event_sources, [{"event_id": n, "position": 0, "utterance_id": 2 * n - 1} for n, _, _ in numbered]),
        (tables.event_speakers, [{"event_id": n, "speaker_id": s} for n, _, _ in numbered for s in (ANN.id, AGENT_ID)]),
        (tables.traits, traits),
        (tables.trait_sources, [{"trait_id": n, "position": 0, "utterance_id": 1} for n in range(1, TRAITS + 1)]),
    ]
    async with database.writing() as connection:
        for table, values in rows:
            await connection.execute(table.insert(), values)


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


async def _print_engine(settings: Settings, console: Console) -> None:
    model = await load_local_model(settings.model)
    try:
        rows = await measure_engine(model, (1, 8))
        title = f"{model.description.name}, {model.description.detail}"
    finally:
        await model.aclose()
    table = Table(title=title, title_justify="left")
    for name in ("requests at once", "tokens/s", "first text after, s"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(str(row.concurrent), f"{row.tokens_per_s:.1f}", f"{row.first_token_s:.2f}")
    console.print(table)
