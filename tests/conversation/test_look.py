"""The version of the look for danger follows from what it looks with."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

from bot.conversation.crisis.look import files_of_look, version_of, version_of_look
from bot.conversation.crisis.wording import LANGUAGES


def test_every_pattern_file_the_net_and_the_code_are_in_it() -> None:
    names = {file.name for file in files_of_look()}
    assert {f"{code}.yaml" for code in LANGUAGES} <= names
    assert {"danger.npz", "safety.py", "danger_net.py", "folding.py", "wording.py", "ideas.py"} <= names
    assert all(file.exists() for file in files_of_look())


def test_any_change_of_any_of_them_is_another_version(tmp_path: Path) -> None:
    files = [Path(copy(file, tmp_path / file.name)) for file in files_of_look() if file.name != "__init__.py"]
    versions = {version_of(files)}
    assert version_of(files) in versions, "the same files are the same version"
    for file in files:
        file.write_bytes(file.read_bytes() + b"\n")
        versions.add(version_of(files))
    files[0].unlink()
    versions.add(version_of(files))
    assert len(versions) == len(files) + 2


def test_it_is_one_word_and_read_once() -> None:
    assert version_of_look() is version_of_look()
    assert len(version_of_look().split()) == 1
