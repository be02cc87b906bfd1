"""Model tokens of replies, in SQL."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import DayTokens
from bot.storage.engine.database import put
from bot.storage.engine.store import Store
from bot.storage.shared.tables import places, reply_tokens


class SqlUsage(Store):
    """Implements `bot.ports.Usage`."""

    async def spend(self, day: date, subjects: Sequence[str], tokens: int) -> dict[str, int]:
        """Adds to each subject's sum of `day`; nothing is written when `tokens` is 0."""
        if tokens == 0:
            async with self._database.reading() as connection:
                return await _sums(connection, day, subjects)
        async with self._database.writing() as connection:
            sums = {subject: spent + tokens for subject, spent in (await _sums(connection, day, subjects)).items()}
            for subject, spent in sums.items():
                await put(connection, reply_tokens, {"day": day, "subject": subject, "tokens": spent})
        return sums

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


async def _sums(connection: AsyncConnection, day: date, subjects: Sequence[str]) -> dict[str, int]:
    """Subject → what it has used on `day`."""
    columns = select(reply_tokens.c.subject, reply_tokens.c.tokens)
    query = columns.where(reply_tokens.c.day == day, reply_tokens.c.subject.in_(subjects))
    sums = dict.fromkeys(subjects, 0)
    sums.update((subject, tokens) for subject, tokens in await connection.execute(query))
    return sums
