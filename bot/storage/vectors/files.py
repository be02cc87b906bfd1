"""The files of a folder of Chroma: made to hold nothing but what Chroma knows, while no Chroma has it open."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from bot.storage.engine.syncing import sync

DATABASE = "chroma.sqlite3"
NEW = f"{DATABASE}.tmp"
QUEUE_INDEX = "CREATE INDEX IF NOT EXISTS hello_again_queue_topic ON embeddings_queue (topic, seq_id)"
_BESIDE = ("-journal", "-wal", "-shm")
_OWN = ("migrations", "tenants", "databases", "collections", "segments", "embeddings_queue_config")


def compact(folder: Path) -> None:
    """Writes Chroma's SQLite file anew without free pages, and deletes the folders of collections that were dropped.

    The new file takes the place of the old one in one step: after SIGKILL there is one or the other, and perhaps an
    unfinished one (NEW), which the next call deletes. Raises OSError and sqlite3.Error.
    """
    new, old = folder / NEW, folder / DATABASE
    new.unlink(missing_ok=True)
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("VACUUM INTO ?", (str(new),))
    sync(new)
    # Their changes are in `old`, and so in `new`: the connection above has seen to that.
    for ending in _BESIDE:
        (folder / f"{DATABASE}{ending}").unlink(missing_ok=True)
    new.replace(old)
    delete_dropped(folder)
    sync(folder)


def index_queue(folder: Path) -> None:
    """Gives Chroma's queue of changes an index by collection, which it lacks. Raises sqlite3.Error.

    Chroma keeps the last changes of each collection there, and looks for one's whenever it touches it: among those of
    all collections, so that 222,000 of 3,000 took 0.2 s each time; with the index it takes 20 ms.
    """
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        connection.execute(QUEUE_INDEX)


def delete_dropped(folder: Path) -> None:
    """Deletes the folders of collections that were dropped: Chroma leaves them. Raises OSError and sqlite3.Error."""
    address = f"{(folder / DATABASE).resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        known = {str(segment) for (segment,) in connection.execute("SELECT id FROM segments")}
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in known:
            shutil.rmtree(entry)


def own_words(file: Path) -> list[str]:
    """All words in a SQLite file of Chroma that it has by itself: its schema, settings and names. None when broken."""
    address = f"{file.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            words = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
            for table in _OWN:
                for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608  names of our own
                    words += [value for value in row if isinstance(value, str)]
    except sqlite3.Error:
        return []
    return words
