"""Leases in SQL: rows of the table `leases`, whose ids are the tokens. PostgreSQL only."""

import os
import socket
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Interval, Select, and_, delete, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Lease, Place, Utterance
from bot.storage.engine import postgres
from bot.storage.engine.database import Database
from bot.storage.engine.fencing import fenced
from bot.storage.engine.store import Store
from bot.storage.shared.rows import select_utterances, to_utterance
from bot.storage.shared.sharing_tables import leases
from bot.storage.shared.tables import PENDING, inbox, utterances

PLACE = "place "
"""Before the key of a place, in the name of its lease."""

STALE = timedelta(minutes=1)
"""How long a lease that has ended is kept. What was begun under it may still be written, unless somebody took over."""


class SqlLeases(Store):
    """Implements `bot.ports.Leases`."""

    def __init__(self, database: Database, lease_s: float) -> None:
        super().__init__(database)
        self._holder = f"{socket.gethostname()} {os.getpid()}"
        self.lease_s = lease_s

    async def claim(self, names: Sequence[str], *, lasts_s: float | None = None) -> list[Lease]:
        """Those that ran out are deleted, unless something is being written under them; whoever then inserts has it."""
        if not names:
            return []
        stale = leases.c.until < _now() - literal(STALE, Interval())
        async with self._database.leasing() as connection:
            await _clear(connection, or_(leases.c.name.in_(names), stale))
            return await self._insert(connection, names, lasts_s)

    async def claim_part(self, whole: str, parts: Sequence[str], held: Collection[str]) -> Lease | None:
        """They who ask take turns, so that a whole is not divided in two ways at the same time."""
        of_it = or_(leases.c.name == whole, leases.c.name.startswith(f"{whole} ", autoescape=True))
        divided_otherwise = and_(of_it, leases.c.name.not_in(parts))
        last = select(leases.c.name).where(of_it, leases.c.until > _now())
        async with self._database.leasing() as connection:
            if not await connection.scalar(select(func.pg_try_advisory_xact_lock(postgres.PARTS))):
                return None  # whoever asks in vain asks again, and no process that hangs here keeps all from it
            taken = {*(await connection.execute(last)).scalars()}
            name = next((part for part in parts if part not in taken and part not in held), None)
            if name is None or taken.difference(parts):
                return None
            await _clear(connection, or_(leases.c.name == name, divided_otherwise))
            if await connection.scalar(select(leases.c.id).where(divided_otherwise).limit(1)) is not None:
                return None  # something is being written under it
            return next(iter(await self._insert(connection, [name])), None)

    async def renew(self, held: Sequence[Lease], *, lasts_s: float | None = None) -> list[Lease]:
        """Those whose row is still there."""
        lasting = update(leases).where(leases.c.id.in_(_tokens(held))).values(until=self._until(lasts_s))
        async with self._database.leasing() as connection:
            kept = set((await connection.execute(lasting.returning(leases.c.id))).scalars())
        return [lease for lease in held if lease.token in kept]

    async def release(self, held: Sequence[Lease]) -> None:
        """They are over now, and their rows go with a later claim."""
        async with self._database.leasing() as connection:
            await connection.execute(update(leases).where(leases.c.id.in_(_tokens(held))).values(until=_now()))

    def holding(self, lease: Lease) -> AbstractContextManager[None]:
        """A fence: the lease's own row."""
        return fenced(select(leases.c.id).where(leases.c.id == lease.token))

    async def _insert(
        self, connection: AsyncConnection, names: Sequence[str], lasts_s: float | None = None
    ) -> list[Lease]:
        rows = [{"name": name, "holder": self._holder, "until": self._until(lasts_s)} for name in sorted({*names})]
        taken = insert(leases).values(rows).on_conflict_do_nothing().returning(leases.c.name, leases.c.id)
        return [Lease(row.name, row.id) for row in await connection.execute(taken)]

    def _until(self, lasts_s: float | None = None) -> ColumnElement[datetime]:
        seconds = self.lease_s if lasts_s is None else lasts_s
        return _now() + literal(timedelta(seconds=seconds), Interval())


class SqlClaims(Store):
    """Implements `bot.ports.Claims`."""

    def __init__(self, database: Database, held: SqlLeases) -> None:
        super().__init__(database)
        self._leases = held

    async def claim(self, most: int) -> dict[Place, Lease]:
        """Looks for places without a lock, and then asks for their leases: another process may be quicker."""
        name = literal(PLACE) + utterances.c.place_key
        theirs = select(leases.c.id).where(leases.c.name == name, leases.c.until > _now())
        has_one = theirs.correlate(utterances).exists()
        places = _waiting().with_only_columns(utterances.c.place_key).where(~has_one).group_by(utterances.c.place_key)
        keys = await self._column(places.order_by(func.min(utterances.c.id)).limit(most))
        found = await self._leases.claim([f"{PLACE}{key}" for key in keys])
        return {Place.parse(lease.name.removeprefix(PLACE)): lease for lease in found}

    async def waiting(self, places: Sequence[Place]) -> list[Utterance]:
        """What is pending there and not put off."""
        keys = [place.key for place in places]
        query = select_utterances().where(utterances.c.id.in_(_waiting())).where(utterances.c.place_key.in_(keys))
        return [to_utterance(row) for row in await self._rows(query.order_by(utterances.c.id))]

    async def put_off(self, ids: Sequence[int], pause: timedelta) -> None:
        """The rows of the inbox say until when."""
        of_them = inbox.update().where(inbox.c.utterance_id.in_(ids))
        await self._write(of_them.values(again=datetime.now(UTC) + pause))


def _waiting() -> Select[int]:
    """The utterances that are to be dealt with now."""
    due = or_(inbox.c.again.is_(None), inbox.c.again <= _now())
    return (
        select(utterances.c.id)
        .join(inbox, inbox.c.utterance_id == utterances.c.id)
        .where(inbox.c.state == PENDING, due)
    )


async def _clear(connection: AsyncConnection, these: ColumnElement[bool]) -> None:
    """Deletes those that ran out, unless something is being written under them."""
    ended = select(leases.c.id).where(these, leases.c.until <= _now())
    await connection.execute(delete(leases).where(leases.c.id.in_(ended.with_for_update(skip_locked=True))))


def _now() -> ColumnElement[datetime]:
    """The database's time, which is one for all processes; it goes on within a transaction."""
    return func.clock_timestamp(type_=leases.c.until.type)


def _tokens(held: Iterable[Lease]) -> list[int]:
    return [lease.token for lease in held]
