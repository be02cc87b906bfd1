"""Several processes over one database: which part of the work is whose, and for how long."""

from dataclasses import dataclass
from enum import StrEnum


class ProcessRole(StrEnum):
    """What a process does."""

    ALL = "all"
    """Everything, alone."""
    GATEWAY = "gateway"
    """It stores what people send and sends what was answered: the platforms, and no language model."""
    WORKER = "worker"
    """It answers and remembers, and talks to no platform."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do one thing, until it is released or runs out and somebody else takes it."""

    name: str
    token: int
    """Grows with every lease that is given: what is written under an older one is refused."""


INBOX, OUTBOX = "inbox", "outbox"
"""What bells ring for: something was stored to be answered; something to be sent."""
