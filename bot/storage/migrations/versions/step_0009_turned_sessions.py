"""The session that was begun anew when a person turned to another memory than a check-in was about.

Written out in full and on its own: later changes of `bot/storage/tables.py` do not change this step.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None


def upgrade() -> None:
    """Changes the tables of 0008, and keeps what is in them. The table is made anew: SQLite adds no foreign key."""
    columns = "checkin_id, utterance_id, background, intention, toned_by"
    rows = op.get_bind().execute(sa.text(f"SELECT {columns} FROM checkin_words")).mappings().all()  # noqa: S608  our own
    op.drop_table("checkin_words")
    made = op.create_table(
        "checkin_words",
        sa.Column("checkin_id", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.Column("background", sa.Text(), nullable=False),
        sa.Column("intention", sa.Text(), nullable=False),
        sa.Column("toned_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["checkin_id"], ["checkins.id"], name=op.f("fk_checkin_words_checkin_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_checkin_words_utterance_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_checkin_words_session_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("checkin_id", name=op.f("pk_checkin_words")),
        sa.UniqueConstraint("utterance_id", name=op.f("uq_checkin_words_utterance_id")),
    )
    op.create_index("ix_checkin_words_session_id", "checkin_words", ["session_id"])
    if rows:
        op.bulk_insert(made, [dict(row) for row in rows])
