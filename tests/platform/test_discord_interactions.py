"""Slash commands and buttons on the wire: the Discord server of our own against plain discord.py."""

from __future__ import annotations

import discord
import pytest
from discord import app_commands

from tests.platform.discord_client import Home, Listener, running
from tests.platform.discord_server import interactions


class Choice(discord.ui.View):
    """One button, which says who pressed it."""

    @discord.ui.button(label="Yes", custom_id="yes")
    async def yes(self, interaction: discord.Interaction, _: discord.ui.Button[Choice]) -> None:
        await interaction.response.edit_message(content=f"{interaction.user.display_name} said yes", view=None)


def with_commands(client: Listener) -> Listener:
    """Adds /memory list and /memory quick to a client."""
    memory = app_commands.Group(name="memory", description="What is remembered")

    @memory.command(name="list", description="Lists it")
    async def listing(interaction: discord.Interaction, about: str = "") -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.edit_original_response(content=f"All about {about}", view=Choice(timeout=None))
        await interaction.followup.send("And more", ephemeral=True)

    @listing.autocomplete("about")
    async def complete(interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=typed.upper(), value=typed)]

    @memory.command(name="quick", description="At once")
    async def quick(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("Here", view=Choice(timeout=None))

    client.tree.add_command(memory)
    return client


async def test_commands_are_registered_used_and_completed(home: Home) -> None:
    server = home.server
    async with running(server, with_commands(Listener())) as client:
        synced = await client.tree.sync()
        assert [command.name for command in synced] == ["memory"]
        assert [command.id for command in await client.tree.fetch_commands()] == [synced[0].id]
        used = await server.slash(home.ann, home.kitchen, "memory list", {"about": "soup"})
        answer = await server.answer(used)
        await server.until(lambda: used.followups)
        assert answer.content == "All about soup"
        assert answer.shown_to is home.ann
        assert [one.content for one in used.followups] == ["And more"]
        assert server.messages(home.kitchen) == []
        assert await server.suggestions(home.ann, home.kitchen, "memory list", "about", "so") == [("SO", "so")]
        with pytest.raises(LookupError):
            await server.slash(home.ann, home.kitchen, "memory lose")


async def test_a_button_is_pressed(home: Home) -> None:
    server = home.server
    async with running(server, with_commands(Listener())) as client:
        await client.tree.sync()
        client.add_view(
            Choice(timeout=None)
        )  # a person could not press before the client knows its message; this test can
        for place in (home.kitchen, home.dm):
            shown = await server.answer(await server.slash(home.ann, place, "memory quick"))
            assert shown in server.messages(place)
            pressed = await server.press(home.ann, shown, "Yes")
            assert await server.answer(pressed) is shown
            assert shown.content == "Ann said yes"
            assert shown.buttons == {}


async def test_nobody_presses_what_only_another_person_sees(home: Home) -> None:
    server = home.server
    async with running(server, with_commands(Listener())) as client:
        await client.tree.sync()
        answer = await server.answer(await server.slash(home.ann, home.kitchen, "memory list", {"about": "soup"}))
        with pytest.raises(LookupError):
            await server.press(home.bob, answer, "Yes")


async def test_an_interaction_is_answered_once(home: Home) -> None:
    server = home.server
    async with running(server, Listener()) as client:
        errors: list[int] = []

        @client.tree.command(name="late", description="Answers twice")
        async def late(interaction: discord.Interaction) -> None:
            await client.http.request(
                discord.http.Route("POST", f"/interactions/{interaction.id}/{interaction.token}/callback"),
                json={"type": 5},
            )
            try:
                await interaction.response.defer()
            except discord.HTTPException as error:
                errors.append(error.code)
            await interaction.edit_original_response(content="done")

        await client.tree.sync()
        await server.answer(await server.slash(home.ann, home.dm, "late"))
        assert errors == [40060]


async def test_an_interaction_that_waits_too_long_has_failed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interactions, "PATIENCE_S", -1.0)
    async with running(home.server, Listener()) as client:
        errors: list[int] = []

        @client.tree.command(name="slow", description="Answers too late")
        async def slow(interaction: discord.Interaction) -> None:
            try:
                await interaction.response.defer()
            except discord.NotFound as error:
                errors.append(error.code)
            client.tell("tried")

        await client.tree.sync()
        used = await home.server.slash(home.ann, home.dm, "slow")
        await client.until("tried")
    assert errors == [10062]
    assert not used.acknowledged
