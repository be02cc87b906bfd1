"""What is taken in while a turn is thought about: never two replies to one utterance, never none."""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bot.conversation.worker import MOST_RESTARTS
from bot.domain import Place, PlaceKind, Speaker
from bot.errors import StorageError
from bot.llm.scripted import ScriptedChatModel
from bot.storage.conversation.outbox import SqlOutbox
from tests.conversation.talk import HALL, Talk, open_talk, until
from tests.living import ANN, BOB, DM, START, Screen

MINUTES = timedelta(minutes=5)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """Conversations whose model thinks until it is let go, before its first word."""
    async with open_talk(tmp_path, ScriptedChatModel("I see.", hold=asyncio.Event())) as opened:
        yield opened


async def let_go(talk: Talk) -> None:
    assert talk.model.hold is not None
    talk.model.hold.set()
    await talk.conversations.idle()
    assert talk.model.running == 0


async def thinking(talk: Talk, requests: int = 1) -> None:
    """Waits until the model has been asked so often, and thinks."""
    await until(lambda: len(talk.model.requests) >= requests and talk.model.running > 0)


async def test_what_the_speaker_adds_while_it_thinks_is_answered_with_the_rest(talk: Talk) -> None:
    await talk.hear("I lost my keys.")
    await thinking(talk)
    await talk.hear("In the park, I think.")
    await thinking(talk, 2)
    assert (talk.model.running, talk.model.cancelled) == (1, 1)
    await let_go(talk)
    assert talk.replies == ["I see."]
    assert [[line.text for line in turn.utterances] for turn in talk.turns] == [
        ["I lost my keys.", "In the park, I think."]
    ]
    assert "I lost my keys." in talk.prompts[-1]
    assert await talk.heard() == ["I lost my keys.", "In the park, I think.", "I see."]
    assert {line.session_id for line in await talk.stores.utterances.recent(DM, 9)} == {1}


async def test_what_comes_after_something_was_seen_is_the_next_turn(tmp_path: Path) -> None:
    model = ScriptedChatModel("I see.", hold=asyncio.Event(), hold_after=1)
    async with open_talk(tmp_path, model) as talk:
        await talk.hear("I lost my keys.")
        await until(lambda: talk.screen.shown == ["I"])
        await talk.hear("In the park, I think.")
        await let_go(talk)
        assert talk.replies == ["I see."] * 2
        assert model.cancelled == 0
        assert [len(turn.utterances) for turn in talk.turns] == [1, 1]


async def test_a_platform_that_shows_nothing_lets_it_begin_anew_until_the_last_word(tmp_path: Path) -> None:
    model = ScriptedChatModel("I see.", hold=asyncio.Event(), hold_after=2)
    async with open_talk(tmp_path, model, screen=Screen(hidden=True)) as talk:
        await talk.hear("One")
        await until(lambda: talk.screen.shown[-1:] == ["I see."])
        await talk.hear("Two")
        await let_go(talk)
        assert talk.replies == ["I see."]


async def test_somebody_who_goes_on_and_on_is_answered_at_last(talk: Talk) -> None:
    for number in range(MOST_RESTARTS + 1):
        await talk.hear(f"Line {number}")
        await thinking(talk, number + 1)
    await talk.hear("Further")
    await talk.hear("And further")
    await let_go(talk)
    assert [len(turn.utterances) for turn in talk.turns] == [MOST_RESTARTS + 1, 2]
    assert len(talk.replies) == 2


async def test_what_is_long_after_is_a_turn_of_its_own(talk: Talk) -> None:
    await talk.hear("One")
    await thinking(talk)
    await talk.hear("Two", time=START + MINUTES)
    await let_go(talk)
    assert [len(turn.utterances) for turn in talk.turns] == [1, 1]
    assert talk.model.cancelled == 0


async def test_others_wait_their_turn_and_are_no_part_of_it(tmp_path: Path) -> None:
    model = ScriptedChatModel("I see.", hold=asyncio.Event())
    async with open_talk(tmp_path, model, channels__mode="listen") as talk:
        await talk.hear("One?", ANN, HALL, to_bot=True)
        await thinking(talk)
        await talk.hear("Nobody asked me.", BOB, HALL)
        await talk.hear("Two?", ANN, HALL, to_bot=True)
        await talk.hear("Three?", BOB, HALL, to_bot=True)
        assert model.cancelled == 0
        await let_go(talk)
        assert [[line.text for line in turn.utterances] for turn in talk.turns] == [
            ["One?"],
            ["Nobody asked me."],
            ["Two?"],
            ["Three?"],
        ]
        assert (await talk.heard(HALL))[:2] == ["One?", "Nobody asked me."]


async def test_an_edit_before_anything_was_seen_is_what_is_answered(talk: Talk) -> None:
    await talk.hear("I live in Oslo.", message_id="m1")
    await thinking(talk)
    assert await talk.corrector.edited("test", "m1", "I live in Bergen.")
    await thinking(talk, 2)
    await let_go(talk)
    assert "Bergen" in talk.prompts[-1]
    assert "Oslo" not in talk.prompts[-1]
    assert await talk.heard() == ["I live in Bergen.", "I see."]
    assert talk.turns[0].utterances[0].text == "I live in Bergen."


