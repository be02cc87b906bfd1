"""Which events are linked anew, so that the memory graph stays as if what is there now had been there from the start.

Both are parts of a transaction that changes the events. A LINK job that is made due again has a new id, so whoever
works on the old one, from the events of before, stores nothing.
"""

from collections.abc import Iterable

from sqlalchemy import and_, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Job, JobKind
from bot.storage.shared.closure import gone_events
from bot.storage.shared.recall_tables import edges
from bot.storage.shared.rows import add_jobs, drop_jobs, renew_jobs, rows_among
from bot.storage.shared.tables import events, jobs

MOST_LATE = 50
"""How many edges are cut at most because of one event that comes late, those to the first events after it.

The rest stay, so that reading a long old conversation into a long memory does not link all of it again and again.
"""

_GONE_EVENTS = select(gone_events.c.id)


async def unlink_gone(connection: AsyncConnection) -> list[int]:
    """Drops the LINK jobs of the events that go; returns the events that stay and are to be linked anew, in no order.

    Those are the ones that were linked from an event that goes: their timelines close over the hole. And, if any event
    goes, those that are being linked right now, because they may be about to be linked from it. Call it before the
    events are removed, `link_anew` afterwards.
    """
    gone = (await connection.execute(_GONE_EVENTS)).scalars().all()
    if not gone:
        return []
    await drop_jobs(connection, JobKind.LINK, gone)
    after = select(edges.c.newer).where(edges.c.older.in_(_GONE_EVENTS), edges.c.newer.not_in(_GONE_EVENTS))
    being_linked = select(jobs.c.subject).where(jobs.c.state == "leased", jobs.c.kind == JobKind.LINK.value)
    found = {*(await connection.execute(after)).scalars(), *(await connection.execute(being_linked)).scalars()}
    return sorted(found)


async def link_anew(connection: AsyncConnection, event_ids: Iterable[int]) -> None:
    """Makes the LINK jobs of these events due, the oldest event first: one links to those before it."""
    wanted = await rows_among(connection, select(events.c.time, events.c.id), events.c.id, event_ids)
    for _, event_id in sorted(map(tuple, wanted)):  # one after the other, because a call by itself goes by the ids
        await renew_jobs(connection, JobKind.LINK, [event_id])


async def link_new(connection: AsyncConnection, event_id: int) -> None:
    """Makes the LINK job of an event that has just been stored due.

    An event that comes late (derived anew after an edit, read from an older conversation) has later ones in its place
    that were linked past it, or wait to be linked. Edges over it are cut, and those events are linked after it: so it
    finds its place in the order of time, and what followed an event that is derived anew follows it again.
    """
    await add_jobs(connection, [Job(JobKind.LINK, event_id)])
    new = (await connection.execute(select(events.c.place_key, events.c.time).where(events.c.id == event_id))).one()
    older, newer = events.alias("older_event"), events.alias("newer_event")
    is_earlier = or_(older.c.time < new.time, and_(older.c.time == new.time, older.c.id < event_id))
    is_later = or_(newer.c.time > new.time, and_(newer.c.time == new.time, newer.c.id > event_id))
    is_later_here = and_(newer.c.place_key == new.place_key, is_later)
    over_it = select(edges.c.older, edges.c.newer).join(newer, newer.c.id == edges.c.newer)
    over_it = over_it.join(older, older.c.id == edges.c.older).where(is_later_here, is_earlier)
    in_order = over_it.order_by(newer.c.time, newer.c.id).limit(MOST_LATE)
    cut = [(row.older, row.newer) for row in await connection.execute(in_order)]
    if cut:
        await connection.execute(edges.delete().where(tuple_(edges.c.older, edges.c.newer).in_(cut)))
    waiting = select(jobs.c.subject).join(newer, newer.c.id == jobs.c.subject)
    waiting = waiting.where(jobs.c.kind == JobKind.LINK.value, jobs.c.state.in_(("due", "leased")), is_later_here)
    to_link = (await connection.execute(waiting.order_by(newer.c.time, newer.c.id).limit(MOST_LATE))).scalars().all()
    await link_anew(connection, [*(later for _, later in cut), *to_link])
