"""`lab bench several`: gateways and workers over one PostgreSQL, killed, paused and counted.

Everything is real but the model, which is scripted, and the platforms: invented ones (`crowd.py`), or our own Discord
and Telegram with the adapters of the program (`own_platforms.py`). People in many places say what they have to say;
meanwhile processes are ended with SIGKILL and begun again, workers are stopped for longer than their lease and woken,
and the server is restarted. Each message has one number; the replies that its people were shown are counted by it.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from bot.errors import BadInput
from bot.storage.engine.database import open_database
from lab.evaluation.crowd import CrowdServer
from lab.evaluation.own_platforms import DiscordPlaces, TelegramPlaces
from lab.evaluation.own_postgres import own_postgres
from lab.evaluation.several_costs import Costs, figures, heads, measured
from lab.evaluation.several_processes import Processes, processes

SETTLED_S = 1.5
"""Seconds in which what would come twice has come."""

CONNECTIONS = "200"
"""What a server has to take: a process has up to 15, and those of a killed one end a little later."""

TALKERS = 5
"""People who take turns in one place."""

Restart = Callable[[], Awaitable[None]]


class Platforms(StrEnum):
    """Where people talk."""

    INVENTED = "invented"
    """Two that there are only here: one knows nonces, the other cannot tell doubles."""
    REAL = "real"
    """Discord and Telegram, as our servers speak them, with the adapters of the program."""


NAMES = {Platforms.INVENTED: ("crowd", "tribe"), Platforms.REAL: ("discord", "telegram")}
"""Those that know nonces first; the others cannot tell doubles."""


class Platform(Protocol):
    """One that is served here, with the people who talk on it."""

    platform: str

    @property
    def modules(self) -> Sequence[str]:
        """What the nursery imports for its adapter."""

    @property
    def adapter(self) -> str:
        """What a gateway connects with."""

    @property
    def chosen(self) -> Mapping[str, object]:
        """The settings with which a process gets here, while it is served."""

    @property
    def secrets(self) -> Mapping[str, str]:
        """The tokens, by the names of their variables."""

    @property
    def connections(self) -> int:
        """More than 0 once a gateway is connected."""

    @property
    def said(self) -> Collection[int]:
        """The numbers of all messages."""

    @property
    def rules_broken(self) -> int:
        """How often a gateway did what the platform forbids."""

    def serving(self, folder: Path) -> AbstractAsyncContextManager[None]:
        """Listens while the block runs."""

    async def listens(self, url: str) -> None:
        """Waits until nothing that is said can be missed; `url` is the database's."""

    async def say(self, number: int, where: int, talker: int) -> None:
        """One person of a place says something."""

    def replies(self) -> Sequence[tuple[str, int]]:
        """What people were shown, in each place as it came: the place, and the number of what it answers."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is rehearsed."""

    platforms: Platforms = Platforms.INVENTED
    messages: int = 300
    places: int = 20
    workers: int = 2
    gateways: int = 2
    talk_s: float = 0.0
    """How long people talk; 0: all is said at once."""
    kills: int = 0
    pauses: int = 0
    restarts: int = 0
    shards: int = 1
    """Of Discord, where that is."""
    lease_s: float = 2.0
    slots: int = 4
    """Requests that the model of one worker takes at once."""
    think_s: float = 0.05
    patience_s: float = 120.0
    """Seconds after the last message in which all has to be answered."""
    seed: int = 7

    @property
    def troubled(self) -> bool:
        """Whether anything is killed, stopped or restarted."""
        return bool(self.kills or self.pauses or self.restarts)

    @property
    def processes(self) -> list[str]:
        """The names of those that are begun."""
        return [f"gateway-{n}" for n in range(self.gateways)] + [f"worker-{n}" for n in range(self.workers)]


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
    killed: list[str] = field(default_factory=list)
    """The names of the processes that were killed, in order."""
    pauses: int = 0
    restarts: int = 0
    rules_broken: Counter[str] = field(default_factory=Counter)
    """Platform → what it forbids and gateways did: connections that began too early, two that polled at once."""
    costs: Costs | None = None
    """Where nothing was killed or restarted, and its figures with it."""

    @property
    def wrong(self) -> bool:
        """Whether people saw what must not be. A platform that knows no nonces cannot tell doubles."""
        doubled = any(self.twice[telling] for telling, _ in NAMES.values())
        return bool(self.lost or self.out_of_order or doubled)


async def rehearse(plan: Plan, url: str, restart: Restart | None = None) -> Outcome:
    """One rehearsal over the database at `url`, which may hold others: no place is used twice."""
    await (await open_database(url)).aclose()
    servers = served(plan)
    outcome, chance = Outcome(messages=plan.messages), random.Random(plan.seed)  # noqa: S311  no secret
    with TemporaryDirectory(prefix="hello-several-") as named:
        folder = Path(named)
        async with AsyncExitStack() as stack:
            for server in servers:
                await stack.enter_async_context(server.serving(folder))
            modules = [name for server in servers for name in server.modules]
            order = _order(plan, url, servers)
            begun = await stack.enter_async_context(processes(plan.processes, order, folder, modules))
            await _until(lambda: all(server.connections for server in servers), plan.patience_s)
            async with asyncio.timeout(plan.patience_s):
                await asyncio.gather(*(server.listens(url) for server in servers))
            # Owned by this block, which cancels it.
            watching = asyncio.create_task(begun.watch(), name="supervisor")
            stack.callback(watching.cancel)
            async with nullcontext() if plan.troubled else measured(begun.ids, folder, url) as outcome.costs:
                start = perf_counter()
                async with asyncio.TaskGroup() as group:
                    group.create_task(_talk(plan, servers, chance))
                    group.create_task(_trouble(plan, begun, restart, chance, outcome))
                await _until(lambda: not _missing(servers), plan.patience_s, look_s=0.2)
                outcome.seconds = perf_counter() - start
            await asyncio.sleep(SETTLED_S)
            _count(servers, outcome)
            if outcome.wrong:
                _tell_logs(folder)
    return outcome


