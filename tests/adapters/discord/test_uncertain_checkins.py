"""A check-in of which nobody knows whether it has arrived is looked for in Discord's history."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from adapters.discord.messenger import LOOKED_AT
from adapters.discord.reading import PLATFORM
from bot.care.checkins import CheckInWork
from bot.clock import ManualClock
from bot.config import load_settings
from bot.conversation.consent import Consents
from bot.conversation.delivery import Delivery
from bot.domain import CareWishes, CheckIn, CheckInState, Outgoing, Place, Speaker, Utterance, Why
from bot.ports import Growing, Live, Messenger
from tests.adapters.discord.test_messenger import posted, refused, sent
from tests.adapters.discord.world import SIMULATION_BEGINS, World, dm, messages_of, open_world, outgoing
from tests.care.checking import ASKED, CARE, SAID, Words, about, work_on
from tests.living import UNASKED
from tests.open_rows import open_rows
from tests.stored import Rows

HOUR = timedelta(hours=1)
NOON = SIMULATION_BEGINS + 12 * HOUR


async def test_one_that_arrived_is_found_and_one_with_the_same_words_of_long_ago_is_another() -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann")
        checkin = replace(outgoing(dm(ann), "How did it go?"), checkin_id=1)
        first = await sent(world, checkin)
        await world.env.advance_time(300)
        again = await sent(world, replace(checkin, uncertain=True))
        await world.env.advance_time(3 * 24 * 3600)
        later = await sent(world, replace(outgoing(dm(ann), "How did it go?", uncertain=True), checkin_id=2))
    assert again == first
    assert later != first


async def test_one_that_is_too_late_is_only_looked_for() -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann")
        checkin = replace(outgoing(dm(ann), "How did it go?"), checkin_id=1)
        first = await sent(world, checkin)
        made = world.env.now()
        await world.env.advance_time(3 * 24 * 3600)
        for number in range(LOOKED_AT):
            await ann.send_dm(f"hello {number}")
        sought = replace(checkin, nonce="f" * 24, uncertain=True, sought_from=made - HOUR)
        assert await sent(world, sought) == first, "days later, too"
        before = await refused(world, replace(sought, sought_from=made + HOUR))
        other = await refused(world, replace(sought, text="How are you?"))
        unknown = await refused(world, replace(sought, text="hello 7", sought_from=world.env.now() - HOUR))
        assert len(posted(world, ann.dm_channel)) == 1
    for failure in (before, other):
        assert (failure.retry, failure.uncertain, failure.absent) == (True, False, True)
    assert (unknown.retry, unknown.code, unknown.absent) == (False, "uncertain", False)


@dataclass
class Dying:
    """Discord, seen by a process that dies right before a message is sent, or right after."""

    messenger: Messenger
    after: bool

    def reaches(self, place: Place) -> bool:
        return self.messenger.reaches(place)

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        return self.messenger.live(growing)

    async def retract(self, place: Place, message_id: str) -> None:
        await self.messenger.retract(place, message_id)

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        if self.after:
            assert [part async for part in self.messenger.send(outgoing)]
        self._die()
        yield ""

    def _die(self) -> None:
        raise asyncio.CancelledError


@pytest.mark.parametrize("arrived", [True, False])
@pytest.mark.parametrize("late", [timedelta(minutes=20), 3 * HOUR, 50 * HOUR])
async def test_after_a_death_in_the_midst_of_sending_it_is_closed_as_what_it_is(arrived: bool, late: timedelta) -> None:
    async with open_world() as world, open_rows() as rows:
        ann = world.env.create_user("ann")
        await world.env.advance_time((NOON - SIMULATION_BEGINS).total_seconds())
        await one_life(rows, Dying(world.messenger, after=arrived), dm(ann))
        await world.env.advance_time(late.total_seconds())
        checkin = await next_life(world, rows)
        there = [message.content for message in messages_of(world.env, ann.dm_channel)]
        kept = [line.text for line in await rows.utterances.recent(dm(ann), 9)]
    in_time = late < HOUR
    assert there == ([ASKED] if arrived or in_time else [])
    assert (checkin.state, checkin.why) == (
        (CheckInState.SENT, None) if arrived or in_time else (CheckInState.SKIPPED, Why.LATE)
    )
    assert kept == ([SAID, ASKED] if there else [SAID])


async def one_life(rows: Rows, messenger: Messenger, place: Place) -> None:
    """A check-in is due at noon, and the process dies."""
    ann, clock = Speaker(f"{PLATFORM}:{place.ref}", "Ann"), ManualClock(NOON - 3 * HOUR)
    said = await rows.inbox.accept(Utterance(place, "1", ann, SAID, clock.now()))
    assert said is not None
    await rows.sessions.append(said, HOUR, 1000)
    await rows.inbox.remembered([said.id])
    await rows.checkins.choose(CareWishes(ann.id, on=True, place=place, offered=True, next_at=NOON))
    clock.move_to(NOON)
    work, _ = loop(rows, messenger, clock, Words(about(said)))
    with pytest.raises(asyncio.CancelledError):
        await work.tick()
    assert [one.uncertain for one in await rows.outbox.undelivered()] == [True]


async def next_life(world: World, rows: Rows) -> CheckIn:
    """The next process sends what is left over."""
    work, delivery = loop(rows, world.messenger, ManualClock(world.env.now()), Words())
    await delivery.deliver_left_over()
    assert await rows.outbox.undelivered() == []
    await work.tick()
    [checkin, *_] = (await rows.checkins.latest(9))[::-1]
    return checkin


def loop(rows: Rows, messenger: Messenger, clock: ManualClock, words: Words) -> tuple[CheckInWork, Delivery]:
    settings = load_settings(None, {}, **{**UNASKED, **CARE})
    consents = Consents(privacies=rows.privacies, settings=settings.privacy)
    return work_on(
        rows,
        words=words,
        messenger=messenger,
        consents=consents,
        clock=clock,
        settings=settings,
        platform=PLATFORM,
    )
