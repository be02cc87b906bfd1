"""The newest traits of somebody are found in an index, and counted in it."""

from bot.storage.migrations.writing import make

revision: str = "0012"
down_revision: str | None = "0011"


def upgrade() -> None:
    """Makes the indexes; nothing else of 0011 changes."""
    make(__file__)
