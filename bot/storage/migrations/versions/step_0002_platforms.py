"""What platforms need: numbered speakers, replies in several parts, drafts, erased messages, modes, budgets, presence.

Tables are changed in place, never copied: with foreign keys in force, dropping a table would take the rows that belong
to it along.
"""

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import index, table

revision: str = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    """Changes the tables of 0001, and keeps what is in them."""
    _people()
    _outbox()
    op.add_column("event_speakers", sa.Column("name", sa.Text(), nullable=True))
    _corrections()
    _channels()


def _people() -> None:
    index("places", "platform kind")
    op.add_column("speakers", sa.Column("number", sa.Integer(), server_default=sa.text("0"), nullable=False))
    _number_speakers()
    index("speakers", "number", unique=True)


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
    table(
        "outbox_parts",
        "outgoing_id integer, position integer, platform_message_id text",
        key="outgoing_id position",
        references={"outgoing_id": "outbox.id ON DELETE CASCADE"},
        rowid=False,
    )
    index("outbox_parts", "platform_message_id")
    op.execute(
        "INSERT INTO outbox_parts (outgoing_id, position, platform_message_id) "
        "SELECT id, 0, platform_message_id FROM outbox WHERE platform_message_id IS NOT NULL"
    )
    op.drop_index("ix_outbox_place_key_platform_message_id", table_name="outbox")
    op.drop_column("outbox", "platform_message_id")
    index("outbox", "place_key id")
    index("outbox", "place_key", "state IN ('ready', 'sending')", name="ix_outbox_undelivered_place_key")
    table(
        "drafts",
        "place_key text, in_reply_to text, message_id text",
        key="place_key in_reply_to",
        references={"place_key": "places.key"},
    )


def _corrections() -> None:
    table("erased_messages", "platform text, message_id text, at moment", key="platform message_id")
    index("erased_messages", "at")


def _channels() -> None:
    table(
        "channel_modes",
        "place_key text, mode text, set_by text, at moment",
        key="place_key",
        one_of={"mode": "'mention', 'listen', 'open', 'off'"},
        references={"place_key": "places.key"},
    )
    table("reply_tokens", "day date, subject text, tokens integer", key="day subject")
    table("presence", "platform text, until moment", key="platform")
