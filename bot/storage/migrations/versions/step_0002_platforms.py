"""What platforms need: numbered speakers, replies in several parts, drafts, erased messages, modes, budgets, presence.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step. Tables are
changed in place, never copied: with foreign keys in force, dropping a table would take the rows that belong to it
along.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Changes the tables of 0001, and keeps what is in them."""
    _people()
    _outbox()
    op.add_column("event_speakers", sa.Column("name", sa.Text(), nullable=True))
    _corrections()
    _channels()


def _people() -> None:
    op.create_index("ix_places_platform_kind", "places", ["platform", "kind"], unique=False)
    op.add_column("speakers", sa.Column("number", sa.Integer(), server_default=sa.text("0"), nullable=False))
    _number_speakers()
    op.create_index("ix_speakers_number", "speakers", ["number"], unique=True)


def _number_speakers() -> None:
    """In order of first appearance; those of whom nothing is left come last."""
    in_order = sa.text(
        "SELECT speakers.id FROM speakers LEFT JOIN utterances ON utterances.speaker_id = speakers.id "
        "GROUP BY speakers.id ORDER BY MIN(utterances.id) IS NULL, MIN(utterances.id), speakers.id"
    )
    number = sa.text("UPDATE speakers SET number = :number WHERE id = :id")
    connection = op.get_bind()
    for position, speaker_id in enumerate(connection.execute(in_order).scalars().all(), start=1):
        connection.execute(number, {"number": position, "id": speaker_id})


def _outbox() -> None:
    op.create_table(
        "outbox_parts",
        sa.Column("outgoing_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("platform_message_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["outgoing_id"], ["outbox.id"], name=op.f("fk_outbox_parts_outgoing_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("outgoing_id", "position", name=op.f("pk_outbox_parts")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_outbox_parts_platform_message_id", "outbox_parts", ["platform_message_id"], unique=False)
    op.execute(
        "INSERT INTO outbox_parts (outgoing_id, position, platform_message_id) "
        "SELECT id, 0, platform_message_id FROM outbox WHERE platform_message_id IS NOT NULL"
    )
    op.drop_index("ix_outbox_place_key_platform_message_id", table_name="outbox")
    op.drop_column("outbox", "platform_message_id")
    op.create_index("ix_outbox_place_key_id", "outbox", ["place_key", "id"], unique=False)
    op.create_index(
        "ix_outbox_undelivered_place_key",
        "outbox",
        ["place_key"],
        unique=False,
        sqlite_where=sa.text("state IN ('ready', 'sending')"),
        postgresql_where=sa.text("state IN ('ready', 'sending')"),
    )
    op.create_table(
        "drafts",
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("in_reply_to", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_drafts_place_key")),
        sa.PrimaryKeyConstraint("place_key", "in_reply_to", name=op.f("pk_drafts")),
    )


def _corrections() -> None:
    op.create_table(
        "erased_messages",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("platform", "message_id", name=op.f("pk_erased_messages")),
    )
    op.create_index("ix_erased_messages_at", "erased_messages", ["at"], unique=False)


def _channels() -> None:
    op.create_table(
        "channel_modes",
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("set_by", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.CheckConstraint("mode IN ('mention', 'listen', 'open', 'off')", name=op.f("ck_channel_modes_mode")),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_channel_modes_place_key")),
        sa.PrimaryKeyConstraint("place_key", name=op.f("pk_channel_modes")),
    )
    op.create_table(
        "reply_tokens",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", "subject", name=op.f("pk_reply_tokens")),
    )
    op.create_table(
        "presence",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("platform", name=op.f("pk_presence")),
    )
