"""Many messages at once on our Telegram: nothing is lost, or it is said from which message on."""

import asyncio
from pathlib import Path

import pytest

from bot import texts
from bot.config import Limits
from bot.llm.scripted import ScriptedChatModel
from tests.platform.telegram_server import TelegramServer
from tests.platform.test_telegram_faults import REPLY, companion

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")

MANY = Limits().person_per_minute + 10


async def test_a_burst_is_read_and_answered_whole(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann, hold = telegram_server.world.add_user("Ann"), asyncio.Event()
    model = ScriptedChatModel(REPLY, hold=hold)
    async with companion(telegram_server, tmp_path, model) as here:
        for number in range(MANY):
            telegram_server.world.say(ann, ann, f"This is m{number}.")
        await telegram_server.world.until(lambda: not telegram_server.world.updates)
        hold.set()
        assert {*await here.last_exchange(ann, ann)} == {REPLY}
        asked = "\n".join(message.content for request in model.requests for message in request.messages)
        assert [number for number in range(MANY) if f"This is m{number}." not in asked] == []


async def test_what_is_beyond_the_limit_is_not_read_and_it_is_said_from_where_on(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    ann, model = telegram_server.world.add_user("Ann"), ScriptedChatModel(REPLY)
    limit = Limits().person_per_minute
    async with companion(telegram_server, tmp_path, model) as here:
        for number in range(limit):
            telegram_server.world.say(ann, ann, f"This is m{number}.")
            await telegram_server.world.reply(ann)
            await here.core.app.idle()
        beyond, *_ = [telegram_server.world.say(ann, ann, f"This is m{limit + more}.") for more in range(3)]
        notice = await telegram_server.world.reply(ann)
        assert notice.text == texts.PERSON_TOO_FAST
        assert notice.reply_to is beyond
        await telegram_server.world.until(lambda: not telegram_server.world.updates)
        await here.core.app.idle()
        assert not {f"This is m{limit + more}." for more in range(3)} & {*await here.remembered()}
        assert telegram_server.world.said(ann) == [REPLY] * limit + [texts.PERSON_TOO_FAST]
