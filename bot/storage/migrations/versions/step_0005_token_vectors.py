"""Token vectors of passages."""

from bot.storage.migrations.writing import make

revision: str = "0005"
down_revision: str | None = "0004"


def upgrade() -> None:
    """Changes the tables of 0004, and keeps what is in them."""
    make(__file__)
