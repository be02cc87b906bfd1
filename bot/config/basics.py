"""What the sections of the settings are made of: a strict model, and numbers that are numbers."""

from typing import Annotated, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import PydanticCustomError

TEN_YEARS = 315_360_000.0
"""Seconds; no wait is longer, and no sum of a date and a setting runs out of dates."""


def _no_switch(value: object) -> object:
    """YAML's true and false are no numbers. What stands in quotes is one: YAML 1.1 reads 1e7 as a text."""
    if isinstance(value, bool):
        raise PydanticCustomError("number_wanted", "a number, not true or false")
    return value


def off_word(value: object) -> object:
    """YAML 1.1 reads a bare `off` as false."""
    return "off" if value is False else value


Real: TypeAlias = Annotated[float, BeforeValidator(_no_switch)]
Whole: TypeAlias = Annotated[int, BeforeValidator(_no_switch)]


class Section(BaseModel):
    """A part of the settings: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
