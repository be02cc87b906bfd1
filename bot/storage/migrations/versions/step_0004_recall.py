"""What recall needs beside events and traits: the memory graph's edges, and passages."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import index, table

revision: str = "0004"
down_revision: str | None = "0003"

MOMENT = sa.DateTime(timezone=True)

RELATIONS = "'changed', 'cause', 'reason', 'hindered_by', 'react', 'want', 'same_topic'"


def upgrade() -> None:
    """Changes the tables of 0003, and keeps what is in them."""
    _edges()
    _passages()
    _archive_old_sessions()
    _link_old_events()


def _edges() -> None:
    table(
        "edges",
        "older integer, newer integer, relation text",
        key="older newer",
        one_of={"relation": RELATIONS},
        references={"older": "events.id ON DELETE CASCADE", "newer": "events.id ON DELETE CASCADE"},
        rowid=False,
    )
    index("edges", "newer")


def _passages() -> None:
    table(
        "passages",
        "id integer, utterance_id integer, session_id integer, place_key text, indexed boolean",
        key="id",
        references={
            "utterance_id": "utterances.id ON DELETE CASCADE",
            "session_id": "sessions.id",
            "place_key": "places.key",
        },
        unique=["utterance_id"],
        counted=True,
    )
    index("passages", "place_key id")
    index("passages", "session_id id")
    index("passages", "id", "indexed = 0", server="NOT indexed", name="ix_passages_unindexed")


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
