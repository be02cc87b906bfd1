"""What the page says: every sentence is there in every language, by the names that the templates use."""

from __future__ import annotations

import pytest

from adapters.web import rendering
from bot.domain import CheckInState, Why
from bot.texts import page as texts
from bot.texts.translating import LANGUAGES, translated


def test_every_sentence_of_the_page_is_translated_where_those_of_the_chat_are() -> None:
    same = {"site", "short_checkins", "en", "de", "checkins", "verdict_ok", "megabytes", "gigabytes"}
    for language in LANGUAGES:
        untold = {name for name, words in texts.SENTENCES.items() if translated(words, language) is None}
        assert untold == same


def test_every_state_of_a_check_in_and_every_reason_has_a_sentence() -> None:
    assert {name for name in texts.SENTENCES if not isinstance(name, str)} == set(), "YAML takes off and yes for truths"
    names = {rendering._reason(why) for why in Why} | {f"state_{state.value}" for state in CheckInState}
    assert names <= texts.SENTENCES.keys()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("de-AT,de;q=0.9", "de"), ("fr, de;q=0.5", "de"), ("en-GB", "en"), ("", "en"), ("*", "en"), ("x" * 5000, "en")],
)
def test_the_language_is_the_browsers(accepted: str, language: str) -> None:
    assert texts.language_of(accepted) == language
