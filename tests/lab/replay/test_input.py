"""Replay files: what is read, what is refused and why."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import AGENT_ID, Place, PlaceKind, Speaker
from bot.errors import BadInput
from lab.replay.input import (
    MAX_LINE,
    MAX_NAME,
    MAX_TEXT,
    Malformed,
    ReplayLine,
    parse_jsonl,
    parse_place,
    read_jsonl,
    spell_place,
    spell_speaker,
)

GOOD: dict[str, object] = {"time": "2024-05-01T10:00:00Z", "place": "dm:ann", "speaker": "ann", "text": "I have a cat."}


def parsed(*lines: dict[str, object] | bytes) -> list[ReplayLine | Malformed]:
    raw = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return list(parse_jsonl(io.BytesIO(raw)))


def only_line(**changes: object) -> ReplayLine:
    [line] = parsed({**GOOD, **changes})
    assert isinstance(line, ReplayLine), line
    return line


def refusal(line: dict[str, object] | bytes) -> str:
    """Why `line` is refused; the good lines around it are read."""
    before, refused, after = parsed(GOOD, line, GOOD)
    assert isinstance(before, ReplayLine)
    assert isinstance(after, ReplayLine)
    assert isinstance(refused, Malformed)
    assert (refused.line_number, after.number) == (2, 3)
    return refused.reason


def test_a_line_becomes_an_utterance() -> None:
    line = only_line(name="Ann")
    assert line.place == Place("replay", PlaceKind.DM, "ann")
    assert line.speaker == Speaker("replay:ann", "Ann")
    assert line.time == datetime(2024, 5, 1, 10, tzinfo=UTC)
    utterance = line.utterance
    assert (utterance.text, utterance.time, utterance.message_id) == (line.text, line.time, line.message_id)
    assert (utterance.place, utterance.speaker, utterance.to_bot) == (line.place, line.speaker, True)


def test_who_is_asked_follows_from_the_place_unless_it_is_said() -> None:
    assert only_line().to_bot
    assert not only_line(place="channel:home/general").to_bot
    assert only_line(place="channel:home/general", to_bot=True).to_bot
    assert not only_line(to_bot=False).to_bot


@pytest.mark.parametrize("who", ["agent", "bot"])
def test_the_companion_s_own_lines_are_never_answered(who: str) -> None:
    line = only_line(speaker=who, to_bot=True)
    assert line.speaker.id == AGENT_ID
    assert not line.to_bot
    [named] = parse_jsonl(io.BytesIO(json.dumps({**GOOD, "speaker": who}).encode()), agent_name="Monica")
    assert isinstance(named, ReplayLine)
    assert named.speaker.name == "Monica"


@pytest.mark.parametrize(
    "text", ["2024-05-01T10:00:00", "2024-05-01T12:00:00+02:00", "2024-05-01 10:00", "2024-05-01T10:00:00.000Z"]
)
def test_times_are_utc(text: str) -> None:
    time = only_line(time=text).time
    assert time == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert time.tzinfo is UTC


def test_times_may_go_backwards() -> None:
    lines = parsed(GOOD, {**GOOD, "time": "2020-01-01T00:00:00Z"})
    assert [line.time.year for line in lines if isinstance(line, ReplayLine)] == [2024, 2020]


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_no_mistakes() -> None:
    raw = json.dumps(GOOD).encode()
    lines = list(parse_jsonl(io.BytesIO(b"\xef\xbb\xbf" + raw + b"\r\n\r\n  \n" + raw)))
    assert [line.number for line in lines if isinstance(line, ReplayLine)] == [1, 4]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"hello", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"time": ' + b"9" * 5000 + b"}", "too many digits"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[1, 2]", "should be an object"),
        (b"null", "should be an object"),
        (b" " * (MAX_LINE + 10) + b"x", "longer than"),
        ({"time": "2024-05-01T10:00:00Z"}, "'place', 'speaker', 'text' are missing"),
        ({**GOOD, "txt": "hi", "text": "x"}, "'txt' is not known"),
        ({**GOOD, "time": 1714557600}, "'time' should be a text"),
        ({**GOOD, "time": "yesterday"}, "ISO 8601"),
        ({**GOOD, "time": "0001-01-01T00:00:00+14:00"}, "ISO 8601"),
        ({**GOOD, "time": "9999-12-31T00:00:00"}, "in the years 1970 to 2999"),
        ({**GOOD, "place": "dm:"}, "'place' should be"),
        ({**GOOD, "place": "channel:general"}, "'place' should be"),
        ({**GOOD, "place": "room:home/general"}, "'place' should be"),
        ({**GOOD, "place": "dm:" + "a" * MAX_NAME}, "'place' is longer"),
        ({**GOOD, "speaker": ""}, "'speaker' is empty"),
        ({**GOOD, "speaker": None}, "'speaker' should be a text"),
        ({**GOOD, "name": " "}, "'name' is empty"),
        ({**GOOD, "text": " \n"}, "'text' is empty"),
        ({**GOOD, "text": ["hi"]}, "'text' should be a text"),
        ({**GOOD, "text": "x" * (MAX_TEXT + 1)}, "'text' has 100,001 characters"),
        ({**GOOD, "text": "\ud83d"}, "surrogate"),
        ({**GOOD, "text": "a\0b"}, "NUL"),
        ({**GOOD, "to_bot": "yes"}, "'to_bot' should be true or false"),
        ({**GOOD, "to_bot": 1}, "'to_bot' should be true or false"),
        ({**GOOD, "id": 7}, "'id' should be a text"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_malformed_line_is_refused_with_its_number_and_reason(line: dict[str, object] | bytes, reason: str) -> None:
    assert reason in refusal(line)


def test_the_longest_text_fits_even_when_every_character_is_escaped() -> None:
    assert only_line(text="\U0001f600" * MAX_TEXT).text == "\U0001f600" * MAX_TEXT


def test_the_same_file_has_the_same_ids_and_no_two_lines_share_one() -> None:
    lines = (GOOD, GOOD, {**GOOD, "text": "Bye."}, {**GOOD, "place": "dm:bo"}, {**GOOD, "speaker": "bo"})
    first = [line.message_id for line in parsed(*lines) if isinstance(line, ReplayLine)]
    again = [line.message_id for line in parsed(*lines) if isinstance(line, ReplayLine)]
    assert first == again
    assert len(set(first)) == len(lines)


def test_an_id_does_not_depend_on_lines_of_other_words_and_a_given_one_is_kept() -> None:
    assert parsed({**GOOD, "text": "Hi!"}, GOOD)[1] == parsed(b"", GOOD)[0]
    assert only_line(id="m-1").message_id == "m-1"


@given(st.lists(st.binary() | st.sampled_from([b"\n", b"{", b'{"text": "', b'"time":', b"\xef\xbb\xbf", b"null"])))
def test_no_bytes_make_the_reader_raise(pieces: list[bytes]) -> None:
    raw = b"".join(pieces)
    found = list(parse_jsonl(io.BytesIO(raw)))
    numbers = [each.line_number if isinstance(each, Malformed) else each.number for each in found]
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert numbers == [number for number, line in enumerate(lines, start=1) if line.strip()]


json_values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5)


@given(st.dictionaries(st.sampled_from(["time", "place", "speaker", "text", "name", "to_bot", "id", "x"]), json_values))
def test_no_object_makes_the_reader_raise(changes: dict[str, object]) -> None:
    [found] = parsed({**GOOD, **changes})
    assert isinstance(found, Malformed | ReplayLine)
    if isinstance(found, ReplayLine):
        assert found.text.encode("utf-8")
        assert "x" not in changes


@given(st.text(min_size=1, max_size=20).filter(str.strip))
def test_places_are_spelt_as_they_are_read(ref: str) -> None:
    assert spell_place(parse_place(f"dm:{ref}")) == f"dm:{ref}"
    assert spell_place(parse_place(f"channel:home/{ref}")) == f"channel:home/{ref}"


def test_names_of_other_platforms_stay_whole() -> None:
    assert spell_place(Place("discord", PlaceKind.DM, "7")) == "discord:dm:7"
    assert spell_speaker("discord:7") == "discord:7"
    assert spell_speaker("replay:ann") == "ann"
    assert spell_speaker(AGENT_ID) == "agent"


def test_a_file_is_read_and_a_missing_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(GOOD) + "\n", encoding="utf-8")
    assert [type(line) for line in read_jsonl(path)] == [ReplayLine]
    with pytest.raises(BadInput, match=r"no file at .*missing\.jsonl"):
        list(read_jsonl(tmp_path / "missing.jsonl"))
    with pytest.raises(BadInput, match="cannot be read"):
        list(read_jsonl(tmp_path))
