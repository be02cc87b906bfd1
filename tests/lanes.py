"""Which lane a test belongs to, decided here alone. `make test` runs all, `make test LANE=quick` none of the slow ones.

A lane is a marker: `lab` by its folder, `kill`, `model` and `page` by its folder, by a fixture that it takes, or
written at the test. A test that loads the bundled model, runs llama.cpp or kills a process without the marker fails, in
every run.
"""

from __future__ import annotations

import builtins
import io
import os
import signal
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from bot.llm.gguf_files import BUNDLED_NAME
from bot.llm.llama_server import LlamaServer

MODEL, KILL, LAB, PAGE = "model", "kill", "lab", "page"
TESTS = Path(__file__).parent
FOLDERS = {TESTS / "lab": LAB, TESTS / "crash": KILL}
FIXTURES = {"bundled_model": MODEL, "gguf_model": MODEL, "llama_url": MODEL, "nursery": KILL, "chromium": PAGE}
PREPARED = f"{os.sep}bundled{os.sep}{BUNDLED_NAME}"
"""In the path of every file of the bundled model that transformers loads."""


class WrongLane(RuntimeError):
    """A test does what only a slow lane may."""


@cache
def by_folder(path: Path) -> frozenset[str]:
    """The slow lanes of all tests of a module. Of ten thousand tests each asks, of some hundred modules."""
    return frozenset(lane for folder, lane in FOLDERS.items() if folder in path.parents)


def lanes_of(path: Path, fixtures: tuple[str, ...]) -> set[str]:
    """The slow lanes of a test by its module's path and the names of all fixtures that it needs."""
    return {*by_folder(path), *(lane for name, lane in FIXTURES.items() if name in fixtures)}


class Lanes:
    """A plugin of pytest: gives the markers, and refuses what a test without them may not do."""

    def __init__(self) -> None:
        self._test: pytest.Item | None = None
        self._wrong: list[str] = []

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """Watches what is loaded and who is killed, until `patch` is undone.

        An audit hook would hear every `id()` too, which SQLAlchemy calls for each statement, some dozens of times.
        """
        patch.setattr(LlamaServer, "__init__", self._starting(LlamaServer.__init__))
        opening = partial(self._opening, builtins.open)
        patch.setattr(builtins, "open", opening)
        patch.setattr(io, "open", opening)
        patch.setattr(os, "kill", partial(self._killing, os.kill))

    def _starting(self, start: Any) -> Any:
        def watched(*arguments: Any) -> None:
            self._need(MODEL, "it runs llama.cpp")
            start(*arguments)

        return watched

    def _opening(self, opens: Any, file: Any, *arguments: Any, **named: Any) -> Any:
        self._hear("open", (os.fspath(file) if isinstance(file, os.PathLike) else file, *arguments))
        return opens(file, *arguments, **named)

    def _killing(self, kill: Any, *arguments: Any) -> None:
        self._hear("os.kill", arguments)
        kill(*arguments)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and PREPARED in arguments[0]:
            self._need(MODEL, f"it opens {arguments[0]}")
        elif event == "os.kill" and arguments[1] == signal.SIGKILL:
            self._need(KILL, "it kills a process")

    def _need(self, lane: str, what: str) -> None:
        if self._test is not None and not {lane, LAB} & {marker.name for marker in self._test.iter_markers()}:
            self._wrong.append(f"{what}, and is not marked {lane}")
            raise WrongLane(self._wrong[-1])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Marks all tests, before `-m` chooses among them."""
        for item in items:
            for lane in lanes_of(item.path, tuple(getattr(item, "fixturenames", ()))):
                item.add_marker(lane)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """From the setting up of a test's fixtures until they are gone."""
        self._test = item
        try:
            return (yield)
        finally:
            self._test = None

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_teardown(self) -> Any:
        """Fails the test, if what was refused did not."""
        result = yield
        wrong, self._wrong = self._wrong, []
        if wrong:
            pytest.fail("; ".join(wrong), pytrace=False)
        return result
