"""What a rehearsal of `lab bench several` costs: the processor's time, statements, how busy writers are.

Measured only while nothing is killed or restarted: with a process its figures are gone.
"""

from __future__ import annotations

import asyncio
import struct
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

import psutil
from sqlalchemy import Engine, event, text

from bot.storage.engine.database import open_database
from bot.storage.engine.postgres import LOCK

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

LOOK_S = 0.05
SERVER = "PostgreSQL"
NUMBERS = struct.Struct("<qq")
COUNTED = ".counted"

PROCESSES = text("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
TRANSACTIONS = text("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
WRITERS = text(
    "SELECT count(*) FILTER (WHERE granted), count(*) FILTER (WHERE NOT granted) FROM pg_locks WHERE locktype = "
    "'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND (classid::bigint << 32) + objid::bigint = :writers"
).bindparams(writers=LOCK)
"""Who has the writers' lock, and how many wait for it."""


@dataclass(slots=True)
class Costs:
    """What was used between the first message and the last reply."""

    seconds: float = 0.0
    processor_s: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Kind of process → seconds of a core."""
    machine_s: float = 0.0
    """What all that ran on the machine used, this measuring and the platforms among it."""
    statements: int = 0
    """Of gateways and workers, without beginnings and ends of transactions."""
    requests: int = 0
    """To the model."""
    transactions: int = 0
    looks: int = 0
    held: int = 0
    """Looks at which a writer had the lock."""
    waiting: int = 0
    """Writers that waited for it, over all looks."""


@asynccontextmanager
async def measured(ids: Mapping[str, int], folder: Path, url: str) -> AsyncIterator[Costs]:
    """Fills what it yields, for the time of the block. `ids`: of the gateways and workers, by name."""
    costs, database = Costs(), await open_database(url)
    async with database.listening() as connection:
        begun, before, counted = perf_counter(), await _used(connection, ids), _counted(folder)
        machine, transactions = _machine(), await connection.scalar(TRANSACTIONS)
        over = asyncio.Event()
        # Owned by this block, which waits for it: a query that is cut off takes its connection along.
        looking = asyncio.create_task(_look(connection, costs, over), name="who writes")
        try:
            yield costs
        finally:
            over.set()
            await looking
        costs.seconds = perf_counter() - begun
        costs.machine_s = _machine() - machine
        for (kind, process), used in (await _used(connection, ids)).items():
            costs.processor_s[kind] += used - before.get((kind, process), 0.0)
        after = _counted(folder)
        costs.statements, costs.requests = after[0] - counted[0], after[1] - counted[1]
        await asyncio.sleep(1.5)  # a backend tells of its transactions once a second
        costs.transactions = int(await connection.scalar(TRANSACTIONS) or 0) - int(transactions or 0)
    await database.aclose()


async def _look(connection: AsyncConnection, costs: Costs, over: asyncio.Event) -> None:
    while not over.is_set():
        held, waiting = (await connection.execute(WRITERS)).one()
        costs.looks += 1
        costs.held += held
        costs.waiting += waiting
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), LOOK_S)


async def _used(connection: AsyncConnection, ids: Mapping[str, int]) -> dict[tuple[str, int], float]:
    """Seconds of a core of each process, by kind; of a server on another machine there is none."""
    found = [(name.partition("-")[0], process) for name, process in ids.items()]
    found += [(SERVER, process) for process in await connection.scalars(PROCESSES)]
    used = {}
    for kind, process in found:
        with suppress(psutil.NoSuchProcess):
            times = psutil.Process(process).cpu_times()
            used[kind, process] = times.user + times.system
    return used


def _machine() -> float:
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - times.iowait - times.guest - times.guest_nice)


class _Noted:
    """Where this process notes how often something happened."""

    numbers: ClassVar[mmap | bytearray] = bytearray(NUMBERS.size)


def count_in(file: Path) -> None:
    """From now on this process notes in `file` how many statements it has sent, and requests to the model."""
    file.write_bytes(bytes(NUMBERS.size))
    with file.open("r+b") as opened:
        _Noted.numbers = mmap(opened.fileno(), NUMBERS.size)
    event.listen(Engine, "before_cursor_execute", lambda *_: _count(statements=1))


def count_request() -> None:
    """One more request to the model."""
    _count(requests=1)


def _count(statements: int = 0, requests: int = 0) -> None:
    before = NUMBERS.unpack_from(_Noted.numbers)
    NUMBERS.pack_into(_Noted.numbers, 0, before[0] + statements, before[1] + requests)


def _counted(folder: Path) -> tuple[int, int]:
    each = [NUMBERS.unpack(file.read_bytes()) for file in folder.glob(f"*{COUNTED}")]
    return sum(one[0] for one in each), sum(one[1] for one in each)


def heads() -> Sequence[str]:
    """What the columns of `figures` say."""
    return (
        "workers", "ms of a core a message: workers", "gateways", SERVER, "cores in use", "a message: requests",
        "statements", "transactions", "somebody writes", "wait to write",
    )  # fmt: skip


def figures(workers: int, messages: int, costs: Costs) -> Sequence[str]:
    """One line of the table."""
    each = [1000 * costs.processor_s[kind] / messages for kind in ("worker", "gateway", SERVER)]
    return (
        str(workers), *(f"{ms:.0f}" for ms in each), f"{costs.machine_s / costs.seconds:.2f} of {psutil.cpu_count()}",
        f"{costs.requests / messages:.2f}", f"{costs.statements / messages:.0f}",
        f"{costs.transactions / messages:.0f}",
        f"{costs.held / costs.looks:.0%}", f"{costs.waiting / costs.looks:.1f}",
    )  # fmt: skip
