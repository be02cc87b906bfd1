"""What is kept of people and places beside what was said there: it goes when they are erased as a whole."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import AGENT_ID
from bot.storage.privacy.decisions import outlive, outlive_scopes
from bot.storage.shared.care_rows import erase_care
from bot.storage.shared.care_tables import characters, checkin_wishes
from bot.storage.shared.privacy_tables import confirmations, identities, link_codes, opt_outs, privacy, servers
from bot.storage.shared.rows import column_among, rows_among, some_at_a_time, write_among
from bot.storage.shared.tables import channel_modes, drafts, places, reply_tokens, sessions, speakers

NOBODY = "erased"
"""Stands where the id of somebody stood who set something that stays."""


async def erase_people(connection: AsyncConnection, people: Sequence[str]) -> dict[str, int]:
    """Removes what is kept of these speaker ids, of whom nothing is left that was said; kind → how many went.

    Other identities of the same person stay linked among themselves and keep what was decided. A refusal, a pause,
    being under 18 and opt-outs outlive it without the id (`decisions.py`), and are no settings that went.
    """
    counts = {"people": 0, "settings": 0, "links": 0}
    wanted = [person for person in people if person != AGENT_ID]
    lasting = set()
    for person in wanted:
        if await outlive(connection, person):
            lasting.add(person)
        counts["links"] += await _part(connection, person)
    counts["settings"] += await erase_care(connection, wanted)
    decided = {*await column_among(connection, select(privacy.c.person_id), privacy.c.person_id, wanted)}
    counts["settings"] += len(decided - lasting)
    for table in (privacy, opt_outs):
        await write_among(connection, delete(table), table.c.person_id, wanted)
    counts["settings"] += await write_among(connection, delete(reply_tokens), reply_tokens.c.subject, wanted)
    for table in (link_codes, confirmations):
        await write_among(connection, delete(table), table.c.speaker_id, wanted)
    for table in (channel_modes, servers):
        await write_among(connection, table.update().values(set_by=NOBODY), table.c.set_by, wanted)
    counts["people"] += await write_among(connection, delete(speakers), speakers.c.id, wanted)
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
        for table in (identities, privacy, opt_outs, checkin_wishes, characters):
            await connection.execute(table.update().where(table.c.person_id == person).values(person_id=others[0]))
    if len(others) == 1:
        await connection.execute(delete(identities).where(identities.c.speaker_id == others[0]))
    return 1


async def erase_places(connection: AsyncConnection, keys: Sequence[str]) -> dict[str, int]:
    """Removes what is kept of these places, in which nothing is left that was said; kind → how many went.

    So does a server that the companion has left, with its last place. Who opted out there is not read there should it
    come again, though no id of theirs is left.
    """
    counts = {"places": 0, "settings": 0}
    of_server = select(places.c.platform, places.c.server).where(places.c.server.is_not(None)).distinct()
    left = {(row.platform, row.server) for row in await rows_among(connection, of_server, places.c.key, keys)}
    lasting = {*await _in_left_servers(connection, keys)}
    for some in some_at_a_time(sorted(lasting)):
        await outlive_scopes(connection, some)
    others = (key for key in keys if key not in lasting)
    counts["settings"] += await write_among(connection, delete(opt_outs), opt_outs.c.scope, others)
    counts["settings"] += await write_among(connection, delete(channel_modes), channel_modes.c.place_key, keys)
    for table in (drafts, sessions):
        await write_among(connection, delete(table), table.c.place_key, keys)
    counts["places"] += await write_among(connection, delete(places), places.c.key, keys)
    for platform, server in sorted(left):
        counts["settings"] += await _forget_server(connection, platform, server)
    return counts


async def _in_left_servers(connection: AsyncConnection, keys: Sequence[str]) -> list[str]:
    """Those of these places that are on a server which the companion has left."""
    of_server = (servers.c.platform == places.c.platform) & (servers.c.server == places.c.server)
    query = select(places.c.key).join(servers, of_server).where(servers.c.left_at.is_not(None))
    return await column_among(connection, query, places.c.key, keys)


async def _forget_server(connection: AsyncConnection, platform: str, server: str) -> int:
    """Removes what was set for a server that the companion has left, when no place of it is left."""
    of_it = (servers.c.platform == platform, servers.c.server == server, servers.c.left_at.is_not(None))
    there = (places.c.platform == platform, places.c.server == server)
    if await connection.scalar(select(places.c.key).where(*there).limit(1)) is not None:
        return 0
    if not (await connection.execute(delete(servers).where(*of_it))).rowcount:
        return 0
    await connection.execute(delete(reply_tokens).where(reply_tokens.c.subject == f"{platform}:{server}"))
    await outlive_scopes(connection, [f"{platform}:{server}"])
    return 1
