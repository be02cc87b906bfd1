"""The contract of `bot.ports.Traits`."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import Place, PlaceKind, Speaker, Trait
from bot.storage.memory import kept
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.shared.tables import traits
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL, START, Rows, trait_of

DAY = timedelta(days=1)


async def test_a_new_trait_comes_back_as_it_was(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN, AGENT])
    trait = trait_of(session, ANN, "I have two dogs.")
    [stored] = await rows.traits.apply(await rows.leased(), [trait])
    assert stored.id > 0
    assert replace(stored, id=0) == trait
    assert await rows.traits.current(ANN.id, ANNS_DM) == [stored]
    assert await rows.traits.current(AGENT.id, ANNS_DM) == []
    assert await rows.traits.current(ANN.id, HALL) == []


async def test_a_job_is_applied_once(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    job_id = await rows.leased()
    assert len(await rows.traits.apply(job_id, [trait_of(session, ANN)])) == 1
    assert await rows.traits.apply(job_id, [trait_of(session, ANN, "I dance.")]) == []
    assert len(await rows.traits.current(ANN.id, ANNS_DM)) == 1


async def test_a_job_that_is_not_there_changes_nothing(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    assert await rows.traits.apply(12345, [trait_of(session, ANN)]) == []
    assert await rows.traits.current(ANN.id, ANNS_DM) == []


async def test_a_restated_trait_is_refreshed_and_gains_sources(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    trait = await rows.trait(session, ANN)
    again = await rows.accept("I still sing")
    for time in (START + 2 * DAY, START + DAY):
        await rows.traits.apply(await rows.leased(), refreshed=[(trait.id, time, (again.id, *trait.sources))])
    refreshed = replace(trait, refreshed=START + 2 * DAY, sources=(*trait.sources, again.id))
    assert await rows.traits.current(ANN.id, ANNS_DM) == [refreshed]


async def test_a_superseded_trait_stays_in_the_bank_but_is_not_current(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    [new] = await rows.traits.apply(
        await rows.leased(), [trait_of(session, ANN, "I live in Oslo.")], superseded=[(old.id, 0, START + DAY)]
    )
    assert await rows.traits.current(ANN.id, ANNS_DM) == [new]
    assert await rows.traits.readable_in(ANNS_DM, [ANN.id]) == [new]
    gone = replace(old, until=START + DAY, superseded_by=new.id)
    assert await rows.traits.unindexed(9) == [gone, new]
    await rows.traits.apply(
        await rows.leased(), [trait_of(session, ANN, "I live in Bern.")], superseded=[(old.id, 0, START + 2 * DAY)]
    )
    assert (await rows.traits.unindexed(9))[0] == gone


async def test_a_trait_that_is_learnt_late_may_be_over_already(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    now = await rows.trait(session, ANN, "I live in Oslo.")
    late = replace(trait_of(session, ANN, "I live in Rome."), since=START - DAY, until=START, superseded_by=now.id)
    [stored] = await rows.traits.apply(await rows.leased(), [late])
    assert replace(stored, id=0) == late
    assert await rows.traits.current(ANN.id, ANNS_DM) == [now]
    assert await rows.traits.readable_in(ANNS_DM, [ANN.id]) == [now]
    assert await rows.traits.unindexed(9) == [now, stored]


@pytest.mark.parametrize(
    ("origin", "speakers", "place", "may"),
    [
        (ANNS_DM, [ANN, AGENT], ANNS_DM, True),
        (ANNS_DM, [ANN, AGENT], BENS_DM, False),
        (ANNS_DM, [ANN, AGENT], HALL, False),
        (HALL, [ANN, AGENT], HALL, True),
        (HALL, [ANN, AGENT], ANNS_DM, True),
        (HALL, [ANN, AGENT], BENS_DM, False),
        (HALL, [BEN, ANN], BENS_DM, True),
        (HALL, [ANN, BEN], OTHER_HALL, False),
    ],
)
async def test_the_audience_rule(rows: Rows, origin: Place, speakers: list[Speaker], place: Place, may: bool) -> None:
    trait = await rows.trait(await rows.converse(origin, speakers), ANN)
    assert await rows.traits.readable_in(place, [BEN.id, ANN.id]) == ([trait] if may else [])


async def test_what_the_agent_said_in_a_dm_is_not_known_elsewhere(rows: Rows) -> None:
    trait = await rows.trait(await rows.converse(ANNS_DM, [ANN, AGENT]), AGENT, "I like rain.")
    assert await rows.traits.readable_in(ANNS_DM, [AGENT.id]) == [trait]
    assert await rows.traits.readable_in(BENS_DM, [AGENT.id]) == []
    assert await rows.traits.readable_in(HALL, [AGENT.id]) == []


async def test_only_the_traits_of_those_asked_for_are_read(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    anns, bens = await rows.trait(session, ANN), await rows.trait(session, BEN)
    assert await rows.traits.readable_in(HALL, [BEN.id]) == [bens]
    assert await rows.traits.readable_in(HALL, [BEN.id, ANN.id]) == [anns, bens]
    assert await rows.traits.readable_in(HALL, []) == []


async def test_a_trait_is_unindexed_until_it_is_marked(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    first, second = [await rows.trait(session, ANN, text) for text in ("I sing.", "I dance.")]
    assert await rows.traits.unindexed(1) == [first]
    await rows.traits.mark_indexed([first.id])
    assert await rows.traits.unindexed(9) == [second]


async def test_a_trait_that_was_read_before_shows_its_changes(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    old = await rows.trait(session, ANN, "I live in Rome.")
    assert await rows.traits.readable_in(ANNS_DM, [ANN.id]) == [old]
    again = await rows.accept("Still in Rome")
    await rows.traits.apply(await rows.leased(), refreshed=[(old.id, START + DAY, (again.id,))])
    refreshed = replace(old, refreshed=START + DAY, sources=(*old.sources, again.id))
    assert await rows.traits.readable_in(ANNS_DM, [ANN.id]) == [refreshed]
    moved = trait_of(session, ANN, "I live in Oslo.")
    [new] = await rows.traits.apply(await rows.leased(), [moved], superseded=[(old.id, 0, START + 2 * DAY)])
    assert await rows.traits.unindexed(9) == [replace(refreshed, until=START + 2 * DAY, superseded_by=new.id), new]


async def test_reads_beside_writes_never_keep_an_old_state(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MAX_LOADED", 2)
    session = await rows.converse(ANNS_DM, [ANN])
    known = [await rows.trait(session, ANN, f"I sing song {number}.") for number in range(3)]
    for day in range(1, 11):
        job_id = await rows.leased()
        changes = [(trait.id, START + day * DAY, ()) for trait in known]
        reads = [rows.traits.current(ANN.id, ANNS_DM) for _ in range(3)]
        await asyncio.gather(*reads, rows.traits.apply(job_id, refreshed=changes))
        assert {trait.refreshed for trait in await rows.traits.current(ANN.id, ANNS_DM)} == {START + day * DAY}


async def test_a_trait_that_was_said_again_before_others_is_not_theirs(rows: Rows) -> None:
    trait = await rows.trait(await rows.converse(HALL, [ANN]), ANN)
    later = trait_of(await rows.converse(HALL, [BEN, ANN]), ANN)
    await rows.traits.apply(await rows.leased(), refreshed=[(trait.id, START + DAY, later.sources)])
    assert await rows.traits.readable_in(BENS_DM, [ANN.id]) == []
    assert len(await rows.traits.readable_in(ANNS_DM, [ANN.id])) == 1


async def test_what_was_told_outside_of_any_session_is_its_speakers(rows: Rows) -> None:
    told = await rows.accept("I sing.", place=HALL)
    await rows.inbox.remembered([told.id])
    [trait] = await rows.traits.apply(await rows.leased(), [Trait(ANN.id, HALL, "I sing.", START, (told.id,))])
    await rows.converse(HALL, [BEN])
    assert await rows.traits.readable_in(ANNS_DM, [ANN.id]) == [trait]
    assert await rows.traits.readable_in(BENS_DM, [ANN.id]) == []


async def test_in_a_dm_whoever_is_linked_with_its_person_is_that_person(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN, AGENT])
    traits = [await rows.trait(session, speaker) for speaker in (ANN, BEN, AGENT)]
    private = await rows.trait(await rows.converse(ANNS_DM, [ANN]), ANN)
    post, everyone = Place("post", PlaceKind.DM, "ann"), ["post:ann", BEN.id, AGENT.id]
    assert await rows.traits.readable_in(post, everyone) == []
    identities = SqlIdentities(rows.database)
    await identities.offer(ANN.id, "owl", START + DAY)
    await identities.link("post:ann", "owl", START)
    anns = [replace(trait, speaker_id="post:ann") for trait in (traits[0], private)]
    assert await rows.traits.readable_in(post, everyone) == [anns[0], *traits[1:], anns[1]]
    assert await rows.traits.readable_in(post, [ANN.id]) == anns
    assert await rows.traits.readable_in(post, [BEN.id]) == [traits[1]]
    assert await rows.traits.readable_in(ANNS_DM, ["post:ann"]) == [traits[0], private]
    assert await rows.traits.readable_in(HALL, ["post:ann"]) == []
    assert await rows.traits.current("post:ann", ANNS_DM) == []
    await identities.unlink(ANN.id)
    assert await rows.traits.readable_in(post, everyone) == []


async def test_what_a_server_shares_is_known_in_its_channels(rows: Rows) -> None:
    trait = await rows.trait(await rows.converse(HALL, [ANN]), ANN)
    await rows.channels.set_public({HALL: True})
    assert await rows.traits.readable_in(OTHER_HALL, [ANN.id]) == []
    await rows.channels.set_sharing(OTHER_HALL, BEN.id, on=True)
    assert await rows.traits.readable_in(OTHER_HALL, [ANN.id]) == [trait]
    assert await rows.traits.readable_in(OTHER_HALL, [BEN.id]) == []
    assert await rows.traits.readable_in(BENS_DM, [ANN.id]) == []
    await rows.channels.set_public({HALL: False})
    assert await rows.traits.readable_in(OTHER_HALL, [ANN.id]) == []


async def test_what_a_trait_ended_is_known_behind_it_the_last_first(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    rome = await rows.trait(session, ANN, "I live in Rome.")
    other = await rows.trait(session, ANN, "I sing.")
    last = rome
    for days, town in enumerate(("Oslo", "Graz"), 1):
        told = trait_of(session, ANN, f"I live in {town}.")
        ended = [(last.id, 0, START + days * DAY)]
        [last] = await rows.traits.apply(await rows.leased(), [told], superseded=ended)
    former = await rows.traits.former(ANNS_DM, [ANN.id], [last.id, other.id])
    assert {key: [one.text for one in before] for key, before in former.items()} == {
        last.id: ["I live in Oslo.", "I live in Rome."]
    }
    assert await rows.traits.former(BENS_DM, [ANN.id], [last.id]) == {}
    assert await rows.traits.former(ANNS_DM, [BEN.id], [last.id]) == {}
    assert await rows.traits.former(ANNS_DM, [ANN.id], []) == {}
    [oslo, _] = (await rows.traits.former(ANNS_DM, [ANN.id], [last.id]))[last.id]
    for over in (rome, oslo):
        assert await rows.traits.successor(ANNS_DM, [ANN.id], over.id) == last.id
        assert await rows.traits.successor(BENS_DM, [ANN.id], over.id) == 0
        assert await rows.traits.successor(ANNS_DM, [BEN.id], over.id) == 0
    for current in (last.id, other.id, 9999):
        assert await rows.traits.successor(ANNS_DM, [ANN.id], current) == 0


async def test_only_a_trait_that_still_holds_is_a_successor(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    rome, now = await rows.trait(session, ANN, "I live in Rome."), START
    told = trait_of(session, ANN, "I live in Oslo.")
    [oslo] = await rows.traits.apply(await rows.leased(), [told], superseded=[(rome.id, 0, now + DAY)])
    async with rows.database.writing() as connection:
        await connection.execute(traits.update().where(traits.c.id == oslo.id).values(until=now + 2 * DAY))
    assert await rows.traits.successor(ANNS_DM, [ANN.id], rome.id) == 0


async def test_what_another_channel_ended_is_not_shown_there(rows: Rows) -> None:
    private = await rows.trait(await rows.converse(ANNS_DM, [ANN]), ANN, "I live in Rome.")
    told = trait_of(await rows.converse(HALL, [ANN]), ANN, "I live in Oslo.")
    [oslo] = await rows.traits.apply(await rows.leased(), [told], superseded=[(private.id, 0, START + DAY)])
    assert await rows.traits.successor(HALL, [ANN.id], private.id) == 0
    assert await rows.traits.successor(ANNS_DM, [ANN.id], private.id) == oslo.id
