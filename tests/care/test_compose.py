"""What a check-in says, over what people really have said to the core; and the checks of a model's words."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast, get_args

import pytest

from bot.care.checks import Rated, intention_of, opening_of_model, summary_of
from bot.care.decide import rating
from bot.care.reading import Told
from bot.domain import Character, Composed, ErasureReason, GenerationRequest, Selection, Utterance, Why
from bot.errors import MalformedOutput, ModelFailed
from bot.llm.scripted import ScriptedChatModel
from tests.care.writing import WISHES, Nouns, composer_of, reader_of
from tests.living import ANN, BOB, CHANNEL, DM, OpenCore, open_core

DAY = timedelta(days=1)
TEST = "I have my driving test on Friday."
OPENING = "Hi Ann. On Friday you had your driving test, as you told me. How did it go?"


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[OpenCore]:
    async with open_core(tmp_path) as opened:
        yield opened


async def told(core: OpenCore, *texts: str) -> None:
    """A talk on a Monday at nine, over and remembered."""
    for text in texts:
        await core.say(text)
    await core.passes(timedelta(hours=3))


def task_of(request: GenerationRequest) -> str:
    """What is asked for: the prompt's last word, or, where examples show it, what the system message says."""
    begun = {"Somebody told this.": "rating", "You are": "message"}
    system = request.messages[0].content
    last = request.messages[-1].content.rsplit("\n", 1)[-1].strip(":").lower()
    return next((task for words, task in begun.items() if system.startswith(words) and len(request.messages) > 2), last)


def writer(**answers: str) -> ScriptedChatModel:
    """A model that follows instructions: what it answers to each prompt."""

    def answer(request: GenerationRequest) -> str:
        task = task_of(request)
        return {"rating": "8", "summary": "Ann has her driving test on Friday.", "intention": "Ask how it went.",
                "message": OPENING, **answers}[task]  # fmt: skip

    return ScriptedChatModel(answer)


async def test_rules_write_of_what_is_open_with_the_persons_own_words(core: OpenCore) -> None:
    await told(core, "Hello!", TEST, "The weather is nice today.")
    await core.passes(5 * DAY)
    composed = await composer_of(core).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert composed.text == "On Monday you told me that you had your driving test on Friday. How did it go?"
    assert composed.background == f"On Monday Ann told me: “{TEST}”"
    assert [words for _, words in composed.sources] == [TEST]
    assert composed.about == tuple(dict(composed.sources))
    scores = composed.scores
    assert scores is not None
    assert all(0 <= one <= 1 for one in (scores.importance, scores.balance, scores.freshness, scores.total))
    weights = core.app.settings.care.weights
    weighed = weights.importance * scores.importance + weights.balance * scores.balance
    assert scores.total == pytest.approx(weighed + weights.freshness * scores.freshness)


async def test_what_was_under_way_until_its_day_is_asked_about_as_what_is_over(core: OpenCore) -> None:
    await told(core, "I am studying for my piano exam on Friday.")
    await core.passes(5 * DAY)
    composed = await composer_of(core).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert composed.text.endswith("How did it go?")
    assert composed.intention == "To hear how it went."


async def test_where_nothing_is_open_nothing_is_said(core: OpenCore) -> None:
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.NOTHING
    await told(core, "Hello!", "The weather is nice today.", "I love dogs.")
    await core.passes(5 * DAY)
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.NOTHING


GRAVE = "My secret is that my father died on Sunday."


async def test_whoever_told_something_grave_that_may_be_danger_is_asked_how_they_are_and_not_a_word_is_used(
    core: OpenCore,
) -> None:
    model = ScriptedChatModel([])
    await told(core, "Hello!", GRAVE, TEST)
    await core.passes(5 * DAY)
    for writer in (composer_of(core), composer_of(core, model)):
        composed = await writer.compose(WISHES, DM, core.clock.now())
        assert isinstance(composed, Composed)
        assert composed.text == "I wanted to ask how you are today."
        assert composed == await writer.foresee(WISHES, core.clock.now())
        shown = f"{composed.text} {composed.background} {composed.intention}"
        assert "father" not in shown
        assert "died" not in shown
        assert [words for _, words in composed.sources] == [GRAVE]
        assert composed.about == tuple(dict(composed.sources))
    assert not model.requests


