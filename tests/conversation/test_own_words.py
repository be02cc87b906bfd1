from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.conversation.checking.faults import faults
from bot.conversation.checking.ground import Ground
from bot.conversation.expecting import expectation_of
from bot.conversation.own_words import Known, own_reply, resting_on
from bot.conversation.phrases import LANGUAGES, phrases_of
from bot.conversation.situations import Situation
from bot.conversation.told import Found, Told
from bot.domain import Event, Place, PlaceKind, RecalledEvent, Recollection

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)  # a Saturday
DM = Place("console", PlaceKind.DM, "ann")
CAT = Told("ann", "My cat is called Pixel.", NOW - timedelta(days=2), fresh=False, utterance=7)
EXAM = Event(DM, 1, "Ann: My exam is on Friday.", frozenset(), NOW - timedelta(days=3), frozenset({"ann"}), (3,), id=5)


def known(situation: Situation, **more: object) -> Known:
    bare = Known(situation, "hm", "ann", {"ann": "Ann", "bob": "Bob"}, None, (), None, ())
    return replace(bare, **more)  # type: ignore[arg-type]  # what a test names


def said(one: Known, language: str = "en") -> str:
    return own_reply(one, phrases_of(language), "Monica", NOW)


def test_an_answer_quotes_with_the_day() -> None:
    answer = known(Situation.ASK, found=Found(CAT, CAT.words, 1.0, whole=True))
    assert said(answer) == "On Thursday you told me: “My cat is called Pixel.”"
    assert said(answer, "de") == "Am Donnerstag hast du mir erzählt: „My cat is called Pixel.“"
    of_bob = known(Situation.ASK, found=Found(replace(CAT, speaker_id="bob"), CAT.words, 1.0, whole=True))
    assert said(of_bob) == "On Thursday Bob told me: “My cat is called Pixel.”"


def test_what_was_not_told_is_said_so() -> None:
    assert said(known(Situation.ASK)) == phrases_of("en").replies.not_told[0]


def test_of_what_is_known_who_they_are_goes_first_and_remarks_are_left_out() -> None:
    lines = [
        "I live in Truro. The lane is long.",
        "I don't know what I was thinking.",
        *(f"My neighbour {name} has offered me his boards." for name in ("Mr. Friesen", "Ann", "Ben", "Carl", "Dora")),
    ]
    told = [Told("ann", line, NOW + timedelta(minutes=at), fresh=True) for at, line in enumerate(lines)]
    answer = said(known(Situation.KNOW, told=told))
    assert answer.index("I live in Truro.") < answer.index("neighbour Ann") < answer.index("neighbour Dora")
    assert "thinking" not in answer
    assert "Friesen" not in answer
    few = [replace(told[0], words=words) for words in ("Allergic to nuts", "I'm 34.", "My sister is 12.", "ok")]
    assert said(known(Situation.KNOW, told=few)).endswith("“Allergic to nuts” “I'm 34.” “My sister is 12.”")


def test_what_is_known_is_what_they_said() -> None:
    assert CAT.words in said(known(Situation.KNOW, told=[CAT]))
    assert said(known(Situation.KNOW, told=[replace(CAT, speaker_id="bob")])) == phrases_of("en").replies.know_nothing


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_kept_is_told_in_full_once(language: str) -> None:
    first = said(known(Situation.PRIVATE), language)
    again = said(known(Situation.PRIVATE, said=(first, "Mm.")), language)
    assert "/memory list" in first
    assert "/memory forget" in again
    assert len(again) < 0.7 * len(first)


def test_a_greeting_takes_up_what_was_open() -> None:
    assert said(known(Situation.GREETING, open_event=EXAM)) == (
        "Hi! On Wednesday you told me: “My exam is on Friday.” How did that go?"
    )
    sad = replace(EXAM, summary="Ann: My grandmother died.")
    assert "How are you holding up?" in said(known(Situation.GREETING, open_event=sad))


@pytest.mark.parametrize("situation", list(Situation))
@pytest.mark.parametrize("language", LANGUAGES)
def test_our_own_words_pass_our_own_checks(situation: Situation, language: str) -> None:
    text = said(known(situation), language)
    mood = {Situation.SAD: "Meine Oma ist gestorben." if language == "de" else "My grandma died."}
    latest = mood.get(situation, "I got the job!" if situation is Situation.GLAD else "hm")
    ground = Ground(latest, "Ann", ("Ann",), "Monica", (), (("Ann", latest),), (), ())
    assert not [fault for fault in faults(text, ground) if fault.value not in {"language", "mourns", "congratulates"}]
    assert expectation_of(known(situation), phrases_of(language), never=False).is_met(text)


def test_the_next_sentence_of_a_kind_comes_before_the_same_again() -> None:
    lines = phrases_of("en").replies.listening
    talk = known(Situation.TALK, latest="I painted the shelf.")
    assert said(talk) == phrases_of("en").replies.opening[0]
    assert said(replace(talk, said=lines[:1])) == lines[1]
    assert said(replace(talk, said=("Hm.", lines[1]))) == lines[2]
    assert said(replace(talk, said=lines)) in lines


