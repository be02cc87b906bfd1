"""Nobody but its owner can read what is stored, also where the folder was open to all before."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.storage.engine.database import open_database
from bot.storage.engine.owner_only import close_to_others
from tests.living import START, open_core


def open_to_others(folder: Path) -> list[str]:
    return [str(path) for path in [folder, *folder.rglob("*")] if path.stat().st_mode & 0o077 and not path.is_symlink()]


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


async def test_a_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with open_core(folder) as core:
        await core.say("My cat is called Pixel.")
    (folder / "exports").mkdir()
    (folder / "exports" / "words.json").write_text("Pixel")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    os.umask(0o077)
    async with open_core(folder, start=START + timedelta(days=1)) as core:
        await core.say("And my dog is called Rex.")
        assert not open_to_others(folder)
    assert not open_to_others(folder)


async def test_what_is_not_ours_in_that_folder_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "index.html"
    other.write_text("")
    other.chmod(0o644)
    (tmp_path / "exports").symlink_to(other)
    async with open_core(tmp_path):
        pass
    assert other.stat().st_mode & 0o777 == 0o644


async def test_a_database_elsewhere_is_closed_too(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    file = tmp_path / "shared" / "people.db"
    await (await open_database(f"sqlite+aiosqlite:///{file}")).aclose()
    assert open_to_others(tmp_path / "shared")
    await (await open_database(f"sqlite+aiosqlite:///{file}")).aclose()
    assert not open_to_others(file)
    assert open_to_others(tmp_path / "shared") == [str(tmp_path / "shared")]


def test_a_folder_of_backups_is_closed_too(tmp_path: Path) -> None:
    copied = tmp_path / "hello-again-20261101-030000.age"
    copied.write_bytes(b"")
    close_to_others(tmp_path)
    assert not open_to_others(tmp_path)


def test_a_command_makes_files_for_its_owner_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    lines = tmp_path / "lines.jsonl"
    lines.write_text("")
    command = [sys.executable, "-m", "lab", "replay", "--no-model", "--data-dir", str(tmp_path / "kept"), "--out"]
    subprocess.run([*command, str(out), str(lines)], check=False, capture_output=True, timeout=100)
    assert out.stat().st_mode & 0o777 == 0o600


def test_in_the_image_the_data_folder_is_its_owners_alone() -> None:
    """Docker gives a new volume the rights of the folder that it is laid over."""
    lines = (Path(__file__).parents[2] / "Dockerfile").read_text(encoding="utf-8").splitlines()
    made = [line for line in lines if re.search(r"\bmkdir\b.*/data\b", line)]
    assert len(made) == 1
    assert re.search(r"\bmkdir -m 700 /data && chown hello /data$", made[0])
    assert "VOLUME /data" in lines
    assert "USER hello" in lines
