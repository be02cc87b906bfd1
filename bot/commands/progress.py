"""What is being done, as a bar in the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress

from bot.ports import Report


@contextmanager
def reported(bar: Progress, first: str) -> Iterator[Report]:
    """Shows the bar while the context is open, at first with this step; yields what tells it the others."""
    with bar:
        task = bar.add_task(first, total=None)

        def report(step: str, share: float | None = None) -> None:
            bar.update(task, description=step, total=None if share is None else 1.0, completed=share or 0.0)

        yield report
