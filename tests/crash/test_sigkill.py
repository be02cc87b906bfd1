"""SIGKILL at any moment: no utterance is lost, no reply is given twice, no background work is forgotten."""

import json
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.child import ERASED, ERASES, LINES
from tests.nursery import Nursery

Live = Callable[[Path, str], int]
Outcome = tuple[dict[str, object], list[tuple[object, ...]]]
"""What is there, and the rows of the erasures."""
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
    "passages.archive:before",
    "passages.archive:after",
    "passages.mark_indexed:before",
    "passages.mark_indexed:after#2",
]
ERASING = [
    "erasures.erase:before",
    "erasures.erase:after",
    "index.get:after",
    "index.remove:before",
    "index.remove:after#2",
    "index.expunge:before",
    "index.expunge:after",
    "disk.rewrite:before",
    "disk.rewrite:after",
    "disk.look_for:after",
    "erasures.finish:before",
    "erasures.finish:after",
]


@pytest.fixture(scope="module")
def live(nursery: Nursery) -> Live:
    """Lives one life in a folder; says how it ended."""

    def one(folder: Path, point: str) -> int:
        return int(nursery.ask("tests.crash.child", folder, point))

    return one


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
            "passages": rows("SELECT u.text FROM passages p JOIN utterances u ON u.id = p.utterance_id ORDER BY u.id"),
            "not indexed": rows(
                "SELECT COUNT(*) FROM events WHERE NOT indexed UNION ALL SELECT COUNT(*) FROM traits WHERE NOT indexed "
                "UNION ALL SELECT COUNT(*) FROM passages WHERE NOT indexed"
            ),
        }


@pytest.fixture(scope="module")
def undisturbed(live: Live, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What is there when nobody kills anything."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert live(folder, "none") == 0
    assert traces(folder)  # what is erased in the tests below can be found where it is not
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
    assert undisturbed["vectors"] == [2, len(undisturbed["traits"]), 6]  # type: ignore[arg-type]  # a list of rows
    assert {(text,) for _, text in LINES} < {*undisturbed["passages"]}  # type: ignore[misc]  # a list of rows
    assert undisturbed["not indexed"] == [(0,), (0,), (0,)]


@pytest.mark.parametrize("point", POINTS)
def test_killed_once_and_started_again_nothing_is_lost_or_doubled(
    live: Live, tmp_path: Path, undisturbed: dict[str, object], point: str
) -> None:
    assert live(tmp_path, point) == -signal.SIGKILL, f"{point} was never reached"
    assert live(tmp_path, "none") == 0
    assert state(tmp_path) == undisturbed


def traces(folder: Path) -> list[str]:
    """The files under the data folder that have the erased line in them, or words that it alone has."""
    words = [LINES[ERASED][1].encode(), *(word.encode() for word in ("job interview", "the museum"))]
    files = [file for file in (folder / "data").rglob("*") if file.is_file()]
    return [file.name for file in files if any(word in file.read_bytes() for word in words)]


def erasures(folder: Path) -> list[tuple[object, ...]]:
    """Why, whether the files have followed, in how many of them something was found, and what went."""
    with sqlite3.connect(folder / "data" / "hello.db") as database:
        query = "SELECT reason, done_at IS NOT NULL, found, counts FROM erasures ORDER BY id"
        return database.execute(query).fetchall()


@pytest.fixture(scope="module")
def undisturbed_erasing(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What is there when something is erased and nobody kills anything."""
    folder = tmp_path_factory.mktemp("erasing")
    (folder / ERASES).touch()
    assert live(folder, "none") == 0
    assert traces(folder) == []
    return state(folder), erasures(folder)


def test_what_is_erased_is_gone_and_the_rest_is_derived_anew(
    undisturbed: dict[str, object], undisturbed_erasing: Outcome
) -> None:
    left, receipts = undisturbed_erasing
    assert left["said"] == [(text,) for number, (_, text) in enumerate(LINES) if number != ERASED]
    # The reply to the line, and that to the last one, which was shown a memory of it.
    assert left["replies"] == [(1,)]
    assert left["shown to"] == undisturbed["shown to"]
    assert left["unfinished jobs"] == []
    assert left["events"] == [(1, 1), (2, 1)]
    assert ("ledger:ann", "I have two dogs.") in left["traits"]  # type: ignore[operator]  # a list of rows
    assert left["vectors"] == [2, len(left["traits"]), 3]  # type: ignore[arg-type]  # a list of rows
    assert (LINES[ERASED][1],) not in left["passages"]  # type: ignore[operator]  # a list of rows
    [(*outcome, counts)] = receipts
    assert outcome == ["asked", 1, 0]
    assert json.loads(str(counts))["utterances"] == 1


@pytest.mark.parametrize("point", ERASING)
def test_killed_while_something_is_erased_and_started_again_nothing_of_it_is_left(
    live: Live, tmp_path: Path, undisturbed_erasing: Outcome, point: str
) -> None:
    (tmp_path / ERASES).touch()
    assert live(tmp_path, point) == -signal.SIGKILL, f"{point} was never reached"
    assert live(tmp_path, "none") == 0
    assert traces(tmp_path) == []
    left, [(*outcome, _found, counts)] = undisturbed_erasing
    # The words were known to the process that was killed: only where it had not begun, or was done, is it looked for.
    found = 0 if point in {"erasures.erase:before", "erasures.finish:after"} else None
    assert (state(tmp_path), erasures(tmp_path)) == (left, [(*outcome, found, counts)])