def served(plan: Plan) -> list[Platform]:
    """The platforms, with every second of the places each."""
    if plan.platforms is Platforms.INVENTED:
        return [CrowdServer("crowd", knows_nonces=True), CrowdServer("tribe", knows_nonces=False)]
    places = range(plan.places)
    return [DiscordPlaces(places[::2], TALKERS, plan.shards), TelegramPlaces(places[1::2], TALKERS)]


def _order(plan: Plan, url: str, servers: list[Platform]) -> dict[str, Any]:
    """What every process is told."""
    return {
        "url": url, "lease_s": plan.lease_s, "slots": plan.slots, "think_s": plan.think_s,
        "adapters": {server.platform: server.adapter for server in servers},
        "settings": {name: value for server in servers for name, value in server.chosen.items()},
        "secrets": {name: value for server in servers for name, value in server.secrets.items()},
    }  # fmt: skip


async def _talk(plan: Plan, servers: list[Platform], chance: random.Random) -> None:
    """People say what they have to say, each of a place in turn."""
    moments = sorted(chance.uniform(0, plan.talk_s) for _ in range(plan.messages))
    start = perf_counter()
    for number, moment in enumerate(moments):
        if (left := moment - (perf_counter() - start)) > 0:
            await asyncio.sleep(left)
        where = number % plan.places
        await servers[where % len(servers)].say(number, where, number // plan.places % TALKERS)


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
                outcome.killed.append(name)
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


def _missing(servers: list[Platform]) -> int:
    """How many messages have no reply yet."""
    return sum(len(server.said) - len({number for _, number in server.replies()}) for server in servers)


def _count(servers: list[Platform], outcome: Outcome) -> None:
    for server in servers:
        replies = server.replies()
        answered = Counter(number for _, number in replies)
        outcome.lost += sum(number not in answered for number in server.said)
        outcome.twice[server.platform] += sum(times - 1 for times in answered.values())
        outcome.rules_broken[server.platform] += server.rules_broken
        by_place: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for place, number in replies:
            by_place[place][number] = None  # a double does not count again
        outcome.out_of_order += sum(
            later < earlier for numbers in by_place.values() for earlier, later in pairwise(numbers)
        )


async def _until(true: Callable[[], bool], seconds: float, look_s: float = 0.02) -> None:
    """Waits until something is true, for so long at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not true():  # noqa: ASYNC110  what other processes do
                await asyncio.sleep(look_s)


def _tell_logs(folder: Path) -> None:
    for log in sorted(folder.glob("*.log")):
        sys.stderr.write(f"--- {log.stem}\n{log.read_text()[-6000:]}\n")


async def run(plans: list[Plan], url: str | None, restart: str | None) -> int:
    """Rehearses and prints a table; exit code 1 when a reply was lost, doubled or out of order.

    Without `url` the server is one of its own.
    """
    if url is None:
        own = own_postgres(max_connections=CONNECTIONS)
        try:
            server = own.start()
            return await _rehearsed(plans, lambda: server.fresh("template0"), own.again)
        finally:
            own.remove()
    if not url.startswith("postgresql"):
        raise BadInput("Name a PostgreSQL server: --database-url postgresql+asyncpg://user@host/name.")

    async def named() -> str:
        return url

    async def again() -> None:
        command = await asyncio.create_subprocess_shell(restart or "true")
        await command.wait()

    return await _rehearsed(plans, named, again if restart else None)


async def _rehearsed(plans: list[Plan], database: Callable[[], Awaitable[str]], restart: Restart | None) -> int:
    """`database` gives the address of the one for the next rehearsal."""
    names = NAMES[plans[0].platforms]
    table = Table("workers", "gateways", "messages", "places", "seconds", "a second", "linear", "kills", "pauses",
                  "restarts", "lost", *(f"doubled: {name}" for name in names), "out of order",
                  "rules broken")  # fmt: skip
    costs, wrong, first = Table(*heads()), False, 0.0
    for plan in plans:
        seen = await rehearse(plan, await database(), restart)
        wrong = wrong or seen.wrong
        rate = seen.messages / seen.seconds
        first = first or rate / plan.workers
        told = (plan.workers, plan.gateways, seen.messages, plan.places, f"{seen.seconds:.1f}",
                f"{rate:.1f}", f"{rate / plan.workers / first:.0%}", len(seen.killed), seen.pauses, seen.restarts,
                seen.lost, *(seen.twice[name] for name in names), seen.out_of_order,
                seen.rules_broken.total())  # fmt: skip
        table.add_row(*map(str, told))
        if seen.costs is not None:
            costs.add_row(*figures(plan.workers, seen.messages, seen.costs))
    console = Console(highlight=False, width=170)
    console.print(table)
    if costs.rows:
        console.print(costs)
    return int(wrong)
