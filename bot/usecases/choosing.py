"""Which of their own utterances somebody means: by an entry, a check-in, a time, words, "last" or "everything".

Words choose the utterances that hold them all, and those behind the traits that do; what is only close in meaning, or
stands in a summary that others had a part in, is offered and not chosen.
"""

import re
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from bot.domain import Asker, Place, PlaceKind
from bot.language.grounding import stem
from bot.language.timewords import Span, span_of
from bot.ports import Clock
from bot.texts import commands
from bot.texts import forgetting as texts
from bot.usecases.checkins_made import origin_of
from bot.usecases.entries import Entry
from bot.usecases.exported import place_of
from bot.usecases.intents import ALL_WISHES, LAST_WISHES, SMALL_WORDS, forget_wish
from bot.usecases.kept import Kept
from bot.usecases.markup import cut, plain
from bot.usecases.memory import LONGEST_QUERY, Memories

HERE = "here"
"""The channel where it is asked, with its threads; a place's key says the same anywhere."""
PAGE = 2000
"""Utterances read at once."""
LAST_LOOKED_AT = 20
"""How far back "the last thing I said" is looked for, behind requests to forget it."""

_CODES = re.compile(r"[te]\d{1,9}(?:(?:\s*,\s*|\s+)[te]\d{1,9})*|#\d{1,18}|c\d{1,9}")
"""Entries; or one message, by the id of its utterance, or the words that a check-in came from: a button says so."""
_CODE = re.compile(r"[tec#]\d+")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What somebody means. Without utterances, `why_nothing` says why, in words for them."""

    utterances: tuple[int, ...] = ()
    """Ids of their own utterances, oldest first."""
    close: tuple[Entry, ...] = ()
    """Entries that they may mean too; nothing of these is chosen."""
    former: int = 0
    """How many former values of the chosen entries go with them."""
    everything: bool = False
    why_nothing: str = ""


class Choosing:
    """Finds what a person wants forgotten, among what that person said."""

    def __init__(self, *, memories: Memories, kept: Kept, clock: Clock) -> None:
        self._memories = memories
        self._kept = kept
        self._clock = clock

    async def choose(self, what: str, asker: Asker) -> Chosen:
        """What `what` stands for when the asker says it where they are. Raises StorageError only."""
        what = forget_wish(f"forget {what}") or what
        ids, plainly = await self._memories.ids(asker), what.casefold().strip(" .!?\"'“”")
        if plainly in ALL_WISHES:
            return Chosen(everything=True)
        if plainly in LAST_WISHES:
            return await self._last(asker, ids)
        place = asker.place if what.casefold() == HERE else place_of(what)
        if place is not None:
            return await self._within(ids, place=place)
        if _CODES.fullmatch(plainly):
            return await self._of_codes(_CODE.findall(plainly), asker, ids)
        if (span := span_of(plainly, self._clock.now())) is not None:
            return await self._within(ids, span)
        return await self._of_words(what, asker, ids)

    async def _last(self, asker: Asker, ids: Collection[str]) -> Chosen:
        """The last thing they said: in the channel where they ask, else anywhere. The request itself is not meant.

        Not their DM alone: what is asked in a channel may be answered, and its buttons pressed, in the DM.
        """
        channel = asker.place if asker.place.kind is PlaceKind.CHANNEL else None
        for place in dict.fromkeys((channel, None)):
            latest = await self._kept.exports.last_said(ids, place, LAST_LOOKED_AT)
            meant = next((one.id for one in latest if forget_wish(one.text) is None), None)
            if meant is not None:
                return Chosen((meant,))
        return Chosen(why_nothing=texts.NOTHING_LAST)

    async def _within(self, ids: Collection[str], span: Span | None = None, place: Place | None = None) -> Chosen:
        found = [key async for key, _ in self._said(ids, span, place)]
        return Chosen(tuple(found), why_nothing=texts.NOTHING_THEN if place is None else texts.NOTHING_THERE)

    async def _of_codes(self, codes: Sequence[str], asker: Asker, ids: Collection[str]) -> Chosen:
        """Their own words behind these entries and what was true before them.

        Behind superseded ones too, which stand in no list by themselves; what was before these is not meant. For an
        entry that was never there and for one of somebody else the answer is the same.
        """
        if codes[0].startswith("c"):
            return await self._of_checkin(int(codes[0][1:]), ids)
        if codes[0].startswith("#"):
            return Chosen(tuple(await self._own([int(codes[0][1:])], ids)), why_nothing=texts.NOTHING_BEHIND)
        wanted = dict.fromkeys(codes)
        entries = [entry for entry in await self._memories.known(asker) if entry.code in wanted]
        known = {entry.code: entry.sources for entry in entries}
        before = [one for former in (await self._memories.former(entries, asker)).values() for one in former]
        chosen = {*await self._own([key for one in before for key in one.sources], ids)}
        for code in wanted:
            sources = known[code] if code in known else await self._set_aside(code, ids)
            own = await self._own(sources, ids)
            if not own:
                nothing = texts.NO_WORDS_OF_YOURS.format(code=code) if code in known else commands.UNKNOWN_ENTRY
                return Chosen(why_nothing=nothing)
            chosen.update(own)
        return Chosen(tuple(sorted(chosen)), former=len(before))

    async def _of_checkin(self, number: int, ids: Collection[str]) -> Chosen:
        """Their own words that a check-in to them came from."""
        origin = await origin_of(number, ids, self._kept)
        own = tuple(one.id for one in origin.sources) if origin is not None else ()
        return Chosen(own, why_nothing=texts.NOTHING_BEHIND)

    async def _set_aside(self, code: str, ids: Collection[str]) -> Sequence[int]:
        """The sources of an entry that is on no list: only the asker's own ones among them are ever used."""
        number = int(code[1:])
        if code[0] == "t":
            return next((one.sources for one in await self._kept.exports.traits_of(ids) if one.id == number), ())
        return next((one.sources for one in await self._kept.events.get([number])), ())

    async def _of_words(self, query: str, asker: Asker, ids: Collection[str]) -> Chosen:
        wanted = _wanted(query)
        said = {key: text async for key, text in self._said(ids) if _holds(text, wanted)}
        known = await self._memories.known(asker)
        exact = [entry for entry in known if _holds(entry.text, wanted)]
        chosen = {*said, *await self._own([key for entry in exact if entry.speaker_id for key in entry.sources], ids)}
        if all(forget_wish(said.get(key, "")) is not None for key in chosen):
            chosen.clear()  # nothing but the request itself
        others = [entry for entry in known if entry not in exact]
        close = [*exact, *(await self._memories.close(query, others) or ())]
        own = set(await self._own([key for entry in close for key in entry.sources], ids))
        offered = [entry for entry in close if own & set(entry.sources) and not chosen & set(entry.sources)]
        nothing = texts.NOTHING_FOUND.format(words=plain(cut(query, LONGEST_QUERY)))
        return Chosen(tuple(sorted(chosen)), tuple(offered), why_nothing=nothing)

    async def _own(self, sources: Sequence[int], ids: Collection[str]) -> list[int]:
        return [one.id for one in await self._kept.utterances.get(sources) if one.speaker.id in ids]

    async def _said(
        self, ids: Collection[str], span: Span | None = None, place: Place | None = None
    ) -> AsyncIterator[tuple[int, str]]:
        """All that they said in this span of time, there, as (id, text)."""
        since, before = span or (None, None)
        words_of = partial(self._kept.exports.words_of, ids, since=since, before=before, place=place, limit=PAGE)
        after = 0
        while page := await words_of(after=after):
            for one in page:
                yield one
            after = page[-1][0]


def _wanted(query: str) -> frozenset[str]:
    """The words that matter, without endings; all of them when none does."""
    words = _WORD.findall(query.casefold())
    return frozenset(stem(word) for word in [word for word in words if word not in SMALL_WORDS] or words)


def _holds(text: str, wanted: Iterable[str]) -> bool:
    """Whether a text has all these words in some form. Where words are not set apart, a part of one will do."""
    folded, required = text.casefold(), list(wanted)
    if not required or not all(word in folded for word in required):  # a stem is how its word begins
        return False
    stems = {stem(word) for word in _WORD.findall(folded)}
    return all(word in stems or not word.isascii() for word in required)
