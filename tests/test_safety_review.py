"""What was stored before the look for signs of danger existed is reviewed once, over the whole core."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.app.app import App
from bot.conversation import crisis_responder
from bot.conversation.safety import may_be_danger
from bot.domain import (
    AGENT_ID,
    CareWishes,
    CheckInState,
    Composed,
    ErasureReason,
    Event,
    Scope,
    Speaker,
    Trait,
    Utterance,
    VectorKind,
    Why,
)
from bot.errors import StorageError
from bot.llm.scripted import ScriptedChatModel
from bot.memory import safety_review
from bot.ports import Core
from tests.living import ANN, BOB, CHANNEL, DM, START, OpenCore, open_core
from tests.looking import vectors_in
from tests.memory.cleaning import clean_now

BEFORE: dict[str, object] = {
    "safety__enabled": False,
    "memory__summariser": "extractive",
    "memory__summary_words": 60,
    "persona__extractor": "extractive",
}
"""The program of before: it answers and derives as today, and nobody looks for danger."""
AFTER = BEFORE | {"safety__enabled": True}

DOGS = "I have two dogs called Miso and Waffles."
SOFA = "My two dogs called Miso and Waffles sleep on my blue sofa."
DANGER = "I sometimes think my family is better off without me."
MARK = "better off without"
FIRST = "My two dogs called Miso and Waffles listen to a violin."
LAST = "My two dogs called Miso and Waffles met another dog."
BOBS = "I repair old bicycles."
KEPT = ("violin", "Miso", "sofa", "bicycles", "another dog")

WEEK, TALK = timedelta(days=7), timedelta(hours=8)


def opened(
    folder: Path, after: timedelta = timedelta(0), overrides: dict[str, object] | None = None
) -> AbstractAsyncContextManager[OpenCore]:
    """The core, some time after the first start."""
    return open_core(
        folder, model=ScriptedChatModel("I see."), start=START + after, overrides=AFTER | (overrides or {})
    )


async def live(folder: Path) -> None:
    """Three conversations of Ann's, with DANGER in the middle of the second, and one in a channel with it."""
    async with opened(folder, overrides=BEFORE) as core:
        await core.say(FIRST)
        await core.passes(TALK)
        for text in (DOGS, DANGER, SOFA):
            await core.say(text)
        await core.say(BOBS, BOB, CHANNEL, to_bot=False)
        await core.say(DANGER, ANN, CHANNEL, to_bot=False)
        await core.passes(TALK)
        await core.say(LAST)
        await core.passes(TALK)
        made = await derived(core.app)
        assert sum(MARK in text for text in made) == 4, "a trait and a summary in each place"
        assert await is_linked(core.app, DANGER)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of that life, which each test has a copy of."""
    folder = tmp_path_factory.mktemp("lived")
    asyncio.run(live(folder))
    return folder


@pytest.fixture
def before(lived: Path, tmp_path: Path) -> None:
    """That life is in the test's folder."""
    shutil.copytree(lived, tmp_path, dirs_exist_ok=True)


async def everything(app: App) -> tuple[list[Event], list[Trait]]:
    """All events and traits."""
    events: list[Event] = []
    traits: list[Trait] = []
    for place in (DM, CHANNEL):
        events += [one for one in await app.stores.events.readable_in(place) if one.place == place]
        for person in (ANN.id, BOB.id):
            traits += await app.stores.traits.current(person, place)
    return events, traits


async def derived(app: App) -> list[str]:
    """All words that were derived."""
    events, traits = await everything(app)
    return sorted([one.summary for one in events] + [one.text for one in traits])


async def lines(app: App) -> list[Utterance]:
    """All that was said."""
    return [one for place in (DM, CHANNEL) for one in await app.recent(place, 100)]


async def is_linked(app: App, text: str) -> bool:
    """Whether the event of the session in which this was said in private is on a timeline with those beside it."""
    [session] = [one.session_id for one in await app.recent(DM, 100) if one.text == text]
    events = [one for one in (await everything(app))[0] if one.place == DM]
    [this] = [one.id for one in events if one.session_id == session]
    edges = await app.stores.graph.among([one.id for one in events])
    assert {end for edge in edges for end in (edge.older, edge.newer)} <= {one.id for one in events}
    return any(this in (edge.older, edge.newer) for edge in edges)


