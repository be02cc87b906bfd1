"""The pages for owners say what the program does: their links, commands, options and quoted sentences are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from bot.__main__ import app

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "COMMANDS.md", "SETTINGS.md", "PRIVACY.md", "TROUBLESHOOTING.md", "CONTRIBUTING.md"]
PAGES += ["MAINTAINING.md", "FIRST_HOURS.md", "SCALING.md"]
SOURCES = [file for room in ("bot", "adapters") for file in (ROOT / room).rglob("*.py")]
JOINT = re.compile(r'"\s*\n\s*f?"|" f"')
"""Where a sentence of the code goes on in the next line."""


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def command_line() -> dict[str, set[str]]:
    """Every command of the command line → its options."""
    found: dict[str, set[str]] = {}

    def walk(command: object, path: str) -> None:
        inner = getattr(command, "commands", None)
        options = {option for one in getattr(command, "params", ()) for option in one.opts if option.startswith("--")}
        found[path] = options | {"--help"}
        for name, below in (inner or {}).items():
            walk(below, f"{path} {name}".strip())

    walk(typer.main.get_command(app), "")
    return found


def typed(text: str) -> Iterator[list[str]]:
    """The words of each `hello-again …` that a page shows."""
    for found in re.finditer(r"(?:^ {4}|`|ExecStart=\S*/)hello-again((?: [^`#\n]+)?)", text, re.MULTILINE):
        yield found[1].split()


@pytest.mark.parametrize("name", PAGES)
def test_every_link_to_a_page_or_picture_leads_there(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)|src=\"([^\"]+)\"", page(name))
    wanted = [link for pair in links for link in pair if link and not link.startswith("http")]
    assert [link for link in wanted if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_command_line_of_a_page_is_one(name: str) -> None:
    known = command_line()
    for words in typed(page(name)):
        plain = [word for word in words if re.fullmatch(r"[a-z-]+", word)]
        command = next((" ".join(plain[:count]) for count in (2, 1) if " ".join(plain[:count]) in known), "")
        assert command or not plain or plain[0].startswith("--"), words
        options = {word for word in words if word.startswith("--")}
        assert options <= known[command] | known[""], words


def test_the_page_of_commands_lists_the_whole_command_line() -> None:
    listed = {" ".join(words) for words in typed(page("COMMANDS.md"))}
    leaves = {
        name for name in command_line() if name and not any(other.startswith(f"{name} ") for other in command_line())
    }
    assert leaves <= {re.sub(r" [A-Z]+$", "", line) for line in listed}


def test_what_the_page_of_troubles_quotes_is_said_by_the_program() -> None:
    said = JOINT.sub("", "\n".join(file.read_text("utf-8") for file in SOURCES))
    quoted = re.findall(r"^\| \"([^\"]+)\"", page("TROUBLESHOOTING.md"), re.MULTILINE)
    parts = [part.strip(" .?") for quote in quoted for part in re.split(r"…|\. ", quote) if part.strip(" .?")]
    assert len(parts) >= 7
    assert [part for part in parts if part not in said] == []


def test_the_readme_is_short() -> None:
    assert len(page("README.md").split()) <= 900
