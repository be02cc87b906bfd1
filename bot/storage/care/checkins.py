"""Check-ins in SQL."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, bindparam, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import (
    CareWishes,
    CheckIn,
    CheckInState,
    Circumstances,
    Composed,
    Opened,
    Outgoing,
    Utterance,
    Why,
)
from bot.domain.text import well_formed
from bot.storage.care.care_sources import (
    TRAIT,
    are_readable,
    are_true,
    record_about,
    sources_of,
    spoken_of,
    stands,
    traits_of,
)
from bot.storage.conversation.circumstances import (
    AHEAD,
    HELD,
    circumstances,
    count_anew,
    is_held,
    is_waiting,
    last_said_by,
)
from bot.storage.conversation.committing import put_out, record_memories, record_sources, says_still
from bot.storage.conversation.outbox import NONCE_BYTES, store_said
from bot.storage.conversation.sessions import begin_again, begin_session
from bot.storage.engine.database import insert_new, put
from bot.storage.engine.store import Store
from bot.storage.privacy.decisions import person_of
from bot.storage.shared.audience import identities_of
from bot.storage.shared.care_rows import (
    CLAIMED,
    HAS_ARRIVED,
    SKIPPED,
    WAS_SENT,
    composed_values,
    legible,
    numbered,
    numbers,
    refused_before,
    select_checkins,
    standing,
    to_checkin,
    to_wishes,
    unsaid,
    wishes_row,
    words_row,
)
from bot.storage.shared.care_tables import checkin_wishes, checkin_words, checkins
from bot.storage.shared.rows import CHECK_IN, write_among
from bot.storage.shared.tables import meta, outbox, utterances

_BY_TIME = select(checkin_wishes).order_by(checkin_wishes.c.next_at, checkin_wishes.c.person_id)
"""Wishes in the order of their next moment."""

# Asked for at every look, so they are put together once.
_WISHES = select(checkin_wishes).where(checkin_wishes.c.person_id == bindparam("person"))
_OVER = (
    select(checkins.c.id)
    .where(
        checkins.c.state == CLAIMED,
        or_(checkins.c.lease_until <= bindparam("now"), checkins.c.lease_until > bindparam("ahead")),
    )
    .order_by(checkins.c.lease_until, checkins.c.id)
    .limit(1)
)


class SqlCheckIns(Store):
    """Implements `bot.ports.CheckIns`."""

    async def wishes(self, speaker_id: str) -> CareWishes:
        async with self._database.reading() as connection:
            row = await _wishes_of(connection, speaker_id)
        return CareWishes(speaker_id) if row is None else to_wishes(row, speaker_id)

    async def choose(self, wishes: CareWishes) -> None:
        async with self._database.writing() as connection:
            before = await _wishes_of(connection, wishes.speaker_id)
            person = await person_of(connection, wishes.speaker_id)
            await put(connection, checkin_wishes, wishes_row(person, wishes))
            if wishes.on and (before is None or not before.wanted):
                await count_anew(connection, wishes.speaker_id)

    async def switch_off(self, speaker_id: str) -> None:
        await self._change(speaker_id, wanted=False, next_at=None)

    async def offered(self, speaker_id: str) -> None:
        await self._put(speaker_id, offered=True)

    async def answered(self, speaker_id: str, at: datetime) -> None:
        await self._change(speaker_id, answered_at=at)

    async def circumstances(self, speaker_id: str, now: datetime) -> Circumstances:
        """What has happened so far; `agreed` and `minor` are what they are by default."""
        async with self._database.reading() as connection:
            return await circumstances(connection, speaker_id, now)

    async def helped(self, speaker_id: str, at: datetime) -> None:
        await self._put(speaker_id, helped=at)

    async def due(self, now: datetime, limit: int) -> list[CareWishes]:
        """The wishes with `next_at` up to `now`, the longest due first; for a row that cannot be read none is due."""
        rows = await self._rows(_BY_TIME.where(checkin_wishes.c.next_at <= now).limit(limit))
        found = legible(rows)
        if len(found) < len(rows):
            unread = [row.person_id for row in rows if not legible([row])]
            await self._write(
                checkin_wishes.update().where(checkin_wishes.c.person_id.in_(unread)).values(next_at=None)
            )
        return found

    async def unplanned(self, limit: int, after: str = "") -> list[CareWishes]:
        which = (checkin_wishes.c.wanted, checkin_wishes.c.next_at.is_(None), checkin_wishes.c.speaker_id > after)
        query = select(checkin_wishes).where(*which).order_by(checkin_wishes.c.speaker_id).limit(limit)
        return legible(await self._rows(query))

    async def set_right(self, now: datetime) -> int:
        said = checkins.update().where(checkins.c.said_at > now + AHEAD).values(said_at=now)
        helped = checkin_wishes.update().where(checkin_wishes.c.helped > now + AHEAD).values(helped=now)
        async with self._database.writing() as connection:
            return sum([(await connection.execute(one)).rowcount for one in (said, helped)])

    async def astray(self, after: datetime, limit: int) -> list[CareWishes]:
        paused = and_(checkin_wishes.c.paused_until.is_not(None), checkin_wishes.c.paused_until > after)
        return legible(await self._rows(_BY_TIME.where(checkin_wishes.c.next_at > after, ~paused).limit(limit)))

    async def claim(
        self, wishes: CareWishes, next_at: datetime | None, until: datetime, why: Why | None = None
    ) -> CheckIn | None:
        async with self._database.writing() as connection:
            speaker_id = None if wishes.place is None else wishes.place.dm_person
            if wishes.next_at is None or not await _move(connection, wishes, next_at) or speaker_id is None:
                return None
            row = {"speaker_id": speaker_id, "due": wishes.next_at, "state": "claimed", "lease_until": until}
            if why is not None:
                row |= {"state": "skipped", "why": why.value, "lease_until": None}
            if not await insert_new(connection, checkins, [row | {"attempts": 1}]):
                return None
            this = (checkins.c.speaker_id == speaker_id, checkins.c.due == wishes.next_at)
            return to_checkin((await connection.execute(select_checkins().where(*this))).one())

    async def plan(self, wishes: CareWishes, next_at: datetime | None) -> bool:
        async with self._database.writing() as connection:
            return await _move(connection, wishes, next_at)

    async def take_over(self, now: datetime, lease: timedelta) -> CheckIn | None:
        """A claimed check-in whose lease ran out, or is of a clock that was ahead, claimed anew."""
        async with self._database.writing() as connection:
            checkin_id = await connection.scalar(_OVER, {"now": now, "ahead": now + 2 * lease})
            if checkin_id is None:
                return None
            this = checkins.update().where(checkins.c.id == checkin_id)
            await connection.execute(this.values(lease_until=now + lease, attempts=checkins.c.attempts + 1))
            return await _get(connection, checkin_id)

    async def skip(self, checkin: CheckIn, why: Why) -> bool:
        """Ends a claimed check-in without sending it, if nobody has taken it over."""
        this = checkins.update().where(*_claim(checkin))
        return await self._write(this.values(state="skipped", why=why.value, lease_until=None)) > 0

    async def compose(
        self, checkin: CheckIn, message: Utterance, composed: Composed, since: datetime
    ) -> Outgoing | None:
        """Stores the words of a claimed check-in. ValueError when `message` is for another place.

        Its text is that of `composed`. None also when the person has paused them, or the owner has stopped all.
        """
        if message.place != checkin.place:
            raise ValueError("a check-in goes to the DM that it was claimed for")
        said = replace(message, message_id=f"{CHECK_IN}{checkin.id}", text=well_formed(composed.text))
        nonce = secrets.token_hex(NONCE_BYTES)
        async with self._database.writing() as connection:
            sources, toned_by = dict(composed.sources), dict(composed.toned_by)
            fits = await _is_claimed(connection, checkin) and await _is_wanted(connection, checkin, said.time)
            if not fits or await _has_come_between(connection, checkin, since, said.time):
                return None
            if not await stands(connection, checkin.speaker_id, composed):
                return None
            utterance_id = await store_said(connection, said, nonce)
            await begin_session(connection, utterance_id, said)
            await record_sources(connection, utterance_id, sources | toned_by)
            await record_memories(connection, utterance_id, {TRAIT: composed.traits})
            outgoing_id = await put_out(connection, utterance_id, said.place, nonce)
            await connection.execute(checkin_words.insert().values(words_row(checkin.id, utterance_id, composed)))
            this = checkins.update().where(checkins.c.id == checkin.id)
            await connection.execute(this.values(composed_values(utterance_id, said.time, composed)))
            await record_about(connection, checkin.id, composed.about or sources)
        return Outgoing(outgoing_id, said.place, said.text, nonce, checkin_id=checkin.id)

    async def is_readable(self, checkin_id: int) -> bool:
        this = select(checkins.c.utterance_id, checkins.c.speaker_id).where(checkins.c.id == checkin_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(this)).one_or_none()
            if row is None or row.utterance_id is None:
                return False
            if not await are_true(connection, await traits_of(connection, row.utterance_id)):
                return False
            return await are_readable(connection, row.speaker_id, await sources_of(connection, row.utterance_id))

    async def withdraw(self, checkin_id: int, why: Why) -> int:
        query = select_checkins().add_columns(HAS_ARRIVED).where(checkins.c.id == checkin_id)
        async with self._database.writing() as connection:
            row = (await connection.execute(query)).one_or_none()
            if row is None or row.utterance_id is None:
                return 0
            if row.state != "skipped":
                if row.has_arrived or standing(row)[0] is not CheckInState.COMPOSED:
                    return 0
                this = checkins.update().where(checkins.c.id == checkin_id)
                await connection.execute(this.values(state="skipped", why=why.value))
                unsent = outbox.update().where(outbox.c.utterance_id == row.utterance_id)
                await connection.execute(unsent.values(state="failed", reason="withdrawn"))
            return int(row.utterance_id)

    async def unsaid(self, limit: int) -> list[int]:
        """The utterances of check-ins that were withdrawn and are still there, oldest first."""
        return list(await self._column(unsaid().limit(limit)))

    async def get(self, checkin_id: int) -> CheckIn | None:
        async with self._database.reading() as connection:
            return await _get(connection, checkin_id)

    async def latest(self, limit: int, speaker_id: str | None = None, *, sent: bool = False) -> list[CheckIn]:
        query = select_checkins().order_by(checkins.c.id.desc()).limit(limit)
        if sent:
            query = query.where(WAS_SENT)
        async with self._database.reading() as connection:
            if speaker_id is not None:
                query = query.where(checkins.c.speaker_id.in_(await identities_of(connection, speaker_id)))
            return [to_checkin(row) for row in await connection.execute(query)]

    async def planned(self, limit: int) -> list[CareWishes]:
        return legible(await self._rows(_BY_TIME.where(checkin_wishes.c.next_at.is_not(None)).limit(limit)))

    async def opened(self, session_id: int) -> Opened | None:
        """The check-in that opened this session, if what it is made of may still be shown there."""
        query = select(checkin_words, checkins.c.speaker_id).join(checkins, checkins.c.id == checkin_words.c.checkin_id)
        itself = query.join(utterances, utterances.c.id == checkin_words.c.utterance_id)
        begun = query.where(checkin_words.c.session_id == session_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(begun)).first()
            row = row or (await connection.execute(itself.where(utterances.c.session_id == session_id))).first()
            if row is None:
                return None
            sources = await sources_of(connection, row.utterance_id)
            if not await are_readable(connection, row.speaker_id, sources):
                return None
        toned_by = numbered(row.toned_by)
        return Opened(row.checkin_id, row.utterance_id, row.background, row.intention, sources, toned_by)

    async def rethink(
        self, checkin_id: int, background: str, intention: str, sources: Sequence[tuple[int, str]], since: int
    ) -> bool:
        this = checkin_words.c.checkin_id == checkin_id
        async with self._database.writing() as connection:
            of_checkin = select(checkin_words.c.utterance_id, checkin_words.c.toned_by, checkins.c.speaker_id)
            row = (await connection.execute(of_checkin.join(checkins).where(this))).one_or_none()
            if row is None or not await says_still(connection, dict(sources)):
                return False
            if not await are_readable(connection, row.speaker_id, dict(sources)):
                return False
            new: dict[str, str | int] = {
                "background": well_formed(background),
                "intention": well_formed(intention),
                "toned_by": numbers({*numbered(row.toned_by)} - {*dict(sources)}),
            }
            if (session_id := await begin_again(connection, since)) is not None:
                new["session_id"] = session_id
            await connection.execute(checkin_words.update().where(this).values(new))
            await record_sources(connection, row.utterance_id, dict(sources))
            await record_about(connection, checkin_id, dict(sources))
        return True

    async def spoken_of(self, speaker_id: str, limit: int) -> list[tuple[datetime, tuple[int, ...]]]:
        async with self._database.reading() as connection:
            return await spoken_of(connection, await identities_of(connection, speaker_id), limit)

    async def hold(self, *, on: bool) -> None:
        async with self._database.writing() as connection:
            if on:
                await put(connection, meta, {"key": HELD, "value": "1"})
            else:
                await connection.execute(meta.delete().where(meta.c.key == HELD))

    async def prune(self, before: datetime) -> int:
        async with self._database.writing() as connection:
            skipped = (checkins.c.state == SKIPPED, checkins.c.utterance_id.is_(None), checkins.c.due < before)
            number = (await connection.execute(checkins.delete().where(*skipped))).rowcount
            refused = [one for which in refused_before(before) for one in await connection.scalars(which)]
            return number + await write_among(connection, checkins.delete(), checkins.c.id, refused)

    async def _put(self, speaker_id: str, **values: object) -> None:
        """Sets these columns of what a person chose, whether they ever chose anything or not."""
        async with self._database.writing() as connection:
            person = await person_of(connection, speaker_id)
            await put(connection, checkin_wishes, {"person_id": person, **values})

    async def _change(self, speaker_id: str, **values: object) -> None:
        """Changes only these columns of what a person chose, if they ever chose anything."""
        async with self._database.writing() as connection:
            theirs = checkin_wishes.c.person_id == await person_of(connection, speaker_id)
            await connection.execute(checkin_wishes.update().where(theirs).values(**values))


async def _wishes_of(connection: AsyncConnection, speaker_id: str) -> Row[*tuple[Any, ...]] | None:
    theirs = {"person": await person_of(connection, speaker_id)}
    return (await connection.execute(_WISHES, theirs)).one_or_none()


async def _move(connection: AsyncConnection, wishes: CareWishes, next_at: datetime | None) -> bool:
    """Plans another moment, if the one of `wishes` is what is stored."""
    theirs = checkin_wishes.c.person_id == await person_of(connection, wishes.speaker_id)
    unchanged = checkin_wishes.c.next_at.is_not_distinct_from(wishes.next_at)
    as_it_was = checkin_wishes.update().where(theirs, unchanged)
    return (await connection.execute(as_it_was.values(next_at=next_at))).rowcount > 0


async def _get(connection: AsyncConnection, checkin_id: int) -> CheckIn | None:
    row = (await connection.execute(select_checkins().where(checkins.c.id == checkin_id))).one_or_none()
    return None if row is None else to_checkin(row)


async def _is_claimed(connection: AsyncConnection, checkin: CheckIn) -> bool:
    """Whether nobody has taken it over since."""
    return await connection.scalar(select(checkins.c.id).where(*_claim(checkin))) is not None


def _claim(checkin: CheckIn) -> tuple[ColumnElement[bool], ...]:
    """The row of a check-in, while it is claimed as it was then."""
    return checkins.c.id == checkin.id, checkins.c.state == CLAIMED, checkins.c.attempts == checkin.attempts


async def _is_wanted(connection: AsyncConnection, checkin: CheckIn, now: datetime) -> bool:
    """Whether check-ins are on in this DM, not paused, and not stopped for all."""
    row = await _wishes_of(connection, checkin.speaker_id)
    if row is None or not row.wanted or row.speaker_id != checkin.speaker_id:
        return False
    paused = row.paused_until is not None and row.paused_until > now
    return not paused and not await is_held(connection)


async def _has_come_between(connection: AsyncConnection, checkin: CheckIn, since: datetime, now: datetime) -> bool:
    """Whether the person said something later, something that they said waits, or another check-in came or comes."""
    people = await identities_of(connection, checkin.speaker_id)
    last = await last_said_by(connection, checkin.speaker_id, people, now)
    if (last is not None and last > since) or await is_waiting(connection, people):
        return True
    others = select(checkins.c.id).outerjoin(outbox, outbox.c.utterance_id == checkins.c.utterance_id)
    theirs = (checkins.c.speaker_id.in_(people), checkins.c.id != checkin.id, checkins.c.state != SKIPPED)
    fresh = or_(checkins.c.said_at > since, outbox.c.state.in_(("ready", "sending")))
    return await connection.scalar(others.where(*theirs, fresh).limit(1)) is not None
