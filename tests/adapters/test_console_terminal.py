"""The console in real terminals: pictures, the lines that were said before, and the completion of commands."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.inline_images import CHUNK, inline_image
from tests.adapters.at_a_terminal import PICTURE, SAID_BEFORE
from tests.terminals import Terminal, in_terminal

KITTY = {"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}
ITERM2 = {"TERM_PROGRAM": "iTerm.app"}
PLAIN: list[dict[str, str]] = [
    {},
    {"TERM": "dumb"},
    {"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"},
    {"TERM": "tmux-256color", "TMUX": "/run/tmux,1,0"} | ITERM2,
    {"TMUX": "/run/tmux,1,0"} | KITTY,
    {"STY": "1.screen"} | KITTY,
    {"ZELLIJ": "0"} | KITTY,
    {"TERM_PROGRAM": "vscode"},
]
UP, TAB, ENTER = "\x1b[A", "\t", "\r"


@contextmanager
def talking(environment: Mapping[str, str], exports: Path) -> Iterator[Terminal]:
    """Ann at a terminal of this kind, when she can type."""
    quiet = {"PROMPT_TOOLKIT_NO_CPR": "1"}  # it would ask the screen where the cursor is
    command = ["-m", "tests.adapters.at_a_terminal", str(exports)]
    with in_terminal(command, quiet | dict(environment)) as terminal:
        terminal.until("Ann:")
        yield terminal


def timeline(environment: Mapping[str, str], exports: Path) -> str:
    """All that a terminal of this kind is sent for a timeline, up to the file's path and the end."""
    with talking(environment, exports) as terminal:
        terminal.type(f"/memory timeline{ENTER}")
        terminal.until(str(exports / "timeline.png"))
        terminal.type(f"/quit{ENTER}")
        assert terminal.ended() == 0
        return terminal.shown


def test_kitty_is_sent_the_picture_in_its_graphics_protocol(tmp_path: Path) -> None:
    codes = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", timeline(KITTY, tmp_path))
    first, *others = [dict(key.split("=") for key in keys.split(",")) for keys, _ in codes]
    assert first == {"a": "T", "f": "100", "c": "60", "q": "2", "m": "1"}
    assert [one.pop("m") for one in others] == ["1"] * (len(others) - 1) + ["0"]
    assert others == [{"q": "2"}] * len(others)
    assert all(len(chunk) <= CHUNK and len(chunk) % 4 == 0 for _, chunk in codes)
    assert base64.b64decode("".join(chunk for _, chunk in codes)) == PICTURE


def test_iterm2_is_sent_the_picture_inline(tmp_path: Path) -> None:
    [(keys, content)] = re.findall(r"\x1b\]1337;File=([^:]*):([^\x07]*)\x07", timeline(ITERM2, tmp_path))
    assert dict(key.split("=") for key in keys.split(";")) == {
        "inline": "1",
        "size": str(len(PICTURE)),
        "width": "60",
        "height": "auto",
        "preserveAspectRatio": "1",
    }
    assert base64.b64decode(content) == PICTURE


def test_a_plain_terminal_is_sent_no_picture_and_a_long_path_whole(tmp_path: Path) -> None:
    exports = tmp_path / ("long" * 20)
    exports.mkdir()
    shown = timeline({}, exports)
    assert "\x1b_G" not in shown
    assert "1337" not in shown
    assert (exports / "timeline.png").read_bytes() == PICTURE


@pytest.mark.parametrize("environment", PLAIN)
def test_unknown_terminals_and_multiplexers_get_none(environment: dict[str, str]) -> None:
    assert inline_image(PICTURE, environment, 80) == ""


@pytest.mark.parametrize("environment", [KITTY, ITERM2, {"TERM_PROGRAM": "WezTerm"}, {"TERM": "xterm-ghostty"}])
def test_only_pictures_are_shown_and_no_wider_than_the_terminal(environment: dict[str, str]) -> None:
    assert inline_image(b'{"a": 1}', environment, 80) == ""
    assert re.search(r"(c|width)=40[,;]", inline_image(PICTURE, environment, 40))


def test_what_was_said_before_comes_back_with_the_arrow_keys(tmp_path: Path) -> None:
    with talking({}, tmp_path) as terminal:
        terminal.type(UP + ENTER)
        terminal.until(f"heard <{SAID_BEFORE}>")
        terminal.type(f"And today?{ENTER}")
        typed = terminal.until("heard <And today?>")
        terminal.type(UP + UP + ENTER)
        terminal.until(f"heard <{SAID_BEFORE}>", after=typed)


def test_commands_are_completed(tmp_path: Path) -> None:
    with talking({}, tmp_path) as terminal:
        terminal.type(f"/memory ti{TAB}")
        terminal.until("meline")
        terminal.type(ENTER)
        asked = terminal.until("Here it is.")
        terminal.type(f"/privacy rec{TAB}")
        asked = terminal.until("eipt", after=asked)
        terminal.type(ENTER)
        terminal.until("<privacy receipt> was asked", after=asked)
