"""Chroma over a folder, and its collections: their names, how their graphs are built, and reading them whole."""

import hashlib
from pathlib import Path

import numpy as np
from chromadb.api import ServerAPI
from chromadb.api.client import Client
from chromadb.api.collection_configuration import CreateHNSWConfiguration
from chromadb.api.models.Collection import Collection
from chromadb.config import Settings, System
from numpy.typing import NDArray

from bot.domain import Scope
from bot.ports import Similarities, Vector, Vectors
from bot.storage.vectors.matrix import EMPTY, Matrix, unit

NEAREST = 1000
"""How many neighbours are taken of a scope that is too large for exact search."""

PAGE = 2000  # vectors read from Chroma at once

KEPT: CreateHNSWConfiguration = {"space": "cosine", "ef_search": NEAREST, "ef_construction": 2, "max_neighbors": 2}
"""The graph of a scope that is compared exactly: nobody searches in it, so it is as small as Chroma allows.

10,000 vectors of 384 random numbers, 1,000 at once, are written in 1.0 s of CPU, with the other graph in 4.1 s.
Scopes are written anew when something is erased, so that it matters.
"""

SEARCHED: CreateHNSWConfiguration = {
    "space": "cosine",
    "ef_search": NEAREST,
    "ef_construction": 40,
    "max_neighbors": 12,
}
"""The graph of a larger scope: of the ten nearest of 60,000 vectors, 98 % are found.

With half of both, 85 %; with Chroma's own choice (100, 16), it takes three to four times as long.
"""


def opened(folder: Path) -> Client:
    """Chroma over a folder. Raises what Chroma does.

    Started before a client has it: what a client starts itself and cannot, on a full disk say, Chroma keeps for the
    folder as if it were open.
    """
    system = System(Settings(is_persistent=True, persist_directory=str(folder), anonymized_telemetry=False))
    system.instance(ServerAPI)  # type: ignore[type-abstract]  # it gives what implements that
    system.start()
    return Client.from_system(system)


def collection_name(scope: Scope) -> str:
    """The name of a scope's collection, with no person's id in it."""
    return f"{scope.kind.value}-{hashlib.sha256(scope.place_key.encode()).hexdigest()[:24]}"


def is_searched(collection: Collection) -> bool:
    """Whether the collection's graph is one to search in. Those of earlier versions of this program all are."""
    graph = collection.configuration_json.get("hnsw") or {}
    return int(graph.get("max_neighbors", 0)) > KEPT["max_neighbors"]


def read_whole(collection: Collection) -> Matrix:
    """All vectors of a collection, page by page."""
    ids: list[int] = []
    pages: list[Vectors] = []
    while True:
        page = collection.get(include=["embeddings"], limit=PAGE, offset=len(ids))
        if not page["ids"]:
            break
        ids += [int(key) for key in page["ids"]]
        pages.append(np.asarray(page["embeddings"], dtype=np.float32))
    return Matrix(np.asarray(ids, dtype=np.int64), unit(np.concatenate(pages))) if ids else EMPTY


def nearest(collection: Collection, query: Vector) -> Similarities:
    """The ids of the nearest 1,000, as Chroma's graph finds them, and the cosine of each."""
    found = collection.query(query_embeddings=query[None, :], n_results=NEAREST, include=["distances"])
    distances = np.asarray((found["distances"] or [[]])[0], dtype=np.float32)
    return np.asarray([int(key) for key in found["ids"][0]], dtype=np.int64), 1.0 - distances


def as_loaded(matrix: Matrix) -> tuple[NDArray[np.int64], Vectors]:
    """The ids in order and their vectors, in arrays of their own."""
    ordered = matrix.in_order()
    return ordered.ids, ordered.rows
