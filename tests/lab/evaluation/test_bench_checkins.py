"""`lab bench checkins` measures what it says, and what is due is found by an index."""

import json
from pathlib import Path

import pytest

from bot.config import Settings
from bot.errors import BadInput
from bot.storage.care.checkins import SqlCheckIns
from bot.storage.engine.database import open_database
from lab.evaluation.bench_checkins import NOW, fill, measure, plan_of_due, run


async def test_what_is_due_is_found_by_the_index_and_in_its_order(tmp_path: Path) -> None:
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}")
    await fill(database, 500, 20)
    plan = await plan_of_due(database)
    due = await SqlCheckIns(database).due(NOW, 500)
    await database.aclose()
    assert plan == "SEARCH checkin_wishes USING INDEX ix_checkin_wishes_next_at_person_id (next_at<?)"
    assert len(due) == 20
    assert [one.next_at for one in due] == sorted(one.next_at for one in due if one.next_at is not None)


async def test_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    assert await run(Settings(), 200, 6, out) == 0
    figures = json.loads(out.read_text())
    assert (figures["people"], figures["due"]) == (200, 6)
    assert {one["what"]: one["times"] for one in figures["timed"]} == {
        "due: 6 of 6": 200,
        "due: none": 200,
        "astray: none": 200,
        "planned next: 50": 200,
        "leases that ran out: none": 200,
        "plan": 3,
        "claim": 3,
    }
    assert all(0 < one["p50"] <= one["p95"] for one in figures["timed"])
    assert "200 people, 6 of them due" in capsys.readouterr().out


async def test_no_more_can_be_due_than_there_are() -> None:
    with pytest.raises(BadInput, match="--due"):
        await run(Settings(), 5, 6, None)


async def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    await measure(Settings(), 20, 4)
    assert left_in(tmp_path) == []


def left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())
