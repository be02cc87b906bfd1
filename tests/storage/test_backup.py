"""Backups: what is in them, and who can read them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.config import Backup, Storage
from bot.errors import BadInput, StorageError
from bot.storage.backups.backup import _schema as schema_of
from bot.storage.backups.backup import drop_expired, expired
from bot.storage.backups.sealing import make_key, read_key
from tests.storage.backups import DAY, NOW, Home, holders

CANARY = "the violet pelican of Utrecht"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def test_nothing_is_in_plain_text_but_the_database_itself(home: Home, tmp_path: Path) -> None:
    async with home.living() as (rows, _):
        await rows.accept(CANARY)
        made = await home.back_up()
        assert {name.partition("-")[0] for name in holders(tmp_path, CANARY)} == {"hello.db"}
    assert holders(tmp_path, CANARY) == {"hello.db"}
    assert made.file.name == "hello-again-20260601-120000.age"
    assert made.file.stat().st_mode & 0o077 == 0
    assert home.backups.stat().st_mode & 0o077 == 0
    assert sorted(file.name for file in home.backups.iterdir()) == ["erasures.journal", made.file.name]


async def test_a_backup_is_of_one_moment_while_others_write(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(connection: sqlite3.Connection) -> str:
        version = schema_of(connection)
        with closing(sqlite3.connect(home.database)) as other:
            other.execute("UPDATE utterances SET text = 'after'")
            other.commit()
        return version

    async with home.living() as (rows, _):
        await rows.accept("before")
        async with rows.database.writing() as connection:
            await connection.exec_driver_sql("UPDATE utterances SET text = 'half done'")
            first = await home.back_up()
            await connection.exec_driver_sql("UPDATE utterances SET text = 'before'")
        monkeypatch.setattr("bot.storage.backups.backup._schema", meanwhile)
        second = await home.back_up(NOW + DAY)
    assert home.texts() == ["after"]
    for made in (first, second):
        await home.restore(made.file)
        assert home.texts() == ["before"]


async def test_old_backups_go_by_their_names_and_nothing_else_does(home: Home, tmp_path: Path) -> None:
    async with home.living():
        pass
    old = await home.back_up(NOW - 31 * DAY)
    young = await home.back_up(NOW - 29 * DAY)
    others = [home.backups / name for name in ("letter.age", "hello-again-20250101-000000.age.bak", "notes.txt")]
    for other in others:
        other.write_text("mine")
    (home.backups / "hello-again-20260101-000000.age.tmp").write_text("left by a kill")
    made = await home.back_up()
    assert made.dropped == (old.file,)
    kept = {made.file, young.file, *others, home.backups / "erasures.journal"}
    assert set(home.backups.iterdir()) == kept
    assert expired(home.backups, 1, NOW + 2 * DAY) == [young.file, made.file]


async def test_backups_expire_also_when_no_other_one_is_made(home: Home) -> None:
    async with home.living():
        pass
    assert drop_expired(home.settings, NOW) == 0, "there is no folder yet"
    old, young = await home.back_up(NOW - 31 * DAY), await home.back_up(NOW - 29 * DAY)
    assert drop_expired(home.settings, NOW) == 1
    assert not old.file.exists()
    assert young.file.exists()


async def test_a_backup_elsewhere_leaves_the_configured_folder_alone(home: Home, tmp_path: Path) -> None:
    async with home.living():
        pass
    old = await home.back_up(NOW - 31 * DAY)
    made = await home.back_up(to=tmp_path / "stick")
    assert made.file.parent == tmp_path / "stick"
    assert old.file.exists()
    assert not (tmp_path / "stick" / "erasures.journal").exists()  # it would be old when the stick comes back


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"recipient": ""}, r"no key to encrypt.*backup-key FILE"),
        ({"recipient": "age1nonsense"}, r"'backup\.recipient' is not a public key"),
    ],
)
async def test_no_backup_without_a_key(home: Home, change: dict[str, str], sentence: str) -> None:
    async with home.living():
        pass
    home.settings = home.settings.model_copy(update={"backup": Backup(folder=home.backups).model_copy(update=change)})
    with pytest.raises(BadInput, match=sentence):
        await home.back_up()
    assert not home.backups.exists()


async def test_a_database_in_memory_has_no_backups(home: Home) -> None:
    storage = Storage(data_dir=home.data, database_url="sqlite+aiosqlite://")
    home.settings = home.settings.model_copy(update={"storage": storage})
    with pytest.raises(BadInput, match="in memory cannot be backed up"):
        await home.back_up()
    home.key.parent.joinpath("a.age").write_bytes(b"")
    with pytest.raises(BadInput, match="in memory cannot be restored"):
        await home.restore(home.key.parent / "a.age")


async def test_there_is_nothing_to_back_up(home: Home) -> None:
    with pytest.raises(BadInput, match="Nothing is stored"):
        await home.back_up()
    assert not home.data.exists()


async def test_a_backup_that_fails_leaves_nothing(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with home.living() as (rows, _):
        await rows.accept("hello")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"cannot be made.*backup\.folder"):
        await home.back_up(to=tmp_path / "file")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("bot.storage.backups.sealing.pyrage.encrypt_io", full)
        with pytest.raises(StorageError, match=r"hello-again.* cannot be written \(No space left on device\)"):
            await home.back_up()
    with monkeypatch.context() as patched:
        patched.setattr("bot.storage.backups.backup._schema", lambda connection: connection.execute("SELECT nowhere"))
        with pytest.raises(StorageError, match="cannot be read: no such column"):
            await home.back_up()
    assert [file.name for file in home.backups.iterdir()] == ["erasures.journal"]
    await home.back_up()
    with pytest.raises(StorageError, match="exists already"):
        await home.back_up()


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    public = make_key(tmp_path / "owner.key", NOW)
    before = (tmp_path / "owner.key").read_bytes()
    with pytest.raises(BadInput, match="exists already and is not overwritten"):
        make_key(tmp_path / "owner.key", NOW)
    assert (tmp_path / "owner.key").read_bytes() == before
    assert (tmp_path / "owner.key").stat().st_mode & 0o777 == 0o600
    assert str(read_key(tmp_path / "owner.key").to_public()) == public
    assert public.encode() in before
    with pytest.raises(BadInput, match="cannot be written"):
        make_key(tmp_path / "no" / "folder.key", NOW)
