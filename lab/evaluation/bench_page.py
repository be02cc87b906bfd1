"""`lab bench page`: milliseconds until the first byte of each page in the browser, with very many memories stored.

A temporary folder is filled with made-up memories, half of them traits and half events; then the page is served from it
on a real socket, beside a core without a language model, and asked for over one kept connection, as a browser does.
The encoder is one that takes no time. What is timed ends when the answer's status and headers are read.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from html import unescape
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

import numpy as np
from rich.console import Console
from rich.table import Table

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.commands.page import served
from bot.config import Settings, Web
from bot.domain import AGENT_ID, Asker, Consent, Place, PlaceKind, Privacy, Speaker
from bot.errors import BadInput
from bot.storage.engine.database import open_database
from bot.storage.shared import tables
from bot.storage.stores import open_stores
from bot.usecases.links import OWNER
from lab.evaluation.made_up_talk import END, FUNCTION_WORDS, PLATFORM, START, SYLLABLES, MadeUpEncoder, MadeUpWords
from lab.silent import SilentMessenger

WORDS = 12
"""Words of a memory."""
BATCH = 20_000
"""Memories of a transaction."""
AIM_MS = 50
LEAST = 2
"""Memories of the one who looks: a trait and an event."""
NONCE = re.compile(r'name="nonce" value="([^"]+)"')
OWNERS = ("/owner", "/owner/vitals", "/owner/checkins", "/owner/models", "/owner/settings")


@dataclass(frozen=True, slots=True)
class Size:
    """Memories of all people; those of the one who looks; people; and how often each page is asked for."""

    memories: int
    own: int
    people: int
    visits: int = 100
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds until the first byte of one page, of each visit."""

    page: str
    ms: tuple[float, ...]

    def quantile(self, share: float) -> float:
        """The milliseconds within which so many came."""
        return float(np.quantile(self.ms, share))


async def run(settings: Settings, size: Size, out: Path | None) -> int:
    """Fills, measures, prints, and writes JSON to `out`; 1 if a page is slower than the aim. Raises BadInput."""
    if not LEAST <= size.own <= size.memories or (size.people == 1) != (size.own == size.memories):
        raise BadInput("--own should be from 2 to --memories, and all of them only with --people 1.")
    times = await measure(settings, size)
    Console(highlight=False, width=120).print(as_table(size, times))
    if out is not None:
        try:
            await asyncio.to_thread(out.write_text, _as_json(size, times), "utf-8")
        except OSError as error:
            raise BadInput(f"{out} cannot be written: {error.strerror or error}.") from None
    return int(any(one.quantile(0.95) > AIM_MS for one in times))


async def measure(settings: Settings, size: Size) -> list[Times]:
    """Fills a temporary folder, serves the page from it, and visits every page by turns."""
    with TemporaryDirectory(prefix="hello-again-page-") as name:
        inside = settings.at_home().in_folder(Path(name))
        inside = inside.model_copy(update={"web": Web(enabled=True, port=_free_port())})
        encoder = MadeUpEncoder(MadeUpWords(size.seed))
        await fill(inside, size, encoder.fingerprint)
        clock, messengers = ManualClock(END), {PLATFORM: SilentMessenger()}
        async with (
            open_app(inside, clock=clock, messengers=messengers, with_model=False, encoder=encoder) as app,
            served(app, clock, Path(name) / "config.yaml"),
        ):
            return await _visited(app, size)


async def _visited(app: App, size: Size) -> list[Times]:
    """A person's pages, and the owner's; each once before it is timed."""
    person = Asker(_speaker(0), _place(0))
    newest = f"/memories/e{_events(size.own)}"
    search = f"/memories?{urlencode({'words': _words(np.random.default_rng(size.seed), 1)[0].split()[0]})}"
    own = ("/memories", "/memories?page=3", search, newest, "/timeline", "/checkins", "/choices")
    visitors = ((own, app.links.issue(person)), (OWNERS, app.links.issue(OWNER)))
    times: list[Times] = []
    for pages, token in visitors:
        with _Browser(app.settings.web.port) as browser:
            await asyncio.to_thread(browser.enter, token)
            for page in pages:
                await asyncio.to_thread(browser.first_byte, page)
            found: dict[str, list[float]] = {page: [] for page in pages}
            for _ in range(size.visits):
                for page in pages:
                    found[page].append(await asyncio.to_thread(browser.first_byte, page))
            times += [Times(page, tuple(ms)) for page, ms in found.items()]
    return times


