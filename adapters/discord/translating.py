"""The helps of the slash commands, and the names in the menu of a message, in the languages of `bot/texts`."""

from typing import Any

from discord import Locale, app_commands

from bot.texts.translating import translated

MAX_HELP = 100

_PLACES = app_commands.TranslationContextLocation
_TRANSLATED = {_PLACES.command_description, _PLACES.group_description, _PLACES.parameter_description}


class Translations(app_commands.Translator):
    """Names of slash commands stay: the pages, and what people tell each other, speak of these."""

    async def translate(
        self, string: app_commands.locale_str, locale: Locale, context: app_commands.TranslationContext[Any, Any]
    ) -> str | None:
        """What Discord shows to whoever has this language; None: as it is in English."""
        in_menu = context.location is _PLACES.command_name and isinstance(context.data, app_commands.ContextMenu)
        if context.location not in _TRANSLATED and not in_menu:
            return None
        found = translated(string.message, locale.value.partition("-")[0])
        return found if found and len(found) <= MAX_HELP else None
