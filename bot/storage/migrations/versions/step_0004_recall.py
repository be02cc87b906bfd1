"""What recall needs beside events and traits: the memory graph's edges, and passages.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None

MOMENT = sa.DateTime(timezone=True)

RELATIONS = "'changed', 'cause', 'reason', 'hindered_by', 'react', 'want', 'same_topic'"


def upgrade() -> None:
    """Changes the tables of 0003, and keeps what is in them."""
    _edges()
    _passages()
    _archive_old_sessions()
    _link_old_events()


def _edges() -> None:
    op.create_table(
        "edges",
        sa.Column("older", sa.Integer(), nullable=False),
        sa.Column("newer", sa.Integer(), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.CheckConstraint(f"relation IN ({RELATIONS})", name=op.f("ck_edges_relation")),
        sa.ForeignKeyConstraint(["older"], ["events.id"], name=op.f("fk_edges_older"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["newer"], ["events.id"], name=op.f("fk_edges_newer"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("older", "newer", name=op.f("pk_edges")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_edges_newer", "edges", ["newer"], unique=False)


def _passages() -> None:
    op.create_table(
        "passages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("indexed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_passages_utterance_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_passages_session_id")),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_passages_place_key")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passages")),
        sa.UniqueConstraint("utterance_id", name=op.f("uq_passages_utterance_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passages_place_key_id", "passages", ["place_key", "id"], unique=False)
    op.create_index("ix_passages_session_id_id", "passages", ["session_id", "id"], unique=False)
    op.create_index(
        "ix_passages_unindexed",
        "passages",
        ["id"],
        unique=False,
        sqlite_where=sa.text("indexed = 0"),
        postgresql_where=sa.text("NOT indexed"),
    )


def _archive_old_sessions() -> None:
    """Has what was said before become passages, in the background: the latest sessions first, as they get low ids."""
    _add_jobs("SELECT 'archive', id, 'due', 0, :now FROM sessions WHERE state = 'closed' ORDER BY id DESC")


def _link_old_events() -> None:
    """Has the events of before be linked, the oldest first: each is linked with those before it."""
    _add_jobs("SELECT 'link', id, 'due', 0, :now FROM events ORDER BY time, id")


def _add_jobs(chosen: str) -> None:
    """Adds jobs; `chosen` selects their columns."""
    adding = sa.text(f"INSERT INTO jobs (kind, subject, state, attempts, created) {chosen}")
    adding = adding.bindparams(sa.bindparam("now", type_=MOMENT))
    now = datetime.now(UTC)
    connection = op.get_bind()
    connection.execute(adding, {"now": now.replace(tzinfo=None) if connection.dialect.name == "sqlite" else now})
