import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Literal, cast

import discord
import pytest
import structlog
from pydantic import SecretStr
from telegram.error import TelegramError
from telegram.request import BaseRequest

from bot.config import Log, Model, Secrets
from bot.domain import GenerationRequest
from bot.errors import ModelFailed
from bot.llm.remote import connect_remote_model
from bot.llm.scripted import Answer, Answers, ScriptedChatModel
from bot.log import OURS, SCRUBBED, WORDLESS, set_up_logging
from tests.living import BOB, CHANNEL, open_core
from tests.llm.fault_server import fault_server, said


def test_secrets_are_scrubbed_from_lines_and_tracebacks(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(Log(level="DEBUG"), Secrets(discord_token=SecretStr("tok-123")))
    log = structlog.get_logger("bot.test")
    log.info("connecting", url="https://x/?token=tok-123")
    logging.getLogger("library").warning("bad token %s", "tok-123")
    try:
        int("tok-123 is wrong")
    except ValueError:
        log.exception("failed")
    shown = capsys.readouterr().err
    assert "tok-123" not in shown
    assert shown.count(SCRUBBED) >= 3
    assert "Traceback" in shown


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_traceback_holds_no_words_but_at_debug(
    form: Literal["console", "json"], capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(quagmire: str) -> None:
        try:
            int(quagmire)
        except ValueError as error:
            raise ExceptionGroup(quagmire, [KeyError(quagmire)]) from error

    words = " ".join(("my", "zeppelin"))  # a traceback shows this line
    for level in ("INFO", "DEBUG"):
        set_up_logging(Log(level=level, format=form), Secrets())
        for log in (structlog.get_logger("bot.test"), logging.getLogger("library")):
            try:
                fails(words)
            except ExceptionGroup:
                log.exception("failed")
        shown = capsys.readouterr().err
        assert shown.count("ValueError") >= 2
        assert shown.count("KeyError") >= 2
        assert "test_log.py" in shown
        assert (words in shown) == (level == "DEBUG")


async def _telegram(words: str) -> None:
    with suppress(TelegramError):
        BaseRequest.parse_json_payload(f"<html>502 {words}".encode())


async def _discord(words: str) -> None:
    async with discord.Client(intents=discord.Intents.none()) as client:
        try:
            dict[str, str]()[words]
        except KeyError:
            await client.on_error("on_message", words)


async def _asyncio(words: str) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": f"lost {words}", "exception": OSError(words)})


async def _openai(words: str) -> None:
    logging.getLogger("openai").warning(f"retrying {words}")  # noqa: G004  as some libraries do


@pytest.mark.parametrize("logs", [_telegram, _discord, _asyncio, _openai])
async def test_no_library_can_log_what_people_write(
    logs: Callable[[str], Awaitable[None]], capsys: pytest.CaptureFixture[str]
) -> None:
    words = " ".join(("my", "zeppelin"))
    set_up_logging(Log(level="INFO"), Secrets())
    await logs(words)
    shown = capsys.readouterr().err
    assert shown
    assert shown.count("\n") == 1 or logs is _discord  # its error was raised here
    assert "zeppelin" not in shown
    set_up_logging(Log(level="DEBUG"), Secrets())
    await logs(words)
    assert "zeppelin" in capsys.readouterr().err


def test_what_a_library_always_says_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(Log(level="INFO"), Secrets())
    logging.getLogger("library").warning("the gateway said %s at 5%%", "my zeppelin")
    assert "the gateway said %s at 5%%" in capsys.readouterr().err


def test_a_turn_id_is_on_every_line_of_the_turn(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(Log(level="INFO", format="json"), Secrets())
    with structlog.contextvars.bound_contextvars(turn=7):
        structlog.get_logger("bot.test").info("inside")
        logging.getLogger("library").warning("inside too")
    structlog.get_logger("bot.test").info("outside")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("turn") for line in lines] == [7, 7, None]


def test_the_level_holds(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(Log(level="WARNING"), Secrets())
    structlog.get_logger("bot.test").info("quiet")
    structlog.get_logger("bot.test").warning("loud")
    shown = capsys.readouterr().err
    assert "quiet" not in shown
    assert "loud" in shown


PRIVATE = ("quagmire", "zeppelin", "marzipan", "xylophone", "narwhal")
"""Words that only people, or the model about them, write here."""


def failing(_request: GenerationRequest) -> Answer:
    return ModelFailed("broken")


def misled(_request: GenerationRequest) -> Answer:
    return "xylophone: I saw Brenda Narwhal at the"


@pytest.mark.parametrize("answers", ["I see. A narwhal!", failing, misled], ids=["answers", "fails", "misled"])
async def test_what_people_write_is_not_logged(
    answers: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logging(Log(level="INFO", format="json"), Secrets())
    async with open_core(tmp_path, model=ScriptedChatModel(answers)) as core:
        await core.say("I lost my quagmire yesterday.")
        await core.say("My cat is called zeppelin, not marzipan.")
        await core.say("Monica, my zeppelin is gone.", BOB, CHANNEL)
        await core.passes(timedelta(hours=3))
        await core.say("Where is my quagmire?")
    set_up_logging(Log(level="INFO", format="json"), Secrets())
    structlog.get_logger("bot.test").info("the log is being read")
    shown = capsys.readouterr().err
    assert "the log is being read" in shown
    assert ("no reply from the model" in shown) == (answers is failing)
    assert not [word for word in PRIVATE if word in shown.casefold()]


@pytest.fixture
def loud() -> Iterator[Callable[[], None]]:
    """Has every logger of the libraries that store and send say all that it can, whatever the set-up has told it."""
    loggers = logging.root.manager.loggerDict
    before: dict[str, int] = {}

    def speak() -> None:
        for name in sorted({*WORDLESS, *(one for one in loggers if one.partition(".")[0] in WORDLESS)}):
            before.setdefault(name, logging.getLogger(name).level)
            logging.getLogger(name).setLevel(1)

    yield speak
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
@pytest.mark.parametrize("forced", [False, True], ids=["as set up", "forced"])
async def test_what_stores_and_sends_words_logs_none_at_any_level(
    level: Literal["DEBUG", "INFO"],
    forced: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    loud: Callable[[], None],
) -> None:
    set_up_logging(Log(level=level, format="json"), Secrets())
    if forced:
        loud()
    async with fault_server(said("A ", "narwhal!")) as server:
        model = await connect_remote_model(Model.model_validate({"remote": {"base_url": server.url}}), None)
        try:
            async with open_core(tmp_path, model=cast("ScriptedChatModel", model)) as core:
                await core.say("My cat is called zeppelin, not marzipan.")
                await core.say("Monica, my quagmire is gone.", BOB, CHANNEL)
                await core.passes(timedelta(hours=3))
                await core.say("Where is my quagmire?")
        finally:
            await model.aclose()
        assert "quagmire" in json.dumps(server.bodies), "it was sent"
    set_up_logging(Log(level=level, format="json"), Secrets())
    structlog.get_logger("bot.test").warning("the log is being read")
    captured = capsys.readouterr()
    lines = [json.loads(line) for line in captured.err.splitlines()]
    spoke = {str(line["logger"]).partition(".")[0] for line in lines}
    assert spoke <= {*OURS, *WORDLESS, "openai", "asyncio"}
    assert ({"sqlalchemy", "aiosqlite"} <= spoke) is forced
    assert bool(spoke & {"httpx", "httpx2"}) is forced
    assert not [word for word in PRIVATE if word in f"{captured.out}{captured.err}".casefold()]
    own = [name for name, one in logging.root.manager.loggerDict.items() if getattr(one, "handlers", [])]
    assert not [name for name in own if name.partition(".")[0] in WORDLESS], "nothing goes past the set-up"
