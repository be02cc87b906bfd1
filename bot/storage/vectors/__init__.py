"""The vector index: Chroma on disk, exact search in memory. Vectors and ids go in, and no text ever."""

from bot.storage.vectors.chroma import ChromaVectorIndex
from bot.storage.vectors.collections import NEAREST, collection_name
from bot.storage.vectors.memory import NumpyVectorIndex

__all__ = ["NEAREST", "ChromaVectorIndex", "NumpyVectorIndex", "collection_name"]
