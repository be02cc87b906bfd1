"""Who is on the page: sessions that follow from one-time links. In memory alone; a restart ends all of them."""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.domain import Answer, Asker
from bot.ports import Clock

LASTS = timedelta(minutes=30)
MOST = 500
"""Sessions at once; the oldest go first."""
TOKEN_BYTES = 32


@dataclass(slots=True)
class Session:
    """One browser that came by a link."""

    asker: Asker
    until: datetime
    language: str
    csrf: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))
    """What every form carries."""
    answer: Answer | None = None
    """What the last form was answered; shown on the next page, once."""

    def may(self, token: str) -> bool:
        """Whether a form is one of this session's."""
        return secrets.compare_digest(token.encode("utf-8", "surrogatepass"), self.csrf.encode())


class Sessions:
    """The sessions. Only digests of the cookies' values are held."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sessions: dict[bytes, Session] = {}

    def begin(self, asker: Asker, language: str) -> str:
        """Begins a session; returns what its cookie holds. One person has one: an earlier one ends."""
        now, value = self._clock.now(), secrets.token_urlsafe(TOKEN_BYTES)
        kept = [
            (key, one)
            for key, one in self._sessions.items()
            if one.until > now and one.asker.speaker.id != asker.speaker.id
        ]
        self._sessions = dict(kept[1 - MOST :]) | {_digest(value): Session(asker, now + LASTS, language)}
        return value

    def of(self, value: str) -> Session | None:
        """The session of a cookie; None: it is over, or never was."""
        session = self._sessions.get(_digest(value)) if value else None
        return session if session is not None and session.until > self._clock.now() else None

    def end(self, value: str) -> None:
        """Ends a session."""
        self._sessions.pop(_digest(value), None)


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()
