"""What it knows of the asker, and from which words of theirs it comes. Nobody else's words come in.

What may be shown to somebody is what may be used in their own DM by the audience rule
(`bot/storage/shared/audience.py`), less the sessions in which they said nothing. An entry of somebody else and an
entry that never was get the same answer.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

import structlog

from bot.config import Settings
from bot.conversation.consent import Consents
from bot.domain import AGENT_ID, Answer, Asker, Call, Choice, Event, Place, PlaceKind, Trait, Utterance
from bot.errors import ModelError
from bot.language.speakers import NameRefresh, label_absent, label_called, label_speakers
from bot.language.withheld import Withheld
from bot.ports import Encoder
from bot.texts import commands as texts
from bot.texts import privacy as privacy_texts
from bot.usecases.calls import button, buttons, fits, turned
from bot.usecases.entries import (
    Entry,
    Found,
    Told,
    apart,
    before_of,
    code_of,
    entry_of,
    has,
    is_channel,
    line_of,
    newest_first,
    numbers_of,
    page_of,
    quotes_of,
    speaker_of,
    told_line,
)
from bot.usecases.just_told import JustTold, just_told, rested_on
from bot.usecases.kept import Kept
from bot.usecases.markup import cut, joined, plain
from bot.usecases.names_sought import called_last, may_name, told_otherwise

PAGE = 8
"""Entries on a page."""
IN_A_ROW = 4
"""Entry buttons in a row."""
LONGEST_QUERY = 80
LONGEST_LABEL = 90
MOST_LOOKED_AT = 60
"""Messages that are looked at for what was told a moment ago."""
QUOTES_OF_ONE = 8
QUOTES_OF_MANY = 2
"""Messages quoted for an entry: when it was asked for, and in the list of what a reply had in mind."""
SUGGESTED = 25
MOST_ENCODED = 500
"""Entries that are compared by meaning; with more, `/memory search` goes by words alone."""
MOST_NAMED = 50
"""People, once called otherwise, in whose names the words of a search may be; with more, all entries are loaded."""
MOST_HOLDING = 2000
"""Entries that are loaded because they may hold the words of a search; with more, all are."""
BATCH = 64
CLOSE = 0.35
"""Cosine from which on an entry is close in meaning: "pets" and two dogs have 0.53, "food" and baking bread 0.37."""
PAGE_DIGITS = 6
_Any = TypeVar("_Any", bound=Found)
_CODE = re.compile(r"[te][1-9][0-9]{0,8}")

_log = structlog.get_logger(__name__)


def dm_of(asker: Asker) -> Place:
    """The asker's own DM, wherever they ask."""
    platform, _, person = asker.speaker.id.partition(":")
    return Place(platform, PlaceKind.DM, person)


