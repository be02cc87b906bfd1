"""Who is one person on several platforms, in SQL, and what becomes of their decisions then."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Privacy
from bot.ports import Link
from bot.storage.engine.database import insert_new, put
from bot.storage.engine.store import Store
from bot.storage.memory.events import count_up
from bot.storage.privacy.decisions import come_back, decided_by, merged, person_of, platform_of, store, unname
from bot.storage.shared.audience import identities_of
from bot.storage.shared.care_rows import join_care, part_care
from bot.storage.shared.digests import digest, digest_key
from bot.storage.shared.privacy_tables import identities, link_codes, opt_outs, privacy


class SqlIdentities(Store):
    """Implements `bot.ports.Identities`."""

    async def of(self, speaker_id: str) -> tuple[str, ...]:
        async with self._database.looking() as connection:
            return await identities_of(connection, speaker_id)

    async def offer(self, speaker_id: str, code: str, until: datetime) -> None:
        """Stores a digest of `code` for this person, in the place of any earlier one.

        A code that somebody else was shown already is nobody's from then on: it would not say who is meant.
        """
        async with self._database.writing() as connection:
            code_digest = _digest(await digest_key(connection), code)
            same = or_(link_codes.c.speaker_id == speaker_id, link_codes.c.digest == code_digest)
            dropped = (
                await connection.execute(link_codes.delete().where(same).returning(link_codes.c.speaker_id))
            ).all()
            if all(row.speaker_id == speaker_id for row in dropped):
                new = {"speaker_id": speaker_id, "digest": code_digest, "until": until}
                await connection.execute(link_codes.insert().values(new))

    async def link(self, speaker_id: str, code: str, now: datetime) -> tuple[Link, tuple[str, ...]]:
        """Joins this identity with the one that the code was shown to; all ids of the person that it is then.

        A code that did not join anybody stays valid for its time, but for those who are one person already.
        """
        async with self._database.writing() as connection:
            await connection.execute(link_codes.delete().where(link_codes.c.until <= now))
            this_code = link_codes.c.digest == _digest(await digest_key(connection), code)
            shown_to = await connection.scalar(select(link_codes.c.speaker_id).where(this_code))
            mine = await identities_of(connection, speaker_id)
            theirs = () if shown_to is None else await identities_of(connection, shown_to)
            outcome = _outcome(speaker_id, mine, shown_to, theirs)
            if outcome in {Link.LINKED, Link.KNOWN}:
                await connection.execute(link_codes.delete().where(this_code))
            if outcome is not Link.LINKED:
                return outcome, mine
            await _join(connection, theirs, mine, now)
            await count_up(connection)
        return outcome, tuple(sorted({*mine, *theirs}))

    async def unlink(self, speaker_id: str) -> tuple[str, ...]:
        async with self._database.writing() as connection:
            everyone = await identities_of(connection, speaker_id)
            if len(everyone) == 1:
                return ()
            await _part(connection, everyone)
            await count_up(connection)
        return tuple(other for other in everyone if other != speaker_id)


def _digest(key: bytes, code: str) -> str:
    """What is stored of a code, and compared: nothing about the code can be learnt from how long that takes."""
    return digest(key, "link", code)


def _outcome(speaker_id: str, mine: Sequence[str], shown_to: str | None, theirs: Sequence[str]) -> Link:
    """What becomes of a code that `speaker_id` typed and that was shown to `shown_to`."""
    if shown_to is None:
        return Link.WRONG
    if shown_to == speaker_id:
        return Link.OWN
    if shown_to in mine:
        return Link.KNOWN
    return Link.TAKEN if _platforms(mine) & _platforms(theirs) else Link.LINKED


def _platforms(ids: Iterable[str]) -> set[str]:
    return {platform_of(speaker_id) for speaker_id in ids}


async def _join(connection: AsyncConnection, first: Sequence[str], second: Sequence[str], now: datetime) -> None:
    """Makes one person of two; what the second one decided goes to the first."""
    sides = []
    for ids in (first, second):
        await come_back(connection, ids[0])
        sides.append(await decided_by(connection, ids[0]))
    person, other = await person_of(connection, first[0]), await person_of(connection, second[0])
    for speaker_id in (*first, *second):
        await put(connection, identities, {"speaker_id": speaker_id, "person_id": person})
    await join_care(connection, person, other)
    scopes = (await connection.execute(select(opt_outs.c.scope).where(opt_outs.c.person_id == other))).scalars().all()
    for table in (privacy, opt_outs):
        await connection.execute(table.delete().where(table.c.person_id == other))
    if any(side is not None for side in sides):
        await store(connection, person, _joined(person, [side or Privacy(person) for side in sides], now))
    await insert_new(connection, opt_outs, [{"person_id": person, "scope": scope} for scope in scopes])


def _joined(person_id: str, sides: Sequence[Privacy], now: datetime) -> Privacy:
    """What holds for one person who was two. What one said before they were known as a minor is under no limit yet."""
    joined = merged(person_id, sides)
    if joined.minor and not all(side.minor for side in sides):
        return replace(joined, minor_since=now)
    return joined


async def _part(connection: AsyncConnection, ids: Sequence[str]) -> None:
    """Makes each of these ids, which are one person, a person with the same decisions.

    An opt-out is of a channel of one platform, and stays with the identity on that platform.
    """
    await come_back(connection, ids[0])
    decided, person = await decided_by(connection, ids[0]), await person_of(connection, ids[0])
    scopes = (await connection.execute(select(opt_outs.c.scope).where(opt_outs.c.person_id == person))).scalars().all()
    await connection.execute(opt_outs.delete().where(opt_outs.c.person_id == person))
    await connection.execute(privacy.delete().where(privacy.c.person_id == person))
    await connection.execute(identities.delete().where(identities.c.speaker_id.in_(ids)))
    await part_care(connection, person, ids)
    for speaker_id in ids:
        if decided is not None:
            await store(connection, speaker_id, decided)
        of_platform = [scope for scope in scopes if platform_of(scope) == platform_of(speaker_id)]
        await insert_new(connection, opt_outs, [{"person_id": speaker_id, "scope": scope} for scope in of_platform])
        await unname(connection, speaker_id)
