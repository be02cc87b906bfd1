"""One setting is changed in config.yaml; all else stays as its owner wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bot.config import load_settings
from bot.config.editing import set_settings, with_setting
from bot.errors import ConfigError

ROOT = Path(__file__).parent.parent


def test_in_our_own_file_only_the_line_changes_and_its_comment_stays_in_its_column(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    before = (ROOT / "bot" / "config" / "config.yaml").read_text()
    file.write_text(before)
    set_settings(file, {"model.id": "qwen3-4b"})
    old, new = before.splitlines(), file.read_text().splitlines()
    ((was, now),) = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert was.startswith("  id: auto  ")
    assert now.startswith("  id: qwen3-4b  ")
    assert was.partition("#")[2] == now.partition("#")[2]
    assert was.index("#") == now.index("#")
    assert load_settings(file).model.id == "qwen3-4b"


@pytest.mark.parametrize(
    ("setting", "value", "after"),
    [
        ("owners", ["telegram:1", "discord:2"], "owners: ['telegram:1', 'discord:2']  # who\nweb:\n  enabled: false\n"),
        ("web.enabled", True, "owners: []  # who\nweb:\n  enabled: true\n"),
    ],
)
def test_a_list_and_a_switch_are_written_as_such(setting: str, value: list[str] | bool, after: str) -> None:
    assert with_setting("owners: []  # who\nweb:\n  enabled: false\n", setting, value) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "model:\n  id: a-b\n"),
        ("agent:\n  name: Eve\n", "agent:\n  name: Eve\nmodel:\n  id: a-b\n"),
        ("model:\n    device: cpu # mine\n", "model:\n    id: a-b\n    device: cpu # mine\n"),
        ("model:  # which\n  # one\n  id: 'old'\n", "model:  # which\n  # one\n  id: a-b\n"),
        ("model:\n  id: old # note\nencoder:\n  id: bundled\n", "model:\n  id: a-b  # note\nencoder:\n  id: bundled\n"),
        ("model:\n  remote:\n    name: x\n  id: old\n", "model:\n  remote:\n    name: x\n  id: a-b\n"),
        ('model:\n  id: "a # b"  # c\n', "model:\n  id: a-b      # c\n"),
    ],
)
def test_the_line_is_changed_or_made_where_it_belongs(before: str, after: str) -> None:
    assert with_setting(before, "model.id", "a-b") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "model:\n  remote:\n    name: a\n"),
        ("model:\n  id: x\nlog:\n", "model:\n  remote:\n    name: a\n  id: x\nlog:\n"),
        (
            "model:\n    remote:\n      retries: 1\n    id: x\n",
            "model:\n    remote:\n      name: a\n      retries: 1\n    id: x\n",
        ),
        ("model:\n  remote:\n    name: b # it\nlog:\n", "model:\n  remote:\n    name: a  # it\nlog:\n"),
        (
            "model:\n  remote:\n    name:\n    - b\n    - c\n    retries: 1\n",
            "model:\n  remote:\n    name: a\n    retries: 1\n",
        ),
        ("model:\n  remote:\n    name:\n      - b\nlog:\n", "model:\n  remote:\n    name: a\nlog:\n"),
    ],
)
def test_a_setting_inside_a_section_of_a_section_is_changed_or_made(before: str, after: str) -> None:
    assert with_setting(before, "model.remote.name", "a") == after


def test_several_settings_are_written_at_once_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    set_settings(file, {"agent.name": "Ada", "model.engine": "remote"}, template="agent:\n  name: Monica  # who\n")
    assert file.read_text() == "agent:\n  name: Ada     # who\nmodel:\n  engine: remote\n"
    before = file.read_text()
    with pytest.raises(ConfigError, match="engine"):
        set_settings(file, {"agent.name": "Eve", "model.engine": "nonsense"})
    assert file.read_text() == before


@pytest.mark.parametrize(
    "before", ["model: {id: old}\n", "model: [\n", "- a\n", "model:\n  id: >\n    old\n    words\n"]
)
def test_what_takes_more_than_a_line_is_left_to_the_owner(tmp_path: Path, before: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(before)
    with pytest.raises(ConfigError, match=r"was not changed\. Write this into it yourself:\nmodel:\n  id: a-b"):
        set_settings(file, {"model.id": "a-b"})
    assert file.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


@pytest.mark.parametrize(
    "value", ["/a folder/with: odd # signs.gguf", "null", "12", "it's", "owner/name:Q4_K_M", "- x"]
)
def test_every_value_reads_back_as_itself(tmp_path: Path, value: str) -> None:
    file = tmp_path / "config.yaml"
    set_settings(file, {"model.id": value})
    assert yaml.safe_load(file.read_text()) == {"model": {"id": value}}


def test_a_file_that_is_wrong_elsewhere_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("model:\n  idd: x\n")
    with pytest.raises(ConfigError, match="idd"):
        set_settings(file, {"model.id": "a"})
    assert file.read_text() == "model:\n  idd: x\n"
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


def test_a_folder_that_cannot_be_written_says_the_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"was not changed \(.+\)\. Write this into it yourself"):
        set_settings(tmp_path / "no such folder" / "config.yaml", {"model.id": "a"})
