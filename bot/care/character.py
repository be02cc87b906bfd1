"""When a person's type is guessed, and from what: in the background, at a check-in, with their wishes first.

Only of people who have told 20 things that their DM may use, at most once a calendar month, and never of those who want
none, have said theirs, or are known to be under 18. What it was guessed from is stored with it, and takes it along.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bot.care.reading import Told
from bot.domain import Character, Utterance
from bot.persona.character import SAMPLED, CharacterNet, agreement, asked_of
from bot.ports import Characters, ChatModel, Clock, Jobs, Vectors


@dataclass(kw_only=True, eq=False, repr=False)
class CharacterWork:
    """Guesses by `net` where there is one, else by `model`. `is_minor`: whether somebody is known to be under 18.

    `deadline`: of one answer of the model.
    """

    characters: Characters
    jobs: Jobs
    clock: Clock
    is_minor: Callable[[str], Awaitable[bool]]
    deadline: timedelta
    net: CharacterNet | None = None
    model: ChatModel | None = None
    _tried: dict[str, tuple[int, ...]] = field(init=False, default_factory=dict)
    """Person → the utterances from which no type came; they are not asked about again."""

    async def of(self, told: Told, now: datetime) -> Character | None:
        """What may be used of this person, guessed anew when it is time; None: nothing. Raises ModelError."""
        if await self.is_minor(told.person):
            return None
        known = await self.characters.of(told.person)
        if _is_settled(known):
            return _usable(known)
        at = drawn(told, now, first=not known.type)
        ids = tuple(sorted(told.lines[one].id for one in at.tolist()))
        if not ids or ids in (known.sources, self._tried.get(told.person)):
            return _usable(known)
        guess = await self._guessed(told.person, [told.lines[one] for one in at.tolist()], told.vectors[at])
        if guess is None:
            self._tried[told.person] = ids
            return _usable(known)
        return await self._stored(guess)

    async def _stored(self, guess: Character) -> Character | None:
        """The guess, if its sources are there and the person has said nothing else while it was made."""
        known = await self.characters.of(guess.speaker_id)
        if _is_settled(known):
            return _usable(known)
        return guess if await self.characters.put(guess) else None

    async def _guessed(self, person: str, lines: Sequence[Utterance], vectors: Vectors) -> Character | None:
        ids = tuple(sorted(line.id for line in lines))
        if self.net is not None:
            net, seed = self.net, crc32(str(ids).encode())
            found = await asyncio.to_thread(lambda: (net.type_of(vectors), net.stability(vectors, seed)))
            return Character(person, found[0], stability=round(found[1], 2), sources=ids)
        if self.model is None:
            return None
        said = [line.text for line in lines]
        first = await self._asked(self.model, said)
        if not first:
            return None
        again = await self._asked(self.model, said[::2])
        stability = agreement(first, again) if again else 0.0
        return Character(person, first, stability=stability, sources=ids)

    async def _asked(self, model: ChatModel, said: Sequence[str]) -> str | None:
        answer = await asked_of(model, said, self.deadline)
        await self.jobs.spend_tokens(self.clock.now().date(), answer.tokens)
        return answer.value


def drawn(told: Told, now: datetime, *, first: bool) -> NDArray[np.int64]:
    """The positions in `told` of the SAMPLED utterances that a type is guessed from, ascending; none: too few.

    They are drawn once a calendar month, from what was said before it: the same all month long, also when others of
    them are erased. The `first` guess need not wait for the month to end.
    """
    own = told.own[told.vectors[told.own].any(axis=1)] if told.vectors.size else np.zeros(0, dtype=np.int64)
    month = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    before = [at for at in own.tolist() if told.lines[at].time < month]
    pool = own.tolist() if first and len(before) < SAMPLED else before
    if len(pool) < SAMPLED:
        return np.zeros(0, dtype=np.int64)
    key = f"{told.person}|{month:%Y-%m}|"
    ranked = sorted(pool, key=lambda at: blake2b(f"{key}{told.lines[at].id}".encode()).digest())
    return np.array(sorted(ranked[:SAMPLED]), dtype=np.int64)


def _is_settled(known: Character) -> bool:
    """Whether nothing may be guessed: the person wants none, or has said theirs."""
    return known.off or not known.guessed


def _usable(known: Character) -> Character | None:
    return known if known.type and not known.off else None
