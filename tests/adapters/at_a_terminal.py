"""The console at a real terminal, over a core that answers `/memory timeline` with a picture: run as a program.

Its argument is the folder that files are written to. What was said before is "What did I cook?".
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from adapters.console import PLATFORM, ConsoleAdapter
from bot.clock import SystemClock
from bot.domain import Answer, Asker, Call, File, Place, PlaceKind, Speaker, Utterance
from tests.adapters.telegram.world import Ear

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
SAID_BEFORE = "What did I cook?"
DM = Place(PLATFORM, PlaceKind.DM, "ann")


def answer(call: Call, asker: Asker) -> Answer:
    """A picture for a timeline, and for anything else what was asked."""
    if call.command == "memory timeline":
        return Answer("Here it is.", files=(File("timeline.png", PICTURE),))
    return Answer(f"<{call.command}> was asked")


class Echo(Ear):
    """Says in the terminal what it hears."""

    async def receive(self, utterance: Utterance) -> bool:
        """Keeps it, and prints it."""
        sys.stdout.write(f"heard <{utterance.text}>\n")
        return await super().receive(utterance)


async def main() -> None:
    """Talks until `/quit`."""
    adapter = ConsoleAdapter(user="Ann", agent_name="Monica", clock=SystemClock(), exports=Path(sys.argv[1]))
    core = Echo(answer=answer)
    core.heard.append(Utterance(DM, "m1", Speaker("console:ann", "Ann"), SAID_BEFORE, SystemClock().now()))
    await adapter.run(core)


if __name__ == "__main__":
    asyncio.run(main())
