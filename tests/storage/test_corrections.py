"""Whatever is edited and erased, while whatever is being learnt: nothing is left of it, and nothing else is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import make_url, select, text

from bot.config import Background, Persona
from bot.conversation.put_right import as_put_right
from bot.domain import (
    Job,
    JobKind,
    Place,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Session,
    Speaker,
    Utterance,
)
from bot.indexing.indexing import Indexer
from bot.llm.scripted import ScriptedEncoder
from bot.persona.bank import Bank
from bot.persona.extract import Extractor
from bot.ports import Vectors
from bot.storage.engine.database import Database
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.shared.tables import metadata, sessions
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.living import FirstPersonGate, WordTopics, unheard
from tests.stored import ANN, ANNS_DM, BEN, HALL, START, Rows, event_of, reply_to

LEASE = timedelta(days=999)
BETA = timedelta(days=999)
WHERE = ((ANN, ANNS_DM), (ANN, HALL), (BEN, HALL))
TEXTS = (
    "I live in Leeds.",
    "I live in Oslo.",
    "I live in Bern.",
    "I have two dogs.",
    "I have three dogs.",
    "Good day.",
)

LEFT_BEHIND = [
    "SELECT 'broken reference', \"table\" FROM pragma_foreign_key_check",
    "SELECT kind, subject FROM jobs WHERE kind = 'traits' AND subject NOT IN (SELECT id FROM utterances)",
    "SELECT kind, subject FROM jobs WHERE kind = 'summarise' AND subject NOT IN (SELECT id FROM sessions)",
    "SELECT kind, memory_id FROM reply_memories WHERE kind = 'event' AND memory_id NOT IN (SELECT id FROM events)",
    "SELECT kind, memory_id FROM reply_memories WHERE kind = 'trait' AND memory_id NOT IN (SELECT id FROM traits)",
    "SELECT 'event of nothing', id FROM events WHERE id NOT IN (SELECT event_id FROM event_sources)",
    "SELECT 'trait of nothing', id FROM traits WHERE id NOT IN (SELECT trait_id FROM trait_sources)",
    "SELECT 'ended by nothing', id FROM traits WHERE (until IS NULL) <> (superseded_by IS NULL)",
    "SELECT 'empty session', id FROM sessions WHERE id NOT IN "
    "(SELECT session_id FROM utterances WHERE session_id IS NOT NULL)",
    "SELECT 'wrong last time', id FROM sessions WHERE last <> "
    "(SELECT MAX(time) FROM utterances WHERE session_id = sessions.id)",
    # What can be derived is derived, or its job is not done.
    "SELECT 'forgotten session', id FROM sessions WHERE state = 'closed' AND id NOT IN (SELECT session_id FROM events) "
    "AND id NOT IN (SELECT subject FROM jobs WHERE kind = 'summarise' AND state IN ('due', 'leased'))",
    "SELECT 'forgotten trait', id FROM utterances WHERE text LIKE 'I %' "
    "AND id NOT IN (SELECT utterance_id FROM trait_sources) "
    "AND id NOT IN (SELECT subject FROM jobs WHERE kind = 'traits' AND state IN ('due', 'leased'))",
]
"""Queries of two columns that should find nothing."""


class HeldEncoder(ScriptedEncoder):
    """Holds a call to `encode` until it is let go on: the `hold_at`-th one from now."""

    def __init__(self) -> None:
        super().__init__()
        self.hold_at = 0
        self.held = asyncio.Event()
        self.go_on = asyncio.Event()

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Encoder.encode`."""
        self.hold_at -= 1
        if self.hold_at == 0:
            self.held.set()
            await self.go_on.wait()
        return await super().encode(texts)


