from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.conversation.expecting import ANYTHING, LEAST, LEAST_AGAIN, LEAST_GOING, Expectation, expectation_of, knowing
from bot.conversation.own_words import Known
from bot.conversation.phrases import phrases_of
from bot.conversation.situations import Situation
from bot.conversation.told import Found, Mended, Told
from bot.domain import Event, Place, PlaceKind

HOME = Told("ann", "I moved to Tromsø last month.", datetime(2026, 11, 21, tzinfo=UTC), fresh=True, utterance=1)
ASKED = Known(
    Situation.ASK, "Where do I live?", "ann", {}, Found(HOME, HOME.words, 0.5, whole=False), (HOME,), None, ()
)


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("You live in Tromsø.", True),
        ("It's a beautiful place.", False),
        ("You haven't told me that yet.", True),
        ("You don't know yet.", False),
    ],
)
def test_a_question_is_answered_or_said_not_to_be_known(reply: str, *, met: bool) -> None:
    assert expectation_of(ASKED, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("Hana is allergic to shellfish.", True),
        ("A moment ago Hana told you.", True),
        ("Ben is allergic to shellfish. What did Hana eat?", False),
        ("You haven't told me that yet.", False),
    ],
)
def test_who_it_is_has_to_be_stated(reply: str, *, met: bool) -> None:
    told = Told("hana", "im allergic to shellfish", HOME.time, fresh=True, utterance=1, who="Hana")
    asked = replace(ASKED, latest="who's allergic?", asker="ben", found=Found(told, told.words, 1.0, whole=True))
    assert expectation_of(asked, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("You live in Tromsø.", True),
        ("I'm a chatbot, so I have no home in Tromsø.", False),
        ("You moved to Tromsø and work in software.", True),
        ("It's cold today.", False),
    ],
)
def test_what_is_known_of_somebody_is_about_them(reply: str, *, met: bool) -> None:
    asked = replace(ASKED, situation=Situation.KNOW, latest="what do you know about me?", found=None)
    assert expectation_of(asked, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("language", "reply", "met"),
    [
        ("en", "Oh no, I'm so sorry.", True),
        ("en", "Did you have a good night?", False),
        ("de", "Das tut mir so leid.", True),
        ("de", "Und was machst du morgen?", False),
        ("nl", "Wat verdrietig, sterkte.", True),
    ],
)
def test_sad_news_is_consoled(language: str, reply: str, *, met: bool) -> None:
    sad = Known(Situation.SAD, "Tom left me.", "ann", {}, None, (), None, ())
    assert expectation_of(sad, phrases_of(language), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("asked", "said", "reply", "met"),
    [
        ("when did i say my exam was", "my theory exam is on the 14th", "It's on the 14th.", True),
        ("when did i say my exam was", "my theory exam is on the 14th", "When you told me of your theory exam.", False),
        ("when is my exam?", "the exam is on friday", "On Friday, good luck!", True),
        ("when is my exam?", "the exam is tomorrow and i learn nothing", "The exam is tomorrow.", True),
        ("when is the dentist?", "dentist tomorrow for 2 fillings", "Tomorrow, the dentist.", True),
        ("when is my wedding?", "my wedding is in May", "Your wedding is in May.", True),
        ("how often do i swim?", "swimming twice a week, 1 km", "Twice a week.", True),
        ("how big was the fish?", "caught a 5 pound fish on saturday", "Five pounds!", True),
        ("how big was the fish?", "caught a 5 pound fish on saturday", "You caught it on Saturday.", False),
        ("wann ist meine prüfung?", "meine prüfung ist am 3. mai", "Deine Prüfung ist am 3. Mai.", True),
        ("wann ist meine prüfung?", "meine prüfung ist am 3. mai", "Deine Prüfung ist bald.", False),
    ],
)
def test_a_time_or_a_number_is_said_where_it_was_asked_for(asked: str, said: str, reply: str, *, met: bool) -> None:
    told = replace(HOME, words=said)
    known = replace(ASKED, latest=asked, found=Found(told, said, 1.0, whole=True))
    assert expectation_of(known, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("righted", "reply", "met"),
    [
        ("Tarock", "Your horse is called Tarock.", True),
        ("Tarock", "Tarock's your horse.", True),
        ("Tarock", "Your horse is called Tarok.", False),
        ("four", "You have 4 nephews.", True),
        ("10:30", "Your flight is at 10:30.", True),
        ("Jean-Luc", "He is called Jean-Luc.", True),
        ("4", "You have four nephews.", True),
        ("four", "You have three nephews.", False),
    ],
)
def test_what_was_put_right_is_said_as_it_was_put_right(righted: str, reply: str, *, met: bool) -> None:
    mended = Mended("seven", righted, f"no, {righted}")
    told = Told("ann", f"it is {righted} now", datetime(2026, 3, 2, tzinfo=UTC), fresh=True, mends=(mended,))
    asked = Known(Situation.ASK, "which?", "ann", {}, Found(told, told.words, 1.0, whole=True), (), None, ())
    assert expectation_of(asked, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("question", "reply", "met"),
    [
        ("Which evening do I have to be there?", "Tuesday at six.", False),
        ("Which evening do I have to be there?", "Wednesday, not Tuesday.", True),
        ("Which evening do I have to be there?", "At six.", True),
        ("When is choir?", "Tuesday.", True),
        ("Is it Tuesday?", "Tuesday at six.", True),
        ("Which day comes after Monday?", "Tuesday.", True),
    ],
)
def test_what_no_longer_is_answers_nothing(question: str, reply: str, *, met: bool) -> None:
    mended = Mended("Tuesday", "Wednesday", "Sorry, on Wednesday. Tuesday is choir.")
    words = "Parents' evening is on Wednesday at six."
    told = Told("ann", words, datetime(2026, 3, 2, tzinfo=UTC), fresh=True, mends=(mended,))
    asked = Known(Situation.QUESTION, question, "ann", {}, None, (told,), None, ())
    assert expectation_of(asked, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("You tune pianos.", True),
        ("Pianos, and Zita helps.", True),
        ("You haven't told me that yet.", False),
        ("I'm a chatbot, so I don't have a job.", False),
        ("Yes, I do.", False),
    ],
)
def test_who_asks_what_was_told_gets_a_word_of_it(reply: str, *, met: bool) -> None:
    told = Told("ann", "I tune pianos, mostly in schools.", datetime(2026, 3, 2, tzinfo=UTC), fresh=True)
    asked = Known(Situation.QUESTION, "what do I do for a living?", "ann", {}, None, (told,), None, ())
    assert knowing(Expectation(), asked).is_met(reply) is met


