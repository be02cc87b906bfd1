"""What is kept of people and places beside what was said there: it goes when they are erased as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import AGENT_ID
from bot.storage.privacy_tables import confirmations, identities, link_codes, opt_outs, privacy, servers
from bot.storage.rows import some_at_a_time
from bot.storage.tables import channel_modes, drafts, places, reply_tokens, sessions, speakers

NOBODY = "erased"
"""Stands where the id of somebody stood who set something that stays."""


async def erase_people(connection: AsyncConnection, people: Sequence[str]) -> dict[str, int]:
    """Removes what is kept of these speaker ids, of whom nothing is left that was said; kind → how many went.

    Other identities of the same person stay linked among themselves and keep what was decided.
    """
    counts = {"people": 0, "settings": 0, "links": 0}
    wanted = [person for person in people if person != AGENT_ID]
    for person in wanted:
        counts["links"] += await _part(connection, person)
    for some in some_at_a_time(wanted):
        for table, column in ((privacy, "person_id"), (opt_outs, "person_id"), (reply_tokens, "subject")):
            counts["settings"] += (await connection.execute(delete(table).where(table.c[column].in_(some)))).rowcount
        for table in (link_codes, confirmations):
            await connection.execute(delete(table).where(table.c.speaker_id.in_(some)))
        for table in (channel_modes, servers):
            await connection.execute(table.update().where(table.c.set_by.in_(some)).values(set_by=NOBODY))
        counts["people"] += (await connection.execute(delete(speakers).where(speakers.c.id.in_(some)))).rowcount
    return counts


async def _part(connection: AsyncConnection, speaker_id: str) -> int:
    """Takes an identity from its person; 1 when it was linked."""
    of_it = identities.c.speaker_id == speaker_id
    person = await connection.scalar(select(identities.c.person_id).where(of_it))
    if person is None:
        return 0
    await connection.execute(delete(identities).where(of_it))
    query = select(identities.c.speaker_id).where(identities.c.person_id == person).order_by(identities.c.speaker_id)
    others = (await connection.execute(query)).scalars().all()
    if others and person not in others:
        for table in (identities, privacy, opt_outs):
            await connection.execute(table.update().where(table.c.person_id == person).values(person_id=others[0]))
    if len(others) == 1:
        await connection.execute(delete(identities).where(identities.c.speaker_id == others[0]))
    return 1


async def erase_places(connection: AsyncConnection, keys: Sequence[str]) -> dict[str, int]:
    """Removes what is kept of these places, in which nothing is left that was said; kind → how many went.

    So does a server that the companion has left, with its last place.
    """
    counts = {"places": 0, "settings": 0}
    left: set[tuple[str, str]] = set()
    for some in some_at_a_time(keys):
        of_server = select(places.c.platform, places.c.server).where(places.c.key.in_(some))
        rows = await connection.execute(of_server.where(places.c.server.is_not(None)).distinct())
        left.update((row.platform, row.server) for row in rows)
        for table in (drafts, sessions):
            await connection.execute(delete(table).where(table.c.place_key.in_(some)))
        for table, column in ((channel_modes, "place_key"), (opt_outs, "scope")):
            counts["settings"] += (await connection.execute(delete(table).where(table.c[column].in_(some)))).rowcount
        counts["places"] += (await connection.execute(delete(places).where(places.c.key.in_(some)))).rowcount
    for platform, server in sorted(left):
        counts["settings"] += await _forget_server(connection, platform, server)
    return counts


async def _forget_server(connection: AsyncConnection, platform: str, server: str) -> int:
    """Removes what was set for a server that the companion has left, when no place of it is left."""
    of_it = (servers.c.platform == platform, servers.c.server == server, servers.c.left_at.is_not(None))
    there = (places.c.platform == platform, places.c.server == server)
    if await connection.scalar(select(places.c.key).where(*there).limit(1)) is not None:
        return 0
    if not (await connection.execute(delete(servers).where(*of_it))).rowcount:
        return 0
    return 1 + (await connection.execute(delete(opt_outs).where(opt_outs.c.scope == f"{platform}:{server}"))).rowcount
