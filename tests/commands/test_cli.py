"""The command line as people use it, in this process."""

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.__main__ import app

LINES = [
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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "said.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES))
    return path


def run(*arguments: str | Path, **environment: str) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)


def test_help_names_every_command() -> None:
    shown = run("--help").stdout
    assert all(command in shown for command in ("chat", "replay", "doctor", "data", "bench", "tune", "evaluate"))


def test_replay_stores_recalls_and_refuses_a_malformed_line_with_its_number(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    done = run("replay", file, "--no-model", "--data-dir", folder)
    assert done.exit_code == 2
    assert "line 3" in done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["line"] for record in records] == [1, 4]
    (memory,) = records[1]["memories"]
    assert memory["summary"] == "Ann: I have an exam on Friday."
    assert [source["text"] for source in memory["sources"]] == ["I have an exam on Friday.", "Good luck."]
    assert memory["score"] == pytest.approx(memory["decay"] * (memory["semantic"] + memory["topic"]), abs=1e-5)
    assert records[1]["reply"] is None
    assert records[1]["ms"].keys() >= {"session", "encode", "recall"}
    again = run("replay", file, "--no-model", "--data-dir", folder)
    assert again.stdout == "", "what is stored already is not played twice"
    stats = run("data", "stats", "--data-dir", folder).stdout
    assert "2026-11-02 09:00 UTC" in stats


def test_a_lost_index_is_made_anew(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    run("replay", file, "--no-model", "--data-dir", folder)
    done = run("data", "reindex", "--data-dir", folder)
    assert done.exit_code == 0
    assert "vectors were made from the tables" in done.stdout
    assert not done.stdout.startswith("0 ")


def test_stats_of_nothing_make_nothing(tmp_path: Path) -> None:
    done = run("data", "stats", "--data-dir", tmp_path / "none")
    assert "Nothing is stored" in done.stdout
    assert not (tmp_path / "none").exists()


def test_a_wrong_setting_is_one_sentence_and_code_1(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("model: {quantisation: nf4}")
    done = run("data", "stats", "--config", config)
    assert done.exit_code == 1
    assert "Did you mean 'quantization'?" in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["replay", "nothing.jsonl"], "There is no file nothing.jsonl"),
        (["chat", "--clock", "soon"], "--clock 'soon' is not a time"),
        (["chat", "--user", " "], "--user takes a name"),
    ],
)
def test_bad_input_is_answered_in_words(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = run(*arguments, "--data-dir", tmp_path)
    assert done.exit_code == 1
    assert said in done.stderr


def test_the_doctor_says_what_to_do_and_fails_when_the_bot_would_not_run(tmp_path: Path) -> None:
    good = run("doctor", "--data-dir", tmp_path / "a", HELLO_AGAIN__MODEL__ID="bundled")
    assert good.exit_code == 0, good.stdout
    subjects = [line.split()[1] for line in good.stdout.splitlines()]
    assert subjects == ["config", "folder", "disk", "database", "model", "encoder", "GPU", "tokens"]
    bad = run("doctor", "--data-dir", tmp_path / "a", HELLO_AGAIN__MODEL__ID="/no/such/folder")
    assert bad.exit_code == 1
    assert "model.id" in bad.stdout


def test_the_doctor_sees_a_database_of_a_newer_program(tmp_path: Path) -> None:
    tmp_path.joinpath("data").mkdir()
    with sqlite3.connect(tmp_path / "data" / "hello.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num TEXT)")
        database.execute("INSERT INTO alembic_version VALUES ('9999')")
    done = run("doctor", "--data-dir", tmp_path / "data", HELLO_AGAIN__MODEL__ID="bundled")
    assert done.exit_code == 1
    assert "newer version" in done.stdout
