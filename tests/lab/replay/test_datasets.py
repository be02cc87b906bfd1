"""Data sets as replay lines: who speaks as whom, where and when."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from bot.domain import AGENT_ID
from bot.errors import BadInput
from lab.replay.datasets import MSC_END, TURN_GAP, read_locomo, read_msc
from lab.replay.input import Malformed, ReplayLine


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    turns = [
        {"id": "D1:1", "speaker": "Ann", "text": "Look!", "image_caption": "a red bicycle"},
        {"id": "D1:2", "speaker": "Bo", "text": "Nice."},
        {"id": "D1:3", "speaker": "Bo", "text": "  "},
        {"id": "D1:4", "speaker": "Cy", "text": "Who am I?"},
    ]
    later = [{"id": "D2:1", "speaker": "Ann", "text": "Hello again."}]
    sessions = [
        {"index": 1, "date_time": "1:56 pm on 8 May, 2023", "turns": turns},
        {"index": 2, "date_time": "12:05 am on 9 May, 2023", "turns": later},
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"id": "conv-1", "speakers": ["Ann", "Bo"], "sessions": sessions}), encoding="utf-8")
    return path


@pytest.fixture
def msc_file(tmp_path: Path) -> Path:
    earlier = {"dialog": [{"text": "One."}, {"text": "Two."}], "time_num": 3, "time_unit": "days"}
    dialogue = {"dialog": [{"text": "Three.", "id": "4711"}, {"text": "Four.", "id": "Speaker 2"}]}
    line = json.dumps({**dialogue, "previous_dialogs": [earlier]})
    path = tmp_path / "dialogue_session_2.jsonl"
    path.write_text(f"{line}\n\n{line}\n", encoding="utf-8")
    return path


def test_locomo_is_people_in_a_channel_by_default(locomo_file: Path) -> None:
    first, second, empty, stranger, later = read_locomo(locomo_file)
    assert isinstance(first, ReplayLine)
    assert isinstance(second, ReplayLine)
    assert isinstance(later, ReplayLine)
    assert first.place.key == "replay:channel:locomo/conv-1"
    assert (first.speaker.id, first.speaker.name) == ("replay:conv-1/Ann", "Ann")
    assert first.text == "Look! [shares a photo: a red bicycle]"
    assert first.time == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert second.time - first.time == TURN_GAP
    assert later.time == datetime(2023, 5, 9, 0, 5, tzinfo=UTC)
    assert [line.message_id for line in (first, second, later)] == ["conv-1/D1:1", "conv-1/D1:2", "conv-1/D2:1"]
    assert not any(line.to_bot for line in (first, second, later))
    assert empty == Malformed(3, "The turn conv-1/D1:3 is empty.")
    assert stranger == Malformed(4, "The turn conv-1/D1:4 is of neither speaker.")


def test_a_stand_in_speaks_as_the_companion_in_a_dm(locomo_file: Path) -> None:
    lines = [line for line in read_locomo(locomo_file, stand_in="Bo") if isinstance(line, ReplayLine)]
    assert {line.place.key for line in lines} == {"replay:dm:conv-1/Ann"}
    assert [line.speaker.id for line in lines] == ["replay:conv-1/Ann", AGENT_ID, "replay:conv-1/Ann"]
    assert lines[0].place.dm_person == lines[0].speaker.id
    assert not any(line.to_bot for line in lines)


def test_a_limit_counts_sessions(locomo_file: Path) -> None:
    assert len(list(read_locomo(locomo_file, limit=1))) == 4


def test_an_unknown_stand_in_is_named_with_those_who_speak(locomo_file: Path, msc_file: Path) -> None:
    with pytest.raises(BadInput, match=r'"Dee" speaks here\. The speakers are "Ann" and "Bo"\.'):
        list(read_locomo(locomo_file, stand_in="Dee"))
    with pytest.raises(BadInput, match='"Speaker 1" and "Speaker 2"'):
        list(read_msc(msc_file, stand_in="Ann"))


def test_msc_sessions_lie_apart_by_their_gaps_and_end_at_a_fixed_time(msc_file: Path) -> None:
    lines = [line for line in read_msc(msc_file, limit=1) if isinstance(line, ReplayLine)]
    assert [line.text for line in lines] == ["One.", "Two.", "Three.", "Four."]
    assert lines[-1].time == MSC_END
    assert [after.time - before.time for before, after in pairwise(lines)] == [
        TURN_GAP,
        timedelta(days=3),
        TURN_GAP,
    ]
    assert [line.speaker.name for line in lines] == ["Speaker 1", "Speaker 2"] * 2


def test_each_msc_dialogue_is_two_people_of_its_own(msc_file: Path) -> None:
    lines = [line for line in read_msc(msc_file) if isinstance(line, ReplayLine)]
    assert [line.number for line in lines] == list(range(1, 9))
    assert {line.place.ref for line in lines} == {"msc/dialogue_session_2-1", "msc/dialogue_session_2-3"}
    assert len({line.speaker.id for line in lines}) == 4
    assert len({line.message_id for line in lines}) == 8
    dm = [line for line in read_msc(msc_file, stand_in="Speaker 2", limit=1) if isinstance(line, ReplayLine)]
    assert {line.place.key for line in dm} == {"replay:dm:dialogue_session_2-1/Speaker 1"}
    assert [line.speaker.is_agent for line in dm] == [False, True, False, True]
