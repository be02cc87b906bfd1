"""What several processes over one database need: leases, notices on their way, and when a turn is tried again."""

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import index, table

revision: str = "0011"
down_revision: str | None = "0010"


def upgrade() -> None:
    """Changes the tables of 0010, and keeps what is in them."""
    time = sa.DateTime(timezone=op.get_bind().dialect.name != "sqlite")
    op.add_column("inbox", sa.Column("again", time, nullable=True))
    table(
        "notices",
        "id integer, place_key text, behind integer, text text, choices text, in_reply_to text null, nonce text, "
        "state text, created moment",
        key="id",
        one_of={"state": "'ready', 'sending'"},
        references={"place_key": "places.key ON DELETE CASCADE"},
        counted=True,
    )
    index("notices", "place_key")
    table("leases", "id integer, name text, holder text, until moment", key="id", unique=["name"], counted=True)
