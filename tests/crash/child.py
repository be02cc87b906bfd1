"""Lives of the core, each in a process of its own: says lines to it, and may be killed at a named point.

    echo "FOLDER POINT" | python -m tests.crash.child

For each line of standard input, or order to the nursery, a process is forked, and its exit code printed (-9: killed).
POINT is "none", or "PORT.METHOD:before" or ":after", optionally with "#N" for the N-th call: then the
process kills itself with SIGKILL there. The platform is a ledger file: it takes each nonce once, as Discord does with
an enforced nonce. Every life is handed the same messages, as a platform redelivers what was not acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Any

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import load_settings
from bot.conversation.delivery import Unseen
from bot.domain import (
    Asker,
    Call,
    Chunk,
    GenerationRequest,
    Outgoing,
    Place,
    PlaceKind,
    Scope,
    Speaker,
    Utterance,
    VectorKind,
)
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Growing, Live
from bot.storage.conversation import inbox, jobs, outbox, sessions
from bot.storage.erasing import disk, erasures
from bot.storage.memory import events, passages, traits
from bot.storage.vectors import chroma
from bot.usecases.calls import decode, encode
from tests.living import FirstPersonGate, WordTopics
from tests.looking import vectors_in
from tests.memory.cleaning import clean_now
from tests.nursery import serve

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
PLACE = Place("ledger", PlaceKind.DM, "ann")
ANN = Speaker("ledger:ann", "Ann")
LINES = (
    (timedelta(0), "Hello, I have two dogs."),
    (timedelta(minutes=2), "I have a job interview at the museum on Thursday."),
    (timedelta(days=7), "Hi, I am back. I sail now."),
)
PORTS: dict[str, type] = {
    "inbox": inbox.SqlInbox,
    "sessions": sessions.SqlSessions,
    "outbox": outbox.SqlOutbox,
    "events": events.SqlEvents,
    "traits": traits.SqlTraits,
    "passages": passages.SqlPassages,
    "jobs": jobs.SqlJobs,
    "index": chroma.ChromaVectorIndex,
    "erasures": erasures.SqlErasures,
    "disk": disk.DataFolder,
}
ERASED = 1
"""Which of the lines is erased at the end of a life, in a folder that has a file ERASES."""
ERASES = "erases"
QUESTION = "question"
"""The file with the button that Ann was shown: she presses it in each life."""


class Ledger:
    """A platform that writes what it shows into a file, and shows no nonce twice."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def reaches(self, place: Place) -> bool:
        return True

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        return nullcontext(Unseen())

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        yield await self.take(outgoing)

    async def retract(self, place: Place, message_id: str) -> None:
        return

    async def take(self, outgoing: Outgoing) -> str:
        """Writes a reply down, unless its nonce is there: a method that `kill_at` can wrap."""
        shown = self._file.read_text().splitlines() if self._file.exists() else []
        if all(json.loads(line)["nonce"] != outgoing.nonce for line in shown):
            with self._file.open("a") as file:
                entry = {"nonce": outgoing.nonce, "to": outgoing.in_reply_to, "text": outgoing.text}
                file.write(json.dumps(entry) + "\n")
        return f"shown-{outgoing.nonce}"


class Model(ScriptedChatModel):
    """Answers every message, and can be killed between two words."""

    async def stream(self, request: GenerationRequest) -> AsyncIterator[Chunk]:  # type: ignore[override]  # see below
        """The same words, through a method that `kill_at` can wrap word by word."""
        async for chunk in super().stream(request):
            await self.said(chunk)
            yield chunk

    async def said(self, chunk: Chunk) -> None:
        """Called for each word."""


def kill_at(point: str, owners: Mapping[str, type] | None = None) -> None:
    """Arms the point: the process is gone the moment it is reached. `owners`: where ports' names are looked up."""
    name, _, nth = point.partition("#")
    name, _, when = name.partition(":")
    port, _, method = name.partition(".")
    owner = (owners or {**PORTS, "platform": Ledger, "model": Model})[port]
    original: Any = getattr(owner, method)
    left = int(nth or 1)

    @wraps(original)
    async def armed(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = await original(*arguments, **named)
        if left == 0 and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, method, armed)


async def live(folder: Path) -> None:
    """Says every line that this life is handed, a week between the second and the third."""
    settings = load_settings(
        None,
        {},
        storage__data_dir=str(folder / "data"),
        memory__summariser="extractive",
        persona__extractor="extractive",
        privacy__consent="implied",
        privacy__introduce=False,
    )
    wall = folder / "now"
    clock = ManualClock(datetime.fromisoformat(wall.read_text()) if wall.exists() else START)
    async with open_app(
        settings,
        clock=clock,
        messengers={"ledger": Ledger(folder / "ledger.jsonl")},
        model=Model("I am here and I listen."),
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        gate=FirstPersonGate(),
    ) as app:
        await app.prepare()
        await app.connected()
        await app.idle()
        for number, (after, text) in enumerate(LINES):
            clock.move_to(START + after)
            wall.write_text(clock.now().isoformat())
            await app.settle()
            await app.receive(Utterance(PLACE, f"m{number}", ANN, text, START + after))
            await app.idle()
        clock.advance(timedelta(hours=2))
        await app.settle()
        clock.advance(timedelta(hours=2))
        await app.settle()
        if (folder / ERASES).exists():
            await erase(app, folder)
        scopes = [Scope(kind, PLACE.key) for kind in VectorKind]
        (folder / "vectors.json").write_text(
            json.dumps([await vectors_in(app.stores.index, scope) for scope in scopes])
        )


async def erase(app: App, folder: Path) -> None:
    """Ann asks for a line to be erased, in her first life, and confirms it in each; what is left is derived anew."""
    asker = Asker(ANN, PLACE)
    if not (folder / QUESTION).exists():
        preview = await app.command(Call("memory forget", (("what", "museum"),)), asker)
        (folder / QUESTION).write_text(encode(preview.choices[0][0].call))
    confirm = decode((folder / QUESTION).read_text())
    assert confirm is not None
    await app.command(confirm, asker)
    assert await clean_now(app.eraser, 60)
    await app.settle()


def life(folder: Path, point: str) -> int:
    """One life in a forked process; how it ended, as `os.waitstatus_to_exitcode` tells it."""
    child = os.fork()
    if child == 0:
        os.dup2(2, 1)  # the answers go to standard output, and what is logged does not
        if point != "none":
            kill_at(point)
        try:
            asyncio.run(live(folder))
        except BaseException:  # noqa: BLE001  # told to the parent by the exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def answers(order: str) -> Iterator[str]:
    """Lives one life; says how it ended."""
    folder, _, point = order.rpartition(" ")
    yield str(life(Path(folder), point))


if __name__ == "__main__":
    serve(sys.stdin, answers)
