"""Of which utterances the model that talks was asked whether it hears danger, and what it heard."""

from bot.storage.migrations.writing import make

revision: str = "0013"
down_revision: str | None = "0012"


def upgrade() -> None:
    """Adds the column; what was said before was not asked about."""
    make(__file__)