class Memories:
    """`/memory list | search | why`."""

    def __init__(self, *, kept: Kept, encoder: Encoder, settings: Settings, withheld: Withheld) -> None:
        """`withheld`: what nothing is made of, since it may be a sign of danger."""
        self._kept = kept
        self._encoder = encoder
        self._agrees = Consents(privacies=kept.privacies, settings=settings.privacy).agrees
        self._agent_name = settings.agent.name
        self._withheld = withheld

    async def show_list(self, call: Call, asker: Asker) -> Answer:
        """`/memory list`: all of it, newest first."""
        known, told = await self.beside_just_told(await self.known(asker), asker)
        if not known and not told:
            return await self.nothing_known(asker)
        return await self._page(call, [texts.LIST_TITLE], [*told, *known], asker)

    async def nothing_known(self, asker: Asker) -> Answer:
        """That nothing is known of somebody yet, or nothing will be until they agree."""
        if await self._agrees(asker.speaker.id):
            return Answer(texts.NOTHING_KNOWN)
        yes = button(privacy_texts.YES, "privacy consent", answer="yes")
        return Answer(texts.NOTHING_AGREED, choices=buttons([yes]))

    async def search(self, call: Call, asker: Asker) -> Answer:
        """`/memory search`: what holds all the words, then what is close in meaning."""
        query = " ".join(call.get("words").split())
        exact, close = await self.found(query, asker)
        shown = plain(cut(query, LONGEST_QUERY))
        if not exact and not close:
            return Answer(texts.FOUND_NOTHING.format(words=shown))
        how = texts.HOW_FOUND.format(exact=len(exact), close=len(close or ()))
        if close is None:
            how = f"{how} {texts.WORDS_ONLY}"
        return await self._page(call, [texts.FOUND_TITLE.format(words=shown), how], [*exact, *(close or ())], asker)

    async def found(self, query: str, asker: Asker) -> tuple[list[Found], list[Found] | None]:
        """What holds all the words, and what is close in meaning (None when that cannot be told).

        What was told a moment ago is among both.
        """
        wanted = query.casefold().split()
        if (holding := await self._holding(wanted, asker)) is not None:
            left, told = await self.beside_just_told(holding, asker)
            every: list[Found] = [*told, *left]
            return [one for one in every if has(one.text, wanted)], None
        kept: list[Told] = []
        others = 0
        for one in await self._told(asker):
            holds = has(one[0], wanted)
            others += not holds
            if holds or others <= MOST_ENCODED + 1:  # more are not compared by meaning, and keeping them takes longest
                kept.append(one)
        left, told = await self.beside_just_told(newest_first(kept), asker)
        every = [*told, *left]
        exact = [one for one in every if has(one.text, wanted)]
        return exact, await self.close(query, [one for one in every if not has(one.text, wanted)])

    async def _holding(self, wanted: Sequence[str], asker: Asker) -> list[Entry] | None:
        """What may hold all the words, of very many entries of which not many may; None: all have to be looked at.

        That is so where there are few enough to be compared by meaning, and where the words may be the asker's name,
        the companion's or that of many who were renamed: it may be told where another is stored.
        """
        own = label_speakers([asker.speaker], self._agent_name)
        if any(may_name(word, label.casefold()) for word in wanted for label in own.values()):
            return None
        dm = dm_of(asker)
        count = await self._kept.shelf.count(dm, MOST_HOLDING + MOST_ENCODED + 1)
        if count <= MOST_ENCODED:
            return None
        named = told_otherwise(wanted, own, await self._kept.shelf.called(dm))
        codes = await self._kept.shelf.holding(dm, wanted, MOST_HOLDING, named) if len(named) <= MOST_NAMED else None
        if codes is None or count - len(codes) <= MOST_ENCODED:
            return None
        return await self.among(asker, codes)

    async def why(self, call: Call, asker: Asker) -> Answer:
        """`/memory why`: behind an entry, or behind the last reply where it is asked."""
        wanted = call.get("entry").strip().casefold()
        if not wanted:
            return await self.why_said(asker)
        entry = await self.entry(asker, wanted)
        if entry is None and (wanted := await self.successor(asker, wanted)):
            entry = await self.entry(asker, wanted)
        if entry is None:
            return Answer(texts.UNKNOWN_ENTRY)
        names, ids = await self.names([entry]), await self.ids(asker)
        quotes = quotes_of(await self.own_sources(entry, asker), ids, QUOTES_OF_ONE)
        line = line_of(entry, names) + before_of(await self.former([entry], asker), entry)
        lines = [line, texts.WHY_TITLE, *quotes] if quotes else [line]
        correct = button(texts.CORRECT_IT, "memory correct", entry=wanted)
        back = buttons([*([correct] if quotes else []), button(texts.LOOK, "memory list")])
        return Answer(joined(lines if quotes else [*lines, texts.NO_SOURCE_OF_YOURS]), choices=back)

    async def own_sources(self, entry: Entry | Trait, asker: Asker) -> list[Utterance]:
        """The asker's own words that an entry of theirs, or what was true before it, was made of."""
        said, ids = await self._said([entry]), await self.ids(asker)
        return [said[key] for key in entry.sources if key in said and said[key].speaker.id in ids]

    async def suggest(self, typed: str, asker: Asker, *, traits_only: bool = False) -> list[tuple[str, str]]:
        """Entries for a parameter that names one, as (label, code), the newest first."""
        wanted = typed.casefold().split()
        found = [
            one
            for one in await self._told(asker)
            if (isinstance(one[1], Trait) or not traits_only)
            and all(word in f"{code_of(one[1])} {one[0]}".casefold() for word in wanted)
        ]
        newest = newest_first(found)[:SUGGESTED]
        return [(f"{one.code} · {cut(' '.join(one.text.split()), LONGEST_LABEL)}", one.code) for one in newest]

    async def known(self, asker: Asker) -> list[Entry]:
        """What may be shown to the asker of themselves, newest first."""
        return newest_first(await self._told(asker))

    async def _told(self, asker: Asker) -> Iterable[Told]:
        """The same as it is stored, in no order, each with its words as they are told now: one after the other."""
        dm, ids = dm_of(asker), await self.ids(asker)
        traits = await self._kept.traits.readable_in(dm, sorted(ids))
        events = [event for event in await self._kept.events.readable_in(dm) if not ids.isdisjoint(event.speakers)]
        return chain(((trait.text, trait) for trait in traits), self._in_todays_names(events, asker))

    async def among(self, asker: Asker, codes: Sequence[str]) -> list[Entry]:
        """Those of `known` that have these codes, as they are told there. No more than these are loaded, mostly."""
        dm, ids = dm_of(asker), await self.ids(asker)
        of_traits, of_events = numbers_of(codes, "t"), numbers_of(codes, "e")
        traits = await self._kept.traits.readable_in(dm, sorted(ids), of_traits) if of_traits else []
        readable = await self._kept.events.readable_in(dm, of_events) if of_events else []
        events = [one for one in readable if ids & one.speakers]
        # They are told in today's names: how others are called now may be in any event.
        others = any(key != AGENT_ID and key not in ids for event in events for key, _ in event.names)
        called = called_last(await self._kept.shelf.called(dm)) if others else {}
        told = self._in_todays_names(events, asker, called)
        return newest_first(chain(((one.text, one) for one in traits), told))

    async def entry(self, asker: Asker, code: str) -> Entry | None:
        """The one of `known` that has this code; None: there is none."""
        return next(iter(await self.among(asker, [code])), None) if _CODE.fullmatch(code) else None

    async def beside_just_told(self, entries: Sequence[Entry], asker: Asker) -> tuple[list[Entry], list[JustTold]]:
        """Those of these entries that still hold, and what was told a moment ago, the newest first.

        What was told ends and renews these entries alone: of very many, not all are loaded.
        """
        said = await self._kept.utterances.unprocessed(await self.ids(asker), MOST_LOOKED_AT)
        traits = [entry for entry in entries if entry.speaker_id]
        told, over = just_told(said, self._withheld, [(one.text, one.time) for one in traits])
        gone = {traits[place].code for place in over}
        return [entry for entry in entries if entry.code not in gone], told

    async def _told_lines(self, told: Sequence[JustTold]) -> list[str]:
        """What was told a moment ago as lines of an answer, headed as what it is."""
        names = await self.names(told)
        lines = [told_line(one, names) for one in told]
        more = [texts.MORE_JUST_TOLD.format(count=len(lines) - PAGE)] if len(lines) > PAGE else []
        return [texts.JUST_TOLD, *lines[:PAGE], *more]

    async def ids(self, asker: Asker) -> frozenset[str]:
        """All speaker ids of the asker: those that they have linked, too."""
        return frozenset(await self._kept.identities.of(asker.speaker.id))

    async def close(self, query: str, entries: Sequence[_Any]) -> list[_Any] | None:
        """The entries that are close in meaning, the closest first; None when that cannot be told."""
        if len(entries) > MOST_ENCODED:
            return None
        try:
            vector = (await self._encoder.encode([query]))[0]
            found: list[tuple[float, int]] = []
            for start in range(0, len(entries), BATCH):
                vectors = await self._encoder.encode([entry.key for entry in entries[start : start + BATCH]])
                found += [(-float(cosine), start + at) for at, cosine in enumerate(vectors @ vector)]
        except ModelError as error:
            _log.warning("memories were looked for by words alone", reason=str(error))
            return None
        return [entries[at] for cosine, at in sorted(found) if -cosine >= CLOSE]

    async def former(self, entries: Sequence[Entry], asker: Asker) -> dict[str, list[Trait]]:
        """Code of an entry → what was true of the asker before it, the last first."""
        ids = sorted(await self.ids(asker))
        found = await self._kept.traits.former(
            dm_of(asker), ids, [int(one.code[1:]) for one in entries if one.speaker_id]
        )
        return {f"t{trait_id}": before for trait_id, before in found.items()}

    async def successor(self, asker: Asker, code: str) -> str:
        """The code of the one of `known` that ended what has this code; empty: none, or not for the asker."""
        if not _CODE.fullmatch(code) or not code.startswith("t"):
            return ""
        now = await self._kept.traits.successor(dm_of(asker), sorted(await self.ids(asker)), int(code[1:]))
        return f"t{now}" if now else ""

    async def _page(self, call: Call, title: Sequence[str], found: Sequence[Found], asker: Asker) -> Answer:
        """One page of entries, with buttons for its entries and for the pages beside it.

        On the first, what was told a moment ago is above them.
        """
        asked = call.get("page").strip() or "1"
        if not asked.isdecimal() or len(asked) > PAGE_DIGITS:
            return Answer(texts.NOT_A_PAGE)
        told, entries = apart(found)
        page, pages, shown = page_of(entries, int(asked), PAGE)
        if told and page == 1:
            title = [*title, *await self._told_lines(told), *([texts.FROM_BEFORE] if entries else [])]
        if not entries:
            return Answer(joined(title))
        names, former = await self.names(shown), await self.former(shown, asker)
        turns = [(texts.BACK, page - 1), (texts.ON, page + 1)]
        turning = [Choice(label, turned(call, page=str(to))) for label, to in turns if 1 <= to <= pages]
        whole = all(fits(choice.call) for choice in turning)
        lines = [
            *title,
            *(line_of(entry, names) + before_of(former, entry) for entry in shown),
            texts.PAGE_OF.format(page=page, pages=pages, entries=texts.entries(len(entries))),
            texts.PRESS_ENTRY if whole else texts.LONG_SEARCH,
        ]
        whys = [button(entry.code, "memory why", entry=entry.code) for entry in shown]
        return Answer(joined(lines), choices=buttons(whys[:IN_A_ROW], whys[IN_A_ROW:], turning))

    async def why_said(self, asker: Asker, message: str | None = None) -> Answer:
        """The memories behind the last reply where it is asked, or behind the one that this message shows."""
        here, ids = asker.place, await self.ids(asker)
        if here.dm_person not in {None, asker.speaker.id}:
            return Answer(texts.NOTHING_SAID)
        used = await self._kept.outbox.used(here, message)
        if used is None:
            return Answer(texts.NOTHING_SAID)
        told = [*self._in_todays_names(used.events, asker), *((trait.text, trait) for trait in used.traits)]
        memories = [*map(entry_of, told)]
        readable = await self._readable_in(here, memories)
        entries = [entry for entry in memories if _may_show(entry, here) or entry.code in readable]
        words = [one for one in used.said if one.speaker.id in ids or one.place == here]
        fresh = [one for one in used.here if rested_on(one, used.reply, self._withheld)]
        if not entries and not used.said and not fresh:
            return Answer(texts.USED_NOTHING)
        mine = {entry.code for entry in await self.known(asker)}
        names, said = await self.names(entries), await self._said(entries)
        lines = [texts.USED_TITLE.format(day=texts.day(used.reply.time))]
        hidden = len(words) < len(used.said)
        for entry in entries:
            sources = [said[key] for key in entry.sources if key in said]
            shown = [source for source in sources if _may_quote(source, entry, asker.place, ids)]
            shown.sort(key=lambda source: source.speaker.id not in ids)
            hidden = hidden or len(shown) < len(sources)
            line = line_of(entry, names, coded=entry.code in mine, of=_whose(entry, sources, ids))
            lines += [line, *quotes_of(shown, ids, QUOTES_OF_MANY)]
        if words:
            lines += [texts.USED_WORDS, *quotes_of(words, ids, QUOTES_OF_ONE)]
        if fresh:
            lines += [texts.USED_JUST_TOLD, *quotes_of(fresh, ids, QUOTES_OF_ONE)]
        return Answer(joined([*lines, texts.OWN_WORDS_ONLY] if hidden else lines))

    def _in_todays_names(
        self, events: Sequence[Event], asker: Asker, called: Mapping[str, str] | None = None
    ) -> Iterator[Told]:
        """Events, told in today's names; numbers that tell namesakes apart are for the model.

        `called`: what others are called, where these events are not all that tell it.
        """
        labels = label_speakers([asker.speaker], self._agent_name)
        absent = label_absent(events, labels, numbered=False) if called is None else label_called(called, labels)
        names = NameRefresh(labels | absent)
        return ((names.tell(one), one) for one in events)

    async def _readable_in(self, here: Place, entries: Sequence[Entry]) -> set[str]:
        """The codes of what may be used here by the stores' rule: also what a server shares between its channels."""
        if all(_may_show(entry, here) for entry in entries):
            return set()
        speakers = sorted({entry.speaker_id for entry in entries if entry.speaker_id})
        traits = await self._kept.traits.readable_in(here, speakers)
        return {f"t{one.id}" for one in traits} | {f"e{one.id}" for one in await self._kept.events.readable_in(here)}

    async def names(self, entries: Sequence[Found]) -> dict[Place, str]:
        """What people call the places that these entries come from."""
        return await self._kept.utterances.place_names(list({entry.place for entry in entries}))

    async def _said(self, entries: Sequence[Entry | Trait]) -> dict[int, Utterance]:
        """Id → utterance, for the sources of these entries."""
        ids = {key for entry in entries for key in entry.sources}
        return {utterance.id: utterance for utterance in await self._kept.utterances.get(sorted(ids))}


def _may_show(entry: Entry, here: Place) -> bool:
    """Whether what a reply was shown may be shown where the reply stands. It always should be; this looks twice."""
    return entry.place == here or (here.kind is PlaceKind.DM and is_channel(entry.place))


def _may_quote(source: Utterance, entry: Entry, here: Place, ids: Collection[str]) -> bool:
    """One's own words; and others' where everybody who reads this could read them when they were said."""
    return source.speaker.id in ids or source.place == entry.place == here


def _whose(entry: Entry, sources: Sequence[Utterance], ids: Collection[str]) -> str:
    """The name of the speaker whose trait this is, if it is not the asker's."""
    if not entry.speaker_id or entry.speaker_id in ids:
        return ""
    return next(
        (speaker_of(source, ids) for source in sources if source.speaker.id == entry.speaker_id), texts.SOMEBODY
    )
