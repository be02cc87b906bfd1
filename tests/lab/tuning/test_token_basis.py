"""The directions for token vectors: the shipped ones are the bundled encoder's, and are found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from typer.testing import CliRunner

from bot.errors import BadInput
from bot.llm import token_vectors
from bot.llm.embedding import load_encoder, load_trainable
from bot.llm.token_vectors import BASIS, TOKEN_DIMENSION
from lab.__main__ import app
from lab.commands.tuning_basis import BUNDLED_ON_CPU
from lab.tuning.token_basis import read_basis, shared_directions, write_basis


@pytest.fixture(scope="module")
def model() -> SentenceTransformer:
    return load_trainable(BUNDLED_ON_CPU)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few sequences of words, so that directions are found at once."""
    monkeypatch.setattr(token_vectors, "SENTENCES", 20)


async def test_the_bundled_encoder_uses_the_shipped_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    basis, fingerprint = read_basis(BASIS)
    assert np.allclose(basis.T @ basis, np.eye(TOKEN_DIMENSION), atol=1e-3)
    monkeypatch.setattr(token_vectors, "make_basis", None)
    encoder = await load_encoder(BUNDLED_ON_CPU)
    try:
        assert encoder.fingerprint == fingerprint
        (tokens,) = await encoder.encode_tokens(["The soup is hot."])
    finally:
        await encoder.aclose()
    assert tokens.vectors.shape == (len(tokens.words), TOKEN_DIMENSION)


@pytest.mark.model
def test_the_shipped_directions_are_found_again(tmp_path: Path) -> None:
    """Nearly the same, not the same bytes: processors round differently."""
    done = CliRunner().invoke(app, ["tune", "token-basis", "--out", str(tmp_path / "basis.npz")])
    assert done.exit_code == 0, done.output
    (shipped, of), (found, of_this) = read_basis(BASIS), read_basis(tmp_path / "basis.npz")
    assert of == of_this
    assert f"directions of encoder {of}" in done.stdout
    assert shared_directions(shipped, found) > 0.99


def test_the_same_encoder_gives_the_same_bytes(few: None, model: SentenceTransformer, tmp_path: Path) -> None:
    reports = [write_basis(model, "this one", tmp_path / name) for name in ("a.npz", "b.npz")]
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    basis, fingerprint = read_basis(tmp_path / "a.npz")
    assert (basis.shape, fingerprint) == ((384, TOKEN_DIMENSION), "this one")
    assert reports[0].bytes == (tmp_path / "a.npz").stat().st_size
    assert 0.4 < reports[0].shared < 0.99, "few words give other directions, though not any"


@pytest.mark.parametrize(("name", "said"), [("none/basis.npz", "There is no folder"), ("", "cannot be written")])
def test_a_place_that_cannot_be_written_to(
    few: None, model: SentenceTransformer, tmp_path: Path, name: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        write_basis(model, "this one", tmp_path / name)


def test_shared_directions() -> None:
    whole = np.eye(6, dtype=np.float32)
    turned = whole[:, :2] @ np.array([[0.6, -0.8], [0.8, 0.6]], dtype=np.float32)
    assert shared_directions(whole[:, :2], turned) == pytest.approx(1.0)
    assert shared_directions(whole[:, :2], whole[:, 1:3]) == pytest.approx(0.5)
    assert shared_directions(whole[:, :2], whole[:, 2:4]) == 0.0
    assert shared_directions(whole[:, :2], np.eye(5, dtype=np.float32)[:, :2]) == 0.0
