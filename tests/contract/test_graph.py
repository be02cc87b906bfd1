"""The contract of `bot.ports.Graph`, and of the LINK jobs that events bring."""

from datetime import timedelta

import pytest

from bot.domain import Edge, Event, Job, JobKind, Relation, Utterance
from bot.storage.memory.graph import SqlGraph
from bot.storage.shared.recall_tables import edges as edge_rows
from bot.storage.shared.tables import jobs
from tests.looking import add_jobs
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, BETA, HALL, START, Rows, event_of

DAY = timedelta(days=1)
CAUSE, TOPIC, CHANGED = Relation.CAUSE, Relation.SAME_TOPIC, Relation.CHANGED


@pytest.fixture
def graph(rows: Rows) -> SqlGraph:
    return SqlGraph(rows.database)


async def three(rows: Rows) -> list[Event]:
    """Three events of Ann's DM, a day apart."""
    found = []
    for day in range(1, 4):
        session = await rows.converse(ANNS_DM, [ANN], after=day * DAY)
        found.append(await rows.event(session, f"Day {day}.", day * DAY))
    return found


async def link(rows: Rows, graph: SqlGraph, *edges: Edge) -> int:
    await due(rows)
    return await graph.link(await rows.leased(JobKind.LINK), edges)


async def due(rows: Rows) -> list[int]:
    """The events to be linked, in the order in which that is done; none afterwards."""
    found = []
    while (job := await rows.jobs.claim(START, timedelta(minutes=5))) is not None:
        if job.kind is JobKind.LINK:
            found.append(job.subject)
        await rows.jobs.done(job.id)
    return found


async def test_edges_come_back_in_order_and_only_those_among_the_events_asked_for(rows: Rows, graph: SqlGraph) -> None:
    a, b, c = [event.id for event in await three(rows)]
    assert await link(rows, graph, Edge(b, c, TOPIC), Edge(a, c, CHANGED), Edge(a, b, CAUSE)) == 3
    assert await graph.among([c, a, b, a]) == [Edge(a, b, CAUSE), Edge(a, c, CHANGED), Edge(b, c, TOPIC)]
    assert await graph.among({a, c}) == [Edge(a, c, CHANGED)]
    assert await graph.among([a]) == await graph.among([]) == await graph.among([77, b]) == []


async def test_linking_ends_the_job_and_changes_the_version_exactly_when_an_edge_is_new(
    rows: Rows, graph: SqlGraph
) -> None:
    a, b, _ = [event.id for event in await three(rows)]
    job_id = await rows.leased(JobKind.LINK)
    before = await rows.events.version()
    assert await graph.link(job_id, [Edge(a, b, CAUSE)]) == 1
    after = await rows.events.version()
    assert after != before
    assert await graph.link(job_id, [Edge(a, b, TOPIC)]) == 0
    assert await link(rows, graph) == 0
    assert await link(rows, graph, Edge(a, b, CHANGED)) == 0
    assert await rows.events.version() == after
    assert await graph.among([a, b]) == [Edge(a, b, CAUSE)]


async def test_a_job_that_ended_or_was_begun_anew_links_nothing(rows: Rows, graph: SqlGraph) -> None:
    a, b, _ = [event.id for event in await three(rows)]
    job_id = await rows.leased(JobKind.LINK)
    await rows.jobs.done(job_id)
    for ended in (job_id, 12345):
        assert await graph.link(ended, [Edge(a, b, CAUSE)]) == 0
    assert await graph.among([a, b]) == []


async def test_no_edge_has_an_event_that_is_not_there(rows: Rows, graph: SqlGraph) -> None:
    a, b, _ = [event.id for event in await three(rows)]
    assert await link(rows, graph, Edge(a, 99, CAUSE), Edge(98, b, CAUSE), Edge(a, b, TOPIC)) == 1
    assert await graph.among([a, b, 98, 99]) == [Edge(a, b, TOPIC)]


async def test_many_events_are_asked_for_at_once(rows: Rows, graph: SqlGraph) -> None:
    a, b, c = [event.id for event in await three(rows)]
    await link(rows, graph, Edge(a, b, CAUSE), Edge(b, c, CAUSE))
    assert await graph.among(range(3000)) == [Edge(a, b, CAUSE), Edge(b, c, CAUSE)]


async def test_every_new_event_is_to_be_linked_once(rows: Rows) -> None:
    found = await three(rows)
    assert await due(rows) == [event.id for event in found]
    session = await rows.sessions.get(found[0].session_id)
    assert session is not None
    assert (await rows.events.add(event_of(session, "again"), job_id=0)).id == found[0].id
    assert await due(rows) == []


async def test_an_edge_goes_with_either_of_its_events_and_what_came_after_is_linked_anew(
    rows: Rows, graph: SqlGraph
) -> None:
    a, b, c = await three(rows)
    await link(rows, graph, Edge(a.id, b.id, CAUSE), Edge(b.id, c.id, CHANGED))
    await due(rows)
    await rows.erasures.erase_messages("chat", [await message(rows, b)], START)
    assert await graph.among([a.id, b.id, c.id]) == []
    assert await due(rows) == [c.id]
    async with rows.database.reading() as connection:
        subjects = (await connection.execute(jobs.select().where(jobs.c.kind == "link"))).all()
        assert not (await connection.execute(edge_rows.select())).all()
    assert b.id not in {row.subject for row in subjects}


