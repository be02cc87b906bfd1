"""The companion's own commands at the keyboard, over the whole core."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from rich.console import Console

from adapters.console import CHANNEL, ConsoleAdapter
from bot import texts
from bot.clock import ManualClock
from bot.domain import ChannelMode, Place, PlaceKind, Speaker, Utterance
from bot.llm.scripted import ScriptedChatModel
from bot.usecases.calls import usage
from bot.usecases.catalogue import CATALOGUE, GROUPS
from tests.living import START, open_core

OWN_WORDS: dict[str, object] = {"memory__summariser": "extractive", "persona__extractor": "extractive"}
BOBS = Place("console", PlaceKind.DM, "bob")


@dataclass
class Typed:
    """What Ann saw, and what is stored."""

    screen: str = ""
    mode: ChannelMode | None = None
    said: list[str] = field(default_factory=list)


async def typed(monkeypatch: pytest.MonkeyPatch, folder: Path, *lines: str, days: int = 0) -> Typed:
    """What comes of these lines, typed by Ann some days after START."""
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
    start = START + timedelta(days=days)
    console = Console(file=screen, highlight=False, width=100, soft_wrap=True)
    adapter = ConsoleAdapter(user="Ann", agent_name="Monica", clock=ManualClock(start), console=console)
    async with open_core(
        folder,
        model=ScriptedChatModel("I see."),
        start=start,
        messengers={"console": adapter.messenger},
        overrides=OWN_WORDS,
    ) as core:
        await adapter.run(core.app)
        dm = await core.app.recent(Place("console", PlaceKind.DM, "ann"), 100)
        return Typed(screen.getvalue(), await core.app.stores.channels.mode(CHANNEL), [one.text for one in dm])


async def test_help_lists_the_consoles_own_commands_and_the_companions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = await typed(monkeypatch, tmp_path, "/as Ann", "help", *(f"/help {topic}" for topic in GROUPS))
    assert texts.CONSOLE_HELP.format(agent="Monica") in seen.screen
    for command in CATALOGUE:
        assert f"- {usage(command)} {command.help}" in seen.screen


async def test_every_command_is_answered_and_none_is_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = await typed(monkeypatch, tmp_path, *(f"/{command.name}" for command in CATALOGUE), "/", "/?!")
    assert "a machine" in seen.screen
    assert "How I am doing" in seen.screen
    assert "There is no command /?!. /help lists them." in seen.screen
    assert "`" not in seen.screen
    assert "**" not in seen.screen
    assert seen.said == []


async def test_answers_are_german_where_the_variables_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where the system has no German locale, as in containers."""
    for name, value in {"LC_ALL": "", "LC_MESSAGES": "de_DE.UTF-8", "LANG": "en_GB.UTF-8"}.items():
        monkeypatch.setenv(name, value)
    lines = (
        "/memory list",
        "/persona edit new I sail.",
        "/memory correct t1 I row.",
        "/memory forget t2",
        "/7",
        "/memory export",
    )
    seen = (await typed(monkeypatch, tmp_path, *lines)).screen
    assert "Ich weiß noch nichts von dir." in seen
    assert "/1 Den alten löschen" in seen
    assert "„I row.“ (" in seen
    assert "Einen Knopf /7 gibt es gerade nicht." in seen
    assert "konnte ich nicht schreiben" in seen


async def test_buttons_are_pressed_by_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = await typed(monkeypatch, tmp_path, "/1", "/persona show", "/1", "/2")
    assert seen.screen.count("There is no button /1 now") == 1
    assert "/1 And what are you like?" in seen.screen
    assert "I am Monica, " in seen.screen
    assert "There is no button /2 now" in seen.screen


async def test_memories_of_earlier_days_are_listed_and_explained(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await typed(monkeypatch, tmp_path, "I have an exam.", "/session")
    seen = await typed(monkeypatch, tmp_path, "/memory list", "/memory why t1", days=1)
    assert "- t1 I have an exam. (2 November 2026, in private)" in seen.screen
    assert "- e1 Ann: I have an exam. (2 November 2026, in private)" in seen.screen
    assert "> “I have an exam.” (you, 2 November 2026)" in seen.screen


async def test_speaking_as_somebody_else_shows_nothing_of_theirs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Oh."), messengers={}, overrides=OWN_WORDS) as core:
        told = Utterance(BOBS, "b1", Speaker("console:bob", "Bob"), "I have a secret twin.", START)
        assert await core.app.receive(told)
        await core.app.idle()
        await core.passes(timedelta(hours=2))
        assert [event.summary for event in await core.app.stores.events.readable_in(BOBS)]
    asked = ("/memory list", "/memory why", "/memory search twin", "/persona show", "/persona show companion")
    seen = await typed(monkeypatch, tmp_path, "/as Bob", *asked, days=1)
    assert "secret" not in seen.screen


async def test_the_channel_of_the_keyboard_has_a_mode(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = await typed(monkeypatch, tmp_path, "/channel mode off", "/as Bob", "/channel mode open")
    assert seen.mode is ChannelMode.OPEN
    assert "That is about a channel." in seen.screen
    assert "Ann has set me to open" in seen.screen
