"""`/memory list`, `search`, `why`, `timeline`, `forget`, `correct`, `undo` and `export`."""

from __future__ import annotations

from typing import TypeAlias

from discord import app_commands
from discord.ext import commands

from bot.usecases.catalogue import GROUPS
from cogs.asking import Interaction, ask, choices_of, help_of, parameters_of, suggest

Page: TypeAlias = app_commands.Range[int, 1, 10_000]
Words: TypeAlias = app_commands.Range[str, 1, 200]
Entry: TypeAlias = app_commands.Range[str, 1, 20]
Telling: TypeAlias = app_commands.Range[str, 1, 300]
DARK = "dark"


class Memory(commands.GroupCog, group_name="memory", group_description=GROUPS["memory"]):
    """What the companion knows of the one who asks."""

    @app_commands.command(name="list", description=help_of("memory list"))
    @app_commands.describe(**parameters_of("memory list"))
    async def list_all(self, interaction: Interaction, page: Page | None = None) -> None:
        """What I know of you."""
        await ask(interaction, "memory list", page=page)

    @app_commands.command(description=help_of("memory search"))
    @app_commands.describe(**parameters_of("memory search"))
    async def search(self, interaction: Interaction, words: Words, page: Page | None = None) -> None:
        """Looks for something in it."""
        await ask(interaction, "memory search", words=words, page=page)

    @app_commands.command(description=help_of("memory why"))
    @app_commands.describe(entry=parameters_of("memory why")["entry"])
    async def why(self, interaction: Interaction, entry: str | None = None) -> None:
        """Where my last reply, or an entry, comes from."""
        await ask(interaction, "memory why", entry=entry)

    @why.autocomplete("entry")
    async def entries(self, interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """The asker's own entries."""
        return await suggest(interaction, "memory why", "entry", typed)

    @app_commands.command(description=help_of("memory timeline"))
    @app_commands.describe(**parameters_of("memory timeline"))
    @app_commands.choices(look=choices_of("memory timeline", "look"))
    async def timeline(
        self, interaction: Interaction, words: Words | None = None, page: Page | None = None, look: str = DARK
    ) -> None:
        """What happened to the asker, in order. Dark, as Discord is for most, unless they choose."""
        await ask(interaction, "memory timeline", words=words, page=page, look=look)

    @app_commands.command(description=help_of("memory remember"))
    @app_commands.describe(words=parameters_of("memory remember")["words"])
    async def remember(self, interaction: Interaction, words: Telling | None = None) -> None:
        """Something that the asker says of themselves."""
        await ask(interaction, "memory remember", words=words)

    @app_commands.command(description=help_of("memory forget"))
    @app_commands.describe(what=parameters_of("memory forget")["what"])
    async def forget(self, interaction: Interaction, what: Words | None = None) -> None:
        """Shows what would be erased. That it is done is the business of the buttons under the answer."""
        await ask(interaction, "memory forget", what=what)

    @forget.autocomplete("what")
    async def forgettable(self, interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """What can be erased."""
        return await suggest(interaction, "memory forget", "what", typed)

    @app_commands.command(description=help_of("memory correct"))
    @app_commands.describe(**parameters_of("memory correct"))
    async def correct(self, interaction: Interaction, entry: Entry, words: Telling | None = None) -> None:
        """How an entry really is; without words, a form asks for them."""
        await ask(interaction, "memory correct", entry=entry, words=words)

    @correct.autocomplete("entry")
    async def correctable(self, interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """What can be corrected."""
        return await suggest(interaction, "memory correct", "entry", typed)

    @app_commands.command(description=help_of("memory undo"))
    async def undo(self, interaction: Interaction) -> None:
        """The last correction, taken back."""
        await ask(interaction, "memory undo")

    @app_commands.command(description=help_of("memory export"))
    async def export(self, interaction: Interaction) -> None:
        """All of it, to take along."""
        await ask(interaction, "memory export")
