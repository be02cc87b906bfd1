"""One Chromium for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.adapters.web import chromium as browsers


@pytest.fixture(autouse=True)
def no_variables_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program takes no variable of this beginning that is no setting (`chromium.py` has read them)."""
    for name in browsers.VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; the test is skipped where there is none."""
    if browsers.paths_of_chromium() is None:
        pytest.skip(browsers.NO_CHROMIUM)
    with browsers.open_chromium() as driver:
        yield driver
