"""What of a line is said again."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.conversation.echoing import Echoing, echoing_of, only_echoes
from bot.conversation.own_words import Known
from bot.conversation.situations import Situation
from bot.conversation.told import Told
from bot.domain import TaggedWord
from tests.tagged import tagger

NOW = datetime(2026, 3, 2, tzinfo=UTC)
Echoes = Callable[[Echoing], tuple[str, ...]]
KNOWN = Known(Situation.TALK, "i found a trombone", "ann", {}, None, (), None, (), "en")


@pytest.fixture(scope="module")
def echoes() -> Echoes:
    """With the real tagger."""
    real = tagger()
    return lambda echoing: echoing.of(real.tagged(echoing.line))


@pytest.mark.parametrize(
    ("line", "one_of_them"),
    [
        ("somebody left a whole trombone on the bus", "A whole trombone!"),
        ("i have counted the ceiling tiles. 118 and a half", "118!"),
        ("they shut down a gold mine", "A gold mine?"),
        ("i loaded 22 tones of yogurt", "22 tones of yogurt!"),
        ("he gave me a bag of onions before he left", "A bag of onions!"),
    ],
)
def test_a_thing_is_said_again_as_a_friend_would(echoes: Echoes, line: str, one_of_them: str) -> None:
    assert one_of_them in echoes(Echoing(line))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "it does not",
        "my knee did the clicking thing again",
        "so now I'm in the mouse business",
        "our boiler gave up",
        "as nervous as I did holding that float",
        "I'd start giving them soup",
        "Maura will come",
        "paint ran out again",
        "ill film it",
        "its my own fault for asking",
        "my wifes back at work",
        "Yeah Id say im pretty lucky",
        "I PASSED MATHS 3 BRO",
        "what a week",
        "two kids in the house, Arjun 9 and Leela 6",
        "I just want to get up the stairs without making a noise",
        "i'm not buying a trampoline",
        "your shoes!",
        "he drew a dick on it",
        "my phone is at 9%",
        "i told him half past four",
        "She went Sunday, half past four in the morning. I was with her",
        "starts at 5.30 am so yeah",
        "i farmed wheat until i was 71",
        "one two three four five six seven eight",
        "my best pal isnt talking to me bc i went to a party she wasnt invited to",
        "my friends made a new group chat without me",
        "maths was bad. i left two full questions",
        "i even put the wrong colour in a new bowl",
        "\x00\x00",
    ],
)
def test_what_says_nothing_alone_is_not_echoed(echoes: Echoes, line: str) -> None:
    assert echoes(Echoing(line)) == ()


def test_nothing_is_echoed_in_sorrow(echoes: Echoes) -> None:
    assert echoes(Echoing("we sold a small boat")) == ("A small boat!", "A small boat?")
    assert echoes(Echoing("we sold a small boat", somber=True)) == ()
    assert echoes(Echoing("back from a funeral")) == ()
    assert echoes(Echoing("my brother had a haircut at the hospital")) == ()


def test_it_laughs_with_who_laughs_alone(echoes: Echoes) -> None:
    merry = echoing_of(replace(KNOWN, latest="we sold a small boat lol"))
    assert merry is not None
    assert "Ha, a small boat!" in echoes(merry)
    for serious in (
        replace(KNOWN, latest="we sold a small boat"),
        replace(KNOWN, latest="a small boat!", sad=True),
    ):
        echoing = echoing_of(serious)
        assert echoing is not None
        assert not any("Ha" in echo for echo in echoes(echoing))


def test_nothing_is_echoed_twice(echoes: Echoes) -> None:
    line = "a trombone is in a garage"
    assert {echo for echo in echoes(Echoing(line, before=("A trombone!", "Where is it now?"))) if "?" in echo} == {
        "A garage?"
    }


def test_no_echo_comes_right_after_another(echoes: Echoes) -> None:
    told = tuple(
        Told("ann", line, NOW, True, number) for number, line in enumerate(("look in the garage", "a trombone"))
    )
    after = echoing_of(replace(KNOWN, told=told, said=("Oh my.", "The garage!")))
    assert after == Echoing("i found a trombone", before=("Oh my.", "The garage!"), again=True)
    assert echoes(after) == ()
    assert after.beginning_of("A trombone! Whose is it?") == "A trombone!"
    later = echoing_of(replace(KNOWN, told=told, said=("The garage!", "Oh my.")))
    assert later is not None
    assert echoes(later)


def test_a_reply_that_says_more_is_no_echo() -> None:
    assert only_echoes("Ha, the garage!", "the trombone is in the garage")
    assert not only_echoes("The garage! Is it dry there?", "the trombone is in the garage")
    assert not only_echoes("Oh!", "the trombone is in the garage")


@pytest.mark.parametrize("situation", [Situation.SAD, Situation.QUESTION, Situation.BYE, Situation.WORRY])
def test_where_something_else_is_due_nothing_is_echoed(situation: Situation) -> None:
    assert echoing_of(replace(KNOWN, situation=situation)) is None


def test_what_is_echoed_depends_on_who_speaks_and_of_what() -> None:
    assert echoing_of(KNOWN) == Echoing("i found a trombone")
    assert echoing_of(replace(KNOWN, sad=True)) == Echoing("i found a trombone", somber=True)
    assert echoing_of(replace(KNOWN, said=("Hi!",))) == Echoing("i found a trombone", before=("Hi!",))
    assert echoing_of(replace(KNOWN, language="de")) is None
    assert echoing_of(replace(KNOWN, latest="ok my bus is here, bye")) is None
    assert echoing_of(replace(KNOWN, latest="gonna go eat a sad burrito")) is None


def test_marks_are_no_words() -> None:
    assert Echoing("a b").of([TaggedWord("a", "DET", " "), TaggedWord("!", "PUNCT", "")]) == ()


@pytest.mark.parametrize(
    ("line", "reply", "beginning"),
    [
        ("six ziplocks, no room", "Six ziplocks! That's a lot of ice.", "Six ziplocks!"),
        ("I gave her my biscuit.", "You gave her your biscuit! That's a kind thing.", "You gave her your biscuit!"),
        ("behind the oven", "Oh no. Behind the oven! What did you find?", "Oh no. Behind the oven!"),
        ("a big fella who sinks", "So you're the big fella. What's he called?", ""),
        ("now im hungry again", "You're not hungry. Go to bed.", ""),
        ("there was a moment that I won't describe", "You won! That's the best moment.", ""),
        ("are you fond of gardens at all", "I'm fond of gardens. What did you do?", ""),
        ("my granddaughter put you on my telephone", "Hello, granddaughter. How are you?", ""),
        ("i drove us home. she put on a podcast", "She drove you home! What was it?", ""),
        ("he took the good colander", "He took the good colander! That's a good man.", "He took the good colander!"),
        (
            "I'm home till kindergarten at least",
            "You're home till kindergarten. A good deal.",
            "You're home till kindergarten.",
        ),
        ("a duck being sat on", "You sat on a duck! Is it okay?", ""),
        ("a trombone on the bus", "The trombone? Tell me more.", ""),
        ("a trombone on the bus", "It's a good thing you saw it.", ""),
        ("a trombone on the bus", "Oh no!", ""),
        ("a trombone on the bus", "", ""),
    ],
)
def test_what_holds_of_an_unsure_reply_is_its_beginning(line: str, reply: str, beginning: str) -> None:
    assert Echoing(line).beginning_of(reply) == beginning


def test_a_beginning_that_laughs_at_something_sad_does_not_hold() -> None:
    assert Echoing("four brothers", somber=True).beginning_of("Ha, four brothers! Lucky you.") == ""
    assert Echoing("four brothers").beginning_of("Ha, four brothers! Lucky you.") == "Ha, four brothers!"


def test_a_name_is_not_called_out_at_something_sad() -> None:
    line = "my cat Biscuit is at the vet"
    assert Echoing(line, somber=True).beginning_of("Biscuit! What did he do?") == ""
    assert Echoing(line, somber=True).beginning_of("Oh no, Biscuit! What did he do?") == "Oh no, Biscuit!"
    assert Echoing(line).beginning_of("Biscuit! What did he do?") == ""  # a name alone says nothing of him


def test_a_beginning_puts_nothing_together_that_was_apart() -> None:
    line = "I finished one hour ago and I smell of onion for eternity"
    assert Echoing(line).beginning_of("One hour of onion! Did you cry?") == ""
    assert (
        Echoing("I peeled for one hour, only onion").beginning_of("One hour, onion! Did you cry?") == "One hour, onion!"
    )
