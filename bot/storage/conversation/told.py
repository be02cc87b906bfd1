"""What people tell with a command, in SQL: their words, and the trait that they are, in one transaction."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import TOLD, Speaker, TakenBack, Trait, Utterance
from bot.domain.text import well_formed
from bot.storage.engine.database import Database, insert_new
from bot.storage.memory.events import SqlEvents, count_up
from bot.storage.memory.relinking import link_anew
from bot.storage.memory.traits import SqlTraits, read_traits
from bot.storage.shared.privacy_tables import event_corrections
from bot.storage.shared.recall_tables import edges
from bot.storage.shared.rows import column_among, insert_one, know, utterance_row, write_among
from bot.storage.shared.tables import events, inbox, trait_sources, traits, utterances

TRAIT, EVENT = "trait", "event"


class SqlTold:
    """Implements `bot.ports.Told`. `traits_read`, `events_read`: whose copies in memory must follow."""

    def __init__(self, database: Database, traits_read: SqlTraits, events_read: SqlEvents) -> None:
        self._database = database
        self._traits = traits_read
        self._events = events_read

    async def tell(
        self, utterance: Utterance, trait: str, *, instead_of: Collection[tuple[str, int]] = (), now: datetime
    ) -> Trait:
        """Stores what was told, in no session: it is not part of the talk. What is superseded and gone is passed over.

        A trait that has ended before keeps its time and its successor; of an event all corrections stay, and those
        after it on its timelines are linked anew, past it. Lone surrogates and NUL become U+FFFD.
        """
        unknown = {kind for kind, _ in instead_of} - {TRAIT, EVENT}
        if unknown:
            raise ValueError(f"only a trait or an event can be superseded, not {sorted(unknown)}")
        old_traits = [key for kind, key in instead_of if kind == TRAIT]
        old_events = [key for kind, key in instead_of if kind == EVENT]
        async with self._database.writing() as connection:
            new = await _add(connection, utterance, trait)
            was_true = traits.update().where(traits.c.until.is_(None), traits.c.id != new.id)
            ending = was_true.values(until=now, superseded_by=new.id)
            ended = await write_among(connection, ending, traits.c.id, old_traits)
            corrected = await column_among(connection, select(events.c.id), events.c.id, old_events)
            rows = [{"event_id": event_id, "trait_id": new.id} for event_id in corrected]
            await insert_new(connection, event_corrections, rows)
            await link_anew(connection, await _after(connection, corrected))
            if ended or corrected:
                await count_up(connection)
        self._traits.forget(old_traits)
        self._events.forget(old_events)
        return new

    async def take_back(self, speaker_ids: Collection[str], now: datetime) -> TakenBack | None:
        """Undoes the last `tell` of one of these speakers. What was taken back has an end and no successor."""
        async with self._database.writing() as connection:
            trait = await _told_last(connection, speaker_ids)
            if trait is None or trait.until is not None:
                return None
            again = traits.update().where(traits.c.superseded_by == trait.id).values(until=None, superseded_by=None)
            restored = (await connection.execute(again.returning(traits.c.id))).scalars().all()
            wrong = event_corrections.delete().where(event_corrections.c.trait_id == trait.id)
            corrected = (await connection.execute(wrong.returning(event_corrections.c.event_id))).scalars().all()
            await connection.execute(traits.update().where(traits.c.id == trait.id).values(until=now))
            await link_anew(connection, await _after(connection, corrected))
            if restored or corrected:
                await count_up(connection)
        self._traits.forget([trait.id, *restored])
        self._events.forget(corrected)
        return TakenBack(replace(trait, until=now), tuple(sorted(restored)), tuple(sorted(corrected)))


async def _told_last(connection: AsyncConnection, speaker_ids: Collection[str]) -> Trait | None:
    """The trait that one of these speakers told last, of those that were not taken back."""
    query = (
        select(traits.c.id)
        .join(trait_sources, and_(trait_sources.c.trait_id == traits.c.id, trait_sources.c.position == 0))
        .join(utterances, utterances.c.id == trait_sources.c.utterance_id)
        .where(utterances.c.speaker_id.in_(speaker_ids), utterances.c.message_id.startswith(TOLD, autoescape=True))
        .where(or_(traits.c.until.is_(None), traits.c.superseded_by.is_not(None)))
    )
    last = await connection.scalar(query.order_by(utterances.c.id.desc()).limit(1))
    return None if last is None else (await read_traits(connection, [last]))[0]


async def _add(connection: AsyncConnection, utterance: Utterance, text: str) -> Trait:
    """The words, dealt with, and the trait said in them."""
    speaker = Speaker(utterance.speaker.id, well_formed(utterance.speaker.name))
    said = replace(utterance, text=well_formed(utterance.text), speaker=speaker)
    await know(connection, said.place, speaker, well_formed(said.place_name))
    utterance_id = await insert_one(connection, utterances, utterance_row(said))
    dealt = {"utterance_id": utterance_id, "state": "remembered", "dealt": datetime.now(UTC)}
    await connection.execute(inbox.insert().values(dealt))
    new = Trait(speaker.id, said.place, well_formed(text), said.time, (utterance_id,))
    columns = {"speaker_id": new.speaker_id, "place_key": new.place.key, "text": new.text, "since": new.since}
    trait_id = await insert_one(connection, traits, columns | {"indexed": False})
    source = {"trait_id": trait_id, "position": 0, "utterance_id": utterance_id}
    await connection.execute(trait_sources.insert().values(source))
    return replace(new, id=trait_id)


async def _after(connection: AsyncConnection, event_ids: Sequence[int]) -> set[int]:
    """The events that are linked from these."""
    return set(await column_among(connection, select(edges.c.newer), edges.c.older, event_ids))
