"""The names that are taken out of a summary before it is embedded, and the words that are not."""

import pytest

from bot.indexing.indexing import event_key


@pytest.mark.parametrize(
    ("summary", "key"),
    [
        ("Speaker 1: I like tea. Speaker 2: So do I!", "I like tea. So do I!"),
        ("Mary Ann: My plan: go to Rome. At 10: lunch.", "My plan: go to Rome. At 10: lunch."),
        ("Ann Mary Smith: Hello? Ben: “Hello.” Ann: Bye…", "Hello? “Hello.” Bye…"),
        ("Ann (3): I sail. ANN (12): So do I! Mary Ann (4): Me too.", "I sail. So do I! Me too."),
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


def test_a_name_that_the_event_knows_is_taken_out_whatever_it_looks_like() -> None:
    summary = "will.i.am 99: I will sing. One Two Three Four: So do I. So thus: music. ann (3): Hm."
    names = ["will.i.am 99 (4)", "One Two Three Four (5)", "ann (3)"]
    assert event_key(summary, names) == "I will sing. So do I. So thus: music. Hm."
