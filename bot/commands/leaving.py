"""What both `bot chat` and `bot run` do before they close: background work gets a moment, and what waits is said."""

from collections.abc import Callable

from bot.app.app import App
from bot.texts.commands import left_waiting

LEAVING_S = 5.0
"""How long leaving waits for what was told to be worked through."""


async def leave(app: App, tell: Callable[[str], None]) -> None:
    """Works on for so long at most, and tells how much is left for the next start, if anything. Raises StorageError."""
    if left := await app.finish_work(LEAVING_S):
        tell(left_waiting(left))
