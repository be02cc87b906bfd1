"""The fixed replies name the numbers of the person's country, in the language of the message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.conversation.crisis.wording import LANGUAGES, Danger
from bot.conversation.help import SHIPPED, UNKNOWN, Country, help_in, help_text, lines_for, load_lines, shipped_lines
from bot.conversation.safety import danger_in
from bot.errors import BadInput
from bot.texts import crisis as texts

FEWEST = 30
LONGEST = 90
LINE = "{name: Hope, reach: '123', source: Hope, url: 'https://hope.example', checked: '2026-11-21'}"


def test_the_shipped_table_is_valid_and_says_what_is_not_checked() -> None:
    table = shipped_lines()
    assert len(table) >= FEWEST
    lines = [line for country in table.values() for line in country.lines]
    assert all("not verified" in line.checked for line in lines)
    assert all(line.source and line.url.startswith(("https://", "http://")) for line in lines)
    assert "NOBODY HAS COMPARED" in SHIPPED.read_text(encoding="utf-8")  # the emergency numbers neither


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("danger", "of_another", "forms"),
    [
        (Danger.SELF, False, texts.TO_SELF),
        (Danger.SELF, True, texts.TO_FRIEND),
        (Danger.OTHERS, False, texts.TO_OTHERS),
    ],
)
def test_each_text_names_the_numbers_and_is_no_sign_itself(
    language: str, danger: Danger, of_another: bool, forms: Mapping[str, str]
) -> None:
    text = help_in(language, danger, "DE", of_another=of_another)
    assert text.startswith(forms[language].partition("{")[0])
    assert "112" in text
    assert "116 123" in text
    assert danger_in(text) is None
    assert len(forms[language].split()) <= LONGEST


def test_who_worries_about_a_friend_is_told_how_to_help() -> None:
    message = "my friend wants to kill herself"
    sign = danger_in(message)
    assert sign is not None
    assert help_text(sign, message, "GB").text == help_in("en", Danger.SELF, "GB", of_another=True)
    assert "116 123" in help_text(sign, message, "GB").text
    assert "If it is you" in help_text(sign, message, "GB").text


@pytest.mark.parametrize("forms", [texts.TO_SELF, texts.TO_FRIEND, texts.TO_OTHERS])
def test_every_language_has_each_text(forms: Mapping[str, str]) -> None:
    assert set(forms) == set(LANGUAGES)
    assert len(set(forms.values())) == len(LANGUAGES)


def test_the_text_is_in_the_language_of_the_message() -> None:
    message = "ich will mich umbringen"
    sign = danger_in(message)
    assert sign is not None
    assert help_text(sign, message, "AT").text == help_in("de", Danger.SELF, "AT")
    assert "142" in help_text(sign, message, "at ").text


def test_an_unknown_language_is_answered_in_english() -> None:
    assert help_in("eo", Danger.SELF, None) == help_in("en", Danger.SELF, None)


@pytest.mark.parametrize("country", [None, "", "XX", "nonsense"])
def test_an_unknown_country_gets_directories(country: str | None) -> None:
    text = help_in("en", Danger.SELF, country)
    assert "112 / 911" in text
    assert "https://findahelpline.com" in text


def test_a_country_without_lines_keeps_its_emergency_number() -> None:
    bare = {"TR": Country(emergency="112")}
    assert lines_for("TR", bare).emergency == "112"
    assert lines_for("TR", bare).lines == UNKNOWN.lines


def test_every_country_of_the_table_has_a_line_and_none_claims_to_be_checked() -> None:
    assert [code for code, country in shipped_lines().items() if not country.lines] == []
    assert all("not verified" in line.checked for country in shipped_lines().values() for line in country.lines)
    assert len(lines_for("RU").lines) > 1


def test_the_page_on_privacy_says_which_countries_have_lines() -> None:
    page = " ".join((Path(__file__).parents[2] / "PRIVACY.md").read_text(encoding="utf-8").split())
    named = re.search(r"There are lines for ((?:[A-Z]{2} )*[A-Z]{2});", page)
    assert named is not None
    assert named[1].split() == sorted(shipped_lines())


def test_an_owners_file_replaces_single_countries(tmp_path: Path) -> None:
    path = tmp_path / "lines.yaml"
    path.write_text(f"countries:\n  DE:\n    emergency: '112'\n    lines: [{LINE}]\n", encoding="utf-8")
    overrides = load_lines(path)
    assert [line.name for line in lines_for("DE", overrides).lines] == ["Hope"]
    assert lines_for("AT", overrides) == lines_for("AT")
    assert "Hope: 123" in help_in("en", Danger.OTHERS, "DE", overrides)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("countries: [", "no YAML"),
        ("countries:\n  DE: {lines: []}\n", "countries.DE.emergency"),
        ("countries:\n  Germany: {emergency: '112'}\n", "Germany"),
        ("countries:\n  DE: {emergency: 112}\n", "countries.DE.emergency"),
        ("countries:\n  DE: {emergency: '112', extra: 1}\n", "countries.DE.extra"),
        ("", "the file"),
        (f"countries: {'[' * 1_000}", "nested too deeply"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "lines.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=named):
        load_lines(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load_lines(tmp_path / "none.yaml")