async def test_an_edit_of_what_waits_is_what_is_answered(talk: Talk) -> None:
    await talk.hear("One")
    await thinking(talk)
    await talk.hear("I live in Oslo.", message_id="m2", time=START + MINUTES)
    assert await talk.corrector.edited("test", "m2", "I live in Bergen.")
    assert talk.model.cancelled == 0
    await let_go(talk)
    assert talk.turns[-1].utterances[0].text == "I live in Bergen."
    assert "Oslo" not in talk.prompts[-1]


async def test_after_an_edit_the_reply_to_the_old_words_is_not_kept_even_if_something_of_it_was_seen(
    tmp_path: Path,
) -> None:
    model = ScriptedChatModel("I see.", hold=asyncio.Event(), hold_after=1)
    async with open_talk(tmp_path, model) as talk:
        await talk.hear("I live in Oslo.", message_id="m1")
        await until(lambda: talk.screen.shown == ["I"])
        assert await talk.corrector.edited("test", "m1", "I live in Bergen.")
        await let_go(talk)
        assert "Oslo" not in str(model.requests[-1].messages)
        assert len(model.requests) == 2
        assert await talk.heard() == ["I live in Bergen.", "I see."]


async def test_what_is_deleted_while_it_thinks_is_not_answered(talk: Talk) -> None:
    await talk.hear("One", message_id="m1")
    await talk.hear("Two", message_id="m2")
    await thinking(talk)
    await talk.corrector.deleted("test", ["m1"])
    await thinking(talk, 2)
    await let_go(talk)
    assert [[line.text for line in turn.utterances] for turn in talk.turns] == [["Two"]]
    assert "One" not in talk.prompts[-1]
    await talk.corrector.deleted("test", ["m2"])
    assert talk.replies == ["I see."]
    assert await talk.heard() == []


async def test_when_all_is_deleted_there_is_no_reply_and_its_draft_goes(tmp_path: Path) -> None:
    model = ScriptedChatModel("I see.", hold=asyncio.Event(), hold_after=1)
    async with open_talk(tmp_path, model, screen=Screen(drafts=True)) as talk:
        await talk.hear("One", message_id="m1")
        await until(lambda: talk.screen.drawn == {"draft-0": "I"})
        await talk.corrector.deleted("test", ["m1"])
        await talk.conversations.idle()
        assert (talk.screen.drawn, talk.screen.retracted) == ({}, ["draft-0"])
        assert await talk.stores.outbox.unfinished() == []
        assert talk.replies == []
        assert (model.running, model.cancelled) == (0, 1)
        await let_go(talk)
        assert await talk.say("Two")
        assert talk.replies == ["I see."]


async def test_what_is_deleted_while_it_waits_is_never_answered(talk: Talk) -> None:
    await talk.hear("One")
    await thinking(talk)
    await talk.hear("Two", message_id="m2", time=START + MINUTES)
    await talk.corrector.deleted("test", ["m2"])
    assert talk.conversations.waiting == 1
    await let_go(talk)
    assert [[line.text for line in turn.utterances] for turn in talk.turns] == [["One"]]


async def test_one_of_several_deleted_after_something_was_seen_still_gives_the_others_their_reply(
    tmp_path: Path,
) -> None:
    model = ScriptedChatModel("I see.", hold=asyncio.Event(), hold_after=1)
    async with open_talk(tmp_path, model) as talk:
        await talk.hear("One", message_id="m1")
        await talk.hear("Two", message_id="m2")
        await until(lambda: talk.screen.shown == ["I"])
        await talk.corrector.deleted("test", ["m2"])
        await let_go(talk)
        assert [sent.in_reply_to for sent in talk.screen.sent] == ["m1"]
        assert await talk.stores.inbox.pending() == []


async def test_what_was_erased_before_its_turn_began_is_left_out_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_talk(tmp_path, ScriptedChatModel("I see.", hold=asyncio.Event())) as talk:
        await talk.hear("One")
        await thinking(talk)
        await talk.hear("Two", message_id="m2", time=START + MINUTES)
        await talk.stores.erasures.erase_messages("test", ["m2"], START)  # the worker is not told
        await let_go(talk)
        assert talk.replies == ["I see."]


async def test_a_draft_of_a_try_that_was_begun_anew_becomes_the_reply(tmp_path: Path) -> None:
    """The first word is shown in the moment in which the try is stopped."""
    async with open_talk(tmp_path, ScriptedChatModel("I see."), screen=Screen(drafts=True)) as talk:
        await talk.stores.outbox.draft(DM, "m1", "draft-0")
        talk.screen.drawn["draft-0"] = "I"
        await talk.say("One")
        assert talk.screen.drawn == {"draft-0": "I see."}
        assert await talk.stores.outbox.unfinished() == []


