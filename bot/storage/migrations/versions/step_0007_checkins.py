"""Check-ins: what people chose, the check-ins themselves, and personality types."""

from alembic import op

from bot.storage.migrations.writing import make

revision: str = "0007"
down_revision: str | None = "0006"


def upgrade() -> None:
    """Changes the tables of 0006, and keeps what is in them."""
    op.drop_index("ix_utterances_speaker_id_place_key", table_name="utterances")
    make(__file__)
