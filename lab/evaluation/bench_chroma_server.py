"""Search among one person's memories in a server of Chroma's, beside `bench_vectors`: is it right, quick, and erased?

All memories are in one collection, each with its person as metadata, by which a search is narrowed: a collection a
person costs the server 3 MB of memory each. The server is started here, over an empty folder.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import TYPE_CHECKING

import chromadb
import numpy as np
from chromadb.config import Settings
from rich.console import Console

from bot.errors import BadInput
from lab.evaluation.bench_vectors import DIMENSION, MEGABYTE, WANTED, WARM, made_up

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

AT_ONCE = 5000
"""Vectors in one request; the server takes 5,461."""
TELL = 100_000
START_S = 120.0


def run(folder: Path, memories: int, people: int, queries: int, seed: int) -> int:
    """Measures, tells, and returns the exit code. The server's files stay in `folder`. Raises BadInput."""
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty.")
    told = Console(highlight=False, soft_wrap=True)
    vectors = made_up(memories, seed)
    owners = np.arange(memories) * people // memories
    with _server(folder) as client:
        took = _make(client.create_collection("made", metadata={"hnsw:space": "cosine"}), vectors, owners, told)
        told.print(f"{memories:,} memories of {people:,} people are made in {took:,.0f} s.")
        times, right = _search(client.get_collection("made"), vectors, owners, queries, seed)
        half, most = np.percentile(times, [50, 95])
        told.print(f"A search: {half:.1f} ms, 95 % within {most:.1f} ms; {right:.1%} of the nearest ten are found.")
        told.print(f"On disk: {_size(folder) / MEGABYTE:,.0f} MB.")
        gone = np.flatnonzero(owners == 0)
        begun = perf_counter()
        client.get_collection("made").delete(ids=[str(one) for one in gone])
        told.print(f"One person is deleted in {perf_counter() - begun:,.1f} s.")
    left = _standing(folder, [vectors[one].tobytes() for one in gone])
    told.print(f"After the server has ended, {left} of that person's {len(gone)} vectors still stand in its files.")
    with _server(folder) as client:
        client.delete_collection("made")
        took = _make(client.create_collection("made", metadata={"hnsw:space": "cosine"}), vectors, owners, told)
        told.print(f"All are made anew in {took:,.0f} s; on disk: {_size(folder) / MEGABYTE:,.0f} MB.")
    return 0


@contextmanager
def _server(folder: Path) -> Iterator[ClientAPI]:
    """A server over `folder`, on this machine alone."""
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    folder.mkdir(parents=True, exist_ok=True)
    program = Path(sys.executable).parent / "chroma"
    command: list[str | Path] = [program, "run", "--path", folder.resolve(), "--host", "127.0.0.1", "--port", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, cwd=folder) as process:  # noqa: S603  ours
        try:
            yield _client(process, port)
        finally:
            process.terminate()


def _client(process: subprocess.Popen[bytes], port: int) -> ClientAPI:
    """A client, as soon as the server listens. Raises BadInput when it does not."""
    until = monotonic() + START_S
    while True:
        with closing(socket.socket()) as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                break
        if process.poll() is not None or monotonic() > until:
            raise BadInput("Chroma's server did not start.")
        sleep(0.05)
    return chromadb.HttpClient("127.0.0.1", port, settings=Settings(anonymized_telemetry=False))


def _make(collection: Collection, vectors: NDArray[np.float32], owners: NDArray[np.int64], told: Console) -> float:
    """Adds all, and tells now and then how far it is; the seconds it took."""
    begun = perf_counter()
    for start in range(0, len(vectors), AT_ONCE):
        some = range(start, min(start + AT_ONCE, len(vectors)))
        collection.add(
            ids=[str(one) for one in some],
            embeddings=vectors[some.start : some.stop],
            metadatas=[{"person": int(owners[one])} for one in some],
        )
        if some.stop % TELL == 0:
            told.print(f"{some.stop:,} after {perf_counter() - begun:,.0f} s.")
    return perf_counter() - begun


def _search(
    collection: Collection, vectors: NDArray[np.float32], owners: NDArray[np.int64], queries: int, seed: int
) -> tuple[list[float], float]:
    """Milliseconds of each search, and the share of the nearest that was found."""
    chance, times, found, wanted = np.random.default_rng(seed + 1), list[float](), 0, 0
    for number in range(WARM + queries):
        person = int(chance.integers(int(owners[-1]) + 1))
        query = chance.standard_normal(DIMENSION, dtype=np.float32)
        begun = perf_counter()
        answer = collection.query(
            query_embeddings=query[None], n_results=WANTED, where={"person": person}, include=["distances"]
        )
        if number >= WARM:
            times.append(1000 * (perf_counter() - begun))
        own = np.flatnonzero(owners == person)
        nearest = own[np.argsort(vectors[own] @ query)[-WANTED:]]
        found += len({int(one) for one in answer["ids"][0]} & set(nearest.tolist()))
        wanted += len(nearest)
    return times, found / wanted


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _standing(folder: Path, needles: Sequence[bytes]) -> int:
    """How many of these vectors stand in any file."""
    found = set[int]()
    for file in folder.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        found |= {number for number, one in enumerate(needles) if one in content}
    return len(found)
