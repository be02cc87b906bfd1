"""A gateway that is asked to stop: what is being sent arrives, and nothing more is begun."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest

from bot.app.leasing import LeasedAdapter, _Whole
from bot.app.roles import all_of
from bot.conversation.elsewhere import Dispatch
from bot.domain import Lease, Place
from bot.ports import Core
from tests.adapters.discord.world import Ear, eventually
from tests.stored import ANNS_DM, BENS_DM


class Sends:
    """A delivery that is held up in the middle of each place."""

    def __init__(self) -> None:
        self.begun: list[Place] = []
        self.may = asyncio.Event()
        self.reaches: Callable[[Place], bool] = lambda _place: True

    async def send_left_over(self, place: Place) -> None:
        """Begins, and waits."""
        self.begun.append(place)
        await self.may.wait()


async def test_what_waits_for_its_turn_is_not_begun_any_more() -> None:
    sends = Sends()
    outbox = Mock(places=AsyncMock(return_value=[ANNS_DM, BENS_DM]))
    rung = Mock(heard=lambda _seconds: asyncio.Event().wait())
    dispatch = Dispatch(
        platform="chat",
        holds=sends.reaches,
        outbox=outbox,
        delivery=sends,  # type: ignore[arg-type]  # all that is asked of one
        bell=Mock(listener=lambda _name: rung),
        look_s=60.0,
        most=1,
    )
    running = asyncio.create_task(dispatch.run())
    await eventually(lambda: sends.begun == [ANNS_DM])
    finishing = asyncio.create_task(dispatch.finish())
    await asyncio.sleep(0)
    sends.may.set()
    await finishing
    assert sends.begun == [ANNS_DM]
    running.cancel()


@pytest.mark.parametrize("when", ["it is claimed", "it is begun"])
async def test_a_part_that_is_claimed_while_it_stops_is_not_served(when: str) -> None:
    stop, served, lease = asyncio.Event(), list[Core](), Mock(spec=Lease)
    lease.name = "platform chat"
    dispatch = Mock()

    async def claim(*_: object) -> Lease:
        if when == "it is claimed":
            stop.set()
        else:
            asyncio.get_running_loop().call_soon(stop.set)
        return lease

    async def run(core: Core) -> None:
        served.append(core)

    leases = MagicMock(lease_s=1.0, claim_part=claim, release=AsyncMock(), renew=AsyncMock(return_value=[lease]))
    adapter = Mock(spec=["platform", "messenger", "run"], platform="chat", run=run)
    leased = LeasedAdapter(adapter, leases, dispatch, stop)
    await leased._take("platform chat", {"platform chat": _Whole(adapter)}, Ear())
    for running in leased._running.values():
        await running.task
    leases.release.assert_awaited_once_with([lease])
    assert served == []
    dispatch.assert_not_called()


async def test_one_that_fails_to_end_lets_the_others_end() -> None:
    done: list[str] = []

    async def fails() -> None:
        raise RuntimeError("nobody foresaw this")

    async def ends() -> None:
        await asyncio.sleep(0.01)
        done.append("ended")

    with pytest.raises(RuntimeError, match="foresaw"):
        await all_of(fails(), ends())
    assert done == ["ended"]