async def test_what_comes_when_the_reply_is_stored_is_the_next_turn_though_the_send_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failing = SqlOutbox.sending, [StorageError("once")]

    async def broken(self: SqlOutbox, outgoing_id: int) -> None:
        if failing:
            await opened.hear("Two")
            raise failing.pop()
        await real(self, outgoing_id)

    monkeypatch.setattr(SqlOutbox, "sending", broken)
    async with open_talk(tmp_path, screen=Screen(hidden=True)) as opened:
        await opened.say("One")
        assert await opened.stores.inbox.pending() == []
        assert set(answered(tmp_path).values()) == {1}


def answered(folder: Path) -> dict[int, int]:
    """Utterance id → how many replies it has, for all that asked for one."""
    with sqlite3.connect(folder / "hello.db") as database:
        query = (
            "SELECT u.id, COUNT(a.reply_id) FROM utterances u LEFT JOIN answers a ON a.utterance_id = u.id "
            "WHERE u.to_bot GROUP BY u.id"
        )
        return dict(database.execute(query).fetchall())


def unanswered(folder: Path) -> list[int]:
    """The ids of what asked for a reply and was not given one."""
    with sqlite3.connect(folder / "hello.db") as database:
        query = "SELECT u.id FROM utterances u JOIN inbox i ON i.utterance_id = u.id WHERE u.to_bot AND i.state != ?"
        return [key for (key,) in database.execute(query, ("answered",)).fetchall()]


class Chaos:
    """One person who writes, edits and deletes at random moments, in private and in a channel."""

    def __init__(self, talk: Talk, seed: int) -> None:
        self._talk = talk
        self._dice = random.Random(seed)
        self._speaker = Speaker(f"test:p{seed}", f"Person {seed}")
        self._places = [Place("test", PlaceKind.DM, f"p{seed}"), HALL]
        self._sent: list[str] = []

    async def live(self, actions: int) -> None:
        for _ in range(actions):
            await self._dice.choice([self._write, self._write, self._write, self._edit, self._delete])()
            await asyncio.sleep(self._dice.choice([0.0, 0.0, 0.01, 0.05]))

    async def _write(self) -> None:
        place = self._dice.choice(self._places)
        message_id = f"{self._speaker.id}-{len(self._sent)}"
        self._sent.append(message_id)
        to_bot = place.kind is PlaceKind.DM or self._dice.random() < 0.6
        text = f"I said {message_id}"
        assert await self._talk.hear(text, self._speaker, place, to_bot=to_bot, message_id=message_id)

    async def _edit(self) -> None:
        if self._sent:
            await self._talk.corrector.edited("test", self._dice.choice(self._sent[-2:]), f"Edit {self._dice.random()}")

    async def _delete(self) -> None:
        if self._sent and self._dice.random() < 0.5:
            await self._talk.corrector.deleted("test", [self._dice.choice(self._sent[-2:])])


async def flicker(talk: Talk, stop: Callable[[], bool]) -> None:
    """Lets the model think for a while and go on, again and again."""
    dice = random.Random(7)
    assert talk.model.hold is not None
    while not stop():
        talk.model.hold.clear()
        await asyncio.sleep(dice.choice([0.01, 0.1, 0.3]))
        talk.model.hold.set()
        await asyncio.sleep(dice.choice([0.0, 0.02]))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("screen", [Screen, lambda: Screen(hidden=True), lambda: Screen(drafts=True)])
async def test_whatever_comes_between_each_utterance_has_one_reply(
    tmp_path: Path, seed: int, screen: Callable[[], Screen]
) -> None:
    model = ScriptedChatModel("A few words of a reply.", hold=asyncio.Event(), hold_after=seed)
    async with open_talk(
        tmp_path,
        model,
        screen=screen(),
        channels__mode="listen",
        queue__max_pending=10**6,
        limits__person_per_minute=10**6,
        limits__server_per_minute=10**6,
    ) as talk:
        people = [Chaos(talk, 100 * seed + number) for number in range(4)]
        done = False
        async with asyncio.TaskGroup() as group:
            beside = group.create_task(flicker(talk, lambda: done))
            await asyncio.gather(*(person.live(16) for person in people))
            done = True
            await beside
        assert model.hold is not None
        model.hold.set()
        await talk.conversations.idle()
        assert await talk.stores.inbox.pending() == []
        assert model.running == 0
        assert talk.conversations._workers == {}
        replies = answered(tmp_path)
        assert replies
        assert set(replies.values()) <= {0, 1}  # none: the reply was erased with something that it was made of
        assert unanswered(tmp_path) == []
        nonces = [sent.nonce for sent in talk.screen.sent]
        assert len(nonces) == len(set(nonces))
        assert await talk.stores.outbox.undelivered() == []
        whole = {sent.text for sent in talk.screen.sent}
        growing = {draft for draft, text in talk.screen.drawn.items() if text not in whole}
        assert growing == set()
