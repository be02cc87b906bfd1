"""The whole core: one message to one reply, a week later, in private and in a channel."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot import texts
from bot.app import app
from bot.app.serving import in_time
from bot.conversation.phrases import phrases_of
from bot.domain import Outgoing, Place, PlaceKind, Recollection, Utterance
from bot.errors import DeliveryFailed, IndexUnusable, ModelFailed, StorageError
from bot.llm.scripted import ScriptedChatModel
from bot.ports import Core
from bot.storage.conversation.outbox import SqlOutbox
from tests.living import ANN, BOB, CHANNEL, DM, START, Screen, agent, open_core

OWN_WORDS: dict[str, object] = {"memory__summariser": "extractive", "persona__extractor": "extractive"}
WEEK = timedelta(days=7)


async def test_a_week_later_it_is_in_the_prompt(tmp_path: Path) -> None:
    model = ScriptedChatModel("How did it go?")
    async with open_core(tmp_path, model=model, overrides=OWN_WORDS) as monday:
        await monday.say("I have a job interview at the museum on Thursday.")
        await monday.say("I have two cats and I live in Leeds.")
    async with open_core(tmp_path, model=model, start=START + WEEK, overrides=OWN_WORDS) as next_week:
        turn = await next_week.say("Tell me what you know about my interview at the museum.")
        assert [recalled.event.place for recalled in turn.recalled.events] == [DM]
        prompt = "\n".join(message.content for message in model.requests[-1].messages)
        day = phrases_of("en").day(START, START + WEEK)
        assert f'{day} I told you: "I have a job interview at the museum on Thursday.' in prompt
        assert "I have two cats" in prompt
        sources = await next_week.app.stores.utterances.get(turn.recalled.events[0].event.sources)
        assert [source.text for source in sources if not source.speaker.is_agent] == [
            "I have a job interview at the museum on Thursday.",
            "I have two cats and I live in Leeds.",
        ]


async def test_a_new_conversation_begins_with_the_last_one_in_mind(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides=OWN_WORDS) as core:
        await core.say("My dentist appointment is tomorrow.")
        await core.passes(WEEK)
        turn = await core.say("Hi!")
        assert "dentist" in turn.recalled.events[0].event.summary
        assert turn.recalled.events[0].semantic <= core.app.settings.memory.gamma
    async with open_core(
        tmp_path, start=START + 3 * WEEK, overrides=OWN_WORDS | {"memory__open_with_last_session": False}
    ) as core:
        assert (await core.say("Hello there!")).recalled.events == ()


@pytest.mark.parametrize(("later", "waits_for"), [(timedelta(minutes=1), "CATCH_UP_MIDWAY_S"), (WEEK, "CATCH_UP_S")])
async def test_a_start_waits_for_the_last_session_but_not_amid_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: timedelta, waits_for: str
) -> None:
    async with open_core(tmp_path, overrides=OWN_WORDS) as core:
        await core.say("My dentist appointment is tomorrow.")
    waited: list[float] = []

    async def noted(work: Awaitable[object], seconds: float) -> bool:
        waited.append(seconds)
        return await in_time(work, seconds)

    monkeypatch.setattr("bot.app.app.in_time", noted)
    async with open_core(tmp_path, start=START + later, overrides=OWN_WORDS):
        assert waited[-1] == vars(app)[waits_for]


async def test_private_memories_never_surface_in_a_channel(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides=OWN_WORDS) as core:
        await core.say("My secret is that I fear spiders.")
        await core.say("Bob here, I bake sourdough bread.", BOB, CHANNEL)
        await core.say("Ann here, I grow tomatoes.", ANN, CHANNEL)
        await core.passes(WEEK)
        in_channel = await core.say("What is my secret? Do I fear spiders?", ANN, CHANNEL)
        said = " ".join(
            [recalled.event.summary for recalled in in_channel.recalled.events]
            + [recalled.trait.text for recalled in in_channel.recalled.traits]
        )
        assert "spiders" not in said
        in_private = await core.say("Who grows tomatoes and bakes sourdough bread?", ANN, DM)
        assert any(recalled.event.place == CHANNEL for recalled in in_private.recalled.events)


async def test_a_redelivered_message_is_answered_once(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=OWN_WORDS) as core:
        await core.say("Are you there?", message_id="m1")
        assert not await core.app.receive(Utterance(DM, "m1", ANN, "Are you there?", START))
        await core.app.idle()
        assert [outgoing.in_reply_to for outgoing in core.screen.sent] == ["m1"]


async def test_the_reply_streams_and_the_final_text_is_sent(tmp_path: Path) -> None:
    async with open_core(
        tmp_path, model=ScriptedChatModel("Monica: I am glad.\nAnn: Me too."), overrides=OWN_WORDS
    ) as core:
        turn = await core.say("I passed!")
        assert turn.reply == core.screen.sent[0].text == "I am glad."
        assert core.screen.shown[-1] == "I am glad."
        assert all("Monica:" not in shown for shown in core.screen.shown[2:])


async def test_places_do_not_wait_for_each_other_and_one_place_keeps_its_order(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedChatModel(lambda request: f"About {request.messages[-1].content.split()[-1]}", hold=gate)
    async with open_core(tmp_path, model=model, overrides=OWN_WORDS) as core:
        for number, (place, speaker) in enumerate([(DM, ANN), (CHANNEL, BOB), (DM, ANN), (DM, ANN)]):
            assert await core.app.receive(Utterance(place, f"m{number}", speaker, f"text{number}", START))
        async with asyncio.timeout(20):
            while model.running < 2:  # noqa: ASYNC110 - the scripted model tells by a number
                await asyncio.sleep(0.01)
        gate.set()
        await core.app.idle()
        answered = [turn.utterances for turn in core.turns]
        assert [[u.text for u in burst] for burst in answered if burst[0].place == DM] == [
            ["text0", "text2", "text3"],  # what is said while the answer is thought of is taken in
        ]
        assert len(core.screen.sent) == 2


async def test_a_flood_is_told_in_words_and_nothing_of_it_is_stored(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedChatModel("Slowly.", hold=gate)
    async with open_core(tmp_path, model=model, overrides=OWN_WORDS | {"queue__max_pending": 2}) as core:
        for number in range(2):
            await core.app.receive(Utterance(DM, f"m{number}", ANN, "Hi", START))
        assert not await core.app.receive(Utterance(DM, "m9", ANN, "Hi", START))
        gate.set()
        await core.app.idle()
        assert await core.app.receive(Utterance(DM, "m9", ANN, "Hi", START))
        await core.app.idle()


async def test_a_model_that_fails_is_said_and_the_message_is_kept(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel([ModelFailed("no")]), overrides=OWN_WORDS) as core:
        await core.say("Hello?")
        assert core.screen.sent[0].text == texts.MODEL_FAILED
        assert [u.text for u in await core.app.recent(DM, 5)] == ["Hello?", texts.MODEL_FAILED]


async def test_an_empty_answer_is_never_sent(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Monica:"), overrides=OWN_WORDS) as core:
        assert (await core.say("Hello?")).reply == phrases_of("en").replies.greeting[0]


async def test_a_send_that_fails_for_good_is_noted_and_one_that_may_work_waits(tmp_path: Path) -> None:
    screen = Screen(refuse=[DeliveryFailed("Closed DMs.", retry=False)])
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), screen=screen, overrides=OWN_WORDS) as core:
        await core.say("One")
        await core.say("Two")
        assert [outgoing.in_reply_to for outgoing in screen.sent] == [core.turns[1].utterances[0].message_id]
        assert await core.app.stores.outbox.undelivered() == []


async def test_what_was_not_sent_goes_out_at_the_next_start_as_uncertain(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=OWN_WORDS) as core:
        stored = await core.app.stores.inbox.accept(Utterance(DM, "m1", ANN, "Hi", START))
        assert stored is not None
        await core.app.short_term.take_in([stored])
        reply = agent("Yes.", "r1", DM, START)
        outgoing = await core.app.stores.outbox.commit(reply, [stored.id], Recollection(), [])
        assert outgoing is not None
        await core.app.stores.outbox.sending(outgoing.id)
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=OWN_WORDS) as core:
        assert [(sent.nonce, sent.uncertain) for sent in core.screen.sent] == [(outgoing.nonce, True)]
        assert await core.app.stores.outbox.undelivered() == []


async def test_two_processes_do_not_share_a_folder(tmp_path: Path) -> None:
    async with open_core(tmp_path):
        with pytest.raises(StorageError, match="Another Hello Again is running"):
            async with open_core(tmp_path):
                pass


async def test_what_belongs_to_somebody_else_waits_until_they_are_there(tmp_path: Path) -> None:
    bobs = Place("test", PlaceKind.DM, "bob")
    away = Screen(out_of_reach={bobs})
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=OWN_WORDS) as core:
        assert await core.app.stores.inbox.accept(Utterance(bobs, "b1", BOB, "Is it a secret?", START)) is not None
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), screen=away, overrides=OWN_WORDS):
        assert away.sent == []
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=OWN_WORDS) as core:
        await core.app.idle()
        assert [outgoing.place for outgoing in core.screen.sent] == [bobs]


async def test_a_busy_channel_is_remembered_whole(tmp_path: Path) -> None:
    overrides = OWN_WORDS | {"queue__max_pending": 2}
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=overrides) as core:
        for number in range(8):
            await core.app.receive(Utterance(CHANNEL, f"c{number}", BOB, f"Line {number}", START, to_bot=False))
        await core.app.idle()
        assert len(await core.app.recent(CHANNEL, 20)) == 8


async def test_messages_hours_apart_are_not_one_turn(tmp_path: Path) -> None:
    later = START + timedelta(hours=5)
    async with open_core(tmp_path, overrides=OWN_WORDS) as core:
        for number, (text, time) in enumerate([("My flight leaves from Oslo.", START), ("Hi again.", later)]):
            await core.app.stores.inbox.accept(Utterance(DM, f"m{number}", ANN, text, time))
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), start=later, overrides=OWN_WORDS) as core:
        await core.app.idle()
        assert len(core.screen.sent) == 2


async def test_a_turn_that_fails_is_tried_again_and_then_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=OWN_WORDS) as core:
        core.app.conversations.pauses_s = (0.0, 0.0)
        real, failing = core.app.stores.inbox, [StorageError("once"), StorageError("twice")]

        async def broken(*arguments: object, **named: object) -> object:
            if failing:
                raise failing.pop()
            return await SqlOutbox.commit(core.app.stores.outbox, *arguments, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(core.app.stores.outbox, "commit", broken)
        await core.say("Hello?")
        assert [outgoing.text for outgoing in core.screen.sent] == ["Yes."]
        failing.extend(StorageError("for good") for _ in range(3))
        await core.app.receive(Utterance(DM, "again", ANN, "Still there?", START))
        await core.app.idle()
        assert core.screen.sent[-1].text == texts.TURN_FAILED
        assert [pending.text for pending in await real.pending()] == ["Still there?"]


async def test_without_an_index_it_answers_without_memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), overrides=OWN_WORDS) as core:

        async def broken(*_: object, **__: object) -> Recollection:
            raise IndexUnusable("gone")

        monkeypatch.setattr(core.app.recall, "recollect", broken)
        assert (await core.say("Hello?")).reply == "Yes."


async def test_a_full_session_is_closed_and_its_end_is_still_shown(tmp_path: Path) -> None:
    model = ScriptedChatModel("I see.")
    async with open_core(tmp_path, model=model, overrides=OWN_WORDS | {"session__max_words": 50}) as core:
        await core.say("I fly to Oslo on Friday. " + "More and more words. " * 15)
        await core.say("What should I pack?")
        prompt = "\n".join(message.content for message in model.requests[-1].messages)
        assert "I fly to Oslo on Friday." in prompt
        sessions = {utterance.session_id for utterance in await core.app.recent(DM, 10)}
        assert len(sessions) == 2


async def test_vectors_of_what_was_said_keep_nobody_waiting_and_are_made_beside(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides=OWN_WORDS) as core:
        await core.say("I fly to Oslo on Friday.")
        await core.passes(timedelta(days=1))
        assert await core.app.stores.passages.unindexed(9) == []
    shutil.rmtree(tmp_path / "index")
    async with open_core(tmp_path, start=START + timedelta(days=1), overrides=OWN_WORDS) as core:
        stores = core.app.stores
        assert await stores.events.unindexed(9) == []
        assert [one.utterance.text for one in await stores.passages.unindexed(9)] == ["I fly to Oslo on Friday."]
        await core.app.settle()
        assert await stores.passages.unindexed(9) == []


async def test_a_fault_of_the_storage_ends_serving_as_one_sentence(tmp_path: Path) -> None:
    class Failing:
        platform = "test"
        messenger = Screen()

        async def run(self, core: Core) -> None:
            raise StorageError("The disk is gone.")

    async with open_core(tmp_path, overrides=OWN_WORDS) as core:
        with pytest.raises(StorageError, match=r"The disk is gone\."):
            await core.app.serve([Failing()])


async def test_a_reply_that_certainly_did_not_arrive_is_not_uncertain_later(tmp_path: Path) -> None:
    screen = Screen(refuse=[DeliveryFailed("Not now.", retry=True) for _ in range(1)])
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), screen=screen, overrides=OWN_WORDS) as core:
        core.app.delivery.pauses_s = ()
        await core.say("Hello?")
        assert screen.sent == []
        assert [outgoing.uncertain for outgoing in await core.app.stores.outbox.undelivered()] == [False]
        await core.app.connected()
        assert [outgoing.text for outgoing in screen.sent] == ["Yes."]


async def test_an_answer_does_not_wait_for_a_send_elsewhere(tmp_path: Path) -> None:
    """And what nobody is to finish is taken from the screen."""
    asked, answers = asyncio.Event(), asyncio.Event()

    class Slow(Screen):
        async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
            if outgoing.place == CHANNEL:
                asked.set()
                await answers.wait()
            async for part in super().send(outgoing):
                yield part

    screen = Slow(out_of_reach={CHANNEL, DM})
    async with open_core(tmp_path, model=ScriptedChatModel("Yes."), screen=screen, overrides=OWN_WORDS) as core:
        said = await core.app.stores.inbox.accept(Utterance(CHANNEL, "c1", BOB, "Hi", START))
        assert said is not None
        reply = replace(agent("Unsent.", "r1", CHANNEL, START), reply_to="c1")
        assert await core.app.stores.outbox.commit(reply, [said.id], Recollection(), []) is not None
        assert await core.app.stores.inbox.accept(Utterance(DM, "m1", ANN, "Hi", START)) is not None
        await core.app.stores.outbox.draft(Place("test", PlaceKind.DM, "bob"), "erased", "draft-0")
        screen.out_of_reach.clear()
        async with asyncio.TaskGroup() as group:
            group.create_task(core.app.connected())
            await asked.wait()
            await core.app.idle()
            assert [sent.text for sent in screen.sent] == ["Yes."]
            answers.set()
        assert [sent.text for sent in screen.sent] == ["Yes.", "Unsent."]
        assert screen.retracted == ["draft-0"]
