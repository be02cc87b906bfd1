"""Check-ins: what people chose, the check-ins themselves, and personality types.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None

MOMENT = sa.DateTime(timezone=True)

STATES = "'claimed', 'composed', 'sent', 'skipped', 'failed'"


def upgrade() -> None:
    """Changes the tables of 0006, and keeps what is in them."""
    op.drop_index("ix_utterances_speaker_id_place_key", table_name="utterances")
    op.create_index(
        "ix_utterances_speaker_id_place_key_time", "utterances", ["speaker_id", "place_key", "time"], unique=False
    )
    _wishes()
    _checkins()
    _words()
    _characters()


def _wishes() -> None:
    op.create_table(
        "checkin_wishes",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("speaker_id", sa.Text(), nullable=True),
        sa.Column("wanted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("offered", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("zone", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("times", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("days", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("quiet", sa.Text(), nullable=True),
        sa.Column("every_days", sa.Integer(), nullable=True),
        sa.Column("paused_until", MOMENT, nullable=True),
        sa.Column("next_at", MOMENT, nullable=True),
        sa.Column("helped", MOMENT, nullable=True),
        sa.Column("last_said_at", MOMENT, nullable=True),
        sa.Column("answered_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_checkin_wishes")),
    )
    op.create_index("ix_checkin_wishes_speaker_id", "checkin_wishes", ["speaker_id"], unique=False)
    op.create_index(
        "ix_checkin_wishes_next_at_person_id",
        "checkin_wishes",
        ["next_at", "person_id"],
        unique=False,
        sqlite_where=sa.text("next_at IS NOT NULL"),
        postgresql_where=sa.text("next_at IS NOT NULL"),
    )
    op.create_index(
        "ix_checkin_wishes_helped",
        "checkin_wishes",
        ["helped"],
        unique=False,
        sqlite_where=sa.text("helped IS NOT NULL"),
        postgresql_where=sa.text("helped IS NOT NULL"),
    )
    op.create_index(
        "ix_checkin_wishes_unplanned",
        "checkin_wishes",
        ["speaker_id"],
        unique=False,
        sqlite_where=sa.text("wanted = 1 AND next_at IS NULL"),
        postgresql_where=sa.text("wanted AND next_at IS NULL"),
    )


def _checkins() -> None:
    op.create_table(
        "checkins",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("speaker_id", sa.Text(), nullable=False),
        sa.Column("due", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.Column("utterance_id", sa.Integer(), nullable=True),
        sa.Column("said_at", MOMENT, nullable=True),
        sa.Column("farewell", sa.Boolean(), server_default=sa.false(), nullable=False),
        *(sa.Column(name, sa.Float(), nullable=True) for name in ("importance", "balance", "freshness", "total")),
        sa.CheckConstraint(f"state IN ({STATES})", name=op.f("ck_checkins_state")),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_checkins_utterance_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checkins")),
        sa.UniqueConstraint("speaker_id", "due", name=op.f("uq_checkins_speaker_id_due")),
        sa.UniqueConstraint("utterance_id", name=op.f("uq_checkins_utterance_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_checkins_state_due", "checkins", ["state", "due"], unique=False)
    for name, column, which in (
        ("ix_checkins_said_at", "said_at", "said_at IS NOT NULL"),
        ("ix_checkins_claimed", "lease_until", "state = 'claimed'"),
        ("ix_checkins_unsaid", "id", "state = 'skipped' AND utterance_id IS NOT NULL"),
    ):
        rows = sa.text(which)
        op.create_index(name, "checkins", [column], unique=False, sqlite_where=rows, postgresql_where=rows)


def _words() -> None:
    op.create_table(
        "checkin_words",
        sa.Column("checkin_id", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.Column("background", sa.Text(), nullable=False),
        sa.Column("intention", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["checkin_id"], ["checkins.id"], name=op.f("fk_checkin_words_checkin_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_checkin_words_utterance_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("checkin_id", name=op.f("pk_checkin_words")),
        sa.UniqueConstraint("utterance_id", name=op.f("uq_checkin_words_utterance_id")),
    )
    op.create_table(
        "checkin_threads",
        sa.Column("checkin_id", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["checkin_id"], ["checkins.id"], name=op.f("fk_checkin_threads_checkin_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_checkin_threads_utterance_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("checkin_id", "utterance_id", name=op.f("pk_checkin_threads")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_checkin_threads_utterance_id", "checkin_threads", ["utterance_id"], unique=False)


def _characters() -> None:
    op.create_table(
        "characters",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("guessed", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("off", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("stability", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_characters")),
        sa.UniqueConstraint("person_id", name=op.f("uq_characters_person_id")),
    )
    op.create_table(
        "character_sources",
        sa.Column("character_id", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["character_id"], ["characters.id"], name=op.f("fk_character_sources_character_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["utterance_id"], ["utterances.id"], name=op.f("fk_character_sources_utterance_id")),
        sa.PrimaryKeyConstraint("character_id", "utterance_id", name=op.f("pk_character_sources")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_character_sources_utterance_id", "character_sources", ["utterance_id"], unique=False)
