"""Of people whose words were off the record nothing is left, when these are erased and nothing else of them is kept."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from bot.domain import Consent, ErasureReason, Place, Privacy, Recollection, Selection, Speaker, Utterance
from bot.storage.engine.database import insert_new
from bot.storage.shared.privacy_tables import identities
from bot.storage.shared.tables import places, reply_tokens, speakers
from tests.looking import spend
from tests.stored import AGENT, ANN, ANNS_DM, BETA, HALL, START, Rows, event_of, reply_to, trait_of

NOTHING = Recollection()


async def said_off_record(rows: Rows, place: Place = ANNS_DM) -> Utterance:
    """What Ann said off the record, answered, in a session that is closed."""
    told = replace(rows.utterance("hello", place=place), off_record=True, place_name="Ann")
    said = await rows.inbox.accept(told)
    assert said is not None
    said = (await rows.sessions.append(said, BETA, 1000)).utterances[-1]
    outgoing = await rows.outbox.commit(reply_to(said), [said.id], NOTHING, [])
    assert outgoing is not None
    await rows.sessions.close(place)
    await spend(rows.usage, START.date(), [ANN.id], 5)
    return said


async def erase(rows: Rows, said: Utterance) -> None:
    await rows.erasures.erase(Selection(utterances=(said.id,)), ErasureReason.OFF_RECORD, START)


async def kept(rows: Rows) -> tuple[set[str], set[str], set[str]]:
    """The ids of people, keys of places, and subjects of tokens that are stored."""
    async with rows.database.reading() as connection:
        found = [
            {*(await connection.execute(select(column))).scalars()}
            for column in (speakers.c.id, places.c.key, reply_tokens.c.subject)
        ]
    return found[0] - {AGENT.id}, found[1], found[2]


async def test_nobody_is_named_any_more(rows: Rows) -> None:
    said = await said_off_record(rows)
    await rows.privacies.put(Privacy(ANN.id, Consent.TOLD))
    assert await kept(rows) == ({ANN.id}, {ANNS_DM.key}, {ANN.id})
    await erase(rows, said)
    assert await kept(rows) == (set(), set(), set())
    assert (await rows.privacies.of(ANN.id)).consent is Consent.TOLD
    assert await said_off_record(rows)  # they may come again


async def test_so_it_is_when_they_delete_it_themselves(rows: Rows) -> None:
    said = await said_off_record(rows)
    await rows.erasures.erase_messages("chat", [said.message_id], START)
    assert await kept(rows) == (set(), set(), set())


async def test_a_channel_stays(rows: Rows) -> None:
    await erase(rows, await said_off_record(rows, HALL))
    assert await kept(rows) == (set(), {HALL.key}, set())


async def spoke(rows: Rows) -> None:
    await rows.accept("In the hall.", place=HALL)


async def linked(rows: Rows) -> None:
    pair = [{"speaker_id": one, "person_id": ANN.id} for one in (ANN.id, "mail:7")]
    async with rows.database.writing() as connection:
        await insert_new(connection, identities, pair)


async def has_a_trait(rows: Rows) -> None:
    session = await rows.converse(HALL, [Speaker("chat:ben", "Ben")])
    trait = replace(trait_of(session, ANN), sources=(session.utterances[0].id,))
    await rows.traits.apply(await rows.leased(), [trait])


async def was_there(rows: Rows) -> None:
    session = await rows.converse(HALL, [Speaker("chat:ben", "Ben")])
    await rows.events.add(replace(event_of(session), speakers=frozenset({ANN.id})), job_id=0)


@pytest.mark.parametrize("tie", [spoke, linked, has_a_trait, was_there])
async def test_whoever_is_tied_to_something_is_still_known(rows: Rows, tie: Callable[[Rows], Awaitable[None]]) -> None:
    said = await said_off_record(rows)
    await tie(rows)
    await erase(rows, said)
    known, _, tokens = await kept(rows)
    assert ANN.id in known
    assert tokens == {ANN.id}


async def test_who_opted_out_and_never_agreed_is_unknown_and_is_not_read_all_the_same(rows: Rows) -> None:
    said = await said_off_record(rows)
    await rows.privacies.opt_out(ANN.id, HALL, out=True)
    await erase(rows, said)
    known, _, tokens = await kept(rows)
    assert (known, tokens) == (set(), set())
    assert await rows.privacies.opted_out(ANN.id, HALL)


async def test_a_private_place_stays_while_something_refers_to_it(rows: Rows) -> None:
    said = await said_off_record(rows)
    await rows.accept("Hello.", speaker=Speaker("chat:ben", "Ben"), place=ANNS_DM, after=timedelta(days=1))
    await erase(rows, said)
    known, there, _ = await kept(rows)
    assert (known, there) == ({"chat:ben"}, {ANNS_DM.key})


async def test_somebody_who_agreed_keeps_their_name(rows: Rows) -> None:
    said = await rows.accept()
    await rows.erasures.erase(Selection(utterances=(said.id,)), ErasureReason.ASKED, START)
    assert (await kept(rows))[0] == {ANN.id}
