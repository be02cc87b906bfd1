"""The client is closed while something is on its way, as in a crash: that is no fault of the reply's."""

from __future__ import annotations

from structlog.testing import capture_logs

from adapters.discord.messenger import failure
from bot.ports import Growing
from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, dm, eventually
from tests.platform.discord_client import Home


async def test_a_reply_that_grows_while_the_client_is_closed_ends_without_a_traceback(home: Home) -> None:
    ear, created = Ear(), list[str]()

    async def note(message_id: str) -> None:
        created.append(message_id)

    connection = connected(home, ear)
    with capture_logs() as logged:
        adapter = await connection.__aenter__()
        said = await home.server.say(home.ann, home.dm, "hello")
        await eventually(lambda: bool(ear.heard))
        async with adapter.messenger.live(Growing(dm(home.ann), str(said.id), None, note)) as live:
            live.show("I hear")
            await eventually(lambda: bool(created))
            await connection.__aexit__(None, None, None)
            live.show("I hear you, and more.")
            await eventually(lambda: any("growing reply" in one["event"] for one in logged))
    assert not [one for one in logged if one["log_level"] == "error" or "exc_info" in one]
    assert [one["fault"] for one in logged if "growing reply" in one["event"]] == ["RuntimeError"]


def test_what_is_sent_while_the_client_is_closed_is_sent_again() -> None:
    failed = failure(RuntimeError("Session is closed"))
    assert (failed.retry, failed.uncertain) == (True, False)
