"""What a model thinks aloud is no part of its answer, however the pieces fall."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.thinking import AnswerText, Thinking

THOUGHT = "Okay, they greet me.\n\n<b>So</b> I greet back.\nAnn: hm"


def said(text: str, size: int, stops: tuple[str, ...] = (), *, begun: bool = False, whole: bool = True) -> str:
    answer = AnswerText(stops, begun=begun)
    pieces = [answer.push(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join([*pieces, answer.finish(whole=whole)])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    "form",
    [
        "<think>{}</think>{}",
        "<think>\n{}\n</think>\n\n{}",
        "\n<thinking>{}</thinking>{}",
        "[THINK]{}[/THINK]{}",
        "<seed:think>{}</seed:think>{}",
        "<|channel>thought\n{}<channel|>{}",
        "<|channel|>analysis<|message|>{}<|end|>{}",
        "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}",
        "<think>{0}</think><think>again</think>\n{1}",
    ],
)
def test_thinking_is_taken_out_and_meets_no_stop_text(form: str, size: int) -> None:
    text = form.format(THOUGHT, "Hello Ann!\nAnn: and more")
    assert said(text, size, ("\n<", "\nAnn:")) == "Hello Ann!"


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize(
    "text", ["Hello.", "  Hello.\n", "<", "<thin", "<b>Hi</b>", "In HTML, <think> is no tag.", "[THIN ice]", "", "\n"]
)
def test_other_text_stays_as_it_is(text: str, size: int) -> None:
    assert said(text, size) == text


@given(st.text(alphabet="<>/think [THINK]|channel", max_size=30), st.integers(1, 5))
def test_how_a_text_falls_into_pieces_does_not_matter(text: str, size: int) -> None:
    assert said(text, size) == said(text, 1000)


def test_an_end_without_thinking_is_no_answer() -> None:
    thinking = Thinking()
    assert (thinking.push("<think>Hm, "), thinking.inside, thinking.thought) == ("", True, False)
    assert (thinking.finish(), thinking.inside, thinking.thought) == ("", True, True)


def test_empty_thinking_is_none() -> None:
    thinking = Thinking()
    assert thinking.push("<think>\n\n</think>\n\nHi") == "Hi"
    assert not thinking.thought


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_thinking_that_the_template_has_begun_is_held_back(size: int) -> None:
    assert said(f"{THOUGHT}</think>\n\nHi.", size, ("\nAnn:",), begun=True) == "Hi."


def test_what_was_held_back_is_the_answer_when_no_thinking_ends_in_it() -> None:
    assert said("Hi there.", 2, begun=True) == "Hi there."
    assert said("Hm, so they", 2, begun=True, whole=False) == ""
    assert said("<think>Hm.", 2, begun=True) == ""


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_unannounced_end_of_thinking_is_noticed(size: int) -> None:
    thinking = Thinking()
    text = "Hm.</think>Hi."
    assert "".join(thinking.push(text[at : at + size]) for at in range(0, len(text), size)) == text
    assert thinking.unannounced
    assert not thinking.inside
