"""Values of commands that people type in German."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.domain import Call
from bot.language.timewords import span_of
from bot.usecases.calls import parse_line
from bot.usecases.catalogue import CATALOGUE, command_named
from bot.usecases.countries import country_named
from bot.usecases.schedule import days_from, until
from bot.usecases.typed import TABLES, in_english

NOW = datetime(2026, 6, 17, 12, tzinfo=UTC)
"""A Wednesday."""


def taken(command: str, name: str, typed: str) -> str:
    known = command_named(command)
    assert known is not None
    return in_english(Call(command, ((name, typed),)), known).get(name)


@pytest.mark.parametrize(
    ("command", "name", "typed", "wanted"),
    [
        ("checkin quiet", "hours", "aus", "off"),
        ("checkin pause", "span", "Aus", "off"),
        ("checkin times", "times", "wie üblich", "default"),
        ("checkin timezone", "place", "Wien", "Vienna"),
        ("checkin timezone", "place", "keine", "none"),
        ("privacy keep", "days", "für immer", "forever"),
        ("privacy consent", "answer", "ja", "yes"),
        ("privacy pause", "state", "aus", "off"),
        ("memory forget", "what", "letzte Woche", "last week"),
        ("memory forget", "what", "gestern", "yesterday"),
    ],
)
def test_german_values_are_taken(command: str, name: str, typed: str, wanted: str) -> None:
    assert taken(command, name, typed) == wanted


@pytest.mark.parametrize(
    ("command", "name", "typed"),
    [
        ("memory forget", "what", "mein alter Job"),
        ("memory forget", "what", "letzte Hoffnung"),
        ("memory forget", "what", "Mai"),
        ("memory forget", "what", "Wochenende"),
        ("memory forget", "what", "vier Stunden"),
        ("memory forget", "what", "my old job"),
        ("memory forget", "what", "standard"),
        ("memory forget", "what", "t12"),
        ("memory forget", "what", "last week"),
        ("memory correct", "words", "ja"),
        ("checkin pause", "span", "until 3 May"),
        ("checkin times", "times", "12:00 18:30"),
        ("checkin timezone", "place", "Leeds"),
    ],
)
def test_all_else_stays_as_it_was_typed(command: str, name: str, typed: str) -> None:
    assert taken(command, name, typed) == typed


@pytest.mark.parametrize(
    "typed",
    [
        "2 Wochen",
        "eine Woche",
        "bis 3. Mai",
        "bis zum 3. Mai",
        "bis 03.05.2026",
        "bis 2026-05-03",
        "bis Freitag",
        "morgen",
    ],
)
def test_german_pauses_are_understood(typed: str) -> None:
    assert until(
        taken("checkin pause", "span", typed), datetime(2026, 4, 28, 12, tzinfo=UTC), ZoneInfo("Europe/Berlin")
    )


@pytest.mark.parametrize(
    ("typed", "days"),
    [
        ("mo-fr", (0, 1, 2, 3, 4)),
        ("Mo bis Fr", (0, 1, 2, 3, 4)),
        ("Samstag und Sonntag", (5, 6)),
        ("Wochenende", (5, 6)),
        ("jeden Tag", ()),
    ],
)
def test_german_days_are_understood(typed: str, days: tuple[int, ...]) -> None:
    assert days_from(taken("checkin days", "days", typed)) == days


@pytest.mark.parametrize(
    "typed", ["gestern", "heute", "letzte Woche", "letzten Montag", "letzten Monat", "letztes Jahr"]
)
def test_german_times_are_understood(typed: str) -> None:
    assert span_of(taken("memory forget", "what", typed), NOW) is not None


@pytest.mark.parametrize(("typed", "code"), [("Deutschland", "DE"), ("die Schweiz", "CH"), ("Österreich", "AT")])
def test_german_countries_are_understood(typed: str, code: str) -> None:
    assert country_named(taken("privacy country", "country", typed)) == code


def test_every_table_that_a_parameter_names_is_there_in_each_language() -> None:
    named = {table for command in CATALOGUE for parameter in command.parameters for table in parameter.tables}
    assert named
    assert all(named <= tables.keys() for tables in TABLES.values())


def test_a_typed_line_is_taken_in_german() -> None:
    call = parse_line("/checkin pause 2 Wochen")
    assert call is not None
    known = command_named(call.command)
    assert known is not None
    assert in_english(call, known).get("span") == "2 weeks"
