"""The clocks: the system's, one that was set, and one that a test or a replay moves."""

from datetime import UTC, datetime, timedelta


class SystemClock:
    """The time it is."""

    def now(self) -> datetime:
        """The current time in UTC."""
        return datetime.now(UTC)


class LeapingClock:
    """A clock that shows `start` now and goes on from there, but can be held: then it stands still until it is moved.

    So that `bot chat --clock` can go through what was due before `start`, and then be there.
    """

    _held: datetime | None

    def __init__(self, start: datetime) -> None:
        self.run_from(start)

    def now(self) -> datetime:
        """The time in UTC."""
        return datetime.now(UTC) + self._shift if self._held is None else self._held

    def hold_at(self, time: datetime) -> None:
        """Stands still at `time`."""
        self._held = time.astimezone(UTC)

    def move_to(self, time: datetime) -> None:
        """Goes to `time` while it is held; a time in the past leaves it where it is. ValueError when it runs."""
        if self._held is None:
            raise ValueError("a clock that runs is not moved")
        self._held = max(self._held, time.astimezone(UTC))

    def run_from(self, time: datetime) -> None:
        """Shows `time` now and goes on from there."""
        self._shift, self._held = time.astimezone(UTC) - datetime.now(UTC), None


class ManualClock:
    """A clock that stands still until it is moved, and never goes back."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        """The time it was moved to."""
        return self._now

    def move_to(self, time: datetime) -> None:
        """Goes to `time`; a time in the past leaves the clock where it is."""
        self._now = max(self._now, time.astimezone(UTC))

    def advance(self, by: timedelta) -> None:
        """Goes forward by `by`."""
        self.move_to(self._now + by)