@dataclass
class Looked:
    """What the review has looked at."""

    texts: list[str] = field(default_factory=list)
    at_once: list[int] = field(default_factory=list)
    in_loop: bool = False
    """Whether it has ever kept the event loop waiting."""

    def times(self) -> int:
        """How often DANGER was looked at since the last time that this was asked."""
        number = self.texts.count(DANGER)
        self.texts.clear()
        return number


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Looked:
    """What the review has looked at."""
    look, seen = safety_review.SafetyReview._withheld_of, Looked()

    def noted(self: safety_review.SafetyReview, some: Sequence[Utterance]) -> list[int]:
        seen.texts += [one.text for one in some]
        seen.at_once.append(len(some))
        seen.in_loop |= threading.current_thread() is threading.main_thread()
        return look(self, some)

    monkeypatch.setattr(safety_review.SafetyReview, "_withheld_of", noted)
    return seen


@pytest.fixture(autouse=True)
def look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The look, which may not err on ordinary lines here: it is trained, and errs on others each time."""
    monkeypatch.setattr(crisis_responder, "may_be_danger", lambda text: text == DANGER and may_be_danger(text))


@pytest.mark.usefixtures("before")
async def test_nothing_that_was_derived_from_danger_stays_and_all_else_does(tmp_path: Path) -> None:
    async with opened(tmp_path, WEEK) as core:
        app, said = core.app, await lines(core.app)
        passages = [await app.stores.passages.readable_in(place) for place in (DM, CHANNEL)]
        await app.safety_review.run()
        assert not [text for text in await derived(app) if MARK in text], "before anything is derived anew"
        await app.settle()
        words = " ".join(await derived(app))
        assert MARK not in words
        assert not [kept for kept in KEPT if kept not in words]
        events, traits = await everything(app)
        assert len(events) == 4, "each session is remembered, summarised anew where it has to be"
        assert {one.text for one in traits} >= {DOGS, SOFA, BOBS}
        assert await lines(app) == said
        assert DANGER in [one.text for one in said]
        for place, known in zip((DM, CHANNEL), passages, strict=True):
            assert (await app.stores.passages.readable_in(place)).tolist() == known.tolist()
        rows: dict[VectorKind, Sequence[Event | Trait]] = {VectorKind.EVENT: events, VectorKind.TRAIT: traits}
        for kind, of_kind in rows.items():
            for place in (DM, CHANNEL):
                ids = sorted(one.id for one in of_kind if one.place == place)
                assert await vectors_in(app.stores.index, Scope(kind, place.key)) == len(ids), "nobody's vector is left"
                found, _ = await app.stores.index.load(Scope(kind, place.key), ids)
                assert found.tolist() == ids
        assert await is_linked(app, DANGER), "its timeline goes on through what the rest of the session says"
        assert await clean_now(app.eraser, 60)
        receipt = await app.stores.erasures.receipt(1)
        assert receipt is not None
        counts = dict(receipt.counts)
        assert (receipt.reason, receipt.found, counts["events"], counts["traits"]) == (ErasureReason.WITHHELD, 0, 2, 2)
        assert {"utterances", "replies", "sessions"}.isdisjoint(counts)


@pytest.mark.usefixtures("before")
async def test_it_is_done_once_and_beside_the_event_loop(
    tmp_path: Path, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety_review, "AT_ONCE", 2)
    async with opened(tmp_path, WEEK) as core:
        assert looked.texts == [], "the start does not wait for it"
        await core.app.safety_review.catch_up()
        people = [one.text for one in await lines(core.app) if not one.speaker.is_agent]
        assert sorted(looked.texts) == sorted(people)
        assert (max(looked.at_once), looked.in_loop) == (2, False)
        await core.app.settle()
        known = await everything(core.app)
        looked.texts.clear()
    for _ in range(2):
        async with opened(tmp_path, WEEK) as core:
            await core.passes(timedelta(hours=1))
            assert await everything(core.app) == known
    assert looked.texts == []


async def test_a_new_memory_has_nothing_to_review(tmp_path: Path, looked: Looked) -> None:
    async with opened(tmp_path) as core:
        assert core.app.safety_review.is_done
        await core.say(DANGER)
        await core.app.safety_review.catch_up()
    async with opened(tmp_path) as core:
        await core.app.safety_review.catch_up()
    assert looked.texts == []


@pytest.mark.usefixtures("before")
async def test_a_new_version_reviews_anew_and_so_does_a_look_that_was_switched_off(
    tmp_path: Path, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def times(overrides: dict[str, object]) -> int:
        async with opened(tmp_path, WEEK, overrides) as core:
            await core.app.safety_review.catch_up()
        return looked.times()

    assert [await times({}), await times({})] == [2, 0]
    monkeypatch.setattr("bot.app.assembly_care.version_of_look", lambda: "other")
    assert [await times({}), await times({})] == [2, 0]
    assert [await times(BEFORE), await times({}), await times({})] == [0, 2, 0]


@pytest.mark.usefixtures("before")
async def test_what_an_earlier_process_did_not_come_to_is_done_by_the_next(
    tmp_path: Path, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safety_review, "BATCH", 1)
    monkeypatch.setattr(safety_review, "RETRY_S", 0.0)
    async with opened(tmp_path, WEEK) as core:
        reviewed, number = core.app.stores.safety_reviews.reviewed, 0

        async def ends(*arguments: Any) -> Any:
            nonlocal number
            number += 1
            if number == 4:
                raise asyncio.CancelledError
            return await reviewed(*arguments)

        monkeypatch.setattr(core.app.stores.safety_reviews, "reviewed", ends)
        with pytest.raises(asyncio.CancelledError):
            await core.app.safety_review.run()
        people = [one for one in await lines(core.app) if not one.speaker.is_agent]
    in_order = [one.text for one in sorted(people, key=lambda one: one.id)]
    assert looked.texts == in_order[:4]
    looked.texts.clear()
    async with opened(tmp_path, WEEK) as core:
        await core.app.safety_review.run()
        assert looked.texts == in_order[3:]
        await core.app.settle()
        words = " ".join(await derived(core.app))
        assert MARK not in words
        assert not [kept for kept in KEPT if kept not in words]


@pytest.mark.usefixtures("before")
async def test_a_storage_that_fails_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety_review, "RETRY_S", 0.0)
    async with opened(tmp_path, WEEK) as core:
        reviewed, failures = core.app.stores.safety_reviews.reviewed, [StorageError("full"), StorageError("full")]

        async def fails(*arguments: Any) -> Any:
            if failures:
                raise failures.pop()
            return await reviewed(*arguments)

        monkeypatch.setattr(core.app.stores.safety_reviews, "reviewed", fails)
        await core.app.safety_review.run()
        assert not [text for text in await derived(core.app) if MARK in text]


@dataclass
class Platform:
    """An adapter that ends when the review has."""

    app: App
    platform: str = "test"
    messenger: Any = None

    async def run(self, core: Core) -> None:
        """Waits, while the event loop belongs to everybody."""
        for _ in range(3000):
            if self.app.safety_review.is_done:
                return
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("before")
async def test_a_running_program_does_it_beside_its_adapters(tmp_path: Path) -> None:
    async with opened(tmp_path, WEEK) as core:
        assert not core.app.safety_review.is_done
        await core.app.serve([Platform(core.app)])
        assert not [text for text in await derived(core.app) if MARK in text]


@pytest.mark.parametrize(("about", "goes"), [(DANGER, True), (DOGS, False)])
@pytest.mark.usefixtures("before")
async def test_a_check_in_that_waits_goes_before_anything_is_sent(tmp_path: Path, about: str, goes: bool) -> None:
    due = START + WEEK
    overrides: dict[str, object] = BEFORE | {"care__zone": "UTC", "care__after_talk_hours": 0, "care__every_days": 1}
    async with opened(tmp_path, WEEK, overrides) as core:
        checkins = core.app.stores.checkins
        wishes = CareWishes(ANN.id, on=True, place=DM, zone="UTC", offered=True, next_at=due)
        await checkins.choose(wishes)
        claimed = await checkins.claim(wishes, due + WEEK, due + TALK)
        assert claimed is not None
        [line] = [one for one in await core.app.recent(DM, 100) if one.text == about]
        message = Utterance(DM, "", Speaker(AGENT_ID, "Monica"), "", due, to_bot=False)
        words = Composed("How is it today?", f"Ann said: {about}", "To hear of it.", ((line.id, about),))
        assert await checkins.compose(claimed, message, words, due) is not None
    async with opened(tmp_path, WEEK, overrides | {"safety__enabled": True}) as core:
        sent = [one.text for one in core.screen.sent]
        checkin = await core.app.stores.checkins.get(claimed.id)
        assert checkin is not None
        expected = (CheckInState.SKIPPED, Why.CHANGED) if goes else (CheckInState.SENT, None)
        assert (sent, (checkin.state, checkin.why)) == ([] if goes else [words.text], expected)
        await core.app.settle()
        assert (words.text in [one.text for one in await core.app.recent(DM, 100)]) is not goes
        assert about in [one.text for one in await core.app.recent(DM, 100)]
