"""Which time zone somebody means: by a city, a country, a zone's name, an abbreviation or an offset. Pure.

The cities are GeoNames' with 15,000 people or more, with all of their names, in any script. They are read once, at the
first question that needs them: that takes about two seconds, so call `zones_of` in a thread.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import available_timezones

from bot.care.calendar import zone_named
from bot.care.gazetteer import City, Gazetteer, folded, gazetteer
from bot.texts.beside import read_beside

MOST = 8
"""Candidates at most: as many as fit under a question as buttons."""
DWARFED = 50
"""A place is not offered beside another of its name that has so many times its people."""
LEAST_SHARE = 0.01
"""A zone in which fewer of a country's people live is not offered for the country."""
REGIONS = 3
"""States named in one candidate."""
LONGEST = 100
"""Characters that are looked at."""

_OFFSET = re.compile(r"(?:utc|gmt)? ?([+\-−–]) ?(\d{1,2})(?::?(00|15|30|45))?", re.IGNORECASE)
_READ = read_beside(__file__)
_BETWEEN: Mapping[str, str] = _READ["offsets"]
"""An offset ahead of UTC that is no whole hours ("+03:30") → the zone."""
_FIXED = "Etc/"
_ANY = datetime(2000, 1, 1, tzinfo=UTC)
_WEST, _EAST = 12, 14
"""How many hours behind and ahead of UTC zones of a fixed offset go."""

_SHORT: Mapping[str, list[str]] = _READ["short"]
"""Abbreviations → the zones that use them, the most likely first. One may be several clocks, so it is asked which."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone that may be meant."""

    name: str
    """Its IANA name, such as "America/Chicago"."""
    place: str
    """What to call it before people: "Springfield (Illinois, Missouri), United States", or a zone's own city."""
    fixed: bool = False
    """Whether it is a mere offset from UTC, which follows no summer time anywhere."""


def zones_of(words: str) -> tuple[Zone, ...]:
    """The zones that somebody may mean, the likeliest first, each once, `MOST` at most; empty: none is known so.

    "Berlin", "München", "Portland, Oregon", "東京", "Germany", "Texas", "europe/berlin", "New York time", "CET", "+2".
    More than one is a question: several cities of a name, a country of several zones, an abbreviation. An offset is
    `fixed`; "UTC+2" is two hours ahead of UTC, though the zone's own name, Etc/GMT-2, counts the other way.
    """
    words = " ".join(words[:LONGEST].split()).strip(" .!?")
    if named := _by_name().get(words.casefold().replace(" ", "_")):
        return (_zone(named),)
    if offset := _OFFSET.fullmatch(words):
        return _by_offset(offset)
    words = re.sub(r" (?:(?:standard|daylight|summer) )?time$", "", words, flags=re.IGNORECASE)
    if zones := _by_abbreviation().get(words.casefold()):
        return tuple(_zone(name) for name in zones)
    return _by_place(words, gazetteer()) or _by_end_of_name(words)


def local_now(zone: str, now: datetime) -> datetime:
    """`now` by the clock of a zone; an unknown zone leaves it as it is."""
    found = zone_named(zone)
    return now.astimezone(found) if found else now


def offset_words(zone: str, now: datetime) -> str:
    """How far a zone's clock is ahead of UTC (+) or behind it (-) at `now`: "UTC+2", "UTC-3:30", "UTC"."""
    offset = local_now(zone, now).utcoffset() or timedelta()
    hours, minutes = divmod(round(abs(offset).total_seconds() / 60), 60)
    sign = "-" if offset < timedelta() else "+"
    return f"UTC{sign}{hours}" + f":{minutes:02}" * bool(minutes) if hours or minutes else "UTC"


