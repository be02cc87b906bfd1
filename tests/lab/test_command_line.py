"""The laboratory's command line, in this process."""

import json
import sqlite3
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from setuptools import find_packages
from typer.testing import CliRunner, Result

from bot.__main__ import app as bot_app
from bot.domain import Place, PlaceKind, Session, Speaker, Utterance
from bot.errors import StorageError
from bot.storage.conversation.sessions import SqlSessions
from lab.__main__ import app
from lab.cli import tune
from lab.commands.replay import in_time
from lab.replay.input import ReplayLine

ROOT = Path(__file__).parents[2]

LINES: list[dict[str, object]] = [
    {
        "time": "2026-11-02T09:00:00Z",
        "place": "dm:ann",
        "speaker": "ann",
        "name": "Ann",
        "text": "I have an exam on Friday.",
    },
    {"time": "2026-11-02T09:01:00Z", "place": "dm:ann", "speaker": "bot", "text": "Good luck."},
    {"time": "soon", "place": "dm:ann", "speaker": "ann", "text": "broken"},
    {"time": "2026-11-09T09:00:00Z", "place": "dm:ann", "speaker": "ann", "text": "Ask me about my exam on Friday."},
]


def run(*arguments: str | Path, **environment: str) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)


def bot(*arguments: str | Path) -> Result:
    return CliRunner().invoke(bot_app, [str(argument) for argument in arguments])


def test_help_names_every_command() -> None:
    shown = run("--help").stdout
    assert all(command in shown for command in ("replay", "bench", "tune", "evaluate"))


def test_a_plain_installation_does_not_hold_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    installed = find_packages(ROOT, include=project["tool"]["setuptools"]["packages"]["find"]["include"])
    assert "bot.memory" in installed
    assert not any(package.startswith(("lab", "tests")) for package in installed)


def test_training_an_adapter_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "find_spec", lambda name: None)
    done = run("tune", "summarizer", "--data", tmp_path, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert 'pip install -e ".[lab]"' in done.stderr


@pytest.mark.parametrize("command", ["replay", "bench", "tune", "evaluate"])
def test_the_companions_own_command_line_has_none_of_it(command: str) -> None:
    assert bot(command).exit_code == 2


def test_a_missing_file_is_one_sentence_and_code_1(tmp_path: Path) -> None:
    done = run("replay", "nothing.jsonl", "--data-dir", tmp_path)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "There is no file nothing.jsonl" in done.stderr


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "said.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES))
    return path


@pytest.mark.parametrize("way", ["ld-agent", "fused"])
def test_replay_stores_recalls_and_refuses_a_malformed_line_with_its_number(
    file: Path, tmp_path: Path, way: str
) -> None:
    folder = tmp_path / "kept"
    done = run("replay", file, "--no-model", "--data-dir", folder, HELLO_AGAIN__MEMORY__RECALL=way)
    assert done.exit_code == 2
    assert "line 3" in done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["line"] for record in records] == [1, 4]
    (memory,) = records[1]["memories"]
    assert memory["summary"] == "Ann: I have an exam on Friday."
    assert [source["text"] for source in memory["sources"]] == ["I have an exam on Friday.", "Good luck."]
    by_equation_2 = pytest.approx(memory["decay"] * (memory["semantic"] + memory["topic"]), abs=1e-5)
    said = [line["text"] for fragment in records[1]["fragments"] for line in fragment["lines"]]
    if way == "ld-agent":
        assert (memory["score"], said) == (by_equation_2, [])
    else:
        assert 0 < memory["score"] < 1, "how likely it is to help"
        assert said == ["I have an exam on Friday.", "Good luck."]
    assert records[1]["reply"] is None
    assert records[1]["ms"].keys() >= {"session", "encode", "recall"}
    again = run("replay", file, "--no-model", "--data-dir", folder, HELLO_AGAIN__MEMORY__RECALL=way)
    assert again.stdout == "", "what is stored already is not played twice"
    stats = bot("data", "stats", "--data-dir", folder).stdout
    assert "2026-11-02 09:00 UTC" in stats


def written(folder: Path, name: str, lines: list[dict[str, object]]) -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


