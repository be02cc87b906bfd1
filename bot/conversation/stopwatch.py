"""Milliseconds by stage."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter


@dataclass(slots=True)
class Stopwatch:
    """Adds up the time spent in named stages, in milliseconds."""

    stages_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Counts the time until the block ends to stage `name`."""
        start = perf_counter()
        try:
            yield
        finally:
            self.stages_ms[name] = self.stages_ms.get(name, 0.0) + (perf_counter() - start) * 1000
