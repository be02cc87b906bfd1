"""What was in memory before does not get into the index's files."""

import ctypes
import threading
from pathlib import Path

import numpy as np

from bot.domain import Scope, VectorKind
from bot.storage.vectors.chroma import ChromaVectorIndex

MARKER = b"a secret that somebody told "


def litter() -> None:
    """Leaves freed memory full of the marker, in all sizes that an index may be given."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    blocks = []
    for size in (1_000, 5_000, 20_000, 40_000, 80_000, 120_000) * 60:
        block = libc.malloc(size)
        ctypes.memmove(block, MARKER * (size // len(MARKER)), size // len(MARKER) * len(MARKER))
        blocks.append(block)
    for block in blocks:
        libc.free(block)


async def test_freed_memory_does_not_reach_the_disk(tmp_path: Path) -> None:
    index = ChromaVectorIndex(tmp_path / "index")
    threads = [threading.Thread(target=litter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    await index.open()
    vectors = np.eye(8, dtype=np.float32)
    for number in range(12):
        await index._run(litter)
        litter()
        await index.upsert(Scope(VectorKind.EVENT, f"test:dm:{number}"), range(1, 9), vectors)
    await index.aclose()
    files = [file for file in (tmp_path / "index").rglob("*") if file.is_file()]
    assert any(file.name == "data_level0.bin" for file in files)
    assert [file.name for file in files if MARKER[:12] in file.read_bytes()] == []
