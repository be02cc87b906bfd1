"""Buttons under replies and notices at the keyboard, and files that an answer comes with. The core is a fake one."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from adapters.console import ConsoleAdapter, ConsoleMessenger
from bot.clock import ManualClock
from bot.domain import Answer, Asker, Call, Choice, File, Outgoing, Place, PlaceKind, Utterance
from bot.texts import platforms as texts
from tests.adapters.telegram.world import Ear, choice

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
DM = Place("console", PlaceKind.DM, "ann")
CHOICES = ((choice("Yes", "privacy consent", answer="yes"), choice("No", "privacy consent", answer="no")),)
FILES = (File("all.json", b'{"a": 1}'), File("../../all.md", "# Ünï".encode()))


@dataclass
class Parrot(Ear):
    """Sends a reply with buttons to everything that is said."""

    adapter: ConsoleAdapter | None = None
    choices: Sequence[Sequence[Choice]] = ()
    uncertain: bool = False
    seen: list[str] = field(default_factory=list)

    async def receive(self, utterance: Utterance) -> bool:
        """Replies at once."""
        assert self.adapter is not None
        choices = tuple(tuple(row) for row in self.choices)
        reply = Outgoing(1, DM, f"You say {utterance.text}", "n1", uncertain=self.uncertain, choices=choices)
        self.seen += [part async for part in self.adapter.messenger.send(reply)]
        self.choices = ()
        return True


async def typed(
    monkeypatch: pytest.MonkeyPatch, core: Ear, *lines: str, exports: Path | None = None
) -> tuple[str, list[tuple[Call, Asker]]]:
    """What is on the screen after these lines, and which commands were used."""
    screen = io.StringIO()
    console = Console(file=screen, highlight=False, width=300, soft_wrap=True)
    adapter = ConsoleAdapter(
        user="Ann", agent_name="Monica", clock=ManualClock(START), exports=exports, console=console
    )
    if isinstance(core, Parrot):
        core.adapter = adapter
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
    await adapter.run(core)
    return screen.getvalue(), core.calls


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(path.name for path in folder.iterdir())


async def test_buttons_under_a_reply_are_pressed_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, calls = await typed(monkeypatch, Parrot(choices=CHOICES), "hello", "and more", "/2", "/1")
    assert "Monica: You say hello\n/1 Yes   /2 No\n" in screen
    [(call, asker)] = calls[:1]
    assert call == Call("privacy consent", (("answer", "no"),))
    assert (asker.speaker.id, asker.place, asker.may_manage_server) == ("console:ann", DM, True)
    assert calls[1:] == []  # the answer to the press has no buttons
    assert "There is no button /1 now" in screen


async def test_buttons_of_a_reply_that_may_have_been_seen_before_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, calls = await typed(monkeypatch, Parrot(choices=CHOICES, uncertain=True), "hello", "/1")
    assert "You say hello" not in screen.replace("Ann: hello", "")
    assert [call for call, _ in calls] == [CHOICES[0][0].call]


async def test_a_notice_is_shown_without_its_marks_and_a_reply_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    messenger = ConsoleMessenger(Console(file=screen, width=200), "Monica", DM)
    for number in (0, 1):
        assert [part async for part in messenger.send(Outgoing(number, DM, r"I am **Ann\-Lena**.", f"n{number}"))]
    assert screen.getvalue().splitlines() == ["Monica: I am Ann-Lena.", r"Monica: I am **Ann\-Lena**."]


async def test_files_are_written_for_their_owner_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    exports = tmp_path / "data" / "exports"
    core = Ear(answer=lambda _call, _asker: Answer("Here it is.", files=FILES))
    screen, _ = await typed(monkeypatch, core, "/memory export", "/memory export", exports=exports)
    written = {path.name: (path.read_bytes(), path.stat().st_mode & 0o777) for path in exports.iterdir()}
    assert written == {"all.json": (FILES[0].content, 0o600), "all.md": (FILES[1].content, 0o600)}
    assert names(tmp_path) == ["data"]
    assert exports.stat().st_mode & 0o077 == 0
    assert texts.FILE_WRITTEN.format(path=exports / "all.json") in screen
    assert screen.count(texts.FILES_STAY) == 2


async def test_an_export_is_not_written_through_a_link(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    exports, other = tmp_path / "exports", tmp_path / "other"
    exports.mkdir()
    other.write_bytes(b"mine")
    (exports / "all.json").symlink_to(other)
    core = Ear(answer=lambda _call, _asker: Answer("Here it is.", files=FILES[:1]))
    await typed(monkeypatch, core, "/memory export", exports=exports)
    assert other.read_bytes() == b"mine"
    assert (exports / "all.json").read_bytes() == FILES[0].content
    assert not (exports / "all.json").is_symlink()


@pytest.mark.parametrize("there", [True, False])
async def test_a_file_that_cannot_be_written_is_told_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: bool
) -> None:
    blocked = tmp_path / "a file"
    blocked.write_bytes(b"")
    core = Ear(answer=lambda _call, _asker: Answer("Here it is.", files=FILES[:1]))
    screen, _ = await typed(monkeypatch, core, "/memory export", exports=blocked if there else None)
    assert "Here it is." in screen
    assert "I could not write all.json (" in screen
    assert texts.FILES_STAY not in screen
