"""The vector index is brought up to the tables."""
