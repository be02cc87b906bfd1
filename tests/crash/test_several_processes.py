"""Gateways and workers over one PostgreSQL, in processes of their own: killed, stopped past their lease, and counted.

The long form is `lab bench several`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.evaluation.several import CONNECTIONS, Plan, Platforms, rehearse
from tests.postgres import Restarting

SEED = 3
"""With which a worker and both gateways are killed, one after the other."""


@pytest.fixture
def restarting() -> Iterator[Restarting]:
    """A server of this test's own."""
    server = Restarting(max_connections=CONNECTIONS)
    yield server
    server.remove()


async def test_nothing_is_lost_doubled_or_out_of_order_while_processes_are_killed_and_stopped(
    restarting: Restarting,
) -> None:
    url = await restarting.start().fresh("template0")
    plan = Plan(
        messages=120, places=12, workers=3, talk_s=6.0, kills=4, pauses=1, restarts=1, lease_s=3.0, patience_s=60.0
    )

    seen = await rehearse(plan, url, restarting.again)

    assert (len(seen.killed), seen.pauses, seen.restarts) == (4, 1, 1)
    assert (seen.lost, seen.twice["crowd"], seen.out_of_order) == (0, 0, 0)


async def test_our_discord_and_our_telegram_are_answered_while_gateways_and_workers_are_killed(
    restarting: Restarting,
) -> None:
    url = await restarting.start().fresh("template0")
    plan = Plan(
        platforms=Platforms.REAL, messages=12, places=4, talk_s=4.0, kills=3, restarts=1, patience_s=60.0, seed=SEED
    )

    seen = await rehearse(plan, url, restarting.again)

    assert {name.partition("-")[0] for name in seen.killed} == {"gateway", "worker"}
    assert seen.restarts == 1
    assert (seen.lost, seen.twice["discord"], seen.out_of_order) == (0, 0, 0)
