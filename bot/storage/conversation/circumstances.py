"""What has happened between a person and the companion, as far as check-ins ask, read from the rows."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import CheckInState, Circumstances, Place, PlaceKind, Utterance
from bot.storage.privacy.decisions import person_of
from bot.storage.shared.audience import identities_of
from bot.storage.shared.care_rows import ARRIVED_PERHAPS, may_have_been_seen, select_checkins, standing
from bot.storage.shared.care_tables import checkin_wishes, checkins
from bot.storage.shared.tables import PENDING, inbox, meta, utterances

HELD = "checkins_held"
"""The key in `meta` that is there while the owner has stopped all check-ins."""

SENT = 10
"""How many of the last check-ins count by their time."""

LOOKED_AT = 200
"""How many of the last check-ins are looked at."""

AHEAD = timedelta(days=1)
"""What is dated later than this from now is of a clock that was ahead."""


# Asked for whenever somebody's check-ins are looked at, so they are put together once.
_person = checkin_wishes.c.person_id == bindparam("person")
_people: BindParameter[Any] = bindparam("people", expanding=True)
_NOTED = select(checkin_wishes.c.helped, checkin_wishes.c.answered_at).where(_person)
_LAST_NOTED = select(checkin_wishes.c.last_said_at).where(_person)
_LAST_SAID = select(func.max(utterances.c.time)).where(
    utterances.c.speaker_id.in_(_people), utterances.c.time <= bindparam("until")
)
_LAST_IN_DM = select(func.max(utterances.c.time)).where(
    utterances.c.speaker_id == bindparam("speaker"),
    utterances.c.place_key == bindparam("place"),
    utterances.c.time <= bindparam("until"),
)
_WAITING = (
    select(inbox.c.utterance_id)
    .join(utterances, utterances.c.id == inbox.c.utterance_id)
    .where(inbox.c.state == PENDING, utterances.c.speaker_id.in_(_people))
    .limit(1)
)
_HELD = select(meta.c.value).where(meta.c.key == HELD)
_COMPOSED = (
    select_checkins()
    .where(checkins.c.speaker_id.in_(_people), checkins.c.said_at.is_not(None), checkins.c.state != "skipped")
    .order_by(checkins.c.said_at.desc(), checkins.c.id.desc())
    .limit(LOOKED_AT)
)


async def circumstances(connection: AsyncConnection, speaker_id: str, now: datetime) -> Circumstances:
    """What has happened so far. What is dated after `now` counts as now."""
    people = await identities_of(connection, speaker_id)
    person = await person_of(connection, speaker_id)
    noted = (await connection.execute(_NOTED, {"person": person})).one_or_none()
    last_said = await last_said_by(connection, speaker_id, people, now)
    answered = await _last_in_dms(connection, people, now + AHEAD)
    if noted is not None:
        answered = _latest(now + AHEAD, answered, noted.answered_at)
    rows = (await connection.execute(_COMPOSED, {"people": people})).all()
    on_its_way = {CheckInState.COMPOSED, CheckInState.SENDING}
    sent = [row.said_at for row in rows if standing(row)[0] in on_its_way or may_have_been_seen(*standing(row))]
    return Circumstances(
        last_said=_up_to(now, last_said),
        waiting=await is_waiting(connection, people),
        sent=tuple(min(one, now) for one in reversed(sent[:SENT])),
        unanswered=_unanswered(rows, answered),
        refused=_refused(rows, answered),
        helped=_up_to(now, None if noted is None else noted.helped),
        held=await is_held(connection),
    )


async def last_said_by(
    connection: AsyncConnection, speaker_id: str, people: Sequence[str], now: datetime
) -> datetime | None:
    """When this person, who is all of `people`, said something last, anywhere, also if that is erased.

    What is dated long after `now` was said while a clock was ahead, and counts nowhere.
    """
    until = now + AHEAD
    stored = await connection.scalar(_LAST_SAID, {"people": people, "until": until})
    noted = await connection.scalar(_LAST_NOTED, {"person": await person_of(connection, speaker_id)})
    return _latest(until, stored, noted)


async def note_said(connection: AsyncConnection, said: Utterance) -> None:
    """Notes when somebody spoke who has chosen something about check-ins: their words may be erased before the next."""
    person = checkin_wishes.c.person_id == await person_of(connection, said.speaker.id)
    values = {"last_said_at": said.time}
    if said.place.kind is PlaceKind.DM:
        values["answered_at"] = said.time
    await connection.execute(checkin_wishes.update().where(person).values(values))


async def count_anew(connection: AsyncConnection, speaker_id: str) -> None:
    """Has all check-ins up to now count as answered."""
    people = await identities_of(connection, speaker_id)
    last = select(func.max(checkins.c.said_at)).where(checkins.c.speaker_id.in_(people)).scalar_subquery()
    person = checkin_wishes.c.person_id == await person_of(connection, speaker_id)
    values = {"answered_at": func.coalesce(last, checkin_wishes.c.answered_at)}
    await connection.execute(checkin_wishes.update().where(person).values(values))


async def is_waiting(connection: AsyncConnection, people: Sequence[str]) -> bool:
    """Whether something that one of these said is not dealt with."""
    return await connection.scalar(_WAITING, {"people": people}) is not None


async def is_held(connection: AsyncConnection) -> bool:
    """Whether the owner has stopped all check-ins."""
    return await connection.scalar(_HELD) is not None


async def _last_in_dms(connection: AsyncConnection, people: Sequence[str], until: datetime) -> datetime | None:
    """When one of these wrote to the companion last in a DM."""
    found: list[datetime | None] = []
    for person in people:
        in_dm = {"speaker": person, "place": Place.dm_with(person).key, "until": until}
        found.append(await connection.scalar(_LAST_IN_DM, in_dm))
    return _latest(until, *found)


def _unanswered(rows: Sequence[Row[*tuple[Any, ...]]], since: datetime | None) -> int:
    """How many of these were sent after that time and after the last farewell: that one has drawn the line."""
    number = 0
    for row in rows:
        if not may_have_been_seen(*standing(row)):
            continue
        if row.farewell or (since is not None and row.said_at <= since):
            break
        number += 1
    return number


def _refused(rows: Sequence[Row[*tuple[Any, ...]]], since: datetime | None) -> bool:
    """Whether the platform refused the last one of these, after that time."""
    if not rows:
        return False
    state, failure = standing(rows[0])
    refused = state is CheckInState.FAILED and failure not in ARRIVED_PERHAPS
    return refused and (since is None or rows[0].said_at > since)


def _latest(until: datetime, *times: datetime | None) -> datetime | None:
    """The latest of these that is not later than `until`."""
    return max((time for time in times if time is not None and time <= until), default=None)


def _up_to(now: datetime, time: datetime | None) -> datetime | None:
    return None if time is None else min(time, now)
