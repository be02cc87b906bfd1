"""Token vectors of passages.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None


def upgrade() -> None:
    """Changes the tables of 0004, and keeps what is in them."""
    op.add_column("passages", sa.Column("has_tokens", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_index(
        "ix_passages_without_tokens",
        "passages",
        ["id"],
        unique=False,
        sqlite_where=sa.text("has_tokens = 0"),
        postgresql_where=sa.text("NOT has_tokens"),
    )
    op.create_table(
        "passage_tokens",
        sa.Column("passage_id", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("scale", sa.Float(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["passage_id"], ["passages.id"], name=op.f("fk_passage_tokens_passage_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("passage_id", name=op.f("pk_passage_tokens")),
    )