@pytest.mark.parametrize(
    ("language", "latest", "key"),
    [
        ("en", "ok true", "nodding"),
        ("de", "stimmt schon", "nodding"),
        ("en", "haha i put the milk in the oven", "laughing"),
        ("es", "jajaja qué tonto", "laughing"),
        ("fr", "on a repeint la cuisine !", "excited"),
        ("nl", "we hebben de kast geverfd", "opening"),
    ],
)
def test_what_is_only_taken_up_is_taken_up_by_how_it_was_said(language: str, latest: str, key: str) -> None:
    expected = getattr(phrases_of(language).replies, key)
    assert said(known(Situation.TALK, latest=latest, language=language), language) == expected[0]


@pytest.mark.parametrize(
    ("latest", "joy"),
    [
        ("i got the job", True),
        ("after eleven months and three interviews i got the job!!", True),
        ("my sister got engaged and i found out from instagram", False),
    ],
)
def test_a_longer_line_without_a_cheer_is_not_congratulated(latest: str, *, joy: bool) -> None:
    replies = phrases_of("en").replies
    said = own_reply(known(Situation.GLAD, latest=latest), phrases_of("en"), "Monica", NOW)
    assert said in (replies.glad if joy else replies.excited)


@pytest.mark.parametrize(
    ("language", "latest"),
    [
        ("en", "good night 😴"),
        ("en", "ok I'm off to bed"),
        ("de", "gute Nacht!"),
        ("es", "buenas noches"),
        ("fr", "bonne nuit"),
        ("it", "buonanotte"),
        ("pt", "boa noite"),
        ("nl", "welterusten"),
    ],
)
def test_who_goes_to_bed_is_wished_a_good_night(language: str, latest: str) -> None:
    replies = phrases_of(language).replies
    assert said(known(Situation.BYE, latest=latest, language=language), language) == replies.night[0]
    assert said(known(Situation.BYE, latest="bye", language=language), language) == replies.bye[0]


@pytest.mark.parametrize(
    ("language", "latest"),
    [
        ("en", "sorry, bit heavy that"),
        ("en", "anyway sorry for venting"),
        ("de", "sorry, dass ich so jammere"),
        ("es", "perdona que me desahogue"),
        ("fr", "désolé de me plaindre"),
        ("it", "scusa lo sfogo"),
        ("pt", "desculpa o desabafo"),
        ("nl", "sorry voor het gezeur"),
    ],
)
def test_nobody_has_to_be_sorry_to_have_told_so_much(language: str, latest: str) -> None:
    replies = phrases_of(language).replies
    for situation in (Situation.TALK, Situation.HARD):
        assert said(known(situation, latest=latest, language=language, sad=True), language) == replies.no_need[0]


@pytest.mark.parametrize(
    ("language", "latest"),
    [
        ("en", "i said sorry to the heavy guy"),
        ("en", "sorry my heavy bleeding came back"),
        ("en", "sorry for moaning but my boss fired me today"),
        ("de", "es tut mir leid dass sie so schwer krank ist"),
        ("es", "lo siento, tengo el pecho pesado"),
        ("it", "mi dispiace per mia nonna, è pesante vederla così"),
    ],
)
def test_who_tells_of_something_bad_is_not_told_to_be_sorry_for_nothing(language: str, latest: str) -> None:
    one = known(Situation.TALK, latest=latest, language=language, said=("Hm.",))
    assert said(one, language) != phrases_of(language).replies.no_need[0]


@pytest.mark.parametrize(
    ("language", "latest"),
    [
        ("en", "what a night. bye"),
        ("en", "got to go, putting the kids to bed"),
        ("it", "ho letto il libro, ciao ciao"),
        ("de", "die Kinder schlafen, ich muss los"),
    ],
)
def test_a_night_that_is_only_told_of_is_not_wished(language: str, latest: str) -> None:
    replies = phrases_of(language).replies
    assert said(known(Situation.BYE, latest=latest, language=language), language) == replies.bye[0]


def test_while_sad_news_lasts_nothing_light_is_said() -> None:
    line = known(Situation.HARD, latest="haha he even ate the string", sad=True)
    assert said(line) == phrases_of("en").replies.grieving[0]


def test_it_rests_on_nothing_but_what_the_prompt_holds() -> None:
    answer = known(Situation.ASK, told=[CAT], found=Found(CAT, CAT.words, 1.0, whole=True), open_event=EXAM)
    recalled = Recollection((RecalledEvent(EXAM, 1.0, 0.5, 0.5, 1.0),))
    assert resting_on(answer, [7], recalled) == answer
    nothing = resting_on(answer, [1], Recollection())
    assert (nothing.told, nothing.found, nothing.open_event) == ([], None, None)
    assert "Pixel" not in said(nothing)
