"""What arrives: for whom it is, whether it is kept, and that the place's worker has it."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot import texts
from bot.clock import ManualClock
from bot.domain import AGENT_ID, ChannelMode, Place, PlaceKind, Speaker
from bot.errors import StorageError
from bot.llm.scripted import ScriptedChatModel
from bot.storage.conversation.channels import SqlChannels
from tests.conversation.talk import HALL, open_talk, until
from tests.conversation.test_turn import trait_jobs
from tests.living import ANN, BOB, DM, START, Screen

THREAD = Place("test", PlaceKind.CHANNEL, "home/hall/thread")
CELLAR = Place("test", PlaceKind.CHANNEL, "home/cellar")


async def test_where_only_mentions_count_nothing_else_is_stored(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="mention") as talk:
        assert not await talk.say("The weather is nice.", BOB, HALL)
        assert await talk.say("What do you think?", BOB, HALL, to_bot=True)
        assert await talk.heard(HALL) == ["What do you think?", "I see."]


async def test_a_channel_that_is_off_is_neither_read_nor_stored(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="off") as talk:
        assert not await talk.say("Monica, are you there?", BOB, HALL, to_bot=True)
        assert await talk.heard(HALL) == []
        assert talk.replies == []
        assert await talk.say("In private you are, though.")
        assert talk.replies == ["I see."]


async def test_a_channel_that_is_listened_to_is_remembered_and_answered_by_name(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="listen") as talk:
        assert await talk.say("The weather is nice.", BOB, HALL)
        assert talk.replies == []
        assert await talk.say("Is it, monica?", ANN, HALL)
        assert talk.replies == ["I see."]
        assert [line.to_bot for line in await talk.stores.utterances.recent(HALL, 2)] == [True, False]


async def test_its_own_words_in_a_replay_do_not_call_it(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="listen") as talk:
        assert await talk.say("I am Monica.", Speaker(AGENT_ID, "Monica"), HALL)
        assert talk.replies == []


async def test_a_thread_has_its_own_mode_else_its_channels_else_the_settings(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="off") as talk:
        assert not await talk.say("One", BOB, THREAD)
        await talk.stores.channels.set_mode(HALL, ChannelMode.LISTEN, ANN.id)
        talk.conversations.forget_mode(HALL)
        assert await talk.say("Two", BOB, THREAD)
        await talk.stores.channels.set_mode(THREAD, ChannelMode.MENTION, ANN.id)
        talk.conversations.forget_mode(THREAD)
        assert not await talk.say("Three", BOB, THREAD)
        assert await talk.say("Four", BOB, HALL)
        assert not await talk.say("Five", BOB, CELLAR)


async def test_a_mode_that_is_set_while_it_is_looked_up_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_talk(tmp_path, channels__mode="listen") as talk:
        looked, go_on = asyncio.Event(), asyncio.Event()
        real = SqlChannels.mode

        async def slow(self: SqlChannels, place: Place) -> ChannelMode | None:
            found = await real(self, place)
            looked.set()
            await go_on.wait()
            return found

        monkeypatch.setattr(SqlChannels, "mode", slow)
        async with asyncio.TaskGroup() as group:
            group.create_task(talk.hear("Early", BOB, HALL))
            await looked.wait()
            await talk.stores.channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
            talk.conversations.forget_mode(HALL)
            go_on.set()
        await talk.conversations.idle()
        assert not await talk.say("Late", BOB, HALL)


async def test_what_waits_in_a_channel_that_was_switched_off_gets_no_reply(tmp_path: Path) -> None:
    async with open_talk(tmp_path, screen=Screen(out_of_reach={HALL})) as talk:
        talk.conversations._closing = True
        assert await talk.hear("Monica?", BOB, HALL)
        await talk.stores.channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
    async with open_talk(tmp_path) as talk:
        await talk.conversations.idle()
        assert talk.replies == []
        assert await talk.stores.inbox.pending() == []


async def test_a_redelivered_message_is_answered_once(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        assert await talk.hear("Hello?", message_id="m1")
        assert not await talk.hear("Hello?", message_id="m1")
        await talk.conversations.idle()
        assert not await talk.hear("Hello?", message_id="m1")
        await talk.conversations.idle()
        assert talk.replies == ["I see."]


async def test_once_the_intake_is_closed_what_arrives_is_kept_for_the_next_start(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        talk.model.hold = hold = asyncio.Event()
        await talk.hear("Before")
        await talk.hear("Waits", BOB, Place("test", PlaceKind.DM, "bob"))
        await until(lambda: talk.model.running == 2)
        await talk.hear("Its turn never begins", ANN, time=START + timedelta(minutes=5))
        talk.conversations.close_intake()
        assert await talk.hear("After")
        hold.set()
        await talk.conversations.aclose()
        assert talk.replies == ["I see.", "I see."]
        assert {left.text for left in await talk.stores.inbox.pending()} == {"Its turn never begins", "After"}
    async with open_talk(tmp_path, clock=ManualClock(START + timedelta(hours=1))) as talk:
        await talk.conversations.idle()
        assert await talk.stores.inbox.pending() == []
        assert len(talk.replies) == 2


async def test_a_turn_that_does_not_end_within_the_grace_is_left_to_the_next_start(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        talk.conversations.grace_s = 0.05
        talk.model.hold = asyncio.Event()
        await talk.hear("Before")
        await until(lambda: talk.model.running == 1)
        await talk.conversations.aclose()
        assert talk.model.running == 0
        assert talk.model.cancelled == 1
        assert [left.text for left in await talk.stores.inbox.pending()] == ["Before"]


async def test_it_says_how_much_waits_and_where(tmp_path: Path) -> None:
    async with open_talk(tmp_path, ScriptedChatModel("Yes.")) as talk:
        assert (talk.conversations.waiting, talk.conversations.places) == (0, 0)
        talk.model.hold = hold = asyncio.Event()
        await talk.hear("One")
        await talk.hear("Two", time=START + timedelta(minutes=5))
        await talk.hear("Three", BOB, HALL, to_bot=True)
        assert (talk.conversations.waiting, talk.conversations.places) == (3, 2)
        hold.set()
        await talk.conversations.idle()
        assert (talk.conversations.waiting, talk.conversations.places) == (0, 0)
        assert talk.conversations._workers == {}


async def test_a_turn_that_fails_for_good_is_said_in_place_of_its_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_talk(tmp_path, screen=Screen(drafts=True)) as talk:

        async def broken(*_: object) -> None:
            raise StorageError("no")

        monkeypatch.setattr(talk.stores.outbox, "commit", broken)
        await talk.say("Hello?")
        assert list(talk.screen.drawn.values()) == [texts.TURN_FAILED]
        assert await talk.stores.outbox.unfinished() == []
        assert [left.text for left in await talk.stores.inbox.pending()] == ["Hello?"]


async def test_what_waits_from_before_is_answered_before_what_arrives(tmp_path: Path) -> None:
    screen = Screen(out_of_reach={DM})
    async with open_talk(tmp_path) as talk:
        talk.conversations.close_intake()
        assert await talk.hear("Before", message_id="m1")
    async with open_talk(tmp_path, screen=screen) as talk:
        screen.out_of_reach.clear()
        async with asyncio.TaskGroup() as group:
            for number in (2, 3, 4):
                time = START + timedelta(minutes=5 * number)
                group.create_task(talk.hear(f"After {number}", message_id=f"m{number}", time=time))
        await talk.conversations.idle()
        answered = [turn.utterances[0].text for turn in talk.turns]
        assert answered == ["Before", "After 2", "After 3", "After 4"]


async def test_a_turn_that_failed_is_not_tried_again_with_each_message_that_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_talk(tmp_path) as talk:

        async def broken(*_: object, **__: object) -> None:
            raise StorageError("no")

        with monkeypatch.context() as patched:
            patched.setattr(talk.stores.outbox, "commit", broken)
            await talk.say("Fails")
        talk.clock.advance(timedelta(minutes=5))
        await talk.say("Works")
        assert talk.replies == [texts.TURN_FAILED, "I see."]
        assert [left.text for left in await talk.stores.inbox.pending()] == ["Fails"]


async def test_a_place_goes_on_when_nobody_can_be_told_that_a_turn_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_talk(tmp_path) as talk:

        async def broken(*_: object, **__: object) -> None:
            raise StorageError("no")

        talk.model.hold = hold = asyncio.Event()
        await talk.hear("Fails")
        await talk.hear("Works", time=START + timedelta(minutes=5))
        commit = talk.stores.outbox.commit

        async def sometimes(*given: object, **named: object) -> object:
            if given[1] == [1]:
                raise StorageError("no")
            return await commit(*given, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(talk.stores.outbox, "commit", sometimes)
        monkeypatch.setattr(talk.conversations.delivery, "notice", broken)
        hold.set()
        await talk.conversations.idle()
        assert talk.replies == ["I see."]
        assert [left.text for left in await talk.stores.inbox.pending()] == ["Fails"]


@pytest.mark.parametrize("switched", [HALL, THREAD])
async def test_what_it_thinks_about_when_a_channel_is_switched_off_gets_no_reply_and_tells_nothing(
    tmp_path: Path, switched: Place
) -> None:
    async with open_talk(tmp_path) as talk:
        talk.model.hold = asyncio.Event()
        await talk.hear("Monica, I live in Oslo.", BOB, THREAD, to_bot=True)
        await talk.hear("I like soup, Monica.", ANN, THREAD, to_bot=True)
        await until(lambda: talk.model.running == 1)
        await talk.stores.channels.set_mode(switched, ChannelMode.OFF, ANN.id)
        talk.conversations.forget_mode(switched)
        await talk.conversations.idle()
        assert (talk.replies, talk.model.cancelled) == ([], 1)
        assert await talk.stores.inbox.pending() == []
        assert await trait_jobs(tmp_path) == []


async def test_what_was_seen_of_a_reply_is_finished_though_the_channel_is_switched_off(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        talk.model.hold, talk.model._hold_after = (hold := asyncio.Event()), 1
        await talk.hear("Monica?", BOB, HALL, to_bot=True)
        await until(lambda: bool(talk.screen.shown))
        await talk.stores.channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
        talk.conversations.forget_mode(HALL)
        hold.set()
        await talk.conversations.idle()
        assert talk.replies == ["I see."]
