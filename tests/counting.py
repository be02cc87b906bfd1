"""What a piece of work asks of the database: statements, sessions and commits, counted exactly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool


@dataclass
class Counted:
    """How often each was asked for. A BEGIN is no statement of ours."""

    statements: int = 0
    sessions: int = 0
    commits: int = 0

    def __str__(self) -> str:
        return f"{self.statements} statements, {self.sessions} sessions, {self.commits} commits"


@contextmanager
def counted() -> Iterator[Counted]:
    """Counts over all engines of the process while it is open."""
    counts = Counted()

    def statement(_connection: object, _cursor: object, sql: str, *_rest: object) -> None:
        counts.statements += not sql.startswith("BEGIN")

    def session(*_arguments: object) -> None:
        counts.sessions += 1

    def commit(_connection: object) -> None:
        counts.commits += 1

    listeners: list[tuple[Any, str, Any]] = [
        (Engine, "before_cursor_execute", statement),
        (Pool, "checkout", session),
        (Engine, "commit", commit),
    ]
    for listener in listeners:
        event.listen(*listener)
    try:
        yield counts
    finally:
        for listener in listeners:
            event.remove(*listener)


class Figures:
    """A plugin of pytest: prints the figures that tests have recorded in their `user_properties` as "figure"."""

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints them, those of the workers too."""
        reports: list[pytest.TestReport] = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
        figures = [value for report in reports for name, value in report.user_properties if name == "figure"]
        if figures:
            terminalreporter.section("what one message asks of the database")
            for figure in sorted({*map(str, figures)}):
                terminalreporter.write_line(figure)
