"""What several processes over one database need: leases, notices on their way, and when a turn is tried again.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None


def upgrade() -> None:
    """Changes the tables of 0010, and keeps what is in them."""
    time = sa.DateTime(timezone=op.get_bind().dialect.name != "sqlite")
    op.add_column("inbox", sa.Column("again", time, nullable=True))
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("behind", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("choices", sa.Text(), nullable=False),
        sa.Column("in_reply_to", sa.Text(), nullable=True),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created", time, nullable=False),
        sa.CheckConstraint("state IN ('ready', 'sending')", name=op.f("ck_notices_state")),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_notices_place_key"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notices_place_key", "notices", ["place_key"])
    op.create_table(
        "leases",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("until", time, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leases")),
        sa.UniqueConstraint("name", name=op.f("uq_leases_name")),
        sqlite_autoincrement=True,
    )
