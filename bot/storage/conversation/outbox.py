"""The outbox in SQL."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Select, and_, bindparam, exists, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Draft, Job, Outgoing, Place, Recollection, Spending, UsedMemories, Utterance
from bot.domain.text import well_formed
from bot.storage.conversation.committing import (
    MEMORIES,
    count_tokens,
    deal_with,
    ids_of,
    look,
    put_out,
    record_memories,
    record_sources,
    says_still,
    stands,
    store_reply,
)
from bot.storage.engine.database import Database, put
from bot.storage.engine.store import Store
from bot.storage.memory.events import read_events
from bot.storage.memory.traits import read_traits
from bot.storage.shared.care_tables import checkins
from bot.storage.shared.privacy_tables import reply_sources
from bot.storage.shared.rows import (
    add_jobs,
    insert_one,
    know,
    know_place,
    lists_among,
    part,
    rows_among,
    select_utterances,
    to_utterance,
    utterance_row,
)
from bot.storage.shared.tables import (
    PENDING,
    answers,
    drafts,
    inbox,
    outbox,
    outbox_parts,
    places,
    reply_memories,
    utterances,
)

NO_WORDS: Mapping[int, str] = MappingProxyType({})

NONCE_BYTES = 12
"""24 hexadecimal digits: Discord takes at most 25 characters."""

_UNDELIVERED = text("outbox.state IN ('ready', 'sending')")

_UNSENT = (
    select(
        outbox.c.id,
        outbox.c.place_key,
        outbox.c.nonce,
        outbox.c.state,
        utterances.c.text,
        utterances.c.reply_to,
        checkins.c.id.label("checkin_id"),
        part("answers", func.max(answers.c.utterance_id), answers.c.reply_id == outbox.c.utterance_id),
    )
    .join(utterances, utterances.c.id == outbox.c.utterance_id)
    .outerjoin(checkins, checkins.c.utterance_id == outbox.c.utterance_id)
    .where(_UNDELIVERED)
)

_of_it = outbox_parts.c.outgoing_id == outbox.c.id
_ON_ITS_WAY = _UNSENT.add_columns(
    part("position", func.max(outbox_parts.c.position), _of_it),
    exists().where(_of_it, outbox_parts.c.platform_message_id == bindparam("part")).label("known"),
    exists().where(drafts.c.place_key == outbox.c.place_key).label("drawn"),
).where(outbox.c.id == bindparam("id"))


class SqlOutbox(Store):
    """Implements `bot.ports.Outbox`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._begun: set[int] = set()
        """Stored as being sent, and not begun yet: no attempt of this process can have arrived."""
        self._done: set[int] = set()
        """Stored as sent with their last part."""

    async def commit(
        self,
        reply: Utterance,
        answers: Sequence[int],
        recalled: Recollection,
        jobs: Sequence[Job],
        shown: Mapping[int, str] = NO_WORDS,
        *,
        spending: Spending | None = None,
        at_once: bool = False,
    ) -> Outgoing | None:
        """Stores `reply` in the session of the last of `answers`, with what it was made of."""
        reply = replace(reply, text=well_formed(reply.text))
        nonce = secrets.token_hex(NONCE_BYTES)
        async with self._database.writing() as connection:
            if not answers:
                return None
            found = await look(connection, reply, answers, recalled)
            if not stands(found, answers, recalled) or not await says_still(connection, shown):
                return None
            reply_id = await store_reply(connection, reply, reply.message_id or f"reply:{nonce}", found)
            await deal_with(connection, answers, reply_id)
            await record_sources(connection, reply_id, {*answers, *shown})
            await record_memories(connection, reply_id, ids_of(recalled))
            await add_jobs(connection, [replace(job, subject=job.subject or reply_id) for job in jobs])
            await count_tokens(connection, spending)
            begun = at_once and not found.waits
            state = "sending" if begun else "ready"
            outgoing_id = await put_out(connection, reply_id, reply.place, nonce, state=state)
        if begun:
            self._begun.add(outgoing_id)
        alone = not (found.waits or found.drawn)
        return Outgoing(
            outgoing_id,
            reply.place,
            reply.text,
            nonce,
            reply.reply_to,
            draft=found.draft,
            answers=max(answers),
            alone=alone,
        )

    async def draft(self, place: Place, in_reply_to: str | None, message_id: str | None) -> None:
        """Records which message of `place` shows the growing reply to `in_reply_to` (None: no more), and no other."""
        row = {"place_key": place.key, "in_reply_to": in_reply_to or ""}
        of_place = drafts.delete().where(drafts.c.place_key == place.key)
        async with self._database.writing() as connection:
            if message_id is None:
                await connection.execute(of_place.where(drafts.c.in_reply_to == row["in_reply_to"]))
                return
            await know_place(connection, place)
            await connection.execute(of_place.where(drafts.c.message_id == message_id))
            await put(connection, drafts, row | {"message_id": message_id})

    async def drafts(self, place: Place, in_reply_to: str | None) -> str | None:
        of_reply = (drafts.c.place_key == place.key, drafts.c.in_reply_to == (in_reply_to or ""))
        message_id: str | None = await self._value(select(drafts.c.message_id).where(*of_reply))
        return message_id

    async def unfinished(self, place: Place | None = None) -> list[Draft]:
        awaited = (
            select(drafts, inbox.c.utterance_id.is_not(None).label("asked"))
            .join(places, places.c.key == drafts.c.place_key)
            .outerjoin(
                utterances,
                and_(
                    utterances.c.platform == places.c.platform,
                    utterances.c.message_id == drafts.c.in_reply_to,
                ),
            )
            .outerjoin(inbox, and_(inbox.c.utterance_id == utterances.c.id, inbox.c.state == PENDING))
        )
        unsent = _UNSENT
        if place is not None:
            awaited = awaited.where(drafts.c.place_key == place.key)
            unsent = unsent.where(outbox.c.place_key == place.key)
        async with self._database.reading() as connection:
            rows = (await connection.execute(awaited)).all()
            waiting = (await connection.execute(unsent)).all() if rows else ()
        taken = {(row.place_key, row.reply_to or "") for row in waiting if row.checkin_id is None}
        return [
            Draft(Place.parse(row.place_key), row.in_reply_to or None, row.message_id, asked=row.asked)
            for row in rows
            if (row.place_key, row.in_reply_to) not in taken
        ]

    async def sending(self, outgoing_id: int) -> None:
        if outgoing_id in self._begun:
            self._begun.discard(outgoing_id)
        else:
            await self._move(outgoing_id, state="sending")

    async def part_sent(self, outgoing_id: int, platform_message_id: str, *, last: bool = False) -> bool:
        """Records that the next part has arrived; of a reply that is not on its way any more, nothing."""
        async with self._database.writing() as connection:
            asked = {"id": outgoing_id, "part": platform_message_id}
            reply = (await connection.execute(_ON_ITS_WAY, asked)).one_or_none()
            if reply is None:
                return False
            if reply.known:
                return True
            position = 0 if reply.position is None else reply.position + 1
            part = {"outgoing_id": outgoing_id, "position": position, "platform_message_id": platform_message_id}
            await connection.execute(outbox_parts.insert().values(part))
            if position == 0 and reply.checkin_id is None and reply.drawn:
                of_reply = (drafts.c.place_key == reply.place_key, drafts.c.in_reply_to == (reply.reply_to or ""))
                await connection.execute(drafts.delete().where(*of_reply))
            if last:
                update = outbox.update().where(outbox.c.id == outgoing_id)
                await connection.execute(update.values(state="sent", sent_at=datetime.now(UTC), reason=None))
        if last:
            self._done.add(outgoing_id)
        return True

    async def sent(self, outgoing_id: int) -> None:
        if outgoing_id in self._done:
            self._done.discard(outgoing_id)
        else:
            await self._move(outgoing_id, state="sent", sent_at=datetime.now(UTC), reason=None)

    async def put_back(self, outgoing_id: int) -> None:
        await self._move(outgoing_id, state="ready")

    async def failed(self, outgoing_id: int, reason: str) -> None:
        """Records that the platform refused it for good. `reason`: the error's class, no words of people."""
        await self._move(outgoing_id, state="failed", reason=reason)

    async def undelivered(self, place: Place | None = None) -> list[Outgoing]:
        query = _UNSENT.order_by(outbox.c.id)
        if place is not None:
            query = query.where(outbox.c.place_key == place.key)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
            of, message = outbox_parts.c.outgoing_id, outbox_parts.c.platform_message_id
            parts = await lists_among(connection, of, message, (row.id for row in rows), outbox_parts.c.position)
            drawn = await rows_among(connection, select(drafts), drafts.c.place_key, (row.place_key for row in rows))
            shown = {(kept.place_key, kept.in_reply_to): kept.message_id for kept in drawn}
        found: list[Outgoing] = []
        for row in rows:
            arrived = tuple(parts.get(row.id, ()))
            draft = None if arrived or row.checkin_id is not None else shown.get((row.place_key, row.reply_to or ""))
            found.append(
                Outgoing(
                    row.id,
                    Place.parse(row.place_key),
                    row.text,
                    row.nonce,
                    row.reply_to,
                    uncertain=row.state == "sending" and row.id not in self._begun,
                    draft=draft,
                    parts=arrived,
                    checkin_id=row.checkin_id or 0,
                    answers=row.answers or 0,
                )
            )
        return found

    async def used(self, place: Place, platform_message_id: str | None = None) -> UsedMemories | None:
        """The memories behind a reply in `place`, each kind in order of id; without an id, behind the last one.

        A reply that the platform refused was never seen, so it is not the last one.
        """
        replies = select(outbox.c.utterance_id).where(outbox.c.place_key == place.key)
        if platform_message_id is None:
            chosen = replies.where(outbox.c.state != "failed").order_by(outbox.c.id.desc()).limit(1)
        else:
            of_reply = outbox_parts.c.outgoing_id == outbox.c.id
            chosen = replies.join(outbox_parts, of_reply).where(
                outbox_parts.c.platform_message_id == platform_message_id
            )
        async with self._database.reading() as connection:
            reply_id = await connection.scalar(chosen.limit(1))
            if reply_id is None:
                return None
            reply = (await connection.execute(select_utterances().where(utterances.c.id == reply_id))).one()
            ids = await _memories_of(connection, reply_id)
            return UsedMemories(
                to_utterance(reply),
                tuple(await read_events(connection, ids["event"])),
                tuple(await read_traits(connection, ids["trait"])),
                *[tuple([to_utterance(row) for row in await connection.execute(query)]) for query in _shown(reply_id)],
            )

    async def _move(self, outgoing_id: int, **values: object) -> None:
        """Changes a reply that is still on its way; one that was sent or refused stays so."""
        await self._write(outbox.update().where(outbox.c.id == outgoing_id, _UNDELIVERED).values(**values))


