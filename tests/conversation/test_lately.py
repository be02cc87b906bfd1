"""What was worked out of a text is worked out once, and nothing of the text is kept for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.conversation import lately
from bot.conversation.lately import once_lately


def looking() -> tuple[list[str], Callable[[str], int]]:
    """What was looked at, and a function that says how long a text is, computed once."""
    asked = list[str]()

    def look(text: str) -> int:
        asked.append(text)
        return len(text)

    return asked, once_lately(look)


def test_a_text_is_looked_at_once_and_each_text_has_its_own_result() -> None:
    asked, look = looking()
    assert [look(text) for text in ("one", "three", "one", "", "three")] == [3, 5, 3, 0, 5]
    assert asked == ["one", "three", ""]


def test_the_texts_seen_last_are_known_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lately, "MOST_TEXTS", 2)
    asked, look = looking()
    for text in ("a", "b", "a", "c"):  # "a" was seen after "b", which goes
        look(text)
    assert asked == ["a", "b", "c"]
    look("a")
    assert asked == ["a", "b", "c"]
    look("b")
    assert asked == ["a", "b", "c", "b"]


def test_nothing_that_people_write_is_kept() -> None:
    words = " ".join(("my", "zeppelin"))
    look = once_lately(len)
    look(words)
    [known] = [cell.cell_contents for cell in look.__closure__ or () if isinstance(cell.cell_contents, dict)]
    assert list(known.values()) == [len(words)]
    assert [len(key) for key in known] == [16]
    assert "zeppelin" not in f"{known}"


def test_lone_surrogates_are_texts_of_their_own() -> None:
    look = once_lately(ascii)
    assert [look(text) for text in ("a\ud800", "a\ud801", "a\ud800")] == [r"'a\ud800'", r"'a\ud801'", r"'a\ud800'"]


def test_what_is_not_there_is_a_result_too() -> None:
    asked = list[str]()
    look = once_lately(asked.append)
    assert [look("a"), look("a")] == [None, None]
    assert asked == ["a"]


def test_what_fails_is_looked_at_again() -> None:
    asked = list[str]()

    def fails_once(text: str) -> int:
        asked.append(text)
        if len(asked) == 1:
            raise ValueError("once")
        return 7

    look = once_lately(fails_once)
    with pytest.raises(ValueError, match="once"):
        look("a")
    assert [look("a"), look("a")] == [7, 7]
    assert len(asked) == 2


def test_a_slow_look_holds_up_no_other_thread() -> None:
    slow, quick_is_done = threading.Event(), threading.Event()

    def waits(text: str) -> str:
        if text == "slow":
            slow.set()
            assert quick_is_done.wait(20)
        return text

    look = once_lately(waits)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(look, "slow")
        assert slow.wait(20)
        assert threads.submit(look, "quick").result(20) == "quick"
        quick_is_done.set()
        assert first.result(20) == "slow"
