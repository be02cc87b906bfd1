"""Lives in which check-ins come due, each in a process of its own, which may be killed at a named point.

    echo "FOLDER PLATFORM DAYS POINT URL" | python -m tests.crash.checkin_child

PLATFORM is "telling" (it takes each nonce once, as Discord does) or "blind" (it can tell no doubles, so that what may
have arrived is not sent again, as on Telegram). DAYS: for how many days the loop ticks. POINT and the answers are as in
`child.py`; "twice" has two processes do the same at once. URL: the database's, "-" for a file in the folder. What
people see is a file; the clock stands where the process before was killed.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime, timedelta
from pathlib import Path

from bot.clock import ManualClock
from bot.config import load_settings
from bot.conversation.consent import Consents
from bot.conversation.delivery import Unseen
from bot.domain import CareWishes, Outgoing, Place, Utterance
from bot.errors import DeliveryFailed
from bot.ports import Growing, Live
from bot.storage.care import checkins
from bot.storage.conversation import outbox
from bot.storage.engine.database import open_database
from bot.storage.erasing import erasures
from tests.care.checking import CARE, LEASE, NOON, SAID, Words, about, work_on
from tests.crash.child import kill_at
from tests.living import ANN, DM, START, UNASKED
from tests.nursery import serve
from tests.stored import Rows

MINUTE = timedelta(minutes=1)
TWICE = "twice"
FILE = "-"


class Postbox:
    """A platform that writes what it shows into a file."""

    def __init__(self, file: Path, *, tells: bool) -> None:
        self._file = file
        self._tells = tells

    def reaches(self, place: Place) -> bool:
        return True

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        return nullcontext(Unseen())

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        if outgoing.uncertain and not self._tells and not outgoing.parts:
            raise DeliveryFailed("It may have arrived.", retry=False, code="uncertain")
        if not outgoing.parts:
            yield await self.take(outgoing)

    async def retract(self, place: Place, message_id: str) -> None:
        return

    async def take(self, outgoing: Outgoing) -> str:
        """Writes a check-in down, unless its nonce is there and can be told: a method that `kill_at` can wrap."""
        line = f"{outgoing.nonce} {outgoing.text}"
        shown = self._file.read_text().splitlines() if self._file.exists() else []
        if outgoing.checkin_id and not (self._tells and line in shown):
            with self._file.open("a") as file:
                file.write(f"{line}\n")
        return f"shown-{outgoing.nonce}"


OWNERS: dict[str, type] = {
    "checkins": checkins.SqlCheckIns,
    "erasures": erasures.SqlErasures,
    "outbox": outbox.SqlOutbox,
    "platform": Postbox,
    "words": Words,
}


async def live(folder: Path, platform: str, days: int, url: str) -> None:
    """Ticks at noon and some minutes later, when every lease has run out, on every day that is left."""
    wall = folder / "now"
    clock = ManualClock(datetime.fromisoformat(wall.read_text()) if wall.exists() else START)
    postbox = Postbox(folder / "seen", tells=platform == "telling")
    care = {"care__back_off_after": 1, "care__stop_after": 2}
    settings = load_settings(None, {}, **{**UNASKED, **CARE, **care})
    database = await open_database(f"sqlite+aiosqlite:///{folder / 'hello.db'}" if url == FILE else url)
    rows = Rows(database)
    if not wall.exists():
        await say(rows)
    [source] = await rows.utterances.get([1])
    work, delivery = work_on(
        rows,
        words=Words(about(source)),
        messenger=postbox,
        consents=Consents(privacies=rows.privacies, settings=settings.privacy),
        clock=clock,
        settings=settings,
    )
    if not wall.exists():
        clock_to(clock, wall, START)
        await rows.checkins.choose(CareWishes(ANN.id, on=True, place=DM, offered=True))
        await work.planner.plan_anew(ANN.id)
    for day in range(days):
        for after in (timedelta(0), LEASE + MINUTE):
            clock_to(clock, wall, NOON + day * timedelta(days=1) + after)
            await delivery.deliver_left_over()
            await work.tick()
    await database.aclose()


async def say(rows: Rows) -> None:
    """Ann says what the check-ins are about."""
    said = await rows.inbox.accept(Utterance(DM, "m1", ANN, SAID, START))
    assert said is not None
    await rows.sessions.append(said, timedelta(hours=1), 1000)
    await rows.inbox.remembered([said.id])


def clock_to(clock: ManualClock, wall: Path, moment: datetime) -> None:
    """Moves the clock on, as far as a life before has not."""
    clock.move_to(moment)
    wall.write_text(clock.now().isoformat())


def life(folder: Path, platform: str, days: int, point: str, url: str) -> int:
    """One life in a forked process, or two at once; how it ended, as `os.waitstatus_to_exitcode` tells it."""
    children = [begin(folder, platform, days, point, url) for _ in range(2 if point == TWICE else 1)]
    return max((os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children), key=abs)


def begin(folder: Path, platform: str, days: int, point: str, url: str) -> int:
    """Forks one life; its process id."""
    child = os.fork()
    if child == 0:
        os.dup2(2, 1)  # the answers go to standard output, and what is logged does not
        try:
            if point not in {"none", TWICE}:
                kill_at(point, OWNERS)
            asyncio.run(live(folder, platform, days, url))
        except BaseException:  # noqa: BLE001  # told to the parent by the exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def answers(order: str) -> Iterator[str]:
    """Lives one life, or two at once; says how it ended."""
    folder, platform, days, point, url = order.split()
    yield str(life(Path(folder), platform, int(days), point, url))


if __name__ == "__main__":
    serve(sys.stdin, answers)
