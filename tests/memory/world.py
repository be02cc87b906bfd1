"""A small world of people, servers and conversations, told to the real stores and kept beside them in plain sets.

What the sets say is the oracle: who can read each place, who spoke where, who is one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from bot.domain import AGENT_ID, Event, Place, PlaceKind, Speaker, Trait
from bot.storage.memory.events import count_up
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.shared.privacy_tables import event_corrections
from tests.audience_rule import Audience, Origin
from tests.stored import START, Rows, event_of, trait_of

PERSONS = {
    "ann": ("chat:ann", "post:ann"),
    "ben": ("chat:ben", "post:benny"),
    "cat": ("chat:cat",),
    "dan": ("post:dan",),
}
"""Person → their ids, which may be linked."""

IDS = tuple(speaker_id for ids in PERSONS.values() for speaker_id in ids)
DMS = tuple(Place(platform, PlaceKind.DM, ref) for platform, ref in (speaker_id.split(":") for speaker_id in IDS))
HALL = Place("chat", PlaceKind.CHANNEL, "one/hall")
THREAD = Place("chat", PlaceKind.CHANNEL, "one/hall/thread")
GARDEN = Place("chat", PlaceKind.CHANNEL, "one/garden")
ELSEWHERE = Place("chat", PlaceKind.CHANNEL, "two/hall")
NAMESAKE = Place("post", PlaceKind.CHANNEL, "one/hall")
"""Its server has the same name as that of HALL, on another platform."""
CHANNELS = (HALL, THREAD, GARDEN, ELSEWHERE, NAMESAKE)
PLACES = (*DMS, *CHANNELS)


@dataclass(frozen=True)
class Made:
    """A memory as it was made."""

    place: Place
    heard_by: frozenset[str]
    event: Event | None = None
    trait: Trait | None = None


def server_of(place: Place) -> tuple[str, str]:
    """(platform, server); ("chat", "") for a DM."""
    return place.platform, place.server or ""


@dataclass
class World:
    """Tells the stores what happens, and remembers it in sets."""

    rows: Rows
    members: dict[tuple[str, str], frozenset[str]]
    """(platform, server) → the ids of its members."""
    linked: set[str] = field(default_factory=set)
    """Names of persons whose ids are linked."""
    sharing: set[tuple[str, str]] = field(default_factory=set)
    public: set[Place] = field(default_factory=set)
    """Channels that everybody on the server reads, and threads that everybody reads who reads the channel."""
    insiders: dict[Place, frozenset[str]] = field(default_factory=dict)
    """Channel that is not public → those who can read it, if they are on its server; a thread: if in its channel."""
    made: list[Made] = field(default_factory=list)
    corrected: dict[int, str] = field(default_factory=dict)
    """Id of an event → the id of the one who corrected it."""

    def __post_init__(self) -> None:
        self.identities = SqlIdentities(self.rows.database)

    # What is so.

    def person(self, speaker_id: str) -> frozenset[str]:
        """All ids of the person that this identity is, as far as the companion knows."""
        for name, ids in PERSONS.items():
            if speaker_id in ids and name in self.linked:
                return frozenset(ids)
        return frozenset({speaker_id})

    def ids_that_read(self, place: Place) -> frozenset[str]:
        """The identities before which this place stands."""
        if place.dm_person is not None:
            return frozenset({place.dm_person})
        members = self.members[server_of(place)] if place.parent is None else self.ids_that_read(place.parent)
        return members if place in self.public else members & self.insiders.get(place, frozenset())

    def readers(self, place: Place) -> set[frozenset[str]]:
        """The people who can read this place."""
        return {self.person(speaker_id) for speaker_id in self.ids_that_read(place)}

    def audience(self, place: Place) -> Audience:
        """What the rule is told of a place."""
        people = frozenset() if place.dm_person is None else self.person(place.dm_person)
        return Audience(place, people, shares=server_of(place) in self.sharing)

    def origin(self, made: Made) -> Origin:
        """What the rule is told of where a memory comes from."""
        return Origin(made.place, made.heard_by, made.place in self.public, made.place.parent in self.public)

    # What happens.

    async def say(self, place: Place, speakers: Sequence[str]) -> None:
        """A session of those of `speakers` who can read the place, and of the companion; with its event and traits."""
        there = [self._speaker(speaker_id) for speaker_id in speakers if speaker_id in self.ids_that_read(place)]
        there.append(Speaker(AGENT_ID, "Monica"))
        session = await self.rows.converse(place, there)
        heard_by = frozenset(speaker.id for speaker in there)
        new = replace(event_of(session, f"summary {len(self.made)}"), names=tuple((one.id, one.name) for one in there))
        self.made.append(Made(place, heard_by, event=await self.rows.events.add(new, job_id=0)))
        for speaker in there:
            trait = await self.rows.trait(session, speaker, f"I like {len(self.made)}.")
            self.made.append(Made(place, heard_by, trait=trait))

    async def say_again(self, number: int, speakers: Sequence[str]) -> None:
        """A later session of the same place, with others, in which a trait is said again: that widens nothing."""
        traits = [made.trait for made in self.made if made.trait is not None]
        if not traits:
            return
        trait = traits[number % len(traits)]
        there = [speaker_id for speaker_id in speakers if speaker_id in self.ids_that_read(trait.place)]
        said_by = [*(self._speaker(speaker_id) for speaker_id in there), Speaker(trait.speaker_id, "the same")]
        session = await self.rows.converse(trait.place, said_by)
        again = trait_of(session, said_by[-1])
        job_id = await self.rows.leased()
        await self.rows.traits.apply(job_id, refreshed=[(trait.id, START + timedelta(days=1), again.sources)])

    async def link(self, name: str) -> None:
        """Joins the identities of a person, if there are two and they are not joined."""
        if len(PERSONS[name]) > 1 and name not in self.linked:
            first, second = PERSONS[name]
            await self.identities.offer(first, f"code of {name}", START + timedelta(minutes=10))
            await self.identities.link(second, f"code of {name}", START)
            self.linked.add(name)

    async def unlink(self, name: str) -> None:
        """Parts the identities of a person."""
        await self.identities.unlink(PERSONS[name][-1])
        self.linked.discard(name)

    async def share(self, place: Place, *, on: bool) -> None:
        """Switches sharing for the server of a channel."""
        await self.rows.channels.set_sharing(place, "chat:owner", on=on)
        self.sharing = self.sharing | {server_of(place)} if on else self.sharing - {server_of(place)}

    async def show(self, place: Place) -> None:
        """Lets everybody on the server read a channel."""
        await self.rows.channels.set_public({place: True})
        self.public.add(place)

    async def hide(self, place: Place, insiders: Sequence[str], *, told: bool = True) -> None:
        """Lets only these read a channel; `told`: the companion hears of it, as it does of every change."""
        if told:
            await self.rows.channels.set_public({place: False})
        self.public.discard(place)
        self.insiders[place] = frozenset(insiders)

    async def correct(self, number: int, speakers: Sequence[str]) -> None:
        """Has an event superseded by a trait, as `bot.ports.Told` does: of one of `speakers`, if they have one."""
        events = [made.event for made in self.made if made.event is not None and made.event.id not in self.corrected]
        traits = [made.trait for made in self.made if made.trait is not None and made.trait.speaker_id != AGENT_ID]
        if events and traits:
            event = events[number % len(events)]
            theirs = [trait for trait in traits if trait.speaker_id in speakers]
            trait = (theirs or traits)[number % len(theirs or traits)]
            async with self.rows.database.writing() as connection:
                await connection.execute(event_corrections.insert().values(event_id=event.id, trait_id=trait.id))
                await count_up(connection)
            self.corrected[event.id] = trait.speaker_id

    def _speaker(self, speaker_id: str) -> Speaker:
        return Speaker(speaker_id, speaker_id.partition(":")[2].title())
