"""The session that was begun anew when a person turned to another memory than a check-in was about."""

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import index, table

revision: str = "0009"
down_revision: str | None = "0008"


def upgrade() -> None:
    """Changes the tables of 0008, and keeps what is in them. The table is made anew: SQLite adds no foreign key."""
    columns = "checkin_id, utterance_id, background, intention, toned_by"
    rows = op.get_bind().execute(sa.text(f"SELECT {columns} FROM checkin_words")).mappings().all()  # noqa: S608  our own
    op.drop_table("checkin_words")
    made = table(
        "checkin_words",
        "checkin_id integer, utterance_id integer, background text, intention text, toned_by text default '', "
        "session_id integer null",
        key="checkin_id",
        references={
            "checkin_id": "checkins.id ON DELETE CASCADE",
            "utterance_id": "utterances.id ON DELETE CASCADE",
            "session_id": "sessions.id ON DELETE SET NULL",
        },
        unique=["utterance_id"],
    )
    index("checkin_words", "session_id")
    if rows:
        op.bulk_insert(made, [dict(row) for row in rows])
