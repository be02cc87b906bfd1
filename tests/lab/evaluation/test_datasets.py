"""The readers of the data sets, on small invented files in the layout of the releases."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.errors import BadInput
from lab.datasets import dialogsum, irc, locomo, msc


def written(path: Path, *records: object) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def a_conversation() -> dict[str, Any]:
    turns = [
        {"id": "D1:1", "speaker": "Ann", "text": "I bought a bicycle."},
        {"id": "D1:2", "speaker": "Bo", "text": "Which colour?", "image_caption": "a question mark"},
    ]
    observations = [{"speaker": "Ann", "text": "Ann has a bicycle.", "evidence": "D1:1"}]
    session = {"index": 1, "date_time": "12:05 am on 9 May, 2023", "turns": turns, "summary": "A purchase."}
    questions = [
        {"question": "When?", "answer": 2023, "evidence": ["D1:1; D1:2"], "category": 2},
        {"question": "What?", "answer": "a bicycle", "evidence": ["D:1:1", "D", "D9:9"], "category": 4},
        {"question": "Whose car?", "adversarial_answer": "Bo's", "evidence": [], "category": 5},
    ]
    session["observations"] = observations
    return {"id": "conv-1", "speakers": ["Ann", "Bo"], "sessions": [session], "questions": questions}


def test_locomo(tmp_path: Path) -> None:
    conversation = locomo.read_conversation(written(tmp_path / "c.json", a_conversation()))
    assert (conversation.id, conversation.speakers) == ("conv-1", ("Ann", "Bo"))
    [session] = conversation.sessions
    assert session.date_time == datetime(2023, 5, 9, 0, 5, tzinfo=UTC)
    assert [turn.image_caption for turn in session.turns] == [None, "a question mark"]


def test_locomo_s_slips_are_mended(tmp_path: Path) -> None:
    questions = locomo.read_conversation(written(tmp_path / "c.json", a_conversation())).questions
    assert [question.answer for question in questions] == ["2023", "a bicycle", None]
    assert [question.evidence for question in questions] == [("D1:1", "D1:2"), ("D1:1",), ()]
    assert questions[2].category is locomo.Category.ADVERSARIAL
    assert questions[2].adversarial_answer == "Bo's"


@pytest.mark.parametrize(
    ("text", "hour"), [("12:00 am", 0), ("12:30 pm", 12), ("1:56 pm", 13), ("11:59 am", 11), ("09:00 pm", 21)]
)
def test_locomo_s_clock_has_twelve_hours(text: str, hour: int) -> None:
    assert locomo.session_time(f"{text} on 8 May, 2023").hour == hour


@pytest.mark.parametrize("text", ["13:00 pm on 8 May, 2023", "1:60 pm on 8 May, 2023", "1:00 pm on 8 Mai, 2023", 5])
def test_what_is_no_time_of_locomo(text: object) -> None:
    with pytest.raises(ValueError, match="is no time"):
        locomo.session_time(text)


def test_locomo_names_what_is_wrong(tmp_path: Path) -> None:
    broken = a_conversation()
    del broken["sessions"][0]["turns"][1]["text"]
    with pytest.raises(BadInput, match=r"c\.json: sessions\.0\.turns\.1\.text: Field required"):
        locomo.read_conversation(written(tmp_path / "c.json", broken))
    (tmp_path / "c.json").write_text('{"id": "x",\n\n oops}', encoding="utf-8")
    with pytest.raises(BadInput, match=r"c\.json, line 3: not JSON"):
        locomo.read_conversation(tmp_path / "c.json")
    broken = a_conversation()
    broken["sessions"][0]["date_time"] = "1:00 pm on 31 February, 2023"
    with pytest.raises(BadInput, match=r"sessions\.0\.date_time"):
        locomo.read_conversation(written(tmp_path / "c.json", broken))


def a_dialogue() -> dict[str, Any]:
    earlier = {
        "dialog": [{"text": "One."}, {"text": "Two."}, {"text": "Three."}],
        "personas": [["I ski."], ["I bake."]],
        "time_num": 6,
        "time_unit": "hours",
        "time_back": " 6 hours ago",
    }
    return {
        "personas": [["I ski.", "I fell."], ["I bake."]],
        "dialog": [
            {"text": "Four.", "id": "42306", "convai2_id": "valid_0"},
            {"text": "Five.", "id": "Speaker 2", "convai2_id": "valid_0", "rating": "poor"},
        ],
        "metadata": {"initial_data_id": "valid_0", "session_id": 1},
        "previous_dialogs": [earlier],
        "init_personas": [["I ski."], []],
    }


def test_msc(tmp_path: Path) -> None:
    first, second = msc.read_dialogues(written(tmp_path / "m.jsonl", a_dialogue(), {"dialog": [{"text": "Hi."}]}))
    assert (first.line, first.id) == (1, "valid_0")
    earlier, last = first.sessions
    assert (earlier.gap, last.gap) == (timedelta(hours=6), None)
    assert [turn.speaker for turn in earlier.turns] == ["Speaker 1", "Speaker 2", "Speaker 1"]
    assert [turn.speaker for turn in last.turns] == ["Speaker 1", "Speaker 2"]
    assert last.personas == (("I ski.", "I fell."), ("I bake.",))
    assert (second.line, second.id, len(second.sessions)) == (2, "", 1)


def test_msc_keeps_the_speakers_that_are_named(tmp_path: Path) -> None:
    dialogue = {"dialog": [{"text": "Hi.", "id": "Speaker 2"}, {"text": "Oh!", "id": "Speaker 2"}]}
    [read] = msc.read_dialogues(written(tmp_path / "m.jsonl", dialogue))
    assert [turn.speaker for turn in read.sessions[0].turns] == ["Speaker 2", "Speaker 2"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"time_num": -1}, r"m\.jsonl, line 2: -1\.0 hours is no time"),
        ({"time_num": 1e300}, "is no time between"),
        ({"time_num": float("nan")}, "is no time between"),
        ({"time_unit": "moons"}, r"line 2: previous_dialogs\.0\.time_unit"),
        ({"dialog": "hello"}, r"line 2: previous_dialogs\.0\.dialog"),
    ],
)
def test_msc_names_what_is_wrong(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    broken = a_dialogue()
    broken["previous_dialogs"][0].update(change)
    with pytest.raises(BadInput, match=reason):
        list(msc.read_dialogues(written(tmp_path / "m.jsonl", a_dialogue(), broken)))


def test_dialogsum(tmp_path: Path) -> None:
    one = {"fname": "dev_0", "dialogue": "#Person1#: Hi: there.\n#Person2#: Hello.\nAgain: hello.\n", "summary": "S"}
    dialogue = "#Person1#: Hi."
    summaries = {"summary2": "b", "summary1": "a", "summary10": "c", "topic1": "x", "topic2": "y", "topic10": "z"}
    path = written(tmp_path / "d.jsonl", {**one, "topic": "T"}, {"fname": "test_0", "dialogue": dialogue, **summaries})
    first, second = dialogsum.read_dialogues(path)
    assert first.turns == (
        dialogsum.Turn("#Person1#", "Hi: there."),
        dialogsum.Turn("#Person2#", "Hello.\nAgain: hello."),
    )
    assert (first.summaries, first.topics) == (("S",), ("T",))
    assert (second.id, second.summaries, second.topics) == ("test_0", ("a", "b", "c"), ("x", "y", "z"))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"fname": "x", "summary": "S"}, r"d\.jsonl, line 1: 'dialogue' is missing"),
        ({"fname": "x", "dialogue": "#Person1#: Hi."}, "line 1: there is no 'summary'"),
        ({"fname": "x", "dialogue": "Hi.", "summary": "S"}, "line 1: the dialogue does not begin with a speaker"),
        ({"fname": "x", "dialogue": 5, "summary": "S"}, "line 1: dialogue: Input should be a valid string"),
        (["x"], "line 1: the record: Input should be a valid dictionary"),
    ],
)
def test_dialogsum_names_what_is_wrong(tmp_path: Path, record: object, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        list(dialogsum.read_dialogues(written(tmp_path / "d.jsonl", record)))


LOG = """\
=== ann [~ann@host]  has joined #ubuntu
[09:19] <ann> hi: all
[09:20]  * bo waves\x1cback
[12:01] <bo> hello ann
"""


def a_log(folder: Path, log: str = LOG, annotation: str | None = None) -> Path:
    path = folder / "day.ascii.txt"
    path.write_bytes(log.encode())
    if annotation is not None:
        (folder / "day.annotation.txt").write_text(annotation, encoding="utf-8")
    return path


def test_irc(tmp_path: Path) -> None:
    log = irc.read_log(a_log(tmp_path, annotation="1 1 -\n3 1 -\n1 2 -\n1 2 -\n0 0 -\n"))
    assert log.name == "day"
    assert [message.kind.value for message in log.messages] == ["notice", "said", "action", "said"]
    assert log.messages[1] == irc.Message(1, irc.Kind.SAID, "ann", "hi: all", time(9, 19))
    assert (log.messages[2].speaker, log.messages[2].text) == ("bo", "waves\x1cback")
    assert log.messages[0].clock is None
    assert log.links == ((0, 0), (1, 1), (1, 2), (1, 3))


def test_an_irc_log_without_annotation_has_no_links(tmp_path: Path) -> None:
    assert irc.read_log(a_log(tmp_path)).links == ()


@pytest.mark.parametrize(
    ("log", "annotation", "reason"),
    [
        ("hello\n", None, r"day\.ascii\.txt, line 1: neither"),
        ("[25:00] <ann> hi\n", None, "line 1: neither"),
        (LOG, "1 two -\n", r"day\.annotation\.txt, line 1: not a link"),
        (LOG, "1 2 -\n1 4 -\n", "line 2: the log has no message 4; its last one is 3"),
    ],
)
def test_irc_names_what_is_wrong(tmp_path: Path, log: str, annotation: str | None, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        irc.read_log(a_log(tmp_path, log, annotation))


def test_irc_wants_the_log_itself(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"should end in \.ascii\.txt"):
        irc.read_log(tmp_path / "day.annotation.txt")


READERS: list[Callable[[Path], object]] = [
    locomo.read_conversation,
    lambda path: list(msc.read_dialogues(path)),
    lambda path: list(dialogsum.read_dialogues(path)),
    irc.read_log,
]


@pytest.mark.parametrize("read", READERS)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "x.ascii.txt"
    with pytest.raises(BadInput, match=r"There is no file at .*x\.ascii\.txt"):
        read(path)
    path.write_bytes(b"\n\xff\n")
    with pytest.raises(BadInput, match=r"x\.ascii\.txt, line 2: not UTF-8"):
        read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(BadInput, match=r"x\.ascii\.txt cannot be read"):
        read(path)


@pytest.mark.parametrize("read", READERS[1:3])
def test_deep_nesting_is_no_crash(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n" + "[" * 200_000, encoding="utf-8")
    with pytest.raises(BadInput, match="line 2: JSON nested too deeply"):
        read(path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(
        "\ufeff" + json.dumps({"fname": "x", "dialogue": "#Person1#: Hi.", "summary": "S"}), encoding="utf-8"
    )
    assert len(list(dialogsum.read_dialogues(path))) == 1
