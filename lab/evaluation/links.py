"""`lab evaluate links`: how the linker relates sessions, beside one person's judgement of what it rests on.

Sessions of LoCoMo and REALTALK, summed up in people's own words; each is compared with the three older ones that are
most similar, as in `bot/memory/graph.py`. What a link rests on are two sentences of one speaker; a judge has read them
and written down every relation that would be right (`links.jsonl`: numbers and digests, none of the words). What was
not judged is counted apart, and written to a file for judging.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path

import numpy as np
from rich.console import Console

from bot.app.assembly import Engines
from bot.config import Settings
from bot.conversation.requests import telling
from bot.domain import Relation
from bot.errors import BadInput
from bot.indexing.indexing import event_key
from bot.language.extractive import summarise
from bot.memory.relating import Connection, connect
from bot.memory.told import Told, said_of
from bot.ports import Vectors
from lab.datasets.locomo import Session, read_conversation
from lab.evaluation.rehearsal import load_encoder
from lab.evaluation.report import EvaluationReport, Grid, progress_bar, show

NEAREST = 3
OPEN = ("conv-26", "conv-30", "Chat_1_Emi_Elise", "Chat_3_Kevin_Paola")
"""Conversations that were looked at while the rules were made."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked. `part`: open, kept or all."""

    data: Path
    part: str = "kept"
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session as the linker has it."""

    number: int
    time: datetime
    told: Told


@dataclass(frozen=True, slots=True)
class Link:
    """A pair of sessions that hang together, by numbers, and what that rests on."""

    conversation: str
    older: int
    newer: int
    connection: Connection

    @property
    def key(self) -> str:
        """What a judgement is kept under: it says nothing of the words."""
        words = f"{self.connection.older.text}\n{self.connection.newer.text}"
        digest = hashlib.sha256(words.encode()).hexdigest()[:16]
        return f"{self.conversation}/{self.older}-{self.newer}/{digest}"


async def run(settings: Settings, options: Options) -> int:
    """Links, scores, prints, and writes what is to be judged. Raises BadInput."""
    console = Console(highlight=False, width=130)
    links: list[Link] = []
    compared = 0
    async with load_encoder(settings) as engines:
        paths = chosen(options)
        with progress_bar(console) as progress:
            bar = progress.add_task("Linking", total=len(paths))
            for path in paths:
                found, pairs = await links_of(path, settings, engines)
                links += found
                compared += pairs
                progress.advance(bar)
    judged = judgements()
    show(report_of(links, judged, compared, options.part), console)
    if options.out is not None:
        with options.out.open("w", encoding="utf-8") as file:
            for link in links:
                one = link.connection
                row = {"key": link.key, "relation": one.relation, "older": one.older.text, "newer": one.newer.text}
                file.write(json.dumps(row | {"right": judged.get(link.key)}, ensure_ascii=False) + "\n")
    return 0


def chosen(options: Options) -> list[Path]:
    """The conversations of a part. Raises BadInput."""
    every = [*(options.data / "locomo").glob("*.json"), *(options.data / "realtalk" / "locomo").glob("*.json")]
    paths = sorted(path for path in every if options.part == "all" or (path.stem in OPEN) == (options.part == "open"))
    if not paths:
        raise BadInput(f"There are no conversations of LoCoMo or REALTALK for {options.part!r} in {options.data}.")
    return paths


def judgements() -> dict[str, frozenset[str]]:
    """Key → the relations that are right."""
    text = files("lab.evaluation").joinpath("links.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return {row["key"]: frozenset(row["right"]) for row in rows}


async def links_of(path: Path, settings: Settings, engines: Engines) -> tuple[list[Link], int]:
    """The links within a conversation, and how many pairs of sessions were compared. Raises BadInput."""
    conversation = read_conversation(path)
    sittings: list[Sitting] = []
    summaries: list[str] = []
    for session in conversation.sessions:
        lines = _lines(session)
        if lines:
            said = said_of(lines, engines.topics, conversation.speakers)
            vectors = await engines.encoder.encode([one.text for one in said])
            sittings.append(Sitting(session.index, session.date_time, Told(said, vectors)))
            words = settings.memory.summary_words
            summary = summarise(lines, engines.topics.topics, words, conversation.speakers)
            summaries.append(event_key(summary, conversation.speakers))
    vectors = await engines.encoder.encode(summaries)
    return links_among(path.stem, sittings, vectors)


def links_among(name: str, sittings: Sequence[Sitting], vectors: Vectors) -> tuple[list[Link], int]:
    """The links, and how many pairs were compared. `vectors`: of the summaries."""
    found: list[Link] = []
    compared = 0
    for at, newer in enumerate(sittings):
        cosines = vectors[:at] @ vectors[at]
        for before in np.argsort(-cosines)[:NEAREST].tolist():
            older = sittings[before]
            compared += 1
            similar = older.told.vectors @ newer.told.vectors.T
            one = connect(older.told.said, newer.told.said, similar, (older.time, newer.time))
            if one is not None and one.relation is not None:
                found.append(Link(name, older.number, newer.number, one))
    return found, compared


def report_of(
    links: Sequence[Link], judged: Mapping[str, frozenset[str]], compared: int, part: str
) -> EvaluationReport:
    """Of each relation how many links there are, and how many of those that were judged are right."""
    made, seen, right = Counter[str](), Counter[str](), Counter[str]()
    for link in links:
        relation = (link.connection.relation or Relation.SAME_TOPIC).value
        made[relation] += 1
        if link.key in judged:
            seen[relation] += 1
            right[relation] += relation in judged[link.key]
    rows = [(one.value, str(made[one.value]), str(seen[one.value]), str(right[one.value])) for one in Relation]
    total = f"{right.total()} ({100 * right.total() / max(seen.total(), 1):.0f} %)"
    rows.append(("all", str(made.total()), str(seen.total()), total))
    title = f"Links by rules, {part}: {made.total()} of {compared} pairs of sessions"
    grid = Grid(title, ("relation", "links", "judged", "right"), tuple(rows), "")
    return EvaluationReport("links", "Links", (), (grid,), (), {})


def _lines(session: Session) -> list[tuple[str, str]]:
    told = ((turn.speaker, telling(turn.text)) for turn in session.turns)
    return [(name, text) for name, text in told if text.strip()]
