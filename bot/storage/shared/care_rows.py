"""Check-ins and personality types as rows: what the stores share, and what becomes of them with their person or words.

What a person chose, and their personality type, stand under the id of the person, as in `privacy`. A check-in stands
under the identity in whose DM it is, so that nothing of it changes when identities are linked or parted.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, time
from typing import Any

import structlog
from sqlalchemy import Row, Select, Table, Text, and_, literal_column, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import CareScores, CareWishes, CheckIn, CheckInState, Composed, Place, Why
from bot.domain.text import well_formed
from bot.storage.engine.database import insert_new
from bot.storage.shared.care_tables import character_sources, characters, checkin_wishes, checkin_words, checkins
from bot.storage.shared.closure import gone_utterances
from bot.storage.shared.rows import column_among, write_among
from bot.storage.shared.tables import outbox, outbox_parts

UNCERTAIN = "uncertain"
RESTORED = "restored"
ARRIVED_PERHAPS = (UNCERTAIN, RESTORED)
"""The codes of failures after which a message may be there all the same: it was sent, and the answer to that was lost;
it came back with a backup (`loading.py`), and had probably been sent since."""

CLAIMED = literal_column("'claimed'", Text)
COMPOSED = literal_column("'composed'", Text)
SKIPPED = literal_column("'skipped'", Text)
"""Written into the SQL and not bound: SQLite uses a partial index only where it can see the value."""

_PART = select(outbox_parts.c.outgoing_id).where(outbox_parts.c.outgoing_id == outbox.c.id)

HAS_ARRIVED = _PART.correlate(outbox).exists().label("has_arrived")
"""Whether a part of an utterance in the outbox has arrived."""

WAS_SENT = or_(checkins.c.state == "sent", and_(checkins.c.state == COMPOSED, outbox.c.state == "sent"))
"""Of a row of `select_checkins`: whether it was sent, as `standing` says."""

_UNERRING = {"ready": CheckInState.COMPOSED, "sending": CheckInState.SENDING, "sent": CheckInState.SENT}
"""What the state of an utterance in the outbox says of its check-in; every other one: it failed."""


_log = structlog.get_logger(__name__)


_AS_IT_IS = ("offered", "zone", "every_days", "paused_until", "next_at")
"""What wishes and their row have under the same name."""


def wishes_row(person_id: str, wishes: CareWishes) -> dict[str, Any]:
    """The columns of what a person chose. ValueError when the place is no DM."""
    speaker_id = None if wishes.place is None else wishes.place.dm_person
    if wishes.place is not None and speaker_id is None:
        raise ValueError("check-ins are sent to a DM")
    return {
        "person_id": person_id,
        "speaker_id": speaker_id,
        "wanted": wishes.on,
        "times": " ".join(one.isoformat() for one in wishes.times),
        "days": " ".join(str(one) for one in wishes.days),
        "quiet": None if wishes.quiet is None else " ".join(one.isoformat() for one in wishes.quiet),
        **{name: getattr(wishes, name) for name in _AS_IT_IS},
    }


def to_wishes(row: Row[*tuple[Any, ...]], speaker_id: str = "") -> CareWishes:
    """A row of `checkin_wishes`, for this id; without one, for the identity in whose DM they come."""
    quiet = None
    if row.quiet is not None:
        begin, end = (time.fromisoformat(one) for one in row.quiet.split())
        quiet = (begin, end)
    return CareWishes(
        speaker_id=speaker_id or row.speaker_id or row.person_id,
        on=row.wanted,
        place=None if row.speaker_id is None else Place.dm_with(row.speaker_id),
        times=tuple(time.fromisoformat(one) for one in row.times.split()),
        days=tuple(int(one) for one in row.days.split()),
        quiet=quiet,
        **{name: getattr(row, name) for name in _AS_IT_IS},
    )


def legible(rows: Iterable[Row[*tuple[Any, ...]]]) -> list[CareWishes]:
    """Those of these rows of `checkin_wishes` that can be read: one that somebody has spoilt stops nobody else's."""
    found: list[CareWishes] = []
    for row in rows:
        try:
            found.append(to_wishes(row))
        except ValueError as error:
            _log.error("a row of checkin_wishes cannot be read", error=type(error).__name__)
    return found


def select_checkins() -> Select[Any]:
    """The columns that `to_checkin` needs."""
    of_outbox = (outbox.c.state.label("outbox_state"), outbox.c.reason.label("outbox_reason"))
    return select(checkins, *of_outbox).outerjoin(outbox, outbox.c.utterance_id == checkins.c.utterance_id)


