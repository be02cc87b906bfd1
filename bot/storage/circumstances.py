"""What has happened between a person and the companion, as far as check-ins ask, read from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import CheckInState, Circumstances
from bot.storage.audience import identities_of
from bot.storage.care_rows import ARRIVED_PERHAPS, dm_with, may_have_been_seen, select_checkins, standing
from bot.storage.care_tables import checkin_wishes, checkins
from bot.storage.decisions import person_of
from bot.storage.tables import PENDING, inbox, meta, utterances

HELD = "checkins_held"
"""The key in `meta` that is there while the owner has stopped all check-ins."""

SENT = 10
"""How many of the last check-ins count by their time."""

LOOKED_AT = 200
"""How many of the last check-ins are looked at."""


async def circumstances(connection: AsyncConnection, speaker_id: str, now: datetime) -> Circumstances:
    """What has happened so far. What is dated after `now` counts as now."""
    people = await identities_of(connection, speaker_id)
    last_said, in_dm = await last_said_by(connection, people), await _last_in_dms(connection, people)
    rows = await _composed(connection, people)
    on_its_way = {CheckInState.COMPOSED, CheckInState.SENDING}
    sent = [row.said_at for row in rows if standing(row)[0] in on_its_way or may_have_been_seen(*standing(row))]
    person = checkin_wishes.c.person_id == await person_of(connection, speaker_id)
    return Circumstances(
        last_said=_up_to(now, last_said),
        waiting=await is_waiting(connection, people),
        sent=tuple(min(one, now) for one in reversed(sent[:SENT])),
        unanswered=_unanswered(rows, in_dm),
        refused=_refused(rows, in_dm),
        helped=_up_to(now, await connection.scalar(select(checkin_wishes.c.helped).where(person))),
        held=await is_held(connection),
    )


async def last_said_by(connection: AsyncConnection, people: Sequence[str]) -> datetime | None:
    """When one of these said something last, anywhere."""
    query = select(func.max(utterances.c.time)).where(utterances.c.speaker_id.in_(people))
    found: datetime | None = await connection.scalar(query)
    return found


async def is_waiting(connection: AsyncConnection, people: Sequence[str]) -> bool:
    """Whether something that one of these said is not dealt with."""
    pending = select(inbox.c.utterance_id).join(utterances, utterances.c.id == inbox.c.utterance_id)
    theirs = pending.where(inbox.c.state == PENDING, utterances.c.speaker_id.in_(people))
    return await connection.scalar(theirs.limit(1)) is not None


async def is_held(connection: AsyncConnection) -> bool:
    """Whether the owner has stopped all check-ins."""
    return await connection.scalar(select(meta.c.value).where(meta.c.key == HELD)) is not None


async def _last_in_dms(connection: AsyncConnection, people: Sequence[str]) -> datetime | None:
    """When one of these wrote to the companion last in a DM."""
    found: list[datetime] = []
    for person in people:
        in_dm = (utterances.c.speaker_id == person, utterances.c.place_key == dm_with(person).key)
        last = await connection.scalar(select(func.max(utterances.c.time)).where(*in_dm))
        if last is not None:
            found.append(last)
    return max(found, default=None)


async def _composed(connection: AsyncConnection, people: Sequence[str]) -> Sequence[Row[*tuple[Any, ...]]]:
    """The last check-ins with these people that got words and were not withdrawn, the latest first."""
    theirs = (checkins.c.speaker_id.in_(people), checkins.c.said_at.is_not(None), checkins.c.state != "skipped")
    query = select_checkins().where(*theirs).order_by(checkins.c.said_at.desc(), checkins.c.id.desc())
    found: Sequence[Row[*tuple[Any, ...]]] = (await connection.execute(query.limit(LOOKED_AT))).all()
    return found


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


def _up_to(now: datetime, time: datetime | None) -> datetime | None:
    return None if time is None else min(time, now)
