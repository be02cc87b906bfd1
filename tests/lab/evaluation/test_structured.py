"""Structured tasks watched: what is counted, and of what it is a share."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bot.domain import ChatMessage, GenerationRequest, Priority, Role, Skill
from bot.errors import BadInput, MalformedOutput, ModelFailed, ModelUnavailable
from bot.llm.scripted import Answer, ScriptedChatModel
from bot.prompting import asking
from bot.prompting.asking import ask
from lab.evaluation.heard import HeardModel
from lab.evaluation.inventions import NOTHING, Invented, Inventions, load_tagger
from lab.evaluation.structured import (
    OWN_WORDS,
    PEOPLE,
    TUNED,
    ZERO_SHOT,
    Outcome,
    Row,
    Watch,
    chosen,
    each,
    facts_of,
    figures_of,
    grid,
    models_of,
)

REQUEST = GenerationRequest((ChatMessage(Role.USER, "Go."),), priority=Priority.BACKGROUND)
SOURCE = "I have two dogs."
NEW = Invented(nouns=("cat",))


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch(Inventions(load_tagger()))


def parse(text: str) -> str:
    if "bad" in text:
        raise MalformedOutput("bad")
    return text


async def watched(watch: Watch, *answers: Answer) -> Outcome:
    model = HeardModel(ScriptedChatModel(list(answers)))

    async def work() -> str:
        answer = await asking.ask(model, REQUEST, parse, "task")
        return "I have dogs." if answer.value is None else answer.value

    return await watch.outcome("arm", model, SOURCE, work)


async def test_an_answer_that_is_taken_at_once(watch: Watch) -> None:
    found = await watched(watch, "I have a cat.")
    assert (found.asked, found.refused, found.failed) == (True, 0, False)
    assert found.first == found.stored == "I have a cat."
    assert found.invented == found.first_invented == NEW
    assert found.seconds > 0


async def test_a_second_try_that_is_taken(watch: Watch) -> None:
    found = await watched(watch, "Traits: bad cat.", "I have two dogs.")
    assert (found.refused, found.first, found.stored) == (1, "bad cat.", "I have two dogs.")
    assert (found.first_invented, found.invented) == (NEW, NOTHING)


async def test_two_tries_that_are_refused(watch: Watch) -> None:
    found = await watched(watch, "bad", "bad")
    assert (found.refused, found.stored) == (2, "I have dogs.")


async def test_an_error_is_counted_and_no_answer(watch: Watch) -> None:
    found = await watched(watch, ModelFailed("no"))
    assert (found.asked, found.failed, found.stored, found.refused) == (True, True, "", 0)


async def test_an_answer_that_was_given_before_counts_with_the_time_it_took(watch: Watch) -> None:
    model = HeardModel(ScriptedChatModel("I have two dogs.", word_s=0.02))

    async def work() -> str:
        return (await asking.complete(model, REQUEST)).text

    first, again = [await watch.outcome("arm", model, SOURCE, work) for _ in range(2)]
    assert first.stored == again.stored
    assert again.seconds >= 0.08


def test_what_an_answer_says_has_no_label_and_no_trait_is_nothing() -> None:
    assert facts_of("Extracted traits: I run.\nI sing.") == "I run. I sing."
    assert facts_of(" SUMMARY: They met.") == "They met."
    assert facts_of("3. I have 3 dogs.") == facts_of("3. Traits: I have 3 dogs.") == "I have 3 dogs."
    assert facts_of("3 dogs are mine. 4. Yes.") == "3 dogs are mine. 4. Yes."
    assert facts_of('{"traits": ["I run.", "I sing"]}') == "I run. I sing."
    assert facts_of('{"traits": []}') == ""
    assert facts_of('{"summary": "They met."}') == "They met."
    assert facts_of("no_trait") == facts_of("Traits: NO TRAIT.") == ""


def outcome(refused: int = 0, *, asked: bool = True, **changes: object) -> Outcome:
    values: dict[str, object] = {"stored": "I run.", "first": "I run.", "seconds": 1.0} | changes
    return Outcome("arm", asked=asked, refused=refused, **values)  # type: ignore[arg-type]  # a test's own values


def test_shares_are_of_what_was_asked_and_of_what_says_something() -> None:
    groups = [
        [outcome(), outcome(1, first_invented=NEW), outcome(2, first_invented=NEW, invented=NEW)],
        [outcome(asked=False, first="", stored="", seconds=0.0), outcome(first="", stored="", seconds=5.0)],
    ]
    row = Row.of("arm", groups, 0)
    assert (row.items, row.asked, row.failed) == (5, 4, 0)
    assert (row.refused_first.mean, row.refused_twice.mean) == (0.5, 0.25)
    assert (row.first_invents.count, row.stored_invents.count) == (3, 3)
    assert row.first_invents.mean == pytest.approx(2 / 3)
    assert row.stored_invents.mean == pytest.approx(1 / 3)
    assert list(row.stored_kinds) == pytest.approx([0.0, 0.0, 1 / 3])
    assert row.median_s == 1.0
    assert row.mean_s == pytest.approx(8 / 5)
    low, high = row.refused_first.low, row.refused_first.high
    assert low is not None
    assert high is not None
    assert low <= 0.5 <= high


def test_errors_are_no_refusals_and_are_told() -> None:
    row = Row.of("arm", [[outcome(), outcome(failed=True, first="", stored="")]], 0)
    assert (row.asked, row.failed, row.refused_first.count) == (2, 1, 1)
    assert "an error 1 times" in grid("Task", [row]).note


def test_what_nobody_asked_has_no_shares() -> None:
    row = Row.of(PEOPLE, [[Outcome(PEOPLE, "I run.", invented=NEW)]], 0)
    cells = row.cells()
    assert cells[:6] == (PEOPLE, "1", "0", "–", "–", "–")
    assert cells[6:] == ("100.0 (0/0/100)", "–", "–")
    assert figures_of(row)["refused_first"] is None


def test_arms_are_what_the_model_can_do() -> None:
    plain, tuned = ScriptedChatModel(""), ScriptedChatModel("", skills=[Skill.EXTRACTOR])
    assert list(models_of(None, Skill.EXTRACTOR, chosen(""))) == [OWN_WORDS]
    assert list(models_of(plain, Skill.EXTRACTOR, chosen(""))) == [OWN_WORDS, ZERO_SHOT]
    found = models_of(tuned, Skill.EXTRACTOR, chosen(""))
    assert list(found) == [OWN_WORDS, ZERO_SHOT, TUNED]
    skills = [model.description.skills if model else None for model in found.values()]
    assert skills == [None, frozenset(), frozenset({Skill.EXTRACTOR})]
    assert list(models_of(tuned, Skill.SUMMARIZER, chosen("zero-shot, own words"))) == [OWN_WORDS, ZERO_SHOT]
    with pytest.raises(BadInput, match="'tuned' needs a model tuned as summarizer: name an adapter"):
        models_of(tuned, Skill.SUMMARIZER, chosen("tuned, own words"))
    with pytest.raises(BadInput, match="'zero-shot' needs a language model"):
        models_of(None, Skill.SUMMARIZER, chosen("zero-shot"))
    with pytest.raises(BadInput, match="few-shot"):
        chosen("few-shot")


async def test_workers_share_the_items_and_what_is_refused_is_counted_for_each_alone(watch: Watch) -> None:
    model = ScriptedChatModel(lambda request: request.messages[0].content)
    free = asyncio.Event()
    met: list[str] = []

    def worker(name: str) -> Callable[[str], Awaitable[None]]:
        heard = HeardModel(model)

        async def work(text: str) -> None:
            async def asked() -> str:
                met.append(name)
                if len(set(met)) == 2:
                    free.set()
                await free.wait()  # for ever, if items were done one after another
                request = GenerationRequest((ChatMessage(Role.USER, text),), priority=Priority.BACKGROUND)
                return (await ask(heard, request, strict, "dogs")).value or ""

            found.append(await watch.outcome(name, heard, SOURCE, asked))

        return work

    found: list[Outcome] = []
    await each(["one dog", "cats", "two dogs", "mice"], [worker("first"), worker("second")])
    assert sorted((one.stored, one.refused) for one in found) == [("", 2), ("", 2), ("one dog", 0), ("two dogs", 0)]


async def test_an_error_of_one_worker_stops_the_others() -> None:
    async def broken(_item: int) -> None:
        raise ModelUnavailable("gone")

    stopped = asyncio.Event()

    async def waiting(_item: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    with pytest.raises(ModelUnavailable, match="gone"):
        async with asyncio.timeout(10):
            await each(range(3), [waiting, broken])
    assert stopped.is_set()


def strict(text: str) -> str:
    """Takes dogs alone."""
    if "dog" not in text:
        raise MalformedOutput("no dog")
    return text
