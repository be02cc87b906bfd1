"""`secrets.env` beside the settings: the tokens, for their owner's eyes alone; systemd and compose can read it, too."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bot.config.mistakes import meant_secret, unreadable
from bot.config.sections import SECRETS
from bot.errors import ConfigError

NAME = "secrets.env"


def secret_file(config: Path) -> Path:
    """Where the tokens are that belong to these settings."""
    return config.parent / NAME


def read_secrets(file: Path) -> dict[str, str]:
    """The variables that the file sets; nothing when it is not there. Raises ConfigError."""
    try:
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {unreadable(error)}.") from None
    held: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name, is_set, value = line.strip().removeprefix("export ").partition("=")
        if not name or name.startswith("#"):
            continue
        if not is_set or name.strip() not in SECRETS.values():
            known = ", ".join(SECRETS.values())
            meant = meant_secret(name.strip())
            hint = f"Did you mean {meant}?" if meant else f"Each line is NAME=VALUE; the names are {known}."
            raise ConfigError(f"{file}, line {number}: {name.strip()!r} is not read here. {hint}")
        held[name.strip()] = value.strip().strip("'\"")
    return held


def write_secrets(file: Path, secrets: Mapping[str, str]) -> None:
    """Puts these beside what the file holds. It is replaced at once; only its owner can read it. Raises ConfigError."""
    held = {**read_secrets(file), **secrets}
    text = "".join(f"{name}={value}\n" for name, value in sorted(held.items()))
    replace_text(file, text, mode=0o600)


def replace_text(file: Path, text: str, mode: int) -> None:
    """Writes a file whole or not at all. Raises ConfigError."""
    try:
        with new_beside(file, text) as new:
            new.chmod(mode)
            new.replace(file.resolve())
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror or error}.") from None


@contextmanager
def new_beside(file: Path, text: str) -> Iterator[Path]:
    """A new file with this text beside another one; where it still is, it goes in the end. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
