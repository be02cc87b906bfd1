"""Who talks, and that what people wrote is printed as it stands."""

import getpass
import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from adapters.console import ConsoleAdapter
from bot.__main__ import app
from bot.clock import SystemClock
from bot.commands.chat import LONGEST_NAME, NAMELESS, at_this_terminal, greeting, name_of, start_up_bar
from bot.config import load_settings
from bot.domain import Asker, ModelDescription, Speaker, Utterance
from bot.llm.abilities import advice
from bot.llm.scripted import ScriptedChatModel
from tests.living import START, open_core

ODD = "no[/such] [red]folder:cat:"


@pytest.mark.parametrize(
    ("account", "name"), [("root", NAMELESS), ("hello", NAMELESS), ("nobody", NAMELESS), ("eve", "Eve")]
)
def test_an_account_that_is_no_person_gives_no_name(monkeypatch: pytest.MonkeyPatch, account: str, name: str) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: account)
    assert name_of(None) == name
    assert name_of("hello") == "hello"


async def test_whoever_sits_at_the_terminal_is_an_owner_and_sees_their_last_prompt(tmp_path: Path) -> None:
    owners = at_this_terminal(load_settings(None, {}, owners=["discord:1"]), "Ann").owners
    adapter = ConsoleAdapter(user="Ann", agent_name="Monica", clock=SystemClock())
    assert owners == ("discord:1", adapter.dm.dm_person)
    ann = Speaker(owners[1], "Ann")
    said = Utterance(adapter.dm, "m1", ann, "My cat is called Pixel.", START, to_bot=True)
    async with open_core(tmp_path, model=ScriptedChatModel("Hello."), overrides={"owners": owners}) as core:
        await core.app.receive(said)
        await core.app.idle()
        shown = await core.app.commands.overseeing.prompt(Asker(ann, adapter.dm, is_owner=True))
    assert shown.kept is not None
    assert "Pixel" in shown.kept.messages[-1].content


def test_an_error_with_brackets_in_it_is_shown_as_it_is() -> None:
    done = CliRunner().invoke(app, ["chat", "--clock", ODD])
    assert done.exit_code == 1
    assert f"--clock {ODD!r} is not a time" in done.stderr


def test_a_folder_with_brackets_in_its_name_is_shown_as_it_is(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["data", "stats", "--data-dir", str(tmp_path / ODD)])
    assert done.exit_code == 0
    assert f"{ODD} yet." in done.stdout


def test_the_bar_shows_a_step_as_it_is() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    with start_up_bar(console) as report:
        report(ODD, 0.5)
    assert isinstance(console.file, io.StringIO)
    assert ODD in console.file.getvalue()


@pytest.mark.parametrize("user", ["Ann", "A" * LONGEST_NAME])
@pytest.mark.parametrize(("weights", "on_gpu"), [(135_000_000, False), (135_000_000, True), (1_500_000_000, False)])
def test_the_greeting_fits_80_columns(user: str, weights: int, on_gpu: bool) -> None:
    name, detail = "Qwen2.5-Coder-1.5B-Instruct", "Q4_K_M in llama.cpp on the CPU, tuned for traits and talk"
    model = ModelDescription(name, detail, advice(weights, on_gpu=on_gpu), 4096, 3000)
    lines = greeting(model, "Monica", user)
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=80)
    console.print(Text(lines), soft_wrap=not console.is_terminal)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert shown.split() == lines.split(), "words are broken"
    assert "/help for help, /quit to leave." in shown.splitlines()[-1]
    assert len(shown.splitlines()) <= 6
