"""What was chosen for channels and their servers, in SQL."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select

from bot.domain import ChannelMode, Place, Scope, VectorKind, grouped
from bot.storage.conversation.moving import move_opt_outs, move_place, move_server, places_with_threads, renamed
from bot.storage.engine.database import Database, put
from bot.storage.engine.store import Store
from bot.storage.memory.events import SqlEvents, count_up
from bot.storage.memory.traits import SqlTraits
from bot.storage.shared.audience import readers_of
from bot.storage.shared.privacy_tables import servers
from bot.storage.shared.rows import know_place
from bot.storage.shared.tables import channel_modes, places


class SqlChannels(Store):
    """Implements `bot.ports.Channels`. `events_read`, `traits_read`: whose copies in memory must follow a move."""

    def __init__(self, database: Database, events_read: SqlEvents, traits_read: SqlTraits) -> None:
        super().__init__(database)
        self._copies: dict[VectorKind, SqlEvents | SqlTraits]
        self._copies = {VectorKind.EVENT: events_read, VectorKind.TRAIT: traits_read}

    async def mode(self, place: Place) -> ChannelMode | None:
        mode = await self._value(select(channel_modes.c.mode).where(channel_modes.c.place_key == place.key))
        return None if mode is None else ChannelMode(mode)

    async def set_mode(self, place: Place, mode: ChannelMode, by: str) -> None:
        """Sets the mode, also of a channel in which nothing was said yet."""
        async with self._database.writing() as connection:
            await know_place(connection, place)
            await connection.execute(channel_modes.delete().where(channel_modes.c.place_key == place.key))
            await connection.execute(channel_modes.insert().values(place_key=place.key, mode=mode.value, set_by=by))

    async def modes(self) -> dict[Place, ChannelMode]:
        rows = await self._rows(select(channel_modes.c.place_key, channel_modes.c.mode))
        return {Place.parse(key): ChannelMode(mode) for key, mode in rows}

    async def shares(self, place: Place) -> bool:
        """Whether sharing is switched on for the server of this channel; False for a DM."""
        async with self._database.looking() as connection:
            return (await readers_of(connection, place)).shares

    async def set_sharing(self, place: Place, by: str, *, on: bool) -> None:
        """Switches sharing for the whole server. Raises ValueError for a DM, which has none."""
        if place.server is None:
            raise ValueError("a DM has no server that could share")
        async with self._database.writing() as connection:
            before = (await readers_of(connection, place)).shares
            server = {"platform": place.platform, "server": place.server, "sharing": on, "set_by": by}
            await put(connection, servers, server)
            if before != on:
                await count_up(connection)

    async def set_public(self, places: Mapping[Place, bool]) -> None:
        """Records which channels everybody on their server can read; of a DM it is never asked."""
        async with self._database.writing() as connection:
            changed = [place for place, public in places.items() if await know_place(connection, place, public=public)]
            one_of_each = {(place.platform, place.server): place for place in changed}.values()
            if any([(await readers_of(connection, place)).shares for place in one_of_each]):
                await count_up(connection)

    async def left(self, platform: str, server: str, at: datetime | None) -> None:
        """Records since when the companion is not on a server any more; None: it is there."""
        async with self._database.writing() as connection:
            await put(connection, servers, {"platform": platform, "server": server, "left_at": at})

    async def left_before(self, before: datetime) -> list[tuple[str, str, list[Place]]]:
        of_server = (places.c.platform == servers.c.platform) & (places.c.server == servers.c.server)
        known = select(servers.c.platform, servers.c.server, places.c.key).outerjoin_from(servers, places, of_server)
        gone = known.where(servers.c.left_at < before)
        in_order = gone.order_by(servers.c.left_at, servers.c.platform, servers.c.server, places.c.key)
        found = grouped(((platform, server), key) for platform, server, key in await self._rows(in_order))
        return [(*server, [Place.parse(key) for key in keys if key is not None]) for server, keys in found.items()]

    async def servers(self, platform: str) -> list[str]:
        """The servers that are known, by themselves or by a place, and were not left; sorted."""
        left = select(servers.c.server).where(servers.c.platform == platform, servers.c.left_at.is_not(None))
        told = select(servers.c.server).where(servers.c.platform == platform)
        spoken_on = select(places.c.server).where(places.c.platform == platform, places.c.server.is_not(None))
        async with self._database.reading() as connection:
            gone = set((await connection.execute(left)).scalars())
            found = set((await connection.execute(told.union(spoken_on))).scalars())
        return sorted(found - gone)

    async def everywhere(self) -> dict[tuple[str, str], list[Place]]:
        """In order of platform, server and key."""
        told = select(servers.c.platform, servers.c.server, servers.c.left_at)
        spoken_in = select(places.c.key).where(places.c.server.is_not(None)).order_by(places.c.key)
        async with self._database.reading() as connection:
            known = {(platform, server): left for platform, server, left in await connection.execute(told)}
            here = [Place.parse(key) for key in await connection.scalars(spoken_in)]
        of_server = grouped(((place.platform, place.server or ""), place) for place in here)
        there = sorted(server for server in {*known, *of_server} if known.get(server) is None)
        return {server: of_server.get(server, []) for server in there}

    async def with_threads(self, place: Place) -> list[Place]:
        """This channel and the known threads of it, in order of their keys."""
        if place.server is None:
            return [place]
        async with self._database.reading() as connection:
            return await places_with_threads(connection, place)

    async def move(self, old: Place, new: Place, at: datetime) -> list[tuple[Scope, tuple[int, ...]]]:
        """Has a channel, with its threads, and its server go by other ids: what was chosen and said there goes along.

        Returns where vectors still lie under the old name: they must be expunged, and all are made anew. What is
        written under it later goes with the old server, which counts as left. Raises ValueError for a DM.
        """
        if old.server is None or new.server is None:
            raise ValueError("a DM never goes by another id")
        vectors: list[tuple[Scope, tuple[int, ...]]] = []
        async with self._database.writing() as connection:
            moved = {one: renamed(one, old, new) for one in await places_with_threads(connection, old)}
            for before, after in moved.items():
                vectors += await move_place(connection, before, after)
            scopes = {before.key: after.key for before, after in moved.items()}
            if old.server != new.server:
                scopes[f"{old.platform}:{old.server}"] = f"{new.platform}:{new.server}"
                await move_server(connection, old.platform, old.server, new.server, at)
            await move_opt_outs(connection, scopes)
            await count_up(connection)
        for scope, ids in vectors:
            if (copies := self._copies.get(scope.kind)) is not None:
                copies.forget(ids)
        return vectors

    async def forget_server(self, platform: str, server: str) -> None:
        """Drops the row of a server."""
        await self._write(servers.delete().where(servers.c.platform == platform, servers.c.server == server))
