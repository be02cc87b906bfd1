"""The contract of `bot.ports.Events`."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import Event, Place, Speaker
from bot.storage import events as stored_events
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
    monkeypatch.setattr(stored_events, "MAX_LOADED", 3)
    readable: dict[Place, list[Event]] = {ANNS_DM: [], HALL: [], BENS_DM: []}
    for turn in range(9):
        place = (ANNS_DM, HALL, BENS_DM)[turn % 3]
        event = await rows.event(await rows.converse(place, [ANN, BEN]))
        for where in readable if place == HALL else [place]:
            readable[where].append(event)
    places = [*readable] * 15
    found = await asyncio.gather(*map(rows.events.readable_in, places))
    assert found == [readable[place] for place in places]
