"""A server is backed up as a SQLite file is: a backup goes to an empty server, or a file, without what was erased."""

from __future__ import annotations

from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.config import Storage
from bot.domain import ErasureReason, Selection
from bot.errors import StorageError
from bot.storage.backups import journal
from bot.storage.backups.journal import journalled
from bot.storage.backups.restoring import Permits
from bot.storage.engine.database import open_database
from tests.postgres import Server
from tests.storage.backups import NOW, Home
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, Rows

PAIN = "naïve \N{GRINNING FACE} 'quoted' \"twice\" \\ back"


class ServersHome(Home):
    """A companion whose database is on a server."""

    def on(self, url: str) -> ServersHome:
        """From now on with this database."""
        storage = Storage(data_dir=self.data, database_url=url)
        self.settings = self.settings.model_copy(update={"storage": storage})
        return self


async def said_in(url: str) -> list[str]:
    async with aclosing(await open_database(url)) as database, database.reading() as connection:
        return list((await connection.execute(text("SELECT text FROM utterances ORDER BY id"))).scalars())


async def test_a_backup_of_a_server_goes_to_another_and_to_a_file_without_what_was_erased(
    postgres: Server, tmp_path: Path
) -> None:
    url = await postgres.fresh()
    home = ServersHome(tmp_path).on(url)
    async with aclosing(await open_database(url)) as database:
        rows = Rows(database)
        erasures = await journalled(rows.erasures, database, home.settings)
        session = await rows.converse(HALL, [ANN, BEN])
        await rows.event(session, summary=PAIN)
        for speaker, place in ((ANN, ANNS_DM), (BEN, BENS_DM)):
            await rows.accept(f"{speaker.name} {PAIN}", speaker=speaker, place=place)
        highest = (await rows.accept("the last")).id
        await rows.erasures.erase_messages("chat", ["m5"], NOW)
        made = await home.back_up()
        await erasures.erase(Selection(people=(BEN.id,)), ErasureReason.ASKED, NOW + timedelta(minutes=1))
    assert PAIN.encode() not in made.file.read_bytes()
    wanted = ["something", f"Ann {PAIN}"]
    other = await postgres.fresh()
    done = await home.on(other).restore(made.file, Permits())
    assert done.replayed.people == 1
    assert await said_in(other) == wanted
    async with aclosing(await open_database(other)) as database:
        rows = Rows(database)
        assert await rows.inbox.pending() == []
        rows._said = 99
        assert (await rows.accept("new")).id > highest
    await home.on("").restore(made.file, Permits())
    assert home.texts() == wanted


async def test_a_server_that_holds_something_is_not_replaced(postgres: Server, tmp_path: Path) -> None:
    url = await postgres.fresh()
    home = ServersHome(tmp_path).on(url)
    async with aclosing(await open_database(url)) as database:
        await Rows(database).accept("mine")
    made = await home.back_up()
    with pytest.raises(StorageError, match="is not empty"):
        await home.restore(made.file, Permits(replace=True))
    assert await said_in(url) == ["mine"]


async def test_a_backup_of_a_server_never_shortens_the_journal_that_others_write_to(
    postgres: Server, tmp_path: Path
) -> None:
    home = ServersHome(tmp_path).on(await postgres.fresh())
    home.backups.mkdir()
    old = journal.Entry(journal.Noted.PERSON, "0" * 32, NOW - timedelta(days=400))
    journal.JournalFile(home.backups).append([old])
    await home.back_up()
    assert journal.JournalFile(home.backups).read()[0] == old
