"""Files that follow erasures at once, in tests."""

from __future__ import annotations

import asyncio

from bot.memory.eraser import Eraser


async def clean_now(eraser: Eraser, timeout_s: float) -> bool:
    """Has the files follow all erasures so far; False when that takes longer or fails: it is done later then."""
    try:
        async with asyncio.timeout(timeout_s):
            while {key for key, _ in await eraser.erasures.unfinished()} - eraser._found:
                if not await asyncio.shield(eraser._clean_soon()):
                    return False
    except TimeoutError:
        return False
    return True
