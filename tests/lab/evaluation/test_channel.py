"""Tests of the measure of channels, on invented logs."""

import json
from pathlib import Path

import pytest

from bot.config import load_settings
from bot.errors import BadInput
from lab.evaluation.channel import BUDGETS, as_json, as_text, measure

CHATTER = "\n".join(f"[10:{minute:02}] <cy{minute % 3}> the soup number {minute} is hot" for minute in range(10, 50))
LOG = f"""\
=== ann [~ann@host.example]  has joined #kitchen
[10:00] <ann> who has the key?
[10:00] <bob> which key?
[10:01] <ann> the one of the cellar
=== ann is now known as anna
[10:02] <bob> not me
{CHATTER}
[12:30] <anna> hello again
[12:31] <bob> I found it
[12:31] <anna> where?
"""
# Lines are counted from 0: 2 answers 1, 3 answers 2, and so on; 47 ("I found it") answers 1, of an earlier session.
ANNOTATION = "1 1 -\n1 2 -\n2 3 -\n3 5 -\n1 47 -\n47 48 -\n"


def write(folder: Path, log: str = LOG, annotation: str = ANNOTATION) -> None:
    (folder / "irc").mkdir()
    (folder / "irc" / "2004-11-15_03.ascii.txt").write_text(log, encoding="utf-8")
    (folder / "irc" / "2004-11-15_03.annotation.txt").write_text(annotation, encoding="utf-8")


async def test_what_is_answered_is_in_the_prompt_where_the_platform_says_what_it_is(tmp_path: Path) -> None:
    write(tmp_path)
    report = await measure(tmp_path, load_settings(None, {}))
    assert (report.logs, report.messages, report.replies) == (1, 47, 5)
    assert [(row.budget, row.linked) for row in report.rows] == [
        (budget, linked) for linked in (False, True) for budget in BUDGETS
    ]
    assert [row.shown for row in report.rows] == [0.8] * 3 + [1.0] * 3
    assert report.older == 0.2
    assert report.right == report.lines > 0
    assert report.distances["50%"] == 1
    assert report.distances["100%"] == 45


async def test_what_is_said_twice_and_what_a_burst_answers_is_known_apart(tmp_path: Path) -> None:
    again = "[10:00] <ann> who has the key?\n[10:00] <bob> soup?\n"
    burst = "[12:30] <ann> me\n[12:30] <ann> the key I mean\n[12:30] <ann> yes, soup\n"
    hot = "".join(f"[10:01] <cy> {'hot soup ' * 12}{number}\n" for number in range(20))
    write(tmp_path, f"{again}{hot}{again}{hot}[10:50] <dee> I have it\n{burst}", "0 44 -\n0 45 -\n1 47 -\n")
    report = await measure(tmp_path, load_settings(None, {}))
    assert [row.shown for row in report.rows][3:] == [1.0] * 3
    assert report.right == report.lines


async def test_a_wrong_speaker_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    monkeypatch.setattr(
        "bot.conversation.scene.label_speakers",
        lambda people, agent, numbered: dict.fromkeys(["agent", *(person.id for person in people)], "somebody (1)"),
    )
    report = await measure(tmp_path, load_settings(None, {}))
    assert report.right == 0
    assert all(row.shown == 0 for row in report.rows)


async def test_the_figures_are_printed_and_can_be_read_by_a_machine(tmp_path: Path) -> None:
    write(tmp_path)
    report = await measure(tmp_path, load_settings(None, {}))
    assert "| 1,000 | none | 80.0% |" in as_text(report)
    assert "| 3,500 | given | 100.0% |" in as_text(report)
    assert "5 annotated replies" in as_text(report)
    assert json.loads(as_json(report))["rows"][0]["shown"] == 0.8


async def test_a_folder_without_logs(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--data"):
        await measure(tmp_path, load_settings(None, {}))
