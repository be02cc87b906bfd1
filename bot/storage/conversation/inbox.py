"""The inbox in SQL."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Job, JobKind, Place, SessionLimits, Speaker, Utterance
from bot.domain.text import well_formed
from bot.storage.conversation.arriving import is_there, know_both, look, seen_before
from bot.storage.conversation.circumstances import note_said
from bot.storage.conversation.erased import remember_refused, was_erased, was_refused
from bot.storage.conversation.sessions import SqlSessions, found_open
from bot.storage.engine.database import Database
from bot.storage.engine.store import Store
from bot.storage.memory.events import count_up
from bot.storage.shared.rows import add_jobs, all_stored, select_utterances, to_utterance, utterance_row
from bot.storage.shared.tables import PENDING, inbox, utterances

_STORE = insert(utterances).returning(utterances.c.id)
_WAITS = insert(inbox)

UNSEEN = "unseen"
"""Stands for the id of a message that is not stored: who opted out leaves none behind in others' replies either."""


class SqlInbox(Store):
    """Implements `bot.ports.Inbox`. `sessions` puts what arrives into a session, where that is asked for."""

    def __init__(self, database: Database, sessions: SqlSessions | None = None) -> None:
        super().__init__(database)
        self._sessions = sessions or SqlSessions(database)

    async def accept(self, utterance: Utterance, joins: SessionLimits | None = None) -> Utterance | None:
        """Stores what arrived; on disk when this returns. Lone surrogates and NUL in its text become U+FFFD."""
        speaker = Speaker(utterance.speaker.id, well_formed(utterance.speaker.name))
        utterance = replace(utterance, text=well_formed(utterance.text), speaker=speaker, id=0, session_id=0)
        place = utterance.place
        async with self._database.writing() as connection:
            known = await look(connection, utterance)
            if await seen_before(connection, utterance, known):
                return None
            speaker, changed = await know_both(connection, utterance, known)
            if changed:
                await count_up(connection)
            if utterance.reply_to is not None and not await is_there(connection, place.platform, utterance.reply_to):
                erased = await was_erased(connection, place.platform, utterance.reply_to)
                utterance = replace(utterance, reply_to=UNSEEN, quoting=None if erased else utterance.quoting)
            utterance = replace(utterance, speaker=speaker)
            open_here = found_open(known.session_id, known.session_last, known.session_words, known.position)
            if joins is None or (open_here is not None and not open_here.takes(utterance, joins)):
                open_here = None
            row = utterance_row(utterance)
            if open_here is not None:
                row |= {"session_id": open_here.id, "position": open_here.following}
            utterance_id = (await connection.execute(_STORE, row)).scalar_one()
            await connection.execute(_WAITS, {"utterance_id": utterance_id, "state": "pending"})
            utterance = replace(utterance, id=utterance_id)
            if open_here is not None:
                await open_here.grow(connection, utterance)
                utterance = replace(utterance, session_id=open_here.id)
            elif joins is not None:
                session_id, _ = await self._sessions.put(connection, utterance, joins)
                utterance = replace(utterance, session_id=session_id)
            if known.wishes_of is not None:
                await note_said(connection, utterance)
        return utterance

    async def refused(self, utterance: Utterance) -> None:
        """Keeps a digest of the message's id, and nothing of what it says."""
        async with self._database.writing() as connection:
            await remember_refused(connection, utterance.place.platform, utterance.message_id, datetime.now(UTC))

    async def was_refused(self, utterance: Utterance) -> bool:
        """Whether there is such a digest."""
        async with self._database.writing() as connection:
            return await was_refused(connection, utterance.place.platform, utterance.message_id)

    async def pending(self, place: Place | None = None) -> list[Utterance]:
        waiting = select(inbox.c.utterance_id).where(inbox.c.state == PENDING)
        query = select_utterances().where(utterances.c.id.in_(waiting)).order_by(utterances.c.id)
        if place is not None:
            query = query.where(utterances.c.place_key == place.key)
        return [to_utterance(row) for row in await self._rows(query)]

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


async def _about_something(connection: AsyncConnection, job: Job) -> bool:
    return job.kind is not JobKind.TRAITS or await all_stored(connection, [job.subject])
