"""`hello-again data`: what is stored, its vectors, its backups, its database. Each command loads what it needs late."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, DataDirOption, perform, settings_of

stored = typer.Typer(no_args_is_help=True, help="What is stored.")


@stored.command()
def stats(
    tables: Annotated[bool, typer.Option("--tables", help="The rows of each table, too.")] = False,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """What is remembered, since when, how large, and what waits."""
    perform("stored:stats", lambda: (settings_of(config, data_dir), tables))


@stored.command()
def reindex(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Make all vectors anew from the tables."""
    perform("stored:reindex", lambda: (settings_of(config, data_dir),))


@stored.command("backup-key")
def backup_key(file: Annotated[Path, typer.Argument(help="Where the new secret key goes.")]) -> None:
    """Make the key that backups are encrypted to; keep it away from this machine."""
    perform("backup:key", lambda: (file,))


@stored.command()
def backup(
    to: Annotated[Path | None, typer.Option("--to", help="The folder to write to (default: backup.folder).")] = None,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Write an encrypted copy of everything, also while the companion runs; delete those that have expired."""
    perform("backup:backup", lambda: (settings_of(config, data_dir), to))


@stored.command()
def restore(
    file: Annotated[Path, typer.Argument(help="The backup: hello-again-….age.")],
    key: Annotated[Path, typer.Option("--key", help="The secret key that `backup-key` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Delete the present data.")] = False,
    even_expired: Annotated[bool, typer.Option("--even-expired", help="Restore it though its time is over.")] = False,
    without_journal: Annotated[
        bool, typer.Option("--without-journal", help="Restore it though nobody knows what was erased since.")
    ] = False,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Put a backup in the place of the data, without what was erased since it was made."""
    permits = {"even_expired": even_expired, "without_journal": without_journal, "replace": replace}
    perform("backup:restore_backup", lambda: (settings_of(config, data_dir), file, key, permits))


@stored.command()
def move(
    to: Annotated[str, typer.Option("--to", help="Where to: the address of an empty database.")],
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Copy everything to another database, a PostgreSQL server or a SQLite file (companion stopped)."""
    perform("stored:move_to", lambda: (settings_of(config, data_dir), to))
