"""`/memory export`: all that is kept of the asker, as a file for programs and one to read, for them alone.

Their own words from everywhere, what the companion told them in private, their traits with dates and sources, the
summaries of sessions in which nobody else spoke, and what they decided. Others' words are in neither file: of a session
that others had a part in there is the day and the place, and no summary.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial

from bot.domain import (
    Answer,
    Asker,
    Call,
    CareWishes,
    Character,
    CheckIn,
    Event,
    File,
    Place,
    PlaceKind,
    Receipt,
    Trait,
    Utterance,
)
from bot.ports import Clock
from bot.texts import checkin
from bot.texts import forgetting as texts
from bot.texts.commands import counted
from bot.usecases.exported import Exported, place_of
from bot.usecases.kept import Kept
from bot.usecases.memory import Memories, dm_of
from bot.usecases.readable import readable

FORMAT, VERSION = "hello-again-export", 1
PAGE = 1000
MOST_BYTES = 8 * 2**20
"""Of one file: what Discord takes of somebody who pays for nothing."""
MOST_FILES = 10
"""In one answer: Discord takes no more."""
MOST_RECEIPTS = 10_000
MOST_CHECKINS = 10_000
MARGIN = 2**16
"""Of the largest part, for what stands around its records."""
Record = Mapping[str, object]
"""What programs read of one thing; moments stand in it as they are."""
KINDS = ("traits", "events", "receipts", "checkins", "utterances")
NAME = "hello-again"
_dumps = partial(json.dumps, ensure_ascii=False, default=datetime.isoformat)


class Exporting:
    """Hands people what is known of them. `agent_name`: what the companion is called in the files."""

    def __init__(self, *, memories: Memories, kept: Kept, clock: Clock, agent_name: str) -> None:
        self._memories = memories
        self._kept = kept
        self._clock = clock
        self._agent_name = agent_name

    async def export(self, _call: Call, asker: Asker) -> Answer:
        """`/memory export`. Raises StorageError only."""
        kept = await self._exported(asker)
        if not (kept.said or kept.replies or kept.traits or kept.events):
            return Answer(texts.NOTHING_TO_EXPORT)
        files = await asyncio.to_thread(_files, kept)
        told = texts.EXPORTED.format(
            messages=texts.messages(len(kept.said)),
            replies=counted(len(kept.replies), "reply", "replies"),
            traits=counted(len(kept.traits), "trait"),
            summaries=counted(len(kept.events), "summary", "summaries"),
        )
        sentences = [told]
        if len(files) > 2:  # noqa: PLR2004  one of each kind
            sentences.append(texts.IN_PARTS.format(files=counted(len(files), "file")))
        if len(files) > MOST_FILES:
            over = counted(len(files) - MOST_FILES, "file")
            sentences.append(texts.PARTS_LEFT_OUT.format(files=over, most=MOST_FILES))
        return Answer(" ".join(sentences), files=tuple(files[:MOST_FILES]))

    async def _exported(self, asker: Asker) -> Exported:
        ids = tuple(sorted(await self._memories.ids(asker)))
        parts = (one.partition(":") for one in ids)
        dms = [Place(platform, PlaceKind.DM, person) for platform, _, person in parts if person]
        said = await _all(lambda after: self._kept.exports.said_by(ids, after=after, limit=PAGE))
        replies = await _all(lambda after: self._kept.exports.replies_in(dms, after=after, limit=PAGE))
        events = [one for one in await self._kept.events.readable_in(dm_of(asker)) if set(ids) & one.speakers]
        traits = await self._kept.exports.traits_of(ids)
        opt_outs = tuple(await self._kept.exports.opt_outs(ids))
        places = {one.place for group in (said, replies, events, traits) for one in group}
        places |= {place for scope in opt_outs if (place := place_of(scope)) is not None}
        receipts = {one.id: one for person in ids for one in await self._kept.erasures.receipts(person, MOST_RECEIPTS)}
        return Exported(
            written=self._clock.now(),
            agent_name=self._agent_name,
            name=asker.speaker.name,
            ids=ids,
            privacy=await self._kept.privacies.of(asker.speaker.id),
            opt_outs=opt_outs,
            said=tuple(said),
            replies=tuple(replies),
            traits=tuple(traits),
            events=tuple(events),
            receipts=tuple(receipts[key] for key in sorted(receipts)),
            wishes=await self._kept.checkins.wishes(asker.speaker.id),
            character=await self._kept.characters.of(asker.speaker.id),
            checkins=tuple(reversed(await self._kept.checkins.latest(MOST_CHECKINS, asker.speaker.id))),
            names=await self._kept.utterances.place_names(sorted(places)),
        )


async def _all(page: Callable[[int], Awaitable[list[Utterance]]]) -> list[Utterance]:
    """Every page, each asked for by the last id of the one before."""
    found: list[Utterance] = []
    while some := await page(found[-1].id if found else 0):
        found += some
    return found


def _files(kept: Exported) -> list[File]:
    """The parts of the file for programs, then those of the one to read."""
    records = [(kind, _dumps(record)) for kind, record in _records(kept)]
    parts = _parts(records, MOST_BYTES - MARGIN)
    of_json = [_json(_head(kept), part, number, len(parts)) for number, part in enumerate(parts, 1)]
    lines = [("", line) for line in readable(kept)]
    of_text = ["\n".join(line for _, line in part).encode() for part in _parts(lines, MOST_BYTES)]
    return [*_named(of_json, "json"), *_named(of_text, "txt")]


def _named(contents: Sequence[bytes], ending: str) -> list[File]:
    if len(contents) == 1:
        return [File(f"{NAME}.{ending}", contents[0])]
    return [File(f"{NAME}-{number}.{ending}", content) for number, content in enumerate(contents, 1)]


def _parts(lines: Iterable[tuple[str, str]], most_bytes: int) -> list[list[tuple[str, str]]]:
    """The (kind, line) in parts of at most `most_bytes` with their line ends; always one part, perhaps empty."""
    parts: list[list[tuple[str, str]]] = [[]]
    size = 0
    for kind, line in lines:
        length = len(line.encode()) + 2
        if parts[-1] and size + length > most_bytes:
            parts.append([])
            size = 0
        parts[-1].append((kind, line))
        size += length
    return parts


def _json(head: Record, records: Sequence[tuple[str, str]], number: int, of: int) -> bytes:
    """One part: a JSON object of its own, with a record on each line."""
    opening = {"format": FORMAT, "version": VERSION, "part": number, "parts": of, **head}
    text = _dumps(opening, indent=1).removesuffix("\n}")
    for kind in KINDS:
        listed = ",\n".join(record for of_kind, record in records if of_kind == kind)
        text += f',\n "{kind}": [\n{listed}\n ]'
    return f"{text}\n}}\n".encode()


def _records(kept: Exported) -> Iterator[tuple[str, Record]]:
    """(kind, record) for all that there may be many of."""
    own = {one.id for one in (*kept.said, *kept.replies)}
    yield from (("traits", _of_trait(one, kept)) for one in kept.traits)
    yield from (("events", _of_event(one, kept, own)) for one in kept.events)
    yield from (("receipts", _of_receipt(one)) for one in kept.receipts)
    yield from (("checkins", _of_checkin(one)) for one in kept.checkins)
    yield from (("utterances", _of_utterance(one, kept)) for one in kept.talk())


def _head(kept: Exported) -> Record:
    privacy = kept.privacy
    return {
        "written": kept.written,
        "companion": kept.agent_name,
        "identities": list(kept.ids),
        "privacy": {
            "consent": privacy.consent.value,
            "paused": privacy.paused,
            "keep_days": privacy.keep_days,
            "minor": privacy.minor,
            "country": privacy.country,
            "not_read_in": list(kept.opt_outs),
        },
        "checkin_choices": _of_wishes(kept.wishes),
        "character": _of_character(kept.character),
    }


def _of_utterance(said: Utterance, kept: Exported) -> Record:
    heard = {} if said.heard_danger is None else {"heard_danger": said.heard_danger}
    return {
        "id": said.id,
        "time": said.time,
        "place": said.place.key,
        "place_name": kept.names.get(said.place, ""),
        "by": said.speaker.id,
        "text": said.text,
        **heard,
    }


def _of_trait(trait: Trait, kept: Exported) -> Record:
    return {
        "id": f"t{trait.id}",
        "text": trait.text,
        "place": trait.place.key,
        "place_name": kept.names.get(trait.place, ""),
        "since": trait.since,
        "said_again": trait.refreshed,
        "until": trait.until,
        "superseded_by": f"t{trait.superseded_by}" if trait.superseded_by else None,
        "sources": list(trait.sources),
    }


def _of_event(event: Event, kept: Exported, own: Collection[int]) -> Record:
    return {
        "id": f"e{event.id}",
        "time": event.time,
        "place": event.place.key,
        "place_name": kept.names.get(event.place, ""),
        "summary": None if kept.is_shared(event) else event.summary,
        "sources": [key for key in event.sources if key in own],
    }


def _of_receipt(receipt: Receipt) -> Record:
    return {
        "id": receipt.id,
        "reason": receipt.reason.value,
        "asked": receipt.asked,
        "done": receipt.done,
        "erased": dict(receipt.counts),
        "still_found": receipt.found,
    }


def _of_wishes(wishes: CareWishes) -> Record:
    """What a person chose about check-ins."""
    return {
        "on": wishes.on,
        "place": wishes.place.key if wishes.place else None,
        "was_asked": wishes.offered,
        "timezone": wishes.zone,
        "times": [checkin.clock(one) for one in wishes.times],
        "days": list(wishes.days),
        "quiet": [checkin.clock(one) for one in wishes.quiet] if wishes.quiet else None,
        "every_days": wishes.every_days,
        "paused_until": wishes.paused_until,
        "next": wishes.next_at,
    }


def _of_character(character: Character) -> Record:
    """What is known of a personality type."""
    return {
        "type": character.type,
        "guessed": bool(character.type) and character.guessed,
        "off": character.off,
        "stability": character.stability,
        "sources": list(character.sources),
    }


def _of_checkin(one: CheckIn) -> Record:
    """One check-in, without its words: these are among the utterances."""
    scores = one.scores
    return {
        "id": one.id,
        "due": one.due,
        "state": one.state.value,
        "why": one.why.value if one.why else None,
        "failure": one.failure,
        "farewell": one.farewell,
        "sent": one.sent_at,
        "utterance": one.utterance_id or None,
        "scores": asdict(scores) if scores else None,
    }
