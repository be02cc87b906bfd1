"""Buttons on Discord: as much of a reply's or an answer's choices as one message can carry."""

from collections.abc import Callable, Sequence
from typing import Any

import discord

from bot.domain import Choice
from bot.usecases import calls

MAX_ROWS = 5
MAX_IN_ROW = 5
MAX_LABEL = 80


def rows_of(choices: Sequence[Sequence[Choice]]) -> list[list[tuple[str, str]]]:
    """Rows of (label, custom id): the id is the call, by which `CallButton` knows it when somebody presses it.

    Discord refuses two buttons with the same id, and they would do the same: the first one stays.
    """
    seen = set[str]()
    rows = list[list[tuple[str, str]]]()
    for row in choices[:MAX_ROWS]:
        shown = list[tuple[str, str]]()
        for choice in row[:MAX_IN_ROW]:
            custom_id = calls.encode(choice.call) if calls.fits(choice.call) else ""
            if custom_id and custom_id not in seen:
                seen.add(custom_id)
                shown.append((choice.label[:MAX_LABEL], custom_id))
        rows.append(shown)
    return [row for row in rows if row]


def view_of(
    choices: Sequence[Sequence[Choice]], button: Callable[..., discord.ui.Item[Any]] = discord.ui.Button
) -> discord.ui.View | None:
    """The buttons under a message, each a `button`: a plain one where it answers no interaction. None without any."""
    view = discord.ui.View(timeout=None)
    for number, row in enumerate(rows_of(choices)):
        for label, custom_id in row:
            view.add_item(button(label=label, custom_id=custom_id, row=number))
    return view if view.children else None
