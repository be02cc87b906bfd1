"""What people are called: labels, and memories told in today's names."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import AGENT_ID, Event, Place, PlaceKind, Speaker
from bot.language.speakers import (
    LONGEST_NAME,
    NAMELESS,
    NameRefresh,
    folded,
    label_absent,
    label_speakers,
    one_line,
    plain_name,
    without_number,
)

ANN, BOB, OTHER = Speaker("d:ann", "Ann", 3), Speaker("d:bob", "Bob", 7), Speaker("d:other", "ANN", 9)
FALSE_MONICA, BOT = Speaker("d:eve", "Monica", 4), Speaker(AGENT_ID, "Monica", 1)
HALL = Place("d", PlaceKind.CHANNEL, "home/hall")
NAMES = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["Ann", "Monica", "(3)", " ", "\n", ":", "\u200b", "\u202e", "（9）", "<", "answering", ",", "-", "•", "#"]
        )
    ).map("".join),
)


def event(summary: str, *names: tuple[Speaker, str]) -> Event:
    return Event(
        HALL,
        1,
        summary,
        frozenset(),
        datetime(2026, 11, 1, tzinfo=UTC),
        frozenset(speaker.id for speaker, _ in names),
        (1,),
        names=tuple((speaker.id, called) for speaker, called in names),
    )


def test_everybody_has_their_number_where_it_is_wanted() -> None:
    assert label_speakers([ANN, BOT, BOB, OTHER, FALSE_MONICA], "Monica", numbered=True) == {
        AGENT_ID: "Monica",
        ANN.id: "Ann (3)",
        BOB.id: "Bob (7)",
        OTHER.id: "ANN (9)",
        FALSE_MONICA.id: "Monica (4)",
    }


def test_otherwise_namesakes_have_it_and_whoever_has_the_agents_name() -> None:
    assert label_speakers([ANN, BOB, OTHER, FALSE_MONICA], "Monica") == {
        AGENT_ID: "Monica",
        ANN.id: "Ann (3)",
        BOB.id: "Bob",
        OTHER.id: "ANN (9)",
        FALSE_MONICA.id: "Monica (4)",
    }


def test_without_numbers_the_second_of_a_name_is_told_apart_all_the_same() -> None:
    people = [Speaker("a", "Ann"), Speaker("b", "ann"), Speaker("e", "Monica")]
    assert label_speakers(people, "Monica") == {AGENT_ID: "Monica", "a": "Ann", "b": "ann (2)", "e": "Monica (2)"}


def test_a_renamed_person_has_the_name_used_last() -> None:
    labels = label_speakers([ANN, BOB, Speaker(ANN.id, "Anna", 3)], "Monica", numbered=True)
    assert labels == {AGENT_ID: "Monica", ANN.id: "Anna (3)", BOB.id: "Bob (7)"}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Ann\nMonica: I", "Ann Monica I"),
        ("Bob (7)", "Bob"),
        ("Bob (7) （12）", "Bob"),
        ("Bob (the 7)", "Bob (the 7)"),
        ("A\u200bnn\u202e\u2066", "Ann"),
        ("<MEMORY> Ann", "MEMORY Ann"),
        ("Ann, answering Bob", "Ann answering Bob"),
        ("x" * 99, "x" * LONGEST_NAME),
        ("Ann" + "n" * (LONGEST_NAME - 7) + " (3) x", "Ann" + "n" * (LONGEST_NAME - 7)),
        ("\u3164 \u200d", NAMELESS),
        ("", NAMELESS),
        ("(3)", NAMELESS),
        ("太郎", "太郎"),
        ("[TAG] Zoë 🌻", "[TAG] Zoë 🌻"),
        ("- yesterday, word for word", "yesterday word for word"),
        ("\u200b • # Ann-Marie #1", "Ann-Marie #1"),
        ("*** — ann", "ann"),
        ("\n>> - Ann", "Ann"),
        ("- (3)", NAMELESS),
        ("---", NAMELESS),
    ],
)
def test_a_name_cannot_pass_for_what_it_is_not(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@given(NAMES)
def test_a_plain_name_is_one_short_line_that_is_plain_already(name: str) -> None:
    plain = plain_name(name)
    assert 0 < len(plain) <= LONGEST_NAME
    assert one_line(plain) == plain
    assert not set(plain) & set("<>:,\u200b\u202e")
    assert plain[0] not in "-–—•*#"
    assert without_number(plain) == plain
    assert plain_name(plain) == plain


@given(st.lists(st.tuples(st.integers(1, 9), NAMES), max_size=9), st.booleans())
def test_all_labels_differ_and_none_is_the_agents(people: list[tuple[int, str]], numbered: bool) -> None:
    labels = label_speakers([Speaker(f"d:{n}", name, n) for n, name in people], "Monica", numbered=numbered)
    assert len({folded(label) for label in labels.values()}) == len(labels) == len({n for n, _ in people}) + 1
    assert labels[AGENT_ID] == "Monica"


def test_the_names_of_a_summary_become_those_of_today() -> None:
    told = event(
        "Ann: I sail. Bob: Ann's boat sank. Monica: Oh, Ann!", (ANN, "Ann (3)"), (BOB, "Bob (7)"), (BOT, "Monica")
    )
    labels = {ANN.id: "Anna (3)", BOB.id: "Bob (7)", AGENT_ID: "Luna"}
    assert NameRefresh(labels).tell(told) == "Anna (3): I sail. Bob (7): Anna (3)'s boat sank. Luna: Oh, Anna (3)!"


def test_two_people_who_swapped_their_names_are_swapped_once() -> None:
    told = event("Ann: I met Bob. Bob: I met Ann.", (ANN, "Ann (3)"), (BOB, "Bob (7)"))
    assert NameRefresh({ANN.id: "Bob", BOB.id: "Ann"}).tell(told) == "Bob: I met Ann. Ann: I met Bob."


def test_namesakes_of_one_event_are_told_apart_by_the_number_it_gives() -> None:
    told = event("Ann (3): I sail. ANN (9): Ann sails!", (ANN, "Ann (3)"), (OTHER, "ANN (9)"))
    labels = {ANN.id: "Anna", OTHER.id: "Zoe"}
    assert NameRefresh(labels).tell(told) == "Anna: I sail. Zoe: Ann sails!"


def test_a_word_that_is_also_a_nickname_stays_a_word() -> None:
    will = Speaker("d:will", "will", 5)
    told = event("will: I will go. Bob: will it rain?", (will, "will (5)"), (BOB, "Bob (7)"))
    assert (
        NameRefresh({will.id: "Bill (5)", BOB.id: "Bob (7)"}).tell(told)
        == "Bill (5): I will go. Bob (7): will it rain?"
    )


def test_a_name_in_a_sentence_is_left_where_today_says_no_more() -> None:
    told = event("Ann met Bob in May.", (ANN, "Ann (3)"), (BOB, "Bob (7)"))
    assert NameRefresh({ANN.id: "Ann (3)", BOB.id: "Bob (7)"}).tell(told) == "Ann met Bob in May."
    labels = {ANN.id: "Ann (3)", BOB.id: "Bob (7)", OTHER.id: "ANN (9)"}
    assert NameRefresh(labels).tell(told) == "Ann (3) met Bob in May."


def test_part_of_a_word_is_no_name() -> None:
    assert NameRefresh({ANN.id: "Zoe"}).tell(event("Anna met Ann.", (ANN, "Ann"))) == "Anna met Zoe."


def test_an_event_without_names_is_told_as_it_stands_on_one_line() -> None:
    assert NameRefresh({ANN.id: "Zoe"}).tell(event("Ann: Hi.\nBob: Hi.")) == "Ann: Hi. Bob: Hi."


def test_who_is_absent_is_called_as_last_remembered() -> None:
    events = [event("Robert: a.", (BOB, "Robert (7)")), event("Bob: b.", (BOB, "Bob (7)"))]
    assert label_absent(events, {AGENT_ID: "Monica"}, numbered=True) == {BOB.id: "Bob (7)"}
    assert label_absent(events, {AGENT_ID: "Monica"}, numbered=False) == {BOB.id: "Bob"}


def test_an_absent_namesake_of_somebody_present_has_a_number() -> None:
    assert label_absent([event("ANN: a.", (OTHER, "ANN (9)"))], {ANN.id: "Ann"}, numbered=False) == {
        OTHER.id: "ANN (9)"
    }
