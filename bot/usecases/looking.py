"""What the page in the browser shows, before it is drawn: the same entries, by the same rules, as the commands tell.

Everything is of the asker alone. What is of nobody is in `overseeing.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain import Asker, CareWishes, CheckIn, Edge, Place, Privacy, Receipt, Trait, Utterance
from bot.ports import Clock
from bot.usecases.entries import Entry, apart, page_of, page_there
from bot.usecases.just_told import JustTold
from bot.usecases.kept import Kept
from bot.usecases.memory import Memories, dm_of
from bot.usecases.privacy import any_of
from bot.usecases.receipts import receipts_of
from bot.usecases.topics import topics_of

PAGE = 20
"""Entries on a page."""
CHART = 120
"""Events in a timeline."""
CHECKINS = 30
RECEIPTS = 10
COUNTED = 10_000
"""Memories that are counted, or as many as the page that is asked for needs: beyond, a page says "more than" these."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """A page of entries, the newest first."""

    entries: tuple[Entry, ...]
    told: tuple[JustTold, ...]
    """What was told a moment ago: on the first page."""
    names: Mapping[Place, str]
    former: Mapping[str, Sequence[Trait]]
    """Code of an entry → what was true before it, the last first."""
    page: int
    pages: int
    count: int
    """Of all that a search finds; else of what is known, without what was told a moment ago."""
    more: bool = False
    """Whether there are more than `count`, and so more pages than `pages`."""
    words_only: bool = False
    """Whether what is close in meaning was not looked for."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One entry with all that is behind it."""

    entry: Entry
    name: str
    """What people call its place."""
    former: tuple[Trait, ...]
    said: tuple[Utterance, ...]
    """The asker's own words that it was made of."""
    former_said: Mapping[int, Sequence[Utterance]]
    """Id of one of the `former` → the asker's own words that it was made of."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Events in order of time, the oldest first."""

    entries: tuple[Entry, ...]
    topics: Mapping[str, str]
    """Code → what it is about, one of its topics: the one that most of the events have."""
    edges: tuple[Edge, ...]
    page: int
    pages: int
    more: bool
    """Whether there are more pages than `pages`."""


@dataclass(frozen=True, slots=True)
class CheckInsShown:
    """What somebody chose, and what came of it, the latest first."""

    wishes: CareWishes
    made: tuple[CheckIn, ...]
    paused_until: datetime | None = None
    """The end of a pause that is not over."""


@dataclass(frozen=True, slots=True)
class SpokenIn:
    """A channel in which somebody spoke, and whether they are out of it."""

    place: Place
    name: str
    out: bool
    everywhere: bool = False
    """Whether they are out of its whole server."""
    last: bool = False
    """Whether it is the last one of its server here."""


class Looking:
    """Finds what the page shows."""

    def __init__(self, *, memories: Memories, kept: Kept, clock: Clock) -> None:
        self._memories = memories
        self._kept = kept
        self._clock = clock

    async def memories(self, asker: Asker, words: str = "", page: int = 1) -> Shelf:
        """What is known of the asker: all of it, or what holds the words and what is close to them."""
        query, words_only, more = " ".join(words.split()), False, False
        if query:
            exact, close = await self._memories.found(query, asker)
            (told, found), words_only = apart([*exact, *(close or ())]), close is None
            count, (page, pages, shown) = len(found) + len(told), page_of(found, page, PAGE)
        else:
            count, more, page, pages, shown = await self._newest(asker, page, PAGE)
            shown, told = await self._memories.beside_just_told(shown, asker)
        told = told if page == 1 else []
        names, former = await self._memories.names([*told, *shown]), await self._memories.former(shown, asker)
        return Shelf(tuple(shown), tuple(told), names, former, page, pages, count, more, words_only)

    async def entry(self, asker: Asker, code: str) -> Shown | None:
        """One entry of the asker's; None: there is none of that name for them."""
        entry = await self._memories.entry(asker, code)
        if entry is None:
            return None
        names, former = await self._memories.names([entry]), await self._memories.former([entry], asker)
        said, before = await self._memories.own_sources(entry, asker), tuple(former.get(code, ()))
        former_said = {one.id: await self._memories.own_sources(one, asker) for one in before}
        return Shown(entry, names.get(entry.place, ""), before, tuple(said), former_said)

    async def successor(self, asker: Asker, code: str) -> str:
        """The code of the entry that ended what had this code; empty: there is none for the asker."""
        return await self._memories.successor(asker, code)

    async def timeline(self, asker: Asker, page: int = 1) -> Chart:
        """The asker's events, the newest on the first page."""
        _, more, page, pages, shown = await self._newest(asker, page, CHART, events_only=True)
        ids = [int(entry.code[1:]) for entry in shown]
        return Chart(
            tuple(reversed(shown)), topics_of(shown), tuple(await self._kept.graph.among(ids)), page, pages, more
        )

    async def checkins(self, asker: Asker) -> CheckInsShown:
        """What the asker chose about check-ins, and the last ones with what became of them."""
        wishes = await self._kept.checkins.wishes(asker.speaker.id)
        made = await self._kept.checkins.latest(CHECKINS, asker.speaker.id)
        until = wishes.paused_until
        return CheckInsShown(wishes, tuple(made), until if until and until > self._clock.now() else None)

    async def zone(self, asker: Asker) -> str:
        """The time zone that the asker chose for check-ins; empty: none."""
        return (await self._kept.checkins.wishes(asker.speaker.id)).zone

    async def privacy(self, asker: Asker) -> tuple[Privacy, Sequence[Receipt]]:
        """What the asker decided, and what they had erased last."""
        person = asker.speaker.id
        return await self._kept.privacies.of(person), await receipts_of(person, RECEIPTS, self._kept)

    async def spoken_in(self, asker: Asker) -> list[SpokenIn]:
        """The channels in which the asker spoke, server by server, and whether they are read there."""
        places = sorted(await self._kept.exports.channels(await self._memories.ids(asker)))
        names, privacies = await self._kept.utterances.place_names(places), self._kept.privacies
        last = {(place.platform, place.server): place for place in places}
        shown: list[SpokenIn] = []
        for place in places:
            out = await privacies.opted_out(asker.speaker.id, place)
            everywhere = await privacies.opted_out(asker.speaker.id, any_of(place))
            is_last = last[place.platform, place.server] == place
            shown.append(SpokenIn(place, names.get(place, ""), out, everywhere, is_last))
        return shown

    async def _newest(
        self, asker: Asker, asked: int, size: int, *, events_only: bool = False
    ) -> tuple[int, bool, int, int, Sequence[Entry]]:
        """How many entries there are, or more; the page that is shown, of how many; what is on it: it alone is loaded.

        So many are counted that there is a page behind the one that is asked for, if there is one.
        """
        dm, most = dm_of(asker), max(COUNTED, max(asked, 1) * size + size)
        count = await self._kept.shelf.count(dm, most + 1, events_only=events_only)
        more, count = count > most, min(count, most)
        page, pages = page_there(count, asked, size)
        codes = await self._kept.shelf.newest(dm, (page - 1) * size, size, events_only=events_only)
        return count, more, page, pages, await self._memories.among(asker, codes)
