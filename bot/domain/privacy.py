"""What people have agreed to, and what is erased."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.conversation import Utterance
from bot.domain.memories import Scope


class Consent(StrEnum):
    """What a person said when they were asked whether the companion may remember."""

    UNASKED = "unasked"
    """They do not know yet that it is a machine, and what it keeps."""
    TOLD = "told"
    """They were told, and have not answered."""
    AGREED = "agreed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Privacy:
    """What one person has decided, for all platforms that they have linked."""

    speaker_id: str
    consent: Consent = Consent.UNASKED
    paused: bool = False
    """Whether nothing is remembered until they resume it."""
    keep_days: int | None = None
    """What is older is erased; None: without end. Their own choice: the limit of minors stands in the settings."""
    minor: bool = False
    """Whether they are known to be under 18."""
    country: str = ""
    """Two letters (ISO 3166), for the crisis line; empty: not known."""
    minor_since: datetime | None = None
    """From when on what they say is under the limit of minors; what they said before is not. None: it never was."""


class ErasureReason(StrEnum):
    """Why something is erased."""

    ASKED = "asked"
    """By its person, with a command."""
    DELETED = "deleted"
    """On its platform."""
    OFF_RECORD = "off the record"
    """Its person has not agreed to more than the conversation, or has paused."""
    RETENTION = "retention"
    """Its person has it kept for so many days only."""
    LEFT = "left"
    """The companion was removed from the server."""
    GONE = "gone"
    """The platform says that the person is not there any more."""
    UNSENT = "not sent"
    """The companion's own words, which nobody was shown in time."""
    WITHHELD = "withheld"
    """It was derived from what may be a sign of danger, before that was looked for. What was said stays."""
    RESTORED = "restored"
    """It was erased before, and came back with a backup."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be erased; all that comes from it goes along (`bot/memory/eraser.py`)."""

    utterances: tuple[int, ...] = ()
    """Ids. Those that are not stored are passed over."""
    people: tuple[str, ...] = ()
    """Speaker ids of whom nothing stays: what they said anywhere, their DMs whole, names, settings, links."""
    places: tuple[str, ...] = ()
    """Keys of places of which nothing stays, whoever said it."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An erasure that somebody has confirmed, and that is not done yet."""

    token: str
    subject: str
    """The speaker id of whoever confirmed it."""
    reason: ErasureReason
    selection: Selection


@dataclass(frozen=True, slots=True)
class ErasurePreview:
    """What would go. Nothing has."""

    utterances: int
    """Messages of people, those selected."""
    replies: int
    """The companion's, that answered them or were made with them in mind; those that whoever asks can read."""
    events: tuple[int, ...]
    """Ids of the events that go, or are derived anew without them."""
    traits: tuple[int, ...]
    """Ids of the traits that go, or are derived anew without them."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What went from the tables, in one transaction. It is in memory only, to look for it on the disk."""

    erasure_id: int
    """0: nothing went, and there is no receipt."""
    utterances: tuple[Utterance, ...] = ()
    """As they were: the people's and the companion's."""
    texts: tuple[str, ...] = ()
    """All words that went: of utterances, summaries, traits; topics and names of 12 characters or more.

    Some may stand in other rows.
    """
    vectors: tuple[tuple[Scope, tuple[int, ...]], ...] = ()
    """The vectors that must go."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure did. It says how much, and no word of what."""

    id: int
    reason: ErasureReason
    asked: datetime
    counts: tuple[tuple[str, int], ...]
    """(kind, how many), such as ("utterances", 12); what its person could not read is not counted."""
    done: datetime | None = None
    """When the files were rewritten, the last time; None: not yet."""
    found: int | None = None
    """In how many places something of it was still found when it was looked for; 0: verified.

    None, and done: nobody could look for it, because the process that knew the words was gone.
    """


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that should be gone, and is not."""

    file: str
    """Relative to the data folder."""
    what: str
    """"text" or "vector", and which table or index it is in where that is known. No words of people."""
