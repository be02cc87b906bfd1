"""Of which utterances the model that talks was asked whether it hears danger, and what it heard."""

import sqlalchemy as sa
from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"


def upgrade() -> None:
    """Adds the column; what was said before was not asked about."""
    op.add_column("utterances", sa.Column("heard_danger", sa.Boolean()))
