"""A channel that goes by another id from now on: all rows that name it, in one transaction."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Place, Scope
from bot.storage.conversation.sessions import close_session
from bot.storage.engine.database import insert_new, put
from bot.storage.shared.index_marks import TABLES, note_removal
from bot.storage.shared.privacy_tables import opt_outs, servers
from bot.storage.shared.rows import know_place
from bot.storage.shared.tables import OPEN, channel_modes, drafts, outbox, places, sessions, utterances


async def move_place(connection: AsyncConnection, old: Place, new: Place) -> list[tuple[Scope, tuple[int, ...]]]:
    """Has all that names `old` name `new`. Returns events, traits and passages by the scope of their vectors.

    They are marked as not indexed. The row of `old` stays, for a reply that is being thought of. Drafts go: they are
    messages of the old chat, which cannot be edited any more. A mode that was set for `new` stays.
    """
    row = (await connection.execute(select(places).where(places.c.key == old.key))).one_or_none()
    if row is None:
        return []
    await know_place(connection, new, row.name or "", public=row.public)
    await _close_second(connection, old, new)
    vectors = await _move_memories(connection, old, new)
    for table in (sessions, utterances, outbox):
        await connection.execute(table.update().where(table.c.place_key == old.key).values(place_key=new.key))
    await connection.execute(drafts.delete().where(drafts.c.place_key == old.key))
    chosen = (await connection.execute(select(channel_modes).where(channel_modes.c.place_key == old.key))).mappings()
    await insert_new(connection, channel_modes, [{**mode, "place_key": new.key} for mode in chosen])
    await connection.execute(channel_modes.delete().where(channel_modes.c.place_key == old.key))
    return vectors


async def move_opt_outs(connection: AsyncConnection, scopes: Mapping[str, str]) -> None:
    """Has people who are not read in a scope, which stands first, not be read in the second."""
    for old, new in scopes.items():
        out = (await connection.execute(select(opt_outs).where(opt_outs.c.scope == old))).mappings()
        await insert_new(connection, opt_outs, [{**row, "scope": new} for row in out])
        await connection.execute(opt_outs.delete().where(opt_outs.c.scope == old))


async def move_server(connection: AsyncConnection, platform: str, old: str, new: str, at: datetime) -> None:
    """Has the server `new` share if `old` did. The old one counts as left at that time, unless it was left before."""
    known = select(servers).where(servers.c.platform == platform)
    row = (await connection.execute(known.where(servers.c.server == old))).mappings().one_or_none()
    if row is not None and row["sharing"]:
        shared = {"platform": platform, "server": new, "sharing": True, "set_by": row["set_by"]}
        await put(connection, servers, shared)
    left_at = at if row is None or row["left_at"] is None else row["left_at"]
    gone = {"platform": platform, "server": old, "sharing": False, "set_by": None, "left_at": left_at}
    await put(connection, servers, gone)


async def places_with_threads(connection: AsyncConnection, place: Place) -> list[Place]:
    """This channel and the known threads of it, in order of their keys."""
    of_server = (places.c.platform == place.platform, places.c.server == place.server)
    keys = (await connection.execute(select(places.c.key).where(*of_server))).scalars()
    return sorted({place, *(one for one in map(Place.parse, keys) if one.parent == place)})


def renamed(place: Place, old: Place, new: Place) -> Place:
    """`old`, or a thread of it, as it is called from now on."""
    return replace(place, ref=new.ref + place.ref.removeprefix(old.ref))


async def _close_second(connection: AsyncConnection, old: Place, new: Place) -> None:
    """Ends the open session of `old` where `new` has one, since a place has one at most."""
    of = select(sessions.c.id).where(sessions.c.state == OPEN)
    ended, other = [await connection.scalar(of.where(sessions.c.place_key == one.key)) for one in (old, new)]
    if ended is not None and other is not None:
        await close_session(connection, ended)


async def _move_memories(connection: AsyncConnection, old: Place, new: Place) -> list[tuple[Scope, tuple[int, ...]]]:
    vectors = []
    for kind, table in TABLES.items():
        here = table.c.place_key == old.key
        ids = (await connection.execute(select(table.c.id).where(here).order_by(table.c.id))).scalars().all()
        if ids:
            await connection.execute(table.update().where(here).values(place_key=new.key, indexed=False))
            vectors.append((Scope(kind, old.key), tuple(ids)))
    if vectors:
        await note_removal(connection)
    return vectors
