"""The inbox in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Job, JobKind, Place, Speaker, Utterance
from bot.domain.text import well_formed
from bot.storage.conversation.circumstances import note_said
from bot.storage.conversation.erased import remember_refused, was_erased, was_refused
from bot.storage.engine.database import Database
from bot.storage.memory.events import count_up
from bot.storage.shared.rows import (
    add_jobs,
    all_stored,
    know,
    know_place,
    select_utterances,
    to_utterance,
    utterance_row,
)
from bot.storage.shared.tables import PENDING, drafts, inbox, outbox_parts, utterances

UNSEEN = "unseen"
"""Stands for the id of a message that is not stored: who opted out leaves none behind in others' replies either."""


class SqlInbox:
    """Implements `bot.ports.Inbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, utterance: Utterance) -> Utterance | None:
        """Stores what arrived; on disk when this returns. Lone surrogates and NUL in its text become U+FFFD."""
        speaker = Speaker(utterance.speaker.id, well_formed(utterance.speaker.name))
        utterance = replace(utterance, text=well_formed(utterance.text), speaker=speaker)
        async with self._database.writing() as connection:
            if await _seen_before(connection, utterance):
                return None
            name = well_formed(utterance.place_name)
            if await know_place(connection, utterance.place, name, public=utterance.place_public):
                await count_up(connection)
            speaker = await know(connection, utterance.place, speaker)
            if utterance.reply_to is not None and not await _is_there(connection, utterance):
                erased = await was_erased(connection, utterance.place.platform, utterance.reply_to)
                utterance = replace(utterance, reply_to=UNSEEN, quoting=None if erased else utterance.quoting)
            insert = utterances.insert().values(utterance_row(utterance)).returning(utterances.c.id)
            utterance_id: int = (await connection.execute(insert)).scalar_one()
            await connection.execute(inbox.insert().values(utterance_id=utterance_id, state="pending"))
            await note_said(connection, utterance)
        return replace(utterance, speaker=speaker, id=utterance_id, session_id=0)

    async def refused(self, utterance: Utterance) -> None:
        """Keeps a digest of the message's id, and nothing of what it says."""
        async with self._database.writing() as connection:
            await remember_refused(connection, utterance.place.platform, utterance.message_id, datetime.now(UTC))

    async def was_refused(self, utterance: Utterance) -> bool:
        """Whether there is such a digest."""
        async with self._database.writing() as connection:
            return await was_refused(connection, utterance.place.platform, utterance.message_id)

    async def pending(self, place: Place | None = None) -> list[Utterance]:
        """What is not dealt with, oldest first."""
        waiting = select(inbox.c.utterance_id).where(inbox.c.state == PENDING)
        query = select_utterances().where(utterances.c.id.in_(waiting)).order_by(utterances.c.id)
        if place is not None:
            query = query.where(utterances.c.place_key == place.key)
        async with self._database.reading() as connection:
            return [to_utterance(row) for row in await connection.execute(query)]

    async def remembered(self, ids: Sequence[int], jobs: Sequence[Job] = ()) -> None:
        """Marks utterances that get no reply as dealt with; one that has been answered stays answered.

        No job is added for what has been erased meanwhile.
        """
        update = (
            inbox.update()
            .where(inbox.c.utterance_id.in_(ids), inbox.c.state == PENDING)
            .values(state="remembered", dealt=datetime.now(UTC))
        )
        async with self._database.writing() as connection:
            await connection.execute(update)
            await add_jobs(connection, [job for job in jobs if await _about_something(connection, job)])


async def _seen_before(connection: AsyncConnection, utterance: Utterance) -> bool:
    """Whether this message is stored, or was erased."""
    platform, message_id = utterance.place.platform, utterance.message_id
    same = (utterances.c.platform == platform, utterances.c.message_id == message_id)
    if await connection.scalar(select(utterances.c.id).where(*same)) is not None:
        return True
    return await was_erased(connection, platform, message_id)


async def _is_there(connection: AsyncConnection, reply: Utterance) -> bool:
    """Whether what this one replies to is stored, or shown by the companion."""
    platform, message_id = reply.place.platform, reply.reply_to
    said = select(utterances.c.id).where(utterances.c.platform == platform, utterances.c.message_id == message_id)
    sent = select(outbox_parts.c.outgoing_id).where(outbox_parts.c.platform_message_id == message_id)
    drawn = select(drafts.c.message_id).where(drafts.c.message_id == message_id)
    for query in (said, sent, drawn):
        if await connection.scalar(query.limit(1)) is not None:
            return True
    return False


async def _about_something(connection: AsyncConnection, job: Job) -> bool:
    return job.kind is not JobKind.TRAITS or await all_stored(connection, [job.subject])
