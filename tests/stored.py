"""Places, speakers and rows for the tests of the stores."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.domain import AGENT_ID, Event, Job, JobKind, Place, PlaceKind, Session, Speaker, Trait, Utterance
from bot.storage.care.characters import SqlCharacters
from bot.storage.care.checkins import SqlCheckIns
from bot.storage.conversation.channels import SqlChannels
from bot.storage.conversation.inbox import SqlInbox
from bot.storage.conversation.jobs import SqlJobs
from bot.storage.conversation.outbox import SqlOutbox
from bot.storage.conversation.presence import SqlPresence
from bot.storage.conversation.sessions import SqlSessions
from bot.storage.conversation.told import SqlTold
from bot.storage.conversation.usage import SqlUsage
from bot.storage.conversation.utterances import SqlUtterances
from bot.storage.engine.database import Database
from bot.storage.erasing.corrections import SqlCorrections
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.erasing.safety_reviews import SqlSafetyReviews
from bot.storage.memory.events import SqlEvents
from bot.storage.memory.graph import SqlGraph
from bot.storage.memory.passages import SqlPassages
from bot.storage.memory.shelf import SqlShelf
from bot.storage.memory.traits import SqlTraits
from bot.storage.privacy.confirmations import SqlConfirmations
from bot.storage.privacy.exports import SqlExports
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.privacy.privacies import SqlPrivacies
from tests.looking import add_jobs

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
BETA = timedelta(hours=1)
ANN = Speaker("chat:ann", "Ann")
BEN = Speaker("chat:ben", "Ben")
AGENT = Speaker(AGENT_ID, "Monica")
ANNS_DM = Place("chat", PlaceKind.DM, "ann")
BENS_DM = Place("chat", PlaceKind.DM, "ben")
HALL = Place("chat", PlaceKind.CHANNEL, "server/hall")
OTHER_HALL = Place("chat", PlaceKind.CHANNEL, "server/other")


@dataclass(frozen=True)
class Image:
    """A database in memory as it was at one moment, and how much `Rows` had said by then."""

    database: bytes
    said: int


@dataclass
class Rows:
    """All SQL stores of one database, and short ways to fill them."""

    database: Database

    def __post_init__(self) -> None:
        self.inbox = SqlInbox(self.database)
        self.sessions = SqlSessions(self.database)
        self.outbox = SqlOutbox(self.database)
        self.events = SqlEvents(self.database)
        self.traits = SqlTraits(self.database)
        self.passages = SqlPassages(self.database)
        self.jobs = SqlJobs(self.database)
        self.utterances = SqlUtterances(self.database)
        self.corrections = SqlCorrections(self.database, self.events, self.traits)
        self.channels = SqlChannels(self.database, self.events, self.traits)
        self.usage = SqlUsage(self.database)
        self.presence = SqlPresence(self.database)
        self.privacies = SqlPrivacies(self.database)
        self.identities = SqlIdentities(self.database)
        self.confirmations = SqlConfirmations(self.database)
        self.erasures = SqlErasures(self.database, self.events, self.traits)
        self.safety_reviews = SqlSafetyReviews(self.database, self.events, self.traits)
        self.told = SqlTold(self.database, self.traits, self.events)
        self.exports = SqlExports(self.database)
        self.graph = SqlGraph(self.database)
        self.shelf = SqlShelf(self.database)
        self.checkins = SqlCheckIns(self.database)
        self.characters = SqlCharacters(self.database)
        self._said = 0

    async def image(self) -> Image:
        """All that the database in memory holds, for others that are to begin with it."""
        images: list[bytes] = []
        await self._with_driver(lambda cursor: images.append(cursor.connection.serialize()))
        return Image(images[0], self._said)

    async def become(self, image: Image) -> None:
        """Has the database in memory hold what another held."""
        with closing(sqlite3.connect(":memory:", check_same_thread=False)) as source:
            source.deserialize(image.database)
            await self._with_driver(lambda cursor: source.backup(cursor.connection))
        self._said = image.said

    async def _with_driver(self, work: Callable[[sqlite3.Cursor], None]) -> None:
        """Outside of transactions."""
        async with self.database.engine.connect() as connection:
            driver: Any = (await connection.get_raw_connection()).dbapi_connection
            await driver.run(work)

    def utterance(
        self, text: str = "hello", *, speaker: Speaker = ANN, place: Place = ANNS_DM, after: timedelta = timedelta(0)
    ) -> Utterance:
        """A new message, not stored yet."""
        self._said += 1
        return Utterance(place, f"m{self._said}", speaker, text, START + after)

    async def accept(
        self, text: str = "hello", *, speaker: Speaker = ANN, place: Place = ANNS_DM, after: timedelta = timedelta(0)
    ) -> Utterance:
        """A new message in the inbox."""
        stored = await self.inbox.accept(self.utterance(text, speaker=speaker, place=place, after=after))
        assert stored is not None
        return stored

    async def converse(self, place: Place, speakers: Sequence[Speaker], after: timedelta = timedelta(0)) -> Session:
        """A closed session in which each of `speakers` said one thing."""
        for speaker in speakers:
            said = await self.accept("something", speaker=speaker, place=place, after=after)
            session = await self.sessions.append(said, BETA, 1000)
            await self.inbox.remembered([said.id])
        assert await self.sessions.close(place)
        return session

    async def event(self, session: Session, summary: str = "They met.", after: timedelta = timedelta(0)) -> Event:
        """The event of a session."""
        return await self.events.add(event_of(session, summary, after), job_id=0)

    async def trait(self, session: Session, speaker: Speaker, text: str = "I sing.") -> Trait:
        """A trait of `speaker` from what they said in a session."""
        [stored] = await self.traits.apply(await self.leased(), [trait_of(session, speaker, text)])
        return stored

    async def leased(self, kind: JobKind = JobKind.TRAITS) -> int:
        """The id of a new job that has been claimed."""
        self._said += 1
        await add_jobs(self.jobs, [Job(kind, 1_000_000 + self._said)])
        while (job := await self.jobs.claim(START, timedelta(minutes=5))) is not None:
            if job.subject == 1_000_000 + self._said:
                return job.id
        raise AssertionError("the job could not be claimed")


def event_of(session: Session, summary: str = "They met.", after: timedelta = timedelta(0)) -> Event:
    """An event of all that was said in a session, not stored yet."""
    return Event(
        place=session.place,
        session_id=session.id,
        summary=summary,
        topics=frozenset({"dog", "museum"}),
        time=START + after,
        speakers=frozenset(said.speaker.id for said in session.utterances),
        sources=tuple(said.id for said in session.utterances),
    )


def trait_of(session: Session, speaker: Speaker, text: str = "I sing.") -> Trait:
    """A trait of `speaker` from what they said in a session, not stored yet."""
    sources = tuple(said.id for said in session.utterances if said.speaker.id == speaker.id)
    return Trait(speaker.id, session.place, text, START, sources)


def reply_to(said: Utterance, text: str = "hi") -> Utterance:
    """The companion's answer to a stored message, not stored yet."""
    time = said.time + timedelta(seconds=2)
    return Utterance(said.place, f"reply:{said.id}", AGENT, text, time, to_bot=False, reply_to=said.message_id)
