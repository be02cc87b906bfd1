"""`lab bench vectors` on few vectors: it measures pgvector, beside what numpy finds among the same."""

from __future__ import annotations

import pytest

from lab.evaluation import bench_vectors
from tests.postgres import Server


async def test_it_measures_pgvector_beside_numpy(postgres: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert await bench_vectors.run(await postgres.fresh(), memories=200, people=4, queries=20, seed=0) == 0
    told = capsys.readouterr().out
    for sentence in (
        "200 memories of 4 people are made",
        "100.0% of the nearest ten are found",
        "On disk: ",
        "One person is erased",
        "All are made anew",
    ):
        assert sentence in told
