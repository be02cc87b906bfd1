"""What tests look up, or put there, in the stores, and the program never does."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import text

from bot.domain import Job, Place, Scope, Session, Spending
from bot.ports import Jobs, Sessions, Usage, VectorIndex
from bot.storage.conversation.committing import count_tokens
from bot.storage.conversation.jobs import SqlJobs
from bot.storage.conversation.sessions import SqlSessions
from bot.storage.conversation.usage import SqlUsage
from bot.storage.shared import rows
from bot.storage.shared.tables import sessions as session_rows
from bot.storage.vectors.chroma import ChromaVectorIndex
from bot.storage.vectors.matrix import EMPTY
from bot.storage.vectors.memory import NumpyVectorIndex
from bot.storage.vectors.pgvector import PgVectorIndex


async def vectors_in(index: VectorIndex, scope: Scope) -> int:
    """How many vectors a scope has: in Chroma's folder, or wherever they are."""
    if isinstance(index, ChromaVectorIndex):
        return len(await index.ids(scope))
    if isinstance(index, NumpyVectorIndex):
        return len(index._scopes.get(scope, EMPTY).ids)
    assert isinstance(index, PgVectorIndex)
    counting = text("SELECT count(*) FROM vectors WHERE kind = :kind AND place_key = :place_key")
    return int(await index._value(counting, {"kind": scope.kind.value, "place_key": scope.place_key}))


async def add_jobs(jobs: Jobs, new: Sequence[Job]) -> None:
    """Makes jobs that are due, but no second one of the same kind for a subject."""
    assert isinstance(jobs, SqlJobs)
    async with jobs._database.writing() as connection:
        await rows.add_jobs(connection, new)


async def open_session(sessions: Sessions, place: Place) -> Session | None:
    """The session that is open in a place."""
    assert isinstance(sessions, SqlSessions)
    is_open = (session_rows.c.place_key == place.key, session_rows.c.state == "open")
    found = await sessions._column(session_rows.select().with_only_columns(session_rows.c.id).where(*is_open))
    return await sessions.get(found[0]) if found else None


async def spend(usage: Usage, day: date, subjects: Sequence[str], tokens: int) -> dict[str, int]:
    """Counts tokens for each of these subjects, as a reply does; their sums of that day."""
    assert isinstance(usage, SqlUsage)
    if subjects:
        async with usage._database.writing() as connection:
            await count_tokens(connection, Spending(day, tuple(subjects), tokens))
    return await usage.spent(day, subjects)
