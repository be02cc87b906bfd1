"""Words and patterns that stand in files beside their modules."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bot.language.patterns import Patterns
from bot.texts.beside import read_beside

READ = Patterns(
    {
        "very": "(?:so|very) ",
        "sad": "i am\n <very>?sad\n|i cry",
        "group": "(?P<what>sad|<very>glad)",
        "rules": [{"find": "<sad> now", "gives": "comfort"}, {"find": "bye"}],
        "kinds": {"worry": "<very>nervous", "wish": "i want"},
    }
)


def test_line_breaks_say_nothing_and_names_stand_for_entries() -> None:
    assert READ.written("sad") == "i am (?:so|very) ?sad|i cry"
    assert READ["sad"].fullmatch("I am VERY sad")
    assert READ["sad"].fullmatch("i cry")
    assert READ.exact("sad").fullmatch("i cry")
    assert READ.exact("sad").fullmatch("I cry") is None
    assert Patterns({"mine": "my our my"}).words("mine") == {"my", "our"}


def test_a_group_of_a_pattern_is_no_name_of_an_entry() -> None:
    found = READ["group"].fullmatch("very glad")
    assert found is not None
    assert found["what"] == "very glad"


def test_lists_and_mappings_are_filled_too() -> None:
    assert list(READ.listed("rules")) == [("i am (?:so|very) ?sad|i cry now", "comfort"), ("bye", "")]
    assert dict(READ.named("kinds")) == {"worry": "(?:so|very) nervous", "wish": "i want"}


def test_a_name_that_stands_for_nothing_is_an_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        Patterns({"one": "<nobody> knows"})


def test_the_file_is_called_as_its_module(tmp_path: Path) -> None:
    (tmp_path / "words.yaml").write_text("hello: [hallo, hola]\n", encoding="utf-8")
    assert read_beside(str(tmp_path / "words.py")) == {"hello": ["hallo", "hola"]}


def test_every_file_of_words_is_in_the_package() -> None:
    """A plain installation has no other files than those that `pyproject.toml` names."""
    root = Path(__file__).parents[1]
    named = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    assert "config/SETTINGS.md" in named["bot"], "what each setting is for"
    for package, patterns in named.items():
        there = {file for pattern in patterns for file in (root / package).glob(pattern)}
        assert {*(root / package).rglob("*.yaml")} <= there
