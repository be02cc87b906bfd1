"""Discord is told of the slash commands beside the conversation: whatever it answers, the companion is there."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, eventually
from tests.platform.discord_client import Home
from tests.platform.discord_server import Fault

LASTING = (Fault.SERVER_ERROR, Fault.HOLD_BEFORE)
"""What discord.py waits for, or tries again for a while."""
COMMANDS = r"/applications/\d+/commands"
EXTENSIONS = ("tests.adapters.discord.commands_for_tests",)


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize("fault", [*LASTING, Fault.UNAVAILABLE, Fault.ODD, Fault.DROP_BEFORE])
async def test_an_odd_answer_does_not_keep_it_offline(home: Home, method: str, fault: Fault) -> None:
    ear = Ear()
    home.server.faults.next(method, COMMANDS, fault, times=9)
    with capture_logs() as logged:
        async with connected(home, ear, extensions=EXTENSIONS):
            await home.server.say(home.ann, home.kitchen, "hello")
            await eventually(lambda: len(ear.heard) == 1)
    refusals = [one for one in logged if one["log_level"] != "info"]
    assert len(refusals) == (fault not in LASTING)
    assert all(len(str(one)) < 200 for one in refusals)
