"""Token vectors of the encoder that is to be used next.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None


def upgrade() -> None:
    """Changes the tables of 0005, and keeps what is in them."""
    op.create_table(
        "next_passage_tokens",
        sa.Column("passage_id", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("scale", sa.Float(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["passage_id"], ["passages.id"], name=op.f("fk_next_passage_tokens_passage_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("passage_id", name=op.f("pk_next_passage_tokens")),
    )
