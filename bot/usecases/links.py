"""`/web`: a link that opens a person's own page, once, within minutes."""

import hashlib
import secrets
from datetime import datetime, timedelta

from bot.config import Web
from bot.domain import Answer, Asker, Call, Place, PlaceKind, Speaker
from bot.domain.addresses import is_this_machine
from bot.ports import Clock
from bot.texts import links as texts
from bot.usecases.markup import joined
from bot.usecases.memory import dm_of

VALID = timedelta(minutes=15)
MOST = 1000
"""Links that are open at once; the oldest go first."""
TOKEN_BYTES = 24
PRINTED = "terminal-"
"""How the secret part of a link begins that the program prints: an old one still says where a new one comes from."""

OWNER = Asker(Speaker("page:owner", "Owner"), Place("page", PlaceKind.DM, "owner"), is_owner=True)
"""Whoever started the program, and came by the link that it printed: no person that it talks with."""


class OneTimeLinks:
    """The links that are open. Only digests are held, and in memory alone: a restart ends all of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[bytes, tuple[Asker, datetime]] = {}

    def issue(self, asker: Asker) -> str:
        """The secret part of a new link for this asker, in the place of any earlier one of theirs."""
        now = self._clock.now()
        kept = {
            digest: (whose, until)
            for digest, (whose, until) in self._open.items()
            if until > now and whose.speaker.id != asker.speaker.id
        }
        token = (PRINTED if asker == OWNER else "") + secrets.token_hex(TOKEN_BYTES)
        self._open = dict([*kept.items()][1 - MOST :]) | {_digest(token): (asker, now + VALID)}
        return token

    def whose(self, token: str) -> Asker | None:
        """Whose link it is, if it would open something. It stays as it is: services look at links in messages, too."""
        asker, until = self._open.get(_digest(token), (None, self._clock.now()))
        return asker if until > self._clock.now() else None

    def is_gone(self, token: str) -> bool:
        """Whether it was used, or another has taken its place; one that only ran out is not gone."""
        return _digest(token) not in self._open

    def take(self, token: str) -> Asker | None:
        """Whose link it is, once; None: it is over, was used, or never was."""
        asker, until = self._open.pop(_digest(token), (None, self._clock.now()))
        return asker if until > self._clock.now() else None


class PageLinks:
    """`/web`."""

    def __init__(self, *, links: OneTimeLinks, settings: Web) -> None:
        self._links = links
        self._settings = settings

    async def web(self, _call: Call, asker: Asker) -> Answer:
        """A link for the asker alone, who is on the page what they are in their own DM."""
        if not self._settings.enabled:
            return Answer(texts.CLOSED_BY_YOU if asker.is_owner else texts.CLOSED)
        alone = Asker(asker.speaker, dm_of(asker), is_owner=asker.is_owner, may_manage=True)
        link = link_of(self._settings, self._links.issue(alone))
        lines = [texts.LINK.format(minutes=VALID.seconds // 60), link]
        return Answer(joined([*lines, texts.ONLY_HERE] if is_this_machine(link) else lines))


def is_printed(token: str) -> bool:
    """Whether a link is one that the program printed, also after it was used."""
    return token.startswith(PRINTED)


def link_of(settings: Web, token: str) -> str:
    """The address that a link is sent as."""
    return f"{settings.address}/in/{token}"


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
