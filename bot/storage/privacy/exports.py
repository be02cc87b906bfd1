"""All that is kept of one person, in SQL."""

from collections.abc import Collection
from typing import Unpack

from sqlalchemy import Select, or_, select

from bot.domain import AGENT_ID, Place, Trait, Utterance
from bot.ports import Which
from bot.storage.engine.store import Store
from bot.storage.memory.traits import read_traits
from bot.storage.privacy.decisions import digests_of
from bot.storage.shared.audience import channels_of
from bot.storage.shared.privacy_tables import opt_outs
from bot.storage.shared.rows import select_utterances, to_utterance
from bot.storage.shared.tables import traits, utterances


class SqlExports(Store):
    """Implements `bot.ports.Exports`."""

    async def said_by(self, speaker_ids: Collection[str], **which: Unpack[Which]) -> list[Utterance]:
        chosen = _said(speaker_ids, **which)
        query = select_utterances().where(utterances.c.id.in_(chosen)).order_by(utterances.c.id)
        return [to_utterance(row) for row in await self._rows(query)]

    async def words_of(self, speaker_ids: Collection[str], **which: Unpack[Which]) -> list[tuple[int, str]]:
        chosen = _said(speaker_ids, **which)
        query = select(utterances.c.id, utterances.c.text).where(utterances.c.id.in_(chosen)).order_by(utterances.c.id)
        return [(row.id, row.text) for row in await self._rows(query)]

    async def last_said(self, speaker_ids: Collection[str], place: Place | None, limit: int) -> list[Utterance]:
        query = select_utterances().where(utterances.c.speaker_id.in_(speaker_ids))
        if place is not None:
            query = query.where(utterances.c.place_key == place.key)
        rows = await self._rows(query.order_by(utterances.c.id.desc()).limit(limit))
        return [to_utterance(row) for row in rows]

    async def channels(self, speaker_ids: Collection[str]) -> list[Place]:
        return sorted(Place.parse(key) for key in await self._column(channels_of(sorted(speaker_ids))))

    async def replies_in(self, places: Collection[Place], *, after: int = 0, limit: int) -> list[Utterance]:
        here = utterances.c.place_key.in_([place.key for place in places])
        query = select_utterances().where(here, utterances.c.speaker_id == AGENT_ID, utterances.c.id > after)
        return [to_utterance(row) for row in await self._rows(query.order_by(utterances.c.id).limit(limit))]

    async def traits_of(self, speaker_ids: Collection[str]) -> list[Trait]:
        query = select(traits.c.id).where(traits.c.speaker_id.in_(speaker_ids)).order_by(traits.c.id)
        async with self._database.reading() as connection:
            return await read_traits(connection, (await connection.execute(query)).scalars().all())

    async def opt_outs(self, speaker_ids: Collection[str]) -> list[str]:
        async with self._database.reading() as connection:
            names = [*speaker_ids, *await digests_of(connection, speaker_ids)]
            query = select(opt_outs.c.scope).where(opt_outs.c.person_id.in_(names))
            return sorted(set((await connection.execute(query)).scalars()))


def _said(speaker_ids: Collection[str], **which: Unpack[Which]) -> Select[int]:
    """The ids of what they said. Ids alone: a page's rows are not sorted then."""
    query = select(utterances.c.id).where(utterances.c.speaker_id.in_(speaker_ids))
    query = query.where(utterances.c.id > which.get("after", 0))
    if (since := which.get("since")) is not None:
        query = query.where(utterances.c.time >= since)
    if (before := which.get("before")) is not None:
        query = query.where(utterances.c.time < before)
    if (place := which.get("place")) is not None:
        threads = utterances.c.place_key.startswith(f"{place.key}/", autoescape=True)
        query = query.where(or_(utterances.c.place_key == place.key, threads))
    return query.order_by(utterances.c.id).limit(which["limit"])
