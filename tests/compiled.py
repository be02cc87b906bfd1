"""The statements of all databases of a run, compiled once: each engine would compile all of its own anew.

Half of what a short test of the whole core computes. What a statement becomes depends on the kind of database and on
nothing else of an engine.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest
from sqlalchemy import Engine


class Compiled(dict[Hashable, Any]):
    """An engine's cache of compiled statements, for all engines. In a key the dialect is the engine's own: its kind."""

    def get(self, key: Any, default: Any = None) -> Any:
        """As SQLAlchemy asks for a statement."""
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), value)

    def share(self, patch: pytest.MonkeyPatch) -> None:
        """Has every engine that is made from now on use it, until `patch` is undone."""
        everybodys = property(lambda _: self, lambda _, own: None)
        patch.setattr(Engine, "_compiled_cache", everybodys, raising=False)
