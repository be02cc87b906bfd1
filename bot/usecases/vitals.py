"""How the program is doing, for `/status`."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Vitals:
    """The companion at one moment. No word of anybody is in it."""

    uptime: timedelta
    answering: int
    """Places in which a reply is being made."""
    waiting: int
    """Messages that wait for their turn."""
    tokens_per_s: float | None
    """Over the last replies; None: there was none yet."""
    resident_bytes: int
    data_bytes: int
    """What is stored in the data folder."""
    free_bytes: int
    """Of the disk that it is on."""
    jobs_waiting: int
    """Background jobs that are due or put back."""
    adapters: tuple[tuple[str, str], ...] = ()
    """(platform, its state in one or two words)."""
