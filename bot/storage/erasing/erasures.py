"""Erasing rows, whole, in SQL. `closure.py` says what goes along, `removal.py` takes it out.

Each erasure is one transaction, with the question that confirms it where there is one, and unfinished until the files
were rewritten and looked through.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Row, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import (
    AGENT_ID,
    Confirmed,
    Erased,
    ErasurePreview,
    ErasureReason,
    PlaceKind,
    Receipt,
    Scope,
    Selection,
    Utterance,
    VectorKind,
    grouped,
)
from bot.storage.conversation.erased import remember_erased
from bot.storage.conversation.utterances import named_by
from bot.storage.engine.database import insert_new
from bot.storage.erasing.persons import erase_people, erase_places
from bot.storage.erasing.removal import Removed, Removing, take_out
from bot.storage.memory.events import count_up
from bot.storage.privacy.confirmations import confirm, confirmed_in, take_in
from bot.storage.shared import closure
from bot.storage.shared.audience import identities_of
from bot.storage.shared.care_tables import checkin_wishes
from bot.storage.shared.closure import gone_events, gone_traits, gone_utterances
from bot.storage.shared.digests import digest, digest_key, known_key
from bot.storage.shared.privacy_tables import erasure_vectors, erasures, identities, opt_outs
from bot.storage.shared.rows import insert_one, rows_among
from bot.storage.shared.tables import (
    channel_modes,
    drafts,
    event_speakers,
    events,
    outbox,
    places,
    reply_tokens,
    sessions,
    speakers,
    traits,
    utterances,
)

_OF_SPEAKER: tuple[Column[Any], ...] = (
    utterances.c.speaker_id,
    traits.c.speaker_id,
    event_speakers.c.speaker_id,
    opt_outs.c.person_id,
    identities.c.speaker_id,
    checkin_wishes.c.speaker_id,
)
"""What ties a speaker to anything that is kept and was said or decided, but consent."""

_OF_PLACE: tuple[Column[Any], ...] = (
    *(table.c.place_key for table in (utterances, sessions, outbox, drafts, events, traits, channel_modes)),
    opt_outs.c.scope,
)
"""What refers to a place."""

_UNFINISHED = or_(erasures.c.done_at.is_(None), erasures.c.found > 0)
"""The files are to be rewritten: for the first time, or once more because something was found in them."""


class SqlErasures(Removing):
    """Implements `bot.ports.Erasures`."""

    async def preview(self, selection: Selection, subject: str | None = None) -> ErasurePreview:
        """What `erase` would do. Writes nothing that others can see, so it waits for no writer."""
        async with self._database.reading() as connection:
            await self._choose(connection, selection)
            seen = await _readable(connection, subject)
            by_agent = utterances.c.speaker_id == AGENT_ID
            said = select(by_agent, utterances.c.place_key, func.count())
            said = said.where(utterances.c.id.in_(select(gone_utterances.c.id)))
            counts = {False: 0, True: 0}
            for agent, place_key, count in await connection.execute(said.group_by(by_agent, utterances.c.place_key)):
                counts[bool(agent)] += count if not agent or _is_seen(place_key, seen) else 0
            memories: list[tuple[int, ...]] = []
            for rows, gone in ((events, gone_events), (traits, gone_traits)):
                query = select(rows.c.id, rows.c.place_key).where(rows.c.id.in_(select(gone.c.id)))
                found = await connection.execute(query.order_by(rows.c.id))
                memories.append(tuple(row_id for row_id, place_key in found if _is_seen(place_key, seen)))
        return ErasurePreview(counts[False], counts[True], *memories)

    async def erase(
        self,
        selection: Selection,
        reason: ErasureReason,
        now: datetime,
        subject: str | None = None,
        confirmation: str = "",
    ) -> Erased:
        """Erases from all tables, with what comes from it. There is a receipt also when nothing was stored of it.

        `confirmation` is noted first, and used up in the same transaction. Where it is not valid, or not all of the
        selection is the subject's own any more, nothing is erased: the id is 0.
        """
        if confirmation:
            async with self._database.writing() as connection:
                await confirm(connection, confirmation, subject or "", reason, now)
        async with self._database.writing() as connection:
            if confirmation and not await _confirmed(connection, selection, subject or "", confirmation, now):
                return Erased(0)
            await self._choose(connection, selection)
            seen = await _readable(connection, subject)
            removed = await take_out(connection)
            _count_seen(removed, seen)
            whole = Counter(await erase_people(connection, selection.people))
            whole.update(await erase_places(connection, closure.all_places(selection)))
            removed.counts |= whole
            if selection.people or selection.places:
                await count_up(connection)
            await _forget_strangers(connection, removed.utterances, whole_places=bool(selection.places))
            erasure_id = await note(connection, reason, removed, now, subject)
        return self._erased(erasure_id, removed)

    async def erase_messages(self, platform: str, message_ids: Sequence[str], now: datetime) -> Erased:
        """Erases utterances, and the companion's of which one of these messages is a part.

        Where nothing of it is stored there is no erasure: the id is 0.
        """
        async with self._database.writing() as connection:
            found = {row.id for row in await named_by(connection, platform, message_ids)}
            removed, erasure_id = Removed(), 0
            if found:
                await self._choose(connection, Selection(utterances=tuple(sorted(found))))
                removed = await take_out(connection)
                await _forget_strangers(connection, removed.utterances)
                erasure_id = await note(connection, ErasureReason.DELETED, removed, now)
            asked = ((platform, message_id) for message_id in message_ids)
            await remember_erased(connection, asked, now)
        return self._erased(erasure_id, removed)

    async def confirmed(self) -> list[Confirmed]:
        async with self._database.reading() as connection:
            return await confirmed_in(connection)

    async def unfinished(self) -> list[tuple[int, tuple[tuple[Scope, tuple[int, ...]], ...]]]:
        waiting = select(erasures.c.id).where(_UNFINISHED).order_by(erasures.c.id)
        rows = select(erasure_vectors).join(erasures, erasures.c.id == erasure_vectors.c.erasure_id)
        in_order = rows.where(_UNFINISHED).order_by(
            erasure_vectors.c.kind, erasure_vectors.c.place_key, erasure_vectors.c.row_id
        )
        async with self._database.reading() as connection:
            ids = (await connection.execute(waiting)).scalars().all()
            found = (await connection.execute(in_order)).all()
        of_scope = grouped(((row.erasure_id, Scope(VectorKind(row.kind), row.place_key)), row.row_id) for row in found)
        vectors = grouped((key, (scope, tuple(row_ids))) for (key, scope), row_ids in of_scope.items())
        return [(key, tuple(vectors.get(key, ()))) for key in ids]

    async def finish(self, erasure_id: int, found: int | None, now: datetime) -> Receipt:
        """Records that the files were rewritten and looked through, and drops what only that needed, from the disk too.

        Where something was found it stays unfinished, so that it is tried again. One that was finished before stays as
        it was. KeyError when there is none of that id.
        """
        this = erasures.c.id == erasure_id
        async with self._database.writing() as connection:
            undone = erasures.update().where(this, _UNFINISHED)
            await connection.execute(undone.values(done_at=now, found=found))
            if not found:
                await connection.execute(erasure_vectors.delete().where(erasure_vectors.c.erasure_id == erasure_id))
            row = (await connection.execute(select(erasures).where(this))).one_or_none()
        if row is None:
            raise KeyError(erasure_id)
        await self._database.settle([erasures.name, erasure_vectors.name])
        return _to_receipt(row)

    async def receipt(self, erasure_id: int) -> Receipt | None:
        rows = await self._rows(select(erasures).where(erasures.c.id == erasure_id))
        return _to_receipt(rows[0]) if rows else None

    async def receipts(self, speaker_id: str, limit: int) -> list[Receipt]:
        async with self._database.reading() as connection:
            key = await known_key(connection)
            if key is None:
                return []
            theirs = erasures.c.subject == _subject(key, speaker_id)
            query = select(erasures).where(theirs).order_by(erasures.c.id.desc()).limit(limit)
            return [_to_receipt(row) for row in await connection.execute(query)]

    async def _choose(self, connection: AsyncConnection, selection: Selection) -> None:
        await closure.begin(connection)
        await closure.choose(connection, selection)
        await closure.close(connection)


async def note(
    connection: AsyncConnection, reason: ErasureReason, removed: Removed, now: datetime, subject: str | None = None
) -> int:
    """Makes the row of an unfinished erasure in a writing transaction, with the vectors that must go; returns its id.

    Which messages went is remembered, too. The files follow it then: `Eraser.follow` is to be told of it when the
    transaction is over.
    """
    await remember_erased(connection, removed.message_ids, now)
    digested = None if subject is None else _subject(await digest_key(connection), subject)
    told = json.dumps({kind: count for kind, count in removed.counts.items() if count})
    row = {"reason": reason.value, "subject": digested, "at": now, "counts": told}
    erasure_id = await insert_one(connection, erasures, row)
    rows = [
        {"erasure_id": erasure_id, "kind": scope.kind.value, "place_key": scope.place_key, "row_id": row_id}
        for scope, ids in removed.vectors()
        for row_id in ids
    ]
    await insert_new(connection, erasure_vectors, rows)
    return erasure_id


async def _confirmed(
    connection: AsyncConnection, selection: Selection, speaker_id: str, token: str, now: datetime
) -> bool:
    """Uses up the question; whether it was this person's, and all of the selection is theirs now.

    Between question and answer somebody may have parted from an identity: it is a stranger's from then on.
    """
    if await take_in(connection, token, speaker_id, now) is None:
        return False
    mine = await identities_of(connection, speaker_id)
    if not {*selection.people} <= {*mine} or not {*selection.places} <= {*_dms_of(mine)}:
        return False
    others = select(utterances.c.id).where(utterances.c.speaker_id.not_in(mine)).limit(1)
    return not await rows_among(connection, others, utterances.c.id, selection.utterances)


async def _readable(connection: AsyncConnection, speaker_id: str | None) -> frozenset[str] | None:
    """The keys of the places that this person can read: their DMs, and the channels where they spoke. None: all.

    What goes along anywhere else would tell them what others talk about in private.
    """
    if speaker_id is None:
        return None
    mine = await identities_of(connection, speaker_id)
    spoke = select(utterances.c.place_key).join(places, places.c.key == utterances.c.place_key)
    spoke = spoke.where(utterances.c.speaker_id.in_(mine), places.c.kind == PlaceKind.CHANNEL.value)
    return frozenset({*_dms_of(mine), *(await connection.execute(spoke.distinct())).scalars()})


def _is_seen(place_key: str, seen: frozenset[str] | None) -> bool:
    return seen is None or place_key in seen


def _count_seen(removed: Removed, seen: frozenset[str] | None) -> None:
    """Has the receipt count only what its person could read."""
    theirs = {
        "replies": sum(said.speaker.is_agent and _is_seen(said.place.key, seen) for said in removed.utterances),
        "events": sum(_is_seen(place_key, seen) for place_key in removed.events.values()),
        "traits": sum(_is_seen(place_key, seen) for place_key in removed.traits.values()),
    }
    if any(removed.counts[kind] != count for kind, count in theirs.items()):
        removed.counts = {"utterances": removed.counts["utterances"], **theirs}  # the others would tell of the rest


def _dms_of(people: Iterable[str]) -> list[str]:
    """The keys of the DMs with these people."""
    return closure.all_places(Selection(people=tuple(people)))


async def _forget_strangers(
    connection: AsyncConnection, said: Iterable[Utterance], *, whole_places: bool = False
) -> None:
    """Removes names and ids of those whose words were off the record and of whom nothing else is kept.

    With `whole_places` those of everybody who is known from there alone. What they answered about consent stays, so
    that they are not asked again.
    """
    gone = (one.speaker for one in said if one.off_record or whole_places)
    for speaker_id in sorted({speaker.id for speaker in gone if not speaker.is_agent}):
        if await _is_named(connection, _OF_SPEAKER, speaker_id):
            continue
        await connection.execute(reply_tokens.delete().where(reply_tokens.c.subject == speaker_id))
        await connection.execute(speakers.delete().where(speakers.c.id == speaker_id))
        for key in _dms_of([speaker_id]):
            if not await _is_named(connection, _OF_PLACE, key):
                await connection.execute(places.delete().where(places.c.key == key))


async def _is_named(connection: AsyncConnection, columns: Iterable[Column[Any]], value: str) -> bool:
    """Whether a row of one of these columns has this value."""
    for column in columns:
        if await connection.scalar(select(column).where(column == value).limit(1)) is not None:
            return True
    return False


def _subject(key: bytes, speaker_id: str) -> str:
    """What stands in a receipt for whoever may look it up."""
    return digest(key, "person", speaker_id)


def _to_receipt(row: Row[*tuple[Any, ...]]) -> Receipt:
    counts: dict[str, int] = json.loads(row.counts)
    return Receipt(
        id=row.id,
        reason=ErasureReason(row.reason),
        asked=row.at,
        counts=tuple(counts.items()),
        done=row.done_at,
        found=row.found,
    )
