"""Token vectors of the encoder that is to be used next."""

from bot.storage.migrations.writing import table

revision: str = "0006"
down_revision: str | None = "0005"


def upgrade() -> None:
    """Changes the tables of 0005, and keeps what is in them."""
    table(
        "next_passage_tokens",
        "passage_id integer, count integer, scale float, vectors blob",
        key="passage_id",
        references={"passage_id": "passages.id ON DELETE CASCADE"},
    )
