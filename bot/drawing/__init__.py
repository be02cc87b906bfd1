"""Pictures: what is on one, where it stands, and how it is painted. They know nothing of stores and platforms."""
