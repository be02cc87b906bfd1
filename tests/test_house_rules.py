"""Who breaks a rule of the house fails (`tests/house_rules.py`); what takes long is listed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain import Priority
from bot.llm.admission import Admission, Ticket
from tests import house_rules
from tests.house_rules import LASTING, SLOW, HouseRules


def cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    """What the run's own rules do not watch."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as opened:
        opened.setattr(house_rules, "GRACE_S", 0.05)
        opened.setattr(asyncio.runners, "_cancel_all_tasks", cancel_all)
        yield opened


def judged(patch: pytest.MonkeyPatch, test: Callable[[], object], rules: HouseRules | None = None) -> dict[str, Any]:
    """What is noted of a test that does this; it fails as the test would."""
    rules = rules or HouseRules()
    rules.watch(patch)
    item: Any = SimpleNamespace(
        user_properties=[], get_closest_marker=lambda name: None, config=SimpleNamespace(getini=lambda name: "120")
    )
    for hook in (rules.pytest_runtest_setup, rules.pytest_runtest_teardown):
        wrapper: Any = hook(item)
        next(wrapper)
        if hook == rules.pytest_runtest_teardown:
            test()
        with pytest.raises(StopIteration):
            wrapper.send(None)
    return dict(item.user_properties)


def test_a_task_that_is_left_fails(patch: pytest.MonkeyPatch) -> None:
    async def leaving() -> None:
        line = Admission(1, 10, 100)
        assert await line.enter(Ticket(Priority.REPLY, 1, lambda: None), 1e9)
        task = asyncio.create_task(line.enter(Ticket(Priority.REPLY, 1, lambda: None), 1e9))
        await asyncio.sleep(0)
        assert not task.done()

    with pytest.raises(pytest.fail.Exception, match=r"it left a task: .*enter"):
        judged(patch, lambda: asyncio.run(leaving()))


def test_a_thread_that_is_left_fails_unless_it_may_stay(patch: pytest.MonkeyPatch) -> None:
    end = threading.Event()

    def started(name: str) -> None:
        threading.Thread(target=end.wait, name=name).start()

    try:
        with pytest.raises(pytest.fail.Exception, match=r"it left a thread: .*pool"):
            judged(patch, lambda: started("pool"))
        for name in LASTING:
            judged(patch, lambda name=name: started(f"{name}-1"))  # type: ignore[misc]  # a lambda with a default
        judged(patch, lambda: threading.Thread(target=lambda: None).start())
    finally:
        end.set()
        for thread in threading.enumerate():
            if thread.name.startswith(("pool", *LASTING)) and getattr(thread, "_target", None) == end.wait:
                thread.join()


def test_a_blocked_loop_is_listed_and_fails_nothing(patch: pytest.MonkeyPatch) -> None:
    noted = judged(patch, lambda: asyncio.run(asyncio.sleep(0)), HouseRules(blocked_s=-1.0))
    assert "it blocked the event loop" in noted[SLOW]
