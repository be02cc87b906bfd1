import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.reply import MOST_STOPPED, clean, stop_texts, whole_sentences, without_said
from bot.language.speakers import plain_name

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
        ("Okay, they greet me.\n</think>\n\nHello Alice!", "Hello Alice!"),
        ("  \n ", ""),
        ("One: two.", "One: two."),
    ],
)
def test_a_reply_is_made_fit_to_send(said: str, shown: str) -> None:
    assert clean(said, LABELS) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Ann (3): Hello!", "Hello!"),
        ("ANN (12): Hello!", "Hello!"),
        ("Ann: Hello!", "Hello!"),
        ("**Ann (3):** Hello, **you**!", "Hello, **you**!"),
        ("<Ann> Hello!", "Hello!"),
        ("[Ann (3)] Hello!", "Hello!"),
        ("<Monica>: Hello!", "Hello!"),
        ("Monica, answering Ann (3): Hello!", "Hello!"),
        ("Hello!\nEarlier, Dr. Bob (7): Soup?", "Hello!"),
        ("Hello!\n<Dr. Bob> Soup?", "Hello!"),
        ("Hello!\u2028dr. bob： Soup?", "Hello!"),
        ("Hello! \u200bAnn: Soup?", "Hello!"),
        ("Hello, Ann (3)! How is Dr. Bob (7)?", "Hello, Ann! How is Dr. Bob?"),
        ("Ask Ann: she knows.", "Ask Ann: she knows."),
        ("See [Ann](https://example.org).", "See [Ann](https://example.org)."),
        ("Bob: yes.", "Bob: yes."),
    ],
)
def test_tags_are_known_in_every_dress(said: str, shown: str) -> None:
    assert clean(said, ("Monica", "Ann (3)", "Dr. Bob (7)")) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Hey @everyone and @Here!", "Hey @\u200beveryone and @\u200bHere!"),
        ("<@123> <@!4> <@&5> <#6>", "<@\u200b123> <@\u200b!4> <@\u200b&5> <#6>"),
        ("me@example.org, @ann", "me@example.org, @ann"),
    ],
)
def test_nobody_is_pinged(said: str, shown: str) -> None:
    assert clean(said, LABELS) == shown
    assert clean(shown, LABELS) == shown


NAMES = st.one_of(
    st.sampled_from(["Ann", "Bob", "Dr. Who", "太郎", "*x*", "@everyone", "[a] b", "İz", "ß"]), st.text()
).map(plain_name)


@given(st.data(), st.lists(st.tuples(NAMES, st.integers(0, 9)), min_size=1, max_size=5))
def test_no_line_of_a_reply_begins_with_anybodys_tag(data: st.DataObject, people: list[tuple[str, int]]) -> None:
    labels = [f"{name} ({number})" if number else name for name, number in people]
    names = st.sampled_from([*labels, *(name for name, _ in people), *(name.upper() for name, _ in people)])
    marks = st.sampled_from(
        [": ", ":", "\n", " ", "**", "<", ">", "[", "]", "!", "Yes! ", "Yes! Yes! ", "\u2029", "\r"]
    )
    pieces = data.draw(st.lists(st.one_of(names, marks, st.text(max_size=5)), max_size=20))
    shown = clean("".join(pieces), labels)
    for line in shown.splitlines():
        for label in [*labels, *(name for name, _ in people)]:
            assert not line.strip().casefold().startswith(f"{label.casefold()}:")
            assert not line.strip().casefold().startswith(f"<{label.casefold()}>")
    assert clean(shown, labels) == shown


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


def test_generation_stops_for_the_agent_and_those_who_spoke_last() -> None:
    stops = stop_texts(["Monica", *(f"P{n}x ({n})" for n in range(1, 50))])
    assert {"\nMonica:", "\nP1x:", "\nP1x (1)", "\nP8x:", "\nP8x (8)"} <= set(stops)
    assert not any("P9x" in stop for stop in stops)
    assert len(stops) < 3 * MOST_STOPPED


def test_a_sentence_that_another_began_with_says_nothing_new() -> None:
    assert clean("I'm so sorry, Arthur. I'm so sorry.", LABELS) == "I'm so sorry, Arthur."
    assert clean("Oh no! Oh no, really?", LABELS) == "Oh no! Oh no, really?"
    for kept in ("That's great. That's greater.", "You can't do it all. You can.", "Good luck on Friday! Good luck!"):
        assert clean(kept, LABELS) == kept


def test_what_was_said_before_is_left_out_but_short_words_may_come_again() -> None:
    before = ["Yes! I am here to support you.", "How was your day?"]
    assert without_said("Yes! That is great. I am here  to support you.", before) == "Yes! That is great."
    assert without_said("How was your day?", before) == ""
    assert without_said("I am here to support you.", before) == ""
