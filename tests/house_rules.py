"""What every test is held to: no network, no task and no thread left, no event loop blocked, none near its time limit.

The network is refused. A test that reached for it, or left a task or a thread, fails. Blocked loops and tests near
their limit are listed at the end of a run, and fail nothing: how long they take depends on what else the machine does.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from time import monotonic, thread_time
from typing import Any

import pytest

BLOCKED_S = 1.0
"""Seconds that the loop's own thread may compute at one go."""
STARVED_S = 5.0
"""The same by the clock: a loop that sleeps or waits does not compute, and on a busy machine one waits for its turn."""
GRACE_S = 2.0
"""In which a thread that was told to end has ended."""
SHARE = 1 / 3
"""Of its time limit: what a test may take."""
LIMIT, SLOW = "time limit", "blocked"
ROOT = Path(__file__).parent.parent
OURS = tuple(str(ROOT / package) + os.sep for package in ("bot", "adapters", "cogs", "lab"))
LASTING = {
    "tqdm": "its monitor watches all progress bars of the process",
    "execnet": "the line between a worker and pytest-xdist",
}
"""How the names of threads begin that libraries start once for the whole process, and why each may stay."""


def is_local(host: object) -> bool:
    """Whether a host is this machine, by its name or address."""
    name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    return name in {"localhost", "::1", "0.0.0.0", "::"} or name.startswith("127.")  # noqa: S104  not bound to


def where_to(address: object) -> object:
    """The host of a socket's address; None for a socket of this machine's own (a path)."""
    return address[0] if isinstance(address, tuple) else None


def is_ours(task: asyncio.Task[Any]) -> bool:
    """Whether a task runs a coroutine of this program: servers of the tests leave a handler for each connection."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and code.co_filename.startswith(OURS)


class HouseRules:
    """A plugin of pytest."""

    def __init__(self, blocked_s: float = BLOCKED_S) -> None:
        self._blocked_s = blocked_s
        self._broken: list[str] = []
        """What fails the test."""
        self._slow: list[str] = []
        """What is only listed."""
        self._threads: set[threading.Thread] = set()
        self._took: defaultdict[str, float] = defaultdict(float)
        self._found: list[str] = []

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """Watches sockets and event loops until `patch` is undone."""
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, self._connecting(getattr(socket.socket, name)))
        patch.setattr(socket, "getaddrinfo", self._looking_up(socket.getaddrinfo))
        patch.setattr(asyncio.events.Handle, "_run", self._running(asyncio.events.Handle._run))
        cancels: Any = vars(asyncio.runners)["_cancel_all_tasks"]
        patch.setattr(asyncio.runners, "_cancel_all_tasks", self._closing(cancels))

    def _connecting(self, connect: Any) -> Any:
        def watched(one: socket.socket, address: object) -> Any:
            if one.family in {socket.AF_INET, socket.AF_INET6} and not is_local(where_to(address)):
                self._broken.append(f"it connected to {address}")
                raise OSError(errno.ENETUNREACH, "no test reaches the network")
            return connect(one, address)

        return watched

    def _looking_up(self, getaddrinfo: Any) -> Any:
        def watched(host: object, *arguments: Any, **named: Any) -> Any:
            if not is_local(host) and not str(host).replace(".", "").isdigit():
                self._broken.append(f"it looked up the address of {host!r}")
                raise socket.gaierror(socket.EAI_NONAME, "no test reaches the network")
            return getaddrinfo(host, *arguments, **named)

        return watched

    def _running(self, run: Any) -> Any:
        blocked_s = self._blocked_s

        def watched(handle: asyncio.Handle) -> None:
            began, computed = monotonic(), thread_time()
            run(handle)
            took = monotonic() - began
            if took <= blocked_s:  # nobody computes for longer than it takes
                return
            computed = thread_time() - computed
            if computed > blocked_s or took > STARVED_S:
                self._slow.append(f"it blocked the event loop: {computed:.1f} s of {took:.1f} s computing, {handle}")

        return watched

    def _closing(self, cancel_all_tasks: Any) -> Any:
        def watched(loop: asyncio.AbstractEventLoop) -> None:
            self._broken += [f"it left a task: {task}" for task in asyncio.all_tasks(loop) if is_ours(task)]
            cancel_all_tasks(loop)

        return watched

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        """Forgets the test before; what fixtures of many tests do in their setting up is nobody's."""
        marker = item.get_closest_marker("timeout")
        item.user_properties.append((LIMIT, float(marker.args[0] if marker else item.config.getini("timeout"))))
        yield
        self._threads = set(threading.enumerate())
        self._broken.clear()
        self._slow.clear()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fails a test that has broken a rule, after its fixtures are gone."""
        result = yield
        for thread in set(threading.enumerate()) - self._threads:
            if not thread.name.startswith(tuple(LASTING)):
                thread.join(GRACE_S)
                self._broken += [f"it left a thread: {thread}"] * thread.is_alive()
        item.user_properties.append((SLOW, "; ".join(self._slow)))
        if self._broken:
            pytest.fail("; ".join(self._broken), pytrace=False)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds up what a test took, and notes what blocked its loop."""
        self._took[report.nodeid] += report.duration
        told = dict(report.user_properties)
        if report.when != "teardown":
            return
        took, limit, slow = self._took.pop(report.nodeid), told.get(LIMIT, 0.0), told.get(SLOW, "")
        if isinstance(limit, float) and limit and took > limit * SHARE:
            self._found.append(f"{report.nodeid}: it took {took:.0f} s of its {limit:.0f}")
        if slow:
            self._found.append(f"{report.nodeid}: {slow}")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Lists what was found."""
        if self._found:
            terminalreporter.section("rules of the house (tests/house_rules.py)")
            for line in self._found:
                terminalreporter.write_line(line)
