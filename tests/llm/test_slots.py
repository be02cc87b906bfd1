"""Which slot a prompt goes to."""

from __future__ import annotations

import asyncio

from bot.domain import Skill
from bot.llm.slots import Slot, Slots

A, B, C = list(range(100)), list(range(50, 150)), list(range(200, 300))


async def visit(slots: Slots, prompt: list[int], skill: Skill | None = None) -> int:
    slot = await slots.take(prompt, 10, skill)
    slots.give_back(slot)
    return slot.number


async def test_a_conversation_finds_its_slot_again() -> None:
    slots = Slots(4, 10_000)
    mine, other = await visit(slots, A), await visit(slots, B)
    assert mine != other
    assert await visit(slots, [*A, 7, 8]) == mine
    assert await visit(slots, B[:80]) == other


async def test_another_adapter_is_another_slot() -> None:
    slots = Slots(4, 10_000)
    plain = await visit(slots, A)
    tuned = await visit(slots, A, Skill.EXTRACTOR)
    assert plain != tuned
    assert await visit(slots, A, Skill.EXTRACTOR) == tuned
    assert await visit(slots, A) == plain


async def test_a_slot_that_shares_only_the_beginning_stays_with_its_conversation() -> None:
    slots = Slots(4, 10_000)
    mine = await visit(slots, A)
    assert await visit(slots, [*A[:40], *C]) != mine
    assert await visit(slots, [*A[:60], *C]) == mine


async def test_the_longest_unused_is_taken_when_slots_or_room_run_out() -> None:
    for slots in (Slots(2, 10_000), Slots(8, 250)):
        first, second = await visit(slots, A), await visit(slots, C)
        assert await visit(slots, B) == first
        assert await visit(slots, list(range(900, 1000))) == second


async def test_whoever_finds_all_busy_waits() -> None:
    slots = Slots(1, 1000)
    held = await slots.take(A, 10, None)
    waiting = asyncio.ensure_future(slots.take(B, 10, None))
    await asyncio.sleep(0)
    assert not waiting.done()
    await asyncio.to_thread(slots.give_back, held)
    taken: Slot = await waiting
    assert (taken.number, slots.busy) == (held.number, 1)


async def test_what_everybody_begins_with_gives_nobody_anothers_slot() -> None:
    slots = Slots(4, 10_000)
    shared = list(range(100))
    first = await slots.take([*shared, 500], 10, None, len(shared))
    slots.give_back(first)
    second = await slots.take([*shared, 600], 10, None, len(shared))
    assert second is not first
    assert (first.kept, second.kept) == (0, 0)
    slots.give_back(second)
    again = await slots.take([*shared, 500, 501], 10, None, len(shared))
    assert again is first
    assert again.kept == 101


async def test_a_slot_that_is_about_to_be_free_is_waited_for_by_who_goes_on_from_it() -> None:
    slots = Slots(4, 10_000)
    held = await slots.take(A, 10, None)
    assert slots.held([*A, 7], None) == len(A)
    assert slots.held([*A, 7], Skill.EXTRACTOR) == 0
    slots.leave(held, A)
    waiting = asyncio.ensure_future(slots.take([*A, 7, 8], 10, None))
    await asyncio.sleep(0)
    assert not waiting.done()
    assert (await slots.take(C, 10, None)).number != held.number, "others do not wait for it"
    await asyncio.to_thread(slots.give_back, held)
    taken: Slot = await waiting
    assert (taken.number, taken.kept, taken.ending) == (held.number, len(A), False)


async def test_what_another_has_taken_meanwhile_is_not_about_to_be_free() -> None:
    slots = Slots(1, 1000)
    held = await slots.take(A, 10, None)
    slots.give_back(held)
    again = await slots.take(B, 10, None)
    slots.leave(held, A)
    assert again is held
    assert not again.ending


async def test_of_two_that_hold_as_much_the_one_that_holds_little_else_is_taken() -> None:
    slots = Slots(4, 10_000)
    await visit(slots, [*A[:40], *C])
    beginning = await visit(slots, A[:45])
    assert await visit(slots, [*A[:40], *B]) == beginning
