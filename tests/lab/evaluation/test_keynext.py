"""`lab evaluate keynext`: what is foreseen, by what, and what of it was found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from rich.console import Console

from bot.config import Settings
from bot.domain import Utterance
from bot.llm.scripted import ScriptedEncoder
from bot.memory.fragments import Key
from lab.evaluation.keynext import BUDGETS, Reply, _talk, measure, new_words, score
from tests.living import ANN, BOB, CHANNEL, START

PAST = ("Do you play the violin?", "I play an old cello.", "Nice weather today.", "Yes, very sunny.")
PRESENT = ("What do you play again?", "My old cello, since school.", "I forgot.")


def talk(*sessions: Sequence[str]) -> list[Utterance]:
    """Ann and Bob in turn, a day between sessions."""
    found: list[Utterance] = []
    for day, session in enumerate(sessions):
        for at, text in enumerate(session):
            time = START + timedelta(days=day, minutes=at)
            found.append(Utterance(CHANNEL, f"m{len(found)}", (ANN, BOB)[at % 2], text, time))
    return found


def test_replies_of_the_last_sessions_are_foreseen_from_those_before() -> None:
    found = _talk(talk(PAST, PRESENT), 1)
    assert [line.text for line in found.past] == [*PAST]
    assert [line.id for line in found.past] == [1, 2, 3, 4]
    assert [(len(one.before), one.said.text if one.said else "") for one in found.replies] == [
        (1, PRESENT[1]),
        (2, PRESENT[2]),
    ]


def test_only_words_that_the_session_did_not_have_count() -> None:
    (first, *_) = _talk(talk(PAST, PRESENT), 1).replies
    assert new_words(first) == {"old", "cello", "sinc", "school"}


def test_what_is_found_is_counted_by_hand() -> None:
    found = _talk(talk(PAST, PRESENT), 1)
    said = dict(enumerate(found.past))
    taken = [(Key((3,), 0.9), (3,)), (Key((0,), 0.8), (0, 1))]
    scored = score(found.replies[0], taken, said)
    assert scored["words"] == pytest.approx(2 / 4), "old and cello, not since and school"
    assert scored["by time"] == scored["by similarity"] == pytest.approx(2 / 5), "old cello, of five words"


def test_of_a_question_the_share_of_its_evidence_counts() -> None:
    said = dict(enumerate(_talk(talk(PAST, PRESENT), 1).past))
    asked = Reply((said[0],), None, frozenset({1, 2, 4}))
    assert score(asked, [(Key((0,), 0.9), (0, 1))], said) == {"evidence": pytest.approx(2 / 3)}


async def test_the_next_utterance_of_the_same_speakers_question_holds_the_reply() -> None:
    figures = await measure([_talk(talk(PAST, PRESENT), 1)], ScriptedEncoder(), Settings(), Console(quiet=True))
    ways = {way for way, _, _ in figures}
    assert {f"{value}, {length}" for value in ("key", "next", "keynext", "session") for length in (1, 2, 3)} <= ways
    assert {"bm25", "dense", "fused", "latest"} <= ways
    for budget in BUDGETS:
        ((first, _),) = figures["next, 1", budget, "words"]
        assert first == pytest.approx(2 / 4), "the budget holds all that there is"
