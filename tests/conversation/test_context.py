"""What a turn sees of the conversation is of its own place."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.clock import ManualClock
from bot.config import SessionSettings
from bot.conversation.context import Context
from bot.conversation.session import ShortTermMemory
from bot.domain import Place, Recollection, Utterance
from tests.open_rows import open_rows
from tests.stored import ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL, START, Rows, reply_to

THREAD = replace(HALL, ref=f"{HALL.ref}/thread")


def context_of(rows: Rows) -> Context:
    short_term = ShortTermMemory(sessions=rows.sessions, clock=ManualClock(START), settings=SessionSettings())
    return Context(utterances=rows.utterances, short_term=short_term)


async def answering(rows: Rows, place: Place, message_id: str) -> Utterance:
    """A message of Ben's that replies to that one."""
    said = replace(rows.utterance("so do I", speaker=BEN, place=place), reply_to=message_id)
    stored = await rows.inbox.accept(said)
    assert stored is not None
    return stored


async def test_a_reply_brings_what_it_answers_in_also_from_an_older_session() -> None:
    async with open_rows() as rows:
        [older] = (await rows.converse(HALL, [BEN])).utterances
        context = context_of(rows)
        session = await context.take_in([await answering(rows, HALL, older.message_id)])
        links = await context.links(session)
        assert {message_id: line.text for message_id, line in links.items()} == {older.message_id: older.text}


@pytest.mark.parametrize("origin", [ANNS_DM, BENS_DM, OTHER_HALL, THREAD])
async def test_a_reply_to_a_message_of_another_place_does_not_bring_it_in(origin: Place) -> None:
    async with open_rows() as rows:
        secret = await rows.accept("a secret", place=origin)
        sent = reply_to(secret, "an answer to the secret")
        outgoing = await rows.outbox.commit(sent, [secret.id], Recollection(), [])
        assert outgoing is not None
        await rows.outbox.part_sent(outgoing.id, "part")
        context = context_of(rows)
        lines = [await answering(rows, HALL, message_id) for message_id in (secret.message_id, "part")]
        session = await context.take_in(lines)
        assert await context.links(session) == {}


async def test_the_end_of_a_full_session_is_of_the_same_place() -> None:
    async with open_rows() as rows:
        await rows.converse(ANNS_DM, [BEN])
        [before] = (await rows.converse(HALL, [BEN], after=timedelta(minutes=1))).utterances
        context = context_of(rows)
        session = await context.take_in([await rows.accept(place=HALL, after=timedelta(minutes=2))])
        assert [line.place for line in session.utterances] == [HALL, HALL]
        assert session.utterances[0].id == before.id
