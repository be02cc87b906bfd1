import pytest

from bot.domain import ChatMessage, Role
from bot.llm.chat_shapes import folded

S, U, A = Role.SYSTEM, Role.USER, Role.ASSISTANT


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([(S, "s"), (U, "u")], [(U, "s\n\nu")]),
        ([(S, "s"), (A, "a"), (U, "u")], [(U, "s"), (A, "a"), (U, "u")]),
        ([(U, "u"), (U, "v"), (A, "a"), (A, "b")], [(U, "u\n\nv"), (A, "a\n\nb")]),
        ([(A, "a"), (S, "s"), (U, "u")], [(U, "…"), (A, "a"), (U, "s\n\nu")]),
        ([(U, "u"), (S, "s")], [(U, "u\n\ns")]),
        ([], [(U, "…")]),
    ],
)
def test_roles_take_turns_and_nothing_is_lost(before: list[tuple[Role, str]], after: list[tuple[Role, str]]) -> None:
    messages = folded([ChatMessage(*message) for message in before])
    assert messages == [ChatMessage(*message) for message in after]
