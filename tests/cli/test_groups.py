"""The groups of commands: all of them are there, and asking for help loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.__main__ import app

ROOT = Path(__file__).parent.parent.parent
GROUPS = {
    "model": ["list", "recommend", "get", "use", "try", "setup"],
    "data": ["stats", "reindex", "backup-key", "backup", "restore", "move"],
}
HEAVY = "numpy torch transformers sentence_transformers sqlalchemy chromadb matplotlib discord telegram spacy"
LOADED = f"""
import sys
import bot.__main__
print(sorted(set({HEAVY!r}.split()) & set(sys.modules)))
"""

MISTAKEN = f"""
import sys
from bot.__main__ import app
for words in (
    "chat", "run", "doctor", "data stats", "data reindex", "data backup", "data restore FILE --key KEY",
    "model list", "model recommend", "model get x", "model use x", "model try x", "model setup",
):
    try:
        app([*words.split(), "--config", sys.argv[1]])
    except SystemExit as ended:
        print(words, ended.code, sorted(set({HEAVY!r}.split()) & set(sys.modules)))
"""


@pytest.mark.parametrize("group", GROUPS)
def test_the_help_of_a_group_names_its_commands(group: str) -> None:
    done = CliRunner().invoke(app, [group, "--help"])
    assert done.exit_code == 0
    rows = [line.strip("│ ").split() for line in done.stdout.partition("Commands")[2].splitlines()]
    named = [row[0] for row in rows if row and row[0] in GROUPS[group]]
    assert named == GROUPS[group]


def test_every_command_has_its_help() -> None:
    commands = [["--help"], *([group, name, "--help"] for group, names in GROUPS.items() for name in names)]
    for arguments in commands:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, arguments
        assert "Usage" in done.stdout


def test_help_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_wrong_setting_is_told_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("model: {idd: x}")
    command = [sys.executable, "-c", MISTAKEN, str(config)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.count("Did you mean 'model.id'?") == 13
    assert all(line.endswith(" 1 []") for line in done.stdout.splitlines()), done.stdout
