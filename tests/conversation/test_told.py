from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.conversation.checking.asking import told_question
from bot.conversation.told import Found, Told, _stated, _unaddressed, asks_of_unheard, best_told

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def told(*lines: tuple[str, str]) -> list[Told]:
    """What people said, a minute apart."""
    return [
        Told(who, words, NOW + timedelta(minutes=at), fresh=True, utterance=at + 1)
        for at, (who, words) in enumerate(lines)
    ]


def found(question: str, lines: Sequence[Told], *, asker: str = "ann", language: str = "en") -> Found | None:
    asked = told_question(question)
    assert asked is not None
    return best_told(asked, lines, asker, language)


@pytest.mark.parametrize(
    ("question", "said", "answer", "language"),
    [
        ("What is my cat called?", "My cat is called Pixel.", "My cat is called Pixel.", "en"),
        ("Where do I live?", "I moved to Tromsø last month.", "I moved to Tromsø last month.", "en"),
        (
            "What is my cat called?",
            "Sorry, I meant Nixel, my cat is called Nixel, not Pixel.",
            "my cat is called Nixel",
            "en",
        ),
        ("Wie heißt mein Hund?", "Mein Hund heißt Kuno.", "Mein Hund heißt Kuno.", "de"),
        ("¿De qué color es mi bici?", "Ayer compré una bici azul.", "Ayer compré una bici azul.", "es"),
        ("what is my dog called", "my dog biscuit is a beagle, he's 4", "my dog biscuit is a beagle, he's 4", "en"),
        ("what do i do for a living?", "I'm a tram driver since march", "I'm a tram driver since march", "en"),
        ("what do i love?", "no i don't love hiking, i love BIKING", "i love BIKING", "en"),
        ("when is my appointment?", "my appointment is on tuesday, at 3", "my appointment is on tuesday, at 3", "en"),
        ("when did i go to Leeds?", "in march, I went to Leeds with Sam", "in march, I went to Leeds with Sam", "en"),
        ("who do i work for?", "My boss is Tracey.", "My boss is Tracey.", "en"),
        ("What is my pet called?", "My ferret is called Biscuit.", "My ferret is called Biscuit.", "en"),
    ],
)
def test_their_own_words_answer(question: str, said: str, answer: str, language: str) -> None:
    best = found(question, told(("ann", "It rains today."), ("ann", said)), language=language)
    assert best is not None
    assert best.words == answer


def test_another_ones_trade_is_asked_for() -> None:
    lines = told(("ann", "my sister Ruby is a baker by job"), ("ann", "I work as a nurse"))
    best = found("What does my sister do for a living?", lines)
    assert best is not None
    assert "Ruby" in best.words


def test_a_month_is_a_name_where_no_time_is_told() -> None:
    best = found("What is my cat called?", told(("ann", "we got a cat, June")))
    assert best is not None


def test_a_month_is_no_name() -> None:
    line = "My wife passed in April. Her name was Carol. We were married 49 years."
    best = found("What did I tell you my wife's name was?", told(("ann", line)))
    assert best is not None
    assert "Carol" in best.words


def test_a_trade_answers_what_somebody_does_for_a_living() -> None:
    best = found("what do i do for a living?", told(("ann", "I work as a nurse"), ("ann", "I live in Porto")))
    assert best is not None
    assert best.words == "I work as a nurse"


def test_a_boss_is_no_trade() -> None:
    best = found("what's my job?", told(("ann", "I'm a butcher"), ("ann", "My boss is Tracey.")))
    assert best is not None
    assert best.words == "I'm a butcher"


def test_what_is_counted_in_times_is_not_any_times() -> None:
    assert found("You remember how many times I wrote it?", told(("ann", "it is there, I checked 5 times"))) is None


def test_nothing_answers_what_was_not_told() -> None:
    assert found("What is my dog's name?", told(("ann", "I like long walks."))) is None


def test_what_has_no_name_in_it_tells_no_name() -> None:
    for said in (
        "i walked the dog today.",
        "my dog ate half a sofa.",
        "my dog is a beagle.",
        "my dog food is gone",
        "my party dress is red",
    ):
        assert found("What is my dog's name?", told(("ann", said))) is None


