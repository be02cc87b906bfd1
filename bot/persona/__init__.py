"""The persona banks of every user and of the companion itself."""
