"""What was stored before a look for signs of danger existed, in SQL: how far its review is, and what goes by it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import AGENT_ID, TOLD, Erased, ErasureReason, Utterance
from bot.storage.care.care_sources import TRAIT
from bot.storage.engine.database import put
from bot.storage.erasing.erasures import note
from bot.storage.erasing.removal import Removing, take_out
from bot.storage.shared import closure
from bot.storage.shared.care_rows import COMPOSED, HAS_ARRIVED, remove_characters
from bot.storage.shared.care_tables import checkin_words, checkins
from bot.storage.shared.closure import gone_traits
from bot.storage.shared.privacy_tables import reply_sources
from bot.storage.shared.rows import column_among, select_utterances, some_at_a_time, to_utterance
from bot.storage.shared.tables import answers, meta, outbox, reply_memories, utterances

KEY = "safety_review"
"""The key in `meta` under which it is noted: the version of the look, the last utterance reviewed, and the last one to
review, with spaces between. Earlier programs counted the version, so theirs is another one."""


@dataclass(frozen=True, slots=True)
class _Progress:
    look: str
    done: int
    """The id of the last utterance that was reviewed."""
    until: int
    """That of the last one to review."""


class SqlSafetyReviews(Removing):
    """Implements `bot.ports.SafetyReviews`."""

    async def begin(self, look: str) -> bool:
        async with self._database.reading() as connection:
            progress = await _progress(connection)
        if progress is None or progress.look != look:
            async with self._database.writing() as connection:
                newest = await connection.scalar(select(func.max(utterances.c.id)))
                progress = _Progress(look, 0, newest or 0)
                await _record(connection, progress)
        return progress.done < progress.until

    async def unreviewed(self, limit: int) -> list[Utterance]:
        async with self._database.reading() as connection:
            progress = await _progress(connection)
            if progress is None or progress.done >= progress.until:
                return []
            rest = (utterances.c.id > progress.done, utterances.c.id <= progress.until)
            by_people = (utterances.c.speaker_id != AGENT_ID, utterances.c.message_id.not_like(f"{TOLD}%"))
            query = select_utterances().where(*rest, *by_people).order_by(utterances.c.id).limit(limit)
            return [to_utterance(row) for row in await connection.execute(query)]

    async def behind_unsent(self) -> list[Utterance]:
        """What check-ins that surely nobody has seen are made of."""
        behind = select(reply_sources.c.utterance_id).where(reply_sources.c.reply_id.in_(_unsent()))
        query = select_utterances().where(utterances.c.id.in_(behind), utterances.c.speaker_id != AGENT_ID)
        return [to_utterance(row) for row in await self._rows(query.order_by(utterances.c.id))]

    async def reviewed(self, until: int, withheld: Collection[int], now: datetime) -> Erased:
        """Records how far it is, and takes out what was derived from what is withheld."""
        ids = sorted(withheld)
        async with self._database.writing() as connection:
            progress = await _progress(connection)
            if progress is not None:
                await _record(connection, _Progress(progress.look, max(until, progress.done), progress.until))
            if not ids:
                return Erased(0)
            await closure.begin(connection)
            await closure.choose_derived(connection, [*ids, *await _replies_to(connection, ids)])
            await closure.choose_utterances(connection, await _unsent_of(connection, ids))
            await closure.close(connection)
            await remove_characters(connection, ids)
            words = await _remove_backgrounds(connection, ids)
            removed = await take_out(connection)
            removed.texts |= words
            if not (removed.texts or removed.vectors()):
                return Erased(0)
            erasure_id = await note(connection, ErasureReason.WITHHELD, removed, now)
        return self._erased(erasure_id, removed)

    async def end(self) -> None:
        async with self._database.writing() as connection:
            progress = await _progress(connection)
            if progress is not None:
                await _record(connection, _Progress(progress.look, progress.until, progress.until))

    async def forget(self) -> None:
        async with self._database.reading() as connection:
            if await _progress(connection) is None:
                return
        async with self._database.writing() as connection:
            await connection.execute(meta.delete().where(meta.c.key == KEY))


async def _progress(connection: AsyncConnection) -> _Progress | None:
    """How far it is; None: it has not begun."""
    value = await connection.scalar(select(meta.c.value).where(meta.c.key == KEY))
    if value is None:
        return None
    look, done, until = value.split()
    return _Progress(look, int(done), int(until))


async def _record(connection: AsyncConnection, progress: _Progress) -> None:
    value = f"{progress.look} {progress.done} {progress.until}"
    await put(connection, meta, {"key": KEY, "value": value})


def _unsent() -> Select[int]:
    """The utterances of check-ins that surely nobody has seen."""
    waiting = select(outbox.c.utterance_id).join(checkins, checkins.c.utterance_id == outbox.c.utterance_id)
    return waiting.where(checkins.c.state == COMPOSED, outbox.c.state == "ready", ~HAS_ARRIVED.element)


async def _replies_to(connection: AsyncConnection, ids: Sequence[int]) -> list[int]:
    """What the companion answered to these: it may have said again what stood in them."""
    line, reply = utterances.alias("line"), utterances.alias("reply")
    same = and_(reply.c.platform == line.c.platform, reply.c.reply_to == line.c.message_id)
    recorded = select(reply.c.id).select_from(line).join(reply, same).where(reply.c.speaker_id.concat("") == AGENT_ID)
    answered = await column_among(connection, select(answers.c.reply_id), answers.c.utterance_id, ids)
    return sorted({*answered, *await column_among(connection, recorded, line.c.id, ids)})


async def _unsent_of(connection: AsyncConnection, ids: Sequence[int]) -> list[int]:
    """Those that were made of these, or with a trait in view that is chosen to go."""
    gone = (reply_memories.c.kind == TRAIT, reply_memories.c.memory_id.in_(select(gone_traits.c.id)))
    of_words = select(reply_sources.c.reply_id)
    made_of = [of_words.where(reply_sources.c.utterance_id.in_(some)) for some in some_at_a_time(ids)]
    made_of.append(select(reply_memories.c.reply_id).where(*gone))
    unsent = [_unsent().where(outbox.c.utterance_id.in_(replies)) for replies in made_of]
    return sorted({one for query in unsent for one in await connection.scalars(query)})


async def _remove_backgrounds(connection: AsyncConnection, ids: Sequence[int]) -> set[str]:
    """Removes what stands beside check-ins that were made of these, and returns its words."""
    found: set[str] = set()
    for some in some_at_a_time(ids):
        of_words = select(reply_sources.c.reply_id).where(reply_sources.c.utterance_id.in_(some))
        removed = checkin_words.delete().where(checkin_words.c.utterance_id.in_(of_words))
        columns = removed.returning(checkin_words.c.background, checkin_words.c.intention)
        found.update(words for row in await connection.execute(columns) for words in row)
    return found - {""}
