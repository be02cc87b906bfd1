"""Conversations played through the whole core, each in a core of its own, on a clock that is moved.

Everything is as in a chat: recall, prompt, model, checks. Conversations of one day are played without their sessions
ever ending, since nobody comes back to a summary that would be made; all others see sessions end and nights pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
STEP = timedelta(seconds=70)
"""Between two lines."""
SOMEBODY = "Robin"
"""The name of who speaks where a line names nobody."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and how long it took. Empty: nothing came."""

    text: str
    seconds: float


Replies = dict[str, list[Reply]]
"""Key of a conversation → its replies, one for each line."""


def key_of(conversation: Conversation) -> str:
    """What a conversation is called among those of all sets."""
    return f"{conversation.set}/{conversation.id}"


async def play(
    settings: Settings, engines: Engines, talk: Conversation, advance: Callable[[], None] = lambda: None
) -> list[Reply]:
    """The core's replies to the lines of a conversation; `advance` is told of each. Raises BadInput, StorageError."""
    between = App.settle if len({line.day for line in talk.lines}) > 1 else _work
    turns: list[Turn] = []
    replies: list[Reply] = []
    clock = ManualClock(START)
    with TemporaryDirectory(prefix="hello-again-companion-") as folder:
        async with open_core(settings.at_home(), engines, Path(folder), clock, turns) as app:
            for line in (_line(talk, step, line) for step, line in enumerate(talk.lines)):
                clock.move_to(line.time)
                await between(app)
                await app.conversations.rested()
                turns.clear()
                start = perf_counter()
                await app.receive(line.utterance)
                await app.idle()
                replies.append(Reply(_reply(turns, line), perf_counter() - start))
                advance()
    return replies


async def _work(app: App) -> None:
    """The background work of a session that goes on."""
    await app.background.drain()
    await app.indexer.catch_up()


def _reply(turns: Sequence[Turn], line: ReplayLine) -> str:
    """What was said to the line; nothing where its turn failed."""
    about = (turn for turn in turns if any(one.message_id == line.message_id for one in turn.utterances))
    return next((turn.reply or "" for turn in about), "")


def _line(talk: Conversation, step: int, line: Line) -> ReplayLine:
    """The line at its time. Raises BadInput."""
    name = line.speaker or SOMEBODY
    return ReplayLine(
        number=step,
        time=START + timedelta(days=line.day) + step * STEP,
        place=_place(talk, line, name),
        speaker=Speaker(f"{PLATFORM}:{name}", name),
        text=line.text,
        to_bot=True,
        message_id=str(step),
    )


def _place(talk: Conversation, line: Line, name: str) -> Place:
    try:
        return parse_place(line.place or f"dm:{name}")
    except ValueError as error:
        raise BadInput(f"{talk.set}, {talk.id}: {error}") from None
