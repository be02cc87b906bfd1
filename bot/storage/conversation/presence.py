"""Until when each platform has been seen, in SQL."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.engine.database import Database, put
from bot.storage.shared.tables import presence


class SqlPresence:
    """Implements `bot.ports.Presence`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def seen_until(self, platform: str) -> datetime | None:
        async with self._database.reading() as connection:
            return await _until(connection, platform)

    async def saw(self, platform: str, until: datetime) -> None:
        async with self._database.writing() as connection:
            before = await _until(connection, platform)
            if before is None or before < until:
                await put(connection, presence, {"platform": platform, "until": until})


async def _until(connection: AsyncConnection, platform: str) -> datetime | None:
    return await connection.scalar(select(presence.c.until).where(presence.c.platform == platform))
