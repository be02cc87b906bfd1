"""`/memory forget`: what would go is shown first, and goes when the person who was asked says so.

What somebody can have erased is what they said themselves, on any of their platforms, and what comes from it. An entry
stands for the words of theirs that it was made of. Whose words others' are is never told.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta

from bot.config import Settings
from bot.domain import Answer, Asker, Call, Choice, ErasurePreview, ErasureReason, Receipt, Selection, Utterance
from bot.ports import Clock
from bot.texts import commands
from bot.texts import forgetting as texts
from bot.texts.commands import counted
from bot.usecases.calls import button, buttons
from bot.usecases.choosing import Choosing, Chosen
from bot.usecases.entries import Entry, line_of, quote_of
from bot.usecases.kept import Erasing, Kept
from bot.usecases.markup import cut, joined, plain
from bot.usecases.memory import SUGGESTED, Memories

QUOTED = 8
"""Messages that a preview shows; the others are counted."""
CLOSE_SHOWN = 8
IN_A_ROW = 4
RECEIPT_WAIT_S = 15.0
"""How long an answer waits for the files to be rewritten; a platform waits no longer for a button's answer."""
LONGEST_ECHO = 80
FORGET = "memory forget"


class Forgetting:
    """Both steps of `/memory forget`."""

    def __init__(self, *, memories: Memories, kept: Kept, eraser: Erasing, clock: Clock, settings: Settings) -> None:
        self._memories = memories
        self._choosing = Choosing(memories=memories, kept=kept, clock=clock)
        self._kept = kept
        self._eraser = eraser
        self._clock = clock
        self._settings = settings

    async def forget(self, call: Call, asker: Asker) -> Answer:
        """`/memory forget`: a menu, the preview of what would go, or the erasure itself. Raises StorageError only."""
        step, token = call.get("step"), call.get("token")
        if step:
            return await self._answered(token, asker, yes=step == "yes")
        what = " ".join(call.get("what").split())
        if not what:
            return _menu()
        chosen = await self._choosing.choose(what, asker)
        if chosen.everything:
            return await self._preview_all(asker)
        if not chosen.utterances:
            return await self._nothing(chosen, what)
        return await self._preview(chosen, asker)

    async def suggest(self, typed: str, asker: Asker) -> list[tuple[str, str]]:
        """What can be named, as (label, value): the menu's, then entries. Raises StorageError only."""
        wanted = typed.strip().casefold()
        offered = [(label, what) for label, what in _offered() if wanted in f"{label} {what}".casefold()]
        return [*offered, *await self._memories.suggest(typed, asker)][:SUGGESTED]

    async def _preview(self, chosen: Chosen, asker: Asker) -> Answer:
        """What would go, in the asker's own words, and the question whether it shall."""
        selection = Selection(utterances=chosen.utterances)
        preview = await self._kept.erasures.preview(selection, asker.speaker.id)
        first = await self._kept.utterances.get(chosen.utterances[:QUOTED])
        lines = [
            texts.PREVIEW.format(messages=f"**{texts.messages(len(chosen.utterances))}**"),
            *await self._quotes(first, len(chosen.utterances)),
            *([texts.FORMER_TOO.format(values=counted(chosen.former, "former value"))] if chosen.former else []),
            *_along(preview),
            f"{texts.NOT_UNDONE.format(minutes=self._minutes())} {texts.ON_PLATFORM}",
        ]
        if chosen.close:
            lines += [texts.ALSO_CLOSE, *await self._close(chosen.close)]
        rows = await self._question(selection, asker), *_entry_rows(chosen.close)
        return Answer(joined(lines), choices=buttons(*rows))

    async def _preview_all(self, asker: Asker) -> Answer:
        """The same for everything that the asker ever said, on all platforms."""
        ids = await self._memories.ids(asker)
        selection = Selection(people=tuple(sorted(ids)))
        preview = await self._kept.erasures.preview(selection, asker.speaker.id)
        lines = [
            texts.ALL_OF_IT.format(messages=texts.messages(preview.utterances)),
            *_along(preview),
            texts.NOT_UNDONE.format(minutes=self._minutes()),
            texts.OTHERS_STAY,
            texts.ALL_LATER.format(days=counted(self._settings.backup.keep_days, "day")),
        ]
        first = [button(texts.EXPORT_FIRST, "memory export")]
        return Answer(joined(lines), choices=buttons(await self._question(selection, asker), first))

    async def _nothing(self, chosen: Chosen, what: str) -> Answer:
        """That no words were found, and which entries may be meant."""
        if not chosen.close:
            return Answer(chosen.why_nothing)
        shown = plain(cut(what, LONGEST_ECHO))
        lines = [texts.FOUND_CLOSE.format(words=shown), *await self._close(chosen.close)]
        return Answer(joined(lines), choices=buttons(*_entry_rows(chosen.close)))

    async def _question(self, selection: Selection, asker: Asker) -> list[Choice]:
        until = self._clock.now() + timedelta(minutes=self._settings.privacy.confirm_minutes)
        token = await self._kept.confirmations.ask(asker.speaker.id, selection, until)
        answers = ((texts.ERASE, "yes"), (texts.KEEP, "no"))
        return [button(label, FORGET, step=step, token=token) for label, step in answers]

    async def _answered(self, token: str, asker: Asker, *, yes: bool) -> Answer:
        """The second step: only by the person who was asked, once, and in time; and only of what is theirs still."""
        asked = await self._kept.confirmations.peek(token, self._clock.now())
        if asked is None:
            return Answer(texts.OVER)
        ids = await self._memories.ids(asker)
        if asked[0] not in ids:
            return Answer(texts.NOT_YOURS)
        if not yes:
            return Answer(texts.KEPT if await self._kept.confirmations.drop(token, asker.speaker.id) else texts.OVER)
        if not ids.issuperset(asked[1].people):  # looked at here too: the journal notes people before they are erased
            await self._kept.confirmations.drop(token, asker.speaker.id)
            return Answer(texts.OVER)
        erased = await self._eraser.erase(asked[1], ErasureReason.ASKED, asker.speaker.id, token)
        if not erased.erasure_id:
            return Answer(texts.OVER)
        receipt = await self._eraser.complete(erased.erasure_id, RECEIPT_WAIT_S)
        done = receipt is not None and receipt.done is not None
        said = gone(receipt) if receipt is not None and done else texts.REWRITING.format(id=erased.erasure_id)
        return Answer(joined([said, *([texts.OTHERS_STAY] if asked[1].people else [])]))

    async def _quotes(self, said: Sequence[Utterance], count: int) -> list[str]:
        """The asker's own words, with day and place; the rest is counted."""
        names = await self._kept.utterances.place_names(list({one.place for one in said}))
        lines = [_quote(one, names.get(one.place, "")) for one in said]
        return [*lines, f"> {texts.MORE.format(count=count - len(said))}"] if count > len(said) else lines

    async def _close(self, entries: Sequence[Entry]) -> list[str]:
        names = await self._memories.names(entries[:CLOSE_SHOWN])
        return [line_of(entry, names) for entry in entries[:CLOSE_SHOWN]]

    def _minutes(self) -> str:
        return commands.span(timedelta(minutes=self._settings.privacy.confirm_minutes))


