import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.reply import clean, stop_texts, whole_sentences, without_said

LABELS = ("Monica", "Alice", "Bob")
SAID = st.lists(
    st.sampled_from(
        ["Monica:", "alice:", "**Bob**:", "\n", " ", "Hello.", "I agree!", "[Memory, x: y]", "RESPONSE:", "é…", ":"]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Monica: Hello Alice!", "Hello Alice!"),
        ("**Monica**: Hello!", "Hello!"),
        ("RESPONSE: Monica: Hello!", "Hello!"),
        ("Hello!\nAlice: Hi, how are you?\nMonica: Fine.", "Hello!"),
        ("Hello! Bob: I agree.", "Hello!"),
        ("Alice: I would say so.", "I would say so."),
        ("[Memory, 2 days ago: Alice: rain] How was the rain?", "How was the rain?"),
        ("I'm sorry. I can't. I'm sorry. I can't.", "I'm sorry. I can't."),
        ("I am so sorry. How are you? I am so sorry. Tell me.", "I am so sorry. How are you?"),
        ("Yes! Yes! I remember your dog Rex.", "Yes! I remember your dog Rex."),
        ("  \n ", ""),
        ("One: two.", "One: two."),
    ],
)
def test_a_reply_is_made_fit_to_send(said: str, shown: str) -> None:
    assert clean(said, LABELS) == shown


def is_left_of(shown: str, said: str) -> bool:
    """Whether `shown` is `said` with something taken away."""
    rest = iter(said)
    return all(letter in rest for letter in shown)


@given(SAID)
def test_cleaning_only_takes_away_and_leaves_no_tag(said: str) -> None:
    shown = clean(said, LABELS)
    assert is_left_of(shown, said)
    assert not shown.casefold().startswith("monica:")


@given(SAID)
def test_a_growing_text_is_cleaned_as_the_final_one(said: str) -> None:
    assert clean(said, LABELS, finished=False).strip() == clean(said, LABELS)


def test_a_cut_reply_ends_with_its_last_whole_sentence() -> None:
    assert whole_sentences("That is good. How did it go? I was thi") == "That is good. How did it go?"
    assert whole_sentences("no end at all") == "no end at all"
    assert whole_sentences('She said "yes!"') == 'She said "yes!"'


def test_generation_stops_where_another_line_would_begin() -> None:
    assert {"\nMonica:", "\nAlice:", "\nBob:"} <= set(stop_texts(LABELS))


def test_what_was_said_before_is_left_out_but_short_words_may_come_again() -> None:
    before = ["Yes! I am here to support you.", "How was your day?"]
    assert without_said("Yes! That is great. I am here  to support you.", before) == "Yes! That is great."
    assert without_said("How was your day?", before) == ""
    assert without_said("I am here to support you.", before) == ""
