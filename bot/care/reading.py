"""What a check-in with a person may be made of: what was said in sessions they spoke in, as far as their DM may use it.

Only passages: what is off the record, corrected, or a plain sign of danger is none. What the net for signs of danger
hears is left out here too, with the replies to it: no check-in has its words. What of it the person said is kept apart
(`Told.doubted`), since somebody who told of something that hard is asked how they are.
"""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bot.care.grave_voice import GraveVoice
from bot.care.threads import Lines
from bot.domain import Passage, Place, Scope, Utterance
from bot.language.withheld import Withheld, silenced
from bot.memory.passage_search import scope_of
from bot.ports import Encoder, Passages, Utterances, VectorIndex, Vectors

MOST_LINES = 2000
"""The latest utterances that are read."""
MOST_SEEN = 20_000
"""Passages that are looked through for them: in channels, most are of sessions in which the person did not speak."""
MOST_HEARD = 50_000
"""Utterances of which it is kept whether they are withheld: the net for signs of danger takes a millisecond for one."""
PAGE = 1000
NEWEST = 40
"""Utterances of the DM that are no passages yet: what they settle is not asked about."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was said, session by session, in order. In it, all of the person's identities are `person`."""

    person: str
    lines: tuple[Utterance, ...]
    vectors: Vectors
    """Shape (n, dimension): one unit vector a line, zero where there is none yet."""
    newest: Lines
    """What the person said that is remembered by nobody yet: nothing is made of it."""
    weighed: Mapping[int, bool] = field(default_factory=dict)
    """Whether the model takes an utterance for grave, by its id, where it was asked."""
    doubted: tuple[Utterance, ...] = ()
    """What the person said that may be a sign of danger, none of `lines`: heard, and never said again."""

    @property
    def own(self) -> NDArray[np.int64]:
        """The positions of what the person said, ascending."""
        return np.array([at for at, line in enumerate(self.lines) if line.speaker.id == self.person], dtype=np.int64)

    @property
    def name(self) -> str:
        """What the person is called now; empty when they have said nothing."""
        said = [*self.lines, *self.newest.said]
        return next((line.speaker.name for line in reversed(said) if line.speaker.id == self.person), "")

    def said(self) -> Lines:
        """What the person said, and after it the newest."""
        own = self.own
        lines = (*(self.lines[at] for at in own.tolist()), *self.newest.said)
        parts = [part for part in (self.vectors[own], self.newest.vectors) if part.size]
        vectors = np.concatenate(parts) if parts else np.zeros((len(lines), 0), dtype=np.float32)
        return Lines(lines, vectors, self.weighed)

    def with_doubted(self) -> Lines:
        """The same with `doubted` among it, in order of time; no line has a vector."""
        known = {line.id: line for line in (*self.said().said, *self.doubted)}  # the newest may be among them
        lines = sorted(known.values(), key=lambda line: (line.time, line.id))
        return Lines(tuple(lines), np.zeros((len(lines), self.vectors.shape[1]), dtype=np.float32), self.weighed)