async def store_said(connection: AsyncConnection, reply: Utterance, nonce: str) -> int:
    """Stores an utterance of the companion, in no session yet; returns its id."""
    await know(connection, reply.place, reply.speaker)
    row = utterance_row(reply) | {"message_id": reply.message_id or f"reply:{nonce}"}
    return await insert_one(connection, utterances, row)


def _shown(reply_id: int) -> tuple[Select[Any], Select[Any]]:
    """What a reply was shown of sessions other than its own, and of its own without what it answers; in order of id."""
    reply = utterances.alias("reply")
    own = select(reply.c.session_id).where(reply.c.id == reply_id).scalar_subquery()
    answered = select(answers.c.utterance_id).where(answers.c.reply_id == reply_id)
    shown = select_utterances().join(reply_sources, reply_sources.c.utterance_id == utterances.c.id)
    in_order = shown.where(reply_sources.c.reply_id == reply_id).order_by(utterances.c.id)
    here = in_order.where(utterances.c.session_id == own, utterances.c.id.not_in(answered))
    return in_order.where(utterances.c.session_id != func.coalesce(own, 0)), here


async def _memories_of(connection: AsyncConnection, reply_id: int) -> dict[str, list[int]]:
    ids: dict[str, list[int]] = {kind: [] for kind in MEMORIES}
    columns = select(reply_memories.c.kind, reply_memories.c.memory_id)
    in_order = columns.where(reply_memories.c.reply_id == reply_id).order_by(reply_memories.c.memory_id)
    for kind, memory_id in await connection.execute(in_order):
        ids[kind].append(memory_id)
    return ids