class _Browser:
    """One kept connection, with its cookie. Blocks."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._cookie = ""

    def __enter__(self) -> _Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def enter(self, token: str) -> None:
        """Opens a link and presses its button."""
        self._connection.request("GET", f"/in/{token}")
        door = self._connection.getresponse()
        [nonce] = NONCE.findall(door.read().decode())
        form = {"Origin": self._address, "Sec-Fetch-Site": "same-origin", "Cookie": _cookie(door)}
        form |= {"Content-Type": "application/x-www-form-urlencoded"}
        self._connection.request("POST", f"/in/{token}", urlencode({"nonce": unescape(nonce)}), form)
        answer = self._connection.getresponse()
        answer.read()
        self._cookie = _cookie(answer)

    def first_byte(self, page: str) -> float:
        """Milliseconds until the answer begins. The rest is read, too."""
        start = perf_counter()
        self._connection.request("GET", page, headers={"Cookie": self._cookie})
        answer = self._connection.getresponse()
        ms = (perf_counter() - start) * 1000
        answer.read()
        if answer.status != HTTPStatus.OK:
            raise BadInput(f"{page} answered with status {answer.status}: nothing that could be timed.")
        return ms


async def fill(settings: Settings, size: Size, fingerprint: str) -> None:
    """Writes the made-up memories into the data folder of the settings. The first person's come first."""
    async with open_stores(settings, fingerprint) as stores:
        await stores.privacies.put(Privacy(_speaker(0).id, consent=Consent.AGREED))
    database = await open_database(settings.database_url)
    try:
        async with database.writing() as connection:
            known = {(row.id,) for row in await connection.execute(tables.speakers.select())}
            ids = [AGENT_ID, *(_speaker(number).id for number in range(size.people))]
            rows = [{"id": one, "name": one, "number": at + 1000} for at, one in enumerate(ids) if (one,) not in known]
            await connection.execute(tables.speakers.insert(), rows)
            await connection.execute(tables.places.insert(), [_place_row(number) for number in range(size.people)])
        dice = np.random.default_rng(size.seed)
        for first in range(0, size.memories, BATCH):
            numbers = range(first, min(first + BATCH, size.memories))
            rows_of = _rows(numbers, _words(dice, len(numbers)), size)
            async with database.writing() as connection:
                for table, values in rows_of:
                    await connection.execute(table.insert(), values)
    finally:
        await database.aclose()


def _rows(numbers: Sequence[int], texts: Sequence[str], size: Size) -> list[tuple[Any, list[dict[str, Any]]]]:
    """An utterance for each memory, in a session of its own; an event of every other one, a trait of the rest."""
    sessions, utterances, events, traits = [], [], [], []
    of_events, by, topics, of_traits = [], [], [], []
    for number, text in zip(numbers, texts, strict=True):
        person = 0 if number < size.own else 1 + (number - size.own) % (size.people - 1)
        one, key, who = number + 1, _place(person).key, _speaker(person).id
        time = START + (END - START) * (number / size.memories) + timedelta(seconds=one)
        sessions.append({"id": one, "place_key": key, "words": WORDS, "state": "closed", "started": time, "last": time})
        utterances.append(
            {"id": one, "place_key": key, "platform": PLATFORM, "message_id": f"m{one}", "speaker_id": who}
            | {"speaker_name": who, "text": text, "time": time, "to_bot": False, "session_id": one, "position": 0}
        )
        if number % 2:
            traits.append(
                {"id": one, "speaker_id": who, "place_key": key, "text": text, "since": time, "indexed": True}
            )
            of_traits.append({"trait_id": one, "position": 0, "utterance_id": one})
        else:
            events.append(
                {"id": one, "session_id": one, "place_key": key, "summary": text, "time": time, "indexed": True}
            )
            of_events.append({"event_id": one, "position": 0, "utterance_id": one})
            by.append({"event_id": one, "speaker_id": who})
            topics.append({"event_id": one, "noun": text.split()[0]})
    return [
        (tables.sessions, sessions),
        (tables.utterances, utterances),
        (tables.events, events),
        (tables.event_topics, topics),
        (tables.event_sources, of_events),
        (tables.event_speakers, by),
        (tables.traits, traits),
        (tables.trait_sources, of_traits),
    ]


def _cookie(answer: HTTPResponse) -> str:
    """The first that an answer sets: the one that it is about."""
    return (answer.headers.get_all("set-cookie") or [""])[0].partition(";")[0]


def _events(own: int) -> int:
    """The id of the newest event of the one who looks."""
    return own if own % 2 else own - 1


def _words(dice: np.random.Generator, count: int) -> list[str]:
    drawn = dice.choice(
        [*FUNCTION_WORDS, *(one + other for one in SYLLABLES[:50] for other in SYLLABLES)], (count, WORDS)
    )
    return [" ".join(words) for words in drawn]


def _speaker(number: int) -> Speaker:
    return Speaker(f"{PLATFORM}:p{number}", f"Person {number}")


def _place(number: int) -> Place:
    return Place(PLATFORM, PlaceKind.DM, f"p{number}")


def _place_row(number: int) -> dict[str, Any]:
    place = _place(number)
    return {"key": place.key, "platform": PLATFORM, "kind": place.kind.value, "ref": place.ref}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _as_json(size: Size, times: Sequence[Times]) -> str:
    return json.dumps({"size": asdict(size), "times": [asdict(one) for one in times]}) + "\n"


def as_table(size: Size, times: Sequence[Times]) -> Table:
    """The figures for people."""
    title = (
        f"First byte, milliseconds: {size.memories:,} memories of {size.people:,} people, {size.own:,} of the visitor"
    )
    table = Table(title=title, title_justify="left")
    for column in ("page", "p50", "p95", "most"):
        table.add_column(column, justify="left" if column == "page" else "right")
    for one in times:
        table.add_row(one.page, *(f"{one.quantile(share):.1f}" for share in (0.5, 0.95, 1.0)))
    return table
