"""The contract of `bot.ports.Events`."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import Event, Place, PlaceKind, Speaker
from bot.storage.memory import kept
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.shared.privacy_tables import event_corrections
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BENS_DM, HALL, OTHER_HALL, START, Rows, event_of

HOUR = timedelta(hours=1)


async def test_an_event_comes_back_as_it_was(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN, AGENT, ANN])
    event = event_of(session, "Ann has a dog.")
    stored = await rows.events.add(event, job_id=0)
    assert stored.id > 0
    assert await rows.events.readable_in(ANNS_DM) == [stored]
    assert event == Event(**{name: getattr(stored, name) for name in Event.__slots__ if name != "id"})


async def test_adding_ends_the_job_also_the_second_time(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    stored = await rows.events.add(event_of(session, "first"), await rows.leased())
    version = await rows.events.version()
    assert await rows.events.add(event_of(session, "second"), await rows.leased()) == stored
    assert await rows.events.readable_in(ANNS_DM) == [stored]
    assert await rows.events.version() == version
    assert (await rows.utterances.counts()).rows["jobs done"] >= 2


async def test_names_come_back_for_those_who_spoke(rows: Rows) -> None:
    session = await rows.converse(HALL, [BEN, ANN, AGENT])
    names = ((BEN.id, "Ben \ud800"), (ANN.id, "Ann"), ("chat:nobody", "Nobody"))
    stored = await rows.events.add(replace(event_of(session), names=names), job_id=0)
    assert stored.names == ((ANN.id, "Ann"), (BEN.id, "Ben \ufffd"))
    assert await Rows(rows.database).events.readable_in(HALL) == [stored]


async def test_get_is_in_order_of_id_and_leaves_out_what_is_not_there(rows: Rows) -> None:
    first, second = [await rows.event(await rows.converse(ANNS_DM, [ANN])) for _ in range(2)]
    assert await rows.events.get([second.id, 999, first.id, second.id]) == [first, second]
    assert await rows.events.get([]) == []


async def test_a_job_that_has_ended_or_is_not_there_stores_nothing(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    job_id = await rows.leased()
    await rows.jobs.done(job_id)
    for ended in (job_id, 12345):
        assert (await rows.events.add(event_of(session), ended)).id == 0
    assert await rows.events.readable_in(ANNS_DM) == []


async def test_an_event_of_something_erased_is_not_stored(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN, AGENT])
    event = replace(event_of(session), sources=(*event_of(session).sources, 999))
    assert (await rows.events.add(event, job_id=0)).id == 0
    assert await rows.events.readable_in(ANNS_DM) == []


async def test_the_version_changes_with_every_event(rows: Rows) -> None:
    versions = [await rows.events.version()]
    for place in (ANNS_DM, BENS_DM):
        await rows.event(await rows.converse(place, [ANN]))
        versions.append(await rows.events.version())
    assert len(set(versions)) == 3


async def test_readable_events_are_oldest_first_by_their_time(rows: Rows) -> None:
    late = await rows.event(await rows.converse(ANNS_DM, [ANN]), after=5 * HOUR)
    early = await rows.event(await rows.converse(ANNS_DM, [ANN]), after=HOUR)
    assert await rows.events.readable_in(ANNS_DM) == [early, late]


@pytest.mark.parametrize(
    ("origin", "speakers", "place", "may"),
    [
        (ANNS_DM, [ANN, AGENT], ANNS_DM, True),
        (ANNS_DM, [ANN, AGENT], BENS_DM, False),
        (ANNS_DM, [ANN, AGENT], HALL, False),
        (ANNS_DM, [ANN, BEN], BENS_DM, False),
        (HALL, [ANN, AGENT], HALL, True),
        (HALL, [ANN, AGENT], ANNS_DM, True),
        (HALL, [ANN, AGENT], BENS_DM, False),
        (HALL, [ANN, BEN], BENS_DM, True),
        (HALL, [ANN, BEN], OTHER_HALL, False),
    ],
)
async def test_the_audience_rule(rows: Rows, origin: Place, speakers: list[Speaker], place: Place, may: bool) -> None:
    event = await rows.event(await rows.converse(origin, speakers))
    assert await rows.events.readable_in(place) == ([event] if may else [])


async def test_an_event_is_unindexed_until_it_is_marked(rows: Rows) -> None:
    first, second, third = [await rows.event(await rows.converse(ANNS_DM, [ANN])) for _ in range(3)]
    assert await rows.events.unindexed(2) == [first, second]
    await rows.events.mark_indexed([first.id, third.id])
    assert await rows.events.unindexed(9) == [second]


async def test_many_events_are_read_at_once(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN])
    first = await rows.event(session)
    others = [
        await rows.event(await rows.converse(HALL, [ANN]), f"Thing {number}", number * HOUR) for number in range(30)
    ]
    stored = [first, *others]
    assert await rows.events.readable_in(ANNS_DM) == sorted(stored, key=lambda event: (event.time, event.id))
    assert first.time == START


async def test_reads_at_once_do_not_lose_what_another_pushes_out(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MAX_LOADED", 3)
    readable: dict[Place, list[Event]] = {ANNS_DM: [], HALL: [], BENS_DM: []}
    for turn in range(9):
        place = (ANNS_DM, HALL, BENS_DM)[turn % 3]
        event = await rows.event(await rows.converse(place, [ANN, BEN]))
        for where in readable if place == HALL else [place]:
            readable[where].append(event)
    places = [*readable] * 15
    found = await asyncio.gather(*map(rows.events.readable_in, places))
    assert found == [readable[place] for place in places]


async def link(rows: Rows, first: str, second: str) -> SqlIdentities:
    identities = SqlIdentities(rows.database)
    await identities.offer(first, "owl", START + HOUR)
    await identities.link(second, "owl", START)
    return identities


async def test_in_a_dm_whoever_is_linked_with_its_person_is_that_person(rows: Rows) -> None:
    theirs = await rows.converse(HALL, [ANN, BEN, AGENT])
    names = ((ANN.id, "Ann (1)"), (BEN.id, "Ben (2)"))
    event = await rows.events.add(replace(event_of(theirs), names=names), job_id=0)
    private = await rows.event(await rows.converse(ANNS_DM, [ANN]))
    post = Place("post", PlaceKind.DM, "ann")
    assert await rows.events.readable_in(post) == []
    identities = await link(rows, ANN.id, "post:ann")
    as_post = replace(
        event,
        speakers=frozenset({"post:ann", BEN.id, AGENT.id}),
        names=((BEN.id, "Ben (2)"), ("post:ann", "Ann (1)")),
    )
    assert await rows.events.readable_in(post) == [as_post, replace(private, speakers=frozenset({"post:ann"}))]
    assert await rows.events.readable_in(ANNS_DM) == [event, private]
    assert await rows.events.readable_in(HALL) == [event]
    assert await rows.events.readable_in(BENS_DM) == [event]
    assert await rows.events.get([event.id]) == [event]
    await identities.unlink("post:ann")
    assert await rows.events.readable_in(post) == []


async def test_what_a_server_shares_is_read_in_its_channels_and_threads(rows: Rows) -> None:
    event = await rows.event(await rows.converse(HALL, [ANN]))
    thread, elsewhere = replace(HALL, ref=f"{HALL.ref}/thread"), replace(HALL, ref="other/hall")
    places = (OTHER_HALL, thread, elsewhere, BENS_DM)

    async def shown() -> list[bool]:
        return [await rows.events.readable_in(place) == [event] for place in places]

    await rows.channels.set_sharing(HALL, ANN.id, on=True)
    assert await shown() == [False, False, False, False]
    await rows.channels.set_public({HALL: True})
    assert await shown() == [True, True, False, False]
    await rows.channels.set_public({HALL: False, OTHER_HALL: True})
    assert await shown() == [False, False, False, False]
    await rows.channels.set_public({HALL: True})
    await rows.channels.set_sharing(HALL, ANN.id, on=False)
    assert await shown() == [False, False, False, False]


async def test_what_many_said_is_hidden_from_whom_corrected_it_alone_until_the_correction_goes(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    event, trait = await rows.event(session), await rows.trait(session, ANN)
    other = await rows.event(await rows.converse(HALL, [ANN, BEN]), after=HOUR)
    assert await rows.events.readable_in(HALL) == [event, other]
    async with rows.database.writing() as connection:
        await connection.execute(event_corrections.insert().values(event_id=event.id, trait_id=trait.id))
    assert await rows.events.readable_in(ANNS_DM) == [other]
    for place in (HALL, BENS_DM):
        assert await rows.events.readable_in(place) == [event, other]
    assert await rows.events.get([event.id]) == [event]
    assert await rows.events.unindexed(9) == [event, other]
    async with rows.database.writing() as connection:
        await connection.execute(event_corrections.delete())
    assert await rows.events.readable_in(HALL) == [event, other]
