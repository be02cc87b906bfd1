"""How the program is doing, for `/status`."""

from collections.abc import Mapping

import psutil

from bot.conversation.queue import Conversations
from bot.conversation.reply_generator import ReplyGenerator
from bot.ports import Clock, Jobs
from bot.usecases.vitals import Vitals


class VitalSigns:
    """How the program is doing, for `/status`."""

    def __init__(
        self,
        *,
        clock: Clock,
        conversations: Conversations,
        jobs: Jobs,
        generator: ReplyGenerator | None,
        states: Mapping[str, str],
    ) -> None:
        self._clock = clock
        self._conversations = conversations
        self._jobs = jobs
        self._generator = generator
        self._states = states
        self._since = clock.now()
        self._process = psutil.Process()

    async def __call__(self) -> Vitals:
        """The figures of this moment."""
        return Vitals(
            uptime=self._clock.now() - self._since,
            answering=self._conversations.places,
            waiting=self._conversations.waiting,
            tokens_per_s=self._generator.tokens_per_s or None if self._generator is not None else None,
            resident_bytes=self._process.memory_info().rss,
            jobs_waiting=await self._jobs.waiting(),
            adapters=tuple(sorted(self._states.items())),
        )