@dataclass
class World:
    """Conversations, and the background work on them, one job of which may be held in the middle."""

    rows: Rows
    said: list[Utterance] = field(default_factory=list)
    now: timedelta = timedelta(0)
    at_work: Callable[[], Awaitable[object]] | None = None
    """Ends the job that is held."""

    def __post_init__(self) -> None:
        self.erasures = SqlErasures(self.rows.database, self.rows.events, self.rows.traits)
        self.encoder, topics, persona = HeldEncoder(), WordTopics(), Persona()
        index = NumpyVectorIndex()
        self.bank = Bank(
            utterances=self.rows.utterances,
            traits=self.rows.traits,
            jobs=self.rows.jobs,
            extractor=Extractor(
                model=None,
                gate=FirstPersonGate(),
                encoder=self.encoder,
                topics=topics,
                persona=persona,
                deadline=Background().deadline,
            ),
            encoder=self.encoder,
            index=index,
            indexer=Indexer(
                events=self.rows.events,
                traits=self.rows.traits,
                passages=self.rows.passages,
                index=index,
                encoder=self.encoder,
            ),
            persona=persona,
            hear=unheard,
            withheld=lambda _said: False,
            telling=str,
            put_right=as_put_right,
        )

    async def say(self, where: tuple[Speaker, Place], words: str) -> None:
        """Something is said, and remembered."""
        speaker, place = where
        self.now += timedelta(minutes=1)
        said = await self.rows.accept(words, speaker=speaker, place=place, after=self.now)
        await self.rows.sessions.append(said, BETA, 10_000)
        await self.rows.inbox.remembered([said.id], [Job(JobKind.TRAITS, said.id)])
        self.said.append(said)

    async def reply(self, number: int) -> None:
        """The companion answers the last thing that was said, with all it knows, in one or two messages."""
        last = await self.rows.utterances.get([said.id for said in self.said[-1:]])
        if not last:
            return
        [said] = last
        events = await self.rows.events.readable_in(said.place)
        traits = await self.rows.traits.readable_in(said.place, [ANN.id, BEN.id])
        recalled = Recollection(
            tuple(RecalledEvent(event, 1, 1, 0, 1) for event in events),
            tuple(RecalledTrait(trait, 1) for trait in traits),
        )
        reply, jobs = reply_to(said, "Good."), [Job(JobKind.TRAITS, 0)]
        outgoing = await self.rows.outbox.commit(reply, [said.id], recalled, jobs)
        if outgoing is not None:
            for part in range(number):
                await self.rows.outbox.part_sent(outgoing.id, f"{outgoing.id}/{part}")

    async def close(self, place: Place) -> None:
        """A session ends."""
        await self.rows.sessions.close(place)

    async def edit(self, which: int, words: str) -> None:
        """Something that was said, perhaps erased since, is edited."""
        if self.said:
            await self.rows.corrections.edit("chat", self.said[which % len(self.said)].message_id, words)

    async def erase(self, which: set[int]) -> None:
        """Some of what was said is deleted, perhaps again, and then delivered once more."""
        chosen = [self.said[number % len(self.said)] for number in which if self.said]
        await self.erasures.erase_messages("chat", [said.message_id for said in chosen], START)
        for said in chosen:
            assert await self.rows.inbox.accept(said) is None

    async def erase_reply(self, number: int) -> None:
        """The first message of a reply is deleted."""
        await self.erasures.erase_messages("chat", [f"{number}/0"], START)

    async def begin(self, hold_at: int) -> None:
        """A job is begun, and held at the `hold_at`-th time that something is encoded."""
        if self.at_work is None and (job := await self.rows.jobs.claim(START, LEASE)) is not None:
            self.at_work = await (self._learn if job.kind is JobKind.TRAITS else self._summarise)(job, hold_at)

    async def finish(self) -> None:
        """The job that is held ends."""
        if self.at_work is not None:
            at_work, self.at_work = self.at_work, None
            await at_work()

    async def drain(self) -> None:
        """All jobs are done."""
        await self.finish()
        while True:
            await self.begin(0)
            if self.at_work is None:
                return
            await self.finish()

    async def _learn(self, job: Job, hold_at: int) -> Callable[[], Awaitable[object]]:
        self.encoder.hold_at = hold_at
        self.encoder.held.clear()
        self.encoder.go_on.clear()
        # Owned by `finish`, which every run of the test ends with.
        working = asyncio.create_task(self.bank.run(job), name="a job")
        held = asyncio.create_task(self.encoder.held.wait(), name="wait for it")
        await asyncio.wait({working, held}, return_when=asyncio.FIRST_COMPLETED)
        held.cancel()

        async def end() -> None:
            self.encoder.go_on.set()
            await working

        return end

    async def _summarise(self, job: Job, hold_at: int) -> Callable[[], Awaitable[object]]:
        session = await self.rows.sessions.get(job.subject)
        if session is None:
            return lambda: self.rows.jobs.done(job.id)
        return lambda: self.rows.events.add(event_of(session, summary_of(session)), job.id)

    async def check(self) -> None:
        """Nothing points to what is not there, nothing says what nobody says, and nothing is forgotten."""
        async with self.rows.database.reading() as connection:
            found = (await connection.execute(text(" UNION ALL ".join(LEFT_BEHIND)))).all()
            assert found == []
            words = {row.id: row.words for row in await connection.execute(select(sessions.c.id, sessions.c.words))}
        afresh = Rows(self.rows.database)
        for place in (ANNS_DM, HALL):
            events = await self.rows.events.readable_in(place)
            traits = await self.rows.traits.readable_in(place, [ANN.id, BEN.id])
            assert events == await afresh.events.readable_in(place)
            assert traits == await afresh.traits.readable_in(place, [ANN.id, BEN.id])
            for event in events:
                session = await self.rows.sessions.get(event.session_id)
                assert session is not None
                assert (event.sources, event.summary) == (event_of(session).sources, summary_of(session))
            for trait in traits:
                assert {said.text for said in await self.rows.utterances.get(trait.sources)} == {trait.text}
        for session_id, number in words.items():
            session = await self.rows.sessions.get(session_id)
            assert session is not None
            assert number == sum(len(said.text.split()) for said in session.utterances)

    async def known(self) -> set[tuple[str, str, str]]:
        """Speaker, place and text of all that is held true."""
        found: set[tuple[str, str, str]] = set()
        for speaker, place in WHERE:
            traits = await self.rows.traits.current(speaker.id, place)
            found |= {(speaker.id, place.key, trait.text) for trait in traits}
        return found

    async def left(self) -> list[Utterance]:
        """What people have said that has not been erased, as it reads now."""
        return await self.rows.utterances.get([said.id for said in self.said])


