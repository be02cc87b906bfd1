"""`hello-again init`: the service's file, where it goes, and what is never overwritten."""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from bot.__main__ import app
from bot.commands.installing import UNITS, init, init_compose, unit_of
from bot.config import Settings
from bot.errors import BadInput

SETTINGS = Settings()


def read(file: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(file.read_text("utf-8"))
    return parser


def test_the_service_runs_this_program_here_with_these_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "my 100% settings.yaml"
    (tmp_path / "secrets.env").write_text("TELEGRAM_TOKEN=x\n", "utf-8")
    assert init(SETTINGS, None, config) == 0
    service = read(tmp_path / UNITS)["Service"]
    assert service["WorkingDirectory"] == str(tmp_path)
    words = [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(service["ExecStart"])]
    assert words == [sys.executable, "-m", "bot", "run", "--config", str(config)]
    assert service["NoNewPrivileges"] == "yes"
    assert "enable --now hello-again" in capsys.readouterr().out
    assert init(SETTINGS, None, config) == 0


def test_a_token_may_come_by_a_file_that_systemd_hands_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    held, unit = tmp_path / "my [100%] variables", tmp_path / "hello-again.service"
    asked = ["init", str(unit), "--environment-file", str(held)]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 1
    assert "which systemd would read, cannot be read (No such file or directory)" in told.stderr
    for none in (
        "",
        "# DISCORD_TOKEN=x\n; TELEGRAM_TOKEN=x\n",
        "DISCORD_TOKEN=\nTELEGRAM_TOKEN=''\n",
        "MODEL_API_KEY=x\n",
    ):
        held.write_text(none, "utf-8")
        told = CliRunner().invoke(app, asked)
        assert told.exit_code == 1
        assert f"secrets.env and {held} hold no token" in told.stderr
        assert not unit.exists()
    held.write_text("LANG=C.UTF-8\nnot a variable\n\n  TELEGRAM_TOKEN = 'x'\n", "utf-8")
    assert CliRunner().invoke(app, asked).exit_code == 0
    service = read(unit)["Service"]
    assert service["EnvironmentFile"] == str(tmp_path / "my [[]100%%] variables")
    assert "EnvironmentFile" not in unit_of(tmp_path, None)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_itself_takes_the_service(tmp_path: Path) -> None:
    unit = tmp_path / "hello-again.service"
    unit.write_text(unit_of(tmp_path, tmp_path / "my 100% settings.yaml", tmp_path / "my [1] file"), "utf-8")
    told = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert str(unit) not in told.stderr
    assert told.returncode == 0, told.stderr


def test_another_file_is_not_overwritten_and_a_folder_that_is_none_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secrets.env").write_text("DISCORD_TOKEN=x\n", "utf-8")
    mine = tmp_path / "hello-again.service"
    mine.write_text("[Service]\n", "utf-8")
    with pytest.raises(BadInput, match="is there already"):
        init(SETTINGS, mine, None)
    assert mine.read_text("utf-8") == "[Service]\n"
    with pytest.raises(BadInput, match="cannot be written"):
        init(SETTINGS, mine / "below.service", None)


def test_what_could_not_start_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCORD_TOKEN", "of this shell alone")
    unit = tmp_path / "y.service"
    told = CliRunner().invoke(app, ["init", "--config", "nope.yaml", str(unit)])
    assert told.exit_code == 1
    assert "There is no settings file at" in told.stderr
    told = CliRunner().invoke(app, ["init", str(unit)])
    assert told.exit_code == 1
    assert "secrets.env holds no token" in told.stderr
    assert not unit.exists()
    assert init(SETTINGS.model_copy(update={"adapters": {"mine": "mine:Adapter"}}), unit, None) == 0


def test_compose_gets_the_settings_and_the_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config = Path("config.yaml")
    with pytest.raises(BadInput, match=r"There is no compose\.yaml"):
        init_compose(config)
    (tmp_path / "compose.yaml").write_text("services: {}\n", "utf-8")
    with pytest.raises(BadInput, match="hello-again setup"):
        init_compose(config)
    config.write_text("agent:\n  name: Ada\n", "utf-8")
    assert init_compose(config) == 0
    (tmp_path / "secrets.env").write_text("DISCORD_TOKEN=x\n", "utf-8")
    assert (tmp_path / ".env").read_text("utf-8") == "DISCORD_TOKEN=x\n"
    [volume] = yaml.safe_load((tmp_path / "compose.override.yaml").read_text("utf-8"))["services"]["hello"]["volumes"]
    assert volume["source"] == str(tmp_path / "config.yaml")
    assert "docker compose up -d" in capsys.readouterr().out
    assert init_compose(config) == 0
    (tmp_path / ".env").unlink()
    (tmp_path / ".env").write_text("OTHER=1\n", "utf-8")
    with pytest.raises(BadInput, match="is there already"):
        init_compose(config)
