"""What is grave is heard in seven languages, comes first, and is asked about in words that are about it alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.care.cues import Kind
from bot.care.grave import Grave, graves_in, heard, settles, weight_of
from bot.care.threads import Lines, Thread, fresh, gravest, left_open, threads_of
from bot.care.wording import opening_of
from bot.conversation.situations import Situation
from bot.domain import Utterance
from bot.llm.scripted import ScriptedEncoder
from lab.evaluation.weeks import Week, weeks_of
from tests.living import ANN, DM

MONDAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


async def lines(*said: tuple[str, float]) -> Lines:
    """(words, days after Monday), each said in a session of its own."""
    rows = tuple(
        Utterance(DM, f"m{number}", ANN, text, MONDAY + days * DAY, id=number, session_id=number)
        for number, (text, days) in enumerate(said, 1)
    )
    return Lines(rows, await ScriptedEncoder().encode([row.text for row in rows]))


async def open_at(days: float, *said: tuple[str, float]) -> list[Thread]:
    known, now = await lines(*said), MONDAY + days * DAY
    return gravest(left_open(threads_of(known, now, UTC), known, now), known, now)


def kinds(text: str) -> list[tuple[Kind, str]]:
    return [(one.kind, one.dear) for one in graves_in(text)]


@pytest.mark.parametrize(
    ("text", "kind", "dear"),
    [
        ("My sister Lena has been in hospital since Sunday", Kind.ILLNESS_OF, "sister"),
        ("dad had a heart attack last night", Kind.ILLNESS_OF, "dad"),
        ("my husband moved out on saturday", Kind.SEPARATION, "husband"),
        ("I had a biopsy on tuesday, a lump in my breast", Kind.FEAR, ""),
        ("we're getting a divorce", Kind.SEPARATION, ""),
        ("i haven't slept properly in weeks", Kind.SLEEP, ""),
        ("im so scared we wont find anything", Kind.FEAR, ""),
        ("got laid off this morning", Kind.JOB_LOSS, ""),
        ("been sick all week", Kind.ILLNESS, ""),
        ("mein papa hatte am freitag einen schlaganfall", Kind.ILLNESS_OF, "papa"),
        ("kann seit wochen nicht schlafen", Kind.SLEEP, ""),
        ("mein freund hat schluss gemacht", Kind.SEPARATION, "freund"),
        ("se murió mi perro anoche", Kind.DEATH, "perro"),
        ("me han echado del trabajo hoy", Kind.JOB_LOSS, ""),
        ("mon père est à l'hôpital depuis mardi", Kind.ILLNESS_OF, "pere"),
        ("ma grand-mère est décédée ce matin", Kind.DEATH, "grand-mere"),
        ("mi ha lasciato la mia ragazza", Kind.SEPARATION, "ragazza"),
        ("ho tanta paura per gli esami", Kind.FEAR, ""),
        ("minha avó faleceu ontem", Kind.DEATH, "avo"),
        ("não consigo dormir há semanas", Kind.SLEEP, ""),
        ("mijn moeder ligt in het ziekenhuis", Kind.ILLNESS_OF, "moeder"),
        ("ik ben mijn baan kwijt", Kind.JOB_LOSS, ""),
    ],
)
def test_what_is_grave_is_heard_with_whom_it_is_about(text: str, kind: Kind, dear: str) -> None:
    assert kinds(text) == [(kind, dear)]


@pytest.mark.parametrize(
    "text",
    [
        "my phone died mid call and i'm dead tired",
        "my grandma died when i was six",
        "in the book the husband leaves her and then his brother is murdered",
        "what do you do if you can't sleep?",
        "nobody got fired in the end",
        "she left me in charge of the shop",
        "my brother moved out of his flat",
        "They were scared of the dog",
        "can't sleep, too much coffee",
        "he will not sleep unless im holding him",
        "he slept 4 hours in a row last night!!!",
        "let me send you my favourite one",
        "your tips left me feeling refreshed",
        "every stroke of the brush carries a part of me",
        "it was hard taking a break",
        "mum's gone to the shops",
        "after that hike my legs have filed for divorce",
        "my laptop has dumped me again",
        "ich lach mich tot, der hund hat die socke geklaut",
        "me muero de risa con ese vídeo",
        "el perro del vecino no me dejó dormir",
        "mon grand-père est mort quand j'avais 5 ans",
        "sono morta dal ridere ieri sera",
        "tô morto de fome",
        "mijn opa overleed toen ik vier was",
    ],
)
def test_manners_of_speaking_and_what_is_long_ago_are_not_heard(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("said", "last"),
    [
        (["Grandpa's in the hospice", "he died this morning"], ("death", "grandpa")),
        (["mi abuelo está muy enfermo", "murió esta mañana"], ("death", "abuelo")),
        (["My son won't leave his room, the doctor says it's depression."], ("illness of others", "son")),
    ],
)
def test_who_was_talked_of_is_who_it_happens_to(said: Sequence[str], last: tuple[str, str]) -> None:
    [*_, found] = heard(said, [1] * len(said))
    assert [(one.kind.value, one.dear) for one in found] == [last]
    assert graves_in("he died this morning")[0].pointing
    assert heard(["he died this morning"], [1]) == [()], "nobody knows of whom"


@pytest.mark.parametrize(
    ("told", "later", "over"),
    [
        ("my mum is in hospital", "mum's home!! all clear", True),
        ("my mum is in hospital", "she's not doing any better", False),
        ("my mum is in hospital", "my cat is feeling better", False),
        ("I lost my job", "they took me back!!", True),
        ("me and jamie broke up", "we're back together :)", True),
        ("meine schwester liegt im krankenhaus", "sie ist wieder zuhause, alles gut überstanden", True),
        ("meine schwester liegt im krankenhaus", "es geht ihr nicht besser", False),
        ("meu filho está internado", "meu filho já está em casa, está bem", True),
    ],
)
def test_what_settles_it_is_of_the_same_one_and_not_denied(told: str, later: str, *, over: bool) -> None:
    [grave] = graves_in(told)
    assert settles(grave, later) is over


SEEN = ("open", "kept", "fresh", "last")
"""The weeks that the lists were mended by; the others measure what they do not know (`lab evaluate checkins`)."""


@pytest.mark.parametrize("week", [week for part in SEEN for week in weeks_of(part)], ids=lambda week: week.id)
def test_what_stays_open_in_a_week_is_what_a_friend_would_ask_about(week: Week) -> None:
    texts = [text for _, text in week.told]
    found = heard(texts, [int(day) for day, _ in week.told])
    left = {
        at
        for at, graves in enumerate(found, 1)
        for one in graves
        if not any(settles(one, later) for later in (one.quote, *texts[at:]))
    }
    assert {*week.about} <= left or week.topic == "job", "good news after a loss is no grave thing"
    assert week.about or not left


@pytest.mark.parametrize(
    "text",
    [
        "Ill ask her tomorrow",
        "ok man. ill bring him the good sticks",
        "so ill leave the trap open for him. and the light",
        "mum says ill never go back",
        "my sister is not talking to me",
        "her bowl is still out. cant move it",
        "he said 'thats sick'",
        "told him the truth today. feel sick",
        "my grandson was sick on the priest",
        "her flight goes from terminal 2",
        "he served me at the tyre place and didnt recognise me",
        "she left me instructions. 2 pages",
        "he left me on read",
        "the band broke up",
        "a lady let me go in front of her",
        "got hit by a woman called Tax Evasion, she is a legend",
        "he is stalking some crush he likes",
        "the process for eviction would take forever",
        "the oven died at 40 min",
        "art independent of the world, they just separated from all external references",
        "how do you say i have a fever",
    ],
)
def test_words_that_only_look_grave_are_not(text: str) -> None:
    assert graves_in(text) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my mum is ill", Kind.ILLNESS_OF),
        ("she's still ill", Kind.ILLNESS_OF),
        ("dad fell ill on the ferry", Kind.ILLNESS_OF),
        ("my nan ill in bed since Sunday", Kind.ILLNESS_OF),
        ("my gran is so ill", Kind.ILLNESS_OF),
        ("my dad's been terminally ill for months", Kind.ILLNESS_OF),
        ("my brother can't walk", Kind.ILLNESS_OF),
        ("my cat stopped eating", Kind.ILLNESS_OF),
        ("she doesn't recognise me", Kind.ILLNESS_OF),
        ("my dog got hit by a car", Kind.ILLNESS_OF),
        ("he left me on Tuesday", Kind.SEPARATION),
        ("they let me go today", Kind.JOB_LOSS),
        ("my ex is stalking me", Kind.FEAR),
        ("we got an eviction notice", Kind.FEAR),
    ],
)
def test_the_same_words_said_gravely_are(text: str, kind: Kind) -> None:
    assert [one.kind for one in graves_in(text)] == [kind]


async def test_the_gravest_comes_first_and_nothing_light_soon_after_a_death() -> None:
    plan = ("I'm thinking of adopting a rescue dog.", 0.0)
    job, death = ("I lost my job last week.", 0.0), ("my cousin was killed in a car crash last night.", 1.0)
    assert [one.kind for one in await open_at(6.0, plan, job, death)] == [Kind.DEATH]
    known, now = await lines(plan, death), MONDAY + 6 * DAY
    rest = fresh(threads_of(known, now, UTC), known, [(MONDAY + 2 * DAY, (2,))])
    assert [one.kind for one in rest] == [Kind.PLAN]
    assert gravest(rest, known, now) == []


async def test_nobody_is_asked_how_the_dead_are_nor_about_plans_with_them() -> None:
    ill, died = ("my nan is in hospital", 0.0), ("nan passed away last night", 3.0)
    assert [(one.kind, one.at) for one in await open_at(4.0, ill, died)] == [(Kind.DEATH, 1)]
    trip, left = ("I'm going to Rome with my boyfriend on Friday.", 0.0), ("my boyfriend left me", 1.0)
    assert [one.kind for one in await open_at(6.0, trip, left)] == [Kind.SEPARATION]


async def test_a_death_is_asked_about_though_the_illness_was() -> None:
    known = await lines(("my nan is in hospital", 0.0), ("nan is still in hospital", 2.0), ("nan passed away", 4.0))
    due = threads_of(known, MONDAY + 5 * DAY, UTC)
    assert [one.kind for one in fresh(due, known, [(MONDAY + DAY, (1,))])] == [Kind.DEATH]


async def test_an_operation_with_a_day_is_asked_about_after_its_day() -> None:
    assert [one.kind for one in await open_at(6.0, ("My sister has surgery on Friday.", 0.0))] == [Kind.AHEAD]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "My sister Lena has been in hospital since Sunday and I am buying a bike.",
            "On Monday you told me: “My sister Lena has been in hospital since Sunday.”"
            " How is your sister now, and how are you?",
        ),
        (
            "mein papa hatte einen schlaganfall, er liegt auf der intensiv",
            "Am Montag hast du mir geschrieben: „Mein papa hatte einen schlaganfall.“"
            " Wie geht es deinem Papa jetzt, und wie geht es dir?",
        ),
        (
            "minha avó faleceu ontem",
            "Na segunda-feira você me contou: “Minha avó faleceu ontem.” Como você está nesses dias?",
        ),
    ],
)
async def test_the_check_in_is_in_their_language_and_about_that_alone(text: str, words: str) -> None:
    thread = (await open_at(3.0, (text, 0.0)))[0]
    assert opening_of(thread, "Ann", MONDAY + 3 * DAY, 0) == words
    assert len({opening_of(thread, "Ann", MONDAY + 3 * DAY, turn) for turn in range(4)}) == 4


def test_a_grave_thing_is_what_its_clause_says() -> None:
    assert graves_in("We had soup. My aunt died, and I bought a plant.") == (
        Grave(Kind.DEATH, "My aunt died", "en", "aunt"),
    )


SEEN_BY_NET = "they turned off his machines this afternoon"
"""Of `lab/tuning/grave/en.txt`: in no list."""


async def test_what_no_list_has_is_heard_by_the_net_and_asked_about_in_words_that_fit_all() -> None:
    assert graves_in(SEEN_BY_NET) == ()
    [thread] = await open_at(2.0, (SEEN_BY_NET, 0.0))
    assert thread.kind is Kind.HEAVY
    words = opening_of(thread, "Ann", MONDAY + 2 * DAY, 0)
    assert "turned off his machines" in words
    assert words.endswith("How have you been since then?")


@pytest.mark.parametrize("later", ["she's home again", "false alarm, it was benign", "we are back together"])
async def test_any_good_end_settles_what_the_net_heard(later: str) -> None:
    assert await open_at(4.0, (SEEN_BY_NET, 0.0), (later, 1.0)) == []


@pytest.mark.parametrize(
    "text",
    [
        "In the film they turned off his machines this afternoon",
        "Turned off.",
        "We had pancakes for lunch today.",
        "muss noch die steuer machen",
        "I still have to do my tax return",
        "il faut encore faire les impôts ce soir",
        "todavía tengo que hacer los impuestos",
        "devo ancora fare la dichiarazione",
        "ik moet nog de belasting doen",
        "ainda tenho que fazer o imposto",
    ],
)
def test_the_net_is_not_asked_about_films_and_fragments_and_hears_nothing_ordinary(text: str) -> None:
    assert heard([text], [1]) == [()]


@pytest.mark.parametrize(
    ("text", "situation"),
    [
        ("my mother had a stroke two weeks ago", Situation.SAD),
        ("Mein Opa ist gestern gestorben", Situation.SAD),
        ("they let me go today", Situation.SAD),
        ("we lost a pregnancy two weeks ago. eleven weeks", Situation.SAD),
        ("finally lost the pregnancy weight", None),
        ("my son has a fever", Situation.SAD),
        ("i have covid", Situation.HARD),
        ("i haven't slept in days, wide awake all night again", Situation.HARD),
        ("my dad is out of hospital, he's home again", None),
        ("i'll ask her tomorrow", None),
        ("Ill ask her tomorrow", None),
        ("going to ellies on saturday", None),
    ],
)
def test_a_reply_hears_what_the_check_ins_hear(text: str, situation: Situation | None) -> None:
    assert weight_of(text) is situation


@pytest.mark.parametrize(
    "text",
    [
        "my sister started working in a hospital today, proud of her",
        "my daughter is in the cancer ward as a nurse, loves it",
        "my brother is a sick drummer",
        "my mum got a job at the hospital!",
    ],
)
def test_who_works_in_a_hospital_is_not_ill(text: str) -> None:
    assert weight_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "she left me 3 days ago",
        "he left me the day after our wedding",
        "my husband can't move in his bed",
        "my mum can't talk to anyone since the stroke",
        "gran didn't know who i was",
        "my brother was hit by his dad",
    ],
)
def test_what_an_exception_may_not_take_away(text: str) -> None:
    assert weight_of(text) is Situation.SAD
