"""The journal of erasures: that nothing erased is missing in it, and that it names nobody."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.domain import ErasureReason, Selection
from bot.errors import StorageError
from bot.storage.backups import journal as journals
from bot.storage.backups.journal import Entry, Journal, JournalFile, Noted, journalled, level, since, writing
from bot.storage.engine.database import open_database
from bot.storage.shared.digests import digest, digest_key
from bot.storage.shared.tables import erased_messages
from tests.storage.backups import DAY, NOW, Home, make_empty
from tests.stored import ANN, ANNS_DM, BEN, HALL, Rows


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.backups.mkdir()
    return home


@pytest.fixture
async def rows(home: Home) -> AsyncIterator[Rows]:
    await make_empty(home.database)
    database = await open_database(home.settings.database_url)
    yield Rows(database)
    await database.aclose()


def noted(folder: Path) -> list[tuple[Noted, str]]:
    return [(entry.kind, entry.digest) for entry in JournalFile(folder).read()]


async def of(rows: Rows, *parts: str) -> str:
    async with rows.database.writing() as connection:
        return digest(await digest_key(connection), *parts)


def entry(kind: Noted, number: int, after: timedelta = timedelta(0)) -> Entry:
    return Entry(kind, f"{number:032x}", NOW + after)


async def test_every_kind_of_erasure_is_noted_in_both_folders(home: Home, rows: Rows) -> None:
    first, second = await rows.accept("first"), await rows.accept("second")
    await rows.accept("third", speaker=BEN, place=HALL)
    erasures = await journalled(rows.erasures, rows.database, home.settings)
    await erasures.erase(Selection(utterances=(first.id,)), ErasureReason.ASKED, NOW)
    await erasures.erase_messages("chat", [second.message_id, "never seen"], NOW + timedelta(seconds=1))
    await erasures.erase(Selection(people=(BEN.id,), places=(HALL.key,)), ErasureReason.ASKED, NOW + DAY)
    expected = [
        (Noted.MESSAGE, await of(rows, "chat", "m1")),
        (Noted.MESSAGE, await of(rows, "chat", "m2")),
        (Noted.MESSAGE, await of(rows, "chat", "never seen")),
        (Noted.PERSON, await of(rows, "person", BEN.id)),
        (Noted.PLACE, await of(rows, "place", HALL.key)),
        (Noted.MESSAGE, await of(rows, "chat", "m3")),
    ]
    assert sorted(noted(home.data)) == sorted(expected)
    assert noted(home.data)[3:] == expected[3:]  # before the transaction, and after it
    assert noted(home.backups) == noted(home.data)
    for folder in (home.data, home.backups):
        written = (folder / journals.NAME).read_text()
        assert not any(name in written for name in ("m1", "never", "chat", "ben", "hall"))
        assert (folder / journals.NAME).stat().st_mode & 0o077 == 0


async def test_every_edit_is_noted_when_its_erasure_is_finished(home: Home, rows: Rows) -> None:
    said = await rows.accept("first words")
    erasures = await journalled(rows.erasures, rows.database, home.settings)
    for day, words in enumerate(("second words", "third words"), 1):
        correction = await rows.corrections.edit("chat", said.message_id, words, NOW + day * DAY)
        assert correction is not None
        await erasures.finish(correction.erasure_id, 0, NOW + day * DAY)
    name = await of(rows, "edited", "chat", said.message_id)
    expected = [Entry(Noted.MESSAGE, name, NOW + day * DAY) for day in (1, 2)]
    assert list(JournalFile(home.data).read()) == list(JournalFile(home.backups).read()) == expected
    await journalled(rows.erasures, rows.database, home.settings)
    assert list(JournalFile(home.data).read()) == expected


async def test_what_passes_through_is_what_the_erasures_say(home: Home, rows: Rows) -> None:
    said = await rows.accept("said")
    erasures = await journalled(rows.erasures, rows.database, home.settings)
    assert (await erasures.preview(Selection(utterances=(said.id,)))).utterances == 1
    erased = await erasures.erase(Selection(utterances=(said.id,)), ErasureReason.ASKED, NOW, ANN.id)
    assert [key for key, _ in await erasures.unfinished()] == [erased.erasure_id]
    receipt = await erasures.finish(erased.erasure_id, 0, NOW + DAY)
    assert await erasures.receipt(erased.erasure_id) == receipt
    assert await erasures.receipts(ANN.id, 5) == [receipt]


async def test_what_a_killed_process_did_not_note_is_noted_at_the_next_start(home: Home, rows: Rows) -> None:
    said = await rows.accept("said")
    await rows.erasures.erase(Selection(utterances=(said.id,)), ErasureReason.ASKED, NOW)
    assert noted(home.data) == []
    await journalled(rows.erasures, rows.database, home.settings)
    await journalled(rows.erasures, rows.database, home.settings)
    assert noted(home.data) == [(Noted.MESSAGE, await of(rows, "chat", said.message_id))]


async def test_a_person_is_noted_before_the_transaction(
    home: Home, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise StorageError("killed here")

    erasures = await journalled(rows.erasures, rows.database, home.settings)
    monkeypatch.setattr(rows.erasures, "erase", fail)
    with pytest.raises(StorageError, match="killed here"):
        await erasures.erase(Selection(people=(ANN.id,)), ErasureReason.ASKED, NOW)
    assert noted(home.data) == [(Noted.PERSON, await of(rows, "person", ANN.id))]


async def test_a_clock_that_was_set_back_hides_nothing(home: Home, rows: Rows) -> None:
    erasures = await journalled(rows.erasures, rows.database, home.settings)
    await erasures.erase_messages("chat", ["a"], NOW)
    await erasures.erase_messages("chat", ["b"], NOW - timedelta(hours=23))
    assert {name for _, name in noted(home.data)} == {await of(rows, "chat", "a"), await of(rows, "chat", "b")}


async def test_what_is_older_than_any_backup_is_not_noted(home: Home, rows: Rows) -> None:
    await rows.erasures.erase_messages("chat", ["old"], NOW - 40 * DAY)
    await rows.erasures.erase_messages("chat", ["new"], NOW)
    await journalled(rows.erasures, rows.database, home.settings)
    assert noted(home.data) == [(Noted.MESSAGE, await of(rows, "chat", "new"))]


async def test_an_erasure_does_not_wait_for_the_disk_of_the_backups(home: Home, rows: Rows) -> None:
    erasures = await journalled(rows.erasures, rows.database, home.settings)
    (home.backups / journals.NAME).mkdir()  # cannot be written, even by root
    await erasures.erase_messages("chat", ["a"], NOW)
    (home.backups / journals.NAME).rmdir()
    await erasures.erase_messages("chat", ["b"], NOW)
    assert noted(home.backups) == noted(home.data)[1:]
    await Journal(rows.database, home.settings).catch_up()
    assert sorted(noted(home.backups)) == sorted(noted(home.data))
    assert len(noted(home.data)) == 2


async def test_a_full_disk_makes_no_failure_of_what_is_erased(home: Home, rows: Rows) -> None:
    erasures = await journalled(rows.erasures, rows.database, home.settings)
    (home.data / journals.NAME).mkdir()
    erased = await erasures.erase_messages("chat", ["a"], NOW)
    assert erased.utterances == ()
    (home.data / journals.NAME).rmdir()
    await erasures.erase_messages("chat", ["b"], NOW)
    assert {name for _, name in noted(home.data)} == {await of(rows, "chat", "a"), await of(rows, "chat", "b")}
    async with rows.database.reading() as connection:
        assert len((await connection.execute(select(erased_messages))).all()) == 2
    (home.data / journals.NAME).unlink()
    (home.data / journals.NAME).mkdir()
    with pytest.raises(StorageError, match=r"journal of erasures .* cannot be"):
        await erasures.erase(Selection(places=(ANNS_DM.key,)), ErasureReason.ASKED, NOW)


async def test_a_database_in_memory_has_no_journal(home: Home) -> None:
    database = await open_database("sqlite+aiosqlite://")
    rows = Rows(database)
    assert await journalled(rows.erasures, database, home.settings) is rows.erasures
    await database.aclose()
    assert not home.data.exists()


def test_a_line_that_was_cut_off_hurts_no_other(tmp_path: Path) -> None:
    file = JournalFile(tmp_path)
    assert file.read() == ()
    first, second = entry(Noted.MESSAGE, 1), entry(Noted.PERSON, 2, DAY)
    file.append([first])
    for length in (30, len(second.line) - 2):
        file.file.write_text(first.line + second.line[:length])
        assert file.read() == (first,)
        file.append([second])
        assert file.read() == (first, second)
    file.file.write_text(f"{first.line}person {'0' * 32} never\nperson {'0' * 31} 1\n\nhello\n{second.line}")
    assert file.read() == (first, second)


def test_only_the_beginning_is_dropped(tmp_path: Path) -> None:
    """A backup's line never loses what stands behind it, whatever the clock showed then."""
    file = JournalFile(tmp_path)
    entries = [entry(Noted.MESSAGE, 1, -2 * DAY), entry(Noted.BACKUP, 2), entry(Noted.PERSON, 3, -9 * DAY)]
    file.append(entries)
    file.prune(NOW - DAY)
    assert file.read() == tuple(entries[1:])
    file.prune(NOW + DAY)
    assert file.read() == ()


