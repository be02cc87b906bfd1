"""Conversations played through the whole core, each with its own person, on a clock that is moved.

Everything is as in a chat: recall, prompt, model, checks. Conversations of one day are played without their sessions
ever ending, since nobody comes back to a summary that would be made; all others see sessions end and nights pass.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bot.app.app import App
from bot.app.assembly import Engines
from bot.clock import ManualClock
from bot.config import Settings
from bot.conversation.turn import Turn
from bot.domain import Place, Speaker
from bot.errors import BadInput
from lab.evaluation.companion.conversations import Conversation, Line
from lab.evaluation.rehearsal import open_core
from lab.replay.input import PLATFORM, ReplayLine, parse_place

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
APART = timedelta(minutes=20)
"""Between the starts of two conversations."""
STEP = timedelta(seconds=70)
"""Between two lines of one."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and how long it took. Empty: nothing came."""

    text: str
    seconds: float


Replies = dict[str, list[Reply]]
"""Key of a conversation → its replies, one for each line."""


@dataclass(frozen=True, slots=True)
class _Said:
    """One line at its time, and where its reply goes."""

    conversation: Conversation
    line: ReplayLine


def key_of(conversation: Conversation) -> str:
    """What a conversation is called among those of all sets."""
    return f"{conversation.set}/{conversation.id}"


async def play(
    settings: Settings,
    engines: Engines,
    conversations: Sequence[Conversation],
    advance: Callable[[], None] = lambda: None,
) -> Replies:
    """The replies of the core to all lines; `advance` is told of each. Raises BadInput, StorageError."""
    said = [one for number, talk in enumerate(conversations) for one in _lines(talk, number)]
    said.sort(key=lambda one: one.line.time)
    replies: Replies = {key_of(talk): [] for talk in conversations}
    short = [one for one in said if not _passes_days(one.conversation)]
    long = [one for one in said if _passes_days(one.conversation)]
    for lines, between in ((short, _work), (long, App.settle)):
        if lines:
            await _play(settings, engines, lines, between, replies, advance)
    return replies


def _passes_days(conversation: Conversation) -> bool:
    return len({line.day for line in conversation.lines}) > 1


async def _work(app: App) -> None:
    """The background work of a session that goes on."""
    await app.background.drain()
    await app.indexer.catch_up()


async def _play(
    settings: Settings,
    engines: Engines,
    said: Sequence[_Said],
    between: Callable[[App], Awaitable[None]],
    replies: Replies,
    advance: Callable[[], None],
) -> None:
    turns: list[Turn] = []
    clock = ManualClock(said[0].line.time)
    with TemporaryDirectory(prefix="hello-again-companion-") as folder:
        async with open_core(settings.at_home(), engines, Path(folder), clock, turns) as app:
            for one in said:
                clock.move_to(one.line.time)
                await between(app)
                turns.clear()
                start = perf_counter()
                await app.receive(one.line.utterance)
                await app.idle()
                seconds = perf_counter() - start
                replies[key_of(one.conversation)].append(Reply(_reply(turns, one.line), seconds))
                advance()


def _reply(turns: Sequence[Turn], line: ReplayLine) -> str:
    """What was said to the line; nothing where its turn failed."""
    about = (turn for turn in turns if any(one.message_id == line.message_id for one in turn.utterances))
    return next((turn.reply or "" for turn in about), "")


def _lines(talk: Conversation, number: int) -> list[_Said]:
    return [_Said(talk, _line(talk, number, step, line)) for step, line in enumerate(talk.lines)]


def _line(talk: Conversation, number: int, step: int, line: Line) -> ReplayLine:
    """The line with people and a place that no other conversation has. Raises BadInput."""
    name = line.speaker or f"person{number}"
    person = f"{line.speaker or 'person'}{number}"
    return ReplayLine(
        number=step,
        time=START + timedelta(days=line.day) + number * APART + step * STEP,
        place=_place(talk, line, number, person),
        speaker=Speaker(f"{PLATFORM}:{person}", name),
        text=line.text,
        to_bot=True,
        message_id=f"{number}/{step}",
    )


def _place(talk: Conversation, line: Line, number: int, person: str) -> Place:
    if not line.place or line.place == f"dm:{line.speaker}":
        return parse_place(f"dm:{person}")
    first, slash, rest = line.place.partition("/")
    try:
        return parse_place(f"{first}{number}{slash}{rest}")
    except ValueError as error:
        raise BadInput(f"{talk.set}, {talk.id}: {error}") from None
