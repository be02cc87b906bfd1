"""The page over made-up memories: every page of them answers, and the figures are all there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import load_settings
from bot.errors import BadInput
from lab.evaluation.bench_page import OWNERS, Size, Times, as_table, measure, run


async def test_every_page_is_timed(tmp_path: Path) -> None:
    settings = load_settings(None, {}, storage__data_dir=str(tmp_path))
    size = Size(memories=60, own=30, people=3, visits=2)
    times = await measure(settings, size)
    assert len(times) == 7 + len(OWNERS)
    assert all(len(one.ms) == 2 and min(one.ms) > 0 for one in times)
    assert as_table(size, times).row_count == len(times)


async def test_sizes_that_cannot_be_are_told(tmp_path: Path) -> None:
    settings = load_settings(None, {}, storage__data_dir=str(tmp_path))
    with pytest.raises(BadInput, match="--own"):
        await run(settings, Size(memories=10, own=20, people=3), None)


def test_a_quantile_is_of_all_visits() -> None:
    assert Times("/memories", (1.0, 2.0, 3.0)).quantile(0.5) == 2.0
