"""Whatever is erased of whatever was said: all that was made with it in view goes, and nothing else does."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Row, Table, make_url, select, text

from bot.domain import (
    AGENT_ID,
    Erased,
    ErasureReason,
    Place,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Selection,
    Speaker,
    Trait,
    Utterance,
)
from bot.storage.engine.database import Database
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.shared.privacy_tables import reply_sources
from bot.storage.shared.tables import (
    answers,
    event_sources,
    events,
    metadata,
    outbox,
    outbox_parts,
    reply_memories,
    sessions,
    trait_sources,
    traits,
    utterances,
)
from tests.looking import open_session
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BETA, HALL, START, Rows, event_of, reply_to

WHERE = ((ANN, ANNS_DM), (ANN, HALL), (BEN, HALL))
MINUTE = timedelta(minutes=1)

BROKEN = [
    "SELECT 'broken reference', \"table\" FROM pragma_foreign_key_check",
    "SELECT 'job', subject FROM jobs WHERE kind = 'traits' AND subject NOT IN (SELECT id FROM utterances) "
    "AND subject < 1000000",
    "SELECT 'job', subject FROM jobs WHERE kind = 'summarise' AND subject NOT IN (SELECT id FROM sessions)",
    "SELECT kind, memory_id FROM reply_memories WHERE kind = 'event' AND memory_id NOT IN (SELECT id FROM events)",
    "SELECT kind, memory_id FROM reply_memories WHERE kind = 'trait' AND memory_id NOT IN (SELECT id FROM traits)",
    "SELECT 'ended by nothing', id FROM traits WHERE (until IS NULL) <> (superseded_by IS NULL)",
    "SELECT 'empty session', id FROM sessions WHERE id NOT IN "
    "(SELECT session_id FROM utterances WHERE session_id IS NOT NULL)",
    "SELECT 'wrong times', id FROM sessions WHERE last <> (SELECT MAX(time) FROM utterances WHERE session_id = "
    "sessions.id) OR started <> (SELECT MIN(time) FROM utterances WHERE session_id = sessions.id)",
    "SELECT 'forgotten session', id FROM sessions WHERE state = 'closed' AND id NOT IN (SELECT session_id FROM events) "
    "AND id NOT IN (SELECT subject FROM jobs WHERE kind = 'summarise' AND state IN ('due', 'leased'))",
]
"""Queries of two columns that should find nothing."""


@dataclass
class World:
    """Conversations with memories, some of which were used in others."""

    rows: Rows
    now: timedelta = timedelta(0)
    said: list[Utterance] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.erasures = SqlErasures(self.rows.database, self.rows.events, self.rows.traits)

    async def say(self, where: tuple[Speaker, Place], link: int | None) -> None:
        """Something is said, perhaps in reply to something said before or to a part of a reply."""
        speaker, place = where
        self.now += MINUTE
        new = self.rows.utterance(f"words {len(self.said)}", speaker=speaker, place=place, after=self.now)
        before = [said.message_id for said in self.said if said.place == place] + ["part-1", "part-2"]
        if link is not None:
            new = replace(new, reply_to=before[link % len(before)])
        stored = await self.rows.inbox.accept(new)
        assert stored is not None
        await self.rows.sessions.append(stored, BETA, 10_000)
        await self.rows.inbox.remembered([stored.id])
        self.said.append(stored)

    async def reply(self, number: int, use: int, lines: int) -> None:
        """The companion answers the last `number` things that were said in a place, with some memories in mind.

        It is shown every second of the last `lines` lines there, of whatever session, and what these reply to.
        """
        if not self.said:
            return
        last = self.said[-1]
        chosen = [said.id for said in self.said[-number:] if said.place == last.place]
        recalled = Recollection(
            tuple(
                RecalledEvent(event, 1, 1, 0, 1)
                for event in await self.rows.events.readable_in(last.place)
                if event.id % 3 == use
            ),
            tuple(
                RecalledTrait(trait, 1)
                for trait in await self.rows.traits.readable_in(last.place, [ANN.id, BEN.id])
                if trait.id % 3 == use
            ),
        )
        self.now += MINUTE
        reply = replace(reply_to(last, f"reply {len(self.said)}"), time=START + self.now)
        seen = (await self.rows.utterances.recent(last.place, 20))[-lines::2] if lines else []
        links = await self.rows.utterances.by_message("chat", [line.reply_to for line in seen if line.reply_to])
        shown = {line.id: line.text for line in (*seen, *links.values())}
        outgoing = await self.rows.outbox.commit(reply, chosen, recalled, [], shown)
        if outgoing is not None:
            await self.rows.outbox.part_sent(outgoing.id, f"part-{outgoing.id}")

    async def recite(self, place: Place) -> None:
        """Something that the companion said in a conversation read from a file: it went through no outbox."""
        self.now += MINUTE
        said = await self.rows.accept(f"recited {self.now}", speaker=AGENT, place=place, after=self.now)
        await self.rows.sessions.append(said, BETA, 10_000)
        await self.rows.inbox.remembered([said.id])

    async def end(self, place: Place, *, summarised: bool, gap: bool) -> None:
        """A session ends, and has an event or not; the next may begin at once or much later."""
        session = await open_session(self.rows.sessions, place)
        if session is None or not await self.rows.sessions.close(place):
            return
        if summarised:
            await self.rows.event(session, f"summary {session.id}", self.now)
            await self.rows.jobs.done(await self._job(session.id))
        self.now += 2 * BETA if gap else MINUTE

    async def learn(self, which: int, ends: bool, again: bool) -> None:
        """A trait of something said, which may end the current ones, or say one of them again."""
        if not self.said:
            return
        source = self.said[which % len(self.said)]
        current = await self.rows.traits.current(source.speaker.id, source.place)
        job = await self.rows.leased()
        if again and current:
            await self.rows.traits.apply(job, refreshed=[(current[-1].id, source.time, (source.id,))])
            return
        new = Trait(source.speaker.id, source.place, f"trait {self.now}", source.time, (source.id,))
        ended = [(old.id, 0, source.time) for old in current] if ends else []
        await self.rows.traits.apply(job, [new], superseded=ended)

    async def erase(self, which: set[int]) -> Erased:
        """Some of all that is stored goes."""
        ids = await self.ids()
        chosen = tuple(ids[number % len(ids)] for number in which if ids)
        return await self.erasures.erase(Selection(utterances=chosen), ErasureReason.ASKED, START)

    async def ids(self) -> list[int]:
        return sorted((await self.snapshot()).rows["utterances"])

    async def snapshot(self) -> "Snapshot":
        """All rows that the closure is about."""
        async with self.rows.database.reading() as connection:

            async def read(table: Table) -> Sequence[Row[Any]]:
                return (await connection.execute(select(table))).all()

            by_id = {table.name: {row.id: row for row in await read(table)} for table in (utterances, events, traits)}
            return Snapshot(
                rows=by_id,
                answers={(row.utterance_id, row.reply_id) for row in await read(answers)},
                used={(row.reply_id, row.kind, row.memory_id) for row in await read(reply_memories)},
                event_sources={(row.event_id, row.utterance_id) for row in await read(event_sources)},
                trait_sources={(row.trait_id, row.utterance_id) for row in await read(trait_sources)},
                shown={(row.utterance_id, row.reply_id) for row in await read(reply_sources)},
                parts={
                    row.platform_message_id: row.utterance_id
                    for row in await connection.execute(
                        select(outbox_parts.c.platform_message_id, outbox.c.utterance_id).join(outbox)
                    )
                },
                sent={row.utterance_id for row in await read(outbox)},
            )

    async def _job(self, session_id: int) -> int:
        while (job := await self.rows.jobs.claim(START, 999 * BETA)) is not None:
            if job.subject == session_id:
                return job.id
        raise AssertionError("no job for the session")


@dataclass
class Snapshot:
    """What is stored, and what of it was made with what in view, said plainly: slow, and easy to check."""

    rows: dict[str, dict[int, Row[Any]]]
    answers: set[tuple[int, int]]
    used: set[tuple[int, str, int]]
    event_sources: set[tuple[int, int]]
    trait_sources: set[tuple[int, int]]
    shown: set[tuple[int, int]]
    sent: set[int]
    parts: dict[str | None, int]

    def in_view(self, reply: Row[Any]) -> set[int]:
        """The utterances that were shown when this one was made, as far as is known."""
        noted = {line for line, key in self.answers | self.shown if key == reply.id}
        if reply.id in self.sent or reply.session_id is None:
            return noted
        session = (line for line in self.rows["utterances"].values() if line.session_id == reply.session_id)
        return noted | {line.id for line in session if line.position < reply.position}

    def closure(self, chosen: set[int]) -> tuple[set[int], set[int], set[int]]:
        """Utterances, events and traits that go."""
        learnt = self.rows["traits"]
        views = {
            line.id: self.in_view(line) for line in self.rows["utterances"].values() if line.speaker_id == AGENT_ID
        }
        gone, unchained = ({*chosen}, set[int](), set[int]()), set[int]()
        while True:
            before = [len(some) for some in gone]
            gone[1].update(event for event, source in self.event_sources if source in gone[0])
            gone[2].update(trait for trait, source in self.trait_sources if source in gone[0])
            memories = {"event": gone[1], "trait": gone[2]}
            gone[0].update(reply for reply, kind, key in self.used if key in memories[kind])
            gone[0].update(reply for reply, view in views.items() if view & gone[0])
            if before != [len(some) for some in gone]:
                continue
            ended = {trait.superseded_by for trait in learnt.values() if trait.id not in gone[2]}
            middle = [learnt[key] for key in gone[2] if key in ended and key not in unchained]
            last = {trait.superseded_by for trait in middle if trait.superseded_by} - gone[2]
            if not last:
                return gone
            gone[2].update(last)
            unchained |= last


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


def columns(rows: dict[int, Row[Any]], changing: Sequence[str]) -> dict[int, dict[str, Any]]:
    """The same rows without columns that may change."""
    return {
        key: {name: value for name, value in row._mapping.items() if name not in changing} for key, row in rows.items()
    }


async def live_through(steps: Sequence[tuple[str, dict[str, Any]]], which: set[int]) -> None:
    async with open_world() as world:
        for name, values in steps:
            await getattr(world, name)(**values)
        before, ids = await world.snapshot(), await world.ids()
        chosen = {ids[number % len(ids)] for number in which if ids}
        said, events_gone, traits_gone = before.closure(chosen)
        events_before = await order(world)
        preview = await world.erasures.preview(Selection(utterances=tuple(chosen)))
        erased = await world.erase(which)
        after = await world.snapshot()
        # What is in view of what goes is gone; the rest is as it was.
        for name, gone in (("utterances", said), ("events", events_gone), ("traits", traits_gone)):
            changing = {"traits": ("until", "superseded_by"), "utterances": ("reply_to",)}.get(name, ())
            left = {key: row for key, row in before.rows[name].items() if key not in gone}
            assert columns(after.rows[name], changing) == columns(left, changing)
        names = {before.rows["utterances"][key].message_id for key in said}
        for key, row in after.rows["utterances"].items():
            link = before.rows["utterances"][key].reply_to
            assert row.reply_to == (None if link in names or before.parts.get(link) in said else link)
        for key, row in after.rows["traits"].items():
            ended_by = before.rows["traits"][key].superseded_by
            assert row.superseded_by == (None if ended_by in traits_gone else ended_by)
        assert {utterance.id for utterance in erased.utterances} == said
        assert preview.utterances + preview.replies == len(said)
        assert ({*preview.events}, {*preview.traits}) == (events_gone, traits_gone)
        assert [key for key in events_before if key not in events_gone] == await order(world)
        await check(world)


async def order(world: World) -> list[int]:
    """The timeline of both places."""
    return [event.id for place in (ANNS_DM, HALL) for event in await world.rows.events.readable_in(place)]


async def check(world: World) -> None:
    """Nothing points to what is not there, and nothing that can be derived anew is forgotten."""
    async with world.rows.database.reading() as connection:
        assert (await connection.execute(text(" UNION ALL ".join(BROKEN)))).all() == []
        words = {row.id: row.words for row in await connection.execute(select(sessions.c.id, sessions.c.words))}
    for session_id, number in words.items():
        session = await world.rows.sessions.get(session_id)
        assert session is not None
        assert number == sum(len(said.text.split()) for said in session.utterances)


NUMBER = st.integers(0, 20)
PLACES = st.sampled_from((ANNS_DM, HALL))
SAY = st.tuples(
    st.just("say"),
    st.fixed_dictionaries({"where": st.sampled_from(WHERE), "link": st.none() | st.none() | NUMBER}),
)
REPLY = st.fixed_dictionaries({"number": st.integers(1, 2), "use": st.integers(0, 2), "lines": st.integers(0, 6)})
STEPS = st.one_of(
    SAY,
    SAY,
    st.tuples(st.just("reply"), REPLY),
    st.tuples(st.just("recite"), st.fixed_dictionaries({"place": PLACES})),
    st.tuples(
        st.just("end"), st.fixed_dictionaries({"place": PLACES, "summarised": st.booleans(), "gap": st.booleans()})
    ),
    st.tuples(
        st.just("learn"), st.fixed_dictionaries({"which": NUMBER, "ends": st.booleans(), "again": st.booleans()})
    ),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(STEPS, min_size=5, max_size=20), st.sets(NUMBER, min_size=1, max_size=3))
def test_all_that_was_made_with_it_in_view_goes_and_nothing_else(
    steps: list[tuple[str, dict[str, Any]]], which: set[int]
) -> None:
    asyncio.run(live_through(steps, which))


async def test_a_long_chain_of_memories_used_in_other_sessions_goes_to_its_end() -> None:
    async with open_world() as world:
        for number in range(10):
            await world.say(WHERE[0], None)
            known = await world.rows.events.readable_in(ANNS_DM)
            recalled = Recollection(tuple(RecalledEvent(event, 1, 1, 0, 1) for event in known[-1:]))
            await world.rows.outbox.commit(reply_to(world.said[-1]), [world.said[-1].id], recalled, [])
            await world.end(ANNS_DM, summarised=True, gap=True)
            assert len(await world.rows.events.readable_in(ANNS_DM)) == number + 1
        erased = await world.erase({0})
        assert len(erased.utterances) == 11  # the first line, and the reply of every session
        assert await world.rows.events.readable_in(ANNS_DM) == []
        assert len(await world.rows.utterances.recent(ANNS_DM, 100)) == 9
        await check(world)


async def test_the_event_of_a_session_of_which_nothing_stays_goes_though_it_names_no_source() -> None:
    async with open_world() as world:
        session = await world.rows.converse(HALL, [ANN])
        await world.rows.events.add(replace(event_of(session), sources=()), job_id=0)
        await world.erase({0})
        assert await world.rows.events.readable_in(HALL) == []
        await check(world)
