"""Token vectors of the encoder that is to be used next."""

from bot.storage.migrations.writing import make

revision: str = "0006"
down_revision: str | None = "0005"


def upgrade() -> None:
    """Changes the tables of 0005, and keeps what is in them."""
    make(__file__)
