"""Whether it joins in unasked: the sum, what stands against it, and the silence before it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import ChannelSettings
from bot.conversation.joining import MOST, score
from bot.domain import AGENT_ID, ChannelMode, Place, PlaceKind, Speaker, Utterance
from bot.errors import ModelFailed
from bot.llm.scripted import ScriptedChatModel
from tests.conversation.talk import HALL, Talk, open_talk, until
from tests.living import ANN, BOB, START

AGENT = Speaker(AGENT_ID, "Monica")
CARL = Speaker("test:carl", "Carl")
SETTINGS = ChannelSettings()
SECOND = timedelta(seconds=1)


def lines(*said: tuple[Speaker, str], every_s: float = 20.0) -> list[Utterance]:
    """What was said in a channel, one line after the other."""
    return [
        Utterance(HALL, f"m{number}", speaker, text, START + number * every_s * SECOND, to_bot=False, id=number + 1)
        for number, (speaker, text) in enumerate(said)
    ]


def joins(said: list[Utterance], *, to_other: bool = False) -> bool:
    now = said[-1].time + 20 * SECOND if said else START
    return score(said, SETTINGS, now, to_other=to_other).joins(SETTINGS.open_score)


@pytest.mark.parametrize(
    "text",
    [
        "Does anyone know a good dentist?",
        "What is the capital of Peru?",
        "good morning everyone!",
        "Hi all",
        "Guten Morgen zusammen",
        "can somebody help me ?",
    ],
)
def test_a_question_that_nobody_answers_and_a_greeting_to_all_are_enough(text: str) -> None:
    assert joins(lines((BOB, "I had soup."), (ANN, text)))


@pytest.mark.parametrize(
    "text", ["I had soup today, and it was good.", "ok", "lol", "see https://example.org/?q=1", "?!", "👍", "[photo]"]
)
def test_what_asks_nothing_is_not(text: str) -> None:
    assert not joins(lines((BOB, "Well."), (ANN, text)))


def test_a_question_that_somebody_answered_is_not() -> None:
    assert joins(lines((ANN, "Who knows a dentist?")))
    assert not joins(lines((ANN, "Who knows a dentist?"), (BOB, "Mine is good.")))


def test_a_question_followed_by_more_of_the_same_person_is_still_open() -> None:
    assert joins(lines((ANN, "Who knows a dentist?"), (ANN, "It hurts.")))


def test_it_stays_silent_for_a_while_after_it_spoke() -> None:
    said = [*lines((AGENT, "Hello.")), *(replace(one, time=START + 300 * SECOND) for one in lines((ANN, "Who am I?")))]
    assert not joins(said)
    assert score(said, SETTINGS, said[-1].time, to_other=False).barred
    later = [said[0], replace(said[1], time=START + 601 * SECOND)]
    assert joins(later)


def test_what_is_for_somebody_else_is_left_to_them() -> None:
    asked = lines((BOB, "I am back."), (ANN, "How was it?"))
    assert joins(asked)
    assert not joins(asked, to_other=True)
    assert not joins([asked[0], replace(asked[1], reply_to="m0")])
    assert not joins([asked[0], replace(asked[1], reply_to="of-long-ago")])
    assert not joins(lines((BOB, "I am back."), (ANN, "Bob, how was it?")))
    assert not joins(lines((BOB, "I am back."), (ANN, "@bob how was it?")))
    assert not joins([asked[0], replace(asked[1], to_bot=True)])


def test_two_people_in_the_middle_of_an_exchange_are_not_interrupted() -> None:
    exchange = ((ANN, "Hi Bob."), (BOB, "Oh, hi."), (ANN, "Well?"), (BOB, "What do you mean?"))
    assert score(lines(*exchange), SETTINGS, START + 80 * SECOND).barred
    assert joins(lines(*exchange, every_s=300))
    assert joins(lines(*exchange[:-1], (CARL, "What do you mean?")))
    assert joins(lines(*exchange[1:]))
    burst = ((ANN, "Hi."), (ANN, "Bob?"), (BOB, "Yes."), (ANN, "Well"), (ANN, "Now"), (BOB, "What is it?"))
    assert not joins(lines(*burst))


def test_reply_links_between_two_are_an_exchange_though_others_talk() -> None:
    said = lines((ANN, "One"), (BOB, "Two"), (CARL, "Three"), (ANN, "Four?"))
    assert joins(said)
    linked = [said[0], replace(said[1], reply_to="m0"), replace(said[2], speaker=ANN, reply_to="m1"), said[3]]
    assert score(linked, SETTINGS, said[-1].time).barred


texts = st.sampled_from(["Hi all", "Who knows?", "ok", "I had soup and bread.", "Bob, you?", "[photo]", ""])
speakers = st.sampled_from([ANN, BOB, CARL, AGENT])


@given(st.lists(st.tuples(speakers, texts), max_size=12), st.booleans(), st.integers(0, 700))
def test_the_score_is_a_share_and_what_is_barred_never_joins(
    said: list[tuple[Speaker, str]], to_other: bool, silence_s: int
) -> None:
    spoken = lines(*said)
    now = START + (len(spoken) * 20 + silence_s) * SECOND
    decision = score(spoken, SETTINGS, now, to_other=to_other)
    assert 0 <= decision.score <= MOST < 1
    assert not (decision.barred and decision.joins(0.0))
    assert not decision.joins(1.0)
    assert decision.reason
    agents = [line.time for line in spoken if line.speaker.is_agent]
    if agents and now - max(agents) < timedelta(seconds=SETTINGS.open_gap_s):
        assert not decision.joins(0.0)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    model = ScriptedChatModel("I know one.")
    async with open_talk(tmp_path, model, channels__mode="open", channels__open_silence_s=0.05) as opened:
        yield opened


def timers(talk: Talk) -> set[asyncio.Task[None]]:
    return {*talk.conversations._overhearing._timers.values(), *talk.conversations._overhearing._looking}


async def silence(talk: Talk) -> None:
    """Waits until it has looked whether to join in, and has done what it decided."""
    await until(lambda: not timers(talk))
    await talk.conversations.idle()


async def test_an_open_question_is_answered_after_a_silence(talk: Talk) -> None:
    await talk.say("Does anyone know a dentist?", ANN, HALL)
    assert talk.replies == []
    await silence(talk)
    assert talk.replies == ["I know one."]
    assert await talk.heard(HALL) == ["Does anyone know a dentist?", "I know one."]
    await silence(talk)
    assert len(talk.replies) == 1


async def test_no_model_is_asked_to_decide_no(talk: Talk) -> None:
    await talk.say("I had soup today, and it was good.", ANN, HALL)
    await silence(talk)
    await talk.hear("How was yours?", ANN, HALL, to_other=True)
    await silence(talk)
    assert talk.model.requests == []


async def test_in_other_channels_and_in_private_nothing_is_waited_for(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="listen", channels__open_silence_s=0) as talk:
        await talk.hear("Does anyone know a dentist?", ANN, HALL)
        await talk.hear("Does anyone?")
        assert timers(talk) == set()


async def test_while_people_talk_it_waits(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="open", channels__open_silence_s=3600) as talk:
        await talk.say("Does anyone know a dentist?", ANN, HALL)
        [first] = timers(talk)
        await talk.say("Mine is good.", BOB, HALL)
        [second] = timers(talk)
        assert first is not second
        await asyncio.wait({first})
        assert first.cancelled()
        await talk.conversations.aclose()
        assert second.cancelled()
        assert talk.replies == []


async def test_when_somebody_speaks_while_it_thinks_it_does_not_join_in(talk: Talk) -> None:
    talk.screen.drafts = True
    talk.model.hold = hold = asyncio.Event()
    await talk.say("Does anyone know a dentist?", ANN, HALL)
    await until(lambda: talk.model.running == 1)
    await talk.say("Mine is good.", BOB, HALL)
    assert (talk.model.running, talk.model.cancelled) == (0, 1)
    hold.set()
    await silence(talk)
    assert talk.replies == []
    assert await talk.heard(HALL) == ["Does anyone know a dentist?", "Mine is good."]


async def test_asked_by_name_while_it_thinks_it_answers_that(talk: Talk) -> None:
    talk.model.hold = hold = asyncio.Event()
    await talk.say("Does anyone know a dentist?", ANN, HALL)
    await until(lambda: talk.model.running == 1)
    await talk.hear("Monica, do you?", ANN, HALL)
    hold.set()
    await silence(talk)
    assert talk.replies == ["I know one."]
    assert [line.text for line in talk.turns[-1].utterances] == ["Monica, do you?"]


async def test_it_has_nothing_to_say_when_its_model_fails(tmp_path: Path) -> None:
    model = ScriptedChatModel([ModelFailed("no")])
    async with open_talk(tmp_path, model, channels__mode="open", channels__open_silence_s=0) as talk:
        await talk.say("Does anyone know a dentist?", ANN, HALL)
        await silence(talk)
        assert len(talk.model.requests) == 1
        assert talk.replies == []
        assert await talk.heard(HALL) == ["Does anyone know a dentist?"]


async def test_a_threshold_of_one_is_never(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="open", channels__open_silence_s=0, channels__open_score=1) as talk:
        await talk.say("Hi all! Does anyone know a good dentist?", ANN, HALL)
        await silence(talk)
        assert talk.replies == []


async def set_mode(talk: Talk, mode: ChannelMode) -> None:
    await talk.stores.channels.set_mode(HALL, mode, ANN.id)
    talk.conversations.forget_mode(HALL)


async def test_a_new_mode_ends_the_silence_of_a_channel_and_of_its_threads(tmp_path: Path) -> None:
    thread = Place("test", PlaceKind.CHANNEL, f"{HALL.ref}/thread")
    async with open_talk(tmp_path, channels__mode="open", channels__open_silence_s=3600) as talk:
        await talk.say("Does anyone know a dentist?", ANN, HALL)
        await talk.say("Does anyone know a dentist?", ANN, thread)
        await talk.say("Does anyone know a dentist?", ANN, Place("test", PlaceKind.CHANNEL, "home/cellar"))
        assert len(timers(talk)) == 3
        await set_mode(talk, ChannelMode.LISTEN)
        assert len(timers(talk)) == 1


async def test_it_does_not_join_in_where_the_mode_changed_while_it_looked(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    recent = talk.stores.utterances.recent

    async def changing(place: Place, limit: int) -> list[Utterance]:
        found = await recent(place, limit)
        await set_mode(talk, ChannelMode.LISTEN)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(talk.conversations._overhearing.utterances, "recent", changing)
        await talk.say("Does anyone know a dentist?", ANN, HALL)
        await silence(talk)
    assert (len(talk.turns), talk.model.requests, talk.replies) == (1, [], [])


@pytest.mark.parametrize("mode", [ChannelMode.LISTEN, ChannelMode.OFF])
async def test_what_it_thinks_of_unasked_is_dropped_when_the_channel_is_open_no_more(
    talk: Talk, mode: ChannelMode
) -> None:
    talk.screen.drafts = True
    talk.model.hold = hold = asyncio.Event()
    await talk.say("Does anyone know a dentist?", ANN, HALL)
    await until(lambda: talk.model.running == 1)
    await set_mode(talk, mode)
    hold.set()
    await silence(talk)
    assert talk.model.cancelled == 1
    assert talk.replies == []
    assert talk.screen.drawn == {}