def standing(row: Row[*tuple[Any, ...]]) -> tuple[CheckInState, str]:
    """How far a row of `select_checkins` has come, and the code of its failure."""
    if row.state != "composed":
        return CheckInState(row.state), row.failure or ""
    state = _UNERRING.get(row.outbox_state, CheckInState.FAILED)
    return state, (row.outbox_reason or "") if state is CheckInState.FAILED else ""


def to_checkin(row: Row[*tuple[Any, ...]]) -> CheckIn:
    """A check-in from a row of `select_checkins`."""
    state, failure = standing(row)
    has_scores = row.total is not None
    scores = CareScores(row.importance, row.balance, row.freshness, row.total) if has_scores else None
    return CheckIn(
        id=row.id,
        speaker_id=row.speaker_id,
        place=Place.dm_with(row.speaker_id),
        due=row.due,
        state=state,
        why=None if row.why is None else Why(row.why),
        failure=failure,
        attempts=row.attempts,
        farewell=row.farewell,
        scores=scores,
        utterance_id=row.utterance_id or 0,
        sent_at=row.said_at if state is CheckInState.SENT else None,
    )


def composed_values(utterance_id: int, at: datetime, composed: Composed) -> dict[str, Any]:
    """The columns of a check-in that has words."""
    said = {"utterance_id": utterance_id, "said_at": at, "farewell": composed.farewell}
    scores = {} if composed.scores is None else asdict(composed.scores)
    return {"state": "composed", "lease_until": None, **said, **scores}


def words_row(checkin_id: int, utterance_id: int, composed: Composed) -> dict[str, Any]:
    """The row of what it is about."""
    words = {"background": well_formed(composed.background), "intention": well_formed(composed.intention)}
    alone = numbers({*dict(composed.toned_by)} - {*dict(composed.sources)})
    return {"checkin_id": checkin_id, "utterance_id": utterance_id, "toned_by": alone} | words


def numbers(ids: Collection[int]) -> str:
    """Ids as they stand in one column: `numbered` reads them."""
    return " ".join(map(str, sorted(ids)))


def numbered(ids: str) -> tuple[int, ...]:
    """The ids of a column that `numbers` has written."""
    return tuple(map(int, ids.split()))


def may_have_been_seen(state: CheckInState, failure: str) -> bool:
    """Whether the person may have seen a check-in that has come so far."""
    if state is CheckInState.FAILED:
        return failure in ARRIVED_PERHAPS
    return state in {CheckInState.SENDING, CheckInState.SENT}


async def join_care(connection: AsyncConnection, person: str, other: str) -> None:
    """Has the wishes and the personality type of `other` be those of `person`, who is the same one from now on.

    Of two, the wishes with check-ins on win, else those of `person`; of two types, the choice that none is guessed,
    else one that was told, else that of `person`.
    """
    wishes = await _of_both(connection, checkin_wishes, (person, other))
    if wishes:
        both: dict[str, Any] = {"offered": any(row.offered for row in wishes)}
        for name in ("helped", "last_said_at", "answered_at"):
            times = (getattr(row, name) for row in wishes)
            both[name] = max((time for time in times if time is not None), default=None)
        kept = max(wishes, key=lambda row: bool(row.wanted))
        await _keep(connection, checkin_wishes, [row.person_id for row in wishes], kept.person_id, person, both)
    types = await _of_both(connection, characters, (person, other))
    if types:
        kept = max(types, key=lambda row: (bool(row.off), not row.guessed))
        await _keep(connection, characters, [row.person_id for row in types], kept.person_id, person, {})


async def _of_both(connection: AsyncConnection, table: Table, both: tuple[str, str]) -> Sequence[Row[*tuple[Any, ...]]]:
    """The rows of these two, the first one's first."""
    rows = (await connection.execute(select(table).where(table.c.person_id.in_(both)))).all()
    return sorted(rows, key=lambda row: both.index(row.person_id))


async def _keep(
    connection: AsyncConnection, table: Table, ids: Sequence[str], kept: str, person: str, values: dict[str, Any]
) -> None:
    """Leaves one of the rows alone, under the id of the person."""
    await connection.execute(table.delete().where(table.c.person_id.in_(ids), table.c.person_id != kept))
    await connection.execute(table.update().where(table.c.person_id == kept).values(person_id=person, **values))


