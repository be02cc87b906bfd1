"""From the outbox to a platform: tried again, refused, or kept for later; never dropped in silence."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

import pytest

from bot.conversation.delivery import Delivery
from bot.domain import Outgoing, Place, PlaceKind, Recollection, Utterance
from bot.errors import DeliveryFailed
from bot.ports import Messenger
from tests.living import Screen
from tests.open_rows import open_rows
from tests.stored import AGENT, ANNS_DM, OTHER_HALL, START, Rows

ELSEWHERE = Place("post", PlaceKind.DM, "ann")
PAUSES = (0.0, 0.0)


@pytest.fixture
async def rows() -> AsyncIterator[Rows]:
    async with open_rows() as opened:
        yield opened


def delivery(rows: Rows, messengers: Mapping[str, Messenger]) -> Delivery:
    return Delivery(outbox=rows.outbox, messengers=messengers, pauses_s=PAUSES)


async def ready(rows: Rows, text: str, place: Place = ANNS_DM) -> Outgoing:
    """A reply in the outbox."""
    said = await rows.accept(place=place)
    reply = Utterance(place, f"reply:{said.id}", AGENT, text, START, to_bot=False, reply_to=said.message_id)
    outgoing = await rows.outbox.commit(reply, [said.id], Recollection(), [])
    assert outgoing is not None
    return outgoing


def away() -> DeliveryFailed:
    return DeliveryFailed("The platform cannot be reached.", retry=True)


def unanswered() -> DeliveryFailed:
    return DeliveryFailed("The platform did not answer.", retry=True, uncertain=True)


def refusal() -> DeliveryFailed:
    return DeliveryFailed("Ann takes no messages.", retry=False)


async def refused(rows: Rows) -> int:
    return (await rows.utterances.counts()).rows.get("outbox failed", 0)


async def test_a_reply_is_sent_once(rows: Rows) -> None:
    screen = Screen()
    outgoing = await ready(rows, "hi")
    await delivery(rows, {"chat": screen}).deliver(outgoing)
    assert screen.sent == [outgoing]
    assert await rows.outbox.undelivered() == []
    assert await delivery(rows, {"chat": screen}).deliver_left_over() == 0
    assert screen.sent == [outgoing]


async def test_a_send_that_may_work_later_is_tried_again_under_the_same_nonce(rows: Rows) -> None:
    screen = Screen(refuse=[away(), away()])
    outgoing = await ready(rows, "hi")
    await delivery(rows, {"chat": screen}).deliver(outgoing)
    assert [sent.nonce for sent in screen.sent] == [outgoing.nonce]
    assert screen.refuse == []
    assert await rows.outbox.undelivered() == []


async def test_after_the_last_try_a_reply_waits_for_the_next_start(rows: Rows) -> None:
    screen = Screen(refuse=[away() for _ in range(len(PAUSES) + 2)])
    outgoing = await ready(rows, "hi")
    await delivery(rows, {"chat": screen}).deliver(outgoing)
    assert screen.sent == []
    assert len(screen.refuse) == 1
    assert await rows.outbox.undelivered() == [outgoing]
    assert await refused(rows) == 0
    assert await delivery(rows, {"chat": screen}).deliver_left_over() == 1
    assert screen.sent == [outgoing]


async def test_a_reply_that_may_have_arrived_is_uncertain_from_then_on(rows: Rows) -> None:
    screen = Screen(refuse=[away(), unanswered(), away()])
    outgoing = await ready(rows, "hi")
    await delivery(rows, {"chat": screen}).deliver(outgoing)
    uncertain = replace(outgoing, uncertain=True)
    assert await rows.outbox.undelivered() == [uncertain]
    screen.refuse = [away()]
    await delivery(rows, {"chat": screen}).deliver_left_over()
    assert screen.sent == [uncertain]
    assert await rows.outbox.undelivered() == []


async def test_only_the_tries_after_a_lost_answer_are_uncertain(rows: Rows) -> None:
    screen = Screen(refuse=[unanswered()])
    await delivery(rows, {"chat": screen}).deliver(await ready(rows, "hi"))
    assert [sent.uncertain for sent in screen.sent] == [True]
    certain = Screen(refuse=[away()])
    await delivery(rows, {"chat": certain}).deliver(await ready(rows, "hi"))
    assert [sent.uncertain for sent in certain.sent] == [False]


async def test_a_reply_to_a_place_out_of_reach_waits_untouched(rows: Rows) -> None:
    screen = Screen(out_of_reach={ANNS_DM})
    outgoing = await ready(rows, "hi")
    sender = delivery(rows, {"chat": screen})
    assert not sender.reaches(ANNS_DM)
    await sender.deliver(outgoing)
    assert screen.sent == []
    assert await rows.outbox.undelivered() == [outgoing]
    screen.out_of_reach.clear()
    assert sender.reaches(ANNS_DM)
    assert not sender.reaches(ELSEWHERE)
    await sender.deliver_left_over()
    assert screen.sent == [outgoing]


class SlowScreen(Screen):
    """A platform that takes its time over a send."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.answers = asyncio.Event()

    async def send(self, outgoing: Outgoing) -> str:
        self.asked.set()
        await self.answers.wait()
        return await super().send(outgoing)


