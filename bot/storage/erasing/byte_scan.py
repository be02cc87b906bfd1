"""Looks for many texts and vectors in bytes, wherever they stand: what is left of something on a disk.

A piece is 32 bytes. Texts that are longer are looked for in overlapping pieces, so that one that a database has broken
over its pages is still found: of what stands together, 48 bytes are enough. Each position of the bytes gets a number
from the 32 bytes there, and numbers are compared with those of the pieces, all at once in numpy. In a vector only the
upper half of each float counts: normalising it again changes the last bits, and it is still the same vector.

Most positions need no number: a sieve looks at every eighth byte first, or every fourth, and leaves those where a piece
can begin. What it leaves out is in no case a piece.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.ports import Vectors
from bot.storage.vectors.matrix import unit

PIECE = 32
"""Bytes that are compared together: eight numbers of a vector."""

STEP = 16
"""Bytes from one piece of a text to the next."""

SHORTEST = 8
"""Shorter texts, in bytes of UTF-8, are not looked for: they stand everywhere by chance."""

MOST = 400_000
"""So many pieces are looked for at most; of more, evenly chosen ones."""

BLOCK = 1 << 20
"""Bytes that are gone over at once."""

_WORD = 8
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_UPPER = np.uint64(0xFFFF0000FFFF0000)
_HALF = np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_PLACES = tuple(np.uint64(odd) for odd in (0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 1))
"""Odd numbers, which say where in a piece a word stands."""

_FLOAT = 4
_TILE = 16
"""Bytes of four floats, which a sieve takes together."""
_TILES = _TILE // _FLOAT
"""Where in a piece of a vector a tile can begin."""
_WORDS = 24
"""Where in a piece of a text one of its three whole words can begin."""
_SIEVE_BITS = 25
_DENSE = 4
"""Where more than every fourth position is left by the sieve, all are looked at: that is quicker then."""
_BACK = np.arange(_WORD)[::-1]
_FLOATS_BACK = np.arange(0, _TILE, _FLOAT)[::-1]

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
class _Sieve:
    """Where pieces can begin, by some of their bytes. `there`: which upper bits the numbers of these bytes have."""

    there: NDArray[np.bool_]
    shift: np.uint64
    masked: bool

    @classmethod
    def of(cls, rows: NDArray[np.uint8], *, masked: bool) -> _Sieve:
        """For pieces, shape (n, PIECE), wherever they begin."""
        bits = _bits(len(rows) * (_TILES if masked else _WORDS), spare=3, most=_SIEVE_BITS)
        sieve = cls(np.zeros(1 << bits, np.bool_), np.uint64(64 - bits), masked)
        for numbers in sieve._numbers_of(rows):
            sieve.there[numbers >> sieve.shift] = True
            if masked:
                sieve.there[(numbers * _MIX) >> sieve.shift] = True
        return sieve

    def _numbers_of(self, rows: NDArray[np.uint8]) -> Iterator[Numbers]:
        """The numbers that `starts` computes somewhere in each piece."""
        if self.masked:
            for offset in range(0, _TILE, _FLOAT):
                words = np.ascontiguousarray(rows[:, offset : offset + _TILE]).view("<u8").astype(np.uint64)
                yield _tile_numbers(words[:, 0], words[:, 1])
        else:
            for offset in range(_WORDS):
                yield (
                    np.ascontiguousarray(rows[:, offset : offset + _WORD]).view("<u8").ravel().astype(np.uint64) * _MIX
                )

    def starts(self, block: bytes, scratch: Scratch) -> Positions:
        """Every position of `block` where a piece can begin, each once."""
        found = self._of_vectors(block, scratch) if self.masked else self._of_texts(block, scratch)
        return found[(found >= 0) & (found <= len(block) - PIECE)]

    def _of_texts(self, block: bytes, scratch: Scratch) -> Positions:
        """A piece has three whole words at multiples of eight; the first begins in its first eight bytes."""
        words = np.frombuffer(block, "<u8", len(block) // _WORD)
        numbers = np.multiply(words, _MIX, out=scratch.numbers[: len(words)])
        upper = np.right_shift(numbers, self.shift, out=scratch.spare[: len(words)])
        flags = np.take(self.there, upper.view(np.int64), out=scratch.flags[: len(words)], mode="clip")
        first = np.flatnonzero(flags[:-2] & flags[1:-1] & flags[2:]) * _WORD
        return (first[:, None] - _BACK).ravel()

    def _of_vectors(self, block: bytes, scratch: Scratch) -> Positions:
        """Each piece begins 0, 4, 8 or 12 bytes before a tile of 16 bytes, of those that are as far from a float."""
        found: list[Positions] = []
        for offset in range(_FLOAT):
            count = (len(block) - offset) // _TILE
            first, second = (
                np.ndarray((count,), "<u8", buffer=block, offset=offset + more, strides=(_TILE,)) for more in (0, _WORD)
            )
            numbers = _tile_numbers(first, second)
            maybe = _flagged(self.there, numbers, self.shift, scratch)
            maybe = maybe[self.there[(numbers[maybe] * _MIX) >> self.shift]]
            found.append((maybe[:, None] * _TILE + offset - _FLOATS_BACK).ravel())
        return np.concatenate(found)


def _tile_numbers(first: Numbers, second: Numbers) -> Numbers:
    """A number from the upper halves of four floats, given as two words."""
    numbers = (first & _UPPER) * _MIX
    numbers ^= numbers >> _HALF
    numbers += second & _UPPER
    numbers *= _PLACES[0]
    return numbers


def _bits(count: int, *, spare: int, most: int) -> int:
    """How many upper bits tell `count` numbers apart."""
    return int(np.clip(np.ceil(np.log2(count + 1)) + spare, 12, most))


@dataclass(frozen=True, slots=True)
class Pieces:
    """What is looked for: pieces and their numbers, in order, and a table of which upper bits they have (`there`)."""

    rows: NDArray[np.uint8]
    numbers: Numbers
    there: NDArray[np.bool_]
    shift: np.uint64
    masked: bool
    sieve: _Sieve

    @classmethod
    def of(cls, rows: NDArray[np.uint8], *, masked: bool) -> Pieces:
        """Of `rows`, shape (n, PIECE). `masked`: they are floats, of which the upper halves count."""
        every = rows if len(rows) <= MOST else rows[np.linspace(0, len(rows) - 1, MOST).astype(np.int64)]
        words = np.ascontiguousarray(every).view("<u8").astype(np.uint64)
        _mix(words, words, np.empty_like(words), masked=masked)
        numbers, spare = np.empty(len(words), np.uint64), np.empty(len(words), np.uint64)
        numbers, at = np.unique(_combine(list(words.T), numbers, spare), return_index=True)
        bits = _bits(len(numbers), spare=5, most=26)
        shift = np.uint64(64 - bits)
        there = np.zeros(1 << bits, np.bool_)
        there[numbers >> shift] = True
        every = np.ascontiguousarray(every[at])
        return cls(every, numbers, there, shift, masked, _Sieve.of(every, masked=masked))

    def only(self, numbers: Iterable[Numbers]) -> Pieces:
        """Those of the pieces that have one of these numbers."""
        chosen = np.isin(self.numbers, np.concatenate([*numbers, np.empty(0, np.uint64)]))
        return Pieces.of(self.rows[chosen], masked=self.masked)

    def found(self, block: bytes, scratch: Scratch) -> tuple[Positions, Numbers]:
        """Where in `block`, of at most BLOCK + PIECE bytes, pieces stand, and their numbers."""
        length = len(block) - PIECE + 1
        if length < 1 or not len(self.numbers):
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        starts = self.sieve.starts(block, scratch)
        if len(starts) > length // _DENSE:
            return self._found_anywhere(block, length, scratch)
        if not len(starts):
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        words = _words(block)
        columns = [words[starts + offset] for offset in range(0, PIECE, _WORD)]
        for column in columns:
            _mix(column, column, scratch.spare[: len(column)], masked=self.masked)
        numbers = _combine(columns, np.empty_like(columns[0]), scratch.spare[: len(starts)])
        maybe = _flagged(self.there, numbers, self.shift, scratch)
        return self._known(starts[maybe], numbers[maybe])

    def _found_anywhere(self, block: bytes, length: int, scratch: Scratch) -> tuple[Positions, Numbers]:
        """The same by the number of each position."""
        words = _words(block)
        mixed = _mix(words, scratch.mixed[: len(words)], scratch.spare[: len(words)], masked=self.masked)
        columns = [mixed[start : start + length] for start in range(0, PIECE, _WORD)]
        numbers = _combine(columns, scratch.numbers[:length], scratch.spare[:length])
        maybe = _flagged(self.there, numbers, self.shift, scratch)
        return self._known(maybe, numbers[maybe])

    def _known(self, positions: Positions, numbers: Numbers) -> tuple[Positions, Numbers]:
        """Those of the positions whose numbers are numbers of pieces."""
        at = np.searchsorted(self.numbers, numbers)
        sure = self.numbers[np.minimum(at, len(self.numbers) - 1)] == numbers
        return positions[sure], numbers[sure]


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
    both = np.concatenate([given, unit(given).astype("<f4")])
    whole = both[:, : both.shape[1] // 8 * 8].reshape(-1, 8)
    whole = np.ascontiguousarray(whole[np.count_nonzero(whole, axis=1) > len(whole.T) // 2])
    return Pieces.of(whole.view(np.uint8).reshape(-1, PIECE), masked=True)


_SHORT_BITS = 18
_SHORT_SHIFT = np.uint64(64 - _SHORT_BITS)
_HALF_SHIFT = np.uint32(32 - _SHORT_BITS)
_MIX_HALF = np.uint32(0x9E3779B1)


class ShortTexts:
    """Texts of 8 to 31 bytes: looked for whole, by their first eight bytes."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._look_for({form for text in texts for form in forms(text) if len(form) < PIECE})

    def only(self, wanted: Iterable[bytes]) -> ShortTexts:
        """For these forms of texts alone."""
        found = ShortTexts(())
        found._look_for({*wanted})
        return found

    def _look_for(self, wanted: set[bytes]) -> None:
        self._by_word: defaultdict[int, set[bytes]] = defaultdict(set)
        for form in wanted:
            self._by_word[int.from_bytes(form[:_WORD], "little")].add(form)
        self._words = np.asarray(sorted(self._by_word), np.uint64)
        self._there = np.zeros(1 << _SHORT_BITS, np.bool_)
        self._there[(self._words * _MIX) >> _SHORT_SHIFT] = True
        self._halves = np.zeros(1 << _SHORT_BITS, np.bool_)
        for offset in range(_FLOAT):
            halves = (self._words >> np.uint64(8 * offset)).astype(np.uint32)
            self._halves[(halves * _MIX_HALF) >> _HALF_SHIFT] = True

    def found(self, block: bytes, scratch: Scratch) -> list[tuple[int, bytes]]:
        """Where in `block`, of at most BLOCK + PIECE bytes, any stands, and which."""
        if not len(self._words) or len(block) < _WORD:
            return []
        words = _words(block)
        maybe = self._starts(block)
        if len(maybe) > len(words) // _DENSE:
            numbers = np.multiply(words, _MIX, out=scratch.numbers[: len(words)])
            maybe = _flagged(self._there, numbers, _SHORT_SHIFT, scratch)
        else:
            maybe = maybe[(maybe >= 0) & (maybe < len(words))]
        maybe = maybe[np.isin(words[maybe], self._words)]
        return [
            (int(at), form) for at in maybe for form in self._by_word[int(words[at])] if block.startswith(form, int(at))
        ]

    def _starts(self, block: bytes) -> Positions:
        """Where a text can begin: one of its first four bytes is the first of four that stand at a multiple of four."""
        halves = np.frombuffer(block, "<u4", len(block) // _FLOAT)
        upper = (halves * _MIX_HALF) >> _HALF_SHIFT
        first = np.flatnonzero(np.take(self._halves, upper)) * _FLOAT
        return (first[:, None] - _BACK[-_FLOAT:]).ravel()


def is_of_one_byte(block: bytes) -> bool:
    """Whether all of its bytes are the same: half of a small index is memory that was never filled."""
    return block.startswith(block[:1] * PIECE) and block == block[:1] * len(block)


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
