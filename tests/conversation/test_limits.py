"""How fast people may write, how many may wait, and how much a day may cost."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import texts
from bot.config import Limits
from bot.conversation.limits import KEPT_SHARE, OVERHEARD, WINDOW, Excess, Pace, TokenQuota
from bot.domain import Place, PlaceKind, Speaker, Utterance
from bot.llm.scripted import ScriptedChatModel
from tests.conversation.talk import HALL, Talk, open_talk, until
from tests.living import ANN, BOB, DM, START
from tests.looking import spend

SECOND = timedelta(seconds=1)
OTHER_HALL = Place("test", PlaceKind.CHANNEL, "home/cellar")


def said(time: datetime = START, speaker: Speaker = ANN, place: Place = DM) -> Utterance:
    return Utterance(place, "m", speaker, "Hi", time)


def pace(person: int = 100, server: int = 100, max_pending: int = 100) -> Pace:
    return Pace(Limits(person_per_minute=person, server_per_minute=server), max_pending)


@given(st.lists(st.integers(0, 300), max_size=60).map(sorted), st.integers(1, 5))
def test_nobody_has_more_than_so_many_in_any_minute_and_nobody_is_refused_before(
    seconds: list[int], limit: int
) -> None:
    counted, taken = pace(person=limit), list[datetime]()
    for second in seconds:
        message = said(START + second * SECOND)
        recent = [time for time in taken if message.time - time < WINDOW]
        assert (counted.excess(message, 0) is Excess.PERSON) == (len(recent) >= limit)
        if len(recent) < limit:
            counted.count(message)
            taken.append(message.time)


def test_what_was_sent_over_hours_and_is_caught_up_at_once_is_no_flood() -> None:
    counted = pace(person=2)
    for hour in range(20):
        message = said(START + timedelta(hours=hour))
        assert counted.excess(message, 0) is None
        counted.count(message)


def test_a_person_and_a_server_are_counted_apart() -> None:
    counted = pace(person=2, server=3)
    for _ in range(2):
        counted.count(said(speaker=ANN, place=HALL))
    assert counted.excess(said(speaker=ANN, place=DM), 0) is Excess.PERSON
    assert counted.excess(said(speaker=BOB, place=HALL), 0) is None
    counted.count(said(speaker=BOB, place=HALL))
    assert counted.excess(said(speaker=BOB, place=OTHER_HALL), 0) is Excess.SERVER
    assert counted.excess(said(speaker=BOB, place=DM), 0) is None


def test_a_message_that_was_stored_before_does_not_count() -> None:
    counted = pace(person=1)
    counted.count(said())
    counted.discount(said())
    assert counted.excess(said(), 0) is None


def test_who_has_been_calm_is_forgotten_and_who_has_not_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.conversation.limits.KEPT_WINDOWS", 10)
    counted = pace(person=1)
    for number in range(50):
        counted.count(said(START + number * 10 * SECOND, Speaker(f"test:{number}", "Somebody")))
    assert len(counted._times) <= 12
    assert counted.excess(said(START + 495 * SECOND, Speaker("test:49", "Somebody")), 0) is Excess.PERSON


def test_a_place_is_told_once_until_its_queue_was_empty_and_a_minute_was_calm() -> None:
    counted = pace()
    assert counted.tells(DM, START, empty=False)
    assert not counted.tells(DM, START + 50 * SECOND, empty=False)
    assert not counted.tells(DM, START + 200 * SECOND, empty=False)
    counted.emptied(DM)
    assert not counted.tells(DM, START + 220 * SECOND, empty=False)
    assert counted.tells(HALL, START, empty=False)
    assert counted.tells(DM, START + 281 * SECOND, empty=False)
    assert not counted.tells(DM, START + 500 * SECOND, empty=False)
    assert counted.tells(DM, START + 600 * SECOND, empty=True)


async def test_a_flood_is_answered_so_far_told_once_and_the_rest_is_not_stored(tmp_path: Path) -> None:
    async with open_talk(tmp_path, limits__person_per_minute=3) as talk:
        taken = [await talk.say(f"Line {number}") for number in range(10)]
        assert taken == [True] * 3 + [False] * 7
        assert talk.replies == ["I see."] * 3 + [texts.PERSON_TOO_FAST]
        assert [text for text in await talk.heard() if text != "I see."] == ["Line 0", "Line 1", "Line 2"]
        assert talk.screen.sent[-1].in_reply_to == "m4"
        talk.clock.advance(timedelta(minutes=2))
        assert await talk.say("Line 10")
        assert talk.replies[-1] == "I see."


async def test_a_place_takes_so_many_that_wait_and_all_that_want_no_reply(tmp_path: Path) -> None:
    async with open_talk(tmp_path, queue__max_pending=2, channels__mode="listen") as talk:
        talk.model.hold = hold = asyncio.Event()
        taken = [await talk.hear(f"Line {number}", place=HALL, to_bot=True) for number in range(4)]
        taken += [await talk.hear(f"Aside {number}", place=HALL, to_bot=False) for number in range(4)]
        assert taken == [True] * 8
        hold.set()
        await talk.conversations.idle()
        assert texts.PLACE_FULL_HEARD.format(count=2) in talk.replies
        assert len(talk.replies) == 2
        assert [text for text in await talk.heard(HALL) if text.startswith("Aside")] == [f"Aside {n}" for n in range(4)]


async def test_of_a_flood_that_wants_no_reply_so_much_is_read_and_no_cry_is_missed(tmp_path: Path) -> None:
    async with open_talk(tmp_path, limits__person_per_minute=2, channels__mode="listen") as talk:
        read = 2 * OVERHEARD
        aside = [await talk.hear(f"Aside {number}", place=HALL, to_bot=False) for number in range(read + 4)]
        assert aside == [True] * read + [False] * 4
        assert await talk.hear("I want to kill myself.", place=HALL, to_bot=False)
        assert await talk.hear("Hello", BOB, place=HALL, to_bot=False)
        await talk.conversations.idle()
        assert len([text for text in await talk.heard(HALL) if text.startswith("Aside")]) == read
        talk.clock.advance(timedelta(minutes=2))
        assert await talk.hear("Aside again", place=HALL, to_bot=False)
        await talk.conversations.idle()


async def test_where_all_is_remembered_what_is_not_answered_is_too_but_no_flood(tmp_path: Path) -> None:
    async with open_talk(tmp_path, queue__max_pending=2, channels__mode="listen") as talk:
        talk.model.hold = hold = asyncio.Event()
        taken = [await talk.hear(f"Line {number}", place=HALL, to_bot=True) for number in range(14)]
        assert taken == [True] * (2 + 2 * KEPT_SHARE) + [False] * 4
        hold.set()
        await talk.conversations.idle()
        kept = [line for line in await talk.stores.utterances.recent(HALL, 50) if not line.speaker.is_agent]
        assert [line.to_bot for line in kept] == [True] * 2 + [False] * (2 * KEPT_SHARE)
        talk.clock.advance(timedelta(minutes=2))
        assert await talk.say("Line 14", place=HALL, to_bot=True)


async def test_what_is_not_answered_in_a_calm_place_is_dealt_with_by_its_worker(tmp_path: Path) -> None:
    async with open_talk(tmp_path, limits__person_per_minute=1, channels__mode="listen") as talk:
        assert [await talk.say(f"Line {number}", place=HALL, to_bot=True) for number in range(2)] == [True, True]
        assert talk.replies == ["I see.", texts.PERSON_TOO_FAST_HEARD]
        assert await talk.stores.inbox.pending() == []


async def test_where_only_mentions_are_kept_what_is_not_answered_is_not(tmp_path: Path) -> None:
    async with open_talk(tmp_path, queue__max_pending=1, channels__mode="mention") as talk:
        talk.model.hold = hold = asyncio.Event()
        assert [await talk.hear(f"Line {number}", place=HALL, to_bot=True) for number in range(2)] == [True, False]
        hold.set()
        await talk.conversations.idle()
        assert texts.PLACE_FULL.format(count=1) in talk.replies


async def test_what_was_missed_is_taken_in_though_more_waits_than_may(tmp_path: Path) -> None:
    async with open_talk(tmp_path, queue__max_pending=2) as talk:
        talk.model.hold = hold = asyncio.Event()
        missed = [talk.clock.now() - timedelta(minutes=5 * number) for number in (5, 4, 3, 2, 1)]
        taken = [await talk.hear(f"Line {number}", time=time) for number, time in enumerate(missed)]
        assert taken == [True] * 5
        assert not await talk.hear("Now")
        hold.set()
        await talk.conversations.idle()
        assert talk.replies.count("I see.") == 5


async def test_a_notice_never_takes_the_draft_of_the_reply_that_grows(tmp_path: Path) -> None:
    async with open_talk(tmp_path, queue__max_pending=1) as talk:
        talk.screen.drafts = True
        talk.model.hold, talk.model._hold_after = (hold := asyncio.Event()), 1
        await talk.hear("Line 0")
        await until(lambda: bool(talk.screen.drawn))
        assert not await talk.hear("Line 1")
        await until(lambda: bool(talk.screen.sent))
        assert talk.screen.drawn == {"draft-0": "I"}
        hold.set()
        await talk.conversations.idle()
        assert talk.screen.drawn == {"draft-0": "I see."}


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    model = ScriptedChatModel("Five words of a reply.")
    async with open_talk(tmp_path, model, limits__person_daily_tokens=1, channels__mode="listen") as opened:
        yield opened


async def test_beyond_the_days_budget_it_remembers_and_says_so_once_a_day(talk: Talk) -> None:
    for number in range(4):
        assert await talk.say(f"Line {number}")
    assert talk.replies == ["Five words of a reply.", texts.BUDGET_USED_UP]
    assert await talk.heard() == ["Line 0", "Five words of a reply.", "Line 1", "Line 2", "Line 3"]
    assert await talk.stores.inbox.pending() == []
    assert len(talk.model.requests) == 1
    talk.clock.advance(timedelta(days=1))
    await talk.say("Line 4")
    assert talk.replies[-1] == "Five words of a reply."


async def test_a_budget_is_one_persons_and_each_place_is_told(talk: Talk) -> None:
    await talk.say("Hi")
    await talk.say("Hi", BOB, HALL, to_bot=True)
    assert talk.replies == ["Five words of a reply."] * 2
    await talk.say("Hi", ANN, HALL, to_bot=True)
    await talk.say("Hi", ANN, DM)
    assert [sent.place for sent in talk.screen.sent[2:]] == [HALL, DM]
    assert talk.replies[2:] == [texts.BUDGET_USED_UP] * 2


async def test_everyone_who_is_over_a_budget_is_told(tmp_path: Path) -> None:
    async with open_talk(tmp_path, limits__server_daily_tokens=1, channels__mode="listen") as talk:
        for speaker in (ANN, ANN, ANN, BOB, BOB):
            await talk.say("Hi", speaker, HALL, to_bot=True)
        assert talk.replies == ["I see.", texts.BUDGET_USED_UP, texts.BUDGET_USED_UP]
        assert [sent.in_reply_to for sent in talk.screen.sent[1:]] == ["m2", "m4"]


async def test_a_servers_budget_is_spent_by_all_its_people_and_not_in_private(tmp_path: Path) -> None:
    async with open_talk(tmp_path, limits__server_daily_tokens=1, channels__mode="listen") as talk:
        await talk.say("Hi", ANN, HALL, to_bot=True)
        await talk.say("Hi", BOB, OTHER_HALL, to_bot=True)
        await talk.say("Hi", ANN, DM)
        assert talk.replies == ["I see.", texts.BUDGET_USED_UP, "I see."]


async def test_what_a_reply_costs_is_recorded_with_its_prompt(tmp_path: Path) -> None:
    async with open_talk(tmp_path, ScriptedChatModel("One two three.")) as talk:
        await talk.say("Hi")
        spent = await spend(talk.stores.usage, START.date(), [ANN.id], 0)
        assert spent[ANN.id] == talk.model.count_tokens(talk.model.requests[0].messages) + 3


async def test_without_a_limit_nothing_is_used_up(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        allowance = TokenQuota(usage=talk.stores.usage, clock=talk.clock, settings=Limits())
        spending = allowance.spending(said(), 10**9)
        await spend(talk.stores.usage, spending.day, spending.subjects, spending.tokens)
        assert not await allowance.used_up(said())