def test_my_things_are_answered_from_my_words_alone() -> None:
    lines = told(("bob", "My parrot is called Sultan."), ("ann", "My parrot is called Kiki."))
    best = found("What is my parrot called?", lines, asker="bob")
    assert best is not None
    assert best.words == "My parrot is called Sultan."
    of_us = found("Who of us has a parrot?", lines[:1])
    assert of_us is not None
    assert of_us.told.speaker_id == "bob"


def test_of_two_as_good_the_later_one_is_true_now() -> None:
    best = found("Where do I live?", told(("ann", "I live in Utrecht."), ("ann", "I live in Gent.")))
    assert best is not None
    assert best.words == "I live in Gent."


def test_who_is_called_something_answers_before_who_is_spoken_of_beside_another_name() -> None:
    lines = told(
        ("ann", "ok remember this: my dog is called Feijão and he is 4 months old"),
        ("ann", "I moved in with my boyfriend Thiago in march, the dog was his idea"),
    )
    best = found("what's my dog's name?", lines)
    assert best is not None
    assert "Feijão" in best.words


@pytest.mark.parametrize(
    ("question", "said", "language"),
    [
        ("¿Cómo se llama mi madre?", "Vivo en Madrid.", "es"),
        ("Comment s'appelle mon mari ?", "Ma sœur Marie est venue hier.", "fr"),
        ("¿Dónde vivo?", "Estoy casada con Marta.", "es"),
        ("Onde eu moro?", "Sou casado há dez anos.", "pt"),
    ],
)
def test_a_word_that_only_begins_alike_answers_nothing(question: str, said: str, language: str) -> None:
    assert found(question, told(("ann", said)), language=language) is None


def test_a_dog_is_no_cat() -> None:
    assert found("What is my dog called?", told(("ann", "My cat is called Juno."))) is None
    assert found("What is my pet called?", told(("ann", "My cat is called Juno."))) is not None
    assert found("What is my cat called?", told(("ann", "Our kitten is called Juno."))) is not None


def test_a_number_is_wanted_for_a_number() -> None:
    assert found("Do you know my phone number?", told(("ann", "got a new phone yesterday"))) is None
    assert found("Do you know my phone number?", told(("ann", "my new phone number is 5550"))) is not None


def test_a_line_goes_on_from_the_one_before() -> None:
    lines = told(("ann", "The baby never sleeps, it is 3 am."), ("ann", "She's 5 weeks old."))
    best = found("How old is my baby?", lines)
    assert best is not None
    assert best.words == "She's 5 weeks old."


def told_by(*lines: tuple[str, str]) -> list[Told]:
    """As `told`, with the names of those who said it."""
    return [replace(one, who=one.speaker_id.title()) for one in told(*lines)]


def test_mine_is_of_what_another_one_told() -> None:
    lines = told_by(("ann", "my birthday is on may 3"), ("bob", "mine is october 21"))
    best = found("when is my birthday?", lines, asker="bob")
    assert best is not None
    assert best.words == "mine is october 21"
    drives = told_by(("ann", "i drive a Volvo"), ("bob", "lucky, i only have my old Vespa"))
    best = found("what do i drive?", drives, asker="bob")
    assert best is not None
    assert best.words == "lucky, i only have my old Vespa"


def test_what_another_one_said_of_their_own_kin_is_not_taken_over() -> None:
    lines = told_by(("ann", "my brother Arun is a pilot"), ("bob", "aww, i like him"))
    assert found("what does my brother do?", lines, asker="bob") is None


def test_mine_goes_on_from_what_was_said_and_no_trait_stands_between() -> None:
    lines = told_by(("ann", "mein kater heißt Bandit"), ("bob", "meiner heißt Professor"))
    trait = Told("bob", "meiner heißt Professor.", lines[1].time, fresh=False, trait=1)
    best = found("wie heißt mein kater?", [lines[0], trait, lines[1]], asker="bob", language="de")
    assert best is not None
    assert best.told == lines[1]


