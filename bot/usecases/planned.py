"""The check-in that is planned next, for the page: when it may come, and what it would ask about as things stand."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from bot.domain import Asker, CareWishes, Composed, Utterance, Why
from bot.errors import IndexUnusable, ModelError
from bot.usecases.checkin import CheckInRules
from bot.usecases.kept import Kept

Foresee = Callable[[CareWishes, datetime], Awaitable[Composed | Why | None]]
"""What a check-in at that moment would be about, if nobody said anything until then; or why there would be none.

None: that can only be told when it is due. No model is asked for it, and nothing is stored.
"""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Planned:
    """The next check-in of one person."""

    at: datetime | None
    """The first moment at which it may come; None: none is planned."""
    told: tuple[str, ...]
    """What the commands say of it: Markdown. Without a moment, why none is planned."""
    said: tuple[Utterance, ...] = ()
    """The person's own words that it would be about."""
    intention: str = ""
    """What it is to achieve, one English sentence."""
    nothing: Why | None = None
    """Why it would not be sent as things stand: there is nothing to say, or what there was is settled."""


class PlannedCheckIns:
    """Looks ahead, for whoever asks, and for nobody else."""

    def __init__(self, *, rules: CheckInRules, kept: Kept, foresee: Foresee) -> None:
        self._rules = rules
        self._kept = kept
        self._foresee = foresee

    async def of(self, asker: Asker) -> Planned:
        """The asker's next check-in. Raises StorageError."""
        wishes, at, told = await self._rules.coming(asker)
        ids = await self._kept.identities.of(asker.speaker.id)
        if at is None or wishes.place is None or wishes.place.dm_person not in ids:
            return Planned(None, tuple(told))
        try:
            found = await self._foresee(wishes, at)
        except (ModelError, IndexUnusable) as error:
            _log.warning("what a check-in would be about cannot be told", error=type(error).__name__)
            found = None
        if isinstance(found, Why):
            return Planned(at, tuple(told), nothing=found)
        if found is None:
            return Planned(at, tuple(told))
        said = await self._kept.utterances.get([key for key, _ in found.sources])
        own = tuple(one for one in said if one.speaker.id in ids)
        return Planned(at, tuple(told), own, found.intention)
