"""The contract of `bot.ports.Channels`."""

from dataclasses import replace

import pytest

from bot.domain import ChannelMode
from tests.stored import ANN, BEN, HALL, OTHER_HALL, Rows

THREAD = replace(HALL, ref=f"{HALL.ref}/thread")


@pytest.mark.parametrize("mode", ChannelMode)
async def test_a_mode_comes_back_also_where_nothing_was_said(rows: Rows, mode: ChannelMode) -> None:
    assert await rows.channels.mode(HALL) is None
    await rows.channels.set_mode(HALL, mode, ANN.id)
    assert await rows.channels.mode(HALL) is mode


async def test_the_last_mode_holds(rows: Rows) -> None:
    await rows.accept(place=HALL)
    await rows.channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
    await rows.channels.set_mode(HALL, ChannelMode.OPEN, BEN.id)
    assert await rows.channels.mode(HALL) is ChannelMode.OPEN


async def test_a_mode_is_of_exactly_one_place(rows: Rows) -> None:
    await rows.channels.set_mode(HALL, ChannelMode.LISTEN, ANN.id)
    assert await rows.channels.mode(THREAD) is None
    assert await rows.channels.mode(OTHER_HALL) is None
    await rows.channels.set_mode(THREAD, ChannelMode.OFF, ANN.id)
    assert await rows.channels.mode(HALL) is ChannelMode.LISTEN
