from bot.domain import ChatMessage, Role
from bot.llm.estimate import TokenEstimate

LONG = (ChatMessage(Role.USER, "We talked about the sea and its weather. " * 40),)
SHORT = (ChatMessage(Role.USER, "Hello"),)


def test_counts_rather_more_than_less() -> None:
    estimate = TokenEstimate()
    assert 400 < estimate.count(LONG) < 700  # about 370 in the vocabularies of today
    assert estimate.count((ChatMessage(Role.USER, "我去公园" * 100),)) > 400
    assert estimate.count(LONG + SHORT) > estimate.count(LONG)


def test_learns_at_once_that_it_counts_too_little_and_slowly_that_it_counts_too_much() -> None:
    estimate = TokenEstimate()
    first = estimate.count(LONG)
    estimate.learn(LONG, first * 2)
    assert abs(estimate.count(LONG) - first * 2) <= 2
    estimate.learn(LONG, first)
    assert first * 1.8 < estimate.count(LONG) < first * 2
    for _ in range(200):
        estimate.learn(LONG, first)
    assert abs(estimate.count(LONG) - first) <= 2


def test_learns_nothing_from_short_prompts_and_nothing_absurd() -> None:
    estimate = TokenEstimate()
    estimate.learn(SHORT, 500)
    estimate.learn(LONG, 0)
    assert estimate.factor == 1.0
    estimate.learn(LONG, 1_000_000)
    assert estimate.factor == 3.0
