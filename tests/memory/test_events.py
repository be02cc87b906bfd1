"""A session becomes an event: the model's summary where it can be used, the people's own words where not."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot import texts
from bot.config import Background, Memory
from bot.domain import (
    Event,
    GenerationRequest,
    Job,
    JobKind,
    ModelDescription,
    Priority,
    Scope,
    Speaker,
    Utterance,
    VectorKind,
)
from bot.errors import ModelFailed
from bot.indexing.indexing import Indexer
from bot.language.extractive import word_count
from bot.language.withheld import silenced
from bot.llm.scripted import Answers, ScriptedChatModel, ScriptedEncoder
from bot.memory.events import LONGEST_LINE, PROMPT_SHARE, Summariser, Summed
from bot.prompting import asking
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.living import WordTopics, unheard
from tests.looking import add_jobs, vectors_in
from tests.open_rows import open_rows
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BETA, HALL, START, Rows

DEADLINE = Background().deadline

LARGE = ScriptedChatModel("").description
SMALL = replace(LARGE, follows_instructions=False)
SAID = "I have an interview at the museum on Thursday."
GOOD = "Ann has an interview at the museum."
CHAT = [(ANN, SAID), (AGENT, "Good luck with the interview!")]
MALFORMED = {
    "empty": "SUMMARY: ",
    "too long": "Ann has an interview at the museum. " * 8,
    "cut": "Ann has an interview at the",
    "transcript": "Ann: interview at the museum. Monica: good luck!",
    "a name nobody said": "Ann has an interview with Brenda.",
    "a number nobody said": "Ann has 3 interviews.",
}


@pytest.fixture
async def rows() -> AsyncIterator[Rows]:
    async with open_rows() as opened:
        yield opened


class Desk:
    """A summariser over real stores, with what it was given."""

    def __init__(
        self,
        rows: Rows,
        answers: Answers | None,
        *,
        description: ModelDescription = LARGE,
        context_tokens: int | None = None,
        **memory: object,
    ) -> None:
        self.rows = rows
        self.model = (
            ScriptedChatModel(answers, description=description, context_tokens=context_tokens)
            if answers is not None
            else None
        )
        self.index = NumpyVectorIndex()
        self.summariser = Summariser(
            sessions=rows.sessions,
            events=rows.events,
            jobs=rows.jobs,
            model=self.model,
            topics=WordTopics(),
            indexer=Indexer(
                events=rows.events,
                traits=rows.traits,
                passages=rows.passages,
                index=self.index,
                encoder=ScriptedEncoder(),
            ),
            memory=Memory.model_validate(memory),
            deadline=DEADLINE,
            forget=self._forget,
            hear=unheard,
            withheld=lambda said: "hopeless" in said.text,
            telling=str,
        )
        self.forgotten: list[int] = []

    async def _forget(self, ids: Sequence[int]) -> None:
        self.forgotten += ids

    @property
    def asked(self) -> int:
        return len(self.model.requests) if self.model is not None else 0

    async def job(self, *said: tuple[Speaker, str]) -> Job:
        """The job of a closed session in which this was said, a minute apart."""
        for minute, (speaker, text) in enumerate(said):
            stored = await self.rows.accept(text, speaker=speaker, after=timedelta(minutes=minute))
            await self.rows.sessions.append(stored, timedelta(days=9), 1_000_000)
            await self.rows.inbox.remembered([stored.id])
        assert await self.rows.sessions.close(ANNS_DM)
        job = await self.rows.jobs.claim(START, BETA)
        assert job is not None
        assert job.kind is JobKind.SUMMARISE
        return job

    async def event(self, *said: tuple[Speaker, str]) -> tuple[Event, int]:
        """The event of such a session and the tokens it took."""
        tokens = await self.summariser.run(await self.job(*said))
        [event] = await self.rows.events.readable_in(ANNS_DM)
        return event, tokens


async def still_due(rows: Rows) -> Job | None:
    return await rows.jobs.claim(START + timedelta(days=1), BETA, [JobKind.SUMMARISE])


async def test_a_good_answer_is_the_summary(rows: Rows) -> None:
    desk = Desk(rows, [f"SUMMARY: {GOOD}\n"])
    event, tokens = await desk.event(*CHAT)
    assert event.summary == GOOD
    assert event.time == START + timedelta(minutes=1)
    assert event.speakers == {ANN.id, AGENT.id}
    assert event.topics >= {"interview", "museum", "luck"}
    assert [said.text for said in await rows.utterances.get(event.sources)] == [text for _, text in CHAT]
    assert await vectors_in(desk.index, Scope(VectorKind.EVENT, ANNS_DM.key)) == 1
    assert await still_due(rows) is None
    assert desk.model is not None
    [request] = desk.model.requests
    assert request.priority is Priority.BACKGROUND
    assert f"Ann: {SAID}\nMonica: Good luck" in request.messages[-1].content
    assert tokens == desk.model.count_tokens(request.messages) + len(f"SUMMARY: {GOOD}".split())


async def test_a_model_that_decodes_schemas_answers_in_json(rows: Rows) -> None:
    decoding = replace(LARGE, decodes_schemas=True)
    desk = Desk(rows, [f'{{"summary": "{GOOD}"}}'], description=decoding)
    event, _ = await desk.event(*CHAT)
    assert event.summary == GOOD
    assert desk.model is not None
    [request] = desk.model.requests
    assert (request.schema, request.deadline) == (Summed.model_json_schema(), DEADLINE)
    assert request.messages[-1].content.endswith('Answer as JSON: {"summary": "…"}')


@pytest.mark.parametrize("bad", MALFORMED.values(), ids=MALFORMED)
async def test_a_malformed_answer_is_asked_for_once_more(rows: Rows, bad: str) -> None:
    before = asking.failures["summary"]
    desk = Desk(rows, [bad, GOOD])
    event, _ = await desk.event(*CHAT)
    assert event.summary == GOOD
    assert desk.model is not None
    assert [request.temperature for request in desk.model.requests] == [0.0, asking.RETRY_TEMPERATURE]
    assert asking.failures["summary"] == before + 1


async def test_after_two_malformed_answers_it_is_the_persons_own_words(rows: Rows) -> None:
    desk = Desk(rows, [MALFORMED["transcript"], MALFORMED["a number nobody said"], GOOD])
    event, tokens = await desk.event(*CHAT)
    assert event.summary == f"Ann: {SAID}"
    assert desk.model is not None
    assert desk.asked == 2
    words = len(MALFORMED["transcript"].split()) + len(MALFORMED["a number nobody said"].split())
    assert tokens == words + sum(desk.model.count_tokens(request.messages) for request in desk.model.requests)


async def test_a_summary_may_be_a_quarter_longer_than_asked(rows: Rows) -> None:
    long = "Ann has an interview at the museum on Thursday."
    assert (await Desk(rows, [long], summary_words=8).event(*CHAT))[0].summary == long


async def test_a_summary_half_as_long_again_is_too_long(rows: Rows) -> None:
    long = "Ann has an interview at the museum on Thursday."
    assert (await Desk(rows, [long, "An interview."], summary_words=6).event(*CHAT))[0].summary == "An interview."


async def test_the_companions_apology_is_no_topic_of_the_conversation(rows: Rows) -> None:
    desk = Desk(rows, [GOOD])
    event, _ = await desk.event((ANN, SAID), (AGENT, texts.MODEL_FAILED), (ANN, "Hello?"), (AGENT, texts.EMPTY_REPLY))
    assert event.topics >= {"interview", "museum"}
    assert not event.topics & {"train", "thought", "sorry", "moment", "tell"}
    assert desk.model is not None
    assert "train of thought" not in desk.model.requests[0].messages[-1].content
    assert len(event.sources) == 4
    assert event.speakers == {ANN.id, AGENT.id}


async def test_own_words_leave_out_what_the_companion_said(rows: Rows) -> None:
    claim = "I have three horses, a boat and a castle in Scotland since last summer."
    desk = Desk(rows, None)
    event, tokens = await desk.event((ANN, "I like tea in the garden."), (AGENT, claim))
    assert event.summary == "Ann: I like tea in the garden."
    assert tokens == 0
    assert len(event.sources) == 2


async def test_own_words_of_the_companion_alone_are_better_than_nothing(rows: Rows) -> None:
    event, _ = await Desk(rows, None).event((AGENT, "Are you there? The garden is lovely today."))
    assert event.summary.startswith("Monica:")


async def test_own_words_keep_to_the_number_of_words(rows: Rows) -> None:
    said = [(ANN, f"I planted {number} apple trees in garden {number}.") for number in range(2, 12)]
    event, _ = await Desk(rows, None, summary_words=9).event(*said)
    assert 3 <= word_count(event.summary) <= 9


async def test_a_long_session_is_cut_to_the_last_lines_that_fit(rows: Rows) -> None:
    said = [(ANN, f"line{number} about the museum and the interview") for number in range(100)]
    desk = Desk(rows, [GOOD], context_tokens=400, summariser="model")
    event, _ = await desk.event(*said)
    assert desk.model is not None
    [request] = desk.model.requests
    assert desk.model.count_tokens(request.messages) <= 400 * PROMPT_SHARE
    prompt = request.messages[-1].content.split()
    shown = [number for number in range(100) if f"line{number}" in prompt]
    assert shown == list(range(shown[0], 100))
    assert len(shown) >= 10
    assert event.summary == GOOD
    assert len(event.sources) == 100


async def test_one_endless_message_is_cut_too(rows: Rows) -> None:
    desk = Desk(rows, [GOOD])
    await desk.event((ANN, f"{SAID} " + "x" * 3 * LONGEST_LINE))
    assert desk.model is not None
    shown = desk.model.requests[0].messages[-1].content
    assert SAID in shown
    assert shown.count("x") < LONGEST_LINE


async def test_a_session_that_is_gone_ends_its_job(rows: Rows) -> None:
    desk = Desk(rows, [GOOD])
    await add_jobs(rows.jobs, [Job(JobKind.SUMMARISE, 999)])
    job = await rows.jobs.claim(START, BETA)
    assert job is not None
    assert await desk.summariser.run(job) == 0
    assert await still_due(rows) is None
    assert desk.asked == 0
    assert (await rows.utterances.counts()).rows["events"] == 0


async def test_a_model_that_fails_leaves_the_job_and_stores_nothing(rows: Rows) -> None:
    desk = Desk(rows, [ModelFailed("broken")])
    job = await desk.job(*CHAT)
    with pytest.raises(ModelFailed):
        await desk.summariser.run(job)
    assert await rows.events.readable_in(ANNS_DM) == []
    again = await still_due(rows)
    assert again is not None
    assert again.id == job.id


async def test_the_same_session_a_second_time_makes_no_second_event(rows: Rows) -> None:
    desk = Desk(rows, [GOOD, "Ann has good luck."])
    job = await desk.job(*CHAT)
    await desk.summariser.run(job)
    await desk.summariser.run(job)
    assert [event.summary for event in await rows.events.readable_in(ANNS_DM)] == [GOOD]
    assert await vectors_in(desk.index, Scope(VectorKind.EVENT, ANNS_DM.key)) == 1


@pytest.mark.parametrize(
    ("setting", "description", "asked"),
    [("auto", LARGE, 1), ("auto", SMALL, 0), ("model", SMALL, 1), ("extractive", LARGE, 0)],
)
async def test_who_summarises(rows: Rows, setting: str, description: ModelDescription, asked: int) -> None:
    desk = Desk(rows, [GOOD], description=description, summariser=setting)
    event, tokens = await desk.event(*CHAT)
    assert desk.asked == asked
    assert event.summary == (GOOD if asked else f"Ann: {SAID}")
    assert (tokens > 0) == bool(asked)


OTHER_ANN = Speaker("chat:ann2", "ann")


async def hall_event(desk: Desk, *said: tuple[Speaker, str]) -> tuple[Event, dict[str, int]]:
    """The event of a session of the hall, and speaker id → number."""
    for minute, (speaker, text) in enumerate(said):
        stored = await desk.rows.accept(text, speaker=speaker, place=HALL, after=timedelta(minutes=minute))
        await desk.rows.sessions.append(stored, timedelta(days=9), 1_000_000)
        await desk.rows.inbox.remembered([stored.id])
    assert await desk.rows.sessions.close(HALL)
    job = await desk.rows.jobs.claim(START, BETA)
    assert job is not None
    await desk.summariser.run(job)
    [event] = await desk.rows.events.readable_in(HALL)
    lines = await desk.rows.utterances.get(event.sources)
    return event, {line.speaker.id: line.speaker.number for line in lines}


async def test_an_event_remembers_whom_its_names_mean(rows: Rows) -> None:
    event, numbers = await hall_event(Desk(rows, None), (ANN, "I like tea in the garden."), (AGENT, "Lovely."))
    assert event.summary == "Ann: I like tea in the garden."
    assert dict(event.names) == {ANN.id: f"Ann ({numbers[ANN.id]})", AGENT.id: "Monica"}


async def test_namesakes_are_told_apart_in_the_summary_itself(rows: Rows) -> None:
    desk = Desk(rows, None, summary_words=40)
    event, numbers = await hall_event(
        desk, (ANN, "I like tea in the garden."), (OTHER_ANN, "My boat sank in the harbour."), (BEN, "I sold my car.")
    )
    assert event.summary == (
        f"Ann ({numbers[ANN.id]}): I like tea in the garden. "
        f"ann ({numbers[OTHER_ANN.id]}): My boat sank in the harbour. Ben: I sold my car."
    )
    assert dict(event.names)[OTHER_ANN.id] == f"ann ({numbers[OTHER_ANN.id]})"


async def test_a_renamed_person_is_one_person_in_a_summary(rows: Rows) -> None:
    said = [
        (ANN, "I like tea in the garden."),
        (BEN, "Hm."),
        (replace(ANN, name="Anna"), "My boat sank in the harbour."),
    ]
    event, numbers = await hall_event(Desk(rows, None), *said)
    assert event.summary == "Anna: I like tea in the garden. My boat sank in the harbour."
    assert dict(event.names)[ANN.id] == f"Anna ({numbers[ANN.id]})"


async def test_a_models_summary_must_say_which_of_two_namesakes_it_means(rows: Rows) -> None:
    def answer(request: GenerationRequest) -> str:
        tag = re.search(r"(Ann \(\d+\)): I like tea", request.messages[-1].content)
        assert tag is not None
        return f"{tag[1]} likes tea in the garden." if request.temperature else "Ann likes tea in the garden."

    desk = Desk(rows, answer)
    event, numbers = await hall_event(desk, (ANN, "I like tea in the garden."), (OTHER_ANN, "My boat sank."))
    assert event.summary == f"Ann ({numbers[ANN.id]}) likes tea in the garden."
    assert desk.asked == 2


SIGN = "I feel hopeless"
SILENCED = {
    "the reply to the last line of a burst, and no later one": (
        [(ANN, SIGN, 0), (ANN, "sorry", 0), (AGENT, "Here is help.", 2), (ANN, "thanks", 0), (AGENT, "Well.", 4)],
        {1, 3},
    ),
    "the reply to a burst in which the sign came last": ([(ANN, "hm", 0), (ANN, SIGN, 0), (AGENT, "Hm?", 1)], {2, 3}),
    "each speaker's own burst": (
        [(ANN, SIGN, 0), (BEN, "hi", 0), (AGENT, "Hi.", 2), (ANN, "oh", 0), (AGENT, "Help.", 4)],
        {1, 5},
    ),
    "what others reply, and what is replied to them": (
        [(ANN, SIGN, 0), (BEN, "oh no", 1), (AGENT, "Help.", 2), (BEN, "ok", 0), (AGENT, "Ok.", 4)],
        {1, 2, 3},
    ),
    "a second reply to the same line": ([(ANN, SIGN, 0), (AGENT, "Help.", 1), (AGENT, "More.", 1)], {1, 2, 3}),
    "nothing that replies to nothing": ([(ANN, SIGN, 0), (AGENT, f"Who said {SIGN}?", 0)], {1}),
    "nothing": ([(ANN, "hello", 0), (AGENT, "Hi.", 1)], set()),
}
"""What is hidden → (speaker, text, number of the line that it replies to or 0) of each line, the numbers hidden."""


@pytest.mark.parametrize(("said", "hidden"), SILENCED.values(), ids=SILENCED)
def test_signs_that_are_withheld_hide(said: list[tuple[Speaker, str, int]], hidden: set[int]) -> None:
    lines = [
        Utterance(HALL, f"m{number}", speaker, text, START, reply_to=f"m{replied}" if replied else None, id=number)
        for number, (speaker, text, replied) in enumerate(said, 1)
    ]
    assert silenced(lines, lambda said: SIGN in said.text) == hidden


async def test_the_reply_to_a_burst_with_a_sign_is_not_summarised(rows: Rows) -> None:
    desk = Desk(rows, "Nothing.")
    told = [(ANN, SIGN), (ANN, "I sail on Sundays"), (AGENT, "Please call the helpline in Bergen")]
    for minute, (speaker, text) in enumerate(told):
        new = rows.utterance(text, speaker=speaker, after=timedelta(minutes=minute))
        stored = await rows.inbox.accept(replace(new, reply_to="m2" if speaker is AGENT else None))
        assert stored is not None
        await rows.sessions.append(stored, BETA, 1000)
        await rows.inbox.remembered([stored.id])
    assert await rows.sessions.close(ANNS_DM)
    job = await rows.jobs.claim(START, BETA)
    assert job is not None
    await desk.summariser.run(job)
    assert desk.model is not None
    asked = "\n".join(message.content for request in desk.model.requests for message in request.messages)
    assert "I sail on Sundays" in asked
    assert SIGN not in asked
    assert "Bergen" not in asked
