"""The contract of `bot.ports.Channels`."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select

from bot.domain import ChannelMode
from bot.storage.tables import places
from tests.stored import ANN, ANNS_DM, BEN, HALL, OTHER_HALL, START, Rows

DAY = timedelta(days=1)
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


async def versions_of(rows: Rows, *changes: Callable[[], Awaitable[None]]) -> list[bool]:
    """For each change: whether it made the version of the events another."""
    found = []
    for change in changes:
        before = await rows.events.version()
        await change()
        found.append(await rows.events.version() != before)
    return found


async def public(rows: Rows) -> dict[str, bool | None]:
    async with rows.database.reading() as connection:
        found = await connection.execute(select(places.c.key, places.c.public))
        return {row.key: row.public for row in found}


async def test_sharing_is_off_until_it_is_switched_on_and_is_the_whole_servers(rows: Rows) -> None:
    elsewhere = [replace(HALL, ref="other/hall"), replace(HALL, platform="post"), ANNS_DM]
    assert not await rows.channels.shares(HALL)
    await rows.channels.set_sharing(HALL, ANN.id, on=True)
    assert [await rows.channels.shares(place) for place in (HALL, OTHER_HALL, THREAD)] == [True] * 3
    assert [await rows.channels.shares(place) for place in elsewhere] == [False] * 3
    await rows.channels.set_sharing(OTHER_HALL, BEN.id, on=False)
    assert not await rows.channels.shares(HALL)


async def test_a_dm_shares_with_nobody(rows: Rows) -> None:
    with pytest.raises(ValueError, match="no server"):
        await rows.channels.set_sharing(ANNS_DM, ANN.id, on=True)


async def test_switching_sharing_changes_what_may_be_used(rows: Rows) -> None:
    switches = [partial(rows.channels.set_sharing, HALL, ANN.id, on=on) for on in (False, True, True, False, False)]
    assert await versions_of(rows, *switches) == [False, True, False, True, False]


async def test_who_can_read_a_channel_is_kept_also_of_unknown_ones(rows: Rows) -> None:
    await rows.accept(place=HALL)
    await rows.channels.set_public({HALL: True, THREAD: False})
    assert await public(rows) == {HALL.key: True, THREAD.key: False}
    await rows.channels.set_public({HALL: False})
    assert await public(rows) == {HALL.key: False, THREAD.key: False}


async def test_visibility_counts_only_where_it_is_shared(rows: Rows) -> None:
    await rows.accept(place=HALL)
    readable, closed = [partial(rows.channels.set_public, {HALL: public}) for public in (True, False)]
    assert await versions_of(rows, readable, closed) == [False, False]
    await rows.channels.set_sharing(OTHER_HALL, ANN.id, on=True)
    assert await versions_of(rows, closed, readable, readable, closed) == [False, True, False, True]


async def test_a_server_that_removed_the_companion_is_known_with_all_its_places(rows: Rows) -> None:
    other = replace(HALL, ref="other/hall")
    for place in (OTHER_HALL, HALL, THREAD, ANNS_DM, other, replace(HALL, platform="post")):
        await rows.accept(place=place)
    await rows.channels.left("chat", "server", START)
    await rows.channels.left("chat", "other", START - DAY)
    await rows.channels.left("post", "empty", START - DAY)
    assert await rows.channels.left_before(START - DAY) == []
    gone = [("chat", "other", [other]), ("post", "empty", [])]
    assert await rows.channels.left_before(START) == gone
    assert await rows.channels.left_before(START + DAY) == [*gone, ("chat", "server", [HALL, THREAD, OTHER_HALL])]


async def test_a_server_that_it_is_on_again_is_kept(rows: Rows) -> None:
    await rows.channels.set_sharing(HALL, ANN.id, on=True)
    await rows.channels.left("chat", "server", START)
    await rows.channels.left("chat", "server", None)
    await rows.channels.left("chat", "new", None)
    assert await rows.channels.left_before(START + DAY) == []
    assert await rows.channels.shares(HALL)
