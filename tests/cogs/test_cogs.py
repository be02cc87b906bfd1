"""The slash commands as a person uses them: simulated Discord, real discord.py, real cogs, the whole core."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import simcord
from discord import app_commands
from simcord.env import Env

import cogs
from adapters.discord.adapter import DiscordAdapter
from adapters.discord.client import Companion
from bot.llm.scripted import ScriptedChatModel
from bot.texts import commands, forgetting, privacy
from bot.usecases.catalogue import CATALOGUE, GROUPS, Command, Who
from tests.adapters.discord.world import SimulatedTime, channel, dm, eventually, settings_with
from tests.living import OpenCore, open_core

OWN_WORDS = {
    "memory__summariser": "extractive",
    "persona__extractor": "extractive",
    "privacy__consent": "implied",
    "privacy__introduce": False,
}
OF_BUTTONS = "Left to my buttons"
"""The help of parameters that nobody types."""


@asynccontextmanager
async def working(client: Companion) -> AsyncIterator[None]:
    """What the adapter runs beside a client, and its end."""
    task = asyncio.create_task(client.work())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await client.finish()


@dataclass
class Home:
    """A server with a channel, two people and the companion, on the whole core."""

    env: Env
    core: OpenCore
    client: Any
    guild: Any
    kitchen: Any
    ann: Any
    bob: Any

    async def say(self, person: Any, text: str, channel: Any = None) -> None:
        """Somebody says something, and it is dealt with."""
        turns = len(self.core.turns)
        if channel is None:
            await person.send_dm(text)
        else:
            await person.send(channel, text)
        await eventually(lambda: len(self.core.turns) > turns)
        await self.core.app.idle()


@asynccontextmanager
async def at_home(folder: Path, overrides: Mapping[str, object] | None = None) -> AsyncIterator[Home]:
    """Everything running; nobody is asked whether they may be remembered, if `overrides` agree."""
    time = SimulatedTime()
    adapter = DiscordAdapter(settings_with({}), time, extensions=("cogs",))
    model = ScriptedChatModel("I am glad that you told me.")
    messengers, chosen = {"discord": adapter.messenger}, OWN_WORDS | dict(overrides or {})
    async with open_core(folder, model=model, messengers=messengers, overrides=chosen) as core:
        client = adapter.client(core.app)
        async with simcord.run(client) as env:
            time.env = env
            with env.time_context():
                async with working(client):
                    guild = env.create_guild("Home")
                    kitchen = guild.create_text_channel("kitchen")
                    ann, bob = (guild.add_member(env.create_user(name)) for name in ("ann", "bob"))
                    await eventually(client.is_ready)
                    yield Home(env, core, client, guild, kitchen, ann, bob)


def in_group(command: Command, slash: app_commands.Command[Any, ..., Any]) -> bool:
    """Whether a command is of the group of this slash command."""
    return slash.parent is not None and command.name.startswith(f"{slash.parent.name} ")


async def test_every_command_of_the_catalogue_is_a_slash_command_with_its_help_and_parameters() -> None:
    bot = discord.ext.commands.Bot(command_prefix="!", intents=discord.Intents.none())
    await cogs.setup(bot)  # type: ignore[arg-type]  # no adapter is needed to look at them
    found = {c.qualified_name: c for c in bot.tree.walk_commands() if isinstance(c, app_commands.Command)}
    assert set(found) == {command.name for command in CATALOGUE}
    for command in CATALOGUE:
        slash = found[command.name]
        typed = [one for one in command.parameters if one.help != OF_BUTTONS]
        assert slash.description == command.help
        assert [(p.name, p.description, p.required) for p in slash.parameters] == [
            (p.name, p.help, p.required and not p.in_form) for p in typed
        ]
        assert [p.autocomplete for p in slash.parameters] == [p.suggests for p in typed]
        assert [tuple(c.value for c in p.choices) for p in slash.parameters] == [p.choices for p in typed]
        mixed = slash.parent and {Who.EVERYONE, command.who} <= {one.who for one in CATALOGUE if in_group(one, slash)}
        if command.who is not Who.EVERYONE and not mixed:  # Discord hides no single command of a group
            assert (slash.parent or slash).default_permissions is not None
    groups = {
        group.name: group.description for group in bot.tree.get_commands() if isinstance(group, app_commands.Group)
    }
    assert groups == GROUPS


async def test_what_it_knows_is_shown_to_the_one_who_asks_and_to_nobody_else(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        await home.say(home.ann, "I have two dogs in Leeds.")
        await home.core.passes(timedelta(hours=2))
        mine = await home.ann.slash(home.kitchen, "memory list")
        assert mine.acknowledged
        assert mine.ephemeral
        assert "two dogs" in mine.response.content
        theirs = await home.bob.slash(home.kitchen, "memory list")
        assert "dogs" not in theirs.response.content


async def test_why_names_the_message_that_a_memory_comes_from(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        await home.say(home.ann, "I have two dogs in Leeds.")
        await home.core.passes(timedelta(hours=2))
        offered = await home.ann.autocomplete(home.kitchen, "memory why", "entry", "")
        assert offered
        assert "dogs" in offered[0]["name"]
        why = await home.ann.slash(home.kitchen, "memory why", entry=offered[0]["value"])
        assert "I have two dogs in Leeds" in why.response.content
        assert await home.bob.autocomplete(home.kitchen, "memory why", "entry", "") == []
        strange = await home.bob.slash(home.kitchen, "memory why", entry=offered[0]["value"])
        assert "dogs" not in strange.response.content


async def test_only_who_manages_a_channel_sees_its_command_and_everybody_sees_the_change(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        keeper = home.guild.create_role("keeper", permissions=discord.Permissions(manage_channels=True))
        eve = home.guild.add_member(home.env.create_user("eve"), roles=[keeper])
        assert "channel mode" not in home.bob.available_commands(home.kitchen)
        changed = await eve.slash(home.kitchen, "channel mode", mode="off")
        assert not changed.ephemeral or changed.followups
        assert not await home.core.app.reads(channel(home.kitchen, home.guild))
        assert await home.core.app.reads(dm(home.ann))
        await home.ann.send(home.kitchen, "Monica, are you there?")
        await eve.slash(home.kitchen, "channel mode", mode="mention")
        await home.say(home.ann, "Monica, and now?", home.kitchen)
        assert [turn.utterances[-1].text for turn in home.core.turns] == ["Monica, and now?"]


async def test_status_is_for_the_owner(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        assert "status" not in home.bob.available_commands(home.kitchen)
        about = await home.bob.slash(home.kitchen, "about")
        assert "machine" in about.response.content


async def test_what_is_said_without_a_yes_is_forgotten_and_with_it_is_kept(tmp_path: Path) -> None:
    async with at_home(tmp_path, {"privacy__consent": "ask"}) as home:
        shown = await home.ann.slash(home.kitchen, "privacy consent")
        assert shown.ephemeral
        assert shown.response.content == privacy.UNDECIDED
        await home.say(home.ann, "I have two dogs in Leeds.")
        await home.say(home.bob, "I have two cats in York.")
        said = await home.ann.click(shown.response, label=privacy.YES)
        assert said.acknowledged
        await home.core.passes(timedelta(hours=2))
        assert "dogs" in (await home.ann.slash(home.kitchen, "memory list")).response.content
        assert "cats" not in (await home.bob.slash(home.kitchen, "memory list")).response.content


async def test_who_is_out_of_a_channel_is_not_read_there(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        left = await home.ann.slash(home.kitchen, "privacy channel", state="out")
        assert left.ephemeral
        assert left.response.content == privacy.NOW_OUT
        await home.ann.send(home.kitchen, "Monica, I have two dogs.")
        await home.say(home.bob, "Monica, I have two cats.", home.kitchen)
        assert [said.text for turn in home.core.turns for said in turn.utterances] == ["Monica, I have two cats."]
        in_private = await home.env.create_user("eve").slash("privacy channel", state="out")
        assert in_private.response.content == commands.ONLY_IN_CHANNELS


async def test_only_who_manages_the_server_switches_sharing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        keeper = home.guild.create_role("keeper", permissions=discord.Permissions(manage_channels=True))
        chief = home.guild.create_role(
            "chief", permissions=discord.Permissions(manage_channels=True, manage_guild=True)
        )
        eve = home.guild.add_member(home.env.create_user("eve"), roles=[keeper])
        dan = home.guild.add_member(home.env.create_user("dan"), roles=[chief])
        refused = await eve.slash(home.kitchen, "channel sharing", state="on")
        assert refused.ephemeral
        assert refused.response.content == commands.ONLY_SERVER
        await dan.slash(home.kitchen, "channel sharing", state="on")
        assert "has switched sharing **on**" in home.kitchen.history()[-1].content
        shown = await eve.slash(home.kitchen, "channel sharing")
        assert shown.response.content == commands.ONLY_SERVER


async def test_what_is_forgotten_is_gone_after_the_second_step_with_a_receipt(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        await home.say(home.ann, "I have two dogs in Leeds.")
        asked = await home.ann.slash(home.kitchen, "memory forget", what="last")
        assert asked.ephemeral
        assert "two dogs" in asked.response.content
        done = await home.ann.click(asked.response, label=forgetting.ERASE)
        assert done.acknowledged
        await home.core.passes(timedelta(hours=2))
        assert "dogs" not in (await home.ann.slash(home.kitchen, "memory list")).response.content
        receipts = await home.ann.slash(home.kitchen, "privacy receipt")
        assert "1 message" in receipts.response.content
        theirs = await home.bob.slash(home.kitchen, "privacy receipt")
        assert theirs.response.content == privacy.NO_RECEIPTS


async def test_a_code_to_link_with_is_for_the_asker_alone(tmp_path: Path) -> None:
    async with at_home(tmp_path) as home:
        shown = await home.ann.slash(home.kitchen, "link")
        assert shown.ephemeral
        assert "`/link " in shown.response.content
        wrong = await home.bob.slash(home.kitchen, "link", code="AAAA-BBBB")
        assert wrong.ephemeral
        assert wrong.response.content == privacy.LINK_WRONG
