"""Until when each platform has been seen, in SQL."""

from datetime import datetime

from sqlalchemy import or_, select

from bot.domain import grouped
from bot.storage.engine.database import put
from bot.storage.engine.store import Store
from bot.storage.shared.tables import presence


class SqlPresence(Store):
    """Until when everything that happened on a platform has surely been seen."""

    async def seen_until(self, platform: str) -> datetime | None:
        """The time, or None when the platform was never connected.

        One of several connections is named with its number and how many they are, such as "discord 2/16". What all
        those of another number of connections have seen, this one has seen, too.
        """
        whole = platform.partition(" ")[0]
        of_it = or_(presence.c.platform == whole, presence.c.platform.startswith(f"{whole} ", autoescape=True))
        rows = await self._rows(select(presence.c.platform, presence.c.until).where(of_it))
        noted = {row.platform: row.until for row in rows}
        divided = grouped((_parts(name), until) for name, until in noted.items())
        surely = [min(times) for parts, times in divided.items() if len(times) == parts]
        return max([*surely, *([noted[platform]] if platform in noted else [])], default=None)

    async def saw(self, platform: str, until: datetime) -> None:
        """Sets it; an earlier time than the stored one changes nothing."""
        async with self._database.writing() as connection:
            before = await connection.scalar(select(presence.c.until).where(presence.c.platform == platform))
            if before is None or before < until:
                await put(connection, presence, {"platform": platform, "until": until})


def _parts(platform: str) -> int:
    """In how many parts a platform was divided when this was noted: "discord 2/16" is one of sixteen."""
    parts = platform.partition(" ")[2].rpartition("/")[2]
    return int(parts) if parts.isdecimal() else 1
