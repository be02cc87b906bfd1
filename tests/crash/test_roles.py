"""`hello-again run --role gateway | worker` as processes over one PostgreSQL: followed, looked at, ended and killed.

Ann talks with them on our Telegram. The model is a server of this test's, which answers when it is told to.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from bot.domain import ProcessRole
from bot.storage.engine.database import open_database
from tests.commands.test_watched import free_port
from tests.crash.platform_child import said
from tests.llm import fault_server
from tests.nursery import Nursery
from tests.platform.telegram_server import Fault, TelegramServer, open_telegram
from tests.postgres import Server
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, START, Rows

LEASE_S = 2.0
SLACK_S = 4.0
"""Seconds by which a busy machine is late."""
PATIENCE_S = 60.0
GATEWAY, WORKER = ProcessRole.GATEWAY.value, ProcessRole.WORKER.value
SETTINGS: dict[str, Any] = {
    "adapters": {"telegram": "adapters.telegram.adapter:TelegramAdapter"},
    "memory": {"summariser": "extractive", "timelines": {"linker": "rules"}, "fused": {"threshold": 0.0}},
    "persona": {"extractor": "extractive"},
    "privacy": {"consent": "implied", "introduce": False, "erase_after_s": 0},
    "background": {"lease_s": LEASE_S, "poll_s": 0.2},
    "care": {"offer": False},
    "log": {"level": "INFO", "format": "json"},
}


class Answers:
    """A model server that answers the last question of a prompt, as soon as it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.may.set()
        self.asked = asyncio.Event()
        """Set when a question has come."""
        self.server: fault_server.FaultServer

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        """Answers one request."""
        number = re.findall(r"I have question (\d+)", self.server.bodies[-1]["messages"][-1]["content"])[-1]
        self.asked.set()
        await self.may.wait()
        await fault_server.said(said(number))(writer)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Within, nothing is answered."""
        self.may.clear()
        self.asked.clear()
        yield
        self.may.set()


class Processes:
    """Those that were begun: by name, their process ids and where they are seen from outside."""

    def __init__(self, nursery: Nursery, folder: Path, url: str) -> None:
        self.url = url
        """Of the database."""
        self._nursery = nursery
        self._folder = folder
        self._ids: dict[str, int] = {}
        self._ports: dict[str, int] = {}

    async def begin(self, name: str, role: str, point: str = "") -> None:
        """Begins one, and waits until it says that it is ready. `point`: where it is killed, as in the child."""
        self._ports[name] = free_port()
        order = {
            "name": name,
            "arguments": ["run", "--role", role, "--config", str(self._folder / "config.yaml")],
            "folder": str(self._folder),
            "environment": {
                "HELLO_AGAIN__STORAGE__DATA_DIR": str(self._folder / name),
                "HELLO_AGAIN__METRICS__LISTEN": str(self._ports[name]),
            },
        }
        self._ids[name] = int(await self._ask(order | {"point": point}))
        if not point:
            await self.until(name, (200, "ready"))

    async def until(self, name: str, readiness: tuple[int, str]) -> None:
        """Waits until it says of itself that it is so."""
        async with asyncio.timeout(PATIENCE_S):
            while await self.look(name, "readyz") != readiness:  # noqa: ASYNC110  another process tells
                await asyncio.sleep(0.05)

    async def look(self, name: str, path: str) -> tuple[int, str]:
        """What it answers; (0, "") when it does not."""
        try:
            async with httpx.AsyncClient() as client:
                answer = await client.get(f"http://127.0.0.1:{self._ports[name]}/{path}")
        except httpx.TransportError:
            return 0, ""
        return answer.status_code, answer.text.strip()

    def tell(self, name: str, what: signal.Signals) -> None:
        """Sends it a signal."""
        os.kill(self._ids[name], what)

    async def ended(self, name: str) -> int:
        """Waits for its end: its exit code, or minus the signal that ended it."""
        return int(await self._ask({"ended": self._ids.pop(name)}))

    def lines(self, name: str) -> list[dict[str, Any]]:
        """What it has logged."""
        log = (self._folder / f"{name}.log").read_text("utf-8")
        return [json.loads(line) for line in log.splitlines() if line.startswith("{")]

    async def end(self) -> None:
        """Ends all that still run."""
        for name in [*self._ids]:
            with suppress(ProcessLookupError):
                self.tell(name, signal.SIGKILL)
            await self.ended(name)

    async def _ask(self, order: dict[str, Any]) -> str:
        return await asyncio.to_thread(self._nursery.ask, "tests.crash.command_child", json.dumps(order))


class Talk:
    """Ann asks; how often each answer is seen is counted."""

    def __init__(self, server: TelegramServer) -> None:
        self._server = server
        self._ann = server.world.add_user("Ann")
        self._asked = 0

    def ask(self) -> None:
        """One more question."""
        self._asked += 1
        self._server.world.say(self._ann, self._ann, f"I have question {self._asked}")

    async def answered(self) -> None:
        """Waits until the last question is answered; then each is, once, in order."""
        wanted = [said(number) for number in range(1, self._asked + 1)]
        await self._server.world.until(lambda: wanted[-1] in self.seen(), PATIENCE_S)
        assert self.seen() == wanted

    def seen(self) -> list[str]:
        """What Ann was answered."""
        return self._server.world.said(self._ann)


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    """Our Telegram."""
    async with open_telegram() as server:
        yield server


@pytest.fixture
async def answers() -> AsyncIterator[Answers]:
    """The model server."""
    answers = Answers()
    async with fault_server.fault_server(answers) as answers.server:
        yield answers
        answers.may.set()


@pytest.fixture
async def processes(
    nursery: Nursery, postgres: Server, telegram: TelegramServer, answers: Answers, tmp_path: Path
) -> AsyncIterator[Processes]:
    """The processes, none of which runs yet."""
    url = await postgres.fresh()
    chosen = SETTINGS | {
        "storage": {"database_url": url, "lease_s": LEASE_S},
        "telegram": {"api_url": telegram.base_url, "stream": False},
        "model": {"engine": "remote", "remote": {"base_url": answers.server.url}},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(chosen), "utf-8")
    processes = Processes(nursery, tmp_path, url)
    yield processes
    await processes.end()


async def test_a_message_is_followed_through_both_and_their_ends_lose_and_double_nothing(
    processes: Processes, telegram: TelegramServer, answers: Answers
) -> None:
    talk = Talk(telegram)
    await processes.begin("gateway", GATEWAY)
    await processes.begin("worker", WORKER)
    assert [await processes.look(name, "healthz") for name in ("gateway", "worker")] == [(200, "lives")] * 2
    talk.ask()
    await talk.answered()

    async with answers.held():
        talk.ask()
        await answers.asked.wait()
        processes.tell("worker", signal.SIGTERM)
        await processes.until("worker", (503, "leaving"))
    assert await processes.ended("worker") == 0
    await talk.answered()
    talk.ask()  # there is no worker now

    await processes.begin("other worker", WORKER)
    await talk.answered()
    telegram.faults.next("sendMessage", Fault.SLOW)
    talk.ask()
    await telegram.world.until(lambda: telegram.faults.struck != [] and len(talk.seen()) == 4, PATIENCE_S)
    processes.tell("gateway", signal.SIGTERM)
    await processes.until("gateway", (503, "leaving"))
    telegram.faults.release()
    assert await processes.ended("gateway") == 0
    followed(processes)
    talk.ask()  # there is no gateway now
    await processes.begin("other gateway", GATEWAY)
    await talk.answered()
    assert telegram.conflicts == 0


def followed(processes: Processes) -> None:
    """Asserts that the log has each of four messages by one number, in the gateway and in its worker."""
    turns = [line["turn"] for line in processes.lines("gateway") if line["event"] == "a message is taken in"]
    for turn, worker in zip(turns, ("worker", "worker", "other worker", "other worker"), strict=True):
        events = [line["event"] for line in processes.lines("gateway") if line.get("turn") == turn]
        assert events == ["a message is taken in", "a reply was sent or refused for good"]
        events = [line["event"] for line in processes.lines(worker) if line.get("turn") == turn]
        assert events == ["a turn begins", "a turn ended"]


async def test_a_poller_that_is_killed_is_replaced_within_a_lease_and_two_never_poll_at_once(
    processes: Processes, telegram: TelegramServer
) -> None:
    talk = Talk(telegram)
    await processes.begin("worker", WORKER)
    await processes.begin("poller", GATEWAY)
    await processes.begin("spare", GATEWAY)
    talk.ask()
    await talk.answered()
    assert not any(line["event"].startswith("this process serves") for line in processes.lines("spare"))

    async with asyncio.timeout(PATIENCE_S):  # killed before that, it would leave a reply of which nobody can tell
        while not processes.lines("poller")[-1]["event"].startswith("a reply was sent"):  # noqa: ASYNC110  another process
            await asyncio.sleep(0.05)
    processes.tell("poller", signal.SIGKILL)
    died, polled = asyncio.get_running_loop().time(), len(telegram.polled_s)
    assert await processes.ended("poller") == -signal.SIGKILL
    talk.ask()
    await telegram.world.until(lambda: len(telegram.polled_s) > polled, PATIENCE_S)
    assert telegram.polled_s[polled] - died < LEASE_S * 5 / 4 + SLACK_S
    await talk.answered()
    await processes.begin("again", GATEWAY)
    talk.ask()
    await talk.answered()
    assert telegram.conflicts == 0
    assert not any(line["event"].startswith("this process serves") for line in processes.lines("again"))


async def test_what_a_worker_was_at_when_it_was_killed_another_finishes(processes: Processes) -> None:
    async with aclosing(await open_database(processes.url)) as database:
        rows = Rows(database)
        await rows.converse(ANNS_DM, [ANN])  # leaves work behind
        await processes.begin("at work", WORKER, "INSERT INTO events ")
        assert await processes.ended("at work") == -signal.SIGKILL
        gone = await rows.accept("not this one", place=BENS_DM, speaker=BEN)
        await rows.erasures.erase_messages("chat", [gone.message_id], START)
        await processes.begin("in upkeep", WORKER, "UPDATE erasures")
        assert await processes.ended("in upkeep") == -signal.SIGKILL
        assert await rows.erasures.unfinished() != []
        await processes.begin("last", WORKER)
        async with asyncio.timeout(PATIENCE_S):
            while await rows.jobs.waiting() or await rows.erasures.unfinished():  # noqa: ASYNC110  rows of others
                await asyncio.sleep(0.1)
        assert (await rows.utterances.counts()).rows["events"] == 1
