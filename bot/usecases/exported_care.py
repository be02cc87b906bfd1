"""What `/memory export` has of check-ins and of the personality type: as programs read it. Pure."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime

from bot.domain import CareWishes, Character, CheckIn
from bot.texts import checkin

Record = Mapping[str, object]


def moment_of(time: datetime | None) -> str | None:
    """A moment as programs read it."""
    return None if time is None else time.isoformat()


def of_wishes(wishes: CareWishes) -> Record:
    """What a person chose about check-ins."""
    return {
        "on": wishes.on,
        "place": wishes.place.key if wishes.place else None,
        "was_asked": wishes.offered,
        "timezone": wishes.zone,
        "times": [checkin.clock(one) for one in wishes.times],
        "days": list(wishes.days),
        "quiet": [checkin.clock(one) for one in wishes.quiet] if wishes.quiet else None,
        "every_days": wishes.every_days,
        "paused_until": moment_of(wishes.paused_until),
        "next": moment_of(wishes.next_at),
    }


def of_character(character: Character) -> Record:
    """What is known of a personality type."""
    return {
        "type": character.type,
        "guessed": bool(character.type) and character.guessed,
        "off": character.off,
        "stability": character.stability,
        "sources": list(character.sources),
    }


def of_checkin(one: CheckIn) -> Record:
    """One check-in, without its words: these are among the utterances."""
    scores = one.scores
    return {
        "id": one.id,
        "due": moment_of(one.due),
        "state": one.state.value,
        "why": one.why.value if one.why else None,
        "failure": one.failure,
        "farewell": one.farewell,
        "sent": moment_of(one.sent_at),
        "utterance": one.utterance_id or None,
        "scores": asdict(scores) if scores else None,
    }
