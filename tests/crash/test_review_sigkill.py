"""SIGKILL in a review for signs of danger of what was stored before: the next process goes on, and nothing is lost."""

import shutil
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.nursery import Nursery
from tests.test_safety_review import MARK

Live = Callable[[Path, str], int]
State = dict[str, list[tuple[object, ...]]]
POINTS = [
    "reviews.begin:after",
    "reviews.reviewed:before#2",
    "reviews.reviewed:after#2",
    "index.remove:after",
    "reviews.end:before",
    "events.add:before",
    "erasures.finish:before",
]


@pytest.fixture(scope="module")
def live(nursery: Nursery) -> Live:
    """Lives one life in a folder; says how it ended."""

    def one(folder: Path, point: str) -> int:
        return int(nursery.ask("tests.crash.review_child", folder, point))

    return one


@pytest.fixture(scope="module")
def stored(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the program of before has stored."""
    folder = tmp_path_factory.mktemp("stored")
    assert live(folder, "before") == 0
    return folder


def state(folder: Path) -> State:
    """What is said, derived and left to do."""
    with sqlite3.connect(folder / "hello.db") as database:

        def rows(query: str) -> list[tuple[object, ...]]:
            return database.execute(query).fetchall()

        return {
            "said": rows("SELECT id, text FROM utterances ORDER BY id"),
            "events": rows("SELECT session_id, summary, indexed FROM events ORDER BY session_id"),
            "traits": rows("SELECT text, until, indexed FROM traits ORDER BY text"),
            "linked": rows(
                "SELECT older.session_id, newer.session_id FROM edges JOIN events older ON older.id = edges.older "
                "JOIN events newer ON newer.id = edges.newer ORDER BY 1, 2"
            ),
            "passages": rows("SELECT utterance_id FROM passages ORDER BY utterance_id"),
            "jobs": rows("SELECT kind, subject, state FROM jobs ORDER BY kind, subject"),
            "erasures": rows("SELECT id FROM erasures WHERE done_at IS NULL OR found > 0"),
            "progress": rows("SELECT value FROM meta WHERE key = 'safety_review'"),
        }


@pytest.fixture(scope="module")
def undisturbed(live: Live, stored: Path, tmp_path_factory: pytest.TempPathFactory) -> State:
    """What is there after a review that nobody kills."""
    folder = tmp_path_factory.mktemp("undisturbed") / "folder"
    shutil.copytree(stored, folder)
    assert MARK in str(state(folder)["events"])
    assert live(folder, "none") == 0
    wanted = state(folder)
    assert MARK not in str((wanted["events"], wanted["traits"]))
    assert wanted["said"] == state(stored)["said"]
    return wanted


@pytest.mark.parametrize("point", POINTS)
def test_whenever_it_is_killed_the_next_process_goes_on(
    live: Live, stored: Path, undisturbed: State, tmp_path: Path, point: str
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(stored, folder)
    assert live(folder, point) == -signal.SIGKILL
    assert live(folder, "none") == 0
    assert state(folder) == undisturbed
