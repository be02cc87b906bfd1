"""The names that are taken out of a summary before it is embedded, and the words that are not."""

import pytest

from bot.indexing import event_key


@pytest.mark.parametrize(
    ("summary", "key"),
    [
        ("Speaker 1: I like tea. Speaker 2: So do I!", "I like tea. So do I!"),
        ("Mary Ann: My plan: go to Rome. At 10: lunch.", "My plan: go to Rome. At 10: lunch."),
        ("Ann Mary Smith: Hello? Ben: “Hello.” Ann: Bye…", "Hello? “Hello.” Bye…"),
        ("太郎: お茶が好き。", "お茶が好き。"),
        ("I have a plan: Rome. My aim: Oslo.", "I have a plan: Rome. My aim: Oslo."),
        ("They meet at Ann: 10 people come.", "They meet at Ann: 10 people come."),
        (
            "Ann: See https://example.org/a: it is open 9:30 to 10:30.",
            "See https://example.org/a: it is open 9:30 to 10:30.",
        ),
        ("Before 9: tea. Until 12: work.", "Before 9: tea. Until 12: work."),
        ("One Two Three Four: five.", "One Two Three Four: five."),
    ],
)
def test_only_names_at_the_start_of_a_sentence_are_taken_out(summary: str, key: str) -> None:
    assert event_key(summary) == key
