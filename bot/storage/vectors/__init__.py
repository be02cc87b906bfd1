"""The vector index: Chroma on disk, exact search in memory. Vectors and ids go in, and no text ever."""