def summary_of(session: Session) -> str:
    return " ".join(said.text for said in session.utterances)


@asynccontextmanager
async def open_world() -> AsyncIterator[World]:
    """In memory, and without the migrations, which take longer than a whole conversation."""
    database = Database(make_url("sqlite+aiosqlite:///:memory:"))
    async with database.writing() as connection:
        await connection.run_sync(metadata.create_all)
    try:
        yield World(Rows(database))
    finally:
        await database.aclose()


async def live_through(steps: Sequence[tuple[str, tuple[object, ...]]]) -> None:
    async with open_world() as world, open_world() as as_if_never_said:
        for name, values in steps:
            await getattr(world, name)(*values)
        await world.finish()
        await world.check()
        await world.drain()
        await world.check()
        for said in await world.left():
            as_if_never_said.now = said.time - START - timedelta(minutes=1)
            await as_if_never_said.say((replace(said.speaker, number=0), said.place), said.text)
        await as_if_never_said.drain()
        assert await world.known() == await as_if_never_said.known()


NUMBER = st.integers(0, 9)
STEPS = st.one_of(
    st.tuples(st.just("say"), st.tuples(st.sampled_from(WHERE), st.sampled_from(TEXTS))),
    st.tuples(st.just("say"), st.tuples(st.sampled_from(WHERE), st.sampled_from(TEXTS))),
    st.tuples(st.just("reply"), st.tuples(st.integers(0, 2))),
    st.tuples(st.just("close"), st.tuples(st.sampled_from((ANNS_DM, HALL)))),
    st.tuples(st.just("begin"), st.tuples(st.integers(1, 2))),
    st.tuples(st.just("finish"), st.just(())),
    st.tuples(st.just("drain"), st.just(())),
    st.tuples(st.just("edit"), st.tuples(NUMBER, st.sampled_from(TEXTS))),
    st.tuples(st.just("erase"), st.tuples(st.sets(NUMBER, min_size=1, max_size=3))),
    st.tuples(st.just("erase_reply"), st.tuples(st.integers(1, 3))),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(STEPS, min_size=3, max_size=20))
def test_what_is_left_is_what_would_be_there_had_it_never_been_said(
    steps: list[tuple[str, tuple[object, ...]]],
) -> None:
    asyncio.run(live_through(steps))
