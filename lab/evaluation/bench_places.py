"""`lab bench places`: many people at once, in DMs and in busy channels, against a scripted model.

Everything but the model and the platform is real. Each person of a DM writes again as soon as they were answered; in
the channels several people talk as fast as their messages are stored, and address the companion now and then. What is
measured: messages a second over all, the time a DM message spends in the core, memory growth, whether order was kept.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter

import psutil
from rich.console import Console
from rich.table import Table

from bot.app.app import App, open_app
from bot.clock import SystemClock
from bot.config import UNLIMITED, Settings
from bot.domain import Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.llm.scripted import ScriptedChatModel
from lab.silent import SilentMessenger

PLATFORM = "bench"
SEED = 11
TALKERS = 8
"""People who talk in one channel."""

ADDRESSED = 5
"""One message in so many of a channel is for the companion."""

CHANNEL_SHARE = 0.4
"""Share of all messages that are said in channels."""

_WORDS = (
    "the river garden market music window summer letter dinner train holiday story kitchen weather friend evening "
    "museum project football coffee morning doctor cousin ticket lamp guitar forest".split()
)


@dataclass(frozen=True, slots=True)
class Crowd:
    """What was measured."""

    messages: int
    answered: int
    seconds: float
    milliseconds: tuple[float, ...]
    """Of each DM message: from handing it over until its reply was sent."""
    bytes_before: int
    bytes_half: int
    bytes_after: int
    out_of_order: int
    twice: int
    unanswered: int


@dataclass
class CountingMessenger(SilentMessenger):
    """A platform that only keeps which message was answered, in order, and wakes who waits for it."""

    answered: defaultdict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    waiting: dict[str, asyncio.Event] = field(default_factory=dict)

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """Takes the reply."""
        message_id = outgoing.in_reply_to or ""
        self.answered[outgoing.place].append(message_id)
        yield outgoing.nonce
        if message_id in self.waiting:
            self.waiting[message_id].set()


async def run(settings: Settings, people: int, channels: int, messages: int, pause_s: float) -> int:
    """Measures and prints the table; exit code 1 when an answer was lost, doubled or out of order."""
    crowd = await measure(settings, people, channels, messages, pause_s)
    Console(highlight=False, width=120).print(as_table(crowd, people, channels))
    return int(bool(crowd.out_of_order or crowd.twice or crowd.unanswered))


async def measure(settings: Settings, people: int, channels: int, messages: int, pause_s: float) -> Crowd:
    """One crowd in a fresh folder. Everybody waits about `pause_s` seconds before each message."""
    with TemporaryDirectory(prefix="hello-again-bench-") as folder:
        queue = settings.queue.model_copy(update={"max_pending": UNLIMITED})
        settings = settings.at_home().in_folder(Path(folder)).model_copy(update={"queue": queue})
        messenger = CountingMessenger()
        model = ScriptedChatModel("That sounds good. Tell me more about it, please.")
        async with open_app(settings, clock=SystemClock(), messengers={PLATFORM: messenger}, model=model) as app:
            return await _crowd(app, messenger, people, channels, messages, pause_s)


async def _crowd(
    app: App, messenger: CountingMessenger, people: int, channels: int, messages: int, pause_s: float
) -> Crowd:
    in_channels = int(messages * CHANNEL_SHARE) if channels else 0
    each_dm = (messages - in_channels) // people
    each_channel = in_channels // channels if channels else 0
    times: list[float] = []
    asked: dict[Place, list[str]] = {}
    memory = psutil.Process()
    before = memory.memory_info().rss
    half = before
    start = perf_counter()
    async with asyncio.TaskGroup() as group:
        beside = group.create_task(app.background.run(), name="background work")
        talks = [
            *(group.create_task(_dm(app, messenger, n, each_dm, pause_s, times, asked)) for n in range(people)),
            *(group.create_task(_channel(app, n, each_channel, pause_s, asked)) for n in range(channels)),
        ]
        pending = set(talks)
        while pending:
            _, pending = await asyncio.wait(pending, timeout=1.0)
            if half == before and len(times) > people * each_dm // 2:
                half = memory.memory_info().rss
        await app.idle()
        seconds = perf_counter() - start
        beside.cancel()
    answered = {place: messenger.answered[place] for place in asked}
    return Crowd(
        messages=people * each_dm + channels * each_channel,
        answered=sum(map(len, answered.values())),
        seconds=seconds,
        milliseconds=tuple(times),
        bytes_before=before,
        bytes_half=half,
        bytes_after=memory.memory_info().rss,
        out_of_order=sum(_disorder(ids, asked[place]) for place, ids in answered.items()),
        twice=sum(len(ids) - len(set(ids)) for ids in answered.values()),
        unanswered=await _unanswered(app),
    )


async def _dm(
    app: App,
    messenger: CountingMessenger,
    number: int,
    count: int,
    pause_s: float,
    times: list[float],
    asked: dict[Place, list[str]],
) -> None:
    """One person in a DM, who waits for each answer before writing again."""
    dice = random.Random(SEED + number)  # noqa: S311 - repeatable, not secret
    place = Place(PLATFORM, PlaceKind.DM, f"p{number}")
    speaker = Speaker(f"{PLATFORM}:p{number}", f"Person {number}")
    said = asked.setdefault(place, [])
    for index in range(count):
        await asyncio.sleep(dice.uniform(0, 2 * pause_s))
        message_id = f"d{number}-{index}"
        said.append(message_id)
        messenger.waiting[message_id] = asyncio.Event()
        start = perf_counter()
        await app.receive(Utterance(place, message_id, speaker, _sentence(dice), SystemClock().now()))
        await messenger.waiting[message_id].wait()
        times.append((perf_counter() - start) * 1000)
        del messenger.waiting[message_id]


async def _channel(app: App, number: int, count: int, pause_s: float, asked: dict[Place, list[str]]) -> None:
    """Several people in a channel, who talk as fast as they are stored."""
    dice = random.Random(SEED * 1000 + number)  # noqa: S311 - repeatable, not secret
    place = Place(PLATFORM, PlaceKind.CHANNEL, f"server/{number}")
    said = asked.setdefault(place, [])
    for index in range(count):
        await asyncio.sleep(dice.uniform(0, 2 * pause_s))
        talker = dice.randrange(TALKERS)
        speaker = Speaker(f"{PLATFORM}:c{number}-{talker}", f"Talker {talker}")
        to_bot = index % ADDRESSED == 0
        message_id = f"c{number}-{index}"
        if to_bot:
            said.append(message_id)
        await app.receive(Utterance(place, message_id, speaker, _sentence(dice), SystemClock().now(), to_bot))


async def _unanswered(app: App) -> int:
    """Messages that are still in the inbox."""
    return len(await app.stores.inbox.pending())


def _sentence(dice: random.Random) -> str:
    words = " ".join(dice.choices(_WORDS, k=dice.randint(4, 12)))
    return f"I {dice.choice(('saw', 'like', 'lost', 'want'))} {words}."


def _disorder(answered: Sequence[str], asked: Sequence[str]) -> int:
    """How many answers come before that of an earlier message."""
    positions = {message_id: position for position, message_id in enumerate(asked)}
    order = [positions[message_id] for message_id in answered]
    return sum(later < earlier for earlier, later in pairwise(order))


def as_table(crowd: Crowd, people: int, channels: int) -> Table:
    """The figures as a table."""
    megabyte = 1 << 20
    table = Table(title=f"{people} people in DMs and {channels} channels at once", title_justify="left")
    table.add_column("what")
    table.add_column("figure", justify="right")
    rows = (
        ("messages", f"{crowd.messages:,}"),
        ("replies (bursts of one speaker get one)", f"{crowd.answered:,}"),
        ("seconds", f"{crowd.seconds:.1f}"),
        ("messages a second", f"{crowd.messages / crowd.seconds:.1f}"),
        ("a DM message in the core, ms: p50", f"{median(crowd.milliseconds):.0f}"),
        ("a DM message in the core, ms: p95", f"{quantiles(crowd.milliseconds, n=20)[-1]:.0f}"),
        ("resident memory before, MiB", f"{crowd.bytes_before / megabyte:.0f}"),
        ("resident memory half way, MiB", f"{crowd.bytes_half / megabyte:.0f}"),
        ("resident memory after, MiB", f"{crowd.bytes_after / megabyte:.0f}"),
        ("answers out of order", str(crowd.out_of_order)),
        ("messages answered twice", str(crowd.twice)),
        ("messages left without an answer", str(crowd.unanswered)),
    )
    for what, figure in rows:
        table.add_row(what, figure)
    return table
