"""What was told a moment ago is shown as it holds now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.usecases.just_told import Fresh, fresh

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def test_what_was_told_last_holds_and_what_it_ends_stands_behind_it() -> None:
    words = ["My cat is called Pixel and she is grey.", "I live in Utrecht.", "he turned seven", "I like tea.",
             "Actually Nixel, not Pixel", "I moved from Utrecht to Ghent", "I moved to York."]  # fmt: skip
    told = [(one, NOW + timedelta(seconds=at)) for at, one in enumerate(words)]
    new, over = fresh(told, [("I play chess.", NOW - timedelta(days=9)), ("My son is six.", NOW - timedelta(days=9))])
    assert new == [
        Fresh(2, "My son is seven.", ("My son is six.",)),
        Fresh(3, "I like tea."),
        Fresh(4, "My cat is called Nixel and she is grey.", (words[0],)),
        Fresh(6, "I moved to York.", (words[5],)),
    ]
    assert over == {1}
