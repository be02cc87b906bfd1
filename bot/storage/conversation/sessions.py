"""Short-term memory in SQL (LD-Agent eq. 4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Row, bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Job, JobKind, Place, Session, SessionLimits, Utterance
from bot.errors import StorageError
from bot.storage.engine.database import Database
from bot.storage.engine.store import Store
from bot.storage.shared.rows import (
    add_jobs,
    awaits_answer,
    insert_one,
    part,
    read_session,
    select_utterances,
    to_utterance,
)
from bot.storage.shared.tables import OPEN, PENDING, inbox, sessions, utterances

_here = utterances.alias("here")
_of_it = select(_here.c.session_id).where(_here.c.id == bindparam("id")).scalar_subquery()
_up_to = select(_here.c.position).where(_here.c.id == bindparam("id")).scalar_subquery()
_UP_TO = (
    select_utterances()
    .where(utterances.c.session_id == _of_it, utterances.c.position <= _up_to)
    .order_by(utterances.c.position)
)
"""A session up to one of its utterances. It is read for every reply, so it is put together once."""

_OPEN_HERE = select(
    sessions.c.id,
    sessions.c.last,
    sessions.c.words,
    part("position", func.max(utterances.c.position), utterances.c.session_id == sessions.c.id),
).where(sessions.c.place_key == bindparam("place"), sessions.c.state == OPEN)

_pending = select(utterances.c.id).join(inbox, inbox.c.utterance_id == utterances.c.id).where(inbox.c.state == PENDING)
"""The utterances that are not dealt with yet."""

_SPOKEN = select(sessions.c.id).where(sessions.c.state == OPEN, ~awaits_answer()).limit(1)

_IDLE = (
    select(sessions.c.id)
    .where(
        sessions.c.state == OPEN,
        or_(sessions.c.last < bindparam("before"), sessions.c.last > bindparam("after")),
        sessions.c.place_key.not_in(_pending.with_only_columns(utterances.c.place_key)),
        or_(~awaits_answer(), sessions.c.last < bindparam("unanswered"), sessions.c.last > bindparam("after")),
    )
    .order_by(sessions.c.last, sessions.c.id)
)


@dataclass(frozen=True, slots=True)
class OpenHere:
    """The session that is open in a place. `following`: the position of what comes next in it."""

    id: int
    last: datetime
    words: int
    following: int

    def takes(self, utterance: Utterance, limits: SessionLimits) -> bool:
        """Whether something said now is part of it, as far as gap and length say."""
        return abs(utterance.time - self.last) <= limits.beta and self.words <= limits.max_words

    async def grow(self, connection: AsyncConnection, utterance: Utterance) -> None:
        """Counts one more utterance in."""
        values = {"last": max(self.last, utterance.time), "words": self.words + len(utterance.text.split())}
        await connection.execute(sessions.update().where(sessions.c.id == self.id).values(values))


class SqlSessions(Store):
    """Implements `bot.ports.Sessions`. "Order of arrival" is the order in which utterances were put in.

    `answer`: how long a session that a check-in opened waits for the first word of a person.
    """

    def __init__(self, database: Database, answer: timedelta = timedelta(days=3)) -> None:
        super().__init__(database)
        self._answer = answer

    async def append(self, utterance: Utterance, beta: timedelta, max_words: int) -> Session:
        """Puts a stored utterance into its place's open session, unless it lies over `beta` before or after the last.

        Raises StorageError when the utterance is not stored (it may have been erased since).
        """
        if utterance.session_id:  # `Inbox.accept` has put it there
            lines = [to_utterance(row) for row in await self._rows(_UP_TO, {"id": utterance.id})]
            if lines:
                return Session(lines[0].session_id, lines[0].place, tuple(lines))
        async with self._database.writing() as connection:
            placed = await self._placed(connection, utterance)
            limits = SessionLimits(beta, max_words)
            session_id, position = placed or await self.put(connection, utterance, limits)
            session = await read_session(connection, session_id, up_to=position)
        if session is None:
            raise StorageError(f"Utterance {utterance.id} is not stored any more, so it has no session.")
        return session

    async def any_open(self) -> bool:
        """Whether a session is open in which somebody has spoken: not one with a check-in alone."""
        return await self._value(_SPOKEN) is not None

    async def get(self, session_id: int) -> Session | None:
        """A session with its utterances; None when there is none, or nothing is left in it."""
        async with self._database.reading() as connection:
            return await read_session(connection, session_id)

    async def close_idle(self, before: datetime, after: datetime) -> int:
        """Closes the open sessions that ended before `before` or after `after`, where nothing is pending.

        Those in which nobody has answered a check-in are left open for as long as is waited for that.
        """
        times = {"before": before, "after": after, "unanswered": before - self._answer}
        async with self._database.writing() as connection:
            ids = (await connection.execute(_IDLE, times)).scalars().all()
            for session_id in ids:
                await close_session(connection, session_id)
        return len(ids)

    async def close(self, place: Place) -> bool:
        """Closes the open session of `place` now. False when there was none, or something of `place` is pending."""
        waiting = _pending.where(utterances.c.place_key == place.key).limit(1)
        async with self._database.writing() as connection:
            row = await _open_row(connection, place.key)
            if row is None or await connection.scalar(waiting) is not None:
                return False
            await close_session(connection, row.id)
        return True

    async def put_on_record(self, speaker_ids: Sequence[str]) -> int:
        """What these people said off the record in open sessions, or what waits, is kept after all: its traits too.

        Not what they said while they had paused or refused.
        """
        is_open = select(sessions.c.id).where(sessions.c.state == OPEN)
        unfinished = or_(utterances.c.session_id.is_(None), utterances.c.session_id.in_(is_open))
        chosen = (utterances.c.speaker_id.in_(speaker_ids), utterances.c.off_record, ~utterances.c.refused, unfinished)
        async with self._database.writing() as connection:
            ids = (await connection.execute(select(utterances.c.id).where(*chosen))).scalars().all()
            await connection.execute(utterances.update().where(*chosen).values(off_record=False))
            await add_jobs(connection, [Job(JobKind.TRAITS, subject=one) for one in ids])
        return len(ids)

    async def off_record_left(self, before: datetime) -> list[int]:
        """What was said off the record before then, in whatever state, and what of it is in no open session."""
        is_open = select(sessions.c.id).where(sessions.c.state == OPEN)
        waiting = select(inbox.c.utterance_id).where(inbox.c.state == PENDING)
        over = utterances.c.session_id.is_not(None) & utterances.c.session_id.not_in(is_open)
        aside = utterances.c.session_id.is_(None) & utterances.c.id.not_in(waiting)
        query = select(utterances.c.id).where(utterances.c.off_record, or_(utterances.c.time < before, over, aside))
        return list(await self._column(query.order_by(utterances.c.id)))

    async def _placed(self, connection: AsyncConnection, utterance: Utterance) -> tuple[int, int] | None:
        """The session and position of an utterance that has them already."""
        columns = select(utterances.c.session_id, utterances.c.position).where(utterances.c.id == utterance.id)
        row = (await connection.execute(columns)).one_or_none()
        if row is None:
            raise StorageError(f"Utterance {utterance.id} is not stored, so it cannot be put into a session.")
        return None if row.session_id is None else (row.session_id, row.position)

    async def put(self, connection: AsyncConnection, utterance: Utterance, limits: SessionLimits) -> tuple[int, int]:
        """Puts a stored utterance that is in no session into one; returns the session and the position in it."""
        row = (await connection.execute(_OPEN_HERE, {"place": utterance.place.key})).one_or_none()
        current = None if row is None else found_open(row.id, row.last, row.words, row.position)
        if current is not None and (
            current.takes(utterance, limits) or await self._answers(connection, current, utterance, limits.beta)
        ):
            placed = {"session_id": current.id, "position": current.following}
            await connection.execute(utterances.update().where(utterances.c.id == utterance.id).values(placed))
            await current.grow(connection, utterance)
            return current.id, current.following
        return await begin_session(connection, utterance.id, utterance)

    async def _answers(
        self, connection: AsyncConnection, current: OpenHere, utterance: Utterance, beta: timedelta
    ) -> bool:
        """Whether this is the first word of a person in a session that a check-in opened, and in time for that."""
        if utterance.speaker.is_agent or not beta < utterance.time - current.last <= self._answer:
            return False
        waiting = select(sessions.c.id).where(sessions.c.id == current.id, awaits_answer())
        return await connection.scalar(waiting) is not None


def found_open(session_id: int | None, last: datetime, words: int, position: int | None) -> OpenHere | None:
    """The open session from what was read of it; `position`: that of its last utterance. None: there is none."""
    if session_id is None:
        return None
    return OpenHere(session_id, last, words, 0 if position is None else position + 1)


async def begin_session(connection: AsyncConnection, utterance_id: int, utterance: Utterance) -> tuple[int, int]:
    """Opens a session of its place with a stored utterance, and closes the one that is open there, with its jobs.

    Returns the session and the position of the utterance in it.
    """
    current = await _open_row(connection, utterance.place.key)
    if current is not None:
        await close_session(connection, current.id)
    new = {"place_key": utterance.place.key, "state": OPEN, **_extent([utterance])}
    session_id = await insert_one(connection, sessions, new)
    placed = {"session_id": session_id, "position": 0}
    await connection.execute(utterances.update().where(utterances.c.id == utterance_id).values(placed))
    return session_id, 0


async def begin_again(connection: AsyncConnection, utterance_id: int) -> int | None:
    """Closes the open session of an utterance before it, with its jobs; it and what follows are in a new one.

    Returns the new session. None, and nothing changes, where the utterance is in no open session, or no person said
    anything before it there.
    """
    columns = select(utterances.c.session_id, utterances.c.position, sessions.c.place_key)
    query = columns.join(sessions).where(utterances.c.id == utterance_id, sessions.c.state == OPEN)
    found = (await connection.execute(query)).one_or_none()
    if found is None:
        return None
    whole = await read_session(connection, found.session_id)
    before = await read_session(connection, found.session_id, up_to=found.position - 1)
    if whole is None or before is None or all(line.speaker.is_agent for line in before.utterances):
        return None
    after = whole.utterances[len(before.utterances) :]
    of_it = sessions.update().where(sessions.c.id == found.session_id)
    await connection.execute(of_it.values(_extent(before.utterances)))
    await close_session(connection, found.session_id)
    new = {"place_key": found.place_key, "state": OPEN, **_extent(after)}
    session_id = await insert_one(connection, sessions, new)
    moved = (utterances.c.session_id == found.session_id, utterances.c.position >= found.position)
    await connection.execute(utterances.update().where(*moved).values(session_id=session_id))
    return session_id


def _extent(lines: Sequence[Utterance]) -> dict[str, datetime | int]:
    """From when to when a session of these lines goes, and how many words it has."""
    times = [line.time for line in lines]
    return {"started": min(times), "last": max(times), "words": sum(len(line.text.split()) for line in lines)}


async def _open_row(connection: AsyncConnection, place_key: str) -> Row[int, datetime, int] | None:
    columns = select(sessions.c.id, sessions.c.last, sessions.c.words)
    query = columns.where(sessions.c.place_key == place_key, sessions.c.state == OPEN)
    return (await connection.execute(query)).one_or_none()


async def close_session(connection: AsyncConnection, session_id: int) -> None:
    """Closes a session, with the jobs that make memories of it: none of a check-in that nobody answered."""
    of_it = sessions.c.id == session_id
    await connection.execute(sessions.update().where(of_it).values(state="closed"))
    if await connection.scalar(select(sessions.c.id).where(of_it, awaits_answer())) is None:
        await add_jobs(connection, [Job(JobKind.SUMMARISE, session_id), Job(JobKind.ARCHIVE, session_id)])
