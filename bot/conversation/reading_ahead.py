"""Has the model read what prompts begin with while nobody waits: at the start, and after each reply for the next one.

All of the next prompt but its last message is known once a reply is sent. On a CPU, reading that takes longer than
saying the answer, and people take seconds to type.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import structlog

from bot.conversation.prompt import Beginning
from bot.domain import ChatMessage, GenerationRequest, Place, Priority, Role
from bot.errors import ModelError
from bot.ports import ChatModel

AT_START = timedelta(minutes=5)
"""How long reading the beginning of all prompts may take."""

BETWEEN = timedelta(seconds=20)
"""How long the beginning of the next one may wait for its turn and be read: then it is too late for it."""

MOST_UNREAD = 160
"""Tokens that are read between two messages at most: a step at the model cannot be ended, and a reply would wait."""

_log = structlog.get_logger(__name__)


class ReadingAhead:
    """Asks one model to read ahead, where it keeps what it read. Close with `aclose`."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._tasks: dict[Place, asyncio.Task[None]] = {}

    @property
    def useful(self) -> bool:
        """Whether the model keeps anything of it."""
        return self._model.description.reads_ahead

    async def read(
        self, beginnings: Sequence[Beginning], deadline: timedelta = AT_START, most: int | None = None
    ) -> None:
        """Has them read one after another; a failure is logged. `most`: what has more unread tokens is not read."""
        if not self.useful:
            return
        for beginning in beginnings:
            request = GenerationRequest(
                (*beginning.messages, ChatMessage(Role.USER, ".")),  # without it, the template would open a reply there
                max_tokens=1,
                skill=beginning.skill,
                shared=beginning.shared,
                priority=Priority.BACKGROUND,
                deadline=deadline,
                most_unread=most,
            )
            try:
                async for _ in self._model.stream(request):
                    pass
            except ModelError as error:
                _log.warning("the beginning of prompts was not read ahead", error=type(error).__name__)
                return

    async def prepare(self, place: Place, beginnings: Sequence[Beginning]) -> None:
        """Has read, from now on and beside all else, what the next prompt in `place` may begin with."""
        await self.stop(place)
        if beginnings:
            # Owned by stop(), which the next message and aclose() call.
            task = asyncio.create_task(self.read(beginnings, BETWEEN, MOST_UNREAD), name="read ahead")
            self._tasks[place] = task
            task.add_done_callback(lambda done: self._ended(place, done))

    async def stop(self, place: Place) -> None:
        """Ends what is being read for `place`, of which something was said."""
        if (task := self._tasks.pop(place, None)) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def idle(self) -> None:
        """Waits until nothing is being read."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def aclose(self) -> None:
        """Ends all of it. Safe to call twice."""
        for place in [*self._tasks]:
            await self.stop(place)

    def _ended(self, place: Place, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("what the next prompt begins with could not be read", error=type(error).__name__)
        if self._tasks.get(place) is task:
            del self._tasks[place]
