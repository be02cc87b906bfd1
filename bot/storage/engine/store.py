"""What the stores of a database have in common: a statement that is a transaction by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Executable, Row

from bot.storage.engine.database import Database

Values = Mapping[str, Any] | None
"""The parameters of a statement."""


class Store:
    """What implements a port in SQL, over one database. All of it raises StorageError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _rows(self, query: Executable, values: Values = None) -> Sequence[Row[*tuple[Any, ...]]]:
        """All rows of a query."""
        async with self._database.looking() as connection:
            return (await connection.execute(query, values)).all()

    async def _column(self, query: Executable, values: Values = None) -> Sequence[Any]:
        """What all rows have in the first column."""
        async with self._database.looking() as connection:
            return (await connection.execute(query, values)).scalars().all()

    async def _value(self, query: Executable, values: Values = None) -> Any:
        """What the first row has in the first column; None: there is no row."""
        async with self._database.looking() as connection:
            return await connection.scalar(query, values)

    async def _write(self, statement: Executable, values: Values = None) -> int:
        """Writes with a statement; returns how many rows it was about."""
        async with self._database.writing() as connection:
            return (await connection.execute(statement, values)).rowcount
