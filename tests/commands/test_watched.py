"""The program as it is seen from outside: numbers, health and a log that follows a message, without words or ids."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import tomllib
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from bot.app.app import open_app
from bot.app.metrics import Metrics
from bot.commands import run
from bot.config import Log, Secrets, load_settings
from bot.config.sections import MetricsSettings
from bot.domain import Backlog, Place, PlaceKind, Speaker, Utterance
from bot.errors import ModelFailed
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.log import set_up_logging
from bot.ports import Clock, Core
from bot.storage.engine.database import open_database
from tests.living import START, UNASKED, FirstPersonGate, Screen, WordTopics
from tests.postgres import CLUSTER, Restarting

ROOT = Path(__file__).parent.parent.parent
MARK = "quagga"
ANN = Speaker(f"test:{MARK}-7", f"{MARK} Ann")
DM = Place("test", PlaceKind.DM, f"{MARK}-7")
KITCHEN = Place("test", PlaceKind.CHANNEL, f"{MARK}-server/{MARK}-kitchen")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass
class Outside:
    """What was seen, by path."""

    port: int
    seen: dict[str, httpx.Response] = field(default_factory=dict)
    log: str = ""

    async def look(self, path: str, name: str = "") -> httpx.Response:
        async with httpx.AsyncClient() as client:
            self.seen[name or path] = await client.get(f"http://127.0.0.1:{self.port}{path}")
        return self.seen[name or path]


class Talker:
    """An adapter on which a marked person says some things, and somebody looks from outside."""

    outside: Outside

    def __init__(self, *, settings: object, clock: Clock) -> None:
        self.platform = "test"
        self.messenger = Screen()
        self._now = clock.now

    async def run(self, core: Core) -> None:
        for number, place in enumerate((DM, KITCHEN, DM)):
            said = Utterance(place, f"{MARK}-m{number}", ANN, f"My {MARK} is called Kiko {number}.", self._now())
            assert await core.receive(replace(said, to_bot=True))
            await core.idle()
        for path in ("/metrics", "/healthz", "/readyz"):
            await self.outside.look(path)
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await asyncio.sleep(60)
        finally:
            await self.outside.look("/readyz", "leaving")


@pytest.fixture
async def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outside:
    """What is seen of a run in which somebody says three things, and the model fails at the second."""
    model = ScriptedChatModel(["That is a fine name.", ModelFailed("no"), "I see."])
    parts: dict[str, Any] = {"model": model}
    parts |= {"encoder": ScriptedEncoder(), "topics": WordTopics(), "gate": FirstPersonGate()}
    monkeypatch.setattr(run, "open_app", partial(open_app, **parts))
    Talker.outside = Outside(free_port())
    chosen = {
        "storage__data_dir": str(tmp_path),
        "adapters": {"test": f"{__name__}:Talker"},
        "metrics__listen": str(Talker.outside.port),
        "memory__summariser": "extractive",
        "persona__extractor": "extractive",
        **UNASKED,
    }
    set_up_logging(Log(level="INFO", format="json"), Secrets())
    assert await run.run(load_settings(None, {}, **chosen), tmp_path / "config.yaml") == 0
    Talker.outside.log = capsys.readouterr().err
    return Talker.outside


async def test_the_numbers_tell_what_happened_and_nothing_of_anybody(outside: Outside) -> None:
    told = outside.seen["/metrics"].text
    assert MARK not in told
    assert "Kiko" not in told
    for line in (
        'hello_again_turns_total{kind="answered"} 3.0',
        "hello_again_messages_total 3.0",
        'hello_again_turn_stage_seconds_count{stage="recall"} 3.0',
        'hello_again_model_seconds_count{task="reply"} 3.0',
        'hello_again_model_tokens_total{kind="written",task="reply"} 7.0',
        'hello_again_model_errors_total{error="ModelFailed",task="reply"} 1.0',
        'hello_again_log_lines_total{error="",level="error",part="bot.conversation.reply_generator"} 1.0',
        "hello_again_ready 1.0",
        "hello_again_database_up 1.0",
        'hello_again_queue_waiting{queue="inbox"} 0.0',
        'hello_again_queue_waiting{queue="erasures"} 0.0',
        'hello_again_leases{kind="job",state="over"} 0.0',
        'hello_again_adapter_running{platform="test"} 1.0',
    ):
        assert line in told
    assert outside.seen["/healthz"].text == "lives\n"
    assert outside.seen["/readyz"].text == "ready\n"
    assert (outside.seen["leaving"].status_code, outside.seen["leaving"].text) == (503, "leaving\n")


async def test_the_log_follows_each_message_by_a_number_and_tells_nothing_of_anybody(outside: Outside) -> None:
    shown = [line for line in outside.log.splitlines() if line.startswith("{")]
    lines = [json.loads(line) for line in shown]
    taken = [line["turn"] for line in lines if line["event"] == "a message is taken in"]
    assert len(set(taken)) == 3
    for number in taken:
        events = [line["event"] for line in lines if line.get("turn") == number]
        for event in ("a message is taken in", "a turn begins", "a turn ended", "a reply was sent or refused for good"):
            assert events.count(event) == 1
    assert MARK not in "".join(shown)
    assert "Kiko" not in "".join(shown)


def test_a_database_that_does_not_answer_is_told_and_nothing_stale_is() -> None:
    metrics = Metrics()
    full = Backlog({"inbox": (3, START)}, {"job": (1, 0)})
    for backlog in (full, None):
        told = metrics.look(backlog, START, ready=backlog is not None, busy=(0, 0), states={}).decode()
    assert "hello_again_database_up 0.0" in told
    assert 'queue="inbox"' not in told


@pytest.mark.parametrize(
    ("listen", "address"),
    [
        ("9464", ("127.0.0.1", 9464)),
        ("10.0.0.5:80", ("10.0.0.5", 80)),
        ("[::1]:9", ("::1", 9)),
        (9464, ("127.0.0.1", 9464)),
    ],
)
def test_a_port_alone_is_this_machines_own(listen: object, address: tuple[str, int]) -> None:
    assert MetricsSettings.model_validate({"listen": listen}).address == address


def test_every_number_of_the_dashboard_and_the_alerts_exists() -> None:
    told = (
        Metrics()
        .look(Backlog({"inbox": (1, START)}, {"job": (1, 0)}), START, ready=True, busy=(0, 0), states={})
        .decode()
    )
    known = set(re.findall(r"^# TYPE (\w+)", told, re.MULTILINE))
    known |= {f"{name}{ending}" for name in known for ending in ("_bucket", "_count", "_sum", "_total")} | {"up"}
    used = set[str]()
    for file in (ROOT / "operations").glob("*"):
        used |= set(re.findall(r"\b(?:hello_again|process)_\w+", file.read_text("utf-8")))
    assert len(used) > 12
    assert used <= known


def test_the_dashboard_is_json_and_the_other_files_are_yaml() -> None:
    board = json.loads((ROOT / "operations/dashboard.json").read_text("utf-8"))
    assert all(panel["targets"] for panel in board["panels"] if panel["type"] != "row")
    for file in [*(ROOT / "operations").glob("*.yaml"), ROOT / "compose.scale.yaml"]:
        assert yaml.safe_load(file.read_text("utf-8"))


@pytest.mark.parametrize("service", ["gateway", "worker"])
def test_what_compose_starts_can_start(service: str) -> None:
    """The settings are ones that are known, and the image has what they need."""
    compose = yaml.safe_load((ROOT / "compose.scale.yaml").read_text("utf-8"))
    one = compose["services"][service]
    given = {"POSTGRES_PASSWORD": "secret", "DISCORD_TOKEN": "token"}

    def filled(match: re.Match[str]) -> str:
        return given.get(match[1], match[2] or "")

    environment = {
        name: re.sub(r"\$\{(\w+)(?::[-?](.*?))?\}", filled, str(value)) for name, value in one["environment"].items()
    }
    settings = load_settings(None, environment)
    assert settings.storage.database_url == "postgresql+asyncpg://hello:secret@postgres/hello"
    assert settings.model.remote.base_url == "http://model:8080/v1"
    assert one["command"] == ["run", "--role", service]

    extras = re.search(r"pip install \"\.\[([\w,]+)\]\"", (ROOT / "Dockerfile").read_text("utf-8"))
    assert extras is not None
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert any(need.startswith("asyncpg") for extra in extras[1].split(",") for need in packages[extra])


async def test_the_server_that_compose_starts_is_one_that_is_not_refused() -> None:
    """With the settings that stand there it keeps nothing of what is erased."""
    compose = yaml.safe_load((ROOT / "compose.scale.yaml").read_text("utf-8"))
    service = compose["services"]["postgres"]
    chosen = dict(re.findall(r"-c (\w+)=(\S+)", service["command"]))
    assert "wal_recycle" in chosen
    assert set(CLUSTER) > set(service["environment"]["POSTGRES_INITDB_ARGS"].split())
    server = Restarting(**chosen)
    try:
        database = await open_database(await server.start().fresh("template0"))
        await database.aclose()
    finally:
        server.remove()
