"""The lists of words that the checks know."""

import re
from importlib import import_module
from typing import Any

import pytest

from bot.conversation.checking.wordings import LANGUAGES, wording

constants: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
UNBOUNDED = int(constants.MAXREPEAT)
REPEATS = {constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT}


def nested(parsed: Any, *, inside: bool = False) -> bool:
    """Whether an unbounded repetition stands inside another repetition that can be long."""
    for operation, argument in parsed:
        parts = [argument] if not isinstance(argument, tuple | list) else list(argument)
        if operation in REPEATS:
            _, most, body = argument
            if inside and most >= UNBOUNDED:
                return True
            if nested(body, inside=inside or most > 6):
                return True
            continue
        flat = [one for part in parts for one in (part if isinstance(part, list) else [part])]
        if any(nested(part, inside=inside) for part in flat if isinstance(part, parser.SubPattern)):
            return True
    return False


def test_nested_repetition_is_found() -> None:
    assert nested(parser.parse(r"(?:a+)+"))
    assert not nested(parser.parse(r"(?:\w+ ){0,3}b"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_all_languages_have_the_same_lists(code: str) -> None:
    assert set(wording(code)._lists) == set(wording("en")._lists)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_list_is_a_pattern_whose_time_grows_with_the_text_alone(code: str) -> None:
    one = wording(code)
    for key in one._lists:
        pattern = one.pattern(key).pattern
        assert not nested(parser.parse(pattern)), key
        assert "<" not in re.sub(r"\(\?<[=!]", "", pattern), key


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_pattern_is_written_as_texts_are_folded(code: str) -> None:
    one = wording(code)
    for key in one._lists:
        assert one.pattern(key).pattern.isascii(), key
