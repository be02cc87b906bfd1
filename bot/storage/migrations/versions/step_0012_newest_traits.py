"""The newest traits of somebody are found in an index, and counted in it."""

from bot.storage.migrations.writing import index

revision: str = "0012"
down_revision: str | None = "0011"


def upgrade() -> None:
    """Makes the indexes; nothing else of 0011 changes."""
    current = "until IS NULL"
    index("traits", "speaker_id place_key since id", current, name="ix_traits_newest")
    again = f"{current} AND refreshed IS NOT NULL"
    index("traits", "speaker_id place_key refreshed id", again, name="ix_traits_said_again")
