"""Looks for many texts and vectors in bytes, wherever they stand: what is left of something on a disk.

A piece is 32 bytes. Texts that are longer are looked for in overlapping pieces, so that one that a database has broken
over its pages is still found: of what stands together, 48 bytes are enough. Each position of the bytes gets a number
from the 32 bytes there, and numbers are compared with those of the pieces, all at once in numpy. In a vector only the
upper half of each float counts: normalising it again changes the last bits, and it is still the same vector.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.ports import Vectors

PIECE = 32
"""Bytes that are compared together: eight numbers of a vector."""

STEP = 16
"""Bytes from one piece of a text to the next."""

SHORTEST = 8
"""Shorter texts, in bytes of UTF-8, are not looked for: they stand everywhere by chance."""

MOST = 400_000
"""So many pieces are looked for at most; of more, evenly chosen ones."""

BLOCK = 1 << 18
"""Bytes that are gone over at once."""

_WORD = 8
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_UPPER = np.uint64(0xFFFF0000FFFF0000)
_HALF = np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_PLACES = tuple(np.uint64(odd) for odd in (0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 1))
"""Odd numbers, which say where in a piece a word stands."""

Numbers = NDArray[np.uint64]
Positions = NDArray[np.int64]


def forms(text: str) -> set[bytes]:
    """The bytes as which a text may stand in a file: UTF-8, UTF-16, and inside JSON. Empty for one that is too short.

    Lone surrogates, which no file of ours can hold, are passed through.
    """
    if len(text.encode("utf-8", "surrogatepass")) < SHORTEST:
        return set()
    written = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    return {one.encode("utf-8", "surrogatepass") for one in written} | {text.encode("utf-16-le", "surrogatepass")}


class Scratch:
    """Arrays to compute in, for blocks of up to BLOCK + PIECE bytes. New ones for each block take three times as long.

    For one thread at a time.
    """

    def __init__(self) -> None:
        self.mixed, self.numbers, self.spare = (np.empty(BLOCK + PIECE, np.uint64) for _ in range(3))
        self.flags = np.empty(BLOCK + PIECE, np.bool_)


@dataclass(frozen=True, slots=True)
class Pieces:
    """What is looked for: numbers of pieces, sorted, and a table of which upper bits they have (`there`)."""

    numbers: Numbers
    there: NDArray[np.bool_]
    shift: np.uint64
    masked: bool

    @classmethod
    def of(cls, rows: NDArray[np.uint8], *, masked: bool) -> Pieces:
        """Of `rows`, shape (n, PIECE). `masked`: they are floats, of which the upper halves count."""
        every = rows if len(rows) <= MOST else rows[np.linspace(0, len(rows) - 1, MOST).astype(np.int64)]
        words = np.ascontiguousarray(every).view("<u8").astype(np.uint64)
        _mix(words, words, np.empty_like(words), masked=masked)
        numbers, spare = np.empty(len(words), np.uint64), np.empty(len(words), np.uint64)
        numbers = np.unique(_combine(list(words.T), numbers, spare))
        bits = int(np.clip(np.ceil(np.log2(len(numbers) + 1)) + 5, 12, 26))
        shift = np.uint64(64 - bits)
        there = np.zeros(1 << bits, np.bool_)
        there[numbers >> shift] = True
        return cls(numbers, there, shift, masked)

    def found(self, block: bytes, scratch: Scratch) -> tuple[Positions, Numbers]:
        """Where in `block`, of at most BLOCK + PIECE bytes, pieces stand, and their numbers."""
        length = len(block) - PIECE + 1
        if length < 1 or not len(self.numbers):
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        words = _words(block)
        mixed = _mix(words, scratch.mixed[: len(words)], scratch.spare[: len(words)], masked=self.masked)
        columns = [mixed[start : start + length] for start in range(0, PIECE, _WORD)]
        numbers = _combine(columns, scratch.numbers[:length], scratch.spare[:length])
        maybe = _flagged(self.there, numbers, self.shift, scratch)
        at = np.searchsorted(self.numbers, numbers[maybe])
        sure = maybe[self.numbers[np.minimum(at, len(self.numbers) - 1)] == numbers[maybe]]
        return sure, numbers[sure]


def _words(block: bytes) -> Numbers:
    """The eight bytes that begin at each position, as a number."""
    return np.ndarray((len(block) - _WORD + 1,), "<u8", buffer=block, strides=(1,))


def _mix(words: Numbers, out: Numbers, spare: Numbers, *, masked: bool) -> Numbers:
    """The words, each in the place of another one, in `out`."""
    np.bitwise_and(words, _UPPER if masked else _ALL, out=out)
    np.multiply(out, _MIX, out=out)
    np.right_shift(out, _HALF, out=spare)
    return np.bitwise_xor(out, spare, out=out)


def _combine(columns: Sequence[Numbers], out: Numbers, spare: Numbers) -> Numbers:
    """One number from the four mixed words of a piece, in `out`, for many pieces."""
    np.multiply(columns[0], _PLACES[0], out=out)
    for column, place in zip(columns[1:], _PLACES[1:], strict=True):
        np.multiply(column, place, out=spare)
        np.add(out, spare, out=out)
    return out


def _flagged(there: NDArray[np.bool_], numbers: Numbers, shift: np.uint64, scratch: Scratch) -> Positions:
    """Where the upper bits of `numbers` are among those of `there`."""
    upper = np.right_shift(numbers, shift, out=scratch.spare[: len(numbers)])
    flags = np.take(there, upper.view(np.int64), out=scratch.flags[: len(numbers)], mode="clip")
    return np.flatnonzero(flags)


def pieces_of_texts(texts: Iterable[str]) -> Pieces:
    """All pieces of the texts that have 32 bytes or more, in all their forms."""
    long = [form for text in texts for form in forms(text) if len(form) >= PIECE]
    starts: list[int] = []
    begin = 0
    for form in long:
        last = len(form) - PIECE
        starts += [begin + start for start in (*range(0, last, STEP), last)]
        begin += len(form)
    content = np.frombuffer(b"".join(long), np.uint8)
    rows = content[np.asarray(starts, np.int64)[:, None] + np.arange(PIECE)] if starts else _NONE
    return Pieces.of(rows, masked=False)


_NONE = np.empty((0, PIECE), np.uint8)


def pieces_of_vectors(vectors: Vectors) -> Pieces:
    """All slices of eight numbers of these vectors, as they are and at unit length; those of zeros are left out."""
    given = np.asarray(vectors, dtype="<f4")
    if not given.size:
        return Pieces.of(_NONE, masked=True)
    lengths = np.linalg.norm(given, axis=1, keepdims=True)
    both = np.concatenate([given, (given / np.where(lengths > 0, lengths, 1)).astype("<f4")])
    whole = both[:, : both.shape[1] // 8 * 8].reshape(-1, 8)
    whole = np.ascontiguousarray(whole[np.count_nonzero(whole, axis=1) > len(whole.T) // 2])
    return Pieces.of(whole.view(np.uint8).reshape(-1, PIECE), masked=True)


_SHORT_BITS = 18
_SHORT_SHIFT = np.uint64(64 - _SHORT_BITS)


class ShortTexts:
    """Texts of 8 to 31 bytes: looked for whole, by their first eight bytes."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_word: defaultdict[int, set[bytes]] = defaultdict(set)
        for form in {form for text in texts for form in forms(text) if len(form) < PIECE}:
            self._by_word[int.from_bytes(form[:_WORD], "little")].add(form)
        self._words = np.asarray(sorted(self._by_word), np.uint64)
        self._there = np.zeros(1 << _SHORT_BITS, np.bool_)
        self._there[(self._words * _MIX) >> _SHORT_SHIFT] = True

    def found(self, block: bytes, scratch: Scratch) -> list[tuple[int, bytes]]:
        """Where in `block`, of at most BLOCK + PIECE bytes, any stands, and which."""
        if not len(self._words) or len(block) < _WORD:
            return []
        words = _words(block)
        numbers = np.multiply(words, _MIX, out=scratch.numbers[: len(words)])
        maybe = _flagged(self._there, numbers, _SHORT_SHIFT, scratch)
        maybe = maybe[np.isin(words[maybe], self._words)]
        return [
            (int(at), form) for at in maybe for form in self._by_word[int(words[at])] if block.startswith(form, int(at))
        ]


def blocks_of(content: bytes) -> Iterator[bytes]:
    """The bytes in blocks, each with the end of the one before it."""
    for start in range(0, len(content), BLOCK):
        yield content[max(0, start - PIECE + 1) : start + BLOCK]


def overlapping(parts: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The same bytes with the last 31 of each part before the next, and where in all of them each begins."""
    position, tail = 0, b""
    for part in parts:
        block = tail + part
        yield position - len(tail), block
        position += len(part)
        tail = block[-(PIECE - 1) :]
