"""SIGKILL at any statement of linking and parting: all of it has happened, or nothing."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.link_child import FIRST, SECOND
from tests.nursery import ROOT, Nursery

Live = Callable[[Path, str, str], tuple[int, int]]
State = dict[str, list[tuple[object, ...]]]
TABLES = {
    "identities": "speaker_id, person_id",
    "privacy": "person_id, consent, paused, keep_days, minor, country",
    "opt_outs": "person_id, scope",
    "link_codes": "speaker_id, digest",
    "meta": "key, value",
}


@pytest.fixture(scope="module")
def live(nursery: Nursery) -> Live:
    """Does one thing in a folder; says how it ended, and how many statements it took."""

    def one(folder: Path, action: str, point: str) -> tuple[int, int]:
        code, sent = nursery.ask("tests.crash.link_child", folder, action, point).split()
        return int(code), int(sent)

    return one


def state(folder: Path) -> State:
    """All rows that linking touches."""
    with sqlite3.connect(folder / "hello.db") as database:
        return {
            table: sorted(database.execute(f"SELECT {columns} FROM {table}").fetchall(), key=repr)  # noqa: S608  ours
            for table, columns in TABLES.items()
        }


@pytest.mark.parametrize("action", ["link", "unlink"])
def test_killed_at_any_statement_all_or_nothing_has_happened(live: Live, tmp_path: Path, action: str) -> None:
    assert live(tmp_path, "prepare", "none")[0] == 0
    if action == "unlink":
        assert live(tmp_path, "link", "none")[0] == 0
    before = state(tmp_path)
    copy = tmp_path / "copy"
    copy.mkdir()
    with sqlite3.connect(tmp_path / "hello.db") as source, sqlite3.connect(copy / "hello.db") as target:
        source.backup(target)
    code, statements = live(copy, action, "none")
    assert code == 0
    assert statements > len(TABLES)
    after = state(copy)
    assert after != before
    assert [row[0] for row in after["identities"]] == ([FIRST, SECOND] if action == "link" else [])
    for point in [*map(str, range(statements)), "commit"]:
        assert live(tmp_path, action, point)[0] == -signal.SIGKILL
        assert state(tmp_path) == before, point
    assert live(tmp_path, action, "done")[0] == -signal.SIGKILL
    assert state(tmp_path) == after
    assert live(tmp_path, action, "none")[0] == 0
    assert state(tmp_path) == after


def test_so_it_is_in_a_fresh_interpreter(tmp_path: Path) -> None:
    orders = "".join(f"{tmp_path} {order}\n" for order in ("prepare none", "link commit", "link done", "link none"))
    command = [sys.executable, "-m", "tests.crash.link_child"]
    done = subprocess.run(command, cwd=ROOT, input=orders, capture_output=True, text=True, timeout=60, check=True)
    ended = [int(line.split()[0]) for line in done.stdout.splitlines()]
    assert ended == [0, -signal.SIGKILL, -signal.SIGKILL, 0]
    assert [row[0] for row in state(tmp_path)["identities"]] == [FIRST, SECOND]
