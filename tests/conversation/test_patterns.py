"""Patterns of danger are data: every file can be read, and every pattern finds its example and not its counter."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.conversation.crisis.folding import folded
from bot.conversation.crisis.wording import LANGUAGES, RULES, Shown, read_wording, wordings
from bot.conversation.safety import sentences_of
from bot.errors import BadInput

LISTS = ("idioms", "play", "story", "past", "present", "negation", "earnest", "ages", "minor", "parts")


def found(code: str, shown: Shown, text: str) -> bool:
    """Whether this pattern alone, before anything is taken back, finds something in a sentence of the text."""
    pattern = wordings()[code].spelling.pattern([shown.find])
    return any(pattern.search(sentence) for sentence in sentences_of(folded(text)))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_pattern_finds_its_example_and_not_its_counter(code: str) -> None:
    listed = [(name, shown) for name, ones in wordings()[code].source.rules.items() for shown in ones]
    silent = [(name, one) for name, one in listed if not found(code, one, one.example)]
    loud = [(name, one) for name, one in listed if found(code, one, one.counter)]
    assert silent == []
    assert loud == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_ordinary_sentence_is_found_as_a_whole_and_its_counter_is_not(code: str) -> None:
    wording = wordings()[code]
    for shown in wording.source.ordinary:
        pattern = wording.spelling.pattern([shown.find])
        assert all(pattern.fullmatch(sentence) for sentence in sentences_of(folded(shown.example)))
        assert not any(pattern.fullmatch(sentence) for sentence in sentences_of(folded(shown.counter)))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_every_rule_and_all_its_patterns_compile(code: str) -> None:
    wording = wordings()[code]
    assert {rule.name for rule in wording.rules} == set(RULES)
    for name in (
        "idioms",
        "play",
        "story",
        "past",
        "present",
        "negation",
        "earnest",
        "ages",
        "minor",
        "parts",
        "worry",
    ):
        assert getattr(wording, name) is not None


def test_no_pattern_is_written_twice_in_a_rule() -> None:
    for wording in wordings().values():
        for name, ones in wording.source.rules.items():
            finds = [one.find for one in ones]
            assert len(finds) == len(set(finds)), (wording.code, name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("words: [", "is no YAML"),
        ("words: perhaps", "words"),
        ("rules: {wish: [{find: []}]}\nwords: true\numlauts: false\nmacros: {}", "gate"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "en.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_wording("en", tmp_path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_wording("de", tmp_path)


FORM = """words: true
umlauts: false
macros: {{}}
worry: {{macros: {{}}, another: [], too: []}}
rules: {rules}
{lists}
"""


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("{moods: []}", "moods"),
        ("{wish: [{find: '', example: a, counter: b}]}", r"rules\.wish\.0\.find"),
        ("{wish: [{find: a}]}", r"rules\.wish\.0\.example"),
        ("{wish: [{find: '(die', example: a, counter: b}]}", r"no pattern.*\(die"),
    ],
)
def test_an_unknown_rule_and_a_broken_pattern_are_named(tmp_path: Path, rules: str, said: str) -> None:
    lists = "\n".join(f"{name}: []" for name in (*LISTS, "gate"))
    (tmp_path / "en.yaml").write_text(FORM.format(lists=lists, rules=rules), encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        _ = read_wording("en", tmp_path).rules
