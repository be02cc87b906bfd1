"""Makes the file of directions for token vectors anew: `python -m lab tune token-basis`.

They follow from the bundled encoder alone (`bot/llm/token_vectors.py`), so the file has to be made anew when that
encoder changes, or the way that they are found. Another encoder needs no file: its directions are found at first use.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from bot.errors import BadInput
from bot.llm.token_vectors import BASIS, make_basis


@dataclass(frozen=True, slots=True)
class BasisReport:
    """What was made. `str()` is the report for people."""

    out: Path
    bytes: int
    fingerprint: str
    """Of the encoder that the directions are for."""
    seconds: float
    shared: float
    """How much the directions have in common with the shipped ones (`shared_directions`)."""

    def __str__(self) -> str:
        return (
            f"Found the directions of encoder {self.fingerprint} in {self.seconds:.0f} s; "
            f"they have {self.shared:.2%} in common with the shipped ones.\n"
            f"Wrote {self.out} ({self.bytes / 1e6:.2f} MB)."
        )


def write_basis(model: SentenceTransformer, fingerprint: str, out: Path | None = None) -> BasisReport:
    """Finds the directions of `model`, which has `fingerprint`, and writes them to `out` (None: the shipped file).

    Takes ten seconds or so. The same encoder gives the same bytes on one machine, and nearly the same directions on
    another. Raises BadInput when the file cannot be written.
    """
    started = time.monotonic()
    target = out if out is not None else BASIS
    if not target.parent.is_dir():
        raise BadInput(f"There is no folder {target.parent} to write the directions to.")
    basis = make_basis(model)
    shipped, _ = read_basis(BASIS)
    try:
        with target.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, basis=basis.astype(np.float16), fingerprint=fingerprint)
    except OSError as error:
        raise BadInput(f"{target} cannot be written: {error.strerror or error}.") from None
    seconds = time.monotonic() - started
    return BasisReport(target, target.stat().st_size, fingerprint, seconds, shared_directions(shipped, basis))


def read_basis(path: Path) -> tuple[NDArray[np.float32], str]:
    """The directions of a file, shape (dimension, TOKEN_DIMENSION), and the fingerprint of their encoder."""
    with np.load(path) as stored:
        return stored["basis"].astype(np.float32), str(stored["fingerprint"])


def shared_directions(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """The mean squared cosine between the spaces that two sets of unit-length columns span: 1 for the same space.

    Directions drawn at random share what they fill: 128 of 384 dimensions a third. 0 for encoders of different
    dimensions, which have nothing in common.
    """
    if len(first) != len(second):
        return 0.0
    fewest = min(first.shape[1], second.shape[1])
    return float(np.square(first.T @ second).sum() / fewest)
