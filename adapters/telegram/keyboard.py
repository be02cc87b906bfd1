"""Buttons on Telegram: inline keyboards of a reply's or an answer's choices."""

from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.domain import Choice
from bot.usecases import calls

MAX_LABEL = 64


def keyboard_of(choices: Sequence[Sequence[Choice]]) -> InlineKeyboardMarkup | None:
    """The buttons, each with the command that it stands for; None without any."""
    rows = [
        [
            InlineKeyboardButton(choice.label[:MAX_LABEL], callback_data=calls.encode(choice.call))
            for choice in row
            if calls.fits(choice.call)
        ]
        for row in choices
    ]
    rows = [row for row in rows if row]
    return InlineKeyboardMarkup(rows) if rows else None
