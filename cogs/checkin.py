"""`/checkin`: when the companion writes first. For everybody in their own name; two for the owner.

Discord hides whole groups, and no single command: that `queue` and `hold` are for the owner, the use case checks.
"""

from __future__ import annotations

from typing import TypeAlias

from discord import app_commands
from discord.ext import commands

from bot.usecases.catalogue import GROUPS
from cogs.asking import Interaction, ask, choices_of, help_of, parameters_of

Words: TypeAlias = app_commands.Range[str, 1, 100]
Number: TypeAlias = app_commands.Range[int, 1, 1_000_000_000]


class CheckIns(commands.GroupCog, group_name="checkin", group_description=GROUPS["checkin"]):
    """When I write to you first."""

    @app_commands.command(description=help_of("checkin on"))
    async def on(self, interaction: Interaction) -> None:
        """Let me write first."""
        await ask(interaction, "checkin on")

    @app_commands.command(description=help_of("checkin off"))
    async def off(self, interaction: Interaction) -> None:
        """I do not write first any more."""
        await ask(interaction, "checkin off")

    @app_commands.command(description=help_of("checkin show"))
    async def show(self, interaction: Interaction) -> None:
        """What you chose, and what comes."""
        await ask(interaction, "checkin show")

    @app_commands.command(description=help_of("checkin timezone"))
    @app_commands.describe(**parameters_of("checkin timezone"))
    async def timezone(self, interaction: Interaction, place: Words | None = None) -> None:
        """Whose clock I go by."""
        await ask(interaction, "checkin timezone", place=place)

    @app_commands.command(description=help_of("checkin times"))
    @app_commands.describe(**parameters_of("checkin times"))
    async def times(self, interaction: Interaction, times: Words | None = None) -> None:
        """At which times of day."""
        await ask(interaction, "checkin times", times=times)

    @app_commands.command(description=help_of("checkin days"))
    @app_commands.describe(**parameters_of("checkin days"))
    async def days(self, interaction: Interaction, days: Words | None = None) -> None:
        """On which days."""
        await ask(interaction, "checkin days", days=days)

    @app_commands.command(description=help_of("checkin quiet"))
    @app_commands.describe(**parameters_of("checkin quiet"))
    async def quiet(self, interaction: Interaction, hours: Words | None = None) -> None:
        """Between which times nothing comes."""
        await ask(interaction, "checkin quiet", hours=hours)

    @app_commands.command(description=help_of("checkin often"))
    @app_commands.describe(**parameters_of("checkin often"))
    async def often(self, interaction: Interaction, days: Words | None = None) -> None:
        """How often."""
        await ask(interaction, "checkin often", days=days)

    @app_commands.command(description=help_of("checkin pause"))
    @app_commands.describe(**parameters_of("checkin pause"))
    async def pause(self, interaction: Interaction, span: Words | None = None) -> None:
        """Nothing for a while."""
        await ask(interaction, "checkin pause", span=span)

    @app_commands.command(description=help_of("checkin why"))
    @app_commands.describe(**parameters_of("checkin why"))
    async def why(self, interaction: Interaction, number: Number | None = None) -> None:
        """Which words of yours it comes from."""
        await ask(interaction, "checkin why", number=number)

    @app_commands.command(description=help_of("checkin snooze"))
    async def snooze(self, interaction: Interaction) -> None:
        """Not now."""
        await ask(interaction, "checkin snooze")

    @app_commands.command(description=help_of("checkin less"))
    async def less(self, interaction: Interaction) -> None:
        """Less often."""
        await ask(interaction, "checkin less")

    @app_commands.command(description=help_of("checkin queue"))
    async def queue(self, interaction: Interaction) -> None:
        """What is planned, for the owner."""
        await ask(interaction, "checkin queue")

    @app_commands.command(description=help_of("checkin hold"))
    @app_commands.describe(**parameters_of("checkin hold"))
    @app_commands.choices(state=choices_of("checkin hold", "state"))
    async def hold(self, interaction: Interaction, state: str | None = None) -> None:
        """Stops all of them, for the owner."""
        await ask(interaction, "checkin hold", state=state)