@pytest.mark.parametrize(
    ("question", "said", "language", "unheard"),
    [
        ("what's the name of my boss?", "monday again", "en", True),
        ("what's the name of my boss?", "my boss is a pain", "en", False),
        ("what's my sister's name?", "my sister anna lives in york", "en", False),
        ("what's the name of my medication?", "started sertraline", "en", False),
        ("what's my cat's name?", "we have a cat now and called it Tofu", "en", False),
        ("what did i name my plant?", "bought a monstera and named it gerald", "en", False),
        ("what's my name?", "monday again", "en", False),
        ("wie heißt mein chef?", "war heut beim friseur", "de", True),
        ("what's my favourite colour?", "monday again", "en", False),
    ],
)
def test_a_name_is_not_told_where_no_name_was(question: str, said: str, language: str, unheard: bool) -> None:
    asked = told_question(question)
    assert asked is not None
    assert asks_of_unheard(asked, told(("ann", said)), "ann", language) is unheard


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ("My flatmate Priya sings at night. How do I tell her?", "My flatmate Priya sings at night."),
        ("I live in Leeds, right?", ""),
        ("so? i stayed", "i stayed"),
        ("It cost 3.50. Or 4?", "It cost 3.50."),
        ("No question here", "No question here"),
    ],
)
def test_what_asks_tells_nothing_and_what_stands_beside_it_does(words: str, stated: str) -> None:
    assert _stated(words) == stated


def test_of_somebody_who_is_named_only_their_words_tell() -> None:
    lines = told_by(("ann", "I grew up in Leipzig"), ("bob", "galway for me"))
    asked = told_question("where did Bob grow up?", ["Ann", "Bob"])
    assert asked is not None
    best = best_told(asked, lines, "ann", "en")
    assert best is not None
    assert best.words == "galway for me"


@pytest.mark.parametrize(
    ("question", "lines", "answer"),
    [
        ("what's my sister's name?", ("my sister Nora has a cat called Bella", "my sister Nora is here"), 1),
        ("how old is my cat?", ("my cat is 14yo", "I have a cat and two kids"), 0),
        ("how old is my mum?", ("my mum is 78 bless her",), 0),
        ("how old is my house?", ("my house was built in 1890",), 0),
    ],
)
def test_names_and_ages_are_told_where_they_are(question: str, lines: tuple[str, ...], answer: int) -> None:
    best = found(question, told(*(("ann", line) for line in lines)))
    assert best is not None
    assert best.words == lines[answer]


def test_what_has_nothing_of_a_question_but_who_said_it_is_quoted_whole() -> None:
    lines = told_by(("bob", "Maps, first aid kit. And my guitar, sorry in advance"))
    asked = told_question("what did Bob say he takes?", ["Bob"])
    assert asked is not None
    best = best_told(asked, lines, "ann", "en")
    assert best is not None
    assert best.words == lines[0].words


def test_with_whom_is_answered_by_with() -> None:
    lines = told(("ann", "going to see a play with my uncle on friday"), ("ann", "the seats are good"))
    best = found("who am i going to the theatre with?", lines)
    assert best is not None
    assert best.words == "going to see a play with my uncle on friday"


@pytest.mark.parametrize(
    ("question", "said", "language"),
    [
        ("what is my job?", "i'm a glazier in Ghent", "en"),
        ("was bin ich von Beruf?", "ich bin Gärtnerin, seit Jahren", "de"),
        ("¿en qué trabajo?", "soy cartera, voy en bici", "es"),
        ("c'est quoi mon métier ?", "je suis boulanger, je me lève tôt", "fr"),
        ("che lavoro faccio?", "faccio il falegname da sempre", "it"),
        ("qual é a minha profissão?", "sou pedreiro há dez anos", "pt"),
        ("wat is mijn werk?", "ik ben tuinman, altijd buiten", "nl"),
    ],
)
def test_what_somebody_is_by_trade(question: str, said: str, language: str) -> None:
    best = found(question, told(("ann", said), ("ann", "hm")), language=language)
    assert best is not None
    assert best.told.words == said


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Hallo Monica, ich bin Jana und wohne in Bremen.", "Hallo, ich bin Jana und wohne in Bremen."),
        ("@Monica  I live in York.", "I live in York."),
        ("I told Monica that I row.", "I told that I row."),
    ],
)
def test_words_without_the_companions_name_have_no_gap(words: str, shown: str) -> None:
    assert _unaddressed(words, "Monica") == shown


def test_a_question_for_a_year_is_answered_by_one() -> None:
    boat = "I have a boat, a wooden one from 1961, and a bad knee."
    lines = told(("ann", boat), ("ann", "It is raining here again, so no boat today."))
    best = found("What year is my boat from?", lines)
    assert best is not None
    assert best.words == boat
