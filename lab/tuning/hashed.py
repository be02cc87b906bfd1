"""What the trainers of small linear parts share: where their weights go, and their matrices of hashed features."""

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bot.errors import BadInput


def target_of(package: str | None, name: str, out: Path | None) -> Path:
    """The file to write: `out`, or the shipped one of this name in `package`. Raises BadInput without its folder."""
    target = out if out is not None else Path(str(resources.files(package or "bot").joinpath(name)))
    if not target.parent.is_dir():
        raise BadInput(f"There is no folder {target.parent} to write the weights to. Choose another with --out.")
    return target


def matrix_of(rows: Iterable[tuple[NDArray[np.int64], NDArray[np.float32]]], width: int) -> csr_matrix:
    """The features of texts, given as buckets and how much each counts: a row each, shape (rows, width)."""
    columns, values, ends = [], [], [0]
    for buckets, shares in rows:
        columns.append(buckets)
        values.append(shares)
        ends.append(ends[-1] + len(buckets))
    return csr_matrix(
        (np.concatenate(values), np.concatenate(columns), ends), shape=(len(ends) - 1, width), dtype=float
    )
