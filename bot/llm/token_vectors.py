"""The vectors of single tokens in their context, for comparison token by token (ColBERT: Khattab and Zaharia 2020).

They come out of the same encoder as the vector of a whole text. Their 384 dimensions are turned so that the first ones
tell tokens apart best, and 128 are kept: on LoCoMo as good as all of them (79.1 of 79.1 % evidence recall@10 by this
comparison alone, where a random choice of directions loses 1.7). The directions are the principal components of the
encoder's own vocabulary in random order, so nobody's words are in them.
"""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from bot.ports import TokenVectors

TOKEN_DIMENSION = 128
BASIS = Path(__file__).with_name("token_basis.npz")
"""The directions for the bundled encoder: `basis`, shape (384, 128), and its `fingerprint`."""
SENTENCES, WORDS = 1500, 12
"""How many sequences of vocabulary words the directions are made from, and how long they are."""
SHORTEST = 3
"""Letters of a vocabulary word that is taken."""
BATCH = 64


class TokenEncoder:
    """Runs one sentence-transformers model; not for several threads at once."""

    def __init__(self, model: SentenceTransformer, fingerprint: str) -> None:
        self._model = model
        self._fingerprint = fingerprint
        self._basis: NDArray[np.float32] | None = None

    def of(self, texts: list[str]) -> list[TokenVectors]:
        """The tokens of each text, without the special ones at its ends. At most BATCH texts."""
        basis = self._directions()
        vectors = _contextual(self._model, texts)
        found: list[TokenVectors] = []
        for text, rows in zip(texts, vectors, strict=True):
            words = _words_of_tokens(self._model, text)
            count = min(len(words), len(rows))
            turned = rows[:count] @ basis
            lengths = np.linalg.norm(turned, axis=1, keepdims=True)
            found.append(TokenVectors(tuple(words[:count]), turned / np.maximum(lengths, 1e-6)))
        return found

    def _directions(self) -> NDArray[np.float32]:
        if self._basis is None:
            with np.load(BASIS) as stored:
                of_this = str(stored["fingerprint"]) == self._fingerprint
                self._basis = stored["basis"].astype(np.float32) if of_this else make_basis(self._model)
        return self._basis


def make_basis(model: SentenceTransformer) -> NDArray[np.float32]:
    """The principal directions of the encoder's tokens, shape (dimension, TOKEN_DIMENSION). Takes some seconds."""
    known: dict[str, int] = model.tokenizer.get_vocab()
    in_order = sorted(known, key=known.__getitem__)
    words = [word for word in in_order if word.isalpha() and len(word) >= SHORTEST] or in_order
    chosen = np.random.default_rng(0).choice(len(words), size=(SENTENCES, WORDS))
    rows: list[NDArray[np.float32]] = []
    for start in range(0, SENTENCES, BATCH):
        texts = [" ".join(words[at] for at in line) for line in chosen[start : start + BATCH]]
        rows += _contextual(model, texts)
    _, _, directions = np.linalg.svd(np.concatenate(rows), full_matrices=False)
    return np.asarray(directions[:TOKEN_DIMENSION].T, dtype=np.float32)


def _contextual(model: SentenceTransformer, texts: list[str]) -> list[NDArray[np.float32]]:
    """For each text the unit-length vectors of its tokens, shape (n, dimension), without the special ones."""
    features = {name: value.to(model.device) for name, value in model.preprocess(texts).items() if hasattr(value, "to")}
    with torch.inference_mode():
        states = torch.nn.functional.normalize(model[0](dict(features))["token_embeddings"], dim=-1).float().cpu()
    lengths = features["attention_mask"].sum(1).tolist()
    return [states[at, 1 : max(length - 1, 1)].numpy() for at, length in enumerate(lengths)]


def _words_of_tokens(model: SentenceTransformer, text: str) -> list[str]:
    """The lower-case word that each token is a part of."""
    encoded = model.tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, truncation=True, max_length=model.max_seq_length
    )
    return [_word_around(text, start, end) for start, end in encoded["offset_mapping"]]


def _word_around(text: str, start: int, end: int) -> str:
    while start > 0 and text[start - 1].isalnum() and text[start : start + 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1 : end].isalnum():
        end += 1
    return text[start:end].lower()
