"""What is said, what waits to be answered or sent, and where: the tables of every message."""
