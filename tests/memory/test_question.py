from datetime import UTC, datetime

import pytest

from bot.memory.question import Question, asks_about_listener, read_question

NAMES = {"chat:mel": ("melanie", "jones"), "chat:car": ("caroline",), "chat:me": ("sam",)}
NOW = datetime(2024, 1, 5, tzinfo=UTC)


def read(text: str, asker: str = "chat:me") -> Question:
    return read_question(text, NAMES, asker, NOW, [2022, 2023])


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("When did Melanie run a race?", "When did I run a race?"),
        ("What is Caroline's job?", "What is my job?"),
        ("Does Melanie Jones like her dog?", "Do I like my dog?"),
        ("What did Caroline give to Melanie?", "What did I give to you?"),
        ("Was Melanie sad about him?", "Was I sad about me?"),
        ("I finally ran that race!", "I finally ran that race!"),
        ("Wo wohnt Melanie?", "Wo wohnt I?"),
    ],
)
def test_a_question_is_put_in_the_words_of_the_one_it_is_about(text: str, spoken: str) -> None:
    assert read(text).spoken.lower() == spoken.lower()


def test_who_is_asked_about() -> None:
    assert read("What did Melanie and Caroline paint?").about == ("chat:mel", "chat:car")
    assert read("what is a caroline?").about == (), "a name begins with a capital letter"
    assert read("What is my cat called?").about == ("chat:me",)
    assert read("What is my cat called?", asker="chat:new").about == ()
    assert read("What did Melanie say of my cat?").about == ("chat:mel",)
    assert asks_about_listener("What is your name?")
    assert not asks_about_listener("What did I tell you?")


def span(text: str) -> list[tuple[str, str]]:
    return [(f"{start:%Y-%m-%d}", f"{end:%Y-%m-%d}") for start, end in read(text).spans]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("What did I do in July 2023?", [("2023-07-01", "2023-08-01")]),
        ("What did I do on 3 June?", [("2022-06-03", "2022-06-04"), ("2023-06-03", "2023-06-04")]),
        ("What happened on May 7th, 2023?", [("2023-05-07", "2023-05-08")]),
        ("What happened in 2022?", [("2022-01-01", "2023-01-01")]),
        ("Where was I last spring?", [("2023-03-01", "2023-06-01")]),
        ("What did we do yesterday?", [("2024-01-04", "2024-01-05")]),
        ("Who called two weeks ago?", [("2023-12-18", "2023-12-25")]),
        ("What may happen in the march of time?", []),
        ("What did I do on 31 June 2023?", []),
        ("No time at all.", []),
    ],
)
def test_times_that_are_asked_for(text: str, spans: list[tuple[str, str]]) -> None:
    assert span(text) == spans


def test_the_words_stay_without_the_time() -> None:
    assert read("What did Melanie paint in the first week of June 2023?").words == "What did Melanie paint?"
    assert read("2023").words == "2023", "something stays"


def test_what_kind_of_question_it_is() -> None:
    assert read("When did I move?").asks_when
    assert read("In which year did I move?").asks_when
    assert not read("Where did I move?").asks_when


@pytest.mark.parametrize("text", ["", "?", "   ", "()[]*+", "I" * 3000, "\u200b", "Melanie", "Melanie's's 's"])
def test_anything_is_read(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "text",
    ["2023 " * 800, "june " * 800, "x" + " " * 20_000 + "2023", "may 1 " * 500, "last week " * 400, "Ann " * 2000],
)
def test_a_long_message_is_read_at_once(text: str) -> None:
    assert len(read(text).spans) <= 100, "bounded, and the test's own time limit is the judge"


@pytest.mark.parametrize("text", ["ıs Melanie fond of bicycles?", "doeſ Melanie sing?", "İS Melanie here?"])
def test_letters_that_only_look_alike_are_read(text: str) -> None:
    assert read(text).about == ("chat:mel",)


def test_somebody_whose_name_is_a_common_word_is_not_asked_about_by_it() -> None:
    names = {"chat:i": ("i",), "chat:will": ("will",), "chat:me": ("me",)}
    for text in ("I went home", "Will it rain?", "Tell Me more"):
        assert read_question(text, names, "chat:sam", NOW, []).about == ()