async def test_words_that_may_be_danger_and_tell_nothing_grave_are_never_asked_about(core: OpenCore) -> None:
    await told(core, "Hello!", "My secret is a new pair of shoes.")
    await core.passes(5 * DAY)
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.NOTHING


async def test_what_is_settled_since_is_not_asked_about_without_words_either(core: OpenCore) -> None:
    await told(core, "My secret is that I lost my job.", "I found a new job!")
    await core.passes(5 * DAY)
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.NOTHING


async def test_what_was_settled_is_not_asked_also_before_it_is_remembered(core: OpenCore) -> None:
    await told(core, TEST)
    await core.passes(5 * DAY)
    await core.say("I passed the driving test on Friday!")  # no passage yet: the session is open
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.SETTLED
    await core.passes(DAY)
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.SETTLED


async def test_only_the_persons_own_words_from_where_their_dm_may_know_them(core: OpenCore) -> None:
    await core.say("I have my piano exam on Friday.", BOB, CHANNEL)
    await core.say("I like tea.", ANN, CHANNEL)
    await core.say("I have a secret operation on Friday.")
    await core.passes(timedelta(hours=3))
    await core.passes(5 * DAY)
    told_by = await reader_of(core).read(DM)
    assert "secret" not in " ".join(one.text for one in told_by.lines)
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.NOTHING


async def test_what_fits_is_looked_at_again_before_it_is_sent(core: OpenCore) -> None:
    await told(core, TEST)
    await core.passes(5 * DAY)
    composer, since = composer_of(core), core.clock.now()
    composed = await composer.compose(WISHES, DM, since)
    assert isinstance(composed, Composed)
    assert await composer.still_fits(composed, DM, since) is None
    core.clock.advance(timedelta(minutes=1))
    await core.say("Purple elephants dance wildly.")
    assert await composer.still_fits(composed, DM, since) is None
    await core.say("I had my driving test on Friday.")
    assert await composer.still_fits(composed, DM, since) is Why.SETTLED


async def test_a_model_that_follows_writes_and_its_tokens_count(core: OpenCore) -> None:
    await told(core, TEST)
    await core.passes(5 * DAY)
    model, now = writer(), core.clock.now()
    before = await core.app.stores.jobs.spend_tokens(now.date(), 0)
    composed = await composer_of(core, model).compose(WISHES, DM, now)
    assert isinstance(composed, Composed)
    assert (composed.text, composed.intention) == (OPENING, "Ask how it went.")
    assert composed.background == "Ann has her driving test on Friday."
    assert composed.scores is not None
    assert composed.scores.importance == 0.8
    assert TEST in dict(composed.sources).values()
    assert await core.app.stores.jobs.spend_tokens(now.date(), 0) > before
    assert len(model.requests) == 4


async def test_a_model_that_decodes_schemas_writes_in_json(core: OpenCore) -> None:
    await told(core, TEST)
    await core.passes(5 * DAY)
    answers = {"rating": "8", "summary": "Ann has her driving test on Friday.", "intention": "Ask how it went.",
               "message": OPENING}  # fmt: skip

    def answer(request: GenerationRequest) -> str:
        assert request.schema is not None
        [field] = cast("list[str]", request.schema["required"])
        assert f'{{"{field}": "' in "\n".join(message.content for message in request.messages)
        return json.dumps({field: answers[field]})

    model = ScriptedChatModel(answer, decodes_schemas=True)
    composed = await composer_of(core, model).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert (composed.text, composed.intention, composed.background) == (OPENING, "Ask how it went.", answers["summary"])
    assert composed.scores is not None
    assert composed.scores.importance == 0.8
    answers["message"] = ""
    assert await composer_of(core, model).compose(WISHES, DM, core.clock.now()) is Why.NOTHING


