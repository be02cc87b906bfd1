"""What several processes over one database need: leases, notices on their way, and when a turn is tried again."""

from bot.storage.migrations.writing import make

revision: str = "0011"
down_revision: str | None = "0010"


def upgrade() -> None:
    """Changes the tables of 0010, and keeps what is in them."""
    make(__file__)
