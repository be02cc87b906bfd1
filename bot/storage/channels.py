"""What was chosen for channels, in SQL."""

from __future__ import annotations

from sqlalchemy import select

from bot.domain import ChannelMode, Place
from bot.storage.database import Database
from bot.storage.rows import know_place
from bot.storage.tables import channel_modes


class SqlChannels:
    """Implements `bot.ports.Channels`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def mode(self, place: Place) -> ChannelMode | None:
        """The mode that was set for exactly this channel or thread."""
        query = select(channel_modes.c.mode).where(channel_modes.c.place_key == place.key)
        async with self._database.reading() as connection:
            mode = await connection.scalar(query)
        return None if mode is None else ChannelMode(mode)

    async def set_mode(self, place: Place, mode: ChannelMode, by: str) -> None:
        """Sets the mode, also of a channel in which nothing was said yet."""
        async with self._database.writing() as connection:
            await know_place(connection, place)
            await connection.execute(channel_modes.delete().where(channel_modes.c.place_key == place.key))
            await connection.execute(channel_modes.insert().values(place_key=place.key, mode=mode.value, set_by=by))
