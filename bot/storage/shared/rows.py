"""Rows to domain types and back: what several ports share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Delete, Label, Row, Select, Table, Update, and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import AGENT_ID, Job, JobKind, Place, Session, Speaker, Utterance, grouped
from bot.storage.engine.database import insert_new
from bot.storage.shared.tables import jobs, places, sessions, speakers, utterances

MAX_IDS = 500
"""How many ids go into one query: SQLite takes a bounded number of parameters."""

MAX_NUMBERS = 2000
"""How many, where they stand in it as numbers and not as parameters."""

CHECK_IN = "checkin:"
"""What the message ids of check-ins begin with; the number of the check-in follows."""

T = TypeVar("T")


def part(name: str, column: ColumnElement[T], *which: ColumnElement[bool]) -> Label[T | None]:
    """A column of a larger query: what the row of which all this holds has there, or NULL."""
    return select(column).where(*which).scalar_subquery().label(name)


def some_at_a_time(ids: Iterable[T], most: int = MAX_IDS) -> Iterator[list[T]]:
    """The same ids, each once and in order, in lists that one query takes."""
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), most):
        yield wanted[start : start + most]


async def rows_among(
    connection: AsyncConnection, query: Select[*tuple[Any, ...]], column: ColumnElement[Any], ids: Iterable[object]
) -> list[Row[*tuple[Any, ...]]]:
    """The rows of a query where a column has one of `ids`, however many these are: for thousands, ask in parts."""
    return [row for some in some_at_a_time(ids) for row in await connection.execute(query.where(column.in_(some)))]


async def lists_among(
    connection: AsyncConnection,
    key: ColumnElement[T],
    value: ColumnElement[Any],
    ids: Iterable[object],
    *order: ColumnElement[Any],
) -> dict[T, list[Any]]:
    """Of the rows whose `key` is one of these: key → what they have in the column `value`, in order."""
    rows = await rows_among(connection, select(key, value).order_by(key, *order), key, ids)
    return grouped((row[0], row[1]) for row in rows)


async def column_among(
    connection: AsyncConnection, query: Select[*tuple[Any, ...]], column: ColumnElement[Any], ids: Iterable[object]
) -> list[Any]:
    """What these rows have in their first column."""
    return [row[0] for row in await rows_among(connection, query, column, ids)]


async def write_among(
    connection: AsyncConnection, statement: Update | Delete, column: ColumnElement[Any], ids: Iterable[object]
) -> int:
    """Changes or deletes the rows where a column has one of `ids`; returns how many."""
    return sum([(await connection.execute(statement.where(column.in_(some)))).rowcount for some in some_at_a_time(ids)])


async def insert_one(connection: AsyncConnection, table: Table, row: Mapping[str, Any]) -> int:
    """Inserts a row; returns the id that it gets."""
    row_id: int = (await connection.execute(table.insert().values(row).returning(table.c.id))).scalar_one()
    return row_id


_number = select(speakers.c.number).where(speakers.c.id == utterances.c.speaker_id).scalar_subquery()
"""The number of an utterance's speaker: not a join, so that SQLite cannot begin with the speakers."""


def select_utterances() -> Select[Any]:
    """The columns that `to_utterance` needs."""
    needed = (column for column in utterances.c if column.name not in {"platform", "position", "refused"})
    return select(*needed, _number.label("number"))


def to_utterance(row: Row[*tuple[Any, ...]]) -> Utterance:
    """An utterance from a row of `select_utterances`."""
    return Utterance(
        place=Place.parse(row.place_key),
        message_id=row.message_id,
        speaker=Speaker(row.speaker_id, row.speaker_name, row.number),
        text=row.text,
        time=row.time,
        to_bot=row.to_bot,
        reply_to=row.reply_to,
        id=row.id,
        session_id=row.session_id or 0,
        off_record=row.off_record,
        heard_danger=row.heard_danger,
    )


def utterance_row(utterance: Utterance) -> dict[str, Any]:
    """The columns of a new utterance that is in no session yet."""
    said = {name: getattr(utterance, name) for name in _AS_IT_IS}
    by = {"speaker_id": utterance.speaker.id, "speaker_name": utterance.speaker.name}
    return {"place_key": utterance.place.key, "platform": utterance.place.platform, **by, **said}


_AS_IT_IS = ("message_id", "text", "time", "to_bot", "reply_to", "off_record", "refused")
"""What an utterance and its row have under the same name."""


