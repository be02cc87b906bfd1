"""Background work in SQL."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta

from sqlalchemy import and_, bindparam, func, or_, select

from bot.domain import Job, JobKind
from bot.storage.engine.database import Database, put
from bot.storage.engine.fencing import fenced
from bot.storage.engine.store import Store
from bot.storage.shared.rows import end_job
from bot.storage.shared.tables import jobs, token_usage

# Asked for all the time, so they are put together once.
_due = and_(jobs.c.state == "due", or_(jobs.c.due_at.is_(None), jobs.c.due_at <= bindparam("now")))
_ran_out = and_(jobs.c.state == "leased", jobs.c.lease_until <= bindparam("now"))
_TAKEN_BACK = jobs.update().where(_ran_out).values(state="due", due_at=None, lease_until=None)
_OLDEST_DUE = (
    select(jobs.c.id, jobs.c.subject, jobs.c.attempts)
    .where(_due, jobs.c.kind == bindparam("kind"))
    .order_by(jobs.c.id)
    .limit(1)
)
_SPENT = select(token_usage.c.tokens).where(token_usage.c.day == bindparam("day"))


class SqlJobs(Store):
    """Implements `bot.ports.Jobs`. A job without `due_at` is due at once."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._last_kind: JobKind | None = None

    async def claim(self, now: datetime, lease: timedelta, kinds: Collection[JobKind] = tuple(JobKind)) -> Job | None:
        """The oldest due job of these kinds, of another than the last one's if there is one.

        So no kind waits for all of another.
        """
        if self._database.on_server and not await self._any(now, kinds):
            return None  # asked often, by several processes: whoever finds nothing keeps no writer waiting
        async with self._database.writing() as connection:
            await connection.execute(_TAKEN_BACK, {"now": now})
            for kind in self._in_turn(kinds):
                row = (await connection.execute(_OLDEST_DUE, {"kind": kind.value, "now": now})).one_or_none()
                if row is None:
                    continue
                leased = jobs.update().where(jobs.c.id == row.id)
                values = {"state": "leased", "attempts": row.attempts + 1, "lease_until": now + lease}
                await connection.execute(leased.values(values))
                self._last_kind = kind
                return Job(kind, row.subject, row.id, row.attempts + 1)
        return None

    def holding(self, job: Job) -> AbstractContextManager[None]:
        """A fence: the job's row, as long as no later attempt has begun."""
        return fenced(select(jobs.c.id).where(jobs.c.id == job.id, jobs.c.attempts == job.attempts))

    async def done(self, job_id: int) -> None:
        async with self._database.writing() as connection:
            await end_job(connection, job_id)

    async def retry(self, job_id: int, at: datetime, reason: str) -> None:
        """Puts a job back, due again at `at`. `reason`: the error's class, no words of people."""
        await self._put_back(job_id, state="due", due_at=at, lease_until=None, reason=reason)

    async def give_up(self, job_id: int, reason: str) -> None:
        """Sets a job aside for good. `reason`: the error's class, no words of people."""
        await self._put_back(job_id, state="failed", due_at=None, lease_until=None, reason=reason)

    async def release_all(self) -> int:
        """Makes every leased or waiting job due now."""
        waiting = and_(jobs.c.state == "due", jobs.c.due_at.is_not(None))
        released = jobs.update().where(or_(jobs.c.state == "leased", waiting))
        return await self._write(released.values(state="due", due_at=None, lease_until=None))

    async def waiting(self) -> int:
        query = select(func.count()).select_from(jobs).where(jobs.c.state.in_(("due", "leased")))
        return int(await self._value(query) or 0)

    async def spend_tokens(self, day: date, tokens: int) -> int:
        if tokens == 0:
            return int(await self._value(_SPENT, {"day": day}) or 0)
        async with self._database.writing() as connection:
            spent = (await connection.scalar(_SPENT, {"day": day}) or 0) + tokens
            await put(connection, token_usage, {"day": day, "tokens": spent})
        return spent

    async def _any(self, now: datetime, kinds: Collection[JobKind]) -> bool:
        of_them = jobs.c.kind.in_([kind.value for kind in kinds])
        found = select(jobs.c.id).where(or_(_ran_out, and_(_due, of_them))).limit(1)
        return await self._value(found, {"now": now}) is not None

    def _in_turn(self, wanted: Collection[JobKind]) -> list[JobKind]:
        """These kinds, those after the last one first."""
        kinds = list(JobKind)
        start = 0 if self._last_kind is None else kinds.index(self._last_kind) + 1
        return [kind for kind in kinds[start:] + kinds[:start] if kind in wanted]

    async def _put_back(self, job_id: int, **values: object) -> None:
        """Changes a job that has not ended; one that has stays as it is."""
        update = jobs.update().where(jobs.c.id == job_id, jobs.c.state.in_(("due", "leased")))
        await self._write(update.values(**values))
