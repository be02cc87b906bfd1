"""Check-ins: what a person chose, what has happened, and what became of each moment at which one was due."""

from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum

from bot.domain.conversation import Place


@dataclass(frozen=True, slots=True)
class CareWishes:
    """What one person chose about check-ins, for all platforms that they have linked. None: as the settings say."""

    speaker_id: str
    on: bool = False
    place: Place | None = None
    """The DM that they are sent to: where they were last switched on."""
    offered: bool = False
    """Whether the person was asked, once, whether they want any."""
    zone: str = ""
    """The person's IANA time zone, such as "Europe/Berlin"; empty: not known."""
    times: tuple[time, ...] = ()
    """Times of day (wall clock, ascending) at which one may come; empty: as the settings say."""
    days: tuple[int, ...] = ()
    """Days of the week, 0 = Monday, ascending; empty: every day."""
    quiet: tuple[time, time] | None = None
    """Wall-clock times between which nothing comes; it may go over midnight. Both the same: never quiet."""
    every_days: int | None = None
    """At most one check-in in so many days."""
    paused_until: datetime | None = None
    next_at: datetime | None = None
    """The moment at which one is due next; None: none is."""


class Why(StrEnum):
    """Why a check-in that was due was not sent."""

    OFF = "off"
    """The person does not want any."""
    HELD = "held"
    """The owner has stopped all of them."""
    ZONE = "zone"
    """Nobody knows what time it is where the person lives."""
    PAUSED = "paused"
    """Paused or put off by the person."""
    CONSENT = "consent"
    """The person has not agreed that anything is remembered, or has paused that."""
    QUIET = "quiet hours"
    DAY = "not on this day"
    TALKING = "talking"
    """The person talks with the companion, or did a short while ago."""
    OFTEN = "often enough"
    """One was sent a short while ago: today, or in as many days as the person chose."""
    WEEK = "enough this week"
    UNANSWERED = "unanswered"
    """The last ones were not answered, so it waits longer."""
    REFUSED = "refused"
    """The platform refused the last one; it waits until the person writes."""
    HELP = "after help"
    """The person was given a crisis line a short while ago."""
    UNREACHABLE = "unreachable"
    """The platform is not connected."""
    LATE = "late"
    """The program was off, or busy, for longer than the grace time."""
    NOTHING = "nothing to say"
    """Nothing that the person told would be a reason to write."""
    SETTLED = "settled"
    """What it would have been about was settled, contradicted or just talked about."""
    BUDGET = "budget"
    """Background work has used the day's tokens."""
    MODEL = "model"
    """The language model did not answer."""
    CHANGED = "changed"
    """The person wrote, or erased something that it was made of, while it was thought of."""


class CheckInState(StrEnum):
    """How far a check-in has come."""

    CLAIMED = "claimed"
    """It was due, and a process has taken it on for a while (its lease)."""
    COMPOSED = "composed"
    """Its words are in the outbox."""
    SENDING = "sending"
    SENT = "sent"
    SKIPPED = "skipped"
    FAILED = "failed"
    """The platform refused it, or it may have arrived and is not sent twice."""


@dataclass(frozen=True, slots=True)
class CareScores:
    """What a memory's turn was decided by (CareAgent), each in [0, 1]."""

    importance: float
    balance: float
    freshness: float
    total: float
    """α · importance + β · balance + γ · freshness."""


@dataclass(frozen=True, slots=True)
class CheckIn:
    """One moment at which a check-in was due, and what became of it. (`speaker_id`, `due`) is unique."""

    id: int
    speaker_id: str
    """An id of the person: that of `CareWishes.place`."""
    place: Place
    due: datetime
    state: CheckInState
    why: Why | None = None
    """Of one that was skipped."""
    failure: str = ""
    """Of one that failed: the platform's code."""
    attempts: int = 0
    farewell: bool = False
    """Whether it only says that no more will come, because nobody answered."""
    scores: CareScores | None = None
    utterance_id: int = 0
    """What it said; 0: nothing yet, or it was erased."""
    sent_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Composed:
    """The words of a check-in, and what they were made of."""

    text: str
    background: str
    """The memory it is about, in words (CareAgent's M)."""
    intention: str
    """What it is to achieve, one sentence (CareAgent's I)."""
    sources: tuple[tuple[int, str], ...]
    """Id of an utterance that the memory and `traits` are made of → what it said, all of them."""
    scores: CareScores | None = None
    farewell: bool = False
    about: tuple[int, ...] = ()
    """Ids of the utterances that it asks about (its thread's lines); empty: all of `sources`."""
    traits: tuple[int, ...] = ()
    """Ids of the traits that were in view."""
    toned_by: tuple[tuple[int, str], ...] = ()
    """The same as `sources`, of the personality type that gave it its tone; empty: none that was guessed did."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A check-in that opened a session: what the person's answer is about."""

    checkin_id: int
    utterance_id: int
    background: str
    intention: str
    sources: tuple[int, ...]
    """Ids of the utterances that it is made of, all of them."""
    toned_by: tuple[int, ...] = ()
    """Those of `sources` that are behind its tone alone: a personality type was guessed from them."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What has happened between a person and the companion, as far as it decides whether one may be sent now."""

    last_said: datetime | None = None
    """When the person last said something, anywhere."""
    waiting: bool = False
    """Whether something they said is not answered yet."""
    sent: tuple[datetime, ...] = ()
    """When the last check-ins were sent (or may have been), oldest first; 10 at most."""
    unanswered: int = 0
    """How many were sent, one after the other, since the person last wrote to the companion in a DM."""
    refused: bool = False
    """Whether the platform refused the last one, and the person has not written since."""
    helped: datetime | None = None
    """When the person was last given a crisis line."""
    agreed: bool = True
    """Whether what they say is remembered."""
    minor: bool = False
    held: bool = False
    """Whether the owner has stopped all check-ins."""


@dataclass(frozen=True, slots=True)
class Character:
    """A personality type (CareAgent, of 16), of a person. A weak signal: it flavours the tone and is no fact."""

    speaker_id: str
    type: str
    """Four letters such as "INFP"; empty: none known."""
    guessed: bool = True
    """False: the person said so themselves."""
    off: bool = False
    """Whether the person wants no type guessed."""
    stability: float = 0.0
    """Share of samples of the person's utterances that give the same type; 0 when the person said it."""
    sources: tuple[int, ...] = ()
    """Ids of the utterances that it was guessed from."""
