"""How often something may be done for one person or one group: what Discord and Telegram share.

What is not allowed does not count.
"""

from collections import deque
from collections.abc import Hashable
from datetime import datetime, timedelta

from bot.ports import Clock

WINDOW = timedelta(minutes=1)
COMMANDS_PER_MINUTE = 20
"""Commands and presses of buttons of one person; beyond, a sentence says so, and nothing is done."""
KEPT = 2000
"""Keys that are kept in mind; then those that have been calm are forgotten."""


class Pace:
    """At most `most` in any minute, for each key."""

    def __init__(self, clock: Clock, most: int) -> None:
        self._clock = clock
        self._most = most
        self._times: dict[Hashable, deque[datetime]] = {}

    def allows(self, key: Hashable) -> bool:
        """Whether it may be done once more now, which is then counted."""
        now = self._clock.now()
        if len(self._times) > KEPT:
            self._times = {known: times for known, times in self._times.items() if now - times[-1] < WINDOW}
        times = self._times.setdefault(key, deque(maxlen=self._most))
        if len(times) == self._most and now - times[0] < WINDOW:
            return False
        times.append(now)
        return True
