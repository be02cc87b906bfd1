"""The lines that `replay` writes."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from bot.domain import (
    AGENT_ID,
    Event,
    Fragment,
    Place,
    PlaceKind,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Relation,
    Speaker,
    Timeline,
    Trait,
    Utterance,
)
from lab.replay.input import Malformed, ReplayLine
from lab.replay.output import ReplayRecord, source_ids, to_line

PLACE = Place("replay", PlaceKind.CHANNEL, "home/general")
ANN = Speaker("replay:ann", "Ann")
TIME = datetime(2024, 5, 1, 10, tzinfo=UTC)
LINE = ReplayLine(3, TIME, PLACE, ANN, "Wie geht’s?", to_bot=True, message_id="m")


def recollection(score: float = 0.5) -> Recollection:
    event = Event(PLACE, 1, "Ann has a cat.", frozenset({"cat"}), TIME, frozenset({ANN.id}), (4, 2), id=9)
    trait = Trait(AGENT_ID, PLACE, "I like tea.", TIME, (2, 5), id=6)
    later = replace(event, summary="Ann has two cats.", time=TIME + timedelta(days=1), sources=(7,), id=10)
    return Recollection(
        (RecalledEvent(event, score, 0.25, 1 / 3, 1.0),),
        (RecalledTrait(trait, float(np.float32(0.1))),),
        (Timeline((event, later), (Relation.CHANGED,), 9, score=float(np.float32(0.2))),),
        (Fragment((sources()[2], replace(sources()[4], id=8)), (2,), 0.75),),
    )


def sources() -> dict[int, Utterance]:
    return {
        2: Utterance(PLACE, "a", ANN, "I have a cat.", TIME, id=2),
        4: Utterance(PLACE, "b", Speaker(AGENT_ID, "Monica"), "I like tea.", TIME, id=4),
    }


def test_a_record_tells_what_was_recalled_and_where_from() -> None:
    record = ReplayRecord(LINE, "Gut!", recollection(), sources(), 120, {"recall": 1.23456})
    ann = {"id": 2, "speaker": "ann", "time": "2024-05-01T10:00:00+00:00", "text": "I have a cat."}
    agent = {"id": 4, "speaker": "agent", "time": "2024-05-01T10:00:00+00:00", "text": "I like tea."}
    assert json.loads(to_line(record)) == {
        "line": 3,
        "time": "2024-05-01T10:00:00+00:00",
        "place": "channel:home/general",
        "speaker": "ann",
        "text": "Wie geht’s?",
        "reply": "Gut!",
        "memories": [
            {
                "id": 9,
                "summary": "Ann has a cat.",
                "score": 0.5,
                "semantic": 0.25,
                "topic": 0.333333,
                "decay": 1.0,
                "time": "2024-05-01T10:00:00+00:00",
                "sources": [agent, ann],
            }
        ],
        "timelines": [
            {
                "through": 9,
                "score": 0.2,
                "events": [
                    {"id": 9, "time": "2024-05-01T10:00:00+00:00", "summary": "Ann has a cat."},
                    {"id": 10, "time": "2024-05-02T10:00:00+00:00", "summary": "Ann has two cats."},
                ],
                "relations": ["changed"],
                "refined": "",
            }
        ],
        "fragments": [{"score": 0.75, "keys": [2], "lines": [ann, {**agent, "id": 8}]}],
        "traits": [
            {
                "id": 6,
                "speaker": "agent",
                "text": "I like tea.",
                "score": 0.1,
                "sources": [ann, {"id": 5, "speaker": None, "time": None, "text": None}],
            }
        ],
        "prompt_tokens": 120,
        "ms": {"recall": 1.235},
    }


def test_a_record_is_one_line_whatever_was_said() -> None:
    line = ReplayLine(1, TIME, PLACE, ANN, 'two\nlines and a "quote"', to_bot=False, message_id="m")
    written = to_line(ReplayRecord(line))
    assert "\n" not in written
    content = json.loads(written)
    assert (content["text"], content["reply"], content["memories"]) == (line.text, None, [])


def test_a_refused_line_is_written_with_its_reason() -> None:
    assert json.loads(to_line(Malformed(7, "'text' is empty."))) == {"line": 7, "error": "'text' is empty."}


def test_a_score_that_is_not_a_number_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_line(ReplayRecord(LINE, recollection=recollection(score=float("nan"))))


def test_the_sources_to_look_up() -> None:
    assert source_ids(recollection()) == [2, 4, 5, 7, 8]
    assert source_ids(Recollection()) == []
