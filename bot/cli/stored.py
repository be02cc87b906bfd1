"""`bot data`: what is stored, its vectors, its backups, its database. Each command loads what it needs late."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, DataDirOption, finish, settings_of

stored = typer.Typer(no_args_is_help=True, help="What is stored.")


@stored.command()
def stats(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """What is stored, how much, and since when."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.stored").stats(settings_of(config, data_dir)))

    finish(work())


@stored.command()
def reindex(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Make all vectors anew from the tables."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.stored").reindex(settings_of(config, data_dir)))

    finish(work())


@stored.command("backup-key")
def backup_key(file: Annotated[Path, typer.Argument(help="Where the new secret key goes.")]) -> None:
    """Make the key that backups are encrypted to; keep it away from this machine."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.backup").key(file))

    finish(work())


@stored.command()
def backup(
    to: Annotated[Path | None, typer.Option("--to", help="The folder to write to (default: backup.folder).")] = None,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Write an encrypted copy of everything, also while the companion runs; delete those that have expired."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.backup").backup(settings_of(config, data_dir), to))

    finish(work())


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

    async def work() -> int:
        module = importlib.import_module("bot.commands.backup")
        permits = module.Permits(even_expired=even_expired, without_journal=without_journal, replace=replace)
        return int(await module.restore_backup(settings_of(config, data_dir), file, key, permits))

    finish(work())


@stored.command()
def move(
    to: Annotated[str, typer.Option("--to", help="Where to: the address of an empty database.")],
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Copy everything to another database, a PostgreSQL server or a SQLite file (companion stopped)."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.stored").move_to(settings_of(config, data_dir), to))

    finish(work())
