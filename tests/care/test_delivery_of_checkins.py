"""Check-ins on their way to a platform: looked at right before they go, and never sent twice in the dark."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.console import Console

from adapters.console import ConsoleMessenger
from adapters.telegram.messenger import TelegramMessenger
from bot.care.ticking import Ticking
from bot.config import SafetySettings, load_settings
from bot.conversation.crisis_responder import CrisisResponder, Help
from bot.domain import CheckInState, Outgoing, Recollection, Utterance
from bot.errors import DeliveryFailed, StorageError
from bot.ports import Messenger
from lab.silent import SilentMessenger
from tests.care.checking import ASKED, LEASE, NOON, Caring, Words, about, open_caring, work_on
from tests.conversation.talk import until
from tests.living import ANN, DM, Screen, agent

MINUTE = timedelta(minutes=1)
LOST = DeliveryFailed("no answer", retry=True, uncertain=True)
NONCE = "0123456789abcdef01234567"

CALL = Help("Call 112.", sure=True)


@pytest.fixture
async def caring() -> AsyncIterator[Caring]:
    async with open_caring() as opened:
        yield opened


class Blind(Screen):
    """A platform that can tell no doubles, as Telegram is."""

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        if outgoing.checkin_id and outgoing.uncertain:
            raise DeliveryFailed("It may have arrived.", retry=False, code="uncertain")
        async for part in super().send(outgoing):
            yield part


async def parts(messenger: Messenger, outgoing: Outgoing) -> list[str]:
    return [part async for part in messenger.send(outgoing)]


@pytest.mark.parametrize("name", ["console", "silent", "telegram"])
async def test_what_may_have_arrived_is_refused_where_doubles_cannot_be_told(name: str) -> None:
    settings = load_settings(None, {})
    messengers: dict[str, Messenger] = {
        "console": ConsoleMessenger(Console(quiet=True), "Monica", DM),
        "silent": SilentMessenger(),
        "telegram": connected(TelegramMessenger(settings.telegram)),
    }
    checkin = Outgoing(7, DM, ASKED, NONCE, uncertain=True, checkin_id=3)
    with pytest.raises(DeliveryFailed) as refused:
        await parts(messengers[name], checkin)
    assert (refused.value.retry, refused.value.code) == (False, "uncertain")


def connected(messenger: TelegramMessenger) -> TelegramMessenger:
    """A messenger that believes it is logged in; nothing is sent."""
    messenger.connect(object())  # type: ignore[arg-type]  # it is not used: the send is refused before
    return messenger


@pytest.mark.parametrize("messenger", [ConsoleMessenger(Console(quiet=True), "Monica", DM), SilentMessenger()])
async def test_replies_and_check_ins_that_surely_did_not_arrive_are_taken(messenger: Messenger) -> None:
    reply = Outgoing(7, DM, "Hi.", NONCE, uncertain=True)
    assert await parts(messenger, reply) == [NONCE]
    assert await parts(messenger, replace(reply, uncertain=False, checkin_id=3)) == [NONCE]


async def test_a_lost_answer_is_no_second_message(caring: Caring) -> None:
    blind = Blind(refuse=[LOST])
    caring.work, caring.delivery = work_on(
        caring.stores,
        words=caring.words,
        messenger=blind,
        consents=caring.consents,
        clock=caring.clock,
        settings=load_settings(None, {}, care__zone="UTC", care__jitter_minutes=0, care__after_talk_hours=0),
    )
    await caring.wants()
    await caring.at(NOON)
    [row] = await caring.rows()
    assert (row.state, row.failure) == (CheckInState.FAILED, "uncertain")
    assert len(blind.attempts) == 1
    assert await caring.delivery.deliver_left_over() == 0
    assert blind.arrived == []
    seen = await caring.work.planner.circumstances(ANN.id, NOON + MINUTE)
    assert (seen.sent, seen.unanswered, seen.refused) == ((NOON,), 1, False)  # it may have been read


async def test_a_platform_that_can_tell_is_asked_again_within_the_grace_time(caring: Caring) -> None:
    caring.screen.refuse = [LOST]
    await caring.wants()
    await caring.at(NOON)
    assert [sent.uncertain for sent in caring.screen.sent] == [True]
    assert [row.state for row in await caring.rows()] == [CheckInState.SENT]


async def test_between_two_tries_it_is_looked_at_again(caring: Caring) -> None:
    class Interrupted(Screen):
        async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
            if not self.attempts:
                caring.clock.set_to(NOON + MINUTE)
                await caring.says("It went well!")
            async for part in super().send(outgoing):
                yield part

    screen = Interrupted(refuse=[DeliveryFailed("away", retry=True)])
    caring.work, caring.delivery = work_on(
        caring.stores,
        words=caring.words,
        messenger=screen,
        consents=caring.consents,
        clock=caring.clock,
        settings=load_settings(None, {}, care__zone="UTC", care__jitter_minutes=0, care__after_talk_hours=0),
    )
    await caring.wants()
    await caring.at(NOON)
    assert screen.arrived == []
    assert [row.state for row in await caring.rows()] == [CheckInState.SKIPPED]
    assert ASKED not in await caring.lines()


async def test_the_reply_goes_out_and_the_unsent_check_in_before_it_does_not(caring: Caring) -> None:
    away = DeliveryFailed("away", retry=True)
    caring.screen.refuse = [away, away]
    await caring.wants()
    await caring.at(NOON)
    caring.clock.set_to(NOON + MINUTE)
    said = Utterance(DM, "now", ANN, "Hi, it went well!", caring.clock.now())
    stored = await caring.stores.inbox.accept(said)
    assert stored is not None
    await caring.stores.sessions.append(stored, timedelta(hours=1), 1000)
    reply = replace(agent("How nice.", "reply", DM, caring.clock.now()), reply_to="now")
    outgoing = await caring.stores.outbox.commit(reply, [stored.id], Recollection(), [])
    assert outgoing is not None
    await caring.delivery.deliver(outgoing)
    assert caring.texts == ["How nice."]
    assert [row.state for row in await caring.rows()] == [CheckInState.SKIPPED]


async def test_a_check_in_takes_no_growing_reply_away(caring: Caring) -> None:
    screen = Screen(drafts=True)
    work, delivery = work_on(
        caring.stores,
        words=caring.words,
        messenger=screen,
        consents=caring.consents,
        clock=caring.clock,
        settings=load_settings(None, {}, care__zone="UTC", care__jitter_minutes=0, care__after_talk_hours=0),
    )
    caring.work = work
    await caring.wants()
    async with delivery.growing(DM, "m1") as live:
        live.show("I am think")
        await until(lambda: bool(screen.drawn))
        await caring.at(NOON)
    assert screen.arrived == [ASKED]
    assert list(screen.drawn.values()) == ["I am think"]
    assert screen.retracted == []
    assert await caring.stores.outbox.drafts(DM, "m1") == "draft-0"


async def test_two_loops_on_one_database_send_one(caring: Caring) -> None:
    other, _ = work_on(
        caring.stores,
        words=caring.words,
        messenger=caring.screen,
        consents=caring.consents,
        clock=caring.clock,
        settings=load_settings(None, {}, care__zone="UTC", care__jitter_minutes=0, care__after_talk_hours=0),
    )
    await caring.wants()
    caring.clock.set_to(NOON)
    await asyncio.gather(caring.work.tick(), other.tick())
    caring.clock.set_to(NOON + LEASE)
    await asyncio.gather(caring.work.tick(), other.tick())
    assert caring.texts == [ASKED]
    assert len(await caring.rows()) == 1


async def test_who_lost_the_lease_cannot_store_words(caring: Caring) -> None:
    await caring.wants()
    slow = caring.words.composed
    other, _ = work_on(
        caring.stores,
        words=Words(about(await caring.says("I mean it."), "And so I ask.")),
        messenger=caring.screen,
        consents=caring.consents,
        clock=caring.clock,
        settings=load_settings(None, {}, care__zone="UTC", care__jitter_minutes=0, care__after_talk_hours=0),
    )

    async def takes_longer_than_its_lease() -> None:
        caring.clock.set_to(NOON + LEASE)
        await other.tick()

    caring.words.meanwhile = takes_longer_than_its_lease
    await caring.at(NOON)
    assert not isinstance(slow, str)
    assert caring.texts == ["And so I ask."]
    assert [row.state for row in await caring.rows()] == [CheckInState.SENT]


async def test_the_tick_comes_again_after_an_error_and_ends_with_its_task() -> None:
    ticks: list[int] = []
    enough = asyncio.Event()

    async def tick() -> None:
        ticks.append(len(ticks))
        if len(ticks) == 1:
            raise StorageError("busy")
        if len(ticks) == 2:
            raise ValueError("unforeseen")
        enough.set()

    running = asyncio.ensure_future(Ticking(tick=tick, every_s=0.01).run())
    async with asyncio.timeout(20):
        await enough.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.sleep(0)
    left = len(ticks)
    await asyncio.sleep(0.05)
    assert len(ticks) == left
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_tick_is_never_begun_beside_another() -> None:
    inside, most, done = 0, 0, asyncio.Event()

    async def tick() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.03)
        inside -= 1
        if most and tick_count() > 3:
            done.set()

    ticked: list[None] = []

    def tick_count() -> int:
        ticked.append(None)
        return len(ticked)

    running = asyncio.ensure_future(Ticking(tick=tick, every_s=0.01).run())
    async with asyncio.timeout(20):
        await done.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert most == 1


async def test_help_is_told_of_and_not_told_of_without_danger(caring: Caring) -> None:
    told: list[str] = []

    crisis_responder = CrisisResponder(
        utterances=caring.stores.utterances,
        consents=caring.consents,
        settings=SafetySettings(),
        text_of=lambda *_: Help("Call 112.", sure=True),
        on_help=told.append,
    )
    assert await crisis_responder.help_for(ANN.id, "What a nice day.") is None
    assert told == []
    assert await crisis_responder.help_for(ANN.id, "I want to kill myself.") == CALL
    assert told == [ANN.id]


async def test_after_help_nothing_comes_for_two_weeks(caring: Caring) -> None:
    await caring.wants()
    caring.work.helped(ANN.id)
    await caring.at(NOON)
    assert caring.texts == []
    assert await caring.planned() == NOON + timedelta(days=14)
