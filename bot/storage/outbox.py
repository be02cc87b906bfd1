"""The outbox in SQL."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Job, Outgoing, Place, Recollection, Utterance
from bot.storage.database import Database, insert_new
from bot.storage.rows import add_jobs, know, storable, utterance_row
from bot.storage.sessions import place_last
from bot.storage.tables import OPEN, answers, inbox, outbox, reply_memories, sessions, utterances

NONCE_BYTES = 12
"""24 hexadecimal digits: Discord takes at most 25 characters."""

_UNDELIVERED = text("outbox.state IN ('ready', 'sending')")


class SqlOutbox:
    """Implements `bot.ports.Outbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def commit(
        self, reply: Utterance, answers: Sequence[int], recalled: Recollection, jobs: Sequence[Job]
    ) -> Outgoing | None:
        """Stores `reply` in the session of the last of `answers`. None, too, when one of them has been erased since."""
        reply = replace(reply, text=storable(reply.text))
        nonce = secrets.token_hex(NONCE_BYTES)
        async with self._database.writing() as connection:
            if not answers or not await _answerable(connection, answers):
                return None
            reply_id = await _store(connection, reply, nonce)
            session_id = await _session_for(connection, max(answers), reply.place)
            if session_id is not None:
                await place_last(connection, session_id, reply_id, reply)
            await _deal_with(connection, answers, reply_id)
            await insert_new(connection, reply_memories, _memories(reply_id, recalled))
            await add_jobs(connection, [replace(job, subject=job.subject or reply_id) for job in jobs])
            row = {"utterance_id": reply_id, "place_key": reply.place.key, "nonce": nonce, "state": "ready"}
            outgoing_id: int = (
                await connection.execute(outbox.insert().values(row).returning(outbox.c.id))
            ).scalar_one()
        return Outgoing(outgoing_id, reply.place, reply.text, nonce, reply.reply_to)

    async def sending(self, outgoing_id: int) -> None:
        """Records that an attempt to send begins now."""
        await self._move(outgoing_id, state="sending")

    async def sent(self, outgoing_id: int, platform_message_id: str) -> None:
        """Records that the platform took it, and under which id."""
        await self._move(
            outgoing_id, state="sent", platform_message_id=platform_message_id, sent_at=datetime.now(UTC), reason=None
        )

    async def put_back(self, outgoing_id: int) -> None:
        """Records that the attempt certainly did not arrive."""
        await self._move(outgoing_id, state="ready")

    async def failed(self, outgoing_id: int, reason: str) -> None:
        """Records that the platform refused it for good. `reason`: the error's class, no words of people."""
        await self._move(outgoing_id, state="failed", reason=reason)

    async def undelivered(self) -> list[Outgoing]:
        """What is ready or was being sent, oldest first; the latter are `uncertain`."""
        columns = select(
            outbox.c.id, outbox.c.place_key, outbox.c.nonce, outbox.c.state, utterances.c.text, utterances.c.reply_to
        )
        query = (
            columns.join(utterances, utterances.c.id == outbox.c.utterance_id).where(_UNDELIVERED).order_by(outbox.c.id)
        )
        async with self._database.reading() as connection:
            return [_to_outgoing(row) for row in await connection.execute(query)]

    async def _move(self, outgoing_id: int, **values: object) -> None:
        """Changes a reply that is still on its way; one that was sent or refused stays so."""
        update = outbox.update().where(outbox.c.id == outgoing_id, _UNDELIVERED).values(**values)
        async with self._database.writing() as connection:
            await connection.execute(update)


async def _answerable(connection: AsyncConnection, ids: Sequence[int]) -> bool:
    """Whether all of these utterances are stored and none has a reply."""
    stored = await connection.scalar(select(func.count()).select_from(utterances).where(utterances.c.id.in_(ids)))
    answered = await connection.scalar(select(func.count()).select_from(answers).where(answers.c.utterance_id.in_(ids)))
    return stored == len(set(ids)) and answered == 0


async def _store(connection: AsyncConnection, reply: Utterance, nonce: str) -> int:
    await know(connection, reply.place, reply.speaker)
    row = utterance_row(reply) | {"message_id": reply.message_id or f"reply:{nonce}"}
    insert = utterances.insert().values(row).returning(utterances.c.id)
    reply_id: int = (await connection.execute(insert)).scalar_one()
    return reply_id


async def _session_for(connection: AsyncConnection, answered_id: int, place: Place) -> int | None:
    """The session of what was answered, even when it has been closed since; else the open one of the place."""
    of_answered = select(utterances.c.session_id).where(utterances.c.id == answered_id)
    is_open = select(sessions.c.id).where(sessions.c.place_key == place.key, sessions.c.state == OPEN)
    return await connection.scalar(of_answered) or await connection.scalar(is_open)


async def _deal_with(connection: AsyncConnection, ids: Sequence[int], reply_id: int) -> None:
    await insert_new(connection, answers, [{"utterance_id": key, "reply_id": reply_id} for key in ids])
    dealt = inbox.update().where(inbox.c.utterance_id.in_(ids))
    await connection.execute(dealt.values(state="answered", dealt=datetime.now(UTC)))


def _memories(reply_id: int, recalled: Recollection) -> list[dict[str, Any]]:
    events = [("event", found.event.id) for found in recalled.events]
    traits = [("trait", found.trait.id) for found in recalled.traits]
    return [{"reply_id": reply_id, "kind": kind, "memory_id": key} for kind, key in (*events, *traits)]


def _to_outgoing(row: Row[*tuple[Any, ...]]) -> Outgoing:
    place = Place.parse(row.place_key)
    return Outgoing(row.id, place, row.text, row.nonce, row.reply_to, uncertain=row.state == "sending")