@pytest.mark.parametrize("number", get_args(Rated.model_fields["rating"].annotation))
def test_every_rating_of_the_form_is_one_that_is_read(number: str) -> None:
    assert rating(Rated(rating=number).plain()) == int(number) / 10


ADDICT = "I am a heroin addict in recovery."


async def addicted(core: OpenCore) -> Utterance:
    """A talk that left a trait, and another, later, that left something to ask about; what the trait comes from."""
    await told(core, ADDICT)
    await core.passes(3 * DAY)
    await told(core, TEST)
    await core.passes(6 * DAY)
    (line,) = [one for one in await core.app.recent(DM, 10) if one.text == ADDICT]
    first, *_ = await core.app.stores.traits.readable_in(DM, [ANN.id])
    assert first.sources == (line.id,)
    return line


async def erase(core: OpenCore, line: Utterance) -> None:
    await core.app.eraser.erase(Selection(utterances=(line.id,)), ErasureReason.ASKED)


def shown_to(model: ScriptedChatModel) -> str:
    return "\n".join(message.content for request in model.requests for message in request.messages)


async def test_what_a_prompt_knows_of_the_person_is_among_the_sources(
    core: OpenCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, model = await addicted(core), writer()
    composer = composer_of(core, model)
    asked = composer._ask

    async def erased_meanwhile(*args: Any) -> object:
        if await core.app.stores.utterances.get([line.id]):
            await erase(core, line)
        return await asked(*args)

    monkeypatch.setattr(composer, "_ask", erased_meanwhile)
    composed = await composer.compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert "heroin" in shown_to(model)
    assert dict(composed.sources)[line.id] == ADDICT  # so that it is not stored
    (test,) = [key for key, words in composed.sources if words == TEST]
    assert composed.about == (test,)


async def test_traits_and_types_that_rest_on_what_is_gone_are_not_used(
    core: OpenCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = await addicted(core)
    utterances = core.app.stores.utterances
    got = utterances.get

    async def erased_before(ids: Sequence[int]) -> list[Utterance]:
        return [one for one in await got(ids) if one.id != line.id]

    async def introvert(_told: Told, _now: datetime) -> Character:
        return Character(ANN.id, "INFP", sources=(line.id,))

    model = writer()
    known = await composer_of(core, model, introvert).compose(WISHES, DM, core.clock.now())
    assert isinstance(known, Composed)
    assert "heroin" in shown_to(model)
    assert "INFP" in shown_to(model)
    monkeypatch.setattr(utterances, "get", erased_before)
    model = writer()
    composed = await composer_of(core, model, introvert).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert "heroin" not in shown_to(model)
    assert "INFP" not in shown_to(model)
    assert line.id not in dict(composed.sources)


@pytest.mark.parametrize("model", [None, writer(summary="", message="", intention="")])
async def test_marks_of_a_prompt_are_told_back_as_words(core: OpenCore, model: ScriptedChatModel | None) -> None:
    await told(core, "I have my driving test on Friday <|im_end|> and I am so nervous about it.")
    await core.passes(5 * DAY)
    composed = await composer_of(core, model).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    for text in (composed.text, composed.background, composed.intention):
        assert "<" not in text
    assert "driving test" in composed.background


@pytest.mark.parametrize("by_model", [False, True])
async def test_nobody_is_quoted_endlessly(core: OpenCore, by_model: bool) -> None:
    await told(core, "I have my driving test on Friday at " + "x" * 3900)
    await core.passes(5 * DAY)
    composer = composer_of(core, writer() if by_model else None)
    assert await composer.compose(WISHES, DM, core.clock.now()) is Why.NOTHING


async def test_words_that_fail_the_checks_twice_are_the_persons_own_instead(core: OpenCore) -> None:
    await told(core, TEST)
    await core.passes(5 * DAY)
    model = writer(rating="very", message="You should try to buy a Ferrari.", summary="Ann: hi", intention="")
    composed = await composer_of(core, model).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert composed.text.startswith("On Monday you told me that you had your driving test on Friday.")
    assert composed.background == f"On Monday Ann told me: “{TEST}”"
    assert composed.intention == "To hear how it went."


async def test_a_model_may_say_that_there_is_nothing_and_its_failure_is_passed_on(core: OpenCore) -> None:
    await told(core, TEST)
    await core.passes(5 * DAY)
    silent = composer_of(core, writer(message="NOTHING"))
    assert await silent.compose(WISHES, DM, core.clock.now()) is Why.NOTHING
    broken = ScriptedChatModel([ModelFailed("gone")])
    with pytest.raises(ModelFailed):
        await composer_of(core, broken).compose(WISHES, DM, core.clock.now())


async def test_in_other_languages_rules_are_silent_and_a_model_may_speak(core: OpenCore) -> None:
    german = "Ich habe am Freitag meine Prüfung und bin sehr nervös deswegen."
    await told(core, german)
    await core.passes(5 * DAY)
    assert await composer_of(core).compose(WISHES, DM, core.clock.now()) is Why.NOTHING
    asked = "Du hattest am Freitag deine Prüfung und warst sehr nervös deswegen. Wie war es?"
    model = writer(message=asked, summary="Ich habe am Freitag meine Prüfung.", rating="9")
    composed = await composer_of(core, model).compose(WISHES, DM, core.clock.now())
    assert isinstance(composed, Composed)
    assert composed.text == asked
    dull = composer_of(core, writer(message=asked, rating="3"))
    assert await dull.compose(WISHES, DM, core.clock.now()) is Why.NOTHING


async def test_a_zone_that_is_none_is_utc(core: OpenCore) -> None:
    await told(core, TEST)
    await core.passes(5 * DAY)
    lost = replace(WISHES, zone="Mars/Olympus")
    assert isinstance(await composer_of(core).compose(lost, DM, core.clock.now()), Composed)


async def test_the_farewell_rests_on_nothing(core: OpenCore) -> None:
    bye = await composer_of(core).farewell(WISHES, DM, core.clock.now())
    assert bye.farewell
    assert bye.sources == ()
    assert "/checkin on" in bye.text


def opening(text: str, *, before: bool = False) -> str:
    return opening_of_model(text, f"On Monday Ann: {TEST}", TEST, ("Ann", "Monica"), Nouns().topics, before=before)


def test_an_opening_that_keeps_to_its_source_is_used() -> None:
    assert opening(f'MESSAGE: "{OPENING}"') == OPENING
    assert opening("NOTHING.") == ""
    assert opening("Hi Ann. Your driving test is tomorrow. Good luck!", before=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "How did your driving test go",
        "Monica: How did your driving test go?",
        "How did the test go? And how are you?",
        "How did it go? I hope it was fine.",
        "Ann, I am ready for my driving test.",
        "Your driving test was on Friday.",
        "Did I pass my driving test?",
        "How is your week going?",
        "You should practise for your driving test.",
        "I have been thinking of you. How did your driving test go?",
        "How did your driving test in Boston go?",
        "How did your 3 driving tests go?",
        "Ann, how did your driving test go, Ann?",
        "Wie war denn deine Prüfung am Freitag, und wie geht es dir?",
        "Good luck with your driving test tomorrow!",
        "Hi. Hello. How are you. How did your driving test go?",
        "Your driving test. " + "test " * 60 + ".",
        "Your driving test. " + "test" * 160 + ".",
    ],
)
def test_an_opening_that_does_not_is_refused(text: str) -> None:
    with pytest.raises(MalformedOutput):
        opening(text)


def test_a_summary_and_an_intention_are_checked_too() -> None:
    names = ("Ann", "Monica")
    assert summary_of("SUMMARY: Ann has a driving test.", f"Ann: {TEST}", names, Nouns().topics)
    with pytest.raises(MalformedOutput):
        summary_of("Ann has a driving test in Boston.", f"Ann: {TEST}", names, Nouns().topics)
    assert intention_of("Ask how it went.", names) == "Ask how it went."
    with pytest.raises(MalformedOutput):
        intention_of("Ask how it went. Then say goodbye.", names)
