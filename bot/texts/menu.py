"""The help of commands' first words in other languages, for menus that show each person's own: `menu.yaml`, read."""

from collections.abc import Mapping

from bot.texts.beside import read_beside

REMEMBER_THIS, FORGET_THIS, WHY_THIS = "Remember this", "Forget this", "Why?"
"""In the menu of a message, on Discord."""

HELPS: Mapping[str, Mapping[str, str]] = read_beside(__file__)
"""Language code → first word → its help. English is in the catalogue."""
