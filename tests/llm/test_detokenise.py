"""Incremental detokenisation on a byte tokenizer, where every character beyond ASCII comes in pieces."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from bot.llm.detokenise import TextStream
from tests.llm.tiny import byte_tokenizer

TOKENIZER = byte_tokenizer()


def decode(tokens: Sequence[int]) -> str:
    return str(TOKENIZER.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))


def tokens_of(text: str) -> list[int]:
    return list(TOKENIZER(text)["input_ids"])


def streamed(text: str, stop: Sequence[str] = ()) -> tuple[list[str], TextStream]:
    stream = TextStream(decode, stop)
    pieces = [stream.push([token]) for token in tokens_of(text)]
    return [*pieces, stream.finish()], stream


@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\N{REPLACEMENT CHARACTER}")))
def test_the_pieces_are_the_text(text: str) -> None:
    pieces, _ = streamed(text)
    assert "".join(pieces) == text
    assert not any("\N{REPLACEMENT CHARACTER}" in piece for piece in pieces)


def test_thinking_is_no_part_of_the_text_and_known() -> None:
    pieces, stream = streamed("<think>Hm\nAnn: ?</think>\n\nHi.\nAnn: more", ["\nAnn:"])
    assert ("".join(pieces), stream.stopped, stream.thinking) == ("Hi.", True, False)
    begun = TextStream(decode, begun=True)
    assert "".join(begun.push([token]) for token in tokens_of("Hm")) + begun.finish() == ""
    assert begun.thinking


def test_half_a_character_is_held_back_and_dropped_at_the_end() -> None:
    stream = TextStream(decode)
    cat = tokens_of("🐈")
    assert [stream.push([token]) for token in tokens_of("a") + cat] == ["a", "", "", "", "🐈"]
    assert stream.push(cat[:2]) == ""
    assert stream.finish() == ""


@given(st.text("abX\n", max_size=30), st.lists(st.text("abX\n", min_size=1, max_size=4), max_size=3))
def test_nothing_of_a_stop_text_leaks(text: str, stops: list[str]) -> None:
    pieces, stream = streamed(text, stops)
    # The stop text that is whole first ends the text, where it begins.
    ends = [(text.index(stop) + len(stop), text.index(stop)) for stop in stops if stop in text]
    first = min(end for end, _ in ends) if ends else len(text)
    expected = text[: min(begin for end, begin in ends if end == first)] if ends else text
    assert "".join(pieces) == expected
    assert stream.stopped == bool(ends)


def test_a_text_that_only_begins_like_a_stop_text_comes_out_whole() -> None:
    pieces, stream = streamed("Hello\nUse", ["\nUser:"])
    assert pieces[5:-1] == [""] * 4
    assert "".join(pieces) == "Hello\nUse"
    assert not stream.stopped
