"""The phrases say the same in each language: the keys and placeholders of the English file, examples like prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import yaml

import bot.conversation
from bot.conversation.situations import Situation, situation_of

FOLDER = Path(bot.conversation.__file__).parent / "phrases"
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt")
# The examples may differ in number, and a list of replies may be longer in one language than in another.
OF_FREE_LENGTH = ("examples", "replies", "kindred")


def phrases(language: str) -> dict[str, Any]:
    with (FOLDER / f"{language}.yaml").open(encoding="utf-8") as file:
        loaded: dict[str, Any] = yaml.safe_load(file)
    return loaded


def strings(node: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every string with the path to it; a list under a free key counts as one place."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from strings(value, f"{place}.{key}" if place else str(key))
    elif isinstance(node, list):
        numbered = not place.startswith(OF_FREE_LENGTH)
        for position, value in enumerate(node):
            yield from strings(value, f"{place}[{position}]" if numbered else place)
    else:
        assert isinstance(node, str), f"{place} is read as {node!r}: quote it"
        yield place, node


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def placed(language: str) -> dict[str, set[str]]:
    """The placeholders at each place of a file, without its examples (plain text), `hears` and requests (patterns)."""
    of_place: dict[str, set[str]] = {}
    others = {key: value for key, value in phrases(language).items() if key not in {"examples", "hears", "requests"}}
    for place, text in strings(others):
        of_place.setdefault(place, set()).update(placeholders(text))
    return of_place


def pattern_of(sentence: str, **parts: str) -> str:
    """A bracket sentence as a pattern: the parts given stand for their placeholders, anything for the others."""
    pattern = ""
    for literal, name, _, _ in Formatter().parse(sentence):
        pattern += re.escape(literal) + ("" if name is None else parts.get(name, ".+?"))
    return pattern


def brackets_of(examples: list[list[str]]) -> list[str]:
    return [found[1] for said, _ in examples if (found := re.match(r"\[(.*?)\] ", said))]


def test_each_language_has_a_file() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.yaml")) == sorted(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_and_placeholders_are_those_of_the_english_file(language: str) -> None:
    assert placed(language) == placed("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_of_replies_offers_a_choice_without_repeating_itself(language: str) -> None:
    for key, lines in phrases(language)["replies"].items():
        if isinstance(lines, list):
            assert lines, key
            assert len(set(lines)) == len(lines), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_are_pairs_of_what_was_said_and_what_was_answered(language: str) -> None:
    examples = phrases(language)["examples"]
    assert len(examples) >= 20
    for said, answered in examples:
        assert said.strip()
        assert answered.strip()
        assert "[" not in answered
        assert answered.count("?") <= 1, answered
    assert len({answered for _, answered in examples}) == len(examples)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_week_has_seven_days_and_the_year_twelve_months(language: str) -> None:
    when = phrases(language)["when"]
    assert [len(set(when[key])) for key in ("weekdays", "days", "months")] == [7, 7, 12]
    for phrase, day in zip(when["weekdays"], when["days"], strict=True):
        assert phrase.endswith(day)


@pytest.mark.parametrize("language", LANGUAGES)
def test_brackets_of_examples_are_the_sentences_that_the_prompt_really_uses(language: str) -> None:
    file = phrases(language)
    brackets = file["brackets"]
    told = pattern_of(brackets["i_told"], when="(" + "|".join(map(re.escape, file["when"]["weekdays"])) + ")")
    shapes = [re.escape(brackets["never"]), pattern_of(brackets["remember"], notes=told)]
    shown = brackets_of(file["examples"])
    assert all(any(re.fullmatch(shape, bracket) for shape in shapes) for bracket in shown), shown
    assert all(any(re.fullmatch(shape, bracket) for bracket in shown) for shape in shapes), shown


@pytest.mark.parametrize(
    ("language", "said", "situation"),
    [
        ("de", "na du", Situation.GREETING),
        ("de", "na toll", Situation.TALK),
        ("de", "morgen hab ich prüfung", Situation.TALK),
        ("es", "buenas", Situation.GREETING),
        ("es", "yo también te quiero", Situation.TALK),
        ("fr", "salut", Situation.GREETING),
        ("fr", "allez salut", Situation.BYE),
        ("fr", "ça va ?", Situation.HOW_ARE_YOU),
        ("fr", "ça va pas", Situation.TALK),
        ("it", "ciao", Situation.GREETING),
        ("it", "ciao ciao", Situation.BYE),
        ("nl", "dag", Situation.GREETING),
        ("nl", "dag dag", Situation.BYE),
        ("nl", "wat een dag", Situation.TALK),
        ("pt", "tudo bem?", Situation.HOW_ARE_YOU),
    ],
)
def test_short_lines_are_heard_as_people_mean_them(language: str, said: str, situation: Situation) -> None:
    assert situation_of(said, (), language) is situation