async def test_a_reply_that_is_being_sent_is_not_sent_beside(rows: Rows) -> None:
    screen = SlowScreen()
    outgoing = await ready(rows, "hi")
    sender = delivery(rows, {"chat": screen})
    async with asyncio.TaskGroup() as group:
        group.create_task(sender.deliver(outgoing))
        await screen.asked.wait()
        assert await sender.deliver_left_over() == 0
        await sender.deliver(outgoing)
        screen.answers.set()
    assert screen.sent == [outgoing]


async def test_a_notice_is_sent_where_it_can_be_and_never_kept(rows: Rows) -> None:
    screen = Screen(out_of_reach={OTHER_HALL}, refuse=[away()])
    sender = delivery(rows, {"chat": screen})
    for place, text in [(ANNS_DM, "refused"), (OTHER_HALL, "too far"), (ELSEWHERE, "unknown"), (ANNS_DM, "a fault")]:
        await sender.notice(place, text)
    assert [(sent.place, sent.text, sent.id) for sent in screen.sent] == [(ANNS_DM, "a fault", 0)]
    assert len(screen.sent[0].nonce) == 24
    assert await rows.outbox.undelivered() == []


async def test_a_reply_that_is_refused_is_noted_and_not_tried_again(rows: Rows) -> None:
    screen = Screen(refuse=[away(), refusal()])
    await delivery(rows, {"chat": screen}).deliver(await ready(rows, "hi"))
    assert screen.sent == []
    assert screen.refuse == []
    assert await rows.outbox.undelivered() == []
    assert await refused(rows) == 1


async def test_a_reply_to_a_platform_that_is_not_running_stays_in_the_outbox(rows: Rows) -> None:
    screen, late = Screen(), Screen()
    outgoing = await ready(rows, "hi", ELSEWHERE)
    await delivery(rows, {"chat": screen}).deliver(outgoing)
    await delivery(rows, {"chat": screen}).deliver_left_over()
    assert await rows.outbox.undelivered() == [outgoing]
    assert screen.sent == []
    await delivery(rows, {"chat": screen, "post": late}).deliver_left_over()
    assert late.sent == [outgoing]
    assert await rows.outbox.undelivered() == []


async def test_what_was_left_over_goes_out_oldest_first_and_a_refusal_holds_up_no_other(rows: Rows) -> None:
    screen = Screen(refuse=[refusal()])
    for text in ("one", "two", "three"):
        await ready(rows, text)
    assert await delivery(rows, {"chat": screen}).deliver_left_over() == 3
    assert [sent.text for sent in screen.sent] == ["two", "three"]
    assert await refused(rows) == 1


async def test_typing_and_showing_are_for_platforms_that_run(rows: Rows) -> None:
    screen = Screen()
    sender = delivery(rows, {"chat": screen})
    for place in (ANNS_DM, ELSEWHERE):
        async with sender.typing(place):
            await sender.show(place, f"to {place.platform}")
    assert screen.shown == ["to chat"]
