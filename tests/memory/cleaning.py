"""Files that follow erasures at once, in tests."""

from __future__ import annotations

import asyncio

from bot.memory.eraser import Eraser


async def clean_now(eraser: Eraser, timeout_s: float) -> bool:
    """Has the files follow all erasures so far; False when that takes longer or fails: it is done later then."""
    try:
        async with asyncio.timeout(timeout_s):
            looked = False
            while await _is_left(eraser, looked=looked):
                if not await asyncio.shield(eraser._clean_soon()):
                    return False
                looked = True
    except TimeoutError:
        return False
    return True


async def _is_left(eraser: Eraser, *, looked: bool) -> bool:
    """Whether the files have not followed an erasure yet; one after which something was found is tried again later."""
    for key, _ in await eraser.erasures.unfinished():
        receipt = await eraser.erasures.receipt(key)
        tried = receipt is not None and receipt.done is not None and (looked or key in eraser._traces)
        if not tried:
            return True
    return False
