"""What somebody puts right a moment later counts, and nothing else is touched."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.conversation.put_right import put_right, righted, with_later, with_reason
from bot.conversation.told import Found, Told

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "correction", "language", "result"),
    [
        ("The party is on the 8th.", "oops no, the 9th", "en", "The party is on the 9th."),
        ("we have 3 goats", "well actually five", "en", "we have five goats"),
        ("the wake is on monday", "wait, tuesday", "en", "the wake is on tuesday"),
        ("die Probe ist am Montag", "nein, am Dienstag", "de", "die Probe ist am Dienstag"),
        ("the gate is red", "oops i meant the blue one, not the red", "en", "the gate is blue"),
        ("our vet is mrs lund", "sorry, mrs lind, not lund", "en", "our vet is mrs lind"),
        ("My cat is called Pixel.", "Actually Nixel, not Pixel, typo", "en", "My cat is called Nixel."),
        ("my nephew Kai is 6", "he just turned 7 today!! i forgot", "en", "my nephew Kai is 7"),
        ("im flying to Oslo on friday", "change of plans, it's Bergen now", "en", "im flying to Bergen on friday"),
        ("my sister Marta lives in Porto", "wait i mean Braga, she moved", "en", "my sister Marta lives in Braga"),
        ("we bought a Fiat", "*a Ford, not a Fiat", "en", "we bought a Ford"),
        ("we bought a Fiat", "*Ford", "en", "we bought a Ford"),
        (
            "bought a car! a ford, 9 yrs old",
            "2100. wait not a ford, a fiat. idk why",
            "en",
            "bought a car! a fiat, 9 yrs old",
        ),
        ("my new address is Ropewalk 14", "ah no, Ropewalk 41", "en", "my new address is Ropewalk 41"),
        ("the surgery is on Wednesday", "they just called, it's Friday now", "en", "the surgery is on Friday"),
        ("der Termin ist am Montag", "die haben angerufen, er ist jetzt am Freitag", "de", "der Termin ist am Freitag"),
        ("there are 12 of us", "wait i counted wrong. its 13", "en", "there are 13 of us"),
        ("mein sohn heißt Till", "quatsch, ich meinte Tilo, nicht Till", "de", "mein sohn heißt Tilo"),
        ("Mein Hund heißt Kuno.", "Sorry, er heißt Bruno, nicht Kuno", "de", "Mein Hund heißt Bruno."),
        ("Mi gata se llama Luna.", "perdón, se llama Lana, no Luna", "es", "Mi gata se llama Lana."),
        ("Ma chienne s'appelle Lola.", "non, elle s'appelle Lila, pas Lola", "fr", "Ma chienne s'appelle Lila."),
        ("Il mio gatto si chiama Neve.", "scusa, si chiama Nebbia, non Neve", "it", "Il mio gatto si chiama Nebbia."),
        ("Meu gato se chama Rex.", "desculpa, ele se chama Max, não Rex", "pt", "Meu gato se chama Max."),
        ("Mijn kat heet Siep.", "sorry, ze heet Siem, niet Siep", "nl", "Mijn kat heet Siem."),
        (
            "new colleague today, shes called Thandeka",
            "oops no. Thandiwe. i always get it wrong",
            "en",
            "new colleague today, shes called Thandiwe",
        ),
        ("Our reunion is in Ghent.", "Correction, my wife tells me it is Bruges.", "en", "Our reunion is in Bruges."),
        ("my train leaves from platform 3", "platform 8 sry", "en", "my train leaves from platform 8"),
        (
            "the trainer at my gym is called Torsten",
            "no hang on. Thorvald. its Thorvald",
            "en",
            "the trainer at my gym is called Thorvald",
        ),
        ("i ordered 14 chairs", "just checked, its 40. so many people", "en", "i ordered 40 chairs"),
        ("habe 14 Stühle bestellt", "gerade nachgesehen, 40. uff", "de", "habe 40 Stühle bestellt"),
        ("ho ordinato 14 sedie", "ho controllato, 40", "it", "ho ordinato 40 sedie"),
        ("encomendei 14 cadeiras", "fui ver, são 40", "pt", "encomendei 40 cadeiras"),
        ("j'ai commandé 14 chaises", "je viens de vérifier, 40", "fr", "j'ai commandé 40 chaises"),
        ("encargué 14 sillas", "lo he mirado, 40", "es", "encargué 40 sillas"),
        ("ik heb 14 stoelen besteld", "even gekeken, 40", "nl", "ik heb 40 stoelen besteld"),
    ],
)
def test_a_value_is_replaced(told: str, correction: str, language: str, result: str) -> None:
    found = righted(told, correction, language)
    assert found is not None
    assert found.words == result
    assert found.value in result
    assert found.was not in result


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("I have 2 kids.", "i'm not sure i have time, maybe at 5"),
        ("My sister lives in Rome.", "no idea what Ann is doing"),
        ("We moved to Utrecht.", "no, it was great there"),
        ("I met Ann and Bob.", "sorry, I meant Zoe"),
        ("I paid 3 for 2 books.", "oops, 4"),
        ("the soup is hot", "not hot anymore"),
        ("i had lasagna today", "i said pizza but it was moussaka"),
        ("i had lasagna today", "i said lasagna but it was really good"),
        ("i told him no and he went on", "i said no but it was rape"),
        ("he has cancer", "i said cancer but it's benign"),
        # Of 20,384 lines of chat, where two of three "corrections" were none.
        ("They make the best in Miami", "Yes I have! I actually study at UCLA!"),
        ("I dont think Ive watched it", "lol no, its a french piece by Debussy"),
        ("in 7 months. by bus til then", "25 mins. i'll read. its fine actually"),
        ("a gull got 2 quid of it", "married 40 yrs today actually"),
        ("husband home at 6", "he did 3 steps today. the baby not the husband"),
        ("he picked up the phone like 9 times", "wait i counted wrong. its 4 months"),
        ("bought some beer", "i dont drink beer, sorry"),
        # Found by a stranger who tried it.
        ("I have two cats.", "sorry, I have three dogs too"),
        ("I have three kids.", "sorry, I have two dogs"),
        ("I live in Berlin.", "actually my mom lives in Munich"),
        ("I work at Google.", "Actually my wife works at Apple"),
        ("I was born in 1990.", "wait, it's 2024 already?"),
        ("My meeting is at 3.", "it's 10 now, time for bed"),
        ("I don't drink wine.", "no, I don't drink beer"),
        ("I'm allergic to nuts.", "no, I don't want nuts, chocolate please"),
        ("My sister lives in Rome.", "they called, I moved to Oslo"),
        ("the soup is hot", "not hot enough, sadly, and the bread is old"),
    ],
)
def test_what_is_not_plain_is_left(told: str, later: str) -> None:
    assert righted(told, later, "en") is None


def test_only_what_one_has_said_oneself_a_moment_ago() -> None:
    said = [("a", "I live at number 4."), ("b", "My house is number 9."), ("a", "oops, 5"), ("b", "thanks")]
    told = [
        Told(who, words, START + timedelta(minutes=at), fresh=True, utterance=at + 1)
        for at, (who, words) in enumerate(said)
    ]
    assert [one.words for one in put_right(told, "en")] == [
        "I live at number 5.",
        "My house is number 9.",
        "oops, 5",
        "thanks",
    ]


@pytest.mark.parametrize(
    ("said", "later", "language"),
    [
        ("my brother left the gate open", "I must take that back. It was the postman", "en"),
        ("got a red jacket", "no wait it's more of a maroon. definitely maroon", "en"),
        ("I work as a baker", "well, not anymore. I'm a tram driver since march", "en"),
        ("I work as a baker", "not anymore i'm a tram driver now", "en"),
        ("ich arbeite als Bäckerin", "naja, nicht mehr. ich fahre jetzt Tram", "de"),
        ("soy panadera", "bueno, ya no. ahora conduzco un tranvía", "es"),
        ("je suis boulangère", "enfin, plus maintenant. je conduis un tram", "fr"),
        ("faccio la fornaia", "beh, non più. guido il tram", "it"),
        ("sou padeira", "bom, já não. conduzo um elétrico", "pt"),
        ("ik ben bakker", "nou, niet meer. ik rijd nu op de tram", "nl"),
    ],
)
def test_what_is_taken_back_answers_with_what_took_it_back(said: str, later: str, language: str) -> None:
    told = _told(said, later)
    found = with_later(Found(told[0], said, 1.0, whole=True), told, language)
    assert (found.words, found.later, found.whole) == (f"{said} … {later}", later, False)


@pytest.mark.parametrize(
    "later",
    [
        "it has a hood",
        "no, second hand",
        "actually my sister's coming over later",
        "sorry, my phone died",
        "no longer than two years though",
        "no wait times, in and out",
        "not now, my boss is here",
    ],
)
def test_what_goes_on_takes_nothing_back(later: str) -> None:
    told = _told("got a red jacket", later)
    found = Found(told[0], told[0].words, 1.0, whole=True)
    assert with_later(found, told, "en") is found


@pytest.mark.parametrize(
    ("said", "then", "later"),
    [
        ("my mom is a nurse", "i mean shes a midwife, she gets mad when i say nurse", True),
        ("there were 12 people at my party", "counted them on the photos, it was 17 lol", True),
        ("there were 12 people at my party", "it was 12 because i counted", False),
        ("my mom is a nurse", "i mean it, you should see her", False),
        ("my mom is a nurse", "i mean who isnt", False),
        ("my party was great", "it was 3 before we left", False),
        ("my grandma is 92", "there were 14 people at the funeral", False),
        ("my cat died in May", "i mean it was only a cat", False),
    ],
)
def test_a_word_or_a_number_that_is_mended_behind_another_line_stands_with_it(
    said: str, then: str, *, later: bool
) -> None:
    told = _told(said, "lol", then)
    found = with_later(Found(told[0], told[0].words, 1.0, whole=True), told, "en")
    assert (found.later == then) is later
    assert found.words == (f"{said} … {then}" if later else said)


def test_two_values_of_a_line_are_put_right_each_for_itself() -> None:
    first, *_ = put_right(_told("we have 3 goats and the vet comes on Monday", "oops, 4", "sorry, Tuesday"), "en")
    assert first.words == "we have 4 goats and the vet comes on Tuesday"
    assert {(one.was, one.now) for one in first.mends} == {("3", "4"), ("Monday", "Tuesday")}
    back, *_ = put_right(_told("we have 3 goats", "oops, 4", "no, 3"), "en")
    assert (back.words, back.mends) == ("we have 3 goats", ())


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("My dog is called Rex", "wait. Dinner."),
        ("My dog is called Rex", "Oops. Late!"),
        ("my cat is called Momo", "*Hugs*"),
        ("I live at number 14", "looked at the clock, 3 already"),
        ("I'm 14 and I ordered 14 chairs", "just checked, its 40"),
    ],
)
def test_what_only_stands_behind_such_a_word_puts_nothing_right(told: str, later: str) -> None:
    assert righted(told, later, "en") is None


def test_who_asks_why_is_told_what_came_next_as_well() -> None:
    told = _told("I had to sell the accordion.", "The people downstairs went to the landlord.", "lol")
    found = Found(told[0], told[0].words, 1.0, whole=True)
    assert with_reason(found, "why did I sell it?", told).words == f"{told[0].words} … {told[1].words}"
    assert with_reason(found, "what did I sell?", told) is found


def test_what_is_said_much_later_takes_nothing_back() -> None:
    jacket, later = _told("got a red jacket", "no wait it's more of a maroon")
    found = Found(jacket, jacket.words, 1.0, whole=True)
    assert with_later(found, [jacket, replace(later, time=START + timedelta(days=1))], "en") is found


def test_what_is_put_right_twice_is_put_right() -> None:
    said, *_ = put_right(_told("I have 3 cats", "oops no, 4", "oops no, 5"), "en")
    assert said.words == "I have 5 cats"


def test_a_correction_is_put_right_too() -> None:
    exam = _told("my exam is on friday", "oops no, monday. and it's in room 4", "sorry, room 5")
    assert [one.words for one in put_right(exam, "en")][:2] == [
        "my exam is on monday",
        "oops no, monday. and it's in room 5",
    ]


def test_a_trait_made_of_what_is_put_right_is_put_right_too() -> None:
    line, correction = _told("we bought a Fiat", "*a Ford, not a Fiat")
    trait = replace(line, words="I bought a Fiat.", utterance=0, trait=3)
    other = replace(trait, words="I sold a Fiat.", time=START - timedelta(days=2), trait=2)
    assert [one.words for one in put_right([other, trait, line, correction], "en")] == [
        "I sold a Fiat.",
        "I bought a Ford.",
        "we bought a Ford",
        "*a Ford, not a Fiat",
    ]


def _told(*lines: str) -> list[Told]:
    """What Ann said, a minute apart."""
    return [
        Told("ann", words, START + timedelta(minutes=at), fresh=True, utterance=at + 1)
        for at, words in enumerate(lines)
    ]
