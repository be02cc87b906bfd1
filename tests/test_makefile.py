"""`make chat` and `make test` on a machine where something is missing: one clear sentence."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    # Not the variables of the `make test` that runs this.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
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


def test_ci_runs_the_same_command_as_everybody() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()
