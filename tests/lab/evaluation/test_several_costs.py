"""What a rehearsal costs: counted in other processes' files, and asked of the server and the system."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from pathlib import Path

from sqlalchemy import text

from bot.storage.engine.database import open_database
from lab.evaluation import several_costs
from lab.evaluation.several_costs import COUNTED, NUMBERS, Costs, figures, heads, measured
from tests.postgres import Server


async def test_the_processor_the_statements_and_the_writer_are_measured(postgres: Server, tmp_path: Path) -> None:
    url, file = await postgres.fresh(), tmp_path / f"worker-0{COUNTED}"
    file.write_bytes(NUMBERS.pack(5, 1))
    async with (
        aclosing(await open_database(url)) as database,
        measured({"worker-0": os.getpid()}, tmp_path, url) as costs,
    ):
        async with database.writing() as connection:
            await connection.execute(text("SELECT sum(one) FROM generate_series(1, 3000000) AS one"))
            while not costs.held:  # noqa: ASYNC110  it looks now and then
                await asyncio.sleep(several_costs.LOOK_S)
            await connection.execute(text("SELECT pg_stat_force_next_flush()"))  # else it may tell of it in ten seconds
        file.write_bytes(NUMBERS.pack(45, 3))
    assert (costs.statements, costs.requests) == (40, 2)
    assert costs.transactions >= 1
    assert 0 < costs.held <= costs.looks
    assert costs.processor_s[several_costs.SERVER] > 0
    assert costs.machine_s > 0


def test_a_line_has_what_its_heads_say() -> None:
    costs = Costs(seconds=10.0, machine_s=15.0, statements=900, requests=100, transactions=300, looks=10, held=5)
    costs.processor_s |= {"worker": 6.0, "gateway": 3.0, several_costs.SERVER: 2.0}
    told = dict(zip(heads(), figures(2, 100, costs), strict=True))
    assert told["workers"] == "2"
    assert told["ms of a core a message: workers"] == "60"
    assert told["statements"] == "9"
    assert told["somebody writes"] == "50%"
