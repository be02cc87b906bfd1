"""Which utterances are behind the tone of a check-in alone."""

from bot.storage.migrations.writing import make

revision: str = "0008"
down_revision: str | None = "0007"


def upgrade() -> None:
    """Changes the tables of 0007, and keeps what is in them."""
    make(__file__)
