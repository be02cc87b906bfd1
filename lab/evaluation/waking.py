"""`lab bench waking`: how soon a worker claims a place in which something was stored, with and without the bell.

One process stores, as a gateway does, another claims, as a worker does: stores, claims and bells are the real ones.
Messages come one at a time, at moments that have nothing to do with the worker's looks.
"""

from __future__ import annotations

import asyncio
import importlib
import random
import sys
from collections.abc import Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from time import monotonic

import numpy as np
from rich.console import Console
from rich.table import Table

from bot.app.roles import LOOK_S
from bot.domain import INBOX, Place, PlaceKind, Speaker, Utterance
from bot.storage.conversation.inbox import SqlInbox
from bot.storage.conversation.leases import SqlClaims, SqlLeases
from bot.storage.engine.database import Database, open_database
from bot.storage.engine.ringing import PostgresBell

LEASE_S = 60.0
ANN = Speaker("bench:ann", "Ann")


async def run(messages: int, seed: int) -> int:
    """Measures on a server of its own, and prints a table."""
    server = importlib.import_module("tests.postgres").Restarting()
    try:
        url = await server.start().fresh("template0")
        table = Table("bell", "messages", "ms from stored to claimed: p50", "p95", "most")
        for rings in (True, False):
            waits_ms = await _measured(url, messages, random.Random(seed), rings=rings)  # noqa: S311  no secret
            figures = (f"{np.percentile(waits_ms, share):.1f}" for share in (50, 95, 100))
            table.add_row("rings" if rings else "every ring is lost", str(messages), *figures)
        Console(highlight=False, width=120).print(table)
    finally:
        server.remove()
    return 0


async def _measured(url: str, messages: int, chance: random.Random, *, rings: bool) -> Sequence[float]:
    async with aclosing(await open_database(url)) as database:
        bell = PostgresBell(database)
        # Owned by this block, which cancels it.
        running = asyncio.create_task(bell.run(), name="the gateway's bell")
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lab.evaluation.waking", url, stdout=asyncio.subprocess.PIPE
        )
        try:
            return await _waits_ms(database, bell if rings else None, worker, messages, chance)
        finally:
            worker.kill()
            await worker.wait()
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


async def _waits_ms(
    database: Database,
    bell: PostgresBell | None,
    worker: asyncio.subprocess.Process,
    messages: int,
    chance: random.Random,
) -> list[float]:
    inbox, waits_ms = SqlInbox(database), list[float]()
    run = f"{chance.random()}{bell is None}"
    for number in range(messages + 1):
        await asyncio.sleep(chance.uniform(0.1, 0.1 + LOOK_S))
        place = Place("bench", PlaceKind.DM, f"{run} {number}")
        await inbox.accept(Utterance(place, place.ref, ANN, "Hello?", datetime.now(UTC)))
        stored = monotonic()
        if bell is not None:
            bell.ring(INBOX)
        if worker.stdout is None or not (line := await worker.stdout.readline()):
            raise RuntimeError("the worker has ended")
        waits_ms.append(1000 * (float(line) - stored))
    return waits_ms[1:]  # the first one waited for the worker's start


async def _work(url: str) -> None:
    """Claims as a worker does, and says when: the clock is the machine's."""
    async with aclosing(await open_database(url)) as database:
        leases, bell = SqlLeases(database, LEASE_S), PostgresBell(database)
        claims, inbox, rung = SqlClaims(database, leases), SqlInbox(database), bell.listener(INBOX)
        async with asyncio.TaskGroup() as group:
            group.create_task(bell.run(), name="the worker's bell")
            while True:
                await rung.heard(LOOK_S)
                for place, lease in (await claims.claim(4)).items():
                    sys.stdout.write(f"{monotonic()}\n")
                    sys.stdout.flush()
                    await inbox.remembered([one.id for one in await claims.waiting([place])])
                    await leases.release([lease])


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1]))
