"""The settings of check-ins."""

from datetime import time
from functools import cache
from math import isclose
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias
from zoneinfo import available_timezones

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator
from pydantic_core import PydanticCustomError

from bot.config.basics import TEN_YEARS, Real, Section, Whole, off_word

_zones = cache(available_timezones)
"""Some six hundred files are looked at for their names."""


def _time_of_day(value: object) -> object:
    """A text such as "18:00" as a time of day."""
    if isinstance(value, str):
        try:
            value = time.fromisoformat(value.rjust(len("00:00"), "0"))
        except ValueError:
            value = None
    if isinstance(value, time) and value.tzinfo is None:
        return value
    raise PydanticCustomError("time_wanted", 'a time of day such as "18:00"')


TimeOfDay: TypeAlias = Annotated[
    time, BeforeValidator(_time_of_day), PlainSerializer(lambda value: f"{value:%H:%M}", when_used="json")
]


class CareWeights(Section):
    """How much each score counts when a memory is chosen (CareAgent's α, β, γ); they sum up to 1."""

    importance: Real = Field(0.5, ge=0.0, le=1.0)
    balance: Real = Field(0.2, ge=0.0, le=1.0)
    freshness: Real = Field(0.3, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not isclose(self.importance + self.balance + self.freshness, 1.0, abs_tol=1e-6):
            raise PydanticCustomError("sum_wanted", "weights that sum up to 1")
        return self


class Care(Section):
    """Check-ins: the companion opens the conversation (CareAgent). Only with people who switched them on."""

    enabled: bool = True
    offer: bool = True
    times: tuple[TimeOfDay, ...] = Field((time(12), time(18), time(21)), min_length=1, max_length=24)
    zone: str = ""
    quiet_from: TimeOfDay = time(22)
    quiet_until: TimeOfDay = time(8)
    every_days: Whole = Field(2, ge=1, le=365)
    per_week: Whole = Field(3, ge=1, le=7)
    minor_per_week: Whole = Field(1, ge=1, le=7)
    after_talk_hours: Real = Field(12.0, ge=0, le=8760)
    after_help_days: Real = Field(14.0, ge=0, le=3650)
    back_off_after: Whole = Field(2, ge=1, le=100)
    stop_after: Whole = Field(5, ge=1, le=100)
    jitter_minutes: Real = Field(20.0, ge=0, le=240)
    grace_minutes: Real = Field(90.0, gt=0, le=1440)
    answer_days: Real = Field(3.0, gt=0, le=60)
    tick_s: Real = Field(30.0, gt=0, le=3600)
    lease_s: Real = Field(300.0, gt=0, le=TEN_YEARS)
    writer: Literal["auto", "model", "rules"] = "auto"
    weights: CareWeights = CareWeights()
    border: Real = Field(1.3, ge=0.0, le=100.0)
    single_pass: Real = Field(0.5, ge=-1.0, le=1.0)
    clustering: Literal["linkage", "lda"] = "linkage"
    max_topics: Whole = Field(30, ge=1, le=200)
    character: Annotated[Literal["off", "model", "trained"], BeforeValidator(off_word)] = "off"
    character_weights: Path | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if list(self.times) != sorted(set(self.times)):
            raise PydanticCustomError("times_wanted", "care.times: times of day in order, each once")
        if self.stop_after <= self.back_off_after:
            raise PydanticCustomError("order_wanted", "care.stop_after: a number over care.back_off_after")
        if self.character == "trained" and self.character_weights is None:
            raise PydanticCustomError("file_wanted", "care.character_weights: a file made by `lab tune character`")
        if self.zone and self.zone not in _zones():
            raise PydanticCustomError("zone_wanted", "care.zone: a time zone such as Europe/Berlin, or nothing")
        return self
