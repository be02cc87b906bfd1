"""How the steps write down tables and indexes.

Each step stands on its own: what it has used here stays as it is, and later changes of `bot/storage/shared/tables.py`
do not change it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

TYPES: Mapping[str, sa.types.TypeEngine[Any]] = {
    "text": sa.Text(),
    "integer": sa.Integer(),
    "float": sa.Float(),
    "boolean": sa.Boolean(),
    "moment": sa.DateTime(timezone=True),
    "date": sa.Date(),
    "blob": sa.LargeBinary(),
}
BOOLEANS = {"true": sa.true(), "false": sa.false()}


def table(
    name: str,
    columns: str,
    *,
    key: str,
    one_of: Mapping[str, str] | None = None,
    references: Mapping[str, str] | None = None,
    unique: Sequence[str] = (),
    counted: bool = False,
    rowid: bool = True,
) -> sa.Table:
    """Makes a table.

    Args:
        columns: such as "id integer, since moment null, country text default ''"; without null, one is never empty.
        key: the columns of its primary key.
        one_of: column → the values that it may have, as SQL.
        references: column → the column that it names, such as "utterances.id ON DELETE CASCADE".
        unique: groups of columns.
        counted: whether SQLite gives no id twice.
        rowid: False where SQLite keeps the rows under their key.
    """
    parts = [
        *(sa.CheckConstraint(f"{one} IN ({of})", name=op.f(f"ck_{name}_{one}")) for one, of in (one_of or {}).items()),
        *(_reference(name, one, *to.split(" ON DELETE ")) for one, to in (references or {}).items()),
        sa.PrimaryKeyConstraint(*key.split(), name=op.f(f"pk_{name}")),
        *(sa.UniqueConstraint(*some.split(), name=op.f(f"uq_{name}_{some.replace(' ', '_')}")) for some in unique),
    ]
    options = {"sqlite_autoincrement": True} if counted else {} if rowid else {"sqlite_with_rowid": False}
    return op.create_table(name, *map(column, columns.split(", ")), *parts, **options)


def column(written: str) -> sa.Column[Any]:
    """A column as `table` takes it: "since moment null"."""
    name, kind, rest = f"{written} ".split(" ", 2)
    default = rest.strip().removeprefix("default ") if rest.startswith("default ") else ""
    value = BOOLEANS.get(default, sa.text(default)) if default else None
    return sa.Column(name, TYPES[kind], server_default=value, nullable=rest.strip() == "null")


def _reference(table: str, column: str, target: str, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=op.f(f"fk_{table}_{column}"), ondelete=ondelete)


def index(of: str, columns: str, where: str = "", *, server: str = "", name: str = "", unique: bool = False) -> None:
    """Makes an index of a table, over the rows `where`; `server`: the same as PostgreSQL writes it."""
    named = name or f"ix_{of}_{columns.replace(' ', '_')}"
    rows: dict[str, Any] = {}
    if where:
        rows = {"sqlite_where": sa.text(where), "postgresql_where": sa.text(server or where)}
    op.create_index(named, of, columns.split(), unique=unique, **rows)
