"""SIGKILL at any moment: no utterance is lost, no reply is given twice, no background work is forgotten."""

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.child import LINES

Live = Callable[[Path, str], int]
ROOT = Path(__file__).parent.parent.parent
POINTS = [
    "inbox.accept:before#2",
    "inbox.accept:after",
    "inbox.accept:after#3",
    "sessions.append:before#2",
    "sessions.append:after",
    "sessions.append:after#3",
    "model.said:before",
    "model.said:after#3",
    "outbox.commit:before",
    "outbox.commit:after",
    "outbox.commit:after#2",
    "outbox.sending:after",
    "platform.take:before",
    "platform.take:after",
    "outbox.part_sent:before",
    "outbox.part_sent:after#2",
    "outbox.sent:before#2",
    "outbox.sent:after#2",
    "jobs.claim:after",
    "jobs.claim:after#4",
    "traits.apply:before",
    "traits.apply:after",
    "index.upsert:before",
    "index.upsert:after",
    "traits.mark_indexed:before",
    "sessions.close_idle:after#3",
    "events.add:before",
    "events.add:after",
    "events.mark_indexed:before",
    "events.mark_indexed:after",
]


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    """Lives one life in a folder; says how it ended."""
    command = [sys.executable, "-m", "tests.crash.child"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as parent:  # type: ignore[call-overload]  # keywords by name
        assert parent.stdin is not None
        assert parent.stdout is not None

        def one(folder: Path, point: str) -> int:
            parent.stdin.write(f"{folder} {point}\n")
            parent.stdin.flush()
            return int(parent.stdout.readline())

        yield one
        parent.stdin.close()


def state(folder: Path) -> dict[str, object]:
    """All that a person or the next start could notice."""
    ledger = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    with sqlite3.connect(folder / "data" / "hello.db") as database:

        def rows(query: str) -> list[tuple[object, ...]]:
            return database.execute(query).fetchall()

        return {
            "vectors": json.loads((folder / "vectors.json").read_text()),
            "said": rows("SELECT text FROM utterances WHERE speaker_id != 'agent' ORDER BY id"),
            "replies": rows("SELECT COUNT(*) FROM utterances WHERE speaker_id = 'agent'"),
            "shown to": sorted(entry["to"] for entry in ledger),
            "pending": rows("SELECT COUNT(*) FROM inbox WHERE state = 'pending'"),
            "outbox": rows("SELECT state, COUNT(*) FROM outbox GROUP BY state"),
            "unfinished jobs": rows("SELECT kind, state FROM jobs WHERE state != 'done'"),
            "open sessions": rows("SELECT COUNT(*) FROM sessions WHERE state = 'open'"),
            "events": rows(
                "SELECT s.id, COUNT(e.id) FROM sessions s LEFT JOIN events e ON e.session_id = s.id GROUP BY s.id"
            ),
            "traits": rows("SELECT speaker_id, text FROM traits ORDER BY text"),
            "not indexed": rows(
                "SELECT COUNT(*) FROM events WHERE NOT indexed UNION ALL SELECT COUNT(*) FROM traits WHERE NOT indexed"
            ),
        }


@pytest.fixture(scope="module")
def undisturbed(live: Live, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What is there when nobody kills anything."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert live(folder, "none") == 0
    return state(folder)


def test_a_whole_life_leaves_nothing_undone(undisturbed: dict[str, object]) -> None:
    assert undisturbed["said"] == [(text,) for _, text in LINES]
    assert undisturbed["replies"] == [(3,)]
    assert undisturbed["shown to"] == ["m0", "m1", "m2"]
    assert undisturbed["pending"] == [(0,)]
    assert undisturbed["unfinished jobs"] == []
    assert undisturbed["open sessions"] == [(0,)]
    assert undisturbed["events"] == [(1, 1), (2, 1)]
    assert ("ledger:ann", "I have two dogs.") in undisturbed["traits"]  # type: ignore[operator]  # a list of rows
    assert undisturbed["vectors"] == [2, len(undisturbed["traits"])]  # type: ignore[arg-type]  # a list of rows
    assert undisturbed["not indexed"] == [(0,), (0,)]


@pytest.mark.parametrize("point", POINTS)
def test_killed_once_and_started_again_nothing_is_lost_or_doubled(
    live: Live, tmp_path: Path, undisturbed: dict[str, object], point: str
) -> None:
    assert live(tmp_path, point) == -signal.SIGKILL, f"{point} was never reached"
    assert live(tmp_path, "none") == 0
    assert state(tmp_path) == undisturbed
