"""Token vectors of passages."""

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import index, table

revision: str = "0005"
down_revision: str | None = "0004"


def upgrade() -> None:
    """Changes the tables of 0004, and keeps what is in them."""
    op.add_column("passages", sa.Column("has_tokens", sa.Boolean(), server_default=sa.false(), nullable=False))
    index("passages", "id", "has_tokens = 0", server="NOT has_tokens", name="ix_passages_without_tokens")
    table(
        "passage_tokens",
        "passage_id integer, count integer, scale float, vectors blob",
        key="passage_id",
        references={"passage_id": "passages.id ON DELETE CASCADE"},
    )
