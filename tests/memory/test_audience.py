"""The audience rule: the predicate, and that the stores' SQL is the same rule."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import AGENT_ID, Place, PlaceKind, Speaker
from bot.memory.audience import may_use
from bot.storage.database import open_database
from tests.stored import Rows

PEOPLE = [Speaker(f"chat:{name}", name) for name in ("ann", "ben", "cat")]
AGENT = Speaker(AGENT_ID, "Monica")
DMS = [Place("chat", PlaceKind.DM, name) for name in ("ann", "ben", "cat")]
CHANNELS = [Place("chat", PlaceKind.CHANNEL, ref) for ref in ("one/hall", "one/garden", "two/hall")]
OTHER_PLATFORM = [Place("post", PlaceKind.DM, "ann"), Place("post", PlaceKind.CHANNEL, "one/hall")]
PLACES = [*DMS, *CHANNELS, *OTHER_PLATFORM]

heard = st.lists(st.sampled_from([*PEOPLE, AGENT]), min_size=1, max_size=4, unique=True)
conversations = st.lists(st.tuples(st.sampled_from(PLACES), heard), min_size=1, max_size=6)


@given(origin=st.sampled_from(PLACES), heard_by=heard, place=st.sampled_from(PLACES))
def test_nothing_reaches_a_reader_who_was_not_there(origin: Place, heard_by: list[Speaker], place: Place) -> None:
    allowed = may_use(origin, frozenset(speaker.id for speaker in heard_by), place)
    if place == origin:
        assert allowed
    elif place.kind is PlaceKind.CHANNEL or origin.kind is PlaceKind.DM:
        assert not allowed
    else:
        assert allowed == any(speaker.id == place.dm_person for speaker in heard_by)


@settings(max_examples=15, deadline=None)
@given(said=conversations)
def test_the_stores_agree_with_the_predicate(said: list[tuple[Place, list[Speaker]]]) -> None:
    asyncio.run(compare(said))


async def compare(said: list[tuple[Place, list[Speaker]]]) -> None:
    database = await open_database("sqlite+aiosqlite:///:memory:")
    rows = Rows(database)
    events, traits = [], []
    for place, speakers in said:
        session = await rows.converse(place, speakers)
        heard_by = frozenset(speaker.id for speaker in speakers)
        events.append((await rows.event(session), heard_by))
        traits += [(await rows.trait(session, speaker), heard_by) for speaker in speakers]
    everyone = [speaker.id for speaker in (*PEOPLE, AGENT)]
    for place in PLACES:
        readable = {event.id for event, heard_by in events if may_use(event.place, heard_by, place)}
        assert {event.id for event in await rows.events.readable_in(place)} == readable
        known = {trait.id for trait, heard_by in traits if may_use(trait.place, heard_by, place)}
        assert {trait.id for trait in await rows.traits.readable_in(place, everyone)} == known
    await database.aclose()
