"""Opens the vector index of a database, and begins a new one where the old one cannot be trusted.

The index lives in a folder named by its id, which the tables know too: a folder that was lost, damaged, copied from
elsewhere or made by another encoder is seen, put away, and its vectors are made again in the background.
"""

import asyncio
import hashlib
import json
import secrets
import shutil
from collections.abc import Collection
from pathlib import Path

import structlog

from bot.errors import IndexUnusable
from bot.storage.engine.database import Database
from bot.storage.shared import index_marks
from bot.storage.vectors.chroma import ChromaVectorIndex

MARKER = "encoder.json"

_log = structlog.get_logger(__name__)


async def open_index(folder: Path, database: Database, encoder: str, exact_limit: int = 50_000) -> ChromaVectorIndex:
    """The index in `folder` that belongs to `database`, in step with its tables. Raises IndexUnusable.

    `encoder`: the fingerprint of the one in use. What is missing in the index is unmarked in the tables, so that
    `Indexer.catch_up` embeds it. An index that is as it was closed is taken as it is; after a crash it is compared with
    the tables, which takes about 10 ms a scope.
    """
    known_id = await index_marks.index_id(database)
    made = _made_by(folder / known_id) if known_id is not None else None
    if known_id is not None and made == encoder:
        index = _index(folder / known_id, database, exact_limit)
        try:
            state = await asyncio.to_thread(_state, folder / known_id)
            as_it_was_closed = await index_marks.take_closed_state(database) == state
            await index.open()
            if not as_it_was_closed:
                await _put_in_step(index, database)
        except IndexUnusable:
            await index.aclose()
        except BaseException:
            await index.aclose()
            raise
        else:
            # A process may have been killed before it could; nothing that is erased would ever go from such a folder.
            await asyncio.to_thread(delete_others, folder, {known_id})
            return index
    if made not in {None, encoder}:
        _log.warning("another text encoder is in use: until its vectors are made, words find memories")
    return await _begin(folder, database, encoder, exact_limit)


async def _begin(folder: Path, database: Database, encoder: str, exact_limit: int) -> ChromaVectorIndex:
    """A new, empty index; what else is in `folder` is deleted, since vectors tell of people too."""
    new_id = secrets.token_hex(8)
    index = _index(folder / new_id, database, exact_limit)
    try:
        _write_marker(folder / new_id, encoder)
        await index.open()
        await index_marks.start_afresh(database, new_id)
    except BaseException:
        await index.aclose()
        raise
    await asyncio.to_thread(delete_others, folder, {new_id})
    return index


def _index(folder: Path, database: Database, exact_limit: int) -> ChromaVectorIndex:
    async def remember_state() -> None:
        await index_marks.set_closed_state(database, await asyncio.to_thread(_state, folder))

    return ChromaVectorIndex(folder, exact_limit, remember_state)


def _state(folder: Path) -> str:
    """A digest of the names, sizes and times of all files: another one when anything was changed from outside."""
    stats = [(str(file.relative_to(folder)), file.stat()) for file in sorted(folder.rglob("*")) if file.is_file()]
    lines = "\n".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats)
    return hashlib.sha256(lines.encode()).hexdigest()


async def _put_in_step(index: ChromaVectorIndex, database: Database) -> None:
    """Unmarks rows whose vectors are missing, and removes vectors of rows that are not there."""
    scopes = await index_marks.rows_by_scope(database)
    await index.keep_only(frozenset(scopes))
    for scope, rows in scopes.items():
        there = await index.ids(scope)
        missing = {row_id for row_id, indexed in rows.items() if indexed} - there
        if missing:
            await index_marks.unmark(database, scope.kind, missing)
        await index.remove(scope, sorted(there - rows.keys()))


def _made_by(folder: Path) -> str | None:
    """The fingerprint of the encoder that made the index in `folder`; None when it cannot be told."""
    try:
        fingerprint = json.loads((folder / MARKER).read_text(encoding="utf-8"))["encoder"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return fingerprint if isinstance(fingerprint, str) else None


def _write_marker(folder: Path, encoder: str) -> None:
    """Says by which encoder the index in `folder` is made. Raises IndexUnusable."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / MARKER).write_text(json.dumps({"encoder": encoder}), encoding="utf-8")
    except OSError as error:
        raise IndexUnusable(
            f"The folder {folder.parent} for the vector index cannot be written ({error.strerror}). "
            "Make it writable, or choose another with storage.data_dir."
        ) from None


def delete_others(folder: Path, kept: Collection[str]) -> None:
    """Deletes all that is in `folder` under other names: vectors tell of people, too."""
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name in kept:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
