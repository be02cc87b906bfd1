"""Every slash command hands its call to the core as the one who used it: real cogs on a simulated Discord."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import discord

from bot.domain import Answer, Asker, Call, Choice, PlaceKind
from bot.usecases.catalogue import CATALOGUE, Command, Parameter
from tests.adapters.discord.world import Ear, eventually, open_world

OF_BUTTONS = "Left to my buttons"
"""The help of parameters that nobody types."""
TYPED = {
    "page": 3,
    "number": 7,
    "days": "30",
    "country": "DE",
    "code": "abcd-efgh",
    "entry": "t12",
    "letters": "INFP",
    "words": "I live in York.",
    "what": "last week",
    "place": "Leeds",
    "times": "9:00 18:30",
    "hours": "22:00-08:00",
    "span": "2 weeks",
}
"""Something that people may type for each free parameter."""


@dataclass
class Prompting(Ear):
    """A core that completes what is typed. `asked`: for what."""

    completions: list[tuple[str, str]] = field(default_factory=list)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    async def suggest(self, command: str, parameter: str, typed: str, asker: Asker) -> list[tuple[str, str]]:
        """Always the same."""
        self.asked.append((command, parameter, typed))
        return self.completions


@dataclass
class Hearing:
    """A server with a channel, and somebody who may do everything there. `another`: one more of them."""

    ear: Prompting
    kitchen: Any
    boss: Any
    another: Callable[[], Any]


@asynccontextmanager
async def open_hearing() -> AsyncIterator[Hearing]:
    """Discord with all slash commands, and a core that keeps the calls."""
    ear = Prompting()
    async with open_world(ear, extensions=("cogs",)) as world:
        guild = world.env.create_guild("Home")
        kitchen = guild.create_text_channel("kitchen")
        chief = guild.create_role("chief", permissions=discord.Permissions(administrator=True))

        def another() -> Any:
            return guild.add_member(world.env.create_user("boss"), roles=[chief])

        yield Hearing(ear, kitchen, another(), another)


def typed(parameter: Parameter) -> object:
    """A value for a parameter."""
    return parameter.choices[0] if parameter.choices else TYPED[parameter.name]


def options(command: Command) -> dict[str, Any]:
    """A value for everything that people type."""
    return {one.name: typed(one) for one in command.parameters if one.help != OF_BUTTONS}


def filled_in(command: Command) -> dict[str, str]:
    """What Discord adds where somebody types nothing: pictures are dark, as Discord is for most."""
    return {"look": "dark"} if command.name == "memory timeline" else {}


async def heard(hearing: Hearing, command: Command, **given: Any) -> tuple[Call, Asker]:
    """What came of a slash command; somebody new uses each, so that nobody is too fast."""
    before = len(hearing.ear.calls)
    used = await hearing.another().slash(hearing.kitchen, command.name, **given)
    await eventually(lambda: len(hearing.ear.calls) > before)
    assert used.acknowledged
    return hearing.ear.calls[-1]


async def test_every_command_arrives_with_all_that_was_typed_and_with_nothing() -> None:
    async with open_hearing() as hearing:
        for command in CATALOGUE:
            given = options(command)
            call, asker = await heard(hearing, command, **given)
            assert call == Call(command.name, tuple((name, str(value)) for name, value in given.items()))
            assert asker.speaker.name == "boss"
            assert asker.place.kind is PlaceKind.CHANNEL
            needed = {one.name: typed(one) for one in command.parameters if one.required}
            call, _ = await heard(hearing, command, **needed)
            arrives = needed | filled_in(command)
            assert call == Call(command.name, tuple((name, str(value)) for name, value in arrives.items()))


async def test_what_can_be_completed_is_asked_for_under_its_own_name() -> None:
    completed = [(one.name, each.name) for one in CATALOGUE for each in one.parameters if each.suggests]
    assert len(completed) >= 4
    async with open_hearing() as hearing:
        hearing.ear.completions = [("t12 · I live in York.", "t12"), ("", "t13"), ("too long", "x" * 101)]
        for command, parameter in completed:
            offered = await hearing.boss.autocomplete(hearing.kitchen, command, parameter, "yor")
            assert [(one["name"], one["value"]) for one in offered] == [("t12 · I live in York.", "t12")]
    assert hearing.ear.asked == [(command, parameter, "yor") for command, parameter in completed]


async def test_the_second_step_of_forgetting_is_a_button_alone() -> None:
    forget = next(command for command in CATALOGUE if command.name == "memory forget")
    assert list(options(forget)) == ["what"]
    sure = Call("memory forget", (("step", "yes"), ("token", "k3J_x-0123456789")))
    async with open_hearing() as hearing:
        hearing.ear.answer = lambda _call, _asker: Answer("Shall I?", choices=((Choice("Erase it", sure),),))
        asked = await hearing.boss.slash(hearing.kitchen, "memory forget", what="last")
        assert asked.ephemeral
        await hearing.boss.click(asked.response, label="Erase it")
        await eventually(lambda: len(hearing.ear.calls) == 2)
    assert hearing.ear.calls[-1][0] == sure


async def test_a_question_about_days_comes_back_from_its_button() -> None:
    sure = Call("privacy keep", (("days", "30 k3J_x-0123456789"),))
    async with open_hearing() as hearing:
        hearing.ear.answer = lambda _call, _asker: Answer("Shall I?", choices=((Choice("Yes", sure),),))
        asked = await hearing.boss.slash(hearing.kitchen, "privacy keep", days="30")
        assert asked.ephemeral
        await hearing.boss.click(asked.response, label="Yes")
        await eventually(lambda: len(hearing.ear.calls) == 2)
    assert hearing.ear.calls[-1][0] == sure
