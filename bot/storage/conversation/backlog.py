"""What waits in the tables, as numbers."""

from datetime import datetime

from sqlalchemy import ColumnElement, Select, Table, func, select

from bot.domain import Backlog
from bot.storage.engine.store import Store
from bot.storage.shared.privacy_tables import erasures
from bot.storage.shared.sharing_tables import leases
from bot.storage.shared.tables import inbox, jobs, outbox, utterances


def _waiting(table: Table, condition: ColumnElement[bool], since: ColumnElement[datetime]) -> Select[int, datetime]:
    return select(func.count(), func.min(since)).select_from(table).where(condition)


_QUEUES = {
    "inbox": _waiting(inbox, inbox.c.state == "pending", utterances.c.time).join(
        utterances, utterances.c.id == inbox.c.utterance_id
    ),
    "outbox": _waiting(outbox, outbox.c.state.in_(("ready", "sending")), outbox.c.created),
    "jobs": _waiting(jobs, jobs.c.state.in_(("due", "leased")), jobs.c.created),
    "failed jobs": _waiting(jobs, jobs.c.state == "failed", jobs.c.created),
    "erasures": _waiting(erasures, erasures.c.done_at.is_(None), erasures.c.at),
}
_LEASES = {
    "job": (jobs.c.lease_until, jobs.c.state == "leased"),
    "place": (leases.c.until, leases.c.name.like("place %")),
    "platform": (leases.c.until, leases.c.name.like("platform %")),
    "upkeep": (leases.c.until, leases.c.name == "upkeep"),
}
"""Kind of lease → until when one is held, and which rows are leases."""


class SqlBacklog(Store):
    """What waits, as numbers: for those who watch the program."""

    async def waiting(self, now: datetime) -> Backlog:
        """What waits, and which leases are held. Raises StorageError."""
        found = Backlog()
        async with self._database.reading() as connection:
            for name, query in _QUEUES.items():
                count, since = (await connection.execute(query)).one()
                found.queues[name] = (count, since)
            for kind, (until, is_lease) in _LEASES.items():
                held = func.count().filter(until > now), func.count().filter(until <= now)
                running, over = (await connection.execute(select(*held).where(is_lease))).one()
                found.leases[kind] = (running, over)
        return found
