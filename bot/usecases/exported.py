"""What `/memory export` hands over, before it is files."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain import (
    AGENT_ID,
    CareWishes,
    Character,
    CheckIn,
    CheckInState,
    Event,
    Place,
    Privacy,
    Receipt,
    Trait,
    Utterance,
)


@dataclass(frozen=True, slots=True)
class Exported:
    """All that is kept of one person."""

    written: datetime
    agent_name: str
    name: str
    ids: tuple[str, ...]
    privacy: Privacy
    opt_outs: tuple[str, ...]
    """Keys of places, and servers as "platform:server"."""
    said: tuple[Utterance, ...]
    replies: tuple[Utterance, ...]
    """The companion's, in private."""
    traits: tuple[Trait, ...]
    events: tuple[Event, ...]
    receipts: tuple[Receipt, ...]
    wishes: CareWishes
    character: Character
    checkins: tuple[CheckIn, ...]
    names: Mapping[Place, str]

    def talk(self) -> list[Utterance]:
        """What was said, in order of time."""
        return sorted((*self.said, *self.replies), key=lambda one: (one.time, one.id))

    def checkins_written(self) -> list[CheckIn]:
        """The check-ins that came to words, in order; the others were skipped."""
        return [one for one in self.checkins if one.state is not CheckInState.SKIPPED]

    def is_shared(self, event: Event) -> bool:
        """Whether anybody but this person and the companion spoke in it."""
        return not event.speakers <= {*self.ids, AGENT_ID}


def place_of(key: str) -> Place | None:
    """The place of this key; None where it is none, as that of a whole server."""
    try:
        return Place.parse(key)
    except ValueError:
        return None
