"""How often the checks of replies are wrong: the measurement itself."""

import json
from pathlib import Path

import pytest

from bot.conversation.checking.ground import Fault
from bot.errors import BadInput
from lab.evaluation import replies


def chat(folder: Path, *said: str) -> None:
    """A chat of Ann and Bob, who take turns, as the loaders read them."""
    turns = [{"id": f"D1:{at}", "speaker": ("Ann", "Bob")[at % 2], "text": text} for at, text in enumerate(said)]
    session = {"index": 1, "date_time": "1:00 pm on 8 May, 2023", "turns": turns}
    place = folder / "realtalk" / "locomo"
    place.mkdir(parents=True)
    (place / "chat.json").write_text(
        json.dumps({"id": "chat", "speakers": ["Ann", "Bob"], "sessions": [session], "questions": []})
    )


def test_each_turn_is_taken_as_a_reply_to_the_one_before(tmp_path: Path) -> None:
    chat(
        tmp_path,
        "My grandma died on sunday.",
        "That's great! Have fun.",
        "What is my cat called?",
        "You never told me.",
    )

    found = replies.human(tmp_path, 10)

    assert (found[0].source, found[0].reply) == ("realtalk", "That's great! Have fun.")
    assert [set(one.found) - replies.OF_PEOPLE for one in found] == [{Fault.CHEERFUL}, set(), set()]
    assert "cheerful" in replies.as_text(found, [], alarms=1)
    assert len(replies.human(tmp_path, 2)) == 2


def test_a_folder_without_the_sets_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        replies.human(tmp_path, 10)


def test_the_labelled_replies_are_read_and_most_bad_ones_are_found() -> None:
    rows = replies.labelled()
    bad = [one for one in rows if one.labels]

    assert {one.kept for one in rows} == {True, False}
    assert sum(bool(one.found) for one in bad) > 0.8 * len(bad)


def test_what_was_written_for_training_is_seldom_turned_down() -> None:
    rows = [one for one in replies.written(every=8) if one.source == replies.WRITTEN]
    assert len(rows) > 2_000
    assert sum(bool(one.found) for one in rows) < 0.05 * len(rows)
