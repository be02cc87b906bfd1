"""What an erasure did, in words."""

from bot.domain import Receipt
from bot.texts import commands, forgetting
from bot.texts import privacy as texts
from bot.usecases.kept import Kept
from bot.usecases.markup import joined, plain


async def receipts_of(person: str, limit: int, kept: Kept) -> list[Receipt]:
    """Those of all identities of a person, the latest first."""
    ids = await kept.identities.of(person)
    found = {one.id: one for speaker in ids for one in await kept.erasures.receipts(speaker, limit)}
    return [found[key] for key in sorted(found, reverse=True)][:limit]


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
    counts, day = plain(texts.went(receipt.counts)), commands.day(receipt.asked)
    return texts.RECEIPT_LINE.format(number=receipt.id, day=day, counts=counts, state=state_of(receipt))


def state_of(receipt: Receipt) -> str:
    """In a few words, whether anything is left."""
    if receipt.done is None:
        return texts.SHORT_NOT_DONE
    if receipt.found is None:
        return forgetting.SHORT_NOT_LOOKED_FOR
    return texts.SHORT_FOUND if receipt.found else texts.SHORT_VERIFIED
