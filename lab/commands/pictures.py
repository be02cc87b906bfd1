"""`lab pictures`: pictures for the README, of a real conversation with the real program."""

from __future__ import annotations

import importlib
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bot.errors import BadInput

ACTS: Sequence[tuple[str, Sequence[str]]] = (
    (
        "2026-09-14T18:00",
        (
            "I live in Leeds with my sister Nora and a cat called Biscuit.",
            "I have a job interview at the aquarium on Thursday and I am nervous.",
        ),
    ),
    ("2026-09-18T19:00", ("I got the job at the aquarium! I start on the first of October.",)),
    ("2026-10-09T20:00", ("Biscuit broke her leg today, we were at the vet.",)),
    ("2026-11-20T09:00", ("Hi! What was my cat called again?", "/memory timeline")),
)
"""When, and what Alice types then."""

WIDTH = 80
SAID = re.compile(r"^(?:Alice: (?=[^/\n])|Monica: ).*(?:\n(?!Alice: |Monica: |/\d|\[|\n).+)*", re.MULTILINE)
"""A turn, with the lines that it goes on in."""
GREETING = "Before we go on: I am a machine"
"""What the first contact says; the picture is of a conversation."""
FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""What rich's picture fetches from elsewhere: the reader's own font does as well."""


def make(out: Path) -> int:
    """Talks as Alice on four days, and writes pictures of that and of her page into `out`. Raises BadInput."""
    try:
        browser = importlib.import_module("lab.commands.page_pictures")
    except ModuleNotFoundError as error:
        raise BadInput(f"{error.name} is missing: pip install -e '.[dev]'.") from None
    out.mkdir(parents=True, exist_ok=True)
    console = Console(record=True, width=WIDTH, highlight=False, file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        for when, lines in ACTS:
            said = _talk(Path(folder), when, lines)
            console.print(Text(f"{when[:10]}", style="dim"))
            for line in said:
                name, colon, text = line.partition(":")
                console.print(Text.assemble((name + colon, "bold cyan" if name == "Monica" else "bold"), text))
        picture = next(iter(Path(folder).glob("exports/*.png")), None)
        if picture is None:
            raise BadInput("The timeline made no picture.")
        (out / "timeline.png").write_bytes(picture.read_bytes())
        browser.take(Path(folder), "Alice", datetime.fromisoformat(ACTS[-1][0]).replace(tzinfo=UTC), out)
    svg = console.export_svg(title="hello-again chat")
    (out / "conversation.svg").write_text(FONT.sub("", svg), encoding="utf-8")
    return 0


def _talk(folder: Path, when: str, lines: Sequence[str]) -> list[str]:
    """What was said, line by line, by both. Raises BadInput."""
    command = [sys.executable, "-m", "bot", "chat", "--user", "Alice", "--data-dir", str(folder), "--clock", when]
    typed = "\n".join([*lines, "/quit", ""])
    done = subprocess.run(command, input=typed, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - this program
    if done.returncode:
        raise BadInput(f"The conversation of {when} ended with code {done.returncode}.")
    return [" ".join(turn.split()) for turn in SAID.findall(done.stdout) if GREETING not in turn]
