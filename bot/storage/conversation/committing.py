"""A reply is stored: what has to be known before, in two statements, and the rows that are written."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BindParameter, Row, Table, and_, bindparam, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import JobKind, Place, Recollection, Spending, Utterance
from bot.domain.text import well_formed
from bot.storage.conversation.sessions import found_open
from bot.storage.engine.database import insert_into, insert_new
from bot.storage.shared.privacy_tables import reply_sources
from bot.storage.shared.rows import insert_one, know, part, renew_jobs, some_at_a_time, utterance_row
from bot.storage.shared.tables import (
    OPEN,
    answers,
    drafts,
    events,
    inbox,
    outbox,
    places,
    reply_memories,
    reply_tokens,
    sessions,
    speakers,
    traits,
    utterances,
)

Found = Row[*tuple[Any, ...]]

MEMORIES: dict[str, Table] = {"event": events, "trait": traits}
"""What `reply_memories.kind` names."""

UNDELIVERED = ("ready", "sending")


NONE = [0]
"""Ids that no row has: for an empty list SQLAlchemy has SQLite look through one that it makes up."""


def _ids(name: str) -> BindParameter[int]:
    """Ids that stand in a statement as numbers, not as parameters: of those SQLite takes few."""
    return bindparam(name, expanding=True, literal_execute=True)


_place: BindParameter[str] = bindparam("place")
_answered = select(utterances.c.session_id).where(utterances.c.id == bindparam("latest")).scalar_subquery()
_open = select(sessions.c.id).where(sessions.c.place_key == _place, sessions.c.state == OPEN).scalar_subquery()
_session = func.coalesce(_answered, _open)
"""The session of what was answered, even when it has been closed since; else the open one of the place."""
_of_it = sessions.c.id == _session
_of_reply = and_(drafts.c.place_key == _place, drafts.c.in_reply_to == bindparam("in_reply_to"))

_STATE = select(
    or_(
        select(answers.c.utterance_id).where(answers.c.utterance_id.in_(_ids("ids"))).exists(),
        select(inbox.c.utterance_id).where(inbox.c.utterance_id.in_(_ids("ids")), inbox.c.state == "answered").exists(),
    ).label("answered"),
    part("stored", func.count(), utterances.c.id.in_(_ids("ids"))),
    part("event", func.count(), events.c.id.in_(_ids("events"))),
    part("trait", func.count(), traits.c.id.in_(_ids("traits"))),
    part("session_id", sessions.c.id, _of_it),
    part("session_state", sessions.c.state, _of_it),
    part("session_last", sessions.c.last, _of_it),
    part("session_words", sessions.c.words, _of_it),
    part("position", func.max(utterances.c.position), utterances.c.session_id == _session),
    part("place_key", places.c.key, places.c.key == _place),
    part("speaker_name", speakers.c.name, speakers.c.id == bindparam("speaker")),
    part("draft", drafts.c.message_id, _of_reply),
    select(drafts.c.message_id).where(drafts.c.place_key == _place, ~_of_reply).exists().label("drawn"),
    select(outbox.c.id).where(outbox.c.place_key == _place, outbox.c.state.in_(UNDELIVERED)).exists().label("waits"),
)
"""All that a commit asks but the words. It is run for every reply, so it is put together once."""

_WORDS = select(utterances.c.id, utterances.c.text).where(utterances.c.id.in_(_ids("ids")))
_STORE = insert(utterances).returning(utterances.c.id)


async def look(connection: AsyncConnection, reply: Utterance, ids: Sequence[int], recalled: Recollection) -> Found:
    """What is there of what a reply answers, of what it was made of, and of its place."""
    remembered = ids_of(recalled)
    values = {
        "ids": sorted(ids),
        "latest": max(ids),
        "events": remembered["event"] or NONE,
        "traits": remembered["trait"] or NONE,
        "place": reply.place.key,
        "speaker": reply.speaker.id,
        "in_reply_to": reply.reply_to or "",
    }
    return (await connection.execute(_STATE, values)).one()


def stands(found: Found, ids: Sequence[int], recalled: Recollection) -> bool:
    """Whether all that is answered is stored and has no reply, and all memories are there."""
    remembered = ids_of(recalled)
    here = all(getattr(found, kind) == len({*some}) for kind, some in remembered.items())
    return not found.answered and found.stored == len({*ids}) and here


async def says_still(connection: AsyncConnection, shown: Mapping[int, str]) -> bool:
    """Whether these utterances are stored and say what they said."""
    says: dict[int, str] = {}
    for some in some_at_a_time(shown):
        says.update((row.id, row.text) for row in await connection.execute(_WORDS, {"ids": some}))
    return all(says.get(key) == well_formed(text) for key, text in shown.items())


async def store_reply(connection: AsyncConnection, reply: Utterance, message_id: str, found: Found) -> int:
    """Stores the reply in the session of what it answers; returns its id.

    One that came into a session after its end is recalled all the same, when the rest of it may be a memory already.
    """
    if found.place_key is None or found.speaker_name != reply.speaker.name:
        await know(connection, reply.place, reply.speaker)
    session = found_open(found.session_id, found.session_last, found.session_words, found.position)
    row = utterance_row(reply) | {"message_id": message_id}
    if session is not None:
        row |= {"session_id": session.id, "position": session.following}
    reply_id: int = (await connection.execute(_STORE, row)).scalar_one()
    if session is not None:
        await session.grow(connection, reply)
        if found.session_state == "closed":
            await renew_jobs(connection, JobKind.ARCHIVE, [session.id])
    return reply_id


async def deal_with(connection: AsyncConnection, ids: Sequence[int], reply_id: int) -> None:
    """Records that these utterances are answered by this reply."""
    await insert_new(connection, answers, [{"utterance_id": key, "reply_id": reply_id} for key in ids])
    dealt = inbox.update().where(inbox.c.utterance_id.in_(ids))
    await connection.execute(dealt.values(state="answered", dealt=datetime.now(UTC)))


async def record_sources(connection: AsyncConnection, reply_id: int, ids: Collection[int]) -> None:
    """Records what an utterance of the companion was made of: it goes with any of it."""
    rows = [{"reply_id": reply_id, "utterance_id": key} for key in sorted(ids)]
    await insert_new(connection, reply_sources, rows)


async def record_memories(connection: AsyncConnection, reply_id: int, ids: Mapping[str, Collection[int]]) -> None:
    """Records the memories, by kind, that an utterance of the companion was made with in view: it goes with any."""
    rows = [{"reply_id": reply_id, "kind": kind, "memory_id": key} for kind, some in ids.items() for key in some]
    await insert_new(connection, reply_memories, rows)


async def count_tokens(connection: AsyncConnection, spending: Spending | None) -> None:
    """Adds what a reply has cost."""
    if spending is None or not spending.tokens:
        return
    rows = [{"day": spending.day, "subject": one, "tokens": spending.tokens} for one in {*spending.subjects}]
    statement = insert_into(connection, reply_tokens)
    added = {"tokens": reply_tokens.c.tokens + statement.excluded.tokens}
    await connection.execute(statement.on_conflict_do_update(index_elements=["day", "subject"], set_=added), rows)


async def put_out(
    connection: AsyncConnection, utterance_id: int, place: Place, nonce: str, *, state: str = "ready"
) -> int:
    """Makes a stored utterance of the companion ready to send; returns the id of its row."""
    row = {"utterance_id": utterance_id, "place_key": place.key, "nonce": nonce, "state": state}
    return await insert_one(connection, outbox, row)


def ids_of(recalled: Recollection) -> dict[str, list[int]]:
    """The ids of what was recalled, by what `reply_memories.kind` names."""
    return {
        "event": [event.id for event in recalled.all_events],
        "trait": [found.trait.id for found in recalled.traits],
    }
