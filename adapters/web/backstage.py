"""What only the owner's pages show and do. No word of anybody is in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from bot.config.explained import ExplainedSetting
from bot.domain import OfferedModel


@dataclass(frozen=True, slots=True)
class Checked:
    """One line of the owner's list: what was looked at, how it is ("ok", "note", "bad"), and what to do."""

    subject: str
    verdict: str
    found: str
    do: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log, without what was put into it."""

    time: datetime
    level: str
    source: str
    event: str


@dataclass(frozen=True, slots=True)
class BackupFile:
    """An encrypted copy of everything."""

    name: str
    made: datetime
    megabytes: float


@dataclass(frozen=True, slots=True)
class ModelsShown:
    """The models that can be chosen."""

    offered: Sequence[OfferedModel]
    in_use: str
    """What answers now: its name, or its title."""
    chosen: str
    """What answers from the next start on; empty: the same."""
    advice: Sequence[str]
    """Sentences: what the machine is, what suits it, which servers run on it."""
    best: str
    """The name of what suits it best; empty: what comes along."""


Lengthy = Literal["get", "try", "backup"]
"""What takes so long that it is begun, and looked at later."""


@dataclass(slots=True)
class Begun:
    """Something lengthy, and how far it is."""

    what: Lengthy
    name: str
    step: str = ""
    share: float | None = None
    """How much of the step is done, from 0 to 1; None: not known."""
    ended: Literal["", "well", "badly", "stopped"] = ""
    told: Sequence[str] = ()
    """What came of it, in sentences."""


class Backstage(Protocol):
    """Found when it is asked for. `check` and `models` may take a moment; the rest reads a little."""

    @property
    def begun(self) -> Begun | None:
        """What was begun last, until something else is."""
        ...

    async def check(self) -> Sequence[Checked]:
        """What the doctor finds."""
        ...

    def explain(self) -> Sequence[ExplainedSetting]:
        """Every setting, those that most owners want first."""
        ...

    def log(self) -> Sequence[LogLine]:
        """The last lines of the log, the latest first."""
        ...

    def backups(self) -> Sequence[BackupFile]:
        """The backups, the latest first."""
        ...

    async def models(self) -> ModelsShown:
        """The models, and what suits the machine."""
        ...

    def choose(self, name: str) -> Sequence[str]:
        """Has a model answer from the next start on; what is to be said of it. Raises HelloAgainError."""
        ...

    def begin(self, what: Lengthy, name: str = "") -> bool:
        """Begins something lengthy. False: something else is not over yet."""
        ...

    def stop(self) -> None:
        """Has what was begun end at its next step; a download goes on there when it is begun again."""
        ...
