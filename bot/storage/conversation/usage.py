"""Model tokens of replies, in SQL."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import select

from bot.domain import DayTokens
from bot.storage.engine.store import Store
from bot.storage.shared.tables import places, reply_tokens


class SqlUsage(Store):
    """Implements `bot.ports.Usage`."""

    async def spent(self, day: date, subjects: Sequence[str]) -> dict[str, int]:
        columns = select(reply_tokens.c.subject, reply_tokens.c.tokens)
        rows = await self._rows(columns.where(reply_tokens.c.day == day, reply_tokens.c.subject.in_(subjects)))
        return dict.fromkeys(subjects, 0) | {row.subject: row.tokens for row in rows}

    async def of_day(self, day: date) -> DayTokens:
        """Subjects are told apart by the known places' servers: whatever is no server is a person."""
        spent = select(reply_tokens.c.subject, reply_tokens.c.tokens).where(reply_tokens.c.day == day)
        known = select(places.c.platform, places.c.server).where(places.c.server.is_not(None)).distinct()
        async with self._database.reading() as connection:
            sums = {row.subject: row.tokens for row in await connection.execute(spent)}
            named = {f"{platform}:{server}": (platform, server) for platform, server in await connection.execute(known)}
        people = sorted((tokens for subject, tokens in sums.items() if subject not in named), reverse=True)
        of_servers = {named[subject]: tokens for subject, tokens in sums.items() if subject in named}
        return DayTokens(tuple(people), of_servers)
