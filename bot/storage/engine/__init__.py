"""The database itself: one writer, readers beside it, its versions, and who may open its files."""
