"""The database, the migrations, the lock and the vector index on disk."""