def gone(receipt: Receipt) -> str:
    """What an erasure that is finished did, and whether anything of it was found afterwards; not always nothing."""
    what = texts.told(dict(receipt.counts))
    first = texts.GONE.format(what=what) if what else texts.GONE_ALREADY
    if receipt.found is None:
        return f"{first} {texts.NOT_LOOKED_FOR} {texts.RECEIPT.format(id=receipt.id)}"
    if receipt.found:
        places = counted(receipt.found, "place")
        return f"{first} {texts.STILL_FOUND.format(places=places, id=receipt.id)}"
    return f"{first} {texts.VERIFIED.format(id=receipt.id)}"


def _offered() -> tuple[tuple[str, str], ...]:
    """What the menu offers: labels, and what they stand for."""
    return (texts.LAST, "last"), (texts.TODAY, "today"), (texts.EVERYTHING, "everything")


def _menu() -> Answer:
    row = [button(label, FORGET, what=what) for label, what in _offered()]
    return Answer(texts.MENU, choices=buttons(row, [button(commands.LOOK, "memory list")]))


def _along(preview: ErasurePreview) -> list[str]:
    """What goes with the messages; nothing where nothing does."""
    lines: list[str] = []
    if preview.replies:
        lines.append(texts.ALONG.format(what=counted(preview.replies, "reply of mine", "replies of mine")))
    if anew := texts.told({"events": len(preview.events), "traits": len(preview.traits)}):
        lines.append(texts.ANEW.format(what=anew[:1].upper() + anew[1:]))
    return lines


def _quote(said: Utterance, place_name: str) -> str:
    where = commands.where(private=said.place.dm_person is not None, name=plain(place_name))
    return f"{quote_of(said)} *({commands.day(said.time)}, {where})*"


def _entry_rows(entries: Collection[Entry]) -> list[list[Choice]]:
    """Buttons that show what would go with each of these entries."""
    row = [button(entry.code, FORGET, what=entry.code) for entry in list(entries)[:CLOSE_SHOWN]]
    return [row[:IN_A_ROW], row[IN_A_ROW:]]
