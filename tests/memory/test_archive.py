"""A session that is over becomes passages: what was said in it, but for what no memory is made of."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from bot import texts
from bot.domain import Job, JobKind, Scope, Session, Utterance, VectorKind
from bot.indexing.indexing import Indexer
from bot.llm.scripted import ScriptedEncoder
from bot.memory.archive import Archivist
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.looking import add_jobs, open_session
from tests.open_rows import open_rows
from tests.stored import AGENT, ANN, ANNS_DM, BETA, START, Rows

DANGER = "I want to disappear"
OF_DM = Scope(VectorKind.PASSAGE, ANNS_DM.key)


@dataclass
class Desk:
    """An archivist and what it works with."""

    rows: Rows
    index: NumpyVectorIndex = field(default_factory=NumpyVectorIndex)
    encoder: ScriptedEncoder = field(default_factory=ScriptedEncoder)

    def __post_init__(self) -> None:
        self.archivist = Archivist(
            sessions=self.rows.sessions,
            passages=self.rows.passages,
            indexer=Indexer(
                events=self.rows.events,
                traits=self.rows.traits,
                passages=self.rows.passages,
                index=self.index,
                encoder=self.encoder,
            ),
            withheld=lambda said: DANGER in said.text,
        )

    async def session(self, *said: Utterance) -> Session:
        """A closed session of these lines."""
        for line in said:
            stored = await self.rows.inbox.accept(line)
            assert stored is not None
            await self.rows.sessions.append(stored, BETA, 1000)
            await self.rows.inbox.remembered([stored.id])
        opened = await open_session(self.rows.sessions, ANNS_DM)
        assert await self.rows.sessions.close(ANNS_DM)
        assert opened is not None
        return opened

    async def job(self) -> Job:
        """The next ARCHIVE job."""
        while (job := await self.rows.jobs.claim(START, BETA)) is not None:
            if job.kind is JobKind.ARCHIVE:
                return job
        raise AssertionError("nothing is to be archived")

    async def archived(self) -> list[str]:
        """What can be recalled in Ann's DM, word for word."""
        ids = await self.rows.passages.readable_in(ANNS_DM)
        return [one.utterance.text for one in await self.rows.passages.get(ids.tolist())]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with open_rows() as rows:
        yield Desk(rows)


def line(rows: Rows, text: str, *, by_agent: bool = False, reply_to: str | None = None) -> Utterance:
    return replace(rows.utterance(text, speaker=AGENT if by_agent else ANN), reply_to=reply_to)


async def test_what_was_said_can_be_recalled_and_is_found_by_its_words(desk: Desk) -> None:
    rows = desk.rows
    await desk.session(line(rows, "I sold my boat."), line(rows, "Why?", by_agent=True))
    assert await desk.archived() == []
    job = await desk.job()
    assert (job.subject, await desk.archivist.run(job)) == (1, 0)
    assert await desk.archived() == ["I sold my boat.", "Why?"]
    ids = await rows.passages.readable_in(ANNS_DM)
    found, cosines = await desk.index.similarities(OF_DM, (await desk.encoder.encode(["I sold my boat."]))[0])
    assert found[cosines.argmax()] == ids[0]
    assert cosines.max() > 0.999
    assert await rows.passages.unindexed(9) == []
    assert await rows.jobs.waiting() == 1  # the summary


async def test_a_job_that_comes_twice_archives_once(desk: Desk) -> None:
    session = await desk.session(line(desk.rows, "one"), line(desk.rows, "two"))
    job = await desk.job()
    assert await desk.rows.passages.archive(session.id, [], job.id) == 2
    await desk.archivist.run(job)
    assert await desk.archived() == ["one", "two"]


@pytest.mark.parametrize("text", ["[photo: beach.jpg]", "[photo]\n[voice note]", "  \n", ""])
async def test_lines_without_words_are_not_archived(desk: Desk, text: str) -> None:
    await desk.session(line(desk.rows, text), line(desk.rows, f"look at that\n{text}"))
    await desk.archivist.run(await desk.job())
    assert await desk.archived() == [f"look at that\n{text}"]


@pytest.mark.parametrize("apology", [texts.MODEL_FAILED, texts.EMPTY_REPLY])
async def test_apologies_of_the_companion_are_not_archived(desk: Desk, apology: str) -> None:
    await desk.session(line(desk.rows, apology), line(desk.rows, apology, by_agent=True))
    await desk.archivist.run(await desk.job())
    [passage] = await desk.rows.passages.get([1, 2])
    assert passage.utterance.speaker == replace(ANN, number=passage.utterance.speaker.number)


async def test_signs_of_danger_and_the_replies_to_them_are_not_archived(desk: Desk) -> None:
    rows = desk.rows
    cry = line(rows, f"{DANGER} and nobody would notice")
    help_text = line(rows, "You are not alone.", by_agent=True, reply_to=cry.message_id)
    quoted = line(rows, f"You said: {DANGER}.", by_agent=True)
    await desk.session(line(rows, "hello"), cry, help_text, line(rows, "thanks"), quoted)
    await desk.archivist.run(await desk.job())
    assert await desk.archived() == ["hello", "thanks", quoted.text]


async def test_nor_is_the_reply_to_a_burst_in_which_there_was_such_a_sign(desk: Desk) -> None:
    rows = desk.rows
    burst = [line(rows, f"{DANGER} and nobody would notice"), line(rows, "sorry")]
    help_text = line(rows, "You are not alone.", by_agent=True, reply_to=burst[-1].message_id)
    thanks = line(rows, "thanks")
    await desk.session(*burst, help_text, thanks, line(rows, "Any time.", by_agent=True, reply_to=thanks.message_id))
    await desk.archivist.run(await desk.job())
    assert await desk.archived() == ["sorry", "thanks", "Any time."]


async def test_what_is_off_the_record_is_not_archived(desk: Desk) -> None:
    await desk.session(line(desk.rows, "keep this"), replace(line(desk.rows, "not this"), off_record=True))
    await desk.archivist.run(await desk.job())
    assert await desk.archived() == ["keep this"]


@pytest.mark.parametrize("chosen", [[DANGER], []])
async def test_the_job_of_a_session_of_which_nothing_is_archived_ends(desk: Desk, chosen: Sequence[str]) -> None:
    if chosen:
        await desk.session(*(line(desk.rows, text) for text in chosen))
    else:
        await add_jobs(desk.rows.jobs, [Job(JobKind.ARCHIVE, 999)])
    job = await desk.job()
    assert await desk.archivist.run(job) == 0
    await desk.rows.jobs.release_all()
    assert await desk.rows.jobs.waiting() == (1 if chosen else 0)
    assert desk.encoder.texts == []
