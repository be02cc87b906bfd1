"""The engine benchmark counts what was generated."""

from bot.evaluation.bench_engine import measure
from bot.llm.scripted import ScriptedChatModel


async def test_one_row_for_each_number_of_requests() -> None:
    rows = await measure(ScriptedChatModel("one two three four"), [1, 3], max_tokens=3)
    assert [(row.concurrent, row.completion_tokens) for row in rows] == [(1, 3), (3, 9)]
    assert all(row.tokens_per_s > 0 and row.first_token_s > 0 for row in rows)
