"""Weights files: what was written comes back, and what is damaged is a sentence."""

from pathlib import Path

import numpy as np
import pytest

from bot.errors import ModelUnavailable
from bot.language import weights
from bot.language.weights import About, Arrays


def first(_about: About, arrays: Arrays) -> float:
    return float(weights.finite(arrays["table"])[0, 0])


def read(path: Path, version: int = 3) -> float:
    return weights.read(path, "the test", "Make it anew.", version, first)


def write(path: Path, table: object) -> Path:
    weights.write(path, {"seed": 1}, 3, {"table": np.array(table)})
    return path


def test_what_was_written_comes_back_and_the_same_weights_are_the_same_bytes(tmp_path: Path) -> None:
    one, other = write(tmp_path / "one.npz", [[2.5]]), write(tmp_path / "other.npz", [[2.5]])
    assert read(one) == 2.5
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("table", [[1.0], [[np.nan]], [["a"]]])
def test_arrays_that_do_not_fit_are_a_sentence(tmp_path: Path, table: object) -> None:
    with pytest.raises(ModelUnavailable, match=r"of the test at .* are damaged or too old: .*Make it"):
        read(write(tmp_path / "bad.npz", table))


def test_another_version_and_no_file_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="another format"):
        read(write(tmp_path / "old.npz", [[1.0]]), version=4)
    with pytest.raises(ModelUnavailable, match=r"are missing at .*none"):
        read(tmp_path / "none.npz")
