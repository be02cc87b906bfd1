"""How long our Telegram is waited for, and how often it is asked again: as Telegram means it."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from adapters.telegram import connection, polling
from bot.errors import AdapterStopped
from bot.llm.scripted import ScriptedChatModel
from tests.living import open_core
from tests.platform.telegram_server import Fault, TelegramServer
from tests.platform.test_telegram_faults import REPLY, adapter_for, companion

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")


async def test_one_refusal_of_the_token_while_it_runs_is_asked_about_again(
    telegram_server: TelegramServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "REFUSED_S", (0.01, 0.02, 0.03), raising=False)
    ann = telegram_server.world.add_user("Ann")
    async with companion(telegram_server, tmp_path) as here:
        for _ in range(2):  # it counts those in a row
            telegram_server.world.say(ann, ann, "Hello")
            await telegram_server.world.reply(ann)
            telegram_server.faults.next("getUpdates", Fault.UNAUTHORIZED, times=3)
            assert (await here.last_exchange(ann, ann))[-1] == REPLY
            await telegram_server.world.reply(ann)
        async with asyncio.timeout(60):  # the reply may be out before it has asked again
            while len(telegram_server.faults.struck) < 6:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert telegram_server.faults.struck == [("getUpdates", Fault.UNAUTHORIZED)] * 6


async def test_a_token_that_stays_refused_ends_it_with_a_sentence(
    telegram_server: TelegramServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "REFUSED_S", (0.01, 0.02, 0.03), raising=False)
    telegram_server.faults.next("getUpdates", Fault.BAD_GATEWAY)
    telegram_server.faults.next("getUpdates", Fault.UNAUTHORIZED, times=4)
    async with open_core(tmp_path, model=ScriptedChatModel(REPLY)) as core:
        with pytest.raises(AdapterStopped, match="TELEGRAM_TOKEN"):
            await adapter_for(telegram_server).run(core.app)


async def test_two_short_conflicts_are_no_lasting_one(
    telegram_server: TelegramServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "CONFLICT_S", 0.01)
    monkeypatch.setattr(polling, "BRIEF_S", 0.1, raising=False)
    ann = telegram_server.world.add_user("Ann")
    with capture_logs() as logged:
        async with companion(telegram_server, tmp_path, patience_s=0.25) as here:
            for _ in range(2):
                telegram_server.faults.next("getUpdates", Fault.CONFLICT, times=2)
                assert (await here.last_exchange(ann, ann)) == telegram_server.world.said(ann)[:-1]
                await asyncio.sleep(0.3)
    assert telegram_server.faults.struck == [("getUpdates", Fault.CONFLICT)] * 4
    assert not [line for line in logged if line["log_level"] == "error"]


async def test_after_a_refusal_for_being_too_quick_it_waits_as_long_as_telegram_says(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    """The pauses of our own would be 20 seconds."""
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next("sendMessage", Fault.TOO_MANY, times=3, retry_after=1)
    async with companion(telegram_server, tmp_path) as here:
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.reply(ann, seconds=15)
        assert await here.last_exchange(ann, ann) == [REPLY]


async def test_a_send_that_is_answered_late_is_not_doubled(
    telegram_server: TelegramServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Telegram takes 25 seconds now and then; other requests are given up earlier."""
    monkeypatch.setattr(connection, "READ_S", 0.3)
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next("sendMessage", Fault.SLOW)
    async with companion(telegram_server, tmp_path) as here:
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.reply(ann)
        await asyncio.sleep(2.0)
        telegram_server.faults.release()
        assert await here.last_exchange(ann, ann) == [REPLY]
