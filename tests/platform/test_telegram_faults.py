"""The whole companion on our Telegram while things go wrong: what arrived, and how often.

Every test ends with an exchange without faults, so that a reply that comes too late or twice is counted.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from adapters.telegram import polling
from adapters.telegram.adapter import TelegramAdapter
from bot.clock import SystemClock
from bot.config import load_settings
from bot.errors import AdapterStopped
from bot.llm.scripted import ScriptedChatModel
from tests.living import OpenCore, open_core
from tests.platform.telegram_server import Chat, Fault, TelegramServer, User

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")

REPLY = "I hear you, and I am glad that you tell me."


@dataclass
class Companion:
    """The running companion and its Telegram."""

    core: OpenCore
    telegram: TelegramServer

    async def last_exchange(self, user: User, where: User | Chat) -> list[str]:
        """Says one thing more, waits for its reply, and gives all that was said there before that reply."""
        await self.core.app.idle()
        before = len(self.telegram.world.said(where))
        self.telegram.world.say(user, where, "Monica, one thing more.")
        await self.telegram.world.until(lambda: len(self.telegram.world.said(where)) > before, seconds=60)
        await self.core.app.idle()
        return self.telegram.world.said(where)[:-1]

    async def remembered(self) -> list[str]:
        """What was said by anybody where the first turn was taken."""
        place = self.core.turns[0].utterances[0].place
        return [utterance.text for utterance in await self.core.app.recent(place, 100)]


@asynccontextmanager
async def companion(
    telegram: TelegramServer,
    folder: Path,
    model: ScriptedChatModel | None = None,
    *,
    stream: bool = True,
    patience_s: float = 30,
) -> AsyncIterator[Companion]:
    """A companion whose adapter runs while the context is open."""
    adapter = adapter_for(telegram, stream=stream, patience_s=patience_s)
    model = model or ScriptedChatModel(REPLY)
    messengers = {"telegram": adapter.messenger}
    async with (
        open_core(folder, model=model, messengers=messengers, start=datetime.now(UTC)) as core,
        asyncio.TaskGroup() as group,
    ):
        running = group.create_task(adapter.run(core.app))
        try:
            yield Companion(core, telegram)
        finally:
            running.cancel()


def adapter_for(
    telegram: TelegramServer, *, token: str = "", stream: bool = True, patience_s: float = 30
) -> TelegramAdapter:
    environment = {"TELEGRAM_TOKEN": token or telegram.token}
    chosen = {"telegram__api_url": telegram.base_url, "telegram__stream": stream}
    return TelegramAdapter(load_settings(None, environment, **chosen), SystemClock(), patience_s=patience_s)


POLLING = [
    Fault.TOO_MANY,
    Fault.BAD_GATEWAY,
    Fault.DROP_BEFORE,
    Fault.DROP_AFTER,
    Fault.CONFLICT,
    Fault.DUPLICATE_UPDATE,
]
SENDING = [Fault.TOO_MANY, Fault.BAD_GATEWAY, Fault.DROP_BEFORE]


@pytest.mark.parametrize("fault", POLLING)
async def test_a_message_is_answered_once_whatever_happens_to_the_polling(
    telegram_server: TelegramServer, tmp_path: Path, fault: Fault
) -> None:
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next("getUpdates", fault)
    telegram_server.world.say(ann, ann, "Hello")
    async with companion(telegram_server, tmp_path) as here:
        await telegram_server.world.reply(ann, seconds=60)
        await telegram_server.world.until(lambda: telegram_server.count("getUpdates") > 2)
        assert await here.last_exchange(ann, ann) == [REPLY]
        assert telegram_server.faults.struck == [("getUpdates", fault)]
        assert (await here.remembered()).count("Hello") == 1


@pytest.mark.parametrize("method", ["sendMessage", "sendMessageDraft", "sendChatAction"])
@pytest.mark.parametrize("fault", SENDING)
async def test_a_reply_that_could_not_be_sent_arrives_once(
    telegram_server: TelegramServer, tmp_path: Path, method: str, fault: Fault
) -> None:
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next(method, fault)
    async with companion(telegram_server, tmp_path) as here:
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.reply(ann, seconds=60)
        assert await here.last_exchange(ann, ann) == [REPLY]
        assert telegram_server.faults.struck == [(method, fault)]


async def test_when_only_the_answer_to_a_send_is_lost_the_reply_arrives_twice_rather_than_never(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    """Telegram has nothing by which a second send could be told from a new one (README, PLATFORMS.md)."""
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next("sendMessage", Fault.DROP_AFTER)
    async with companion(telegram_server, tmp_path) as here:
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.until(lambda: len(telegram_server.world.said(ann)) == 2, seconds=60)
        assert await here.last_exchange(ann, ann) == [REPLY, REPLY]


async def test_a_slow_telegram_gets_one_reply(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next("sendMessage", Fault.SLOW)
    async with companion(telegram_server, tmp_path) as here:
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.reply(ann)
        telegram_server.faults.release()
        assert await here.last_exchange(ann, ann) == [REPLY]


async def test_formatting_that_is_refused_is_left_out(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next("sendMessage", Fault.ENTITIES)
    async with companion(telegram_server, tmp_path, ScriptedChatModel("I **really** hear you."), stream=False):
        telegram_server.world.say(ann, ann, "Hello")
        reply = await telegram_server.world.reply(ann)
        assert reply.entities == []
        assert "really" in reply.text
        telegram_server.world.say(ann, ann, "And now?")
        formatted = await telegram_server.world.reply(ann)
        assert [entity["type"] for entity in formatted.entities] == ["bold"]
        assert formatted.text == "I really hear you."


async def test_a_person_who_blocked_it_is_not_written_to_again(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann = telegram_server.world.add_user("Ann")
    hold = asyncio.Event()
    async with companion(telegram_server, tmp_path, ScriptedChatModel(REPLY, hold=hold)) as here:
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.until(lambda: telegram_server.count("sendChatAction") > 0)
        telegram_server.world.block(ann)
        hold.set()
        await telegram_server.world.until(lambda: telegram_server.count("sendMessage") == 1)
        await here.core.app.idle()
        assert await here.last_exchange(ann, ann) == []
        assert telegram_server.count("sendMessage") == 2


async def test_an_api_that_is_down_at_the_start_is_waited_for(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann = telegram_server.world.add_user("Ann")
    telegram_server.world.say(ann, ann, "Hello")
    await telegram_server.go_down()
    async with companion(telegram_server, tmp_path) as here:
        await asyncio.sleep(0.2)
        await telegram_server.come_back()
        await telegram_server.world.reply(ann, seconds=60)
        assert await here.last_exchange(ann, ann) == [REPLY]


async def test_an_api_that_goes_down_while_it_thinks_gets_one_reply(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    ann = telegram_server.world.add_user("Ann")
    hold = asyncio.Event()
    async with companion(telegram_server, tmp_path, ScriptedChatModel(REPLY, hold=hold)) as here:
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.until(lambda: telegram_server.count("sendChatAction") > 0)
        await telegram_server.go_down()
        hold.set()
        await asyncio.sleep(0.5)
        await telegram_server.come_back()
        await telegram_server.world.reply(ann, seconds=60)
        assert await here.last_exchange(ann, ann) == [REPLY]


async def test_what_was_said_while_it_was_away_is_answered_once(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    ann, bob = telegram_server.world.add_user("Ann"), telegram_server.world.add_user("Bob")
    async with companion(telegram_server, tmp_path):
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.reply(ann)
    telegram_server.world.say(bob, bob, "Hello")
    async with companion(telegram_server, tmp_path) as here:
        await telegram_server.world.reply(bob)
        assert await here.last_exchange(bob, bob) == [REPLY]
        assert await here.last_exchange(ann, ann) == [REPLY]


async def test_an_update_that_was_taken_but_never_confirmed_is_not_answered_again(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    ann = telegram_server.world.add_user("Ann")
    async with companion(telegram_server, tmp_path):
        telegram_server.world.say(ann, ann, "Hello")
        taken = telegram_server.world.updates.copy()
        await telegram_server.world.reply(ann)
    telegram_server.world.updates = taken
    async with companion(telegram_server, tmp_path) as here:
        await telegram_server.world.until(lambda: not telegram_server.world.updates)
        assert await here.last_exchange(ann, ann) == [REPLY]
        assert (await here.remembered()).count("Hello") == 1


async def test_a_wrong_token_says_what_to_do(telegram_server: TelegramServer, tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel(REPLY)) as core:
        with pytest.raises(AdapterStopped, match="TELEGRAM_TOKEN"):
            await adapter_for(telegram_server, token="8000000001:wrong").run(core.app)


async def test_another_process_with_the_same_token_is_told_of_and_outlived(
    telegram_server: TelegramServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "CONFLICT_S", 0.01)
    monkeypatch.setattr(polling, "LASTING_CONFLICT_S", 0.02)
    ann = telegram_server.world.add_user("Ann")
    telegram_server.faults.next("getUpdates", Fault.CONFLICT, times=20)
    telegram_server.world.say(ann, ann, "Hello")
    with capture_logs() as logged:
        async with companion(telegram_server, tmp_path, patience_s=0.05) as here:
            await telegram_server.world.reply(ann, seconds=60)
            assert await here.last_exchange(ann, ann) == [REPLY]
    assert len(telegram_server.faults.struck) == 20
    assert len([line for line in logged if line["log_level"] == "error" and "stop it" in line["event"]]) == 1


async def test_the_mode_of_a_group_is_that_of_its_topics(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann = telegram_server.world.add_user("Ann")
    home = telegram_server.world.add_group("Home", [ann], admins=[ann], topics=["Food"])
    async with companion(telegram_server, tmp_path) as here:
        telegram_server.world.say(ann, home, "/channel mode off")
        await telegram_server.world.reply(home)
        telegram_server.world.say(ann, home, "@monica_bot are you there?", topic=home.topic("Food"))
        telegram_server.world.say(ann, ann, "Hello")
        await telegram_server.world.reply(ann)
        await here.core.app.idle()
        assert telegram_server.count("sendMessage") == 2
        assert [turn.utterances[-1].text for turn in here.core.turns] == ["Hello"]


async def test_a_reply_in_a_group_refers_to_what_it_answers(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann, bob = telegram_server.world.add_user("Ann"), telegram_server.world.add_user("Bob")
    home = telegram_server.world.add_group("Home", [ann, bob], topics=["Food"])
    async with companion(telegram_server, tmp_path):
        telegram_server.world.say(bob, home, "Nice weather.", topic=home.topic("Food"))
        asked = telegram_server.world.say(ann, home, "@monica_bot what do you think?", topic=home.topic("Food"))
        reply = await telegram_server.world.reply(home)
        assert reply.reply_to is asked
        assert reply.topic == home.topic("Food")


async def test_a_reply_to_something_deleted_comes_all_the_same(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann = telegram_server.world.add_user("Ann")
    home = telegram_server.world.add_group("Home", [ann])
    hold = asyncio.Event()
    async with companion(telegram_server, tmp_path, ScriptedChatModel(REPLY, hold=hold)) as here:
        asked = telegram_server.world.say(ann, home, "Monica, are you there?")
        await telegram_server.world.until(lambda: telegram_server.count("sendChatAction") > 0)
        telegram_server.world.delete(asked)
        hold.set()
        await telegram_server.world.reply(home)
        await here.core.app.idle()
        assert await here.last_exchange(ann, home) == [REPLY]


@pytest.mark.parametrize("method", ["sendMessage", "editMessageText"])
@pytest.mark.parametrize("fault", [*SENDING, Fault.DROP_AFTER])
async def test_a_reply_that_grows_in_a_group_ends_whole_and_once(
    telegram_server: TelegramServer, tmp_path: Path, method: str, fault: Fault
) -> None:
    ann = telegram_server.world.add_user("Ann")
    home = telegram_server.world.add_group("Home", [ann])
    telegram_server.faults.next(method, fault)
    hold = asyncio.Event()
    async with companion(telegram_server, tmp_path, ScriptedChatModel(REPLY, hold=hold, hold_after=4)) as here:
        telegram_server.world.say(ann, home, "Monica, are you there?")
        await telegram_server.world.until(lambda: telegram_server.count("sendMessage") > 0)
        hold.set()
        await telegram_server.world.until(lambda: REPLY in telegram_server.world.said(home), seconds=60)
        await here.core.app.idle()
        *unfinished, reply = await here.last_exchange(ann, home)
        assert reply == REPLY
        # A message whose id was lost with the answer cannot be found again: its beginning stays.
        assert len(unfinished) == (method == "sendMessage" and fault is Fault.DROP_AFTER)
        assert all(REPLY.startswith(text) for text in unfinished)
        assert telegram_server.faults.struck == [(method, fault)]


async def test_an_edit_corrects_what_is_remembered(telegram_server: TelegramServer, tmp_path: Path) -> None:
    ann = telegram_server.world.add_user("Ann")
    async with companion(telegram_server, tmp_path) as here:
        said = telegram_server.world.say(ann, ann, "My dog is called Rex")
        await telegram_server.world.reply(ann)
        telegram_server.world.edit(said, "My dog is called Max")
        await here.last_exchange(ann, ann)
        texts = await here.remembered()
        assert "My dog is called Max" in texts
        assert "My dog is called Rex" not in texts
