"""One index of vectors: another encoder's are made while words find memories, not beside the former one's."""

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"


def upgrade() -> None:
    """Changes the tables of 0009. What goes are vectors, which are made anew; the next start deletes their folder."""
    op.drop_table("next_passage_tokens")
    op.execute(sa.text("DELETE FROM meta WHERE key = 'vector_index_next'"))
