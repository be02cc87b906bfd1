"""Lives of `bot run` on one platform, each in a process of its own that may be killed at a named point.

    echo ORDER | python -m tests.crash.platform_child

ORDER is one line of JSON: folder, platform, point, settings of the platform. For each one a process is forked, so that
the libraries are loaded once. Its id is printed on one line, and how it ended (-9: killed) on the next. A life serves
until it is sent SIGTERM. POINT is "none", or as in `child.py`; "wire.send" is the request that posts a message, as the
platform's own library makes it: "before" nothing has left the process, "after" the platform has the message and its
answer was read.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from discord.http import HTTPClient
from telegram.request import HTTPXRequest

from bot.app.app import open_app
from bot.clock import SystemClock
from bot.commands.run import build_adapters
from bot.commands.stopping import stopped_by_signals
from bot.config import load_settings
from bot.domain import GenerationRequest
from bot.llm.scripted import ScriptedEncoder
from bot.storage.conversation import presence
from tests.crash.child import PORTS, Model, kill_at
from tests.living import UNASKED, FirstPersonGate, WordTopics
from tests.nursery import serve
from tests.platform.discord_server.server import TOKEN as DISCORD_TOKEN
from tests.platform.telegram_server.wire import TOKEN as TELEGRAM_TOKEN

TOKENS = {"DISCORD_TOKEN": DISCORD_TOKEN, "TELEGRAM_TOKEN": TELEGRAM_TOKEN}
ADAPTERS = {"discord": "tests.platform.test_discord_faults:QuickAdapter"}
"""In place of the configured ones: without the pauses that discord.py makes for the real Discord's sake."""
OWNERS: dict[str, type] = {**PORTS, "model": Model, "presence": presence.SqlPresence}


def said(number: int | str) -> str:
    """The answer to a question."""
    return f"This is my whole answer to question {number}."


def answer(request: GenerationRequest) -> str:
    """Answers the last question of a prompt."""
    asked = re.findall(r"I have question (\d+)", request.messages[-1].content)
    return said(asked[-1]) if asked else "I listen."


def is_send(platform: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a request of the platform's library posts a message."""
    if platform == "discord":
        route = arguments[1]
        return bool(route.method == "POST" and route.path.endswith("/messages"))
    url = named.get("url") or arguments[1]
    return str(url).endswith("/sendMessage")


def kill_on_wire(platform: str, when: str, nth: int) -> None:
    """Arms the `nth` request that posts a message."""
    owner: type = HTTPClient if platform == "discord" else HTTPXRequest
    method = "request" if platform == "discord" else "do_request"
    original: Any = getattr(owner, method)
    left = nth

    @wraps(original)
    async def armed(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        posts = is_send(platform, arguments, named)
        left -= posts
        if posts and left == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = await original(*arguments, **named)
        if posts and left == 0 and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, method, armed)


async def live(folder: Path, platform: str, chosen: dict[str, Any]) -> None:
    """Serves until SIGTERM."""
    overrides = {f"{platform}__{name}": value for name, value in chosen.items()}
    settings = load_settings(
        None,
        TOKENS,
        storage__data_dir=str(folder / "data"),
        memory__summariser="extractive",
        persona__extractor="extractive",
        **{**UNASKED, **overrides},
    )
    path = {**settings.adapters, **ADAPTERS}[platform]
    settings = settings.model_copy(update={"adapters": {platform: path}})
    clock = SystemClock()
    adapters = build_adapters(settings, clock, print)
    with stopped_by_signals() as stop:
        async with open_app(
            settings,
            clock=clock,
            messengers={adapter.platform: adapter.messenger for adapter in adapters},
            model=Model(answer, word_s=0.02),
            encoder=ScriptedEncoder(),
            topics=WordTopics(),
            gate=FirstPersonGate(),
        ) as app:
            await app.prepare()
            await app.serve(adapters, stop=stop)


def begin(order: dict[str, Any]) -> int:
    """Forks one life; its process id."""
    child = os.fork()
    if child:
        return child
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # the parent's answers are alone there
    point, platform = order["point"], order["platform"]
    try:
        if point.startswith("wire.send"):
            _, _, rest = point.partition(":")
            when, _, nth = rest.partition("#")
            kill_on_wire(platform, when, int(nth or 1))
        elif point != "none":
            kill_at(point, OWNERS)
        asyncio.run(live(Path(order["folder"]), platform, order["settings"]))
    except BaseException:  # noqa: BLE001  # told to the parent by the exit code
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def answers(order: str) -> Iterator[str]:
    """Lives one life: its process id, and how it ended."""
    child = begin(json.loads(order))
    yield str(child)
    yield str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    serve(sys.stdin, answers)
