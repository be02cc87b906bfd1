"""Which utterances are behind the tone of a check-in alone."""

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"


def upgrade() -> None:
    """Changes the tables of 0007, and keeps what is in them."""
    op.add_column("checkin_words", sa.Column("toned_by", sa.Text(), server_default=sa.text("''"), nullable=False))
