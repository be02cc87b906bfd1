"""Short-term memory: the current session of each place, and its end (LD-Agent eq. 4)."""

from collections.abc import Sequence
from datetime import timedelta

from bot.config import SessionSettings
from bot.domain import Place, Session, Utterance
from bot.ports import Clock, Sessions


class ShortTermMemory:
    """The time-stamped cache M_S of every place, kept as rows."""

    def __init__(self, *, sessions: Sessions, clock: Clock, settings: SessionSettings) -> None:
        self._sessions = sessions
        self._clock = clock
        self._beta = timedelta(seconds=settings.beta_s)
        self._max_words = settings.max_words

    @property
    def beta(self) -> timedelta:
        """The gap that ends a session."""
        return self._beta

    async def take_in(self, utterances: Sequence[Utterance]) -> Session:
        """Appends `utterances`, at least one and all of one place; returns the session of the last one."""
        session = Session(0, utterances[0].place)
        for utterance in utterances:
            session = await self._sessions.append(utterance, self._beta, self._max_words)
        return session

    async def close_idle(self) -> int:
        """Closes the sessions that have been silent for longer than β, or lie more than β ahead; returns how many."""
        now = self._clock.now()
        return await self._sessions.close_idle(now - self._beta, now + self._beta)

    async def any_open(self) -> bool:
        """Whether somebody may be in the middle of a conversation."""
        return await self._sessions.any_open()

    async def close(self, place: Place) -> bool:
        """Ends the session of `place` now, as β of silence would. False when none is open or a reply is on its way."""
        return await self._sessions.close(place)
