import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.stopping import StopTexts

TEXTS = st.text(alphabet="ab\n", max_size=12)


@given(TEXTS, st.lists(TEXTS, max_size=3), st.lists(st.integers(1, 4), min_size=12))
def test_the_text_is_that_before_the_first_stop_text_however_it_is_cut_up(
    text: str, stops: list[str], sizes: list[int]
) -> None:
    watch, released, rest = StopTexts(stops), "", text
    for size in sizes:
        if rest and not watch.stopped:
            released += watch.push(rest[:size])
            rest = rest[size:]
            assert text.startswith(released)
    released += watch.finish()
    ends = [at for stop in stops if stop and (at := text.find(stop)) >= 0]
    assert watch.stopped == bool(ends)
    # Of two stop texts that overlap, the one that is whole first ends the text.
    if len(ends) == 1 or not ends:
        assert released == text[: min(ends, default=len(text))]
    assert not any(stop and stop in released for stop in stops)


@pytest.mark.parametrize(
    ("pieces", "released"),
    [(["Hi", "\nU", "ndo"], ["Hi", "", "\nUndo"]), (["Hi", "\nU", "ser:", " x"], ["Hi", "", "", ""])],
)
def test_holds_back_only_what_may_become_a_stop_text(pieces: list[str], released: list[str]) -> None:
    watch = StopTexts(["\nUser:"])
    assert [watch.push(piece) for piece in pieces] == released
