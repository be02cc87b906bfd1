"""`bot web`, and the page beside the other commands: over a real socket, with the real app and no model."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import socket
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
import yaml

from bot.app.app import open_app
from bot.clock import ManualClock, SystemClock
from bot.commands import backstage, page
from bot.commands.explaining import explain
from bot.config import Settings, load_settings
from bot.config.explained import COMMON, explained
from bot.errors import BadInput, ConfigError
from bot.llm.scripted import ScriptedEncoder
from bot.log import set_up_logging
from bot.usecases.links import OWNER, VALID
from tests.adapters.discord.world import eventually
from tests.living import FirstPersonGate, WordTopics
from tests.test_config import leaves

EVERYWHERE = "0.0.0.0"  # noqa: S104  not bound to
LINK = re.compile(r"http://127\.0\.0\.1:\d+/in/terminal-[0-9a-f]{48}")
SCRIPTED = partial(open_app, with_model=False, encoder=ScriptedEncoder(), topics=WordTopics(), gate=FirstPersonGate())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def settings_in(folder: Path, **more: object) -> Settings:
    given = {"storage__data_dir": str(folder), "web__port": free_port(), "model__id": "bundled", **more}
    return load_settings(None, {}, **given)


async def test_bot_web_prints_a_link_that_opens_the_owners_page_and_ends_when_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "open_app", lambda *given, **_named: SCRIPTED(*given, clock=SystemClock(), messengers={}))
    monkeypatch.setattr(backstage, "EXAMINED", backstage.EXAMINED[:1])
    async with asyncio.TaskGroup() as group:
        running = group.create_task(page.web(settings_in(tmp_path), tmp_path / "config.yaml"))
        said = ""
        while not (found := LINK.search(said)):
            await asyncio.sleep(0.05)
            said += capsys.readouterr().out
        async with httpx.AsyncClient() as client:
            door = await client.get(found[0])
            assert "server" not in door.headers
            nonce = door.text.partition('name="nonce" value="')[2].partition('"')[0]
            own = {"sec-fetch-site": "same-origin"}
            await client.post(found[0], data={"nonce": nonce}, headers=own)
            assert "where the program was started" in door.text
            gone = (await client.get(found[0], headers={"accept-language": "de"})).text
            assert "Eingabetaste" in gone
            assert "/web" not in gone
            owners = await client.get(f"{found[0].partition('/in/')[0]}/owner?checks=now")
        assert "GB free under" in owners.text
        assert "No model is loaded" in owners.text
        assert "At the next start smollm2-135m would answer" in owners.text
        assert "GB of disk are free" in owners.text
        while not (second := LINK.search(said, found.end())):
            await asyncio.sleep(0.05)
            said += capsys.readouterr().out
        assert second[0] != found[0], "without a keyboard a new link comes once the first one was used"
        os.kill(os.getpid(), signal.SIGTERM)
    assert running.result() == 0


async def test_a_port_in_use_is_told_and_keeps_nothing_else_from_running(tmp_path: Path) -> None:
    told: list[str] = []
    settings = settings_in(tmp_path, web__enabled=True)
    with socket.create_server(("127.0.0.1", settings.web.port)):
        async with (
            SCRIPTED(settings, clock=SystemClock(), messengers={}) as app,
            page.page_beside(app, SystemClock(), tmp_path / "config.yaml", told.append),
        ):
            pass
    assert len(told) == 1
    assert "web.port" in told[0]


async def test_enter_prints_a_new_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    ours, theirs = os.openpty()
    with os.fdopen(theirs) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        async with (
            SCRIPTED(settings_in(tmp_path), clock=SystemClock(), messengers={}) as app,
            page.links_told(app, told.append),
        ):
            await eventually(lambda: len(told) == 2)
            assert "Enter" in told[1]
            os.write(ours, b"\n")
            await eventually(lambda: len(told) == 4)
    os.close(ours)
    first, second = (LINK.findall(line)[0].rpartition("/")[2] for line in told[::2])
    assert (app.links.whose(first), app.links.whose(second)) == (None, OWNER)


async def test_without_a_keyboard_no_link_follows_one_that_nobody_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, told, clock = settings_in(tmp_path, web__enabled=True), list[str](), ManualClock(datetime.now(UTC))
    monkeypatch.setattr("bot.commands.page.LOOKS_S", 0.01)
    monkeypatch.setattr("sys.stdin", None)
    async with SCRIPTED(settings, clock=clock, messengers={}) as app, page.links_told(app, told.append):
        await eventually(lambda: len(told) == 2)
        assert app.links.take(LINK.findall(told[0])[0].rpartition("/")[2]) is not None
        await eventually(lambda: len(told) == 4)
        clock.advance(VALID)
        await asyncio.sleep(0.2)
        assert len(told) == 4


UPGRADE = "GET / HTTP/1.1\r\nhost: {host}\r\nconnection: upgrade\r\nupgrade: websocket"


@pytest.mark.parametrize("odd", ["nonsense", UPGRADE])
async def test_an_odd_request_says_nothing_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], odd: str
) -> None:
    settings = settings_in(tmp_path, web__enabled=True)
    async with (
        SCRIPTED(settings, clock=SystemClock(), messengers={}) as app,
        page.page_beside(app, SystemClock(), tmp_path / "config.yaml", lambda _told: None),
    ):
        set_up_logging(settings.log, settings.secrets)
        reader, writer = await asyncio.open_connection(settings.web.host, settings.web.port)
        writer.write(odd.format(host=f"127.0.0.1:{settings.web.port}").encode() + b"\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 ")
        writer.close()
    assert capsys.readouterr().err == ""


async def test_nothing_is_served_unless_the_settings_say_so(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    async with (
        SCRIPTED(settings, clock=SystemClock(), messengers={}) as app,
        page.page_beside(app, SystemClock(), tmp_path / "config.yaml", lambda _told: None),
        httpx.AsyncClient() as client,
    ):
        with pytest.raises(httpx.ConnectError):
            await client.get(settings.web.address)


@pytest.mark.parametrize(
    "web",
    [
        {"web__host": EVERYWHERE},
        {"web__host": "192.168.1.5"},
        {"web__url": "http://page.example.org"},
        {"web__url": "https://user:pass@page.example.org"},
        {"web__url": "https://page.example.org/path"},
    ],
)
def test_elsewhere_the_page_wants_https(web: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        load_settings(None, {}, **web)


def test_https_before_it_will_do(tmp_path: Path) -> None:
    settings = load_settings(None, {}, web__host=EVERYWHERE, web__url="https://page.example.org")
    assert settings.web.address == "https://page.example.org"


def test_settings_are_explained_without_secrets() -> None:
    environment = {"DISCORD_TOKEN": "s3cret-token"}
    settings = load_settings(None, environment, storage__database_url="postgresql+asyncpg://bot:hunter2@db/hello")
    rows = {one.path: (one.value, one.why, one.set_by) for one in explained(settings, Path.cwd())}
    assert not [row for row in rows.items() if "s3cret" in str(row) or "hunter2" in str(row)]
    assert rows["storage.database_url"][0] == "postgresql+asyncpg://…@db/hello"
    assert rows["storage.database_url"][2] == "owner"
    assert rows["web.port"] == ("8470", "its port", "")
    assert rows["care.weights.balance"][1].startswith("very close")


def test_defaults_are_not_marked_as_changed_wherever_the_file_is(tmp_path: Path) -> None:
    assert [one for one in explained(load_settings(None, {}), Path("config.yaml").parent) if one.set_by] == []
    file = tmp_path / "config.yaml"
    file.write_text("storage: {data_dir: data}\nagent: {name: Ada}\nadapters: {mine: a:B}\n")
    settings = load_settings(file, {"HELLO_AGAIN__LOG__LEVEL": "INFO"})
    marked = {one.path for one in explained(settings, tmp_path) if one.set_by}
    assert marked == {"agent.name", "adapters.mine", "log.level"}


def test_every_setting_is_explained_and_those_of_most_owners_come_first() -> None:
    found = explained(load_settings(None, {}), Path.cwd())
    common = leaves(yaml.safe_load(COMMON.read_text("utf-8")))
    assert [one.path for one in found if one.common] == [one.path for one in found[: len(common)]] == list(common)
    assert [one.path for one in found if not one.why] == []


def test_the_command_line_lists_settings_by_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    settings = load_settings(None, {}, web__port=9000)
    assert explain(settings, Path("config.yaml"), "web.port") == 0
    assert capsys.readouterr().out == "web.port: 9000  (changed)\n    its port\n"
    assert explain(settings, Path("config.yaml"), "Checkin") == 0, "as the command is written"
    assert "check-in" in capsys.readouterr().out
    with pytest.raises(BadInput, match="No setting has 'quux'"):
        explain(settings, Path("config.yaml"), "quux")


def test_what_chat_sets_for_itself_is_not_taken_for_the_owners(tmp_path: Path) -> None:
    written = load_settings(None, {}, storage__data_dir=str(tmp_path), limits__person_per_minute=7)
    now = written.at_home(introduce=True)
    now = now.model_copy(update={"care": now.care.model_copy(update={"zone": "Europe/Berlin"})})
    marks = {one.path: one.set_by for one in explained(now, Path.cwd(), written) if one.set_by}
    assert marks.pop("storage.data_dir") == "owner"
    assert marks == dict.fromkeys(
        ("limits.person_per_minute", "limits.server_per_minute", "channels.mode", "privacy.consent", "care.zone"),
        "command",
    )


def test_log_lines_are_kept_without_what_was_put_into_them() -> None:
    with backstage.recent_lines() as lines:
        logging.getLogger("bot.somewhere").warning({"event": "a line", "reason": "Ann's words"})
        logging.getLogger("chromadb").error("words of a library")
    assert [(one.event, one.level, one.source) for one in lines] == [("a line", "warning", "bot.somewhere")]
