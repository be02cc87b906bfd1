"""Statements that are compiled once for all databases of a run are those that each would have compiled."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.storage.shared.tables import meta, metadata
from tests.compiled import Compiled

ASKED = select(meta.c.value).where(meta.c.key == "a key of this test")


def test_a_second_database_compiles_nothing_anew_and_finds_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    everybodys = Compiled()
    everybodys.share(monkeypatch)
    found = []
    for value in ("first", "second"):
        engine = create_engine("sqlite://")
        with engine.begin() as connection:
            metadata.create_all(connection, tables=[meta])
            connection.execute(meta.insert().values(key="a key of this test", value=value))
            found.append((connection.execute(ASKED).scalar_one(), len(everybodys)))
        engine.dispose()
    assert found[0][1] > 0
    assert found == [("first", found[0][1]), ("second", found[0][1])]


def test_another_kind_of_database_has_its_own() -> None:
    everybodys = Compiled()
    everybodys[sqlite.dialect(), "a"] = 1
    assert everybodys.get((sqlite.dialect(), "a")) == 1
    assert everybodys.get((postgresql.dialect(), "a")) is None  # type: ignore[no-untyped-call]  # not annotated
