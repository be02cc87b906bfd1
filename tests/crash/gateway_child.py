"""Gateways on Discord's shards, each in a process of its own that may be killed.

ORDER is one line of JSON: name, folder, url (of the database), lease_s, apart_s, settings (of Discord). For each one a
process is forked, so that the libraries are loaded once; its id is the answer. It serves until SIGTERM.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adapters.discord.sharding import IdentifyTurns
from bot.app.app import open_app
from bot.app.roles import prepare_role, serve_role
from bot.clock import SystemClock
from bot.commands.stopping import stopped_by_signals
from bot.config import Settings, load_settings
from bot.domain import ProcessRole
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Leases
from tests.living import UNASKED, FirstPersonGate, WordTopics
from tests.nursery import serve
from tests.platform.discord_server.server import TOKEN
from tests.platform.test_discord_faults import QuickAdapter


def settings_for(order: dict[str, Any], name: str) -> Settings:
    """The settings of one process."""
    discord = {f"discord__{key}": value for key, value in order["settings"].items()}
    return load_settings(
        None,
        {"DISCORD_TOKEN": TOKEN},
        storage__data_dir=str(Path(order["folder"]) / name),
        storage__database_url=order["url"],
        storage__lease_s=order["lease_s"],
        memory__summariser="extractive",
        persona__extractor="extractive",
        **{**UNASKED, **discord},
    )


async def live(order: dict[str, Any]) -> None:
    """Serves until SIGTERM."""

    class Adapter(QuickAdapter):
        """With turns that take as long as this test's Discord wants."""

        def turns(self, leases: Leases) -> IdentifyTurns:
            return IdentifyTurns(leases, apart_s=order["apart_s"])

    settings, clock = settings_for(order, order["name"]), SystemClock()
    adapter = Adapter(settings, clock)
    with stopped_by_signals() as stop:
        async with open_app(
            settings,
            clock=clock,
            messengers={adapter.platform: adapter.messenger},
            encoder=ScriptedEncoder(),
            topics=WordTopics(),
            gate=FirstPersonGate(),
            role=ProcessRole.GATEWAY,
        ) as app:
            await prepare_role(app)
            await serve_role(app, [adapter], stop=stop)


def begin(order: dict[str, Any]) -> int:
    """Forks one gateway; its process id."""
    child = os.fork()
    if child:
        return child
    log = os.open(Path(order["folder"]) / f"{order['name']}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    try:
        asyncio.run(live(order))
    except BaseException:  # noqa: BLE001  # told by its log
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def answers(order: str) -> Iterator[str]:
    """Begins a gateway: its process id. Whoever asked ends it."""
    yield str(begin(json.loads(order)))


if __name__ == "__main__":
    serve(sys.stdin, answers)
