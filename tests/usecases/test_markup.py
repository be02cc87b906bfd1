"""People's words in an answer: harmless on the platforms, and the same again without marks."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.usecases.markup import bare, cut, plain

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Times say nothing on a busy machine."""


@patient
@given(st.text() | st.text("*_`\\>-.#[]()@:1 \n"))
def test_words_come_back_as_they_were_on_one_line(words: str) -> None:
    assert bare(plain(words)) == " ".join(words.split())


@patient
@given(st.text("*_`\\>-.#[]()!|~@:1ab "))
def test_no_mark_in_peoples_words_does_anything(words: str) -> None:
    tokens = MarkdownIt("commonmark").parse(f"x {plain(words)} x")
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    inline = tokens[1].children or []
    assert {token.type for token in inline} <= {"text", "text_special"}


def test_marks_are_taken_away() -> None:
    assert bare("**What** `t1` *(a \\*b\\*)*") == "What t1 (a *b*)"


@patient
@given(st.text(), st.integers(3, 50))
def test_cut_text_is_no_longer_than_allowed(text: str, length: int) -> None:
    assert len(cut(text, length)) <= length
