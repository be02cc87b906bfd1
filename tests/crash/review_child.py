"""Lives of a core that reviews for signs of danger what was stored before, each in a process of its own.

    echo "FOLDER POINT" | python -m tests.crash.review_child

POINT is "before": a life of the program that did not look for danger; else as in `tests/crash/child.py`.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from bot.memory import safety_review
from bot.storage.erasing.safety_reviews import SqlSafetyReviews
from tests.crash.child import PORTS, kill_at
from tests.memory.cleaning import clean_now
from tests.nursery import serve
from tests.test_safety_review import WEEK, opened
from tests.test_safety_review import live as before

OWNERS: dict[str, type] = {**PORTS, "reviews": SqlSafetyReviews}


async def live(folder: Path) -> None:
    """Reviews two lines at a time, and does all that comes of it."""
    safety_review.BATCH = 2
    async with opened(folder, WEEK) as core:
        await core.app.safety_review.run()
        await core.app.settle()
        assert await clean_now(core.app.eraser, 60)


def life(folder: Path, point: str) -> int:
    """One life in a forked process; how it ended, as `os.waitstatus_to_exitcode` tells it."""
    child = os.fork()
    if child == 0:
        os.dup2(2, 1)  # the answers go to standard output, and what is logged does not
        try:
            if point not in {"before", "none"}:
                kill_at(point, OWNERS)
            asyncio.run(before(folder) if point == "before" else live(folder))
        except BaseException:  # noqa: BLE001  # told to the parent by the exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def answers(order: str) -> Iterator[str]:
    """Lives one life; says how it ended."""
    folder, _, point = order.rpartition(" ")
    yield str(life(Path(folder), point))


if __name__ == "__main__":
    serve(sys.stdin, answers)