@pytest.mark.parametrize(
    ("language", "said", "reply", "met"),
    [
        ("en", "9% gotta go bye", "Oh, 9%! That's a lot.", False),
        ("en", "9% gotta go bye", "Go and charge it. Talk soon!", True),
        ("en", "ok need nap. ttyl", "Sleep well!", True),
        ("de", "ok ich muss los", "Das klingt gut.", False),
        ("de", "ok ich muss los", "Bis später!", True),
        ("fr", "bonne nuit", "Dors bien !", True),
        ("en", "have a good night, bye", "You too!", True),
        ("de", "auf wiedersehen", "Pass gut auf dich auf!", True),
        ("pt", "tchau", "Se cuida!", True),
        ("es", "adios", "¿Qué te parece eso?", False),
    ],
)
def test_who_takes_leave_gets_a_goodbye(language: str, said: str, reply: str, *, met: bool) -> None:
    for situation in (Situation.BYE, Situation.TALK):
        leaving = Known(situation, said, "ann", {}, None, (), None, (), language)
        assert expectation_of(leaving, phrases_of(language), never=False, taught=True).is_met(reply) is met


def test_a_taught_model_has_to_be_surer_of_itself_unless_ours_was_the_last_reply() -> None:
    phrases = phrases_of("en")
    talk = Known(Situation.TALK, "It rains.", "ann", {}, None, (), None, ("Oh, rain!",), "en")
    assert expectation_of(talk, phrases, never=False, taught=True).least == LEAST
    ours = replace(talk, said=("Oh, rain!", phrases.replies.listening[0]))
    assert expectation_of(ours, phrases, never=False, taught=True).least == LEAST_AGAIN < LEAST
    going = replace(talk, latest="they called me, gonna go eat")
    assert expectation_of(going, phrases, never=False, taught=True).least == LEAST_GOING < LEAST
    assert expectation_of(going, phrases, never=False, taught=True).likely("Enjoy the food!", LEAST_GOING - 0.5) == ()
    assert ANYTHING.likely("Why?", -100.0) == ("Why?",)
    stated = "You were a good dog."
    assert expectation_of(talk, phrases, never=False, taught=True).likely(stated, LEAST - 1) == (stated,)
    gone = replace(talk, situation=Situation.SAD, latest="my dog died last night")
    for grave in (replace(talk, sad=True), replace(talk, situation=Situation.SAD), gone):
        assert expectation_of(grave, phrases, never=False, taught=True).likely(stated, LEAST - 1) == ()


