"""All stores of one data folder, opened and closed together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.config import Settings
from bot.domain import StoredCounts
from bot.ports import (
    Channels,
    Confirmations,
    Corrections,
    Disk,
    Erasures,
    Events,
    Exports,
    Identities,
    Inbox,
    Jobs,
    Outbox,
    Presence,
    Privacies,
    Sessions,
    Told,
    Traits,
    Usage,
    Utterances,
    VectorIndex,
)
from bot.storage import index_marks
from bot.storage.channels import SqlChannels
from bot.storage.confirmations import SqlConfirmations
from bot.storage.corrections import SqlCorrections
from bot.storage.database import open_database
from bot.storage.disk import DataFolder
from bot.storage.erasures import SqlErasures
from bot.storage.events import SqlEvents
from bot.storage.exports import SqlExports
from bot.storage.identities import SqlIdentities
from bot.storage.inbox import SqlInbox
from bot.storage.jobs import SqlJobs
from bot.storage.journal import journalled
from bot.storage.lock import DataFolderLock
from bot.storage.opening import open_index
from bot.storage.outbox import SqlOutbox
from bot.storage.presence import SqlPresence
from bot.storage.privacies import SqlPrivacies
from bot.storage.restoring import remove_leftovers
from bot.storage.sessions import SqlSessions
from bot.storage.told import SqlTold
from bot.storage.traits import SqlTraits
from bot.storage.usage import SqlUsage
from bot.storage.utterances import SqlUtterances

INDEX_FOLDER = "index"


@dataclass(frozen=True, slots=True)
class Stores:
    """One implementation of each storage port, over one database and one vector index."""

    inbox: Inbox
    sessions: Sessions
    outbox: Outbox
    events: Events
    traits: Traits
    jobs: Jobs
    utterances: Utterances
    corrections: Corrections
    channels: Channels
    usage: Usage
    presence: Presence
    privacies: Privacies
    identities: Identities
    confirmations: Confirmations
    erasures: Erasures
    told: Told
    exports: Exports
    disk: Disk
    index: VectorIndex


@asynccontextmanager
async def open_stores(settings: Settings, encoder_fingerprint: str) -> AsyncIterator[Stores]:
    """The stores of the configured data folder, which no other process may use meanwhile. Raises StorageError."""
    folder = settings.storage.data_dir
    async with AsyncExitStack() as stack:
        stack.enter_context(DataFolderLock(folder))
        remove_leftovers(folder)
        database = await open_database(settings.database_url)
        stack.push_async_callback(database.aclose)
        index = await open_index(
            folder / INDEX_FOLDER, database, encoder_fingerprint, settings.storage.exact_search_limit
        )
        stack.push_async_callback(index.aclose)
        events, traits = SqlEvents(database), SqlTraits(database)
        yield Stores(
            inbox=SqlInbox(database),
            sessions=SqlSessions(database),
            outbox=SqlOutbox(database),
            events=events,
            traits=traits,
            jobs=SqlJobs(database),
            utterances=SqlUtterances(database, folder / INDEX_FOLDER),
            corrections=SqlCorrections(database, events, traits),
            channels=SqlChannels(database, events, traits),
            usage=SqlUsage(database),
            presence=SqlPresence(database),
            privacies=SqlPrivacies(database),
            identities=SqlIdentities(database),
            confirmations=SqlConfirmations(database),
            erasures=await journalled(SqlErasures(database, events, traits), database, settings),
            told=SqlTold(database, traits, events),
            exports=SqlExports(database),
            disk=DataFolder(folder, database, index.every_vector),
            index=index,
        )


async def count_stored(settings: Settings) -> StoredCounts:
    """What is stored, without opening the index: also while the companion runs. Raises StorageError."""
    database = await open_database(settings.database_url)
    try:
        return await SqlUtterances(database, settings.storage.data_dir / INDEX_FOLDER).counts()
    finally:
        await database.aclose()


async def forget_vectors(settings: Settings) -> None:
    """Marks every vector as missing, so that the next start makes them anew. Raises StorageError."""
    with DataFolderLock(settings.storage.data_dir):
        database = await open_database(settings.database_url)
        try:
            await index_marks.start_afresh(database, "none")
        finally:
            await database.aclose()
