"""How the program is doing, for `/status`."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from bot.conversation.queue import Conversations
from bot.conversation.reply_generator import ReplyGenerator
from bot.ports import Clock, Jobs
from bot.usecases.about import Vitals


@dataclass(eq=False, repr=False)
class VitalSigns:
    """How the program is doing, for `/status`. `folder`: the data folder."""

    clock: Clock
    conversations: Conversations
    jobs: Jobs
    generator: ReplyGenerator | None
    states: Mapping[str, str]
    folder: Path

    def __post_init__(self) -> None:
        self._since = self.clock.now()
        self._process = psutil.Process()

    async def __call__(self) -> Vitals:
        """The figures of this moment."""
        stored, free = await asyncio.to_thread(_room, self.folder)
        return Vitals(
            uptime=self.clock.now() - self._since,
            answering=self.conversations.places,
            waiting=self.conversations.waiting,
            tokens_per_s=self.generator.tokens_per_s or None if self.generator is not None else None,
            resident_bytes=self._process.memory_info().rss,
            data_bytes=stored,
            free_bytes=free,
            jobs_waiting=await self.jobs.waiting(),
            adapters=tuple(sorted(self.states.items())),
        )


def _room(folder: Path) -> tuple[int, int]:
    """Bytes of the files in a folder, and of the disk that are free. The folder need not be there yet."""
    stored = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # gone meanwhile
                stored += (Path(place) / name).stat().st_size
    folder = next(place for place in (folder, *folder.parents) if place.exists())
    return stored, shutil.disk_usage(folder).free
