"""Which time zone somebody means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.care.gazetteer import folded, gazetteer
from bot.care.zones import MOST, local_now, offset_words, zones_of

SUMMER = datetime(2026, 7, 1, 12, tzinfo=UTC)


def names(words: str) -> list[str]:
    return [zone.name for zone in zones_of(words)]


@pytest.mark.parametrize(
    ("words", "zone"),
    [
        *(("Berlin", "Europe/Berlin"), ("  berlin. ", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin")),
        *(("america/new york", "America/New_York"), ("New York time", "America/New_York"), ("NYC", "America/New_York")),
        *(("München", "Europe/Berlin"), ("Munich", "Europe/Berlin"), ("MUNCHEN", "Europe/Berlin")),
        *(("Москва", "Europe/Moscow"), ("東京", "Asia/Tokyo"), ("القاهرة", "Africa/Cairo")),
        *(("sao paulo", "America/Sao_Paulo"), ("İstanbul", "Europe/Istanbul"), ("Kiev", "Europe/Kyiv")),
        *(("Germany", "Europe/Berlin"), ("Deutschland", "Europe/Berlin"), ("Nepal", "Asia/Kathmandu")),
        *(("England", "Europe/London"), ("California", "America/Los_Angeles"), ("Lord Howe", "Australia/Lord_Howe")),
        *(("Paris", "Europe/Paris"), ("Paris, Texas", "America/Chicago"), ("Paris Texas", "America/Chicago")),
        *(("Springfield, OR", "America/Los_Angeles"), ("Springfield (Oregon)", "America/Los_Angeles")),
        *(("London, Canada", "America/Toronto"), ("london ontario", "America/Toronto"), ("JST", "Asia/Tokyo")),
    ],
)
def test_what_can_mean_one_zone_only(words: str, zone: str) -> None:
    assert names(words) == [zone]


def test_a_name_of_several_cities_is_a_question_with_their_states() -> None:
    places = {zone.name: zone.place for zone in zones_of("Springfield")}
    assert set(places) == {"America/Chicago", "America/New_York", "America/Los_Angeles"}
    assert "Illinois" in places["America/Chicago"]
    assert "Massachusetts" in places["America/New_York"]
    assert places["America/Los_Angeles"] == "Springfield (Oregon), United States"


def test_larger_places_come_first_and_dwarfed_ones_not_at_all() -> None:
    assert names("London") == ["Europe/London", "America/Toronto"]
    assert names("Portland")[0] == "America/Los_Angeles"
    assert "America/Chicago" not in names("Paris")


def test_a_country_of_several_zones_is_a_question() -> None:
    assert names("Spain") == ["Europe/Madrid", "Atlantic/Canary"]
    assert names("usa")[:3] == ["America/New_York", "America/Chicago", "America/Los_Angeles"]
    assert len(names("Russia")) == MOST


def test_a_country_and_a_state_of_one_name_are_both_offered() -> None:
    assert {"America/New_York", "Asia/Tbilisi"} <= set(names("Georgia"))


def test_an_abbreviation_is_asked_about() -> None:
    assert names("PST") == ["America/Los_Angeles", "America/Vancouver", "America/Tijuana"]
    assert names("Eastern Time")[0] == "America/New_York"
    assert len(names("cet")) > 1


@pytest.mark.parametrize("sign", ["+", "-"])
@pytest.mark.parametrize("hours", range(13))
@pytest.mark.parametrize("form", ["UTC{}{}", "gmt{} {}", "{}{:02}:00"])
def test_an_offset_is_a_zone_of_just_that_offset(form: str, sign: str, hours: int) -> None:
    (zone,) = zones_of(form.format(sign, hours))
    offset = timedelta(hours=hours if sign == "+" else -hours)
    assert local_now(zone.name, SUMMER).utcoffset() == offset
    assert zone.fixed
    assert zone.place == offset_words(zone.name, SUMMER)


def test_an_offset_of_half_an_hour_is_where_that_is_used() -> None:
    assert names("UTC+5:30") == ["Asia/Kolkata"]
    assert names("utc+05:45") == ["Asia/Kathmandu"]
    assert names("utc-9:30") == ["Pacific/Marquesas"]
    assert not zones_of("UTC+7:15")
    assert not zones_of("UTC+15")


def test_the_names_of_fixed_zones_count_the_other_way() -> None:
    (zone,) = zones_of("Etc/GMT+5")
    assert (zone.name, zone.place, zone.fixed) == ("Etc/GMT+5", "UTC-5", True)


@pytest.mark.parametrize(
    "words", ["", " ", ",", "?!", "Nowhereville", "home", "\t1\t", "\n", "berlin\t1", "x" * 10_000]
)
def test_what_is_no_place_gives_nothing(words: str) -> None:
    assert zones_of(words) == ()


def test_every_candidate_is_a_zone_there_is_and_comes_once() -> None:
    for words in ("Springfield", "usa", "cet", "gmt", "ist", "St Johns", "San Jose", "UTC+2", "Georgia"):
        found = names(words)
        assert len(found) == len(set(found)) <= MOST
        assert all(local_now(name, SUMMER) == SUMMER for name in found)
        assert all(zone.place for zone in zones_of(words))


def test_names_are_folded_alike_in_all_scripts() -> None:
    assert folded("Saint-Étienne") == folded("saint etienne")
    assert folded("St. John’s") == folded("ST JOHN'S")
    assert folded("ガ") != folded("カ")
    assert folded("서울") == "서울"


def test_the_cities_are_read_once() -> None:
    assert gazetteer() is gazetteer()


def test_offsets_in_words() -> None:
    assert offset_words("Europe/Berlin", SUMMER) == "UTC+2"
    assert offset_words("Europe/Berlin", SUMMER - timedelta(days=180)) == "UTC+1"
    assert offset_words("America/St_Johns", SUMMER) == "UTC-2:30"
    assert offset_words("Etc/UTC", SUMMER) == "UTC"
    assert local_now("No/Where", SUMMER) == SUMMER