@pytest.mark.parametrize(
    ("reply", "likelihood", "sent"),
    [
        ("A hum is a good start! What did Joan say?", None, ("A hum is a good start! What did Joan say?",)),
        ("A hum is a good start! What did Joan say?", -6.0, ("A hum is a good start! What did Joan say?",)),
        (
            "A hum is a good start! What did Joan say?",
            -7.0,
            ("A hum is a good start!", "A hum is a good start! What did Joan say?"),
        ),
        ("A hum is a good start! What did Joan say?", -12.9, ("A hum is a good start!",)),
        ("A hum is a good start! What did Joan say?", -13.1, ()),
        ("Hi Bea! Manila, nice place. And now? Rain?", -9.0, ("Hi Bea! Manila, nice place.",)),
        ("Two years! He'll be so happy.", -7.0, ("Two years! He'll be so happy.",)),
        ("Two years! He'll be so happy.", -12.9, ("Two years! He'll be so happy.",)),
        ("Two years! He'll be so happy.", -13.1, ()),
        ("Hi Murray! What's it like?", -7.9, ("Hi Murray! What's it like?",)),
        ("Hi Murray! What's it like?", -8.1, ()),
        ("How quiet is it?", -8.1, ()),
        ("How did it go?!", -12.0, ()),
        ("How did it go?..", -12.0, ()),
        ("No wonder you are tired! What did you do?", -12.0, ("No wonder you are tired!",)),
        ("Oh, I'm sorry. What happened?", -12.0, ("Oh, I'm sorry.",)),
        ("I have a question. Who won?", -12.0, ()),
        ("Oh no, Murray! What now?", -12.0, ()),
        ("Good morning, Murray! What now?", -12.0, ()),
        ("Oh no, loud cousins! What did you do?", -12.0, ("Oh no, loud cousins!",)),
        ("Let me guess. The blue one?", -12.0, ()),
        ("", -20.0, ()),
    ],
)
def test_a_reply_that_is_not_sure_of_its_question_says_what_stands_before_it(
    reply: str, likelihood: float | None, sent: tuple[str, ...]
) -> None:
    assert Expectation(least=LEAST).likely(reply, likelihood) == sent


def test_what_was_never_told_is_denied() -> None:
    never = expectation_of(
        Known(Situation.ASK, "Where does Ottilie work?", "ann", {}, None, (), None, ()), phrases_of("en"), never=True
    )
    assert not never.is_met("Ottilie works at the cinema.")
    assert never.is_met("You haven't told me where Ottilie works.")


def test_what_was_taken_back_is_no_answer() -> None:
    said, later = "got a red jacket", "no wait it's more of a maroon"
    jacket = replace(HOME, words=said)
    asked = replace(ASKED, latest="what color is my jacket", found=Found(jacket, said, 1.5, whole=False, later=later))
    expected = expectation_of(asked, phrases_of("en"), never=False)
    assert expected.is_met("It's more of a maroon.")
    assert not expected.is_met("Your jacket is red.")


