"""Whether the computer's clock was moved between two looks at it. Pure: it is told what the clock shows."""

from datetime import datetime, timedelta
from enum import Enum, auto

SET_BACK = timedelta(minutes=5)
"""By how much it must go back to have been set back."""

LEAP = timedelta(days=1)
"""By more than this it must go ahead to have leapt; so long after that, the new time is believed."""


class Move(Enum):
    """What a clock has done since it was last looked at."""

    ON = auto()
    """It went on, by whatever time: computers are suspended."""
    BACK = auto()
    """It was set back. Which of its times is right, nobody knows."""
    HOME = auto()
    """It had leapt ahead lately, and was set back to after where it leapt from: that leap was wrong."""


class ClockWatch:
    """Looks at a clock from time to time."""

    def __init__(self) -> None:
        self._latest: datetime | None = None
        self._leap: tuple[datetime, datetime] | None = None
        """From where to where it leapt."""

    def seen(self, now: datetime) -> Move:
        """What it has done since the last time this was asked."""
        before, self._latest = self._latest, now
        if before is None:
            return Move.ON
        if now < before - SET_BACK:
            leap, self._leap = self._leap, None
            return Move.HOME if leap is not None and now >= leap[0] else Move.BACK
        if now > before + LEAP:
            self._leap = (before, now)
        elif self._leap is not None and now > self._leap[1] + LEAP:
            self._leap = None
        return Move.ON
