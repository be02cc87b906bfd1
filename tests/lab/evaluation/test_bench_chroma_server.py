"""`lab bench vectors --chroma` on few vectors: it measures, and finds erased ones in the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import BadInput
from lab.evaluation import bench_chroma_server


def test_it_measures_a_server_of_chromas_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench_chroma_server.run(tmp_path / "chroma", memories=200, people=4, queries=20, seed=0) == 0
    told = capsys.readouterr().out
    assert "200 memories of 4 people are made" in told
    assert "100.0% of the nearest ten are found" in told
    assert "of that person's 50 vectors still stand in its files" in told
    with pytest.raises(BadInput, match="is not empty"):
        bench_chroma_server.run(tmp_path / "chroma", memories=200, people=4, queries=20, seed=0)
