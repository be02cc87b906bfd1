"""Gateways and workers over one PostgreSQL, in processes of their own: killed, stopped past their lease, and counted.

The long form is `lab bench several`.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.storage.engine.database import open_database
from lab.evaluation.several import Plan, rehearse
from tests.postgres import running

pytestmark = pytest.mark.timeout(120)


class Restarting:
    """A server that can be ended and begun again on the same data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self.server = self._stack.enter_context(running(folder))

    async def again(self) -> None:
        """Ends it, as an administrator's restart does, and begins it."""
        await asyncio.to_thread(self._again)

    def _again(self) -> None:
        self.close()
        self._stack.enter_context(running(self._folder))

    def close(self) -> None:
        """Ends it."""
        self._stack.close()


@pytest.fixture
def server() -> Iterator[Restarting]:
    """A server of this test's own."""
    folder = Path(tempfile.mkdtemp(prefix="hello-pg-"))
    server = Restarting(folder)
    try:
        yield server
    finally:
        server.close()
        shutil.rmtree(folder)


async def test_nothing_is_lost_or_doubled_while_processes_are_killed_and_stopped(server: Restarting) -> None:
    await server.server.run("CREATE DATABASE hello")
    await (await open_database(server.server.url("hello"))).aclose()
    plan = Plan(messages=120, places=12, workers=3, talk_s=6.0, kills=4, pauses=1, restarts=1, lease_s=1.0)

    seen = await rehearse(plan, server.server.url("hello"), server.again)

    assert (seen.kills, seen.pauses, seen.restarts) == (4, 1, 1)
    # Order is not asserted: one reply in some hundred still comes before an earlier one (BENCHMARKS, DECISIONS 138).
    assert (seen.lost, seen.twice["crowd"]) == (0, 0)
