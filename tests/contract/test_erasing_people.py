"""What is kept of people and places goes when they are erased as a whole: the contract of `bot.ports.Erasures`, on."""

from sqlalchemy import select

from bot.domain import (
    AGENT_ID,
    ChannelMode,
    Scope,
    Selection,
    VectorKind,
)
from bot.storage.engine.database import insert_new
from bot.storage.shared.privacy_tables import (
    confirmations,
    identities,
    link_codes,
    opt_outs,
    privacy,
    servers,
)
from bot.storage.shared.tables import channel_modes, reply_tokens
from tests.contract.test_erasures import answered, count, erasures_of, forget, in_session, left
from tests.looking import spend
from tests.stored import (
    ANN,
    ANNS_DM,
    BEN,
    HALL,
    OTHER_HALL,
    START,
    Rows,
)


async def person(rows: Rows) -> None:
    """Ann in a DM and in a channel with Ben, with all that is kept of her."""
    said = await in_session(rows, "hello")
    await answered(rows, said, "Hello, Ann.")
    session = await rows.converse(HALL, [ANN, BEN])
    await rows.event(session)
    await rows.trait(session, ANN)
    await rows.trait(session, BEN)
    await rows.channels.set_mode(HALL, ChannelMode.OPEN, ANN.id)
    await spend(rows.usage, START.date(), [ANN.id, BEN.id], 5)
    await rows.outbox.draft(ANNS_DM, "m9", "d1")
    async with rows.database.writing() as connection:
        for table, row in (
            (privacy, {"person_id": ANN.id, "consent": "agreed"}),
            (opt_outs, {"person_id": ANN.id, "scope": HALL.key}),
            (link_codes, {"speaker_id": ANN.id, "digest": "d", "until": START}),
            (confirmations, {"token": "t", "speaker_id": ANN.id, "selection": "{}", "until": START}),
            (servers, {"platform": "chat", "server": "server", "set_by": ANN.id}),
        ):
            await insert_new(connection, table, [row])


async def values(rows: Rows) -> set[object]:
    """All values of all rows."""
    found: set[object] = set()
    async with rows.database.reading() as connection:
        for table in privacy.metadata.sorted_tables:
            for row in await connection.execute(select(table)):
                found.update(row)
    return found


async def test_of_an_erased_person_nothing_stays(rows: Rows) -> None:
    await person(rows)
    erased = await forget(rows, Selection(people=(ANN.id,)))
    assert {ANN.id, "Ann", ANNS_DM.key, "hello", "Hello, Ann."} & await values(rows) == set()
    assert await left(rows, HALL) == ["something"]
    assert [trait.text for trait in await rows.traits.current(BEN.id, HALL)] == ["I sing."]
    assert await count(rows, "privacy", "opt_outs", "link_codes", "confirmations", "drafts") == [0, 1, 0, 0, 0]
    assert await rows.privacies.opted_out(ANN.id, HALL), "that holds on, under a digest"
    assert await count(rows, "speakers", "places", "servers") == [2, 1, 1]
    receipt = await erasures_of(rows).receipt(erased.erasure_id)
    assert receipt is not None
    counts = {"utterances": 2, "replies": 1, "events": 1, "topics": 2, "traits": 1, "sessions": 1}
    assert dict(receipt.counts) == counts | {"people": 1, "places": 1, "settings": 2}
    async with rows.database.reading() as connection:
        assert (await connection.execute(select(channel_modes.c.set_by))).scalars().all() == ["erased"]
        assert (await connection.execute(select(servers.c.set_by))).scalars().all() == ["erased"]
        assert (await connection.execute(select(reply_tokens.c.subject))).scalars().all() == [BEN.id]


async def test_the_companion_is_no_person_to_be_erased(rows: Rows) -> None:
    said = await in_session(rows, "hello")
    await answered(rows, said)
    erased = await forget(rows, Selection(people=(AGENT_ID,)))
    assert erased.utterances == ()
    assert len(await left(rows)) == 2


async def linked(rows: Rows, *ids: str) -> None:
    """Identities of one person, whose decisions stand under the first one."""
    async with rows.database.writing() as connection:
        await insert_new(connection, identities, [{"speaker_id": one, "person_id": ids[0]} for one in ids])
        await insert_new(connection, privacy, [{"person_id": ids[0], "consent": "agreed", "keep_days": 7}])
        await insert_new(connection, opt_outs, [{"person_id": ids[0], "scope": HALL.key}])


