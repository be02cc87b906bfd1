"""Who may generate: replies before background work, and nobody waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from bot.domain import Priority
from bot.errors import ModelBusy, ModelUnavailable
from bot.llm import admission as module
from bot.llm.admission import MAX_PREEMPTIONS, Admission, Ticket

FAR = 1e9


def ticket(
    priority: Priority = Priority.REPLY, tokens: int = 1, on_preempt: Callable[[], None] | None = None
) -> Ticket:
    return Ticket(priority, tokens, on_preempt or (lambda: None))


async def soon(line: Admission, who: Ticket) -> asyncio.Task[bool]:
    task = asyncio.ensure_future(line.enter(who, FAR))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


async def test_turns_end_at_the_limit_and_go_to_the_next() -> None:
    line = Admission(2, 10, 100)
    first, second, third = ticket(), ticket(), ticket()
    tasks = [await soon(line, one) for one in (first, second, third)]
    assert [task.done() for task in tasks] == [True, True, False]
    line.leave(first)
    assert await tasks[2]
    assert (line.running, line.waiting) == (2, 0)


async def test_the_cache_limits_too_but_one_may_always_run() -> None:
    line = Admission(8, 10, 100)
    huge, small = ticket(tokens=500), ticket(tokens=1)
    assert await line.enter(huge, FAR)
    task = await soon(line, small)
    assert not task.done()
    line.leave(huge)
    assert await task


async def test_background_waits_for_replies() -> None:
    line = Admission(8, 10, 100)
    reply = ticket()
    assert await line.enter(reply, FAR)
    task = await soon(line, ticket(Priority.BACKGROUND))
    assert not task.done()
    line.leave(reply)
    assert await task


async def test_a_reply_takes_the_turn_of_background_work_until_it_was_put_off_often_enough() -> None:
    line = Admission(1, 10, 100)
    work = ticket(Priority.BACKGROUND)
    work.on_preempt = lambda: line.leave(work)
    for number in range(MAX_PREEMPTIONS):
        assert await line.enter(work, FAR)
        reply = ticket()
        assert await line.enter(reply, FAR)
        assert work.preempted
        assert work.preemptions == number + 1
        line.leave(reply)
    assert await line.enter(work, FAR)
    last = await soon(line, ticket())
    assert not last.done()
    assert not work.preempted
    line.leave(work)
    assert await last


async def test_background_that_waited_long_enough_runs_beside_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", -1.0)
    line = Admission(2, 10, 100)
    assert await line.enter(ticket(), FAR)
    assert await line.enter(ticket(Priority.BACKGROUND), FAR)


async def test_a_full_line_refuses_but_background_keeps_no_reply_out() -> None:
    line = Admission(1, 2, 100)
    assert await line.enter(ticket(), FAR)
    for _ in range(2):
        await soon(line, ticket(Priority.BACKGROUND))
    with pytest.raises(ModelBusy):
        await line.enter(ticket(Priority.BACKGROUND), FAR)
    await soon(line, ticket())
    await soon(line, ticket())
    with pytest.raises(ModelBusy, match=r"model\.max_waiting"):
        await line.enter(ticket(), FAR)
    line.close(ModelUnavailable("closed"))


async def test_the_deadline_and_cancelling_give_the_place_back() -> None:
    line = Admission(1, 10, 100)
    assert await line.enter(ticket(), FAR)
    assert not await line.enter(ticket(), asyncio.get_running_loop().time() + 0.01)
    task = await soon(line, ticket())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (line.running, line.waiting) == (1, 0)


async def test_closing_sends_everyone_away() -> None:
    line = Admission(1, 10, 100)
    assert await line.enter(ticket(), FAR)
    task = await soon(line, ticket())
    line.close(ModelUnavailable("The model has been closed."))
    with pytest.raises(ModelUnavailable):
        await task