async def know(connection: AsyncConnection, place: Place, speaker: Speaker, place_name: str = "") -> Speaker:
    """Makes sure that the place and the speaker have rows, with the names used now. Returns the speaker, numbered.

    A new speaker gets the next number; the caller's transaction is the only one that writes.
    """
    await know_place(connection, place, place_name)
    of_speaker = speakers.c.id == speaker.id
    row = (await connection.execute(select(speakers.c.name, speakers.c.number).where(of_speaker))).one_or_none()
    if row is None:
        number = int(await connection.scalar(select(func.max(speakers.c.number))) or 0) + 1
        await connection.execute(speakers.insert().values(id=speaker.id, name=speaker.name, number=number))
        return Speaker(speaker.id, speaker.name, number)
    if row.name != speaker.name:
        await connection.execute(speakers.update().where(of_speaker).values(name=speaker.name))
    return Speaker(speaker.id, speaker.name, row.number)


async def know_place(connection: AsyncConnection, place: Place, name: str = "", *, public: bool | None = None) -> bool:
    """Makes sure that the place has a row; an empty `name`, and `public` None, leave what it has.

    Returns whether `public` has changed: then other memories may be used than before.
    """
    query = select(places.c.name, places.c.public).where(places.c.key == place.key)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        new = {"key": place.key, "platform": place.platform, "kind": place.kind.value, "ref": place.ref}
        also = {"server": place.server, "name": name or None, "public": public}
        await connection.execute(places.insert().values(new | also))
        return public is not None
    changes: dict[str, Any] = {"name": name} if name and row.name != name else {}
    if public is not None and row.public is not public:
        changes["public"] = public
    if changes:
        await connection.execute(places.update().where(places.c.key == place.key).values(changes))
    return "public" in changes


async def all_stored(connection: AsyncConnection, ids: Iterable[int]) -> bool:
    """Whether there is an utterance for each of `ids`: none has been erased."""
    return await are_rows(connection, utterances, ids)


async def are_rows(connection: AsyncConnection, table: Table, ids: Iterable[int], *which: ColumnElement[bool]) -> bool:
    """Whether a table has a row for each of `ids`, one of those of which all of `which` holds."""
    for some in some_at_a_time(ids):
        query = select(func.count()).select_from(table).where(table.c.id.in_(some), *which)
        if await connection.scalar(query) != len(some):
            return False
    return True


async def read_session(connection: AsyncConnection, session_id: int, up_to: int | None = None) -> Session | None:
    """A session with its utterances in the order in which they were put into it, up to the position `up_to`."""
    query = select_utterances().where(utterances.c.session_id == session_id).order_by(utterances.c.position)
    if up_to is not None:
        query = query.where(utterances.c.position <= up_to)
    found = tuple(to_utterance(row) for row in await connection.execute(query))
    return Session(session_id, found[0].place, found) if found else None


def awaits_answer() -> ColumnElement[bool]:
    """Of a row of `sessions`: whether a check-in opened it, and no person has spoken in it."""
    said = select(utterances.c.id).where(utterances.c.session_id == sessions.c.id).correlate(sessions)
    by_person = said.where(utterances.c.speaker_id != AGENT_ID)
    opened = said.where(utterances.c.speaker_id == AGENT_ID, utterances.c.message_id.startswith(CHECK_IN))
    return and_(~by_person.exists(), opened.exists())


async def add_jobs(connection: AsyncConnection, new: Sequence[Job]) -> None:
    """Adds jobs that are due at once; one that exists (`kind`, `subject`) is left as it is."""
    rows = [{"kind": job.kind.value, "subject": job.subject, "state": "due", "attempts": 0} for job in new]
    await insert_new(connection, jobs, rows)


async def renew_jobs(connection: AsyncConnection, kind: JobKind, subjects: Iterable[int]) -> None:
    """Makes these jobs due now, oldest subject first, whatever became of them before.

    Each gets a new row with a new id. So whoever works on one of them meanwhile, from what was true before, ends,
    postpones and stores nothing: the id that it was given is not there any more, and no id is used twice.
    """
    wanted = sorted(set(subjects))
    await drop_jobs(connection, kind, wanted)
    await add_jobs(connection, [Job(kind, subject) for subject in wanted])


async def drop_jobs(connection: AsyncConnection, kind: JobKind, subjects: Iterable[int]) -> None:
    """Removes these jobs, also while one of them is being done."""
    await write_among(connection, jobs.delete().where(jobs.c.kind == kind.value), jobs.c.subject, subjects)


async def end_job(connection: AsyncConnection, job_id: int) -> bool:
    """Ends a job that has not ended; False when it has, or is not there."""
    ended = (
        jobs.update()
        .where(jobs.c.id == job_id, jobs.c.state.in_(("due", "leased")))
        .values(state="done", due_at=None, lease_until=None, reason=None)
    )
    return (await connection.execute(ended)).rowcount > 0
