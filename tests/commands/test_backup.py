"""What `bot data backup-key`, `backup` and `restore` say."""

from pathlib import Path

import pytest

from bot.commands.backup import backup, key, restore_backup, told_of_backup, told_of_restore
from bot.config import Backup, Storage
from bot.domain import ErasureReason, Selection
from bot.storage.backups.backup import Made, Manifest
from bot.storage.backups.replaying import Replayed
from bot.storage.backups.restoring import Restored
from tests.storage.backups import DAY, NOW, Home
from tests.stored import BEN


async def test_from_a_key_to_a_restore(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home(tmp_path)
    key_file = tmp_path / "my [bold]key.txt"
    assert await key(key_file) == 0
    said = capsys.readouterr().out
    [recipient] = [line.split()[-1] for line in said.splitlines() if line.startswith("  recipient: age1")]
    assert "somewhere else than on this machine" in said
    assert "AGE-SECRET" not in said
    assert str(key_file) in said

    settings = home.settings.model_copy(update={"backup": Backup(folder=home.backups, recipient=recipient)})
    home.settings = settings
    async with home.living() as (rows, _):
        await rows.accept("this stays")
        await rows.accept("erased since", speaker=BEN)
    assert await backup(settings, None) == 0
    said = capsys.readouterr().out
    [file] = home.backups.glob("*.age")
    assert said.startswith(f"{file} is made: ")
    assert "vectors are not in it" in said

    async with home.living() as (_, erasures):
        await erasures.erase(Selection(people=(BEN.id,)), ErasureReason.ASKED, NOW)
    assert await restore_backup(settings, file, key_file, {"replace": True}) == 0
    said = capsys.readouterr().out
    assert f"is in {home.data}" in said
    assert "erased from it: 1 messages and replies, 1 people, 0 places" in said
    assert home.texts() == ["this stays"]


async def test_a_backup_goes_where_it_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home(tmp_path)
    async with home.living():
        pass
    assert await backup(home.settings, tmp_path / "stick") == 0
    [file] = (tmp_path / "stick").iterdir()
    assert str(file) in capsys.readouterr().out
    assert home.settings.storage == Storage(data_dir=home.data)


def test_what_was_deleted_and_what_is_not_known_is_said(tmp_path: Path) -> None:
    made = Made(tmp_path / "new.age", 1_200_000, 12_345, NOW, (tmp_path / "old.age",))
    first, second = told_of_backup(made)
    assert "12,345 rows, 1.2 MB" in first
    assert "expires on 2026-06-01" in first
    assert "old.age" in second
    manifest = Manifest("0" * 32, "0003", NOW, NOW + DAY, "0.1.0", 4096)
    lines = told_of_restore(Restored(manifest, 7, Replayed(), None, decisions=False), tmp_path)
    assert "may be back" in lines[1]
    assert "older than it should be" in lines[2]
    assert len(told_of_restore(Restored(manifest, 7, Replayed(), NOW, decisions=True), tmp_path)) == 2
