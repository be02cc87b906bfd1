"""Which slot of llama.cpp a prompt goes to, so that it finds what it begins with in the cache already.

A slot keeps the tokens of its last prompt and answer. The server could choose slots itself; chosen here, a conversation
keeps its slot while others talk, and a prompt never continues one that was read with another adapter.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bot.domain import Skill

LEAST_KEPT = 0.5
"""The share of what a slot holds that a prompt must begin with to take the slot over from another conversation."""


@dataclass(eq=False, slots=True)
class Slot:
    """One place in the cache, for one sequence of tokens."""

    number: int
    tokens: Sequence[int] = ()
    """The last prompt that was read in it."""
    skill: Skill | None = None
    """Whose adapter it was read with."""
    used: int = 0
    kept: int = 0
    """How much of the prompt that it was taken for was in it."""
    busy: bool = field(default=False)


class Slots:
    """The slots of a server whose cache holds `capacity` tokens over all of them."""

    def __init__(self, count: int, capacity: int) -> None:
        self._slots = [Slot(number) for number in range(count)]
        self._capacity = capacity
        self._turn = 0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def busy(self) -> int:
        """How many are being worked on."""
        return sum(slot.busy for slot in self._slots)

    async def take(self, prompt: Sequence[int], room: int, skill: Skill | None, shared: int = 0) -> Slot:
        """The best slot for `prompt` and an answer of `room` tokens; waits while all are busy.

        `shared`: tokens that every conversation begins with. Having them in common makes nobody's slot one's own.
        """
        while not (free := [slot for slot in self._slots if not slot.busy]):
            freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
            await freed
        slot = self._choose(free, prompt, room, skill, shared)
        slot.kept = common(slot.tokens, prompt) if slot.skill is skill else 0
        self._turn += 1
        slot.tokens, slot.skill, slot.used, slot.busy = prompt, skill, self._turn, True
        return slot

    def give_back(self, slot: Slot) -> None:
        """The server has let go of it; it keeps what is in it. May be called from any thread."""
        slot.busy = False
        waiting, self._waiting = self._waiting, []
        for freed in waiting:
            with suppress(RuntimeError):  # its loop was closed meanwhile
                freed.get_loop().call_soon_threadsafe(_wake, freed)

    def _choose(self, free: Sequence[Slot], prompt: Sequence[int], room: int, skill: Skill | None, shared: int) -> Slot:
        kept = {slot: common(slot.tokens, prompt) for slot in free if slot.tokens and slot.skill is skill}
        best = max(kept, key=lambda slot: kept[slot], default=None)
        if best is not None and kept[best] > shared and kept[best] >= LEAST_KEPT * len(best.tokens):
            return best
        held = sum(len(slot.tokens) for slot in self._slots)
        empty = next((slot for slot in free if not slot.tokens), None)
        if empty is not None and held + len(prompt) + room <= self._capacity:
            return empty
        return min((slot for slot in free if slot.tokens), key=lambda slot: slot.used, default=free[0])


def _wake(freed: asyncio.Future[None]) -> None:
    if not freed.done():
        freed.set_result(None)


def common(one: Sequence[int], other: Sequence[int]) -> int:
    """The length of what both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