def test_talk_is_held_to_nothing() -> None:
    talk = Known(Situation.TALK, "It rains.", "ann", {}, None, (), None, ())
    assert expectation_of(talk, phrases_of("en"), never=False) == ANYTHING
    assert ANYTHING.is_met("Oh?")


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("Eleven years! How did you do it?", False),
        ("Out of nowhere!", False),
        ("Oh no, I'm so sorry! What happened?", True),
        ("Eleven years. How are you?", True),
        ("Eleven years is long.", False),
        ("He was a sweet man.", True),
        ("My condolences. Were you close?", True),
        ("It isn't your fault that they let you go.", True),
        ("Fourteen years. What was his name?", True),
    ],
)
def test_sad_news_is_not_met_with_an_exclamation(reply: str, *, met: bool) -> None:
    sad = Known(Situation.SAD, "signed the divorce papers today. 11 years", "ann", {}, None, (), None, ())
    assert expectation_of(sad, phrases_of("en"), never=False, taught=True).is_met(reply) is met


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("Hi! How did your driving test go?", True),
        ("Hello again! Are you ready to drive? It's not a big deal.", False),
        ("Hey! Your driving test was on Wednesday.", False),
        ("Hello! How are you?", False),
    ],
)
def test_a_greeting_asks_how_what_was_open_went(reply: str, *, met: bool) -> None:
    time = datetime(2026, 3, 2, tzinfo=UTC)
    test = Event(
        Place("x", PlaceKind.DM, "1"), 1, "Ann: driving test on wednesday!!!", frozenset(), time, frozenset(), ()
    )
    greets = Known(Situation.GREETING, "hello again", "ann", {}, None, (), test, ())
    assert expectation_of(greets, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("Then you've got it. Drive slowly, Gráinne.", False),
        ("Three years, and then Aoife.", False),
        ("What a lovely thing to have bought.", True),
        ("That's so hard.", True),
        ("How is she now?", True),
        ("Did you drive?", False),
    ],
)
def test_in_sorrow_a_reply_is_kind_or_it_is_ours(reply: str, *, met: bool) -> None:
    mourns = Known(Situation.HARD, "I'd already bought a cardigan.", "ann", {}, None, (), None, (), "en", sad=True)
    assert expectation_of(mourns, phrases_of("en"), never=False, taught=True).is_met(reply) is met
    talks = replace(mourns, situation=Situation.TALK, sad=False)
    assert expectation_of(talks, phrases_of("en"), never=False, taught=True).is_met(reply)


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("That's enough.", False),
        ("Your husband.", False),
        ("I don't think so.", False),
        ("Poor you.", True),
        ("Say it as you said it to me.", True),
    ],
)
def test_who_asks_in_sorrow_gets_no_curt_answer(reply: str, *, met: bool) -> None:
    asks = Known(Situation.QUESTION, "How do I even say it", "ann", {}, None, (), None, (), "en", sorrow=True)
    assert expectation_of(asks, phrases_of("en"), never=False, taught=True).is_met(reply) is met
    assert expectation_of(replace(asks, sorrow=False), phrases_of("en"), never=False, taught=True).is_met(reply)


def greets(event: str = "", *told: str) -> Expectation:
    place, now = Place("x", PlaceKind.DM, "1"), datetime(2026, 11, 21, tzinfo=UTC)
    open_event = Event(place, 1, event, frozenset(), now, frozenset(), ()) if event else None
    lines = [Told("ann", line, now, fresh=False) for line in told]
    known = Known(Situation.GREETING, "hello again", "ann", {}, None, lines, open_event, ())
    return expectation_of(known, phrases_of("en"), never=False)


