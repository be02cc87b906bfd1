"""Who breaks a rule of the house fails (`tests/house_rules.py`); what takes long is listed."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain import Priority
from bot.llm.admission import Admission, Ticket
from tests import house_rules
from tests.house_rules import LASTING, LIMIT, SLOW, HouseRules


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


def connects() -> None:
    with socket.socket() as one:
        one.connect(("192.0.2.1", 9))


def connects_quietly() -> None:
    with socket.socket(socket.AF_INET6) as one:
        one.connect_ex(("2001:db8::1", 9))


def looks_up() -> None:
    socket.getaddrinfo("example.org", 443)


@pytest.mark.parametrize("reaches", [connects, connects_quietly, looks_up])
def test_who_reaches_for_the_network_is_refused_and_fails(
    patch: pytest.MonkeyPatch, reaches: Callable[[], None]
) -> None:
    def refused() -> None:
        with pytest.raises(OSError, match="no test reaches the network"):
            reaches()

    with pytest.raises(pytest.fail.Exception, match=r"it (connected to|looked up the address of) .*(192|2001|example)"):
        judged(patch, refused)


def test_this_machine_is_no_network(patch: pytest.MonkeyPatch) -> None:
    def local() -> None:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            with socket.create_connection(("localhost", server.getsockname()[1])):
                pass

    judged(patch, local)


def test_who_comes_near_their_time_limit_is_listed() -> None:
    rules, lines = HouseRules(), list[str]()
    for name, setup, call in (("quick", 1.0, 2.0), ("slow", 20.0, 21.0)):
        for when, took in (("setup", setup), ("call", call), ("teardown", 0.0)):
            report: Any = SimpleNamespace(
                nodeid=name, when=when, duration=took, user_properties=[(LIMIT, 120.0), (SLOW, "")]
            )
            rules.pytest_runtest_logreport(report)
    rules.pytest_terminal_summary(SimpleNamespace(section=lines.append, write_line=lines.append))
    assert lines[1:] == ["slow: it took 41 s of its 120"]
