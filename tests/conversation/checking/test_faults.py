"""What is wrong with a reply: good and bad ones of every kind, in seven languages."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.conversation.checking.asking import ToldQuestion, told_question
from bot.conversation.checking.faults import faults, mended
from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.wordings import content
from tests.conversation.checking.sayings import BAD, GOOD, INSTRUCTIONS, ground_of, rows


@pytest.mark.parametrize(("language", "told", "latest", "reply"), rows(GOOD))
def test_a_good_reply_has_no_fault_and_is_left_as_it_is(language: str, told: str, latest: str, reply: str) -> None:
    ground = ground_of(latest, *told.split(";"))

    assert faults(reply, ground) == ()
    assert mended(reply, ground) == reply


@pytest.mark.parametrize(("fault", "language", "told", "latest", "reply"), rows(BAD))
def test_a_bad_reply_is_known(fault: str, language: str, told: str, latest: str, reply: str) -> None:
    assert Fault(fault) in faults(reply, ground_of(latest, *told.split(";")))


def test_the_worst_comes_first() -> None:
    found = faults(
        "My cat is called Luna! I'm a human.", ground_of("What is my cat called?", "My cat is called Pixel.")
    )

    assert found == tuple(sorted(found, key=list(Fault).index))
    assert found[0] is Fault.PERSON


def test_the_companion_may_say_of_itself_what_its_card_says() -> None:
    ground = ground_of("do you have a pet?")
    own = Ground(
        ground.latest, "Sam", ("Sam",), "Monica", ("She has a parrot called Kiwi.",), ground.told, (), INSTRUCTIONS
    )
    reply = "I have a parrot called Kiwi."

    assert Fault.OWNS in faults(reply, ground)
    assert faults(reply, own) == ()


def test_what_it_quotes_is_no_claim_of_its_own() -> None:
    ground = ground_of("what did i tell you about my cat?", "My cat is called Pixel.")

    assert faults("On Monday you told me: 'My cat is called Pixel.'", ground) == ()
    assert Fault.LIVES in faults("My cat is called Pixel.", ground)


def test_no_name_that_somebody_said_is_the_companions() -> None:
    ground = ground_of("Sister's gone in the hospice.", "Evening. Gwilym.", "I am sorry for myself.")

    assert Fault.PERSON in faults("I'm so sorry. I'm Gwilym.", ground)
    assert Fault.PERSON not in faults("I'm so sorry. I'm Monica.", ground)
    assert Fault.PERSON not in faults("I'm sorry. I'm listening.", ground)


def test_the_same_again_is_known_unless_the_same_was_asked() -> None:
    reply = "You have not told me where your aunt works."
    other = ground_of("what a long day that was", said=(reply,))
    same = ground_of("where does my aunt work?", "where does my aunt work?", said=(reply,))

    assert faults(reply, other) == (Fault.AGAIN,)
    assert faults(reply, same) == ()


def test_a_sentence_that_comes_back_is_said_again() -> None:
    ground = ground_of("i bake bread", said=("How nice! Would you like to tell me more?",))

    assert Fault.AGAIN in faults("Bread is great. Would you like to tell me more?", ground)


def test_in_a_channel_what_one_told_is_not_given_to_another() -> None:
    told = (
        ("Ann", "i have a parrot called Kiwi"),
        ("Bob", "i only have a goldfish"),
        ("Bob", "who of us has a parrot?"),
    )
    ground = Ground("who of us has a parrot?", "Bob", ("Ann", "Bob"), "Monica", (), told, (), (), channel=True)

    assert faults("Ann has a parrot.", ground) == ()
    assert faults("Bob has a parrot.", ground) == (Fault.INVENTED,)


@pytest.mark.parametrize(
    ("asked", "reply", "wrong"),
    [
        ("Monica who's allergic to shellfish?", "Ben is allergic to shellfish. What did Hana eat?", True),
        ("Monica who's allergic to shellfish?", "Hana is allergic to shellfish, Ben.", False),
        ("Monica who is coming tonight?", "Hana is coming.", False),
        ("Monica who is coming tonight?", "Hana is coming, Ben.", False),
    ],
)
def test_in_a_channel_who_asks_for_somebody_is_not_told_of_another(asked: str, reply: str, wrong: bool) -> None:
    told = (("Hana", "im allergic to shellfish"), ("Hana", "count me in"), ("Ben", "i eat everything"), ("Ben", asked))
    question = ToldQuestion(asked, content(asked))
    ground = Ground(asked, "Ben", ("Hana", "Ben"), "Monica", (), told, (), (), channel=True, asked=question)

    assert (Fault.INVENTED in faults(reply, ground)) is wrong


@pytest.mark.parametrize(
    ("asked", "reply", "wrong"),
    [
        ("Monica, what can't I eat?", "You can't eat walnuts, Sven.", True),
        ("Monica, what can't I eat?", "You can't eat shellfish.", False),
        ("Monica, what can't I eat?", "You haven't told me that yet.", False),
        ("Monica, what can't I eat?", "You said no shellfish, and Odile no walnuts.", False),
        ("Monica, what can't Odile eat?", "She can't eat walnuts.", False),
        ("Monica who can't eat walnuts?", "Sven, you can't eat walnuts, just like Odile.", True),
        ("Monica who can't eat walnuts?", "Odile told you: no walnuts for her.", False),
        ("Monica who can't eat walnuts?", "Odile, she can't eat walnuts with you.", False),
        ("Monica, what can't I eat?", "You told me you can't eat walnuts.", True),
        ("Monica, what can't I eat?", "You can't eat walnuts, isn't it?", True),
        ("Monica who can't eat shellfish?", "You can't eat shellfish.", False),
        ("Monica, wie heißt mein kater?", "Dein Kater heißt Bandit.", True),
        ("Monica, wie heißt mein kater?", "Dein Kater heißt Professor.", False),
    ],
)
def test_in_a_channel_nobody_is_told_of_themselves_what_another_one_told(asked: str, reply: str, wrong: bool) -> None:
    told = (
        ("Odile", "reminder that i can't eat walnuts"),
        ("Sven", "and no shellfish for me please"),
        ("Odile", "mein kater heißt Bandit"),
        ("Sven", "meiner heißt Professor"),
        ("Sven", asked),
    )
    people = ("Odile", "Sven")
    question = told_question(asked, people) or ToldQuestion(asked, content(asked))
    ground = Ground(asked, "Sven", people, "Monica", (), told, (), (), channel=True, asked=question)

    assert (Fault.INVENTED in faults(reply, ground)) is wrong


def test_comfort_may_be_about_an_older_loss() -> None:
    told = ("my grandma died on sunday", "it rains", "i read", "tea is ready", "i had soup", "the sun is out")

    assert faults("I'm still sorry for your loss.", ground_of("hi there", *told)) == ()


def test_an_answer_in_the_language_that_was_asked_for_is_right() -> None:
    ground = ground_of("how do I say good morning to my friends in German?")

    assert faults("Guten Morgen, liebe Freunde, wie geht es euch heute?", ground) == ()


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ('Sure! Here is the response: "Good to see you back!"', "Good to see you back!"),
        ("“Good to see you back!”", "Good to see you back!"),
        ("Response: Good to see you back!", "Good to see you back!"),
        ("Good to see you back! My cat says hello.", "Good to see you back!"),
        ("I'm sorry for your loss. What's up?", "What's up?"),
        ("I'm not a chatbot. I'm a human.", "I'm not a chatbot. I'm a human."),
        ("'Twas a long day, wasn't it?", "'Twas a long day, wasn't it?"),
    ],
)
def test_what_can_stay_stays(reply: str, left: str) -> None:
    assert mended(reply, ground_of("hi, I am back")) == left


def test_a_mere_question_back_does_not_answer_a_question_about_what_was_told() -> None:
    reply = "Your wife is called Emily. How is she?"

    assert mended(reply, ground_of("What is my wife's name?")) == reply


def test_an_answer_may_lose_the_guess_behind_it() -> None:
    reply = "You haven't told me your wife's name yet. Your wife's name is Emily."

    assert mended(reply, ground_of("What is my wife's name?")) == "You haven't told me your wife's name yet."


anything = st.text(st.characters(codec=None), max_size=300)


@settings(max_examples=60, deadline=None)
@given(reply=anything, latest=anything, told=st.lists(anything, max_size=3), said=st.lists(anything, max_size=2))
def test_any_text_is_checked_and_mending_twice_is_as_once(
    reply: str, latest: str, told: list[str], said: list[str]
) -> None:
    ground = ground_of(latest, *told, said=tuple(said))

    assert set(faults(reply, ground)) <= set(Fault)
    once = mended(reply, ground)
    assert mended(once, ground) == once


@pytest.mark.parametrize(
    "reply", ["", "\ud83d", "\U0001f408" * 50, "a" * 9000, "\u202e\u0000", "¿" * 30, "'" * 500, '"' * 500]
)
def test_odd_texts_are_checked(reply: str) -> None:
    ground = ground_of(reply, reply, said=(reply,))

    assert set(faults(reply, ground)) <= set(Fault)
    assert mended(mended(reply, ground), ground) == mended(reply, ground)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([row[-1] for row in rows(BAD) + rows(GOOD)]), min_size=1, max_size=4), st.data())
def test_mending_is_idempotent_on_what_models_say(parts: list[str], data: st.DataObject) -> None:
    ground = ground_of(data.draw(st.sampled_from([row[-2] for row in rows(BAD)])))
    once = mended(" ".join(parts), ground)

    assert mended(once, ground) == once


def test_what_is_asked_may_show_by_what_stands_around_it_alone() -> None:
    ground = ground_of("who got engaged?", "my sister Lena got engaged yesterday")
    reply = "Lena, she's a beautiful one, she's 25 years old."
    assert Fault.INVENTED not in faults(reply, ground)
    asked = replace(ground, asked=ToldQuestion("who got engaged?", ("engaged",)))
    assert Fault.INVENTED in faults(reply, asked)
    assert faults("Lena got engaged yesterday!", asked) == ()


@pytest.mark.parametrize(
    ("latest", "reply"),
    [
        ("hi, how are you today?", "It's Tuesday, and Sam told you about a sister who got engaged."),
        ("hallo, wie geht es dir heute?", "Am Montag hat dir Sam von der Verlobung erzählt."),
        ("hola, ¿qué tal estás hoy?", "El lunes Sam te contó lo de su hermana."),
        ("bonjour, comment vas-tu aujourd'hui ?", "Lundi, Sam t'a raconté que sa sœur se marie."),
        ("ciao, come stai oggi?", "Lunedì Sam ti ha raccontato di sua sorella."),
        ("hallo, hoe gaat het vandaag met je?", "Op maandag vertelde Sam je over een zus."),
        ("oi, como você está hoje?", "Na segunda, Sam contou a você sobre a irmã."),
    ],
)
def test_a_note_is_not_read_aloud_to_the_one_it_is_about(latest: str, reply: str) -> None:
    assert Fault.RECITES in faults(reply, ground_of(latest))
    assert Fault.RECITES not in faults(reply.replace("Sam", "Lena"), ground_of(latest, "Lena is my sister."))
