"""The first tables."""

from bot.storage.migrations.writing import make

revision: str = "0001"
down_revision: str | None = None


def upgrade() -> None:
    """Makes all tables in an empty database."""
    make(__file__)
