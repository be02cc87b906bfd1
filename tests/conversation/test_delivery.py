"""From the outbox to a platform: tried again, refused, or kept for later; never dropped in silence."""

import asyncio
import gc
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

import pytest
import structlog
from sqlalchemy import select

from bot.conversation.delivery import Delivery
from bot.domain import Outgoing, Place, PlaceKind, Recollection, Utterance
from bot.errors import DeliveryFailed, StorageAway, StorageError
from bot.ports import Messenger
from bot.storage.shared.tables import outbox
from tests.conversation.talk import until
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


async def ready(rows: Rows, text: str, place: Place = ANNS_DM, said: Utterance | None = None) -> Outgoing:
    """A reply in the outbox, to `said` or to something new."""
    said = said or await rows.accept(place=place)
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


async def test_what_has_arrived_is_recorded_when_the_database_is_back(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.conversation.delivery.NOTED_S", (0.0, 0.0, 0.0))
    screen, real, left = Screen(), rows.outbox.part_sent, [StorageAway("It restarts.")] * 2

    async def part_sent(outgoing_id: int, part: str, *, last: bool = False) -> bool:
        if left:
            raise left.pop()
        return await real(outgoing_id, part, last=last)

    monkeypatch.setattr(rows.outbox, "part_sent", part_sent)
    outgoing = await ready(rows, "hi")
    await delivery(rows, {"chat": screen}).deliver(outgoing)
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

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        self.asked.set()
        await self.answers.wait()
        async for part in super().send(outgoing):
            yield part


async def test_a_reply_that_is_being_sent_is_not_sent_beside(rows: Rows) -> None:
    screen = SlowScreen()
    outgoing = await ready(rows, "hi")
    sender = delivery(rows, {"chat": screen})
    async with asyncio.TaskGroup() as group:
        group.create_task(sender.deliver(outgoing))
        await screen.asked.wait()
        assert await sender.deliver_left_over() == 0
        group.create_task(sender.deliver(outgoing))
        await asyncio.sleep(0.01)
        screen.answers.set()
    assert screen.sent == [outgoing]


async def test_overlapping_runs_send_each_reply_once_and_in_order(rows: Rows) -> None:
    screen = SlowScreen()
    sender = delivery(rows, {"chat": screen})
    first = await ready(rows, "one")
    async with asyncio.TaskGroup() as group:
        group.create_task(sender.deliver(first))
        await screen.asked.wait()
        second = await ready(rows, "two")
        for _ in range(2):
            group.create_task(sender.deliver_left_over())
            group.create_task(sender.deliver(second))
            await asyncio.sleep(0.01)
        screen.answers.set()
    assert [sent.text for sent in screen.sent] == ["one", "two"]
    gc.collect()
    assert len(sender._locks) == 0


async def test_a_reply_waits_for_the_earlier_ones_of_its_place(rows: Rows) -> None:
    tries = len(PAUSES) + 1
    screen = Screen(refuse=[away() for _ in range(2 * tries)])
    sender = delivery(rows, {"chat": screen})
    first = await ready(rows, "one")
    await sender.deliver(first)
    second = await ready(rows, "two")
    await sender.deliver(second)
    assert [tried.text for tried in screen.attempts] == ["one"] * 2 * tries
    assert await rows.outbox.undelivered() == [first, second]
    await sender.deliver(await ready(rows, "three"))
    assert [sent.text for sent in screen.sent] == ["one", "two", "three"]


async def test_a_long_wait_blocks_nobody_and_is_kept_to(rows: Rows) -> None:
    now = 0.0
    flood = DeliveryFailed("Too many requests.", retry=True, after_s=3600.0)
    screen = Screen(refuse=[flood])
    sender = Delivery(outbox=rows.outbox, messengers={"chat": screen}, pauses_s=PAUSES, now_s=lambda: now)
    outgoing = await ready(rows, "hi")
    async with asyncio.timeout(30):
        await sender.deliver(outgoing)
    now = 3599.0
    await sender.deliver_left_over()
    assert len(screen.attempts) == 1
    assert await rows.outbox.undelivered() == [outgoing]
    now = 3600.0
    await sender.deliver_left_over()
    assert screen.sent == [outgoing]


class FaultyScreen(Screen):
    """A platform with a fault that nobody foresaw."""

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        if outgoing.place == ANNS_DM:
            raise ValueError("nobody foresaw this")
        async for part in super().send(outgoing):
            yield part


async def test_an_unforeseen_fault_in_one_place_ends_nothing_and_is_logged(rows: Rows) -> None:
    screen = FaultyScreen()
    lost, other = await ready(rows, "lost"), await ready(rows, "other", OTHER_HALL)
    with structlog.testing.capture_logs() as logged:
        assert await delivery(rows, {"chat": screen}).deliver_left_over() == 2
    assert screen.sent == [other]
    assert await rows.outbox.undelivered() == [replace(lost, uncertain=True)]
    assert [line["place"] for line in logged if line.get("exc_info")] == [ANNS_DM.key]


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


async def test_what_grows_is_shown_by_platforms_that_run(rows: Rows) -> None:
    screen = Screen()
    sender = delivery(rows, {"chat": screen})
    for place, seen in ((ANNS_DM, True), (ELSEWHERE, False)):
        async with sender.growing(place, "m1") as live:
            live.show(f"to {place.platform}")
            assert live.seen is seen
    assert screen.shown == ["to chat"]


def in_words(text: str) -> list[str]:
    """A platform on which every word takes a message."""
    return text.split()


async def test_a_long_reply_is_recorded_part_by_part(rows: Rows) -> None:
    screen = Screen(parts_of=in_words, refuse=[away()])
    outgoing = await ready(rows, "one two three")
    await delivery(rows, {"chat": screen}).deliver(outgoing)
    assert screen.arrived == ["one", "two", "three"]
    found = await rows.utterances.by_message("chat", [f"id-{outgoing.id}-2"])
    assert [utterance.text for utterance in found.values()] == ["one two three"]


async def test_a_failure_in_the_middle_goes_on_where_it_was(rows: Rows) -> None:
    screen = Screen(parts_of=in_words, refuse=[None, unanswered(), None, away()])
    outgoing = await ready(rows, "one two three")
    await delivery(rows, {"chat": screen}).deliver(outgoing)
    assert screen.arrived == ["one", "two", "three"]
    first = (f"id-{outgoing.id}",)
    assert [(tried.parts, tried.uncertain) for tried in screen.attempts] == [
        ((), False),
        (first, True),  # the answer to the second part was lost
        ((*first, f"id-{outgoing.id}-1"), False),  # the third was certainly refused
    ]
    assert await rows.outbox.undelivered() == []


async def test_what_has_arrived_before_the_process_ended_is_not_sent_again(rows: Rows) -> None:
    screen = Screen(parts_of=in_words, refuse=[None, *(away() for _ in range(3))])
    await delivery(rows, {"chat": screen}).deliver(await ready(rows, "one two three"))
    assert screen.arrived == ["one"]
    await delivery(rows, {"chat": screen}).deliver_left_over()
    assert screen.arrived == ["one", "two", "three"]


async def test_a_platform_that_wants_to_be_left_alone_is(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("bot.conversation.delivery.asyncio.sleep", sleep)
    busy = DeliveryFailed("Too many requests.", retry=True, after_s=7.5)
    screen = Screen(refuse=[busy, away()])
    await Delivery(outbox=rows.outbox, messengers={"chat": screen}, pauses_s=(1.0, 2.0)).deliver(
        await ready(rows, "hi")
    )
    assert slept == [7.5, 2.0]


async def test_why_a_reply_was_refused_is_kept_in_one_word(rows: Rows) -> None:
    closed = DeliveryFailed("Ann takes no messages.", retry=False, code="dm_closed")
    await delivery(rows, {"chat": Screen(refuse=[closed])}).deliver(await ready(rows, "hi"))
    async with rows.database.reading() as connection:
        assert await connection.scalar(select(outbox.c.reason)) == "dm_closed"


async def test_a_growing_reply_is_recorded_at_once_and_becomes_the_reply(rows: Rows) -> None:
    screen = Screen(drafts=True)
    sender = delivery(rows, {"chat": screen})
    said = await rows.accept()
    async with sender.growing(ANNS_DM, said.message_id) as live:
        live.show("hi")
        await until(lambda: bool(screen.shown))
    outgoing = await ready(rows, "hi there", said=said)
    assert outgoing.draft == "draft-0"
    await sender.deliver(outgoing)
    assert screen.drawn == {"draft-0": "hi there"}
    assert await rows.outbox.unfinished() == []


async def test_an_unfinished_try_is_used_again_or_taken_back(rows: Rows) -> None:
    screen = Screen(drafts=True)
    sender = delivery(rows, {"chat": screen})
    await rows.outbox.draft(ANNS_DM, "m1", "draft-of-before")
    async with sender.growing(ANNS_DM, "m1") as live:
        live.show("anew")
        await until(lambda: bool(screen.drawn))
    assert screen.drawn == {"draft-of-before": "anew"}
    await sender.retract(ANNS_DM)
    await sender.retract(ANNS_DM)
    assert screen.retracted == ["draft-of-before"]
    assert await rows.outbox.unfinished() == []


async def test_the_reply_to_another_message_leaves_a_draft_alone(rows: Rows) -> None:
    screen = Screen(drafts=True)
    sender = delivery(rows, {"chat": screen})
    waiting, said = await rows.accept(), await rows.accept()
    await rows.outbox.draft(ANNS_DM, waiting.message_id, "draft-of-before")
    async with sender.growing(ANNS_DM, said.message_id) as live:
        live.show("to you")
        await until(lambda: bool(screen.drawn))
    await sender.deliver(await ready(rows, "to you!", said=said))
    assert screen.drawn == {"draft-0": "to you!"}
    assert screen.retracted == []
    assert await rows.outbox.drafts(ANNS_DM, waiting.message_id) == "draft-of-before"


async def test_a_try_that_is_begun_anew_for_more_that_was_said_keeps_its_draft(rows: Rows) -> None:
    screen = Screen(drafts=True)
    sender = delivery(rows, {"chat": screen})
    first, second = await rows.accept(), await rows.accept()
    for said in (first, second):
        async with sender.growing(ANNS_DM, said.message_id) as live:
            live.show(f"to {said.message_id}")
            await until(lambda said=said: f"to {said.message_id}" in screen.shown)  # type: ignore[misc]  # of the loop
    outgoing = await ready(rows, "to one of both", said=first)  # the second was erased meanwhile
    await sender.deliver(outgoing)
    assert screen.drawn == {"draft-0": "to one of both"}
    assert await rows.outbox.unfinished() == []


async def test_drafts_that_nobody_owns_are_taken_back_and_others_stay(rows: Rows) -> None:
    screen = Screen(drafts=True)
    sender = delivery(rows, {"chat": screen})
    waiting, unsent, joined = await rows.accept(), await ready(rows, "unsent"), await rows.accept(place=OTHER_HALL)
    for asked, draft in ((waiting.message_id, "waits"), (unsent.in_reply_to, "unsent"), ("erased", "forgotten")):
        await rows.outbox.draft(ANNS_DM, asked, draft)
    await rows.outbox.draft(ELSEWHERE, "erased", "out of reach")
    await rows.inbox.remembered([joined.id])
    async with sender.growing(OTHER_HALL, joined.message_id) as live:
        live.show("by the way")
        await until(lambda: bool(screen.drawn))
        await sender.retract_forgotten()
        assert screen.retracted == ["forgotten"]
    left = {draft.message_id for draft in await rows.outbox.unfinished()}
    assert left == {"waits", "out of reach", "draft-0"}


async def test_the_draft_of_a_reply_that_is_refused_is_taken_back(rows: Rows) -> None:
    screen = Screen(refuse=[refusal()])
    said = await rows.accept()
    await rows.outbox.draft(ANNS_DM, said.message_id, "draft-0")
    await delivery(rows, {"chat": screen}).deliver(await ready(rows, "hi", said=said))
    assert screen.retracted == ["draft-0"]


async def test_a_notice_in_place_of_a_reply_takes_its_draft_and_another_does_not(rows: Rows) -> None:
    screen = Screen()
    sender = delivery(rows, {"chat": screen})
    await rows.outbox.draft(ANNS_DM, "m1", "draft-0")
    await sender.notice(ANNS_DM, "slowly", in_reply_to="m9")
    assert [(sent.draft, sent.in_reply_to) for sent in screen.sent] == [(None, "m9")]
    await sender.notice(ANNS_DM, "it failed", in_reply_to="m1", instead_of_reply=True)
    assert screen.drawn == {"draft-0": "it failed"}
    assert await rows.outbox.unfinished() == []


async def test_a_place_that_cannot_be_sent_to_holds_up_no_other(rows: Rows) -> None:
    screen = SlowScreen()
    slow, quick = await ready(rows, "slow"), await ready(rows, "quick", ELSEWHERE)
    other = Screen()
    sender = delivery(rows, {"chat": screen, "post": other})
    async with asyncio.TaskGroup() as group:
        group.create_task(sender.deliver_left_over())
        await screen.asked.wait()
        await until(lambda: bool(other.sent))
        screen.answers.set()
    assert (screen.sent, other.sent) == ([slow], [quick])


async def test_a_fault_of_the_storage_comes_out_as_itself(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    await ready(rows, "hi")

    async def broken(_: int) -> None:
        raise StorageError("The disk is gone.")

    monkeypatch.setattr(rows.outbox, "sending", broken)
    with pytest.raises(StorageError, match=r"The disk is gone\."):
        await delivery(rows, {"chat": Screen()}).deliver_left_over()