def _by_offset(found: re.Match[str]) -> tuple[Zone, ...]:
    sign, hours, minutes = -1 if found[1] != "+" else 1, int(found[2]), int(found[3] or 0)
    if minutes:
        name = _BETWEEN.get(f"{'+' if sign > 0 else '-'}{hours:02}:{minutes:02}")
        return (_zone(name),) if name else ()
    if hours > (_EAST if sign > 0 else _WEST):
        return ()
    # The signs of Etc's zones count from there to UTC.
    name = f"Etc/GMT{'-' if sign > 0 else '+'}{hours}" if hours else "Etc/UTC"
    return (_zone(name),)


def _by_place(words: str, places: Gazetteer) -> tuple[Zone, ...]:
    """Cities, countries and states of this name; "Paris, Texas" and "Paris Texas" are the Paris in Texas."""
    parts = [part for part in (folded(part) for part in re.split(r"[,;()/]", words)) if part]
    if not parts:
        return ()
    name, within = parts[0], parts[1:]
    cities = places.called(name, within)
    if not within:
        cities += [(city, city.population) for city in places.inside(name)]
        if not cities:
            return _by_parted(name.split(), places)
    return _offered(cities, everywhere=bool(not within and places.inside(name)))


def _by_parted(words: Sequence[str], places: Gazetteer) -> tuple[Zone, ...]:
    """Cities in a name such as "portland oregon", which says without a comma where it is."""
    for cut in range(len(words) - 1, 0, -1):
        if cities := places.called(" ".join(words[:cut]), [" ".join(words[cut:])]):
            return _offered(cities, everywhere=False)
    return ()


def _offered(cities: Iterable[tuple[City, int]], *, everywhere: bool) -> tuple[Zone, ...]:
    """One candidate a zone, those with the most people first. `everywhere`: all the cities of a country or state."""
    groups: defaultdict[str, list[tuple[City, int]]] = defaultdict(list)
    for city, weight in cities:
        groups[city.zone].append((city, weight))
    weights = {name: sum(weight for _, weight in group) for name, group in groups.items()}
    least = LEAST_SHARE * sum(weights.values()) if everywhere else max(weights.values(), default=0) / DWARFED
    names = [name for name in sorted(groups, key=lambda name: (-weights[name], name)) if weights[name] >= least]
    return tuple(Zone(name, _label(groups[name], everywhere=everywhere)) for name in names[:MOST])


def _label(group: Sequence[tuple[City, int]], *, everywhere: bool) -> str:
    """What to call the cities of a zone: the largest, and in brackets the states that have one of its name."""
    ranked = [city for city, _ in sorted(group, key=lambda each: -each[1])]
    first = ranked[0]
    namesakes = ranked[:1] if everywhere else [city for city in ranked if city.name == first.name]
    regions = list(dict.fromkeys(city.region for city in namesakes if city.region and city.code == first.code))
    named = ", ".join([*regions[:REGIONS], "…"] if len(regions) > REGIONS else regions)
    place = f"{first.name} ({named})" if named else first.name
    return place if first.name == first.country else f"{place}, {first.country}"


def _by_end_of_name(words: str) -> tuple[Zone, ...]:
    """Zones whose last part is this: "Lord Howe", "Troll"."""
    end = "/" + words.casefold().replace(" ", "_")
    found = sorted(name for lower, name in _by_name().items() if lower.endswith(end) and not name.startswith(_FIXED))
    return tuple(_zone(name) for name in found[:MOST])


def _zone(name: str) -> Zone:
    """A zone by its name alone, called after the city in it: "New York" of America/New_York."""
    if name.startswith(_FIXED):
        return Zone(name, offset_words(name, _ANY), fixed=True)
    return Zone(name, name.rpartition("/")[2].replace("_", " "))


@cache
def _by_name() -> dict[str, str]:
    """Names of zones in lower case → names. Those without a slash are abbreviations and countries: asked elsewhere."""
    return {name.casefold(): name for name in available_timezones() if "/" in name}


@cache
def _by_abbreviation() -> dict[str, tuple[str, ...]]:
    known = available_timezones()
    return {
        short: tuple(name for name in names if name in known)
        for shorts, names in _SHORT.items()
        for short in shorts.split()
    }
