"""What was said is recalled word for word where the audience rule lets it, in every place of generated worlds.

The rule is that of events (`tests/memory/test_audience.py`, whose worlds these are), for the session of each passage.
Corrections count as they do there, of events and of traits that somebody told otherwise.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from bot.domain import TOLD, Passage, Place, PlaceKind, Speaker, Utterance
from bot.ports import PassagesVersion
from bot.storage.memory.traits import read_traits
from bot.storage.shared.tables import sessions
from tests.audience_rule import Origin, is_corrected, may_use
from tests.memory.test_audience import ANN, EVERYTHING, LATER, Step, changes, ids, memberships, numbers, said, take
from tests.memory.world import CHANNELS, HALL, IDS, PLACES, World
from tests.open_rows import open_rows
from tests.stored import START

retellings = st.tuples(st.just("retell"), numbers, st.lists(st.sampled_from(IDS), min_size=1, max_size=1))
RETOLD: list[Step] = [
    *EVERYTHING,
    ("say", HALL, [ANN]),
    ("retell", 0, [ANN]),
    ("retell", 5, [ANN]),
    ("retell", 9, ["chat:ben"]),
    ("retell", 24, ["post:ann"]),
    ("retell", 14, ["chat:cat"]),
]
"""Everything that `EVERYTHING` has, and traits of several sessions that are told otherwise, also by somebody else."""


@dataclass
class Told:
    """What was told in the place of traits."""

    world: World
    by: dict[int, str] = field(default_factory=dict)
    """Id of a trait → the id of whoever told it otherwise first."""

    async def retell(self, number: int, speaker_id: str) -> None:
        """Has a trait superseded by a command."""
        known = [made.trait.id for made in self.world.made if made.trait is not None]
        if not known:
            return
        trait_id = known[number % len(known)]
        platform, _, person = speaker_id.partition(":")
        dm = Place(platform, PlaceKind.DM, person)
        words = Utterance(dm, f"{TOLD}{number} {len(self.by)}", Speaker(speaker_id, person), "not so", START)
        if trait_id not in self.by:
            await self.world.rows.told.tell(words, "not so", instead_of=[("trait", trait_id)], now=START)
            self.by[trait_id] = speaker_id


@example(memberships=[[*IDS]] * 3, insiders=[[*IDS]] * 5, before=RETOLD, after=[])
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    memberships=memberships,
    insiders=st.lists(ids, min_size=5, max_size=5),
    before=st.lists(st.one_of(said, changes, retellings), max_size=10),
    after=st.lists(st.one_of(changes, retellings), max_size=3),
)
def test_what_was_said_is_readable_by_the_rule(
    memberships: list[list[str]], insiders: list[list[str]], before: list[Step], after: list[Step]
) -> None:
    asyncio.run(live(memberships, insiders, before, [*after, *LATER]))


async def live(
    memberships: list[list[str]], insiders: list[list[str]], before: Sequence[Step], after: Sequence[Step]
) -> None:
    servers = [("chat", "one"), ("chat", "two"), ("post", "one")]
    members = {
        server: frozenset(one for one in chosen if one.startswith(server[0]))
        for server, chosen in zip(servers, memberships, strict=True)
    }
    async with open_rows() as rows:
        world = World(rows, members)
        told = Told(world)
        for place, chosen in zip(CHANNELS, insiders, strict=True):
            await world.hide(place, chosen, told=False)
        await take_all(told, before)
        await archive_all(world)
        version, found = await look(told)
        for step in after:
            await take_all(told, [step])
            changed, now = await look(told)
            assert changed != version or now == found  # callers cache by the version
            version, found = changed, now


async def take_all(told: Told, steps: Sequence[Step]) -> None:
    for step in steps:
        match step:
            case ("retell", int() as number, [str() as speaker_id]):
                await told.retell(number, speaker_id)
            case _:
                await take(told.world, step)


async def archive_all(world: World) -> None:
    async with world.rows.database.reading() as connection:
        closed = (await connection.execute(select(sessions.c.id))).scalars().all()
    for session_id in closed:
        await world.rows.passages.archive(session_id, [], 0)


async def look(told: Told) -> tuple[PassagesVersion, dict[Place, list[int]]]:
    """What is readable in each place, which is what the rule says, and the version."""
    passages = told.world.rows.passages
    every = await passages.get(range(1, 500))
    heard_by: dict[int, set[str]] = {}
    for one in every:
        heard_by.setdefault(one.utterance.session_id, set()).add(one.utterance.speaker.id)
    retold = await words_retold(told)
    found: dict[Place, list[int]] = {}
    for place in PLACES:
        found[place] = (await passages.readable_in(place)).tolist()
        allowed = []
        for one in every:
            origin = origin_of(told.world, one, frozenset(heard_by[one.utterance.session_id]))
            if may_use(origin, told.world.audience(place)) and not hidden(told, retold, one, origin, place):
                allowed.append(one.id)
        assert found[place] == allowed
    return await passages.version(), found


def origin_of(world: World, passage: Passage, heard_by: frozenset[str]) -> Origin:
    place = passage.utterance.place
    return Origin(place, heard_by, place in world.public, place.parent in world.public)


async def words_retold(told: Told) -> dict[int, list[str]]:
    """Id of an utterance → who told a trait otherwise that it says."""
    retold: dict[int, list[str]] = {}
    async with told.world.rows.database.reading() as connection:
        for trait in await read_traits(connection, sorted(told.by)):
            for source in trait.sources:
                retold.setdefault(source, []).append(told.by[trait.id])
    return retold


def hidden(told: Told, retold: dict[int, list[str]], passage: Passage, origin: Origin, place: Place) -> bool:
    """Whether somebody's correction hides a passage from this place."""
    world, session_id = told.world, passage.utterance.session_id
    events = [made.event for made in world.made if made.event is not None and made.event.session_id == session_id]
    by = [world.corrected[event.id] for event in events if event.id in world.corrected]
    by += retold.get(passage.utterance.id, [])
    return any(is_corrected(world.person(one), origin, world.audience(place)) for one in by)
