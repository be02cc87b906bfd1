"""SIGKILL at any moment of `hello-again data move`, there and back: begun again it goes on, and all is the same."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from bot.storage.engine.database import open_database
from tests.nursery import Nursery
from tests.postgres import Server
from tests.storage.moved import content, fill

Moves = Callable[[str, str, str], int]


@pytest.fixture
def moves(nursery: Nursery, tmp_path: Path) -> Moves:
    """Moves everything from one database to another, in a process of its own; how that ended."""

    def one(source: str, target: str, point: str) -> int:
        order = {
            "name": "move",
            "arguments": ["data", "move", "--to", target, "--data-dir", str(tmp_path)],
            "folder": str(tmp_path),
            "environment": {"HELLO_AGAIN__STORAGE__DATABASE_URL": source},
            "point": point,
        }
        begun = nursery.ask("tests.crash.command_child", json.dumps(order))
        return int(nursery.ask("tests.crash.command_child", json.dumps({"ended": int(begun)})))

    return one


async def test_a_move_that_is_killed_goes_on_there_and_back(moves: Moves, postgres: Server, tmp_path: Path) -> None:
    old, back = (f"sqlite+aiosqlite:///{tmp_path / name}.db" for name in ("old", "back"))
    server = await postgres.fresh()
    async with aclosing(await open_database(old)) as database:
        await fill(database)
        before = content(database)
    ends = [(point, -signal.SIGKILL) for point in ("INSERT INTO utterances#2", "DELETE FROM meta")] + [("", 0)]
    for source, target in ((old, server), (server, back)):
        for point, end in ends:
            ended = await asyncio.to_thread(moves, source, target, point)
            assert ended == end, (tmp_path / "move.log").read_text("utf-8")
    for url in (old, back):
        async with aclosing(await open_database(url)) as database:
            assert content(database) == before
