"""Runs the migrations on the connection it is given (`bot/storage/engine/schema.py`), inside its transaction."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from bot.storage.shared.tables import metadata

connection: Connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
