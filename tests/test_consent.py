"""Nothing outlives a conversation until its person has agreed; who paused or opted out leaves nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import Answer, Asker, Call, Consent, Place, Speaker, Utterance
from bot.llm.scripted import ScriptedChatModel
from bot.texts import meeting
from tests.living import ANN, BOB, CHANNEL, DM, OpenCore, holding, open_core
from tests.memory.cleaning import clean_now

ASK: dict[str, object] = {"privacy__consent": "ask", "privacy__introduce": True}
SECRET = "I have a cat called Bartholomew."
LONG = timedelta(hours=3)


def model() -> ScriptedChatModel:
    return ScriptedChatModel("How nice.")


async def use(core: OpenCore, command: str, speaker: Speaker = ANN, place: Place = DM, **arguments: str) -> Answer:
    """Uses a command."""
    return await core.app.command(Call(command, tuple(arguments.items())), Asker(speaker, place, may_manage=True))


async def kept(core: OpenCore) -> dict[str, int]:
    """What is in the tables."""
    rows = (await core.app.stores.utterances.counts()).rows
    return {name: rows[name] for name in ("utterances", "events", "traits")}


async def test_at_first_contact_it_says_what_it_is_and_asks_once(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say("Hello!")
        [hello, reply] = core.screen.sent
        assert "machine" in hello.text
        assert meeting.YES in [choice.label for row in hello.choices for choice in row]
        assert reply.text == "How nice."
        await core.say("And how are you?")
        assert len(core.screen.sent) == 3


async def test_without_an_answer_nothing_outlives_the_conversation(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say("Hello!")
        await core.say(SECRET)
        assert core.model is not None
        await core.say("What did I say?")
        assert SECRET in "\n".join(message.content for message in core.model.requests[-1].messages)
        assert (await kept(core))["traits"] == 0
        assert holding(tmp_path, SECRET)
        await core.passes(LONG)
        await clean_now(core.app.eraser, 20)
        assert await kept(core) == {"utterances": 0, "events": 0, "traits": 0}
        assert holding(tmp_path, SECRET) == []
        core.screen.sent.clear()
        await core.say("Me again!")
        assert core.screen.sent[0].text == meeting.NOT_ANSWERED


async def test_who_agrees_is_remembered_from_the_beginning_of_the_conversation(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say(SECRET)
        await use(core, "privacy consent", answer="yes")
        await core.say("My dog is called Rex.")
        await core.passes(LONG)
        found = await kept(core)
        assert found["events"] == 1
        traits = await core.app.stores.traits.readable_in(DM, [ANN.id])
        assert [trait.text for trait in traits if trait.speaker_id == ANN.id] == [SECRET, "My dog is called Rex."]


async def test_who_refuses_is_answered_and_forgotten_and_asked_no_more(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say("Hello!")
        await use(core, "privacy consent", answer="no")
        await core.say(SECRET)
        await core.passes(LONG)
        assert await kept(core) == {"utterances": 0, "events": 0, "traits": 0}
        core.screen.sent.clear()
        await core.say("Hello again!")
        assert [sent.text for sent in core.screen.sent] == ["How nice."]


async def test_implied_consent_is_told_and_can_be_refused(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides={**ASK, "privacy__consent": "implied"}) as core:
        await core.say(SECRET)
        assert "machine" in core.screen.sent[0].text
        await core.passes(LONG)
        assert (await kept(core))["events"] == 1
        await use(core, "privacy consent", answer="no")
        before = await kept(core)
        await core.say("My sister is called Wilhelmina.")
        await core.passes(LONG)
        assert await kept(core) == before


async def test_a_pause_forgets_what_was_said_in_it_and_nothing_else(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model()) as core:
        await core.say("I live in Leeds.")
        await use(core, "privacy pause", state="on")
        await core.say(SECRET)
        await use(core, "privacy pause", state="off")
        await core.say("I love the sea.")
        await core.passes(LONG)
        await core.app.settle()
        said = [one.text for one in await core.app.recent(DM, 100) if not one.speaker.is_agent]
        assert said == ["I live in Leeds.", "I love the sea."]
        summaries = [event.summary for event in await core.app.stores.events.readable_in(DM)]
        assert summaries
        assert all("Bartholomew" not in summary for summary in summaries)
        await clean_now(core.app.eraser, 20)
        assert holding(tmp_path, "Bartholomew") == []


async def test_who_opts_out_of_a_channel_leaves_no_trace_there(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model()) as core:
        await use(core, "privacy channel", place=CHANNEL, state="out")
        said = Utterance(CHANNEL, "heard", ANN, SECRET, core.clock.now(), to_bot=False)
        assert not await core.app.receive(said)
        assert not await core.app.receive(replace(said, message_id="to-bot", to_bot=True))
        await core.app.idle()
        assert [sent.text for sent in core.screen.sent] == [meeting.OPTED_OUT]
        assert not await core.app.receive(replace(said, message_id="again", to_bot=True))
        await core.app.idle()
        assert len(core.screen.sent) == 1
        assert (await kept(core))["utterances"] == 0
        assert holding(tmp_path, "Bartholomew") == []
        await core.say("I read this.", speaker=BOB, place=CHANNEL, to_bot=False)
        assert (await kept(core))["utterances"] == 1
        await core.say("In private I am read.")


async def test_who_says_that_they_are_under_18_counts_so_at_once_and_is_asked_before_anything_is_kept(
    tmp_path: Path,
) -> None:
    async with open_core(tmp_path, model=model(), overrides={**ASK, "privacy__consent": "implied"}) as core:
        await core.say("I'm 14 years old.")
        asked = core.screen.sent[0]
        assert asked.text == meeting.UNDER_18
        decided = await core.app.stores.privacies.of(ANN.id)
        assert decided.minor
        assert decided.minor_since == core.clock.now()
        await core.app.command(asked.choices[0][0].call, Asker(ANN, DM, may_manage=True))
        assert (await core.app.stores.privacies.of(ANN.id)).minor
        await core.say(SECRET)
        await core.say("I am here.", place=CHANNEL)
        await core.passes(LONG)
        assert await kept(core) == {"utterances": 0, "events": 0, "traits": 0}
        await use(core, "privacy consent", answer="yes")
        await core.say(SECRET)
        await core.passes(LONG)
        assert (await kept(core))["events"] == 1


@pytest.mark.parametrize("to_bot", [True, False])
async def test_being_under_18_is_heard_in_a_channel_too_and_told_in_private(tmp_path: Path, *, to_bot: bool) -> None:
    async with open_core(tmp_path, model=model(), overrides={"privacy__consent": "implied"}) as core:
        for number, text in enumerate(("I'm 15 and I love horses.", SECRET)):
            said = Utterance(CHANNEL, f"c{number}", ANN, text, core.clock.now(), to_bot=to_bot)
            assert await core.app.receive(said) is to_bot
            await core.app.idle()
        assert (await core.app.stores.privacies.of(ANN.id)).minor
        assert meeting.UNDER_18 not in [sent.text for sent in core.screen.sent]
        await core.say("Hello!")
        await core.say("Hello again!")
        assert [sent.text for sent in core.screen.sent].count(meeting.UNDER_18) == 1
        await core.passes(LONG)
        assert await core.app.stores.traits.readable_in(DM, [ANN.id]) == []
        await clean_now(core.app.eraser, 20)
        assert holding(tmp_path, "Bartholomew") == []


@pytest.mark.parametrize("consent", ["ask", "implied"])
@pytest.mark.parametrize("in_channel", [True, False])
async def test_who_is_under_18_and_never_agreed_is_known_to_be_so_and_stands_nowhere_by_id(
    tmp_path: Path, *, in_channel: bool, consent: str
) -> None:
    kid = Speaker("test:4711800", "Friederike")
    place = CHANNEL if in_channel else Place("test", DM.kind, "4711800")
    async with open_core(tmp_path, model=model(), overrides={**ASK, "privacy__consent": consent}) as core:
        said = Utterance(place, "m1", kid, "I'm 14 years old.", core.clock.now(), to_bot=not in_channel)
        await core.app.receive(said)
        await core.app.idle()
        await core.passes(LONG)
        await clean_now(core.app.eraser, 20)
        assert (await core.app.stores.privacies.of(kid.id)).minor
        assert holding(tmp_path, "4711800") == holding(tmp_path, "Friederike") == []
    async with open_core(tmp_path, model=model()) as core:
        assert (await core.app.stores.privacies.of(kid.id)).minor


async def test_questions_that_nobody_answers_name_nobody_afterwards(tmp_path: Path) -> None:
    somebody = Speaker("test:4711800", "Friederike")
    place = Place("test", DM.kind, "4711800")
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say("Hello!", somebody, place)
        await use(core, "memory forget", somebody, place, what="everything")
        await use(core, "link", somebody, place)
        await core.passes(timedelta(days=1))
        await clean_now(core.app.eraser, 20)
        assert holding(tmp_path, "4711800") == holding(tmp_path, "Friederike") == []


async def test_it_counts_until_they_say_otherwise_and_again_when_they_say_so_again(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides={"privacy__consent": "implied"}) as core:
        await core.say("I'm 15 and I love horses.")
        asked = next(sent for sent in core.screen.sent if sent.text == meeting.UNDER_18)
        await core.say("I love the sea.")
        assert (await core.app.stores.privacies.of(ANN.id)).minor
        await core.app.command(asked.choices[0][1].call, Asker(ANN, DM))
        assert not (await core.app.stores.privacies.of(ANN.id)).minor
        await core.say("I live in Leeds.")
        assert not (await core.app.stores.privacies.of(ANN.id)).minor
        await core.say("Sorry, I'm 15.")
        assert (await core.app.stores.privacies.of(ANN.id)).minor


async def test_what_is_not_read_in_a_channel_says_no_age_either(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model()) as core:
        await use(core, "privacy channel", place=CHANNEL, state="out")
        said = Utterance(CHANNEL, "c1", ANN, "I'm 15 and I love horses.", core.clock.now(), to_bot=False)
        assert not await core.app.receive(said)
        assert not (await core.app.stores.privacies.of(ANN.id)).minor


async def test_help_comes_before_any_question_about_age_or_memory(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say("I'm 14 and I want to kill myself tonight.")
        assert len(core.screen.sent) == 1
        assert "machine" in core.screen.sent[0].text
        await core.say("Are you there?")
        assert meeting.YES in [choice.label for one in core.screen.sent for row in one.choices for choice in row]


async def test_agreeing_later_does_not_keep_what_was_said_in_a_pause_or_after_a_refusal(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say("I live in Leeds.")
        await use(core, "privacy pause", state="on")
        await core.say(SECRET)
        await use(core, "privacy pause", state="off")
        await use(core, "privacy consent", answer="no")
        await core.say("I stole the Rembrandt.")
        await use(core, "privacy consent", answer="yes")
        await core.passes(LONG)
        await core.app.settle()
        assert [one.text for one in await core.app.recent(DM, 99) if not one.speaker.is_agent] == ["I live in Leeds."]
        await clean_now(core.app.eraser, 20)
        assert holding(tmp_path, "Rembrandt") == holding(tmp_path, "Bartholomew") == []


@pytest.mark.parametrize("decision", [("privacy pause", "state", "on"), ("privacy consent", "answer", "no")])
async def test_new_words_of_an_old_message_are_not_kept_in_a_pause(
    tmp_path: Path, decision: tuple[str, str, str]
) -> None:
    async with open_core(tmp_path, model=model()) as core:
        await core.say("I live in Leeds.", message_id="m1")
        command, name, value = decision
        await core.app.command(Call(command, ((name, value),)), Asker(ANN, DM, may_manage=True))
        assert not await core.app.edited("test", "m1", SECRET)
        await core.passes(LONG)
        await clean_now(core.app.eraser, 20)
        assert holding(tmp_path, "Bartholomew") == []
        assert await core.app.stores.traits.readable_in(DM, [ANN.id]) == []


async def test_off_record_words_go_also_when_no_job_may_run_or_none_ever_comes(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides={**ASK, "background__daily_tokens": 0}) as core:
        await core.say(SECRET)
        await core.passes(LONG)
        await core.passes(LONG)
        assert (await kept(core))["utterances"] == 0
        await use(core, "privacy pause", state="on")
        waiting = Utterance(CHANNEL, "waits", ANN, SECRET, core.clock.now(), to_bot=True, off_record=True)
        await core.app.stores.inbox.accept(waiting)
        await core.passes(LONG)
        assert (await kept(core))["utterances"] == 1
        await core.passes(timedelta(days=3))
        assert (await kept(core))["utterances"] == 0


async def test_who_had_everything_erased_is_a_stranger_again(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        await core.say("Hello!")
        await use(core, "privacy consent", answer="yes")
        await core.say("I live in Leeds.")
        asked = await use(core, "memory forget", what="everything")
        yes = next(choice for row in asked.choices for choice in row if choice.call.get("step") == "yes")
        await core.app.command(yes.call, Asker(ANN, DM, may_manage=True))
        core.screen.sent.clear()
        await core.say(SECRET)
        assert "machine" in core.screen.sent[0].text
        await core.passes(LONG)
        assert await kept(core) == {"utterances": 0, "events": 0, "traits": 0}


async def test_what_is_older_than_its_person_wants_goes_and_nothing_newer(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model()) as core:
        await core.say("I live in Leeds.")
        await core.passes(timedelta(days=8))
        await core.say("I love the sea.")
        privacy = await core.app.stores.privacies.of(ANN.id)
        await core.app.stores.privacies.put(replace(privacy, keep_days=7))
        await core.passes(LONG)
        said = [one.text for one in await core.app.recent(DM, 100) if not one.speaker.is_agent]
        assert said == ["I love the sea."]
        traits = await core.app.stores.traits.readable_in(DM, [ANN.id])
        assert [trait.text for trait in traits] == ["I love the sea."]


async def test_after_a_long_talk_it_says_that_it_is_a_machine(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides={"safety__reminder_minutes": 60}) as core:
        for _ in range(5):
            await core.say("And then?")
            core.clock.advance(timedelta(minutes=20))
        assert [sent.text for sent in core.screen.sent].count(meeting.REMINDER) == 1


async def test_a_cry_for_help_gets_help_and_becomes_no_memory(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model(), overrides={"safety__country": "de"}) as core:
        await core.say("I live in Leeds.")
        turn = await core.say("I want to kill myself tonight.")
        assert core.model is not None
        assert "112" in core.screen.sent[-1].text
        assert turn.reply == core.screen.sent[-1].text
        assert all("kill myself" not in message.content for one in core.model.requests for message in one.messages)
        await core.say("Thank you.")
        assert core.screen.sent[-1].text == "How nice."
        await core.passes(LONG)
        traits = await core.app.stores.traits.readable_in(DM, [ANN.id])
        assert [trait.text for trait in traits] == ["I live in Leeds."]
        [event] = await core.app.stores.events.readable_in(DM)
        assert "kill" not in event.summary
        assert "112" not in event.summary


async def test_a_wish_to_forget_is_asked_about_first_and_in_a_channel_shown_to_nobody_else(tmp_path: Path) -> None:
    async with open_core(tmp_path, model=model()) as core:
        await core.say(SECRET)
        turn = await core.say("Please forget what I told you about my cat.")
        assert turn.reply is None
        asked = core.screen.sent[-1]
        assert "Bartholomew" in asked.text
        assert len(await core.app.recent(DM, 100)) == 3
        yes = next(choice for row in asked.choices for choice in row if choice.call.get("step") == "yes")
        stranger = await core.app.command(yes.call, Asker(BOB, Place("test", DM.kind, "bob")))
        assert "Bartholomew" not in stranger.text
        assert len(await core.app.recent(DM, 100)) == 3
        await core.app.command(yes.call, Asker(ANN, DM))
        assert all("Bartholomew" not in one.text for one in await core.app.recent(DM, 100))
        assert holding(tmp_path, "Bartholomew") == []
        await core.say("Please forget what I told you about my cat.", place=CHANNEL)
        assert core.screen.sent[-1].text == meeting.WISH_IN_CHANNEL


@pytest.mark.parametrize("consent", [Consent.UNASKED, Consent.TOLD])
async def test_a_message_that_could_not_be_sent_is_told_again(tmp_path: Path, consent: Consent) -> None:
    async with open_core(tmp_path, model=model(), overrides=ASK) as core:
        if consent is Consent.UNASKED:
            core.screen.out_of_reach.add(DM)
        await core.say("Hello!")
        assert (await core.app.stores.privacies.of(ANN.id)).consent is consent


@pytest.mark.parametrize(("replicas", "where"), [([], meeting.LOCAL), (["https://models.example/v1"], meeting.REMOTE)])
async def test_where_words_go_is_told_of_every_server(tmp_path: Path, replicas: list[str], where: str) -> None:
    remote = {"base_url": "http://127.0.0.1:8080/v1", "name": "a-model", "replicas": replicas}
    overrides = ASK | {"model__engine": "remote", "model__remote": remote}
    async with open_core(tmp_path, model=model(), overrides=overrides) as core:
        await core.say("Hello!")
        assert meeting.ASK.format(model=where) in core.screen.sent[0].text
