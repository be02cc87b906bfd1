"""`make chat` and `make test` on a machine where something is missing: one clear sentence."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

QUICK = "not model and not kill and not lab and not page"
ROOT = Path(__file__).parent.parent


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    # Not the variables of the `make test` that runs this.
    environment = {name: value for name, value in os.environ.items() if name != "ARGS" and not name.startswith("MAKE")}
    command = ["make", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("goal", ["chat", "test"])
@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("PYTHON=", "Python 3.11 or newer is needed and was not found"),
        ("PYTHON=/bin/false", "/bin/false is older"),
        ("NEEDED_MB=999999999", "MB are free"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(tmp_path: Path, goal: str, setting: str, said: str) -> None:
    done = make(tmp_path, goal, setting)
    assert done.returncode != 0
    first, *rest = done.stderr.splitlines()
    assert said in first
    assert f"make {goal}" in first
    assert all(line.startswith("make:") for line in rest)
    assert not (tmp_path / ".venv").exists()


STUB = """#!/bin/bash
echo "$(basename "$0") $* id=${HELLO_AGAIN__MODEL__ID:-}" >>calls
echo "$(basename "$0") ${PYTHONDONTWRITEBYTECODE:-compiled}" >>kept
[ "$2 $3 $4" != "bot model setup" ] || [ ! -e broken ] || exit 1
[ ! -e "wrong-$(basename "$0")" ]
"""
"""Fails where the folder has a file "wrong-" and its name."""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder where the libraries are set up; its programs write down how they are called, and do nothing."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    tools = tmp_path / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("python", "ruff", "mypy", "lint-imports"):
        (tools / name).write_text(STUB)
        (tools / name).chmod(0o755)
    for stamp in (".ready", ".ready-dev"):
        (tmp_path / ".venv" / stamp).touch()
    return tmp_path


def calls(folder: Path, *arguments: str) -> list[str]:
    """What `make` with these arguments calls, and with which model.id in the environment."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "ARGS" and not name.startswith(("MAKE", "HELLO_AGAIN"))
    }
    (folder / "calls").write_text("")
    done = subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, timeout=60, check=False
    )
    (folder / "code").write_text(str(done.returncode))
    return (folder / "calls").read_text().splitlines()


SETUP = "python -m bot model setup --voice  id="
CHAT = "python -m bot chat id="


def test_chat_sets_the_voice_up_once(installed: Path) -> None:
    assert calls(installed, "chat") == [SETUP, CHAT]
    assert calls(installed, "chat") == [CHAT]
    assert calls(installed, "voice") == [SETUP], "asked for again, it is tried again"


def test_a_small_voice_is_asked_for_each_time_and_hides_no_other(installed: Path) -> None:
    small = ["python -m bot model setup --voice small id=", "python -m bot chat id=bundled"]
    assert calls(installed, "chat", "VOICE=small") == small
    assert calls(installed, "chat") == [SETUP, CHAT]
    assert calls(installed, "chat", "VOICE=small") == small[1:]


def test_an_interrupted_setup_is_gone_on_with_the_next_time(installed: Path) -> None:
    (installed / "broken").touch()
    assert calls(installed, "chat") == [SETUP]
    (installed / "broken").unlink()
    assert calls(installed, "chat") == [SETUP, CHAT]


def test_the_tests_fetch_no_voice(installed: Path) -> None:
    called = calls(installed, "test")
    assert len(called) == 5
    assert not any("model setup" in call for call in called)


def test_what_the_tests_compile_is_kept_and_what_a_chat_does_is_as_its_owner_says(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for goal, kept in (("test", "compiled"), ("coverage", "compiled"), ("chat", "1")):
        (installed / "kept").unlink(missing_ok=True)
        calls(installed, goal)
        assert set((installed / "kept").read_text().splitlines()) >= {f"python {kept}"}


@pytest.mark.parametrize(
    ("lane", "chosen"),
    [
        ((), "worksteal id="),
        (("LANE=all",), "worksteal id="),
        (("LANE=quick",), f"worksteal -m {QUICK} id="),
        (("LANE=kill",), "worksteal -m kill id="),
        (("LANE=quick", "ARGS=-k recall"), f"worksteal -m {QUICK} -k recall id="),
    ],
)
def test_a_lane_is_a_choice_of_markers(installed: Path, lane: tuple[str, ...], chosen: str) -> None:
    [called] = [call for call in calls(installed, "test", *lane) if "pytest" in call]
    assert called.endswith(f"--dist {chosen}")


@pytest.mark.parametrize("wrong", ["", "ruff", "lint-imports", "mypy", "python"])
def test_it_passes_when_all_do_and_the_types_are_checked_beside_the_tests(installed: Path, wrong: str) -> None:
    if wrong:
        (installed / f"wrong-{wrong}").touch()
    names = [call.split()[0] for call in calls(installed, "test")]
    assert ((installed / "code").read_text() == "0") == (wrong == "")
    if wrong in {"", "mypy", "python"}:
        assert sorted(names) == ["lint-imports", "mypy", "python", "ruff", "ruff"], "one does not stop the other"


def test_a_lane_that_does_not_exist_runs_nothing(installed: Path) -> None:
    assert calls(installed, "test", "LANE=quik") == []


def test_ci_runs_the_same_command_as_everybody() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()