async def persons(rows: Rows) -> list[set[tuple[object, ...]]]:
    queries = (
        select(identities.c.speaker_id, identities.c.person_id),
        select(privacy.c.person_id, privacy.c.keep_days),
        select(opt_outs.c.person_id, opt_outs.c.scope),
    )
    async with rows.database.reading() as connection:
        return [{(row[0], row[1]) for row in await connection.execute(query)} for query in queries]


async def test_the_other_identities_of_an_erased_one_stay_one_person(rows: Rows) -> None:
    await linked(rows, "a:1", "b:1", "c:1")
    await forget(rows, Selection(people=("a:1",)))
    assert await persons(rows) == [{("b:1", "b:1"), ("c:1", "b:1")}, {("b:1", 7)}, {("b:1", HALL.key)}]
    await forget(rows, Selection(people=("b:1",)))
    assert await persons(rows) == [set(), {("c:1", 7)}, {("c:1", HALL.key)}]


async def test_a_person_is_erased_with_all_identities(rows: Rows) -> None:
    await linked(rows, "a:1", "b:1")
    await forget(rows, Selection(people=("a:1", "b:1")))
    assert await persons(rows) == [set(), set(), set()]


async def test_of_an_erased_place_nothing_stays_whoever_spoke(rows: Rows) -> None:
    session = await rows.converse(OTHER_HALL, [ANN, BEN])
    event, trait = await rows.event(session), await rows.trait(session, BEN)
    await rows.outbox.draft(OTHER_HALL, "m1", "d1")
    await rows.channels.set_mode(OTHER_HALL, ChannelMode.OPEN, ANN.id)
    kept = await rows.converse(HALL, [BEN])
    erased = await forget(rows, Selection(places=(OTHER_HALL.key,)))
    assert erased.vectors == (
        (Scope(VectorKind.EVENT, OTHER_HALL.key), (event.id,)),
        (Scope(VectorKind.TRAIT, OTHER_HALL.key), (trait.id,)),
    )
    await erasures_of(rows).finish(erased.erasure_id, 0, START)
    assert OTHER_HALL.key not in await values(rows)
    assert await left(rows, HALL) == [said.text for said in kept.utterances]
    assert await count(rows, "drafts", "channel_modes", "speakers", "sessions") == [0, 0, 1, 1], (
        "Ann was known from there only"
    )


async def test_a_server_that_was_left_goes_with_its_last_place(rows: Rows) -> None:
    for place in (HALL, OTHER_HALL):
        await in_session(rows, "hello", place=place)
    async with rows.database.writing() as connection:
        await insert_new(connection, servers, [{"platform": "chat", "server": "server", "left_at": START}])
        person = [{"speaker_id": one, "person_id": "mail:ann"} for one in (ANN.id, "mail:ann")]
        await insert_new(connection, identities, person)
    await rows.privacies.opt_out(ANN.id, HALL, out=True, whole_server=True)
    for speaker in (ANN, BEN):
        await rows.privacies.opt_out(speaker.id, HALL, out=True)
    await forget(rows, Selection(places=(HALL.key,)))
    assert await count(rows, "servers", "opt_outs", "places") == [1, 3, 1]
    await forget(rows, Selection(places=(OTHER_HALL.key,)))
    assert await count(rows, "servers", "opt_outs", "places") == [0, 3, 0]
    async with rows.database.reading() as connection:
        ids = (await connection.scalars(select(opt_outs.c.person_id))).all()
    assert all(one.startswith("digest:") for one in ids)
    for place in (HALL, OTHER_HALL):
        assert await rows.privacies.opted_out(ANN.id, place), "also should the companion come back"
    assert [await rows.privacies.opted_out(BEN.id, place) for place in (HALL, OTHER_HALL)] == [True, False]


async def test_a_deleted_channel_leaves_nothing_of_those_who_opted_out_of_it(rows: Rows) -> None:
    await in_session(rows, "hello", place=HALL)
    await rows.privacies.opt_out(BEN.id, HALL, out=True)
    erased = await forget(rows, Selection(places=(HALL.key,)))
    assert await count(rows, "opt_outs") == [0]
    receipt = await erasures_of(rows).receipt(erased.erasure_id)
    assert receipt is not None
    assert dict(receipt.counts)["settings"] == 1
