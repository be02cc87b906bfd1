"""The audience rule: that it is what its sentence says, that the stores' SQL is the same rule, and recall obeys it.

"A memory is used only where everyone who can read the place could have read its origin", or, in a DM, where its person
spoke (`World.readers`: sets of people, made without the rule).
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.clock import ManualClock
from bot.config import Memory, Persona
from bot.domain import AGENT_ID, Event, Place
from bot.indexing.indexing import Indexer
from bot.llm.scripted import ScriptedEncoder
from bot.memory.query import Query
from bot.memory.recall import Recall
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.audience_rule import Audience, Origin, is_corrected, may_use
from tests.memory.world import (
    CHANNELS,
    DMS,
    ELSEWHERE,
    GARDEN,
    HALL,
    IDS,
    NAMESAKE,
    PERSONS,
    PLACES,
    THREAD,
    Made,
    World,
)
from tests.open_rows import open_rows
from tests.stored import START

ANNS, ANNS_POST, BENS = DMS[:3]
ANN, ANN_POST, BEN = IDS[:3]
EVERYBODY = (*IDS, AGENT_ID)

Step: TypeAlias = tuple[str, Place | int | str, Sequence[str] | bool]


@pytest.mark.parametrize(
    ("made_in", "heard_by", "public", "place", "people", "shares", "may"),
    [
        (ANNS, {ANN}, False, ANNS, {ANN}, False, True),
        (ANNS, {ANN}, False, ANNS_POST, {ANN, ANN_POST}, False, True),
        (ANNS, {ANN}, False, ANNS_POST, {ANN_POST}, False, False),
        (ANNS, {ANN}, True, BENS, {BEN}, True, False),
        (ANNS, {ANN, BEN}, True, BENS, {BEN}, True, False),
        (ANNS, {ANN}, True, HALL, set(), True, False),
        (HALL, {ANN}, False, HALL, set(), False, True),
        (HALL, {ANN}, False, ANNS, {ANN}, False, True),
        (HALL, {ANN}, False, ANNS_POST, {ANN, ANN_POST}, False, True),
        (HALL, {ANN}, True, ANNS_POST, {ANN_POST}, True, False),
        (HALL, {ANN}, True, BENS, {BEN}, True, False),
        (HALL, {ANN}, True, GARDEN, set(), True, True),
        (HALL, {ANN}, True, THREAD, set(), True, True),
        (THREAD, {ANN}, False, HALL, set(), True, False),
        (HALL, {ANN}, False, GARDEN, set(), True, False),
        (HALL, {ANN}, True, GARDEN, set(), False, False),
        (HALL, {ANN}, True, ELSEWHERE, set(), True, False),
        (HALL, {ANN}, True, NAMESAKE, set(), True, False),
    ],
)
def test_the_rule(
    made_in: Place, heard_by: set[str], public: bool, place: Place, people: set[str], shares: bool, may: bool
) -> None:
    origin = Origin(made_in, frozenset({*heard_by, AGENT_ID}), public)
    assert may_use(origin, Audience(place, frozenset(people), shares)) is may


@pytest.mark.parametrize("place", [HALL, GARDEN])
@pytest.mark.parametrize(("public", "channel_public"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_thread_is_as_open_as_itself_and_its_channel(place: Place, public: bool, channel_public: bool) -> None:
    origin = Origin(THREAD, frozenset({ANN}), public, channel_public)
    assert may_use(origin, Audience(place, shares=True)) is (public and channel_public)


@pytest.mark.parametrize(
    ("heard_by", "corrector", "place", "people", "hidden"),
    [
        ({ANN, BEN}, {ANN}, ANNS, {ANN}, True),
        ({ANN, BEN}, {ANN, ANN_POST}, ANNS_POST, {ANN, ANN_POST}, True),
        ({ANN, BEN}, {ANN}, BENS, {BEN}, False),
        ({ANN, BEN}, {ANN}, HALL, set(), False),
        ({ANN}, {ANN}, HALL, set(), True),
        ({ANN}, {ANN, ANN_POST}, GARDEN, set(), True),
        ({ANN, ANN_POST}, {ANN}, HALL, set(), False),
    ],
)
def test_a_correction_changes_what_its_person_is_shown_and_what_nobody_else_said(
    heard_by: set[str], corrector: set[str], place: Place, people: set[str], hidden: bool
) -> None:
    origin = Origin(HALL, frozenset({*heard_by, AGENT_ID}))
    assert is_corrected(frozenset(corrector), origin, Audience(place, frozenset(people))) is hidden


ids = st.lists(st.sampled_from(IDS), max_size=4, unique=True)
names, channels, numbers = st.sampled_from(sorted(PERSONS)), st.sampled_from(CHANNELS), st.integers(0, 99)
said = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(PLACES), ids),
    st.tuples(st.just("say"), channels, ids),
    st.tuples(st.just("say again"), numbers, ids),
)
changes = st.one_of(
    st.tuples(st.just("link"), names, st.booleans()),
    st.tuples(st.just("share"), channels, st.booleans()),
    st.tuples(st.just("show"), channels, ids),
    st.tuples(st.just("hide"), channels, ids),
    st.tuples(st.just("correct"), numbers, ids),
)
everybody_is_there = st.just(IDS)
memberships = st.lists(st.one_of(everybody_is_there, ids), min_size=3, max_size=3)
LATER: Sequence[Step] = (
    ("link", "ann", True),
    ("share", HALL, True),
    ("show", HALL, ()),
    ("hide", HALL, [ANN]),
    ("link", "ann", False),
    ("share", GARDEN, False),
)
"""Changes of who may read what, one after the other."""
EVERYTHING: list[Step] = [
    ("say", HALL, list(IDS)),
    ("say", HALL, [ANN]),
    *(("say", place, [ANN, ANN_POST, BEN]) for place in (ANNS, ANNS_POST, BENS, GARDEN, THREAD, ELSEWHERE, NAMESAKE)),
    ("say again", 4, [BEN]),
    ("show", THREAD, ()),
    ("correct", 0, [ANN]),
    ("correct", 0, [ANN_POST]),
    ("correct", 4, [BEN]),
]
"""Something of each kind; the fifth trait is Ann's, who said it before nobody and then before Ben.

