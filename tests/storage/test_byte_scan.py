"""What the sieve leaves out is in no case a piece: texts and vectors are found wherever they begin."""

import numpy as np
import pytest

from bot.storage.erasing.byte_scan import (
    BLOCK,
    PIECE,
    Pieces,
    Scratch,
    ShortTexts,
    is_of_one_byte,
    pieces_of_texts,
    pieces_of_vectors,
)

TEXTS = [f"Sentence number {number}: the {word} stood by the {word} wall." for number, word in enumerate("abcdefgh")]
SHORT = ["I am gay", "Not you!!", "Tula, 1987", "the emerald necklace"]


def noise(count: int, seed: int = 0) -> bytes:
    return np.random.default_rng(seed).integers(0, 256, count, dtype=np.uint8).tobytes()


def vectors(count: int, seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.random.default_rng(seed).normal(size=(count, 64)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def both_ways(pieces: Pieces, block: bytes) -> tuple[set[int], set[int]]:
    """Where pieces are: as the program finds them, and by the number of each position."""
    scratch = Scratch()
    found = {*pieces.found(block, scratch)[0].tolist()}
    return found, {*pieces._found_anywhere(block, len(block) - PIECE + 1, scratch)[0].tolist()}


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("at", range(100, 117))
def test_a_piece_is_found_wherever_it_begins(at: int, masked: bool) -> None:
    pieces = pieces_of_vectors(vectors(20)) if masked else pieces_of_texts(TEXTS)
    for row in (pieces.rows[0].tobytes(), pieces.rows[-1].tobytes()):
        found, expected = both_ways(pieces, noise(at) + row + noise(500, seed=1))
        assert found == expected == {at}
        found, expected = both_ways(pieces, noise(at) + row)
        assert found == expected == {at}, "at the very end"
        found, expected = both_ways(pieces, row + noise(at))
        assert found == expected == {0}, "at the very beginning"


def test_many_pieces_close_together_are_all_found() -> None:
    pieces = pieces_of_texts(TEXTS)
    for block in ("".join(TEXTS).encode() * 20, noise(9000) + "..".join(TEXTS).encode() + noise(9001)):
        found, expected = both_ways(pieces, block)
        assert found == expected
        assert len(found) > len(TEXTS)
    many = pieces_of_vectors(vectors(300))
    block = noise(4001) + b"xyz".join(row.tobytes() for row in vectors(300)) + noise(4001)
    found, expected = both_ways(many, block)
    assert found == expected
    assert len(found) == 300 * 8


def test_the_ones_that_are_chosen_are_found_and_the_others_are_not() -> None:
    pieces = pieces_of_texts(TEXTS)
    block = noise(3000) + TEXTS[1].encode() + noise(3000) + TEXTS[5].encode()
    numbers = pieces.found(block, Scratch())[1]
    chosen = pieces.only([numbers[:2], numbers[:1]])
    assert {*chosen.found(block, Scratch())[1].tolist()} == {*numbers[:2].tolist()}
    assert len(pieces.only([]).found(block, Scratch())[0]) == 0


@pytest.mark.parametrize("at", range(40, 49))
def test_a_short_text_is_found_wherever_it_begins(at: int) -> None:
    short = ShortTexts(SHORT)
    for text in SHORT:
        for block in (noise(at) + text.encode() + noise(300), noise(at) + text.encode(), text.encode() + noise(at)):
            assert short.found(block, Scratch()) == [(block.index(text.encode()), text.encode())]
    assert short.only([b"I am gay"]).found(b"Not you!!I am gay", Scratch()) == [(9, b"I am gay")]
    crowded = " ".join(SHORT * 50).encode()
    assert len(short.found(crowded, Scratch())) == len(SHORT) * 50


@pytest.mark.parametrize(
    ("block", "same"),
    [(b"\xa5" * BLOCK, True), (b"\xa5" * 99 + b"!", False), (b"!" + b"\xa5" * 99, False), (b"", True)],
)
def test_blocks_of_one_byte_are_known(block: bytes, same: bool) -> None:
    assert is_of_one_byte(block) is same
