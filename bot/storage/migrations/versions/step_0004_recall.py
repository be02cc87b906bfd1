"""What recall needs beside events and traits: the memory graph's edges, and passages."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import make

revision: str = "0004"
down_revision: str | None = "0003"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Changes the tables of 0003, and keeps what is in them."""
    make(__file__)
    _archive_old_sessions()
    _link_old_events()


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
