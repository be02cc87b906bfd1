"""The help of commands' first words in other languages, for menus that show each person's own: `menu.yaml`, read."""

from collections.abc import Mapping
from pathlib import Path

import yaml

REMEMBER_THIS, FORGET_THIS, WHY_THIS = "Remember this", "Forget this", "Why?"
"""In the menu of a message, on Discord."""

HELPS: Mapping[str, Mapping[str, str]] = yaml.load(
    Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)
"""Language code → first word → its help. English is in the catalogue."""
