"""Until when a platform was seen."""

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


async def test_one_of_several_connections_has_seen_what_all_had_seen_that_were_another_number(rows: Rows) -> None:
    presence = rows.presence
    await presence.saw("chat", START)
    assert await presence.seen_until("chat 1/2") == START, "the only one had seen it"
    await presence.saw("chat 0/2", START + 2 * SECOND)
    assert await presence.seen_until("chat 1/2") == START, "what the other one saw says nothing of this one"
    await presence.saw("chat 1/2", START + SECOND)
    assert await presence.seen_until("chat 0/2") == START + 2 * SECOND
    assert await presence.seen_until("chat 1/2") == START + SECOND
    assert await presence.seen_until("chat 3/4") == START + SECOND, "both of two had seen it"
    assert await presence.seen_until("chat") == START + SECOND
    assert await presence.seen_until("chatter") is None
