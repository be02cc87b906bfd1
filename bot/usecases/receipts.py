"""What an erasure did, in words. Pure."""

from __future__ import annotations

from bot.domain import Receipt
from bot.texts import commands, forgetting
from bot.texts import privacy as texts
from bot.usecases.markup import joined, plain


def whole(receipt: Receipt) -> str:
    """All that it says."""
    if receipt.done is None:
        state = texts.NOT_DONE
    elif receipt.found is None:
        state = forgetting.NOT_LOOKED_FOR
    elif receipt.found:
        state = texts.STILL_FOUND.format(places=commands.counted(receipt.found, "place"))
    else:
        state = texts.VERIFIED
    title = texts.RECEIPT_TITLE.format(
        number=receipt.id, day=commands.day(receipt.asked), reason=texts.REASONS[receipt.reason]
    )
    return joined([title, texts.RECEIPT_COUNTS.format(counts=plain(texts.went(receipt.counts))), state])


def in_short(receipt: Receipt) -> str:
    """One line of a list."""
    if receipt.done is None:
        state = texts.SHORT_NOT_DONE
    elif receipt.found is None:
        state = forgetting.SHORT_NOT_LOOKED_FOR
    else:
        state = texts.SHORT_FOUND if receipt.found else texts.SHORT_VERIFIED
    counts = plain(texts.went(receipt.counts))
    return texts.RECEIPT_LINE.format(number=receipt.id, day=commands.day(receipt.asked), counts=counts, state=state)