Ann corrects what she said among many, and, by her other identity, what she said alone; Ben what both said.
"""


@example(memberships=[[*IDS]] * 3, insiders=[[*IDS]] * 5, before=EVERYTHING, after=[])
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    memberships=memberships,
    insiders=st.lists(ids, min_size=5, max_size=5),
    before=st.lists(st.one_of(said, changes), max_size=8),
    after=st.lists(changes, max_size=3),
)
def test_every_recall_obeys_the_rule(
    memberships: list[list[str]], insiders: list[list[str]], before: list[Step], after: list[Step]
) -> None:
    asyncio.run(live(memberships, insiders, before, [*after, *LATER]))


async def live(
    memberships: list[list[str]], insiders: list[list[str]], before: list[Step], after: Sequence[Step]
) -> None:
    servers = [("chat", "one"), ("chat", "two"), ("post", "one")]
    members = {
        server: frozenset(one for one in chosen if one.startswith(server[0]))
        for server, chosen in zip(servers, memberships, strict=True)
    }
    async with open_rows() as rows:
        world = World(rows, members)
        for place, chosen in zip(CHANNELS, insiders, strict=True):
            await world.hide(place, chosen, told=False)
        mind = Mind(world)
        for step in before:
            await take(world, step)
        await mind.indexer.catch_up()
        for step in after:
            for place in PLACES:
                await compare(world, mind, place)
            await take(world, step)
        for place in PLACES:
            await compare(world, mind, place)
            await compare_stores(world, place)


async def take(world: World, step: Step) -> None:
    match step:
        case ("say", Place() as place, list() as speakers):
            await world.say(place, speakers)
        case ("say again", int() as number, list() as speakers):
            await world.say_again(number, speakers)
        case ("link", str() as name, bool() as on):
            await (world.link(name) if on else world.unlink(name))
        case ("share", Place() as place, bool() as on):
            await world.share(place, on=on)
        case ("show", Place() as place, _):
            await world.show(place)
        case ("hide", Place() as place, list() as insiders):
            await world.hide(place, insiders)
        case ("correct", int() as number, list() as speakers):
            await world.correct(number, speakers)
        case _:
            raise AssertionError(step)


class Mind:
    """Recall over the real stores that finds all it may; it lives as long as the world."""

    query = Query("summary", np.full(256, 1 / 16, np.float32), frozenset(), ANN, START)

    def __init__(self, world: World) -> None:
        events, traits, index, encoder = world.rows.events, world.rows.traits, NumpyVectorIndex(), ScriptedEncoder()
        self.indexer = Indexer(events=events, traits=traits, passages=world.rows.passages, index=index, encoder=encoder)
        self.recall = Recall(
            events=events,
            traits=traits,
            passages=world.rows.passages,
            graph=world.rows.graph,
            index=index,
            encoder=encoder,
            topics=NoTopics(),
            clock=ManualClock(START),
            memory=Memory(gamma=-1.0, top_k=50),
            persona=Persona(top_k=100),
        )


class NoTopics:
    def topics(self, text: str) -> frozenset[str]:
        return frozenset()


async def compare(world: World, mind: Mind, place: Place) -> None:
    """What comes to mind in a place is what the rule allows, and what the rule allows its sentence does."""
    allowed = readable(world, place)
    for made in allowed:
        spoke_there = place.dm_person is not None and not made.heard_by.isdisjoint(world.person(place.dm_person))
        assert world.readers(place) <= world.readers(made.place) or (spoke_there and made.place in CHANNELS)
    recalled = await mind.recall.recollect(mind.query, place, EVERYBODY)
    assert by_id(item.event for item in recalled.events) == events_as_read(world, allowed, place)
    assert {item.trait.id: item.trait.speaker_id for item in recalled.traits} == traits_as_read(world, allowed, place)


async def compare_stores(world: World, place: Place) -> None:
    """What the stores give, which is all that recall, lists and exports can see."""
    allowed = readable(world, place)
    shown = events_as_read(world, allowed, place)
    assert by_id(await world.rows.events.readable_in(place)) == shown
    every = [made.event.id for made in world.made if made.event is not None]
    assert by_id(await world.rows.events.readable_in(place, every)) == shown
    traits = [made.trait.id for made in world.made if made.trait is not None]
    for speaker_id in EVERYBODY:
        known = await world.rows.traits.readable_in(place, [speaker_id])
        assert await world.rows.traits.readable_in(place, [speaker_id], traits) == known
        asked = {as_in(world, place, speaker_id)}
        all_known = traits_as_read(world, allowed, place)
        assert {trait.id for trait in known} == {key for key, whose in all_known.items() if whose in asked}
    if place.dm_person is not None:
        await compare_shelf(world, place, {*world.person(place.dm_person)}, shown)


async def compare_shelf(world: World, dm: Place, person: set[str], shown: Mapping[int, Event]) -> None:
    """What a page lists of a person and counts is what is readable in their DM, of them or in their presence."""
    here = as_in(world, dm, min(person))
    codes = {f"e{key}" for key, event in shown.items() if here in event.speakers}
    assert {*await world.rows.shelf.newest(dm, 0, 999, events_only=True)} == codes
    assert await world.rows.shelf.count(dm, 999, events_only=True) == len(codes)
    codes |= {f"t{trait.id}" for trait in await world.rows.traits.readable_in(dm, sorted(person))}
    assert {*await world.rows.shelf.newest(dm, 0, 999)} == codes
    assert await world.rows.shelf.count(dm, 999) == len(codes)


def readable(world: World, place: Place) -> list[Made]:
    return [made for made in world.made if may_use(world.origin(made), world.audience(place))]


def by_id(events: Iterable[Event]) -> dict[int, Event]:
    return {event.id: event for event in events}


def events_as_read(world: World, allowed: list[Made], place: Place) -> dict[int, Event]:
    """The events as they should be read: linked people are the person of the DM."""
    events = [made.event for made in allowed if made.event is not None and not hidden(world, made.event, made, place)]
    return by_id(
        replace(
            event,
            speakers=frozenset(as_in(world, place, speaker_id) for speaker_id in event.speakers),
            names=tuple(sorted((as_in(world, place, speaker_id), name) for speaker_id, name in event.names)),
        )
        for event in events
    )


def hidden(world: World, event: Event, made: Made, place: Place) -> bool:
    """Whether somebody's correction hides an event, by the rule and by what the rule is for."""
    by = world.corrected.get(event.id)
    if by is None:
        return False
    corrector = world.person(by)
    is_hidden = is_corrected(corrector, world.origin(made), world.audience(place))
    others = made.heard_by - corrector - {AGENT_ID}
    assert is_hidden == (not others or place.dm_person in corrector)
    return is_hidden


def traits_as_read(world: World, allowed: list[Made], place: Place) -> dict[int, str]:
    """Trait id → the id by which its speaker goes there."""
    traits = [made.trait for made in allowed if made.trait is not None]
    return {trait.id: as_in(world, place, trait.speaker_id) for trait in traits}


def as_in(world: World, place: Place, speaker_id: str) -> str:
    here = place.dm_person
    return here if here is not None and speaker_id in world.person(here) else speaker_id
