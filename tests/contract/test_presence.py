"""The contract of `bot.ports.Presence`."""

from datetime import timedelta

from tests.stored import START, Rows

SECOND = timedelta(seconds=1)


async def test_a_platform_that_was_never_connected_was_never_seen(rows: Rows) -> None:
    await rows.presence.saw("chat", START)
    assert await rows.presence.seen_until("other") is None


async def test_the_latest_time_holds(rows: Rows) -> None:
    for time in (START, START + SECOND, START):
        await rows.presence.saw("chat", time)
    assert await rows.presence.seen_until("chat") == START + SECOND
