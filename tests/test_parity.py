"""One list of commands everywhere: the catalogue, COMMANDS.md, Discord, Telegram and the console."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from discord import app_commands

from adapters.telegram.menu import menu
from bot.domain import Answer, Call
from bot.usecases.calls import decode, encode, parse_line, usage
from bot.usecases.catalogue import CATALOGUE, GROUPS, Command, Parameter, Who
from cogs.slash import slash_commands
from tests.usecases.asking import in_channel, open_asking

COMMANDS_PAGE = Path(__file__).parent.parent / "COMMANDS.md"
ROW = re.compile(r"^\| `(?P<usage>/[^`]*)` \| (?P<who>[^|]*) \| (?P<help>.*) \|$", re.MULTILINE)
WHO_IN_WORDS = {
    Who.EVERYONE: "everyone",
    Who.MANAGER: "who may manage the channel",
    Who.SERVER: "who may manage the server",
    Who.OWNER: "the companion's owner",
}
OF_BUTTONS = "Left to my buttons"
"""The help of parameters that nobody types: only the commands' own buttons have them."""


def typed(command: Command) -> list[Parameter]:
    """The parameters that people type."""
    return [one for one in command.parameters if one.help != OF_BUTTONS]


def on_discord() -> dict[str, app_commands.Command]:  # type: ignore[type-arg]
    """Qualified name → slash command."""
    top = slash_commands()
    groups = (one for one in top if isinstance(one, app_commands.Group))
    commands = [*top, *(each for group in groups for each in group.walk_commands())]
    return {one.qualified_name: one for one in commands if isinstance(one, app_commands.Command)}


def test_names_are_short_lower_case_and_differ() -> None:
    names = [command.name for command in CATALOGUE]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)?", name) for name in names)
    assert {name.partition(" ")[0] for name in names if " " in name} == set(GROUPS)
    assert not {name for name in names if name in GROUPS}


def test_platforms_take_the_names_and_helps() -> None:
    for command in CATALOGUE:
        assert all(len(word) <= 32 for word in command.name.split())
        assert len(command.help) <= 100
        for parameter in command.parameters:
            assert len(parameter.help) <= 100
            assert len(parameter.choices) <= 25
        required = [parameter.required for parameter in command.parameters]
        assert required == sorted(required, reverse=True), "required ones come first"


def test_the_page_of_commands_lists_every_command_as_it_is() -> None:
    rows = ROW.findall(COMMANDS_PAGE.read_text(encoding="utf-8"))
    listed = [(typed.replace("\\|", "|"), who, help_) for typed, who, help_ in rows]
    assert listed == [(usage(command), WHO_IN_WORDS[command.who], command.help) for command in CATALOGUE]


def test_discord_has_every_command_with_its_help_and_parameters() -> None:
    slash = on_discord()
    assert {name: command.description for name, command in slash.items()} == {
        command.name: command.help for command in CATALOGUE
    }
    for command in CATALOGUE:
        there = [
            Parameter(one.name, str(one.description), one.required, tuple(str(choice.value) for choice in one.choices))
            for one in slash[command.name].parameters
        ]
        plainly = [
            Parameter(one.name, one.help, one.required and not one.in_form, one.choices) for one in typed(command)
        ]
        assert there == plainly, command.name
        suggested = {one.name for one in slash[command.name].parameters if one.autocomplete}
        assert suggested == {one.name for one in command.parameters if one.suggests}, command.name


def test_telegrams_menu_has_every_first_word() -> None:
    words = dict.fromkeys(command.name.partition(" ")[0] for command in CATALOGUE)
    helps = {**{command.name: command.help for command in CATALOGUE}, **GROUPS}
    assert menu() == [(word, helps[word]) for word in words]


def test_a_typed_line_and_a_button_reach_every_command() -> None:
    for command in CATALOGUE:
        words = {one.name: one.choices[0] if one.choices else "w12" for one in typed(command)}
        for one in typed(command):
            if one.takes_rest:  # what comes after it cannot be typed on a line
                words = dict(list(words.items())[: [*words].index(one.name) + 1])
                break
        called = Call(command.name, tuple(words.items()))
        assert parse_line(" ".join([f"/{command.name}", *words.values()])) == called
        assert parse_line("_".join(f"/{command.name}".split()) + " " + " ".join(words.values())) == called
        whole = Call(
            command.name, tuple((one.name, one.choices[0] if one.choices else "w") for one in command.parameters)
        )
        assert decode(encode(whole)) == whole


async def test_every_command_has_somebody_who_answers_it() -> None:
    async with open_asking() as asking:
        asker = replace(in_channel(may_manage=True), is_owner=True, may_manage_server=True)
        for command in CATALOGUE:
            needed = tuple((one.name, "w12") for one in command.parameters if one.required)
            answer = await asking.commands.run(Call(command.name, needed), asker)
            assert isinstance(answer, Answer)
            assert answer.text, command.name


def test_only_steps_and_numbers_are_left_to_buttons() -> None:
    left = {(one.name, each.name) for one in CATALOGUE for each in one.parameters if each not in typed(one)}
    numbers = {(f"checkin {name}", "number") for name in ("off", "snooze", "less")}
    messages = {(f"memory {name}", "message") for name in ("why", "remember", "forget")}
    assert left == {("memory forget", "step"), ("memory forget", "token")} | numbers | messages


async def test_help_has_every_command_for_who_may_do_everything() -> None:
    async with open_asking() as asking:
        asker = replace(in_channel(may_manage=True), is_owner=True, may_manage_server=True)
        topics = (await asking.ask("/help", asker)).splitlines()[1:]
        lines = [line for topic in GROUPS for line in (await asking.ask(f"/help {topic}", asker)).splitlines()[1:]]
    assert len(topics) <= 12
    for group, help_ in GROUPS.items():
        names = [
            command.name.removeprefix(f"{group} ") for command in CATALOGUE if command.name.startswith(f"{group} ")
        ]
        assert f"- /{group} {help_}: {', '.join(names)}" in topics
    for command in CATALOGUE:
        assert f"- {usage(command)} {command.help}" in (lines if " " in command.name else topics)