async def message(rows: Rows, event: Event) -> str:
    [said, *_] = await rows.utterances.get(event.sources)
    return said.message_id


async def test_what_was_linked_from_an_event_that_is_corrected_is_linked_anew_past_it(
    rows: Rows, graph: SqlGraph
) -> None:
    first, second, third = await three(rows)
    await link(rows, graph, Edge(first.id, second.id, Relation.CAUSE), Edge(second.id, third.id, Relation.CAUSE))
    assert await due(rows) == []
    said = Utterance(ANNS_DM, "told:1", ANN, "It was not so.", START, to_bot=False)
    await rows.told.tell(said, said.text, instead_of=[("event", second.id)], now=START)
    assert await due(rows) == [third.id]
    assert [event.id for event in await rows.events.readable_in(ANNS_DM)] == [first.id, third.id]


async def test_only_what_was_linked_from_it_is_linked_anew(rows: Rows, graph: SqlGraph) -> None:
    a, b, c = await three(rows)
    await link(rows, graph, Edge(a.id, b.id, CAUSE))
    await due(rows)
    await rows.erasures.erase_messages("chat", [await message(rows, c)], START)
    assert await due(rows) == []
    await rows.erasures.erase_messages("chat", [await message(rows, a)], START)
    assert await due(rows) == [b.id]


async def test_what_is_being_linked_while_something_goes_begins_anew(rows: Rows, graph: SqlGraph) -> None:
    a, b, c = await three(rows)
    await due(rows)
    async with rows.database.writing() as connection:
        await connection.execute(jobs.delete().where(jobs.c.subject == c.id, jobs.c.kind == "link"))
    await add_jobs(rows.jobs, [Job(JobKind.LINK, c.id)])
    job = await rows.jobs.claim(START, BETA)
    assert job is not None
    assert (job.kind, job.subject) == (JobKind.LINK, c.id)
    await rows.erasures.erase_messages("chat", [await message(rows, b)], START)
    assert await graph.link(job.id, [Edge(a.id, c.id, CAUSE)]) == 0
    assert await due(rows) == [c.id]


async def test_an_event_that_comes_late_is_linked_first_and_what_was_linked_past_it_after_it(
    rows: Rows, graph: SqlGraph
) -> None:
    a, b, c = await three(rows)
    other = await rows.event(await rows.converse(BENS_DM, [BEN], after=3 * DAY), "Elsewhere.", 3 * DAY)
    elder = await rows.event(await rows.converse(BENS_DM, [BEN], after=DAY), "Elsewhere.", DAY)
    edges = [Edge(a.id, c.id, TOPIC), Edge(a.id, b.id, CAUSE), Edge(elder.id, other.id, TOPIC)]
    await link(rows, graph, *edges)
    await due(rows)
    late = await rows.event(await rows.converse(ANNS_DM, [ANN], after=2.5 * DAY), "Late.", 2.5 * DAY)
    assert await due(rows) == [late.id, c.id]
    everything = [a.id, b.id, c.id, late.id, other.id, elder.id]
    assert await graph.among(everything) == [Edge(a.id, b.id, CAUSE), Edge(elder.id, other.id, TOPIC)]


async def test_later_events_that_wait_to_be_linked_wait_for_one_that_comes_late(rows: Rows) -> None:
    a, b, c = await three(rows)
    late = await rows.event(await rows.converse(ANNS_DM, [ANN], after=1.5 * DAY), "Late.", 1.5 * DAY)
    assert await due(rows) == [a.id, late.id, b.id, c.id]


async def test_of_equal_times_the_one_with_the_lower_id_is_the_older(rows: Rows, graph: SqlGraph) -> None:
    a, _, c = await three(rows)
    await link(rows, graph, Edge(a.id, c.id, TOPIC))
    await due(rows)
    late = await rows.event(await rows.converse(ANNS_DM, [ANN], after=3 * DAY), "Same time.", 3 * DAY)
    assert await due(rows) == [late.id]
    assert await graph.among([a.id, c.id]) == [Edge(a.id, c.id, TOPIC)]


async def test_an_edit_takes_the_edges_of_what_was_made_of_the_old_words(rows: Rows, graph: SqlGraph) -> None:
    a, b, c = await three(rows)
    await link(rows, graph, Edge(a.id, b.id, CAUSE), Edge(b.id, c.id, CHANGED))
    await due(rows)
    assert await rows.corrections.edit("chat", await message(rows, b), "other words") is not None
    assert await graph.among([a.id, b.id, c.id]) == []
    assert await due(rows) == [c.id]


async def test_edges_between_places_go_too(rows: Rows, graph: SqlGraph) -> None:
    hall = await rows.event(await rows.converse(HALL, [ANN, BEN], after=DAY), "In the hall.", DAY)
    private = await rows.event(await rows.converse(ANNS_DM, [ANN], after=2 * DAY), "In private.", 2 * DAY)
    await link(rows, graph, Edge(hall.id, private.id, TOPIC))
    await due(rows)
    await rows.erasures.erase_messages("chat", [await message(rows, hall)], START)
    assert await due(rows) == [private.id]
