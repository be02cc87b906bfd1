"""Commands as typed lines and as the bytes of a button."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.domain import Call, Choice
from bot.usecases.calls import MAX_BYTES, buttons, decode, encode, fits, parse_line, usage
from bot.usecases.catalogue import CATALOGUE, GROUPS, command_named

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Times say nothing on a busy machine."""


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Any call of the catalogue, its arguments in order and never empty."""
    command = draw(st.sampled_from(CATALOGUE))
    values = st.text(st.characters(codec="utf-8"), max_size=20) | st.text("\\|p", max_size=20)
    arguments = [(parameter.name, draw(values)) for parameter in command.parameters]
    return Call(command.name, tuple((name, value) for name, value in arguments if value))


@patient
@given(calls())
def test_a_button_says_again_what_it_was_given(call: Call) -> None:
    if not fits(call):
        return
    code = encode(call)
    assert len(code.encode()) <= MAX_BYTES
    assert decode(code) == call


ESCAPES = Call("memory timeline", (("words", "\\\\\\|||||"), ("page", "0000\\\\|||"), ("look", "0\\\\\\|||||")))
"""Three short arguments of marks that take two bytes each."""


@patient
@given(calls())
@example(ESCAPES)
def test_what_does_not_fit_is_refused_and_never_cut(call: Call) -> None:
    command = command_named(call.command)
    given_to = [bool(call.get(parameter.name)) for parameter in command.parameters] if command else []
    written = [len(value.encode()) + value.count("\\") + value.count("|") for _, value in call.arguments]
    separators = max((place for place, there in enumerate(given_to, start=1) if there), default=0)
    assert fits(call) is (len(call.command.encode()) + separators + sum(written) <= MAX_BYTES)
    assert fits(call) or max(written, default=0) > 10
    if not fits(call):
        with pytest.raises(ValueError, match="too long"):
            encode(call)


@patient
@given(st.text() | st.sampled_from(["memory list|", "about|x"]) | st.from_regex(r"memory (list|why|search)\|.*"))
def test_any_bytes_are_a_call_of_the_catalogue_or_none(text: str) -> None:
    call = decode(text)
    if call is not None:
        command = command_named(call.command)
        names = {parameter.name for parameter in command.parameters} if command else set()
        assert call.command in GROUPS or command is not None
        assert {name for name, _ in call.arguments} <= names


@pytest.mark.parametrize("text", ["", "|", "memory", "nonsense", "about|x", "memory list|1|2", "memory why|a\\q", "\\"])
def test_forged_buttons_say_nothing(text: str) -> None:
    assert decode(text) in {None, Call("memory")}


def test_every_command_without_words_of_its_own_fits_on_a_button() -> None:
    for command in CATALOGUE:
        longest = tuple((one.name, max(one.choices, key=len, default="t123456789")) for one in command.parameters)
        assert fits(Call(command.name, longest)), command.name


def test_a_command_that_nothing_answers_is_no_button() -> None:
    assert not fits(Call("nonsense"))
    assert not fits(Call("memory search", (("words", "\ud800"),)))


def test_buttons_that_do_not_fit_are_left_out_with_rows_that_are_empty_then() -> None:
    good, long = Choice("a", Call("help")), Choice("b", Call("memory search", (("words", "x" * 60),)))
    assert buttons([good, long], [long], [good]) == ((good,), (good,))


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("/memory list", Call("memory list")),
        ("/memory list 2", Call("memory list", (("page", "2"),))),
        ("/memory search the  cat", Call("memory search", (("words", "the cat"),))),
        ("/memory@MonicaBot list", Call("memory list")),
        ("/memory@monicabot why t12 please", Call("memory why", (("entry", "t12"),))),
        ("/Memory LIST", Call("memory list")),
        ("/memory_list", Call("memory list")),
        ("/memory_list 3", Call("memory list", (("page", "3"),))),
        ("/memory", Call("memory")),
        ("/memory\nlist", Call("memory list")),
        ("/memory lsit", Call("memory lsit")),
        ("/channel mode listen", Call("channel mode", (("mode", "listen"),))),
        ("  /about me  ", Call("about")),
        ("/nonsense at all", Call("nonsense")),
        ("/help@OtherBot", None),
        ("help", None),
        ("/", None),
        ("/!", None),
        ("", None),
    ],
)
def test_a_typed_line_is_a_call(line: str, call: Call | None) -> None:
    assert parse_line(line, "MonicaBot") == call


@patient
@given(st.text())
def test_no_line_is_too_strange(line: str) -> None:
    call = parse_line(f"/{line}", "MonicaBot")
    assert call is None or call.command


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("about", "/about"),
        ("help", "/help [memory|persona|privacy|checkin|channel]"),
        ("memory list", "/memory list [PAGE]"),
        ("memory search", "/memory search WORDS"),
        ("memory forget", "/memory forget [WHAT]"),
        ("memory correct", "/memory correct ENTRY WORDS"),
        ("persona show", "/persona show [me|companion]"),
        ("privacy channel", "/privacy channel [in|out|out-everywhere]"),
        ("link", "/link [CODE]"),
    ],
)
def test_usage_shows_what_can_be_typed(name: str, typed: str) -> None:
    command = command_named(name)
    assert command is not None
    assert usage(command) == typed
