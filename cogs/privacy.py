"""`/privacy policy`, `consent`, `pause`, `keep`, `channel`, `country` and `receipt`.

Discord limits whole groups to servers, and no single command: in a DM the use case refuses `/privacy channel`.
"""

from __future__ import annotations

from typing import TypeAlias

from discord import app_commands
from discord.ext import commands

from bot.usecases.catalogue import GROUPS
from cogs.asking import Interaction, ask, choices_of, help_of, parameters_of

Days: TypeAlias = app_commands.Range[str, 1, 10]
Country: TypeAlias = app_commands.Range[str, 2, 4]
Number: TypeAlias = app_commands.Range[int, 1, 1_000_000_000]


class Privacy(commands.GroupCog, group_name="privacy", group_description=GROUPS["privacy"]):
    """What may be kept of the one who asks."""

    @app_commands.command(description=help_of("privacy policy"))
    async def policy(self, interaction: Interaction) -> None:
        """What I keep, and how it goes."""
        await ask(interaction, "privacy policy")

    @app_commands.command(description=help_of("privacy consent"))
    @app_commands.describe(**parameters_of("privacy consent"))
    @app_commands.choices(answer=choices_of("privacy consent", "answer"))
    async def consent(self, interaction: Interaction, answer: str | None = None) -> None:
        """Whether I may remember you."""
        await ask(interaction, "privacy consent", answer=answer)

    @app_commands.command(description=help_of("privacy pause"))
    @app_commands.describe(**parameters_of("privacy pause"))
    @app_commands.choices(state=choices_of("privacy pause", "state"))
    async def pause(self, interaction: Interaction, state: str | None = None) -> None:
        """Nothing is remembered for a while."""
        await ask(interaction, "privacy pause", state=state)

    @app_commands.command(description=help_of("privacy keep"))
    @app_commands.describe(**parameters_of("privacy keep"))
    async def keep(self, interaction: Interaction, days: Days | None = None) -> None:
        """For how long I keep what you say."""
        await ask(interaction, "privacy keep", days=days)

    @app_commands.command(description=help_of("privacy channel"))
    @app_commands.describe(**parameters_of("privacy channel"))
    @app_commands.choices(state=choices_of("privacy channel", "state"))
    async def channel(self, interaction: Interaction, state: str | None = None) -> None:
        """Whether I read you here."""
        await ask(interaction, "privacy channel", state=state)

    @app_commands.command(description=help_of("privacy country"))
    @app_commands.describe(**parameters_of("privacy country"))
    async def country(self, interaction: Interaction, country: Country | None = None) -> None:
        """Where you live."""
        await ask(interaction, "privacy country", country=country)

    @app_commands.command(description=help_of("privacy receipt"))
    @app_commands.describe(**parameters_of("privacy receipt"))
    async def receipt(self, interaction: Interaction, number: Number | None = None) -> None:
        """What was erased."""
        await ask(interaction, "privacy receipt", number=number)

    @app_commands.command(description=help_of("privacy age"))
    @app_commands.describe(**parameters_of("privacy age"))
    @app_commands.choices(age=choices_of("privacy age", "age"))
    async def age(self, interaction: Interaction, age: str | None = None) -> None:
        """Whether you are under 18."""
        await ask(interaction, "privacy age", age=age)
