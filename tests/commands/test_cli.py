"""The command line as people use it, in this process."""

import os
import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.__main__ import app
from bot.commands import doctor
from bot.commands.stored import in_words
from bot.config import load_settings
from bot.domain import StoredCounts
from bot.storage.backups.sealing import make_key


def run(*arguments: str | Path, **environment: str) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)


def test_help_names_every_command() -> None:
    shown = run("--help").stdout
    assert all(command in shown for command in ("chat", "run", "doctor", "model", "data"))


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"hello-again \d+\.\d+\.\d+\n", run("--version").stdout)


@pytest.mark.parametrize("name", ["DISCORD_TOKN", "TELEGRAM_BOT_TOKEN"])
def test_a_secret_under_a_wrong_name_is_told(name: str, tmp_path: Path) -> None:
    assert f"{name} is not read. Did you mean" in run("data", "stats", "--data-dir", tmp_path, **{name: "x"}).stderr


def test_stats_of_nothing_make_nothing(tmp_path: Path) -> None:
    done = run("data", "stats", "--data-dir", tmp_path / "none")
    assert "Nothing is stored" in done.stdout
    assert not (tmp_path / "none").exists()


def test_stats_say_what_is_remembered_and_what_waits() -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    rows = {"utterances": 1234, "speakers": 3, "places": 2, "events": 5, "traits": 7, "jobs due": 2, "jobs leased": 1}
    assert in_words(StoredCounts(rows, noon, noon, 2_500_000), "data") == [
        "Remembered in data:",
        "  1,234 messages and replies; 3 speakers and 2 places are known",
        "  from 2026-03-01 12:00 UTC to 2026-03-01 12:00 UTC",
        "  learnt from them: 5 summaries and 7 traits of people",
        "  2.5 MB on disk",
        "Waiting: 3 pieces of background work.",
    ]
    assert (
        in_words(StoredCounts({"places": 1}), "data")[1] == "  0 messages and replies; 0 speakers and 1 place are known"
    )
    told = in_words(StoredCounts({"inbox pending": 2, "jobs failed": 4}), "data")
    assert told[-2:] == [
        "Waiting: 2 messages to answer.",
        "Given up after several tries: 4 pieces of background work.",
    ]


def test_a_wrong_setting_is_one_sentence_and_code_1(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("model: {quantisation: nf4}")
    done = run("data", "stats", "--config", config)
    assert done.exit_code == 1
    assert "Did you mean 'model.quantization'?" in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
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
    assert subjects == [
        "config",
        "folder",
        "disk",
        "database",
        "model",
        "servers",
        "encoder",
        "tagger",
        "GPU",
        "backups",
        "tokens",
    ]
    bad = run("doctor", "--data-dir", tmp_path / "a", HELLO_AGAIN__MODEL__ID="/no/such/folder")
    assert bad.exit_code == 1
    assert "model.id" in bad.stdout


async def test_the_doctor_notes_that_no_platform_could_be_served() -> None:
    for environment, adapters, verdict in (
        ({}, {"discord": "a:B", "telegram": "a:C"}, doctor.Verdict.NOTE),
        ({"DISCORD_TOKEN": "x"}, {"telegram": "a:C"}, doctor.Verdict.NOTE),
        ({"TELEGRAM_TOKEN": "x"}, {"telegram": "a:C"}, doctor.Verdict.GOOD),
        ({}, {"mine": "a:D"}, doctor.Verdict.GOOD),
    ):
        check = await doctor.tokens(load_settings(None, environment, adapters=adapters))
        assert (check.verdict, bool(check.do)) == (verdict, verdict is doctor.Verdict.NOTE)


async def test_the_doctor_tells_whether_backups_can_be_made_and_how_old_the_last_is(tmp_path: Path) -> None:
    settings = load_settings(None, {}, backup__folder=str(tmp_path))
    assert (await doctor.backups(settings)).found == "no key is set, so none can be made"
    recipient = make_key(tmp_path / "key", datetime.now(UTC))
    settings = load_settings(None, {}, backup__folder=str(tmp_path), backup__recipient=recipient)
    assert (await doctor.backups(settings)).do == doctor.MAKE_BACKUP
    file = tmp_path / "hello-again.age"
    for days, verdict in ((10, doctor.Verdict.NOTE), (1, doctor.Verdict.GOOD)):
        file.touch()
        then = datetime.now(UTC).timestamp() - days * doctor.DAY_S - 60
        os.utime(file, (then, then))
        check = await doctor.backups(settings)
        day = datetime.fromtimestamp(then, UTC)
        assert (check.verdict, check.found) == (verdict, f"a key is set; the last one is of {day:%Y-%m-%d}")


def test_the_doctor_sees_a_database_of_a_newer_program(tmp_path: Path) -> None:
    tmp_path.joinpath("data").mkdir()
    with sqlite3.connect(tmp_path / "data" / "hello.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num TEXT)")
        database.execute("INSERT INTO alembic_version VALUES ('9999')")
    done = run("doctor", "--data-dir", tmp_path / "data", HELLO_AGAIN__MODEL__ID="bundled")
    assert done.exit_code == 1
    assert "newer version" in done.stdout
