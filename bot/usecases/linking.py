"""One person on two platforms: a code is shown on one, and typed on the other."""

import secrets
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from bot.domain import Answer, Asker, Call
from bot.ports import Clock, Identities, Link
from bot.texts import privacy as texts
from bot.texts.commands import listed
from bot.usecases.calls import button, buttons
from bot.usecases.markup import joined, plain

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without 0 and O, 1, I and L, which look alike."""
LENGTH = 8
VALID = timedelta(minutes=10)
MOST_WRONG = 5
"""Wrong codes of one identity within `VALID`; then it is not even looked whether the next is right."""

OUTCOMES = {
    Link.WRONG: texts.LINK_WRONG,
    Link.OWN: texts.LINK_OWN,
    Link.KNOWN: texts.LINK_KNOWN,
    Link.TAKEN: texts.LINK_TAKEN,
}


class Linking:
    """`/link` and `/unlink`. `on_change` hears of every identity whose decisions or links may have changed."""

    def __init__(self, *, identities: Identities, clock: Clock, on_change: Callable[[str], None]) -> None:
        self._identities = identities
        self._clock = clock
        self._on_change = on_change
        self._wrong: dict[str, list[datetime]] = {}

    async def link(self, call: Call, asker: Asker) -> Answer:
        """`/link` shows a code, `/link CODE` takes one. For the asker alone, wherever they are."""
        if typed := call.get("code"):
            return await self._take(_normal(typed), asker)
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        await self._identities.offer(asker.speaker.id, code, self._clock.now() + VALID)
        shown = texts.LINK_CODE.format(code=f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}")
        known = await self._identities.of(asker.speaker.id)
        if len(known) == 1:
            return Answer(shown)
        linked = texts.LINKED_WITH.format(platforms=_platforms(known))
        return Answer(joined([linked, shown]), choices=buttons([button(texts.UNLINK, "unlink")]))

    async def unlink(self, _call: Call, asker: Asker) -> Answer:
        """`/unlink`: parts all identities of the asker. One step, because nothing is erased by it."""
        others = await self._identities.unlink(asker.speaker.id)
        if not others:
            return Answer(texts.NOT_LINKED, choices=buttons([button("/link", "link")]))
        parted = {asker.speaker.id, *others}
        self._tell(parted)
        return Answer(texts.UNLINKED.format(platforms=_platforms(parted)))

    async def _take(self, code: str, asker: Asker) -> Answer:
        speaker, now = asker.speaker.id, self._clock.now()
        lately = {who: [time for time in times if time > now - VALID] for who, times in self._wrong.items()}
        self._wrong = {who: times for who, times in lately.items() if times}
        if len(self._wrong.get(speaker, ())) >= MOST_WRONG:
            return Answer(texts.LINK_TOO_OFTEN)
        # Counted before it is known whether it is wrong: else many at once would all be looked at.
        self._wrong.setdefault(speaker, []).append(now)
        outcome, person = await self._identities.link(speaker, code, now)
        if outcome is not Link.WRONG:
            self._wrong[speaker].remove(now)
        if outcome is not Link.LINKED:
            return Answer(OUTCOMES[outcome])
        self._tell(person)
        how_long = button(texts.HOW_LONG, "privacy keep")
        return Answer(texts.LINK_DONE.format(platforms=_platforms(person)), choices=buttons([how_long]))

    def _tell(self, person: Iterable[str]) -> None:
        for speaker in sorted(person):
            self._on_change(speaker)


def _normal(typed: str) -> str:
    """A code as it was made: people type small letters, spaces and dashes."""
    return "".join(mark for mark in typed.upper() if mark.isalnum())


def _platforms(person: Iterable[str]) -> str:
    return listed([plain(one.partition(":")[0].capitalize()) for one in sorted(person)])
