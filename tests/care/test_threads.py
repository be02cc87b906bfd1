"""What is open, when it is asked about, what settles it, and how it is told back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest

from bot.care.cues import RANK, Kind
from bot.care.grave import SOMEBODY, grave_words
from bot.care.threads import LONGEST_SENTENCE, Lines, Thread, fresh, left_open, threads_of
from bot.care.turning import turned
from bot.care.wording import asked_as, opening_of, told_when
from bot.conversation.checking.wordings import LANGUAGES
from bot.domain import Utterance
from bot.language.ahead import ahead_in
from bot.llm.scripted import ScriptedEncoder
from bot.texts.care import INTENTIONS, QUESTIONS
from tests.living import ANN, DM

MONDAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def line(text: str, days: float = 0.0, number: int = 1, session: int = 1) -> Utterance:
    return Utterance(DM, f"m{number}", ANN, text, MONDAY + days * DAY, id=number, session_id=session)


async def lines(*said: tuple[str, float]) -> Lines:
    """(words, days after Monday), each said in a session of its own."""
    rows = tuple(line(text, days, number, number) for number, (text, days) in enumerate(said, 1))
    return Lines(rows, await ScriptedEncoder().encode([row.text for row in rows]))


async def open_at(days: float, *said: tuple[str, float]) -> list[Thread]:
    known, now = await lines(*said), MONDAY + days * DAY
    return left_open(threads_of(known, now, UTC), known, now)


@pytest.mark.parametrize(
    ("text", "first", "count"),
    [
        ("My exam is tomorrow", 1, 1),
        ("I have an exam the day after tomorrow", 2, 1),
        ("I have an interview on Friday", 4, 1),
        ("I have an interview on Monday", 7, 1),
        ("I fly next Friday", 4, 8),
        ("We are camping this weekend", 5, 2),
        ("We are camping next weekend", 5, 9),
        ("I start next week", 7, 7),
        ("the wedding is next month", 29, 31),
        ("my surgery is on 20 November", 18, 1),
        ("my surgery is on November 20th", 18, 1),
        ("I have a scan on the 5th", 3, 1),
        ("I move in two weeks", 10, 8),
        ("I go home for Christmas", 53, 2),
    ],
)
def test_a_time_ahead_is_the_days_that_it_names(text: str, first: int, count: int) -> None:
    when = ahead_in(text, MONDAY)
    midnight = MONDAY.replace(hour=0)
    assert when is not None
    assert (when.start, when.end) == (midnight + first * DAY, midnight + (first + count) * DAY)


@pytest.mark.parametrize("text", ["I was there last Friday", "I swim every Monday", "As ever", "It was May I think"])
def test_what_is_no_time_ahead_is_none(text: str) -> None:
    assert ahead_in(text, MONDAY) is None


async def test_what_is_ahead_is_asked_about_after_its_day_and_wished_luck_right_before() -> None:
    said = ("I have my driving test on Friday.", 0.0)
    assert await open_at(1.5, said) == []
    (before,) = await open_at(3.5, said)  # Thursday evening
    assert before.before
    assert await open_at(4.4, said) == []  # Friday evening: nobody knows whether it is over
    (after,) = await open_at(5.4, said)
    assert (after.kind, after.before) == (Kind.AHEAD, False)
    assert await open_at(40.0, said) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm worried about my thesis.", Kind.FEAR),
        ("My grandma passed away.", Kind.DEATH),
        ("I've been learning Spanish with an app.", Kind.UNDER_WAY),
        ("I'm thinking of adopting a rescue dog.", Kind.PLAN),
        ("I'd love to visit the Cliffs of Moher.", Kind.WISH),
        ("I'm sick.", Kind.ILLNESS),
        ("I've got the flu and I'm stuck in bed.", Kind.ILLNESS),
        ("I broke my arm.", Kind.ILLNESS),
        ("I've been feeling really lonely lately.", Kind.WORRY),
        ("My girlfriend broke up with me.", Kind.SEPARATION),
        ("I started a new job.", Kind.UNDER_WAY),
    ],
)
async def test_what_has_no_day_is_known_by_its_words(text: str, kind: Kind) -> None:
    assert [one.kind for one in await open_at(7.0, (text, 0.0))] == [kind]
    assert await open_at(0.4, (text, 0.0)) == []
    assert await open_at(119.0, (text, 0.0)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Good morning!",
        "The weather is nice.",
        "I'll let you know tomorrow.",
        "Are you going to the party on Friday?",
        "I'm not going to the concert on Friday.",
        "I have a dentist appointment every Friday.",
        "I'm going to do it tomorrow.",
        "I want to make a difference.",
        "If it rains I'm going to the cinema on Friday.",
        "Ich habe am Freitag eine Prüfung, und ich bin sehr nervös deswegen.",
        "I love dogs.",
        "I'm really sick of my job.",
        "I feel terrible about what I said.",
        "I had the flu last year.",
        "I have a cold beer.",
        "The exam on Friday is cancelled.",
    ],
)
async def test_what_nobody_would_be_asked_about_opens_nothing(text: str) -> None:
    for days in (1.5, 5.5, 9.5):
        assert await open_at(days, (text, 0.0)) == []


async def test_later_words_settle_what_they_are_about_and_nothing_else() -> None:
    interview = ("I have a job interview at the bakery on Friday.", 0.0)
    assert await open_at(8.0, interview, ("I saw a film with Tom.", 5.0))
    assert await open_at(8.0, interview, ("The job interview at the bakery went well!", 5.0)) == []
    assert await open_at(8.0, interview, ("They cancelled the bakery interview.", 2.0)) == []


async def test_who_is_well_again_is_not_asked_how_they_feel() -> None:
    flu = ("I've got the flu and I'm stuck in bed.", 0.0)
    (thread,) = await open_at(3.0, flu, ("I saw a film with Tom.", 2.0))
    assert opening_of(thread, "Ann", MONDAY + 3 * DAY, 0).endswith("How are you feeling now?")
    assert await open_at(3.0, flu, ("Luckily I feel much better today.", 2.0)) == []


@pytest.mark.parametrize(
    ("text", "days", "asked"),
    [
        ("I'm studying for my finals on Friday.", 6.0, "How did it go?"),
        ("I started a pottery class this week.", 8.0, "How is it going?"),
        ("Job interview on Friday!", 6.0, "How did it go?"),
        ("My sister has surgery on Friday.", 6.0, "How did it go?"),
        ("There is a school concert on Friday.", 6.0, "What came of it?"),
    ],
)
async def test_a_question_fits_what_it_is_about_and_so_does_the_intention(text: str, days: float, asked: str) -> None:
    (thread,) = await open_at(days, (text, 0.0))
    assert opening_of(thread, "Ann", MONDAY + days * DAY, 0).endswith(asked)
    wanted = {"How did it go?": "went", "How is it going?": "going", "What came of it?": "came of it"}[asked]
    assert wanted in INTENTIONS[asked_as(thread)]


def test_every_question_has_its_intention_and_every_kind_its_question() -> None:
    grave = {kind.value for kind in RANK}
    assert INTENTIONS.keys() == QUESTIONS.keys() | grave
    assert {kind.value for kind in Kind} <= INTENTIONS.keys()
    for code in LANGUAGES:
        words = grave_words(code)
        assert words.asks.keys() == grave - {Kind.HEAVY.value} | {SOMEBODY}
        assert all(words.frames), code


async def test_what_is_taken_back_at_once_is_not_asked_about() -> None:
    rows = (line("I have a job interview on Friday."), line("Never mind, it was called off.", 0.01, 2))
    known = Lines(rows, np.eye(2, dtype=np.float32))
    now = MONDAY + 8 * DAY
    assert threads_of(known, now, UTC)
    assert left_open(threads_of(known, now, UTC), known, now) == []


async def test_what_a_check_in_was_about_is_not_asked_again_until_something_new_is_said() -> None:
    first, again = "I'm learning to play the cello.", "I'm learning to play the cello with a new teacher."
    known, now = await lines((first, 0.0), (again, 50.0)), MONDAY + 56 * DAY
    due = [one for one in threads_of(known, now, UTC) if one.line.id == 2]
    assert due
    assert fresh(due, known, [(MONDAY + 55 * DAY, (1,))]) == []
    assert fresh(due, known, [(MONDAY + 55 * DAY, (2,))]) == []
    assert fresh(due, known, [(MONDAY + 30 * DAY, (1,))]) == [], "it was talked about a short while before"
    assert fresh(due, known, [(MONDAY + 5 * DAY, (1,))]) == due


@pytest.mark.parametrize(
    ("clause", "told"),
    [
        ("I'm moving to a new flat with my brother", "you were moving to a new flat with your brother"),
        ("I have my driving test", "you had your driving test"),
        ("I've been taking notes in my notebook", "you had been taking notes in your notebook"),
        ("we're considering adopting a rescue dog", "you were considering adopting a rescue dog"),
        ("I want to improve my endurance, really", "you wanted to improve your endurance"),
        ("I applied to adoption agencies", "you applied to adoption agencies"),
    ],
)
def test_own_words_are_told_back_in_you(clause: str, told: str) -> None:
    assert turned(clause) == told


@pytest.mark.parametrize(
    "clause",
    [
        "I'm going to tell him what I think",
        "I'm moving here",
        "I really hope to",
        "My sister is having a baby",
        "I'm worried about our school",
        "I'm reading “Dune” by Frank Herbert",
    ],
)
def test_what_would_not_be_right_any_more_is_not_turned(clause: str) -> None:
    assert turned(clause) is None


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "earlier"),
        (1, "yesterday"),
        (4, "on Monday"),
        (8, "a week ago"),
        (13, "two weeks ago"),
        (40, "on 2 November"),
    ],
)
def test_when_it_was_told(days: int, words: str) -> None:
    assert told_when(MONDAY, MONDAY + days * DAY) == words


async def test_an_opening_tells_what_was_said_and_asks_and_two_in_a_row_differ() -> None:
    (thread,) = await open_at(6.0, ("I have my driving test on Friday.", 0.0))
    now = MONDAY + 6 * DAY
    texts = [opening_of(thread, "Ann", now, turn) for turn in range(4)]
    assert texts[0] == "On Monday you told me that you had your driving test on Friday. How did it go?"
    assert all("you had your driving test" in text and text.count("Ann") <= 1 for text in texts)
    assert all(first != second for first, second in pairwise(texts))


async def test_what_cannot_be_turned_is_quoted_and_luck_is_wished_before() -> None:
    (thread,) = await open_at(3.5, ('I have a driving test at "Smith" on Friday', 0.0))
    text = opening_of(thread, "Ann", MONDAY + 3.5 * DAY, 0)
    assert text == "You told me on Monday: “I have a driving test at 'Smith' on Friday.” I hope it goes well tomorrow."


async def test_who_was_wished_luck_is_asked_once_how_it_went() -> None:
    known, before = await lines(("My driving test is on Friday.", 0.0)), [(MONDAY + 3 * DAY, (1,))]
    [luck] = threads_of(known, MONDAY + 3.5 * DAY, UTC)
    assert luck.before
    assert fresh([luck], known, before) == []
    [over] = threads_of(known, MONDAY + 6 * DAY, UTC)
    assert fresh([over], known, before) == [over]
    assert fresh([over], known, [(MONDAY + 6 * DAY, (1,)), *before]) == []


async def test_an_exam_with_its_day_is_enough_to_ask_about() -> None:
    known = await lines(("I have an exam on Friday, and I am nervous about it.", 0.0), ("I have a day off.", 0.1))
    [exam] = threads_of(known, MONDAY + 5 * DAY, UTC)
    assert (exam.kind, exam.occasion) == (Kind.AHEAD, True)


async def test_a_sentence_has_its_longest_length() -> None:
    exam = "I have an exam on Friday about "
    assert await open_at(6, (exam + "x" * (LONGEST_SENTENCE - len(exam)), 0))
    assert not await open_at(6, (exam + "x" * (LONGEST_SENTENCE - len(exam) + 1), 0))


@pytest.mark.parametrize(
    "text",
    [
        "we've got double science tomorrow",
        "I have work tomorrow",
        "We've got maths on Thursday",
        "I've got a late shift tomorrow",
        "I have to work on Saturday",
    ],
)
async def test_what_stands_in_a_timetable_is_not_asked_about(text: str) -> None:
    assert await open_at(4.0, (text, 1.0)) == []


@pytest.mark.parametrize("text", ["I've got a chemistry test tomorrow", "I have my physics exam tomorrow"])
async def test_a_test_at_school_is_asked_about(text: str) -> None:
    assert [one.kind for one in await open_at(4.0, (text, 1.0))] == [Kind.AHEAD]


async def test_where_quoted_words_say_tomorrow_the_question_says_which_day_that_was() -> None:
    text = "my sister has her driving test tomorrow and my exam is tomorrow"
    known = await lines((text, 1.0))
    for days, said in ((4.0, "on Wednesday"), (3.0, "yesterday")):
        now = MONDAY + days * DAY
        (thread,) = threads_of(known, now, UTC)
        asked = {opening_of(thread, "Ann", now, turn).partition("” ")[2] for turn in range(3)}
        assert asked == {f"How did it go {said}?", f"How was it {said}?", f"I would like to hear how it went {said}."}