def test_replay_plays_all_dialogues_along_one_clock(tmp_path: Path) -> None:
    """Dialogues that lie side by side in time have the sessions of the data set, not one a line."""
    earlier = {"dialog": [{"text": "I bake."}, {"text": "I run."}], "time_num": 3, "time_unit": "days"}
    dialogue = {
        "dialog": [{"text": "I sold a cake.", "id": "Speaker 1"}, {"text": "I won a race.", "id": "Speaker 2"}],
        "previous_dialogs": [earlier],
    }
    path, folder = written(tmp_path, "talk.jsonl", [dialogue, dialogue, dialogue]), tmp_path / "kept"
    done = run("replay", path, "--format", "msc", "--no-model", "--data-dir", folder)
    assert done.exit_code == 0, done.output
    with sqlite3.connect(folder / "hello.db") as database:
        sizes = database.execute("SELECT count(*) FROM utterances GROUP BY session_id").fetchall()
    assert sizes == [(2,)] * 6


def test_in_time_keeps_the_order_of_each_place() -> None:
    start = datetime(2026, 11, 2, tzinfo=UTC)

    def line(number: int, place: str, hour: int) -> ReplayLine:
        where = Place("replay", PlaceKind.DM, place)
        time = start + timedelta(hours=hour)
        return ReplayLine(number, time, where, Speaker(f"replay:{place}", place), "x", to_bot=True, message_id="")

    said = [line(1, "ann", 3), line(2, "ann", 1), line(3, "ben", 2), line(4, "ben", 3), line(5, "ann", 4)]
    assert [each.number for each in in_time(said)] == [3, 1, 2, 4, 5]


def test_replay_names_the_line_whose_turn_failed(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = SqlSessions.append

    async def refuse(self: SqlSessions, utterance: Utterance, beta: timedelta, max_words: int) -> Session:
        if utterance.text.startswith("Ask me"):
            raise StorageError("The disk is full.")
        return await append(self, utterance, beta, max_words)

    monkeypatch.setattr(SqlSessions, "append", refuse)
    done = run("replay", file, "--no-model", "--data-dir", tmp_path / "kept")
    assert done.exit_code == 1
    assert f"{file}, line 4: It could not be dealt with" in done.stderr
    assert [json.loads(line)["line"] for line in done.stdout.splitlines()] == [1]


def test_what_looks_like_markup_in_a_file_is_only_text(tmp_path: Path) -> None:
    path = written(tmp_path, "[bold]talk.jsonl", [{**LINES[0]}, {**LINES[0], "[/red]": 1}])
    done = run("replay", path, "--no-model")
    assert done.exit_code == 2
    assert f"{path}, line 2: '[/red]' is not known here" in done.stderr


def test_a_lost_index_is_made_anew(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    run("replay", file, "--no-model", "--data-dir", folder)
    done = bot("data", "reindex", "--data-dir", folder)
    assert done.exit_code == 0
    assert "vectors were made from the tables" in done.stdout
    assert not done.stdout.startswith("0 ")


def test_replay_prints_check_ins_with_their_scores_and_memory(tmp_path: Path) -> None:
    said = written(tmp_path, "exam.jsonl", [{**LINES[0], "text": "My chemistry exam is on Friday."}, LINES[1]])
    done = run("replay", said, "--no-model", "--check-ins", "ANN", "--check-in-days", "7")
    assert done.exit_code == 0, done.output
    luck, how, why = (json.loads(line) for line in done.stdout.splitlines()[1:])
    scores = how["check_in"]["scores"]
    assert 0 < scores["total"] < 1
    assert scores.keys() == {"importance", "balance", "freshness", "total"}
    assert [source["text"] for source in how["check_in"]["sources"]] == ["My chemistry exam is on Friday."]
    assert luck["check_in"]["time"] < "2026-11-06"
    assert how["check_in"]["time"] >= "2026-11-07"
    assert why["no_check_in"]["speaker"] == "ann"
    assert why["no_check_in"]["reasons"]["often enough"] > 0
    assert how["check_in"]["text"] in done.stderr
    assert f"total {scores['total']:.2f}" in done.stderr
    assert "often enough (" in done.stderr


def test_replay_wants_a_speaker_for_check_ins(file: Path) -> None:
    done = run("replay", file, "--no-model", "--check-ins", "nobody")
    assert done.exit_code == 1
    assert "--check-ins nobody names none of these speakers: ann." in done.stderr
