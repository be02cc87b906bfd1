"""Gateways and workers for `lab bench several`, forked from one process that has loaded everything.

Each line of standard input is an order (JSON); the answer is the process's id. It serves until SIGTERM. The arguments
name modules that are loaded, too.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import AsyncGenerator, Sequence
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.app.app import open_app
from bot.app.roles import prepare_role, serve_role
from bot.clock import SystemClock
from bot.commands.run import build_adapters
from bot.commands.stopping import stopped_by_signals
from bot.config import UNLIMITED, Settings, load_settings
from bot.domain import Chunk, GenerationRequest, ProcessRole
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Vectors
from lab.evaluation.several_costs import COUNTED, count_in, count_request

REPLIES = (
    ("That", "This", "All of that", "What you say", "So it", "It"),
    ("sounds", "seems", "looks", "is", "feels", "reads"),
    ("good", "lovely", "quiet", "busy", "bright", "useful", "warm", "plain"),
    ("today.", "now.", "again.", "to me.", "from here.", "in the end.", "all in all.", "as ever."),
)
"""What the model says: something else each time, since what it says again is asked for anew."""


class Slots(ScriptedChatModel):
    """A scripted model that takes so many requests at once, and as long for each as it is told."""

    def __init__(self, slots: int, think_s: float) -> None:
        super().__init__(self._another)
        self._slots = asyncio.Semaphore(slots)
        self._think_s = think_s
        self._replies = cycle(" ".join(parts) for parts in product(*REPLIES))

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """Waits for a slot."""
        async with self._slots:
            await asyncio.sleep(self._think_s)
            count_request()
            async for chunk in super().stream(request):
                yield chunk

    def _another(self, request: GenerationRequest) -> str:
        del request
        return next(self._replies)


class NoTopics:
    """A tagger that knows no nouns."""

    def topics(self, text: str) -> frozenset[str]:
        """None."""
        del text
        return frozenset()


class NoGate:
    """A gate through which nothing goes."""

    def probability(self, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """Nothing is a trait."""
        del vectors
        return np.zeros(len(texts))


def settings_for(order: dict[str, Any]) -> Settings:
    """The settings of one process."""
    settings = load_settings(
        None,
        order.get("secrets", {}),
        storage__data_dir=order["folder"],
        storage__database_url=order["url"],
        storage__lease_s=order["lease_s"],
        memory__summariser="extractive",
        memory__timelines__linker="rules",
        persona__extractor="extractive",
        care__offer=False,
        queue__max_pending=UNLIMITED,
        **order.get("settings", {}),
    ).at_home()
    return settings.model_copy(update={"adapters": order.get("adapters", {})})


async def live(order: dict[str, Any]) -> None:
    """Serves until SIGTERM."""
    count_in(Path(order["folder"]).with_suffix(COUNTED))
    settings, clock, role = settings_for(order), SystemClock(), ProcessRole(order["role"])
    adapters = build_adapters(settings, clock, print) if role is ProcessRole.GATEWAY else []
    with stopped_by_signals() as stop:
        async with open_app(
            settings,
            clock=clock,
            messengers={adapter.platform: adapter.messenger for adapter in adapters},
            model=Slots(order["slots"], order["think_s"]),
            encoder=ScriptedEncoder(),
            topics=NoTopics(),
            gate=NoGate(),
            role=role,
        ) as app:
            await prepare_role(app)
            await serve_role(app, adapters, stop=stop)


def begin(order: dict[str, Any]) -> int:
    """Forks one process; its id."""
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(Path(order["folder"]).with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    try:
        asyncio.run(live(order))
    except BaseException:  # noqa: BLE001  # edge: one process; told to the rehearsal by the log
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    for module in sys.argv[1:]:
        importlib.import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that end
    for line in sys.stdin:
        sys.stdout.write(f"{begin(json.loads(line))}\n")
        sys.stdout.flush()