def test_what_was_erased_since_a_backup(tmp_path: Path) -> None:
    before = [entry(Noted.PERSON, 1, -DAY), entry(Noted.MESSAGE, 2, -DAY), entry(Noted.PLACE, 3, -timedelta(minutes=5))]
    mark, other = entry(Noted.BACKUP, 9), entry(Noted.BACKUP, 8, -DAY)
    after = [entry(Noted.PERSON, 4, -5 * DAY), entry(Noted.PLACE, 5, DAY)]  # the clock was set back in between
    found, known = since([other, *before, mark, *after], mark.digest, NOW)
    assert known
    assert found == {*before[1:], *after}  # a message never comes back; the place was noted just before the backup
    found, known = since([other, *before, *after], mark.digest, NOW)
    assert not known
    assert found == {*before[1:], after[1]}


def test_two_journals_are_brought_level(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b", tmp_path / "c", tmp_path / "away"]
    for folder in folders[:3]:
        folder.mkdir()
    entries = [entry(Noted.BACKUP, 1), entry(Noted.PERSON, 2), entry(Noted.MESSAGE, 3)]
    JournalFile(folders[0]).append(entries)
    JournalFile(folders[1]).append([entry(Noted.PERSON, 4)])
    level(folders[:2])
    assert JournalFile(folders[0]).read() == (*entries, entry(Noted.PERSON, 4))
    assert JournalFile(folders[1]).read() == (entry(Noted.PERSON, 4), *entries[1:])  # it does not know that backup
    level([folders[2], folders[3]], folders[:2])
    assert JournalFile(folders[2]).read() == JournalFile(folders[0]).read()
    assert not folders[3].exists()


def test_a_journal_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / journals.NAME).mkdir()
    for work in (JournalFile(tmp_path).read, lambda: JournalFile(tmp_path).append([entry(Noted.MESSAGE, 1)])):
        with pytest.raises(StorageError, match="journal of erasures"):
            work()
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be used"), writing(tmp_path / "file"):
        pass