async def part_care(connection: AsyncConnection, person: str, ids: Collection[str]) -> None:
    """Leaves wishes with the identity in whose DM they come, and what was told about a personality type with each.

    A type that was guessed from what all of them said goes. That they were given a crisis line holds for each.
    """
    of_all = select(checkin_wishes.c.helped).where(checkin_wishes.c.person_id == person)
    helped = await connection.scalar(of_all)
    mine = checkin_wishes.update().where(checkin_wishes.c.person_id == person, checkin_wishes.c.speaker_id.in_(ids))
    await connection.execute(mine.values(person_id=checkin_wishes.c.speaker_id))
    if helped is not None:
        await insert_new(connection, checkin_wishes, [{"person_id": one, "helped": helped} for one in ids])
    of_person = characters.c.person_id == person
    row = (await connection.execute(select(characters).where(of_person))).one_or_none()
    if row is None:
        return
    await connection.execute(characters.delete().where(of_person))
    if row.off or not row.guessed:
        told = {"type": "" if row.guessed else row.type, "guessed": row.guessed, "off": row.off}
        await insert_new(connection, characters, [{"person_id": one} | told for one in ids])


async def erase_care(connection: AsyncConnection, people: Sequence[str]) -> int:
    """Removes the check-ins and what was chosen of these identities, of whom nothing is left that was said.

    Where other identities of a person stay, so does what that person chose, but for the DM that is not there any more.
    Returns how many settings went.
    """
    await write_among(connection, checkins.delete(), checkins.c.speaker_id, people)
    tables = (checkin_wishes, characters)
    settings = [await write_among(connection, table.delete(), table.c.person_id, people) for table in tables]
    nowhere = checkin_wishes.update().values(speaker_id=None, wanted=False, next_at=None)
    await write_among(connection, nowhere, checkin_wishes.c.speaker_id, people)
    return sum(settings)


async def words_that_go(connection: AsyncConnection) -> set[str]:
    """What stands beside check-ins whose utterances are chosen to be erased."""
    columns = select(checkin_words.c.background, checkin_words.c.intention)
    rows = await connection.execute(columns.where(checkin_words.c.utterance_id.in_(select(gone_utterances.c.id))))
    return {words for row in rows for words in row}


async def settle_gone(connection: AsyncConnection) -> None:
    """Notes how far check-ins have come whose utterances are chosen to be erased: the outbox cannot say it any more."""
    gone = checkins.c.utterance_id.in_(select(gone_utterances.c.id))
    query = select_checkins().add_columns(HAS_ARRIVED).where(checkins.c.state == COMPOSED, gone)
    for row in (await connection.execute(query)).all():
        state, failure = standing(row)
        values: dict[str, Any] = {"state": state.value, "failure": failure or None}
        if state is not CheckInState.FAILED and row.has_arrived:
            values = {"state": "sent"}
        elif state is CheckInState.COMPOSED:
            values = {"state": "skipped", "why": Why.CHANGED.value}
        elif state is CheckInState.SENDING:
            values = {"state": "failed", "failure": UNCERTAIN}
        await connection.execute(checkins.update().where(checkins.c.id == row.id).values(values))


async def remove_characters(connection: AsyncConnection, edited: Sequence[int]) -> None:
    """Removes types that were guessed from what goes, or from these utterances, which say something else now.

    That a person wants none guessed stays.
    """
    source, guessed = character_sources.c.utterance_id, select(character_sources.c.character_id)
    of_gone = guessed.where(source.in_(select(gone_utterances.c.id)))
    found = {*await connection.scalars(of_gone), *await column_among(connection, guessed, source, edited)}
    await write_among(connection, character_sources.delete(), character_sources.c.character_id, found)
    await write_among(connection, characters.delete().where(~characters.c.off), characters.c.id, found)
    unknown = characters.update().values(type="", guessed=True, stability=0.0)
    await write_among(connection, unknown, characters.c.id, found)


def unsaid() -> Select[int]:
    """The utterances of check-ins that were withdrawn, which must be erased; in order."""
    withdrawn = (checkins.c.state == SKIPPED, checkins.c.utterance_id.is_not(None))
    return select(checkins.c.utterance_id).where(*withdrawn).order_by(checkins.c.id)


def refused_before(before: datetime) -> Iterator[Select[int]]:
    """Those that the platform refused before then, but for the last one with words of each person."""
    later = checkins.alias("later")
    newer = select(later.c.id).where(later.c.speaker_id == checkins.c.speaker_id, later.c.said_at > checkins.c.said_at)
    old = select(checkins.c.id).where(checkins.c.due < before, newer.exists())
    in_outbox = old.join(outbox, outbox.c.utterance_id == checkins.c.utterance_id)
    yield in_outbox.where(
        checkins.c.state == COMPOSED, outbox.c.state == "failed", outbox.c.reason.not_in(ARRIVED_PERHAPS)
    )
    yield old.where(checkins.c.state == "failed", checkins.c.failure.not_in(ARRIVED_PERHAPS))
