"""What check-ins are made of, and what they were about: which of it may still be shown, and what was spoken of."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Composed, Place, PlaceKind
from bot.storage.conversation.committing import says_still
from bot.storage.engine.database import insert_new
from bot.storage.privacy.decisions import person_of
from bot.storage.shared.audience import identities_of
from bot.storage.shared.care_rows import ARRIVED_PERHAPS
from bot.storage.shared.care_tables import character_sources, characters, checkin_threads, checkins
from bot.storage.shared.privacy_tables import reply_sources
from bot.storage.shared.rows import are_rows, lists_among, rows_among
from bot.storage.shared.tables import outbox, places, reply_memories, traits, utterances

TRAIT = "trait"
"""What `reply_memories.kind` calls one."""


async def are_readable(connection: AsyncConnection, speaker_id: str, ids: Collection[int]) -> bool:
    """Whether all of these stored utterances may be shown in the DM with this identity (`shared/audience.py`).

    That is what the person said, with any of their identities, what was said in DMs with those, and what was said in a
    session of a channel in which they spoke.
    """
    people = await identities_of(connection, speaker_id)
    beside = utterances.alias("beside")
    spoke_in = (beside.c.session_id == utterances.c.session_id, beside.c.speaker_id.in_(people))
    in_channel = select(places.c.key).where(places.c.key == utterances.c.place_key)
    heard = (
        in_channel.where(places.c.kind == PlaceKind.CHANNEL.value).exists(),
        select(beside.c.id).where(*spoke_in).exists(),
    )
    dms = [Place.dm_with(one).key for one in people]
    unreadable = select(utterances.c.id).where(
        utterances.c.speaker_id.not_in(people), utterances.c.place_key.not_in(dms), ~(heard[0] & heard[1])
    )
    return not await rows_among(connection, unreadable.limit(1), utterances.c.id, ids)


async def sources_of(connection: AsyncConnection, utterance_id: int) -> tuple[int, ...]:
    """What the message of a check-in was made of, in order of id."""
    query = select(reply_sources.c.utterance_id).where(reply_sources.c.reply_id == utterance_id)
    return tuple((await connection.execute(query.order_by(reply_sources.c.utterance_id))).scalars())


async def are_true(connection: AsyncConnection, ids: Collection[int]) -> bool:
    """Whether all of these traits are there and none was superseded."""
    return await are_rows(connection, traits, ids, traits.c.until.is_(None))


async def traits_of(connection: AsyncConnection, utterance_id: int) -> list[int]:
    """The traits that the message of a check-in was made with in view."""
    theirs = (reply_memories.c.reply_id == utterance_id, reply_memories.c.kind == TRAIT)
    return list(await connection.scalars(select(reply_memories.c.memory_id).where(*theirs)))


async def is_guessed(connection: AsyncConnection, speaker_id: str, ids: Collection[int]) -> bool:
    """Whether the personality type of this person is one that was guessed from these utterances; True for none."""
    if not ids:
        return True
    theirs = (characters.c.person_id == await person_of(connection, speaker_id), characters.c.guessed)
    query = select(character_sources.c.utterance_id).join(characters).where(*theirs, ~characters.c.off)
    return {*ids} <= {*await connection.scalars(query)}


async def stands(connection: AsyncConnection, speaker_id: str, composed: Composed) -> bool:
    """Whether all that a check-in was made of is there, says the same, is still true and may be shown to the person."""
    words = dict([*composed.sources, *composed.toned_by])
    return (
        await says_still(connection, words)
        and await are_readable(connection, speaker_id, words)
        and await are_true(connection, composed.traits)
        and await is_guessed(connection, speaker_id, dict(composed.toned_by))
    )


async def record_about(connection: AsyncConnection, checkin_id: int, ids: Collection[int]) -> None:
    """Records what a check-in is about."""
    rows = [{"checkin_id": checkin_id, "utterance_id": one} for one in sorted(ids)]
    await insert_new(connection, checkin_threads, rows)


async def spoken_of(
    connection: AsyncConnection, people: Sequence[str], limit: int
) -> list[tuple[datetime, tuple[int, ...]]]:
    """What the last check-ins with these people that were sent, or may have been, were about, the latest first."""
    seen = or_(
        outbox.c.state.in_(("sending", "sent")),
        outbox.c.reason.in_(ARRIVED_PERHAPS),
        checkins.c.state == "sent",
        checkins.c.failure.in_(ARRIVED_PERHAPS),
    )
    about = select(checkin_threads.c.checkin_id).where(checkin_threads.c.checkin_id == checkins.c.id)
    query = (
        select(checkins.c.id, checkins.c.said_at)
        .outerjoin(outbox, outbox.c.utterance_id == checkins.c.utterance_id)
        .where(checkins.c.speaker_id.in_(people), checkins.c.said_at.is_not(None), ~checkins.c.farewell)
        .where(seen, or_(checkins.c.utterance_id.is_not(None), about.exists()))
        .order_by(checkins.c.said_at.desc(), checkins.c.id.desc())
    )
    rows = (await connection.execute(query.limit(limit))).all()
    of, said = checkin_threads.c.checkin_id, checkin_threads.c.utterance_id
    found = await lists_among(connection, of, said, (row.id for row in rows), said)
    return [(row.said_at, tuple(found.get(row.id, ()))) for row in rows]
