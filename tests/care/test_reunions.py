"""Who greets again after a while is asked about what they left open, in the whole core."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.care.reading import Reader, Told
from bot.care.reunions import with_open
from bot.care.threads import Lines
from bot.conversation.meeting import GLAD, HOW_HAVE_YOU_BEEN, Reunion
from bot.domain import CareWishes, ModelDescription, Outgoing, Utterance
from bot.errors import IndexUnusable
from bot.llm.scripted import ScriptedChatModel
from bot.storage.conversation.outbox import SqlOutbox
from tests.care.writing import composer_of
from tests.living import ANN, BOB, CHANNEL, DM, START, OpenCore, open_core

BY_MODEL = "I see, tell me."
SMALL = ModelDescription("m", "d", "", 8192, 3000)
LARGE = ModelDescription("m", "d", "", 32768, 16000)
WIFE = "My wife Jean passed away in April."
WALTER = "My name is Walter."
TEA = "I like tea."
INTERVIEW = "I have a job interview on Thursday."
INTERVIEW_ASKED = "On Monday you told me that you had a job interview on Thursday. How did it go?"
KINDLY = f"{GLAD} How are you doing now?"


@asynccontextmanager
async def told(
    folder: Path, *lines: str, description: ModelDescription = SMALL, overrides: Mapping[str, object] | None = None
) -> AsyncIterator[OpenCore]:
    """Ann told this six days ago, each line in a session of its own."""
    model = ScriptedChatModel(BY_MODEL, description=description)
    async with open_core(folder, model=model, overrides=overrides) as core:
        for line in lines:
            await core.say(line)
            await core.passes(timedelta(hours=2))
        await core.passes(timedelta(days=6))
        yield core


async def reply(core: OpenCore, line: str) -> str:
    return (await core.say(line)).reply or ""


def is_plain(answer: str, hello: str) -> bool:
    return answer in {f"{hello} {how}" for how in HOW_HAVE_YOU_BEEN}


@pytest.mark.parametrize(
    ("line", "greeting", "answer"),
    [
        (INTERVIEW, "Good evening Monica, it's Ann", f"Good evening, Ann! {INTERVIEW_ASKED}"),
        (WIFE, "hello", f"Hello! {KINDLY}"),
        ("Meine Oma ist gestern gestorben.", "hallo", "Hallo! Wie geht es dir in diesen Tagen?"),
        (TEA, "hi", ""),
    ],
)
async def test_a_greeting_asks_about_what_is_open(tmp_path: Path, line: str, greeting: str, answer: str) -> None:
    async with told(tmp_path, line) as core:
        said = await reply(core, greeting)
        assert said == answer if answer else is_plain(said, "Hi!")


def asked(*lines: str, language: str = "en", apart: timedelta = timedelta(hours=2), session: int = 0) -> str:
    """What is asked of somebody who said these from Monday on, six days later; in sessions of their own, or in one."""
    said = tuple(
        Utterance(DM, f"m{at}", ANN, text, START + (at - 1) * apart, session_id=session or at, id=at)
        for at, text in enumerate(lines, start=1)
    )
    nothing = np.zeros((len(said), 0), dtype=np.float32)
    known = Told(ANN.id, said, nothing, Lines((), nothing[:0]))
    found = with_open(Reunion(language), known, START + timedelta(days=6, hours=9), UTC, ())
    return found.words if found is not None else "what was recalled"


@pytest.mark.parametrize(
    ("line", "question"),
    [
        (INTERVIEW, INTERVIEW_ASKED),
        ("Job interview at the planetarium on friday", "How did it go?"),
        ("dentist on tuesday", "You told me on Monday: “dentist on tuesday.” What came of it?"),
        ("dentist on tuesday, they want to pull a wisdom tooth", "What came of it?"),
        ("My dad has his knee operation on Tuesday, he's 81.", "How did it go?"),
        ("My dad's knee surgery is on Wednesday.", "How did it go?"),
        ("i have maths exam on thursday", "How did it go?"),
        ("driving test on wednesday!!! third try", "How did it go?"),
        ("I've got a dentist appointment on Tuesday at 10", "How did it go?"),
        ("on friday i have a job interview", "How did it go?"),
        ("I have an interview for a barista job on friday", "How did it go?"),
        ("I have a haircut tomorrow", "How did it go?"),
        ("geography test tmrw", "What came of it?"),
        ("I'm terrified that my ex will find me at my sister's.", "How are you doing now?"),
        ("My husband is on a ventilator, he is very ill.", "How are you doing now?"),
        ("I'm moving out on Thursday, my husband doesn't know.", "How are you doing now?"),
    ],
)
def test_what_is_open_is_asked_about(line: str, question: str) -> None:
    assert asked(line).endswith(question)


@pytest.mark.parametrize(
    "lines",
    [
        (TEA,),
        ("I quit smoking on sunday, day 1",),
        ("I have an abortion appointment on Thursday.",),
        ("I'm seeing my lover on Thursday.",),
        ("I have a test at the clinic on Thursday, nobody must know.",),
        ("I'm moving into a shelter on Thursday.",),
        ("I'm planning a surprise party for my wife on Thursday.",),
        ("I'm planning to leave my husband on Thursday while he is at work.",),
        ("My dad's memorial is on Thursday.",),
        ("Swim on Thursday, I'm not coming back.",),
        ("I'll test the rope on Thursday.",),
        ("I'm moving out on Friday.",),
        ("I have an interview on Thursday, he hits me if I'm late",),
        ("My son's driving test is on Thursday, he'd be 17 now",),
        ("doctor on thursday about my bruises",),
        ("Of course I'm alone again on Saturday.",),
        ("My son's birthday is on Thursday, he would be 12.",),
        ("I've a job interview on Thursday, my husband forbids me to work.",),
        ("My dad's knee surgery is on Tuesday.", "ok", "ok", "He didn't wake up."),
        ("got groped at the concert on friday",),
        ("I failed my driving test on Thursday, third time",),
        ("I passed my driving test on Friday!",),
        ("Concert on Friday with Tom from work, hubby thinks I'm at mum's",),
        ("My first day at rehab is on Thursday",),
        ("first day of chemo on Thursday",),
        ("Pelvic exam on Wednesday",),
        ("Child protection interview on Thursday",),
        ("Interview with HR on Thursday about Greg touching me",),
        ("Interview at the strip club on Friday",),
        ("Dentist on Wednesday because dad punched me",),
        ("foot surgery on thursday they take it off",),
        ("It's her graduation on Friday, Mum should have seen it",),
        ("i cant go to the concert on friday",),
        ("gymnastics competition on saturday, coach touches us",),
        ("Remind me of the dentist on Thursday",),
        ("I'm an examiner, driving test with Mrs Cole on Thursday",),
        ("My patient has knee surgery on Wednesday",),
        ("Job interview on Thursday or we're homeless",),
        ("big game on Thursday, put my savings on it",),
        ("exam at the gynaecologist on thursday",),
        ("interview at planned parenthood on thursday",),
        ("first day at the hospice on thursday",),
        ("interview for custody on thursday",),
        (INTERVIEW, "my boyfriend looks at my phone"),
        (INTERVIEW, "this is between you and me"),
        (INTERVIEW, "the interview got rescheduled to next week"),
        (INTERVIEW, "i took an overdose last night"),
        (INTERVIEW, "& don't tell anyone"),
        (INTERVIEW, "They filled the position."),
        (INTERVIEW, "forget what I said about the interview"),
        (INTERVIEW, "My husband uses this account too"),
        (INTERVIEW, "I was arrested"),
        (INTERVIEW, "I was raped."),
        (INTERVIEW, "Mum's gone."),
        (INTERVIEW, "He hit me on Wednesday."),
        (INTERVIEW, "They found her body."),
        (INTERVIEW, "My house burned."),
        (INTERVIEW, "leave me alone about the interview"),
        (INTERVIEW, "can we drop the interview thing"),
        (INTERVIEW, "I got the interview cancelled."),
        (INTERVIEW, "Please don't ask me about it."),
        (INTERVIEW, "I failed my exam today, what a rotten day."),
        (INTERVIEW, "I want to kill myself."),
    ],
)
def test_what_should_not_be_said_again_is_not(lines: tuple[str, ...]) -> None:
    assert asked(*lines) == ""


def test_what_is_told_on_its_day_may_be_of_it() -> None:
    assert asked(INTERVIEW, "They said no.") == INTERVIEW_ASKED, "on Monday: about something else"
    assert asked(INTERVIEW, "They said no.", apart=timedelta(days=3)) == ""


def test_what_was_to_stay_between_them_is_not_said_again() -> None:
    assert asked("Can you keep a secret", INTERVIEW, session=1) == ""
    assert asked("My husband checks my phone", INTERVIEW, session=1) == ""
    assert asked("I like tea.", INTERVIEW, session=1) == INTERVIEW_ASKED


def test_nothing_is_made_of_what_is_not_remembered() -> None:
    line = Utterance(DM, "m1", ANN, "dentist on tuesday", START, session_id=1, id=1)
    nothing = np.zeros((1, 0), dtype=np.float32)
    now = START + timedelta(days=6)
    for told_, asks in (
        (Told(ANN.id, (line,), nothing, Lines((), nothing[:0])), True),
        (Told(ANN.id, (), nothing[:0], Lines((line,), nothing)), False),
    ):
        found = with_open(Reunion("en"), told_, now, UTC, ())
        assert found is not None
        assert bool(found.words) is asks


def test_in_other_languages_only_what_is_grave_is_known() -> None:
    assert asked("Mi abuela murió ayer.", language="es") == "¿Cómo te encuentras ahora?"
    assert asked("El jueves tengo una entrevista.", language="es") == "what was recalled"


async def test_a_name_is_theirs_or_none(tmp_path: Path) -> None:
    async with told(tmp_path, WALTER, INTERVIEW) as core:
        assert await reply(core, "Good evening, it is Walter again.") == f"Good evening, Walter! {INTERVIEW_ASKED}"
        await core.passes(timedelta(days=2))
        assert await reply(core, "Hello, this is Tom") == BY_MODEL  # somebody else, maybe, and told nothing
        await core.passes(timedelta(days=2))
        assert await reply(core, "Good evening. It's Leukemia.") == BY_MODEL


async def test_how_they_are_after_something_grave_is_asked_once(tmp_path: Path) -> None:
    async with told(tmp_path, WIFE) as core:
        assert await reply(core, "hello") == f"Hello! {KINDLY}"
        await core.passes(timedelta(days=2))
        assert is_plain(await reply(core, "hello"), "Hello!")


async def test_nothing_is_asked_a_second_time(tmp_path: Path) -> None:
    async with told(tmp_path, INTERVIEW) as core:
        assert await reply(core, "hello") == f"Hello! {INTERVIEW_ASKED}"
        await core.say("It went well, they were nice.")
        await core.passes(timedelta(days=2))
        wishes = CareWishes("test:ann", on=True, zone="UTC", place=DM)
        assert isinstance(await composer_of(core).foresee(wishes, core.clock.now()), str)
        first = await reply(core, "hello")
        assert is_plain(first, "Hello!")
        await core.passes(timedelta(days=1))
        second = await reply(core, "hello")
        assert is_plain(second, "Hello!")
        assert second != first


@pytest.mark.parametrize("news", ["hello i'm bleeding", "hi i relapsed", "hello. she's gone", "he hit me again"])
async def test_news_behind_a_greeting_are_for_the_model(tmp_path: Path, news: str) -> None:
    async with told(tmp_path, TEA) as core:
        answer = await reply(core, news)
        assert not any(how in answer for how in HOW_HAVE_YOU_BEEN)


async def test_only_a_greeting_that_begins_a_session_after_a_while_is_answered_so(tmp_path: Path) -> None:
    async with told(tmp_path, INTERVIEW) as core:
        await core.say("I bought a lamp.")
        assert INTERVIEW_ASKED not in await reply(core, "hello")
        await core.passes(timedelta(hours=3))
        assert INTERVIEW_ASKED not in await reply(core, "hello")
        await core.passes(timedelta(days=1))
        assert INTERVIEW_ASKED not in ((await core.say("hello", BOB, CHANNEL)).reply or "")


async def test_what_was_said_lately_counts_also_where_nothing_is_made_of_it(tmp_path: Path) -> None:
    async with told(tmp_path, INTERVIEW) as core:
        await core.say("I want to kill myself.")
        await core.passes(timedelta(hours=2))
        answer = await reply(core, "hi")
        assert not any(how in answer for how in (INTERVIEW_ASKED, *HOW_HAVE_YOU_BEEN))


async def test_a_large_model_greets_itself(tmp_path: Path) -> None:
    async with told(tmp_path, INTERVIEW, description=LARGE) as core:
        assert await reply(core, "hello") == BY_MODEL


async def test_where_check_ins_are_off_nothing_told_is_brought_up(tmp_path: Path) -> None:
    async with told(tmp_path, INTERVIEW, overrides={"care__enabled": False}) as core:
        assert is_plain(await reply(core, "hello"), "Hello!")


async def test_what_is_erased_meanwhile_is_not_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with told(tmp_path, TEA, INTERVIEW) as core:
        (source,) = [line for line in await core.app.recent(DM, 10) if line.text == INTERVIEW]
        real, erased = SqlOutbox.commit, False

        async def commit(self: SqlOutbox, *arguments: object, **named: object) -> Outgoing | None:
            nonlocal erased
            if not erased:
                erased = True
                await core.app.stores.erasures.erase_messages("test", [source.message_id], core.clock.now())
            return await real(self, *arguments, **named)  # type: ignore[arg-type]  # passed on

        monkeypatch.setattr(SqlOutbox, "commit", commit)
        assert is_plain(await reply(core, "hello"), "Hello!")
        assert not any("interview" in sent.text for sent in core.screen.sent)


async def test_an_index_that_cannot_be_used_costs_no_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unusable(*_: object) -> None:
        raise IndexUnusable("gone")

    async with told(tmp_path, INTERVIEW) as core:
        monkeypatch.setattr(Reader, "read", unusable)
        assert INTERVIEW_ASKED not in await reply(core, "hello")
