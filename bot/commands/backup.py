"""`data backup-key`, `data backup` and `data restore`: copies that only their owner can read."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bot.clock import SystemClock
from bot.config import Settings
from bot.storage.backups.backup import Made, back_up
from bot.storage.backups.restoring import Permits, Restored, restore
from bot.storage.backups.sealing import make_key
from bot.storage.engine.database import Database
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.memory.events import SqlEvents
from bot.storage.memory.traits import SqlTraits
from bot.storage.stores import INDEX_FOLDER

MEGABYTE = 1_000_000


async def key(file: Path) -> int:
    """Writes a new secret key to `file` and prints its public key. Raises BadInput."""
    public = make_key(file, SystemClock().now())
    say(
        f"{file} holds a new secret key. Put the public key into the settings:",
        "",
        "backup:",
        f"  recipient: {public}",
        "",
        f"Keep {file} somewhere else than on this machine, and a second copy of it: without it no backup can be read, "
        "and whoever has it can read them all. The companion needs the public key alone.",
    )
    return 0


async def backup(settings: Settings, to: Path | None) -> int:
    """Makes a backup in `to`, or in the configured folder. Raises BadInput and StorageError."""
    say(*told_of_backup(await back_up(settings, SystemClock().now(), to)))
    return 0


async def restore_backup(settings: Settings, file: Path, key_file: Path, permits: Mapping[str, bool]) -> int:
    """Puts a backup in the place of the data, without what was erased since. Raises BadInput and StorageError."""

    def erasures_of(database: Database) -> SqlErasures:
        return SqlErasures(database, SqlEvents(database), SqlTraits(database))

    index = settings.storage.data_dir / INDEX_FOLDER
    done = await restore(settings, file, key_file, SystemClock().now(), erasures_of, Permits(**permits), index)
    say(*told_of_restore(done, settings.storage.data_dir))
    return 0


def say(*lines: str) -> None:
    """Prints sentences as they are: names of files are no markup."""
    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text(line))


def told_of_backup(made: Made) -> list[str]:
    """What is to be said of a new backup."""
    lines = [
        f"{made.file} is made: {made.rows:,} rows, {made.size / MEGABYTE:,.1f} MB, encrypted. "
        f"It expires on {made.expires:%Y-%m-%d}. The vectors are not in it: a restore makes them anew.",
    ]
    if made.dropped:
        lines.append(f"Deleted, because their time was over: {', '.join(file.name for file in made.dropped)}.")
    return lines


def told_of_restore(done: Restored, data_dir: Path) -> list[str]:
    """What is to be said of a restore."""
    lines = [
        f"The backup of {done.manifest.made:%Y-%m-%d %H:%M} UTC is in {data_dir}: {done.rows:,} rows. "
        "The vectors are made anew at the next start.",
    ]
    again = done.replayed
    if done.known_until is not None:
        lines.append(
            f"What was erased since is erased from it: {again.utterances:,} messages and replies, {again.people:,} "
            f"people, {again.places:,} places. The journal of erasures ends on {done.known_until:%Y-%m-%d %H:%M} UTC."
        )
    else:
        lines.append("No journal of erasures knew this backup: what was erased since may be back.")
    if not done.decisions:
        lines.append(
            "What people decided since (consent, opt-outs, links, what channels are for) is not known and may be "
            "older than it should be."
        )
    return lines
