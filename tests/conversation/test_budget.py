from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.budget import Part, fit

PARTS = st.lists(
    st.tuples(st.integers(1, 20), st.integers(0, 50)).map(lambda pair: Part(pair[0], pair[1])), max_size=30
)


def cost(parts: Sequence[Part[int]]) -> int:
    return 10 + sum(part.content for part in parts)


@given(PARTS, st.integers(0, 200))
def test_the_kept_parts_fit_and_the_next_one_would_not(parts: list[Part[int]], limit: int) -> None:
    kept = fit(parts, limit, cost)
    assert cost(kept) <= limit or not kept
    if limit >= 10 and len(kept) < len(parts):
        ranked = sorted(range(len(parts)), key=lambda at: (parts[at].rank, at))
        one_more = [parts[at] for at in sorted(ranked[: len(kept) + 1])]
        assert cost(one_more) > limit


@given(PARTS, st.integers(0, 200))
def test_the_largest_ranks_go_first_and_the_order_stays(parts: list[Part[int]], limit: int) -> None:
    kept = fit(parts, limit, cost)
    dropped = len(parts) - len(kept)
    assert sorted(part.rank for part in kept) == sorted(part.rank for part in parts)[: len(parts) - dropped]
    rest = iter(parts)
    assert all(any(part is other for other in rest) for part in kept)


def test_it_counts_few_times() -> None:
    calls = 0

    def counting(parts: Sequence[Part[int]]) -> int:
        nonlocal calls
        calls += 1
        return len(parts)

    assert len(fit([Part(0, rank) for rank in range(1000)], 500, counting)) == 500
    assert calls <= 11
