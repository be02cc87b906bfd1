"""The contract of `bot.ports.Usage`."""

import asyncio
from datetime import date

from bot.domain import DayTokens
from tests.looking import spend
from tests.stored import ANN, ANNS_DM, BEN, HALL, Rows

TODAY, TOMORROW = date(2026, 3, 1), date(2026, 3, 2)


async def test_tokens_are_summed_by_day_and_subject(rows: Rows) -> None:
    assert await spend(rows.usage, TODAY, [ANN.id, "chat:server"], 0) == {ANN.id: 0, "chat:server": 0}
    assert await spend(rows.usage, TODAY, [ANN.id, "chat:server"], 100) == {ANN.id: 100, "chat:server": 100}
    assert await spend(rows.usage, TODAY, [BEN.id, "chat:server"], 7) == {BEN.id: 7, "chat:server": 107}
    assert await spend(rows.usage, TOMORROW, [ANN.id], 1) == {ANN.id: 1}
    assert await spend(rows.usage, TODAY, [ANN.id, BEN.id], 0) == {ANN.id: 100, BEN.id: 7}


async def test_a_subject_that_is_named_twice_pays_once(rows: Rows) -> None:
    assert await spend(rows.usage, TODAY, [ANN.id, ANN.id], 5) == {ANN.id: 5}
    assert await spend(rows.usage, TODAY, [], 5) == {}


async def test_nothing_is_lost_when_many_spend_at_once(rows: Rows) -> None:
    await asyncio.gather(*(spend(rows.usage, TODAY, [ANN.id], 3) for _ in range(20)))
    assert await spend(rows.usage, TODAY, [ANN.id], 0) == {ANN.id: 60}


async def test_a_day_is_told_by_people_and_by_servers(rows: Rows) -> None:
    server = f"{HALL.platform}:{HALL.server}"
    assert await rows.usage.of_day(TODAY) == DayTokens()
    for place in (HALL, ANNS_DM):
        await rows.accept(place=place)
    await spend(rows.usage, TODAY, [ANN.id, server], 30)
    await spend(rows.usage, TODAY, [BEN.id], 40)
    await spend(rows.usage, TOMORROW, [BEN.id], 5)
    assert await rows.usage.of_day(TODAY) == DayTokens((40, 30), {(HALL.platform, HALL.server or ""): 30})