@dataclass(kw_only=True, eq=False, repr=False)
class Reader:
    """Reads it. `withheld`: what nothing is made of; `voice`: the model as a second ear, where there is one."""

    passages: Passages
    utterances: Utterances
    index: VectorIndex
    encoder: Encoder
    withheld: Withheld
    voice: GraveVoice | None = None

    def __post_init__(self) -> None:
        self._hears = _Hearing(self.withheld)

    async def read(self, place: Place, most: int = MOST_LINES, *, listens: bool = False) -> Told:
        """What may be used in this DM, the latest `most` utterances. Raises IndexUnusable, ValueError for no DM.

        `listens`: the model is asked about lines that nobody has asked it about, which takes seconds for each.
        """
        person = place.dm_person
        if person is None:
            raise ValueError("check-ins are sent to DMs")
        passages = await self._of_person(place, person, most)
        kept, doubted = await asyncio.to_thread(self._divided, passages, person)
        lines = tuple(one.utterance for one in kept)
        vectors = await self._vectors(kept)
        newest = await self.newest(place, {line.id for line in lines})
        told = Told(person, lines, vectors, newest, doubted=doubted)
        if self.voice is None:
            return told
        own = [lines[at] for at in told.own.tolist()]
        if listens and await self.voice.weigh(own):
            return await self.read(place, most)  # that took its time: what was erased meanwhile is gone
        return replace(told, weighed=self.voice.known(own))

    def may_be_shown(self, lines: Sequence[Utterance]) -> bool:
        """Whether none of these lines may be a sign of danger."""
        return not any(self._hears(line) for line in lines)

    def is_undecided(self, told: Told) -> bool:
        """Whether the model has not been asked yet about lines in doubt."""
        own = [told.lines[at] for at in told.own.tolist()]
        return self.voice is not None and bool(self.voice.unasked(own))

    async def still_told(self, place: Place, lines: Sequence[Utterance]) -> bool:
        """Whether all of these, which were read before, would be read now, in the same words."""
        person = place.dm_person
        passages = await self._of_person(place, person) if person is not None else []
        there = {one.utterance.id: one.utterance.text for one in passages}
        return all(there.get(line.id) == line.text for line in lines)

    async def _of_person(self, place: Place, person: str, most: int = MOST_LINES) -> list[Passage]:
        """The latest passages of sessions in which the person spoke, sessions whole, in order."""
        ids = await self.passages.readable_in(place)
        found: list[Passage] = []
        for end in range(len(ids), max(len(ids) - MOST_SEEN, 0), -PAGE):
            found += await self.passages.get(ids[max(end - PAGE, 0) : end].tolist(), place)
            spoke = {one.utterance.session_id for one in found if one.utterance.speaker.id == person}
            if sum(one.utterance.session_id in spoke for one in found) >= most:
                break
        spoke = {one.utterance.session_id for one in found if one.utterance.speaker.id == person}
        of_them = [one for one in found if one.utterance.session_id in spoke]
        latest = sorted(of_them, key=lambda one: (one.utterance.time, one.utterance.id))[-most:]
        began = {one.utterance.session_id: one.utterance.time for one in reversed(latest)}
        return sorted(
            latest, key=lambda one: (began[one.utterance.session_id], one.utterance.session_id, one.utterance.id)
        )

    def _divided(self, passages: Sequence[Passage], person: str) -> tuple[list[Passage], tuple[Utterance, ...]]:
        """Without what is withheld and the replies to it; and what of that the person said themselves."""
        kept: list[Passage] = []
        doubted: list[Utterance] = []
        for _, session in groupby(passages, key=lambda one: one.utterance.session_id):
            together = list(session)
            lines = [one.utterance for one in together]
            hidden = silenced(lines, self._hears)
            kept += [one for one in together if one.utterance.id not in hidden]
            doubted += [line for line in lines if line.speaker.id == person and self._hears(line)]
        return kept, tuple(doubted)

    async def _vectors(self, passages: Sequence[Passage]) -> Vectors:
        wanted: defaultdict[Scope, list[int]] = defaultdict(list)
        for one in passages:
            wanted[scope_of(one)].append(one.id)
        row = {one.id: at for at, one in enumerate(passages)}
        found = np.zeros((len(passages), self.encoder.dimension), dtype=np.float32)
        for scope, ids in wanted.items():
            there, vectors = await self.index.load(scope, sorted(ids))
            if len(there):
                found[[row[passage_id] for passage_id in there.tolist()]] = vectors
        return found

    async def newest(self, place: Place, known: Collection[int] = ()) -> Lines:
        """What the person said last in the DM, beside what is `known`, with its vectors."""
        recent = await self.utterances.recent(place, NEWEST)
        said = tuple(line for line in recent if not line.speaker.is_agent and line.id not in known)
        vectors = await self.encoder.encode([line.text for line in said]) if said else np.zeros((0, 0), np.float32)
        return Lines(said, vectors)


class _Hearing:
    """Whether what somebody said is withheld, asked once for each utterance. Holds ids and hashes, no words."""

    def __init__(self, withheld: Withheld) -> None:
        self._withheld = withheld
        self._verdicts: OrderedDict[int, tuple[int, bool]] = OrderedDict()
        """Utterance → the hash of its words and of what was heard in them, and the verdict; the last used last."""
        self._lock = Lock()  # several threads read

    def __call__(self, line: Utterance) -> bool:
        said = hash((line.text, line.heard_danger))
        with self._lock:
            known = self._verdicts.get(line.id)
            if known is not None and known[0] == said:
                self._verdicts.move_to_end(line.id)
                return known[1]
        verdict = self._withheld(line)
        with self._lock:
            self._verdicts[line.id] = (said, verdict)
            self._verdicts.move_to_end(line.id)
            while len(self._verdicts) > MOST_HEARD:
                self._verdicts.popitem(last=False)
        return verdict
