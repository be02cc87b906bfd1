"""scikit-learn's clustering of segments. Imported late, by `bot.care.clues`: it takes a second. Pure."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer

PASSES = 10
"""Rounds of LDA over all segments."""


def lda(words: Sequence[Sequence[str]], topics: int, seed: int) -> NDArray[np.int64]:
    """The likeliest of `topics` topics for the words of each segment; not all are empty."""
    counts = CountVectorizer(analyzer=list).fit_transform(words)
    model = LatentDirichletAllocation(n_components=topics, max_iter=PASSES, random_state=seed)
    return np.asarray(model.fit_transform(counts).argmax(axis=1), dtype=np.int64)


def average_linkage(middles: NDArray[np.float64], similarity: float) -> NDArray[np.int64]:
    """Clusters joined while the mean cosine between their rows, of unit length, is at least `similarity`."""
    distances = np.clip(1.0 - middles @ middles.T, 0.0, 2.0)
    model = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=np.nextafter(1 - similarity, 3)
    )
    return np.asarray(model.fit_predict(distances), dtype=np.int64)


def ward(middles: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """`count` clusters by Ward's linkage."""
    return np.asarray(AgglomerativeClustering(n_clusters=count, linkage="ward").fit_predict(middles), dtype=np.int64)
