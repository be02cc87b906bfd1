"""`lab bench waking`: how soon workers hear of what was stored, and claim it: by PostgreSQL's bell, by NATS, by none.

One process stores, as a gateway does, others claim, as workers do: stores, claims and PostgreSQL's bell are the real
ones. Messages come one at a time, at moments that have nothing to do with the workers' looks.
"""

from __future__ import annotations

import asyncio
import importlib
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from datetime import UTC, datetime
from time import monotonic
from typing import TypeAlias

import numpy as np
from rich.console import Console

from bot.app.roles import LOOK_S
from bot.domain import INBOX, Place, PlaceKind, Speaker, Utterance
from bot.storage.conversation.inbox import SqlInbox
from bot.storage.conversation.leases import SqlClaims, SqlLeases
from bot.storage.engine.database import Database, open_database
from bot.storage.engine.ringing import PostgresBell, RungEvent

LEASE_S = 60.0
ANN = Speaker("bench:ann", "Ann")
HEADS = "workers  bell                 ms from stored to heard p50, p95; to claimed p50, p95, most"
NONE = "-"
"""In place of the address of NATS."""

Waits: TypeAlias = list[tuple[float, float]]
"""Milliseconds from stored to heard and to claimed, a message each."""


class NatsBell:
    """NATS as a bell for one topic: the least of its protocol that rings and hears, so that no client is measured."""

    def __init__(self, address: str) -> None:
        self._host, _, self._port = address.rpartition(":")
        self._rung = RungEvent()
        self._writer: asyncio.StreamWriter | None = None

    async def run(self) -> None:
        """Rings and hears until cancelled."""
        reader, self._writer = await asyncio.open_connection(self._host, int(self._port))
        self._writer.write(b'CONNECT {"verbose":false,"pedantic":false}\r\nSUB hello_again.* 1\r\nPING\r\n')
        try:
            async for line in reader:
                if line.startswith(b"PING"):
                    self._writer.write(b"PONG\r\n")
                elif line.startswith((b"MSG", b"PONG")):  # the second: what was subscribed is heard from now on
                    self._rung.set()
        finally:
            self._writer.close()

    def ring(self, topic: str) -> None:
        """Publishes."""
        if self._writer is not None:
            self._writer.write(f"PUB hello_again.{topic} 0\r\n\r\n".encode())

    def listener(self, topic: str) -> RungEvent:
        """The only one."""
        return self._rung


async def run(messages: int, workers: Sequence[int], seed: int, nats: str | None) -> int:
    """Measures on a PostgreSQL of its own, and prints a line each. `nats`: HOST:PORT to compare with."""
    server = importlib.import_module("tests.postgres").Restarting()
    try:
        url = await server.start().fresh("template0")
        console = Console(highlight=False, width=120)
        console.print(HEADS)
        bells = ["PostgreSQL", *(["NATS"] if nats else ()), "every ring is lost"]
        for count in workers:
            for name in bells:
                address = nats if nats and name == "NATS" else NONE
                chance = random.Random(seed)  # noqa: S311  no secret
                waits = await _measured(url, address, messages, count, chance, rings=name != bells[-1])
                heard, claimed = zip(*waits, strict=True)
                figures = [*np.percentile(heard, (50, 95)), *np.percentile(claimed, (50, 95, 100))]
                console.print(f"{count:7}  {name:18}" + "".join(f"{figure:9.1f}" for figure in figures))
    finally:
        server.remove()
    return 0


def _bell(database: Database, nats: str) -> PostgresBell | NatsBell:
    return PostgresBell(database) if nats == NONE else NatsBell(nats)


async def _measured(url: str, nats: str, messages: int, workers: int, chance: random.Random, *, rings: bool) -> Waits:
    async with aclosing(await open_database(url)) as database, _working(url, nats, workers) as told:
        bell, inbox, waits = _bell(database, nats), SqlInbox(database), Waits()
        # Owned by this block, which cancels it.
        running = asyncio.create_task(bell.run(), name="the gateway's bell")
        try:
            await bell.listener(INBOX).heard(LEASE_S)
            for number in range(messages):
                await asyncio.sleep(chance.uniform(0.1, 0.1 + LOOK_S))
                place = Place("bench", PlaceKind.DM, f"{nats}{workers}{rings} {number}")
                await inbox.accept(Utterance(place, place.ref, ANN, "Hello?", datetime.now(UTC)))
                stored = monotonic()
                if rings:
                    bell.ring(INBOX)
                heard, claimed = map(float, (await told.get()).split())
                waits.append((1000 * max(0.0, heard - stored), 1000 * (claimed - stored)))
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
        return waits


@asynccontextmanager
async def _working(url: str, nats: str, workers: int) -> AsyncIterator[asyncio.Queue[str]]:
    """So many workers, and what they say: when they heard, and when they had claimed."""
    told = asyncio.Queue[str]()
    command = (sys.executable, "-m", "lab.evaluation.waking", url, nats)
    started = [await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE) for _ in range(workers)]
    try:
        async with asyncio.TaskGroup() as group:
            listening = [group.create_task(_listen(worker, told)) for worker in started]
            for _ in started:
                await told.get()  # it hears
            yield told
            for task in listening:
                task.cancel()
    finally:
        for worker in started:
            worker.kill()
            await worker.wait()


async def _listen(worker: asyncio.subprocess.Process, told: asyncio.Queue[str]) -> None:
    while worker.stdout is not None and (line := await worker.stdout.readline()):
        await told.put(line.decode())
    raise RuntimeError("a worker has ended")


async def _work(url: str, nats: str) -> None:
    """Claims as a worker does, and says when: the clock is the machine's."""
    async with aclosing(await open_database(url)) as database:
        leases, bell = SqlLeases(database, LEASE_S), _bell(database, nats)
        claims, inbox, rung = SqlClaims(database, leases), SqlInbox(database), bell.listener(INBOX)
        async with asyncio.TaskGroup() as group:
            group.create_task(bell.run(), name="the worker's bell")
            await rung.heard(LEASE_S)
            _say("ready")
            while True:
                await rung.heard(LOOK_S)
                heard = monotonic()
                for place, lease in (await claims.claim(4)).items():
                    claimed, waiting = monotonic(), await claims.waiting([place])
                    await inbox.remembered([one.id for one in waiting])
                    await leases.release([lease])
                    if waiting:  # else another was quicker, and is done with it
                        _say(f"{heard} {claimed}")


def _say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_work(*sys.argv[1:]))
