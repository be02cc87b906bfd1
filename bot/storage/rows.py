"""Rows to domain types and back: what several ports share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Job, Place, Session, Speaker, Utterance
from bot.storage.database import insert_new, put
from bot.storage.tables import jobs, places, speakers, utterances


def storable(text: str) -> str:
    """The same text without what no database takes: lone surrogates and NUL become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "\ufffd")


def select_utterances() -> Select[Any]:
    """The columns that `to_utterance` needs."""
    return select(
        utterances.c.id,
        utterances.c.place_key,
        utterances.c.message_id,
        utterances.c.speaker_id,
        utterances.c.speaker_name,
        utterances.c.text,
        utterances.c.time,
        utterances.c.to_bot,
        utterances.c.reply_to,
        utterances.c.session_id,
    )


def to_utterance(row: Row[*tuple[Any, ...]]) -> Utterance:
    """An utterance from a row of `select_utterances`."""
    return Utterance(
        place=Place.parse(row.place_key),
        message_id=row.message_id,
        speaker=Speaker(row.speaker_id, row.speaker_name),
        text=row.text,
        time=row.time,
        to_bot=row.to_bot,
        reply_to=row.reply_to,
        id=row.id,
        session_id=row.session_id or 0,
    )


def utterance_row(utterance: Utterance) -> dict[str, Any]:
    """The columns of a new utterance that is in no session yet."""
    return {
        "place_key": utterance.place.key,
        "platform": utterance.place.platform,
        "message_id": utterance.message_id,
        "speaker_id": utterance.speaker.id,
        "speaker_name": utterance.speaker.name,
        "text": utterance.text,
        "time": utterance.time,
        "to_bot": utterance.to_bot,
        "reply_to": utterance.reply_to,
    }


async def know(connection: AsyncConnection, place: Place, speaker: Speaker) -> None:
    """Makes sure that the place and the speaker have rows; the speaker's is given the name used now."""
    row = {"key": place.key, "platform": place.platform, "kind": place.kind.value, "ref": place.ref}
    await insert_new(connection, places, [row | {"server": place.server}])
    known = await connection.scalar(select(speakers.c.name).where(speakers.c.id == speaker.id))
    if known != speaker.name:
        await put(connection, speakers, {"id": speaker.id, "name": speaker.name})


async def read_session(connection: AsyncConnection, session_id: int, up_to: int | None = None) -> Session | None:
    """A session with its utterances in the order in which they were put into it, up to the position `up_to`."""
    query = select_utterances().where(utterances.c.session_id == session_id).order_by(utterances.c.position)
    if up_to is not None:
        query = query.where(utterances.c.position <= up_to)
    found = tuple(to_utterance(row) for row in await connection.execute(query))
    return Session(session_id, found[0].place, found) if found else None


async def add_jobs(connection: AsyncConnection, new: Sequence[Job]) -> None:
    """Adds jobs that are due at once; one that exists (`kind`, `subject`) is left as it is."""
    rows = [{"kind": job.kind.value, "subject": job.subject, "state": "due", "attempts": 0} for job in new]
    await insert_new(connection, jobs, rows)


async def end_job(connection: AsyncConnection, job_id: int) -> bool:
    """Ends a job that has not ended; False when it has, or is not there."""
    ended = (
        jobs.update()
        .where(jobs.c.id == job_id, jobs.c.state.in_(("due", "leased")))
        .values(state="done", due_at=None, lease_until=None, reason=None)
    )
    return (await connection.execute(ended)).rowcount > 0
