"""Which slot of llama.cpp a prompt goes to, so that it finds what it begins with in the cache already.

A slot keeps the tokens of its last prompt and answer. The server could choose slots itself; chosen here, a conversation
keeps its slot while others talk, and a prompt never continues one that was read with another adapter.
"""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bot.domain import Skill

WORTH_WAITING = 24
"""Tokens that a slot which is about to be free must spare a prompt beyond the others, for it to wait."""

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
    ending: bool = False
    """Whether what it was taken for is over, and the server is about to let go of it."""


class Slots:
    """The slots of a server whose cache holds `capacity` tokens over all of them."""

    def __init__(self, count: int, capacity: int) -> None:
        self._slots = [Slot(number) for number in range(count)]
        self._capacity = capacity
        self._turn = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._lock = threading.Lock()

    @property
    def busy(self) -> int:
        """How many are being worked on."""
        return sum(slot.busy for slot in self._slots)

    async def take(self, prompt: Sequence[int], room: int, skill: Skill | None, shared: int = 0) -> Slot:
        """The best slot for `prompt` and an answer of `room` tokens; waits while all are busy.

        `shared`: tokens that every conversation begins with. Having them in common makes nobody's slot one's own.
        """
        while True:
            freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            with self._lock:  # and before the look: a slot may be given back, by another thread, right after it
                self._waiting.append(freed)
            if (slot := self._best(prompt, room, skill, shared)) is not None:
                break
            await freed
        slot.kept = common(slot.tokens, prompt) if slot.skill is skill else 0
        self._turn += 1
        slot.tokens, slot.skill, slot.used, slot.busy, slot.ending = prompt, skill, self._turn, True, False
        return slot

    def leave(self, slot: Slot, prompt: Sequence[int]) -> None:
        """Nobody waits any more for what `slot` was taken for, `prompt`; the server is told so and gives it back."""
        if slot.tokens is prompt:  # else it was given back already, and has been taken by somebody else
            slot.ending = slot.busy

    def give_back(self, slot: Slot) -> None:
        """The server has let go of it; it keeps what is in it. May be called from any thread."""
        slot.busy = slot.ending = False
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for freed in waiting:
            with suppress(RuntimeError):  # its loop was closed meanwhile
                freed.get_loop().call_soon_threadsafe(_wake, freed)

    def held(self, prompt: Sequence[int], skill: Skill | None) -> int:
        """How many of a prompt's tokens a slot holds at most that was read with that adapter."""
        return max((common(slot.tokens, prompt) for slot in self._slots if slot.skill is skill), default=0)

    def _best(self, prompt: Sequence[int], room: int, skill: Skill | None, shared: int) -> Slot | None:
        """The slot to take now; None: it is worth waiting for one, or there is no other way."""
        free = [slot for slot in self._slots if not slot.busy]
        chosen = self._choose(free, prompt, room, skill, shared) if free else None
        if chosen is None:
            return None
        kept = common(chosen.tokens, prompt) if chosen.skill is skill else 0
        ending = (
            common(slot.tokens, prompt) for slot in self._slots if slot.busy and slot.ending and slot.skill is skill
        )
        return None if max(ending, default=0) >= max(kept, shared) + WORTH_WAITING else chosen

    def _choose(self, free: Sequence[Slot], prompt: Sequence[int], room: int, skill: Skill | None, shared: int) -> Slot:
        kept = {slot: common(slot.tokens, prompt) for slot in free if slot.tokens and slot.skill is skill}
        own = [slot for slot in kept if kept[slot] > shared and kept[slot] >= LEAST_KEPT * len(slot.tokens)]
        if own:
            return max(own, key=lambda slot: kept[slot])
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
