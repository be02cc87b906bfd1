"""What platforms need: numbered speakers, replies in several parts, drafts, erased messages, modes, budgets, presence.

Tables are changed in place, never copied: with foreign keys in force, dropping a table would take the rows that belong
to it along.
"""

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import make

revision: str = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    """Changes the tables of 0001, and keeps what is in them."""
    make(__file__, "numbers")
    _number_speakers()
    make(__file__, "parts")
    op.execute(
        "INSERT INTO outbox_parts (outgoing_id, position, platform_message_id) "
        "SELECT id, 0, platform_message_id FROM outbox WHERE platform_message_id IS NOT NULL"
    )
    op.drop_index("ix_outbox_place_key_platform_message_id", table_name="outbox")
    op.drop_column("outbox", "platform_message_id")
    make(__file__, "rest")


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