@pytest.mark.parametrize(
    ("said", "reply", "met"),
    [
        ("Good morning Monica", "Good afternoon, Ann!", False),
        ("Good morning Monica", "Good morning, Ann!", True),
        ("Hello Monica", "Good afternoon, Ann!", True),
    ],
)
def test_a_greeting_is_of_their_part_of_the_day(said: str, reply: str, *, met: bool) -> None:
    greets = Known(Situation.GREETING, said, "ann", {}, None, (), None, ())
    assert expectation_of(greets, phrases_of("en"), never=False).is_met(reply) is met


@pytest.mark.parametrize(
    ("question", "reply", "met"),
    [
        ("Do you remember what I told you about my knee?", "Yes, I do remember. What was it about?", False),
        ("u still know when the last bus goes??", "Yes, I do.", False),
        ("Do you remember what I told you about my knee?", "Yes, I do. You get a new one.", True),
        ("Do you remember me?", "Yes, I do.", True),
        ("Do you remember what my dog is called?", "I remember, it's Rex.", True),
        ("Do you remember what my dog is called?", "I do not remember.", True),
        ("do you know who wrote Hamlet?", "I do, Shakespeare.", True),
    ],
)
def test_who_asks_whether_it_is_remembered_wants_to_hear_it(question: str, reply: str, *, met: bool) -> None:
    asked = Known(Situation.QUESTION, question, "ann", {}, None, (), None, ())
    assert expectation_of(asked, phrases_of("en"), never=False).is_met(reply) is met


def test_a_greeting_is_short() -> None:
    told = "Good morning, Walt! How are you? I hope you're doing well. I remember your grandfather Tyler. It's sad."
    for expected in (greets(), greets("Ann: my exam is on friday")):
        assert expected.likely(told, None) == ("Good morning, Walt! How are you? I hope you're doing well.",)
        assert expected.likely("Hi Walt!", None) == ("Hi Walt!",)
    for asks in (
        "Oh! Hi! Good to see you. How did the exam go?",
        "Hi Ann! You're back. Nice to see you. How was the exam?",
    ):
        assert greets("Ann: my exam is on friday").likely(asks, None) == (asks,)


def test_a_greeting_asks_for_no_exam_that_nobody_told_of() -> None:
    for reply in ("How was your exam? You were so scared.", "Hey! Wie war deine Prüfung?", "Alors, cet examen ?"):
        assert not greets("", "My wife Jean passed away in April.").is_met(reply)
        assert greets("", "finals tomorrow").is_met(reply)
        assert greets("", "je passe le bac demain").is_met(reply)


@pytest.mark.parametrize(
    ("asked", "answer", "sent"),
    [
        ("Should I phone her?", "Wait for her. You've got better things to do.", "Wait for her."),
        ("is it normal to cry", "Yes, it is normal. You were there.", "Yes, it is normal."),
        ("what would you do", "Go along. She'll be glad.", "Go along. She'll be glad."),
        ("do you ever get bored?", "No, I don't. I'm a program.", "No, I don't. I'm a program."),
        (
            "can i go by car",
            "You can drive home. Only if you haven't had one.",
            "You can drive home. Only if you haven't had one.",
        ),
        ("should i open", "Let him in. If he shouts, call the police.", "Let him in. If he shouts, call the police."),
        (
            "my baby has a fever, can i wait?",
            "Wait until morning. He'll be fine.",
            "Wait until morning. He'll be fine.",
        ),
        (
            "how do i tell the boys",
            'Say it simply: "I am sorry. We are parting." You could begin with that.',
            'Say it simply: "I am sorry. We are parting."',
        ),
        ("can you tell me a joke", "Why did he win? He was outstanding.", "Why did he win? He was outstanding."),
    ],
)
def test_advice_of_a_small_model_is_its_first_sentence(asked: str, answer: str, sent: str) -> None:
    known = Known(Situation.QUESTION, asked, "ann", {}, None, (), None, (), "en")
    assert expectation_of(known, phrases_of("en"), never=False, taught=True).likely(answer, None) == (sent,)
    assert expectation_of(known, phrases_of("en"), never=False).likely(answer, None) == (answer,)
