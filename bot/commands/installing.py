"""`hello-again init`: has systemd run the companion as its owner's own service, also after a restart of the machine."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from bot.errors import BadInput
from bot.texts import setup as texts

UNIT = """\
[Unit]
Description=Hello Again, a companion that remembers

[Service]
WorkingDirectory={folder}
ExecStart={python} -m bot run{config}
Restart=on-failure
RestartSec=10
TimeoutStopSec=60
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service

[Install]
WantedBy=default.target
"""
"""Only what works without root and with any GPU: what would give the service file systems of its own is not in it."""
UNITS = Path(".config/systemd/user/hello-again.service")
"""Where systemd looks for a person's own services, below their home."""


def init(file: Path | None, config: Path | None) -> int:
    """Writes the service's file and says what starts it. Raises BadInput where another file is there already."""
    target = file if file is not None else Path.home() / UNITS
    unit = unit_of(Path.cwd(), config)
    if target.exists() and target.read_text("utf-8") != unit:
        raise BadInput(texts.UNIT_THERE.format(file=target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(unit, "utf-8")
    except OSError as error:
        raise BadInput(texts.UNIT_NOT_WRITTEN.format(file=target, reason=error.strerror or error)) from None
    typer.echo(texts.UNIT_WRITTEN.format(file=target))
    if file is not None:
        typer.echo(texts.UNIT_LINK.format(file=target.resolve()))
    typer.echo(texts.UNIT_COMMANDS)
    return 0


def unit_of(folder: Path, config: Path | None) -> str:
    """The service that runs the companion in this folder, by this Python. Its paths are absolute."""
    named = f" --config {_quoted(config.resolve())}" if config is not None else ""
    folder_ = str(folder.resolve()).replace("%", "%%")
    return UNIT.format(folder=folder_, python=_quoted(Path(sys.executable)), config=named)


def _quoted(path: Path) -> str:
    """A path as systemd reads it: what stands for something else in its files stands for itself."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
