"""An IRC log as replay lines: who is who, and when."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from bot.errors import BadInput
from lab.datasets.irc import SUFFIX, read_log
from lab.replay.input import Malformed, ReplayLine
from lab.replay.irc import DAY, read_irc

LOG = """\
=== ann [~ann@host.example]  has joined #kitchen
[12:58] <ann> who bakes?
[12:58] <bob> I do
=== ann stirs the soup
[12:59]  * bob nods
=== bob is now known as bob|away
[01:00] <bob|away> brb
[00:58] <bob> another bob
=== bob|away is now known as Bob2
[01:40] <Bob2> back
=== nobody [~n@host.example]  has left #kitchen []
=== stranger shouts
[01:41] <ann>
"""


def read(folder: Path, log: str, name: str = "2004-11-15_03.ascii.txt") -> list[ReplayLine | Malformed]:
    path = folder / name
    path.write_text(log, encoding="utf-8")
    return list(read_irc(path))


def test_people_keep_their_id_when_they_change_their_nickname(tmp_path: Path) -> None:
    lines = [line for line in read(tmp_path, LOG) if isinstance(line, ReplayLine)]
    assert [(line.speaker.id.rpartition("/")[2], line.speaker.name, line.text) for line in lines] == [
        ("ann", "ann", "who bakes?"),
        ("bob", "bob", "I do"),
        ("ann", "ann", "*ann stirs the soup*"),
        ("bob", "bob", "*bob nods*"),
        ("bob", "bob|away", "brb"),
        ("bob~2", "bob", "another bob"),
        ("bob", "Bob2", "back"),
    ]
    assert {line.place.key for line in lines} == {"replay:channel:irc/2004-11-15_03"}
    assert not any(line.to_bot for line in lines)


def test_messages_are_counted_as_annotations_count_lines(tmp_path: Path) -> None:
    lines = read(tmp_path, LOG)
    assert [line.message_id for line in lines if isinstance(line, ReplayLine)][:3] == [
        "2004-11-15_03/1",
        "2004-11-15_03/2",
        "2004-11-15_03/3",
    ]
    assert lines[-1] == Malformed(13, "The message is empty, or longer than any message is.")


def test_minutes_become_seconds_by_order_and_never_go_back(tmp_path: Path) -> None:
    lines = [line for line in read(tmp_path, LOG) if isinstance(line, ReplayLine)]
    noon = datetime(2004, 11, 15, 12, tzinfo=UTC)
    assert [(line.time - noon) for line in lines] == [
        timedelta(minutes=58),
        timedelta(minutes=58, seconds=20),
        timedelta(minutes=58, seconds=40),
        timedelta(minutes=59),
        timedelta(minutes=60),
        timedelta(minutes=60, seconds=30),
        timedelta(minutes=100),
    ]


def test_a_log_goes_on_after_midnight(tmp_path: Path) -> None:
    log = "".join(f"[{hour:02}:50] <ann> hm\n" for hour in (22, 23, 0, 1))
    lines = [line for line in read(tmp_path, log, "some.log") if isinstance(line, ReplayLine)]
    assert lines[0].time == DAY + timedelta(hours=22, minutes=50)
    assert {after.time - before.time for before, after in pairwise(lines)} == {timedelta(hours=1)}


def test_somebody_who_takes_a_name_that_was_given_up_is_somebody_else(tmp_path: Path) -> None:
    log = (
        "[10:00] <ann> a\n=== ann is now known as bob\n[10:00] <ann> b\n"
        "=== ann is now known as cy\n[10:00] <Ann> c\n[10:00] <bob> d\n"
    )
    lines = [line for line in read(tmp_path, log) if isinstance(line, ReplayLine)]
    assert [line.speaker.id.rpartition("/")[2] for line in lines] == ["ann", "ann~2", "Ann~3", "ann"]


def test_a_file_that_is_something_else(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no IRC log"):
        read(tmp_path, "Dear diary,\n")
    with pytest.raises(BadInput, match="cannot be read"):
        list(read_irc(tmp_path / "none.txt"))


def test_an_annotation_says_which_line_answers_which(tmp_path: Path) -> None:
    path = tmp_path / f"log{SUFFIX}"
    path.write_text("[10:00] <ann> hello\n" * 1003, encoding="utf-8")
    path.with_name("log.annotation.txt").write_text("1000 1000 -\n1000 1002 -\n1001 1002 -\n\n", encoding="utf-8")
    links = [(at, back) for back, at in read_log(path).links if at != back]
    assert links == [(1002, 1000), (1002, 1001)]
