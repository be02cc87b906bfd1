"""The console over the whole core: what is typed, what is stored, what is seen."""

import asyncio
import io
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from adapters.console import CHANNEL, ConsoleAdapter, ConsoleMessenger
from bot import texts
from bot.clock import ManualClock
from bot.domain import Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.llm.scripted import ScriptedChatModel
from bot.ports import Growing
from tests.living import START, OpenCore, Screen, open_core

DM = Place("console", PlaceKind.DM, "ann")
OWN_WORDS: dict[str, object] = {"memory__summariser": "extractive", "persona__extractor": "extractive"}


async def typed(
    monkeypatch: pytest.MonkeyPatch, folder: Path, lines: str, model: ScriptedChatModel
) -> tuple[str, OpenCore]:
    """What is on the screen after these lines were typed, and the core, closed."""
    screen = io.StringIO()
    clock = ManualClock(START)
    console = Console(file=screen, highlight=False, width=100)
    adapter = ConsoleAdapter(user="Ann", agent_name="Monica", clock=clock, console=console)
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    async with open_core(folder, model=model, messengers={"console": adapter.messenger}, overrides=OWN_WORDS) as core:
        await adapter.run(core.app)
        core.heard = await core.app.recent(DM, 100)
        core.in_channel = await core.app.recent(CHANNEL, 100)
    return screen.getvalue(), core


async def test_what_is_typed_is_answered_and_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown, core = await typed(monkeypatch, tmp_path, "Hello!\n\n  \n/quit\nnever\n", ScriptedChatModel("Hi Ann."))
    assert "Ann: Hello!" in shown
    assert "Monica: Hi Ann." in shown
    assert [utterance.text for utterance in core.heard] == ["Hello!", "Hi Ann."]


async def test_commands_answer_and_are_not_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown, core = await typed(monkeypatch, tmp_path, "/help\n/nonsense\n/session\n", ScriptedChatModel("Hi."))
    assert texts.CONSOLE_HELP.format(agent="Monica").splitlines()[0] in shown
    assert "I know no command “nonsense”. /help lists all of them." in shown
    assert "No session is open, or a reply is still on its way." in shown
    assert core.heard == []


async def test_several_people_share_a_channel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = ScriptedChatModel("Bob does.")
    lines = "/as Bob\nI bake bread.\n/as Ann\nMonica, who bakes?\n/as\nAnd in private?\n"
    shown, core = await typed(monkeypatch, tmp_path, lines, model)
    assert [(u.speaker.name, u.to_bot) for u in core.in_channel] == [("Bob", False), ("Ann", True), ("Monica", False)]
    assert [u.text for u in core.heard] == ["And in private?", "Bob does."]
    assert "Bob: I bake bread." in "\n".join(one.content for one in model.requests[0].messages)
    assert "I bake bread" not in "\n".join(message.content for message in model.requests[1].messages[1:])
    assert shown.count("Monica: Bob does.") == 2


async def test_a_session_can_be_ended_by_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown, _ = await typed(monkeypatch, tmp_path, "I have an exam.\n/session\n", ScriptedChatModel("Good luck."))
    assert "The session has ended." in shown
    async with open_core(tmp_path, start=START + timedelta(minutes=5), overrides=OWN_WORDS) as core:
        events = await core.app.stores.events.readable_in(DM)
        assert [event.summary for event in events] == ["Ann: I have an exam."]


async def test_a_reply_that_may_have_been_seen_is_not_shown_again() -> None:
    screen = io.StringIO()
    messenger = ConsoleMessenger(Console(file=screen), "Monica", DM)
    assert [part async for part in messenger.send(Outgoing(1, DM, "Seen before.", "n1", uncertain=True))] == ["n1"]
    assert [part async for part in messenger.send(Outgoing(2, DM, "New.", "n2"))] == ["n2"]
    assert "Seen before." not in screen.getvalue()
    assert "Monica: New." in screen.getvalue()


async def test_markup_in_a_reply_is_shown_as_it_stands() -> None:
    screen = io.StringIO()
    messenger = ConsoleMessenger(Console(file=screen), "Monica", DM)
    assert [part async for part in messenger.send(Outgoing(1, DM, "Use [bold]this[/bold].", "n1"))] == ["n1"]
    assert "Use [bold]this[/bold]." in screen.getvalue()


async def test_another_persons_pending_message_is_not_answered_on_this_screen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bobs = Place("console", PlaceKind.DM, "bob")
    async with open_core(tmp_path, overrides=OWN_WORDS) as core:
        secret = Utterance(bobs, "b1", Speaker("console:bob", "Bob"), "I am leaving my job, nobody knows.", START)
        assert await core.app.stores.inbox.accept(secret) is not None
    shown, _ = await typed(monkeypatch, tmp_path, "Hello!\n", ScriptedChatModel("You are leaving your job."))
    assert shown.count("Monica:") == 1
    async with open_core(tmp_path, screen=Screen(out_of_reach={bobs}), overrides=OWN_WORDS) as core:
        assert [pending.place for pending in await core.app.stores.inbox.pending()] == [bobs]


@pytest.mark.parametrize(("line", "named"), [("Monica, hi", True), ("hi monica!", True), ("I play harmonica", False)])
async def test_the_name_counts_as_a_word_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, named: bool
) -> None:
    _, core = await typed(monkeypatch, tmp_path, f"/as Bob\n{line}\n", ScriptedChatModel("Yes."))
    assert core.in_channel[0].to_bot is named


class Terminal(io.StringIO):
    """An input that people type into."""

    def isatty(self) -> bool:
        return True


async def becomes(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - a screen tells nobody
            await asyncio.sleep(0.01)


async def test_a_reply_grows_above_the_input_line_and_what_is_typed_meanwhile_is_heard(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hold, screen = asyncio.Event(), io.StringIO()
    model = ScriptedChatModel("One two three.", hold=hold, hold_after=2)
    console = Console(file=screen, highlight=False, width=80)
    adapter = ConsoleAdapter(user="Ann", agent_name="Monica", clock=ManualClock(START), console=console)
    monkeypatch.setattr(sys, "stdin", Terminal())
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        async with open_core(tmp_path, model=model, messengers={"console": adapter.messenger}) as core:
            talking = asyncio.create_task(adapter.run(core.app))
            keys.send_text("Hello\r")
            await becomes(lambda: [text for _, text in adapter._prompt()] == ["Monica: ", "One two\n", "Ann: "])
            keys.send_text("And then?\r")
            await becomes(lambda: screen.getvalue().splitlines() == ["Ann: Hello", "Ann: And then?"])
            hold.set()
            await becomes(lambda: screen.getvalue().count("Monica: One two three.") == 2)
            keys.send_text("help\r")
            await becomes(lambda: "/quit" in screen.getvalue())
            assert [text for _, text in adapter._prompt()] == ["Ann: "]
            keys.send_text("/quit\r")
            await talking


async def test_from_a_pipe_nobody_sees_a_reply_grow() -> None:
    screen = io.StringIO()
    messenger = ConsoleMessenger(Console(file=screen), "Monica", DM)
    async with messenger.live(Growing(DM, None, None, created)) as live:
        live.show("Half a sen")
        assert not live.seen
    assert screen.getvalue() == ""


async def created(message_id: str) -> None:
    raise AssertionError("the terminal has no messages that grow")
