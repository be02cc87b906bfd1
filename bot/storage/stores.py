"""All stores of one data folder, opened and closed together."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from bot.config import Settings
from bot.domain import ProcessRole, StoredCounts
from bot.errors import StorageError
from bot.ports import Erasures
from bot.storage.backups.journal import journalled
from bot.storage.backups.restoring import remove_leftovers
from bot.storage.care.characters import SqlCharacters
from bot.storage.care.checkins import SqlCheckIns
from bot.storage.conversation.backlog import SqlBacklog
from bot.storage.conversation.channels import SqlChannels
from bot.storage.conversation.inbox import SqlInbox
from bot.storage.conversation.jobs import SqlJobs
from bot.storage.conversation.leases import SqlClaims, SqlLeases
from bot.storage.conversation.outbox import SqlOutbox
from bot.storage.conversation.presence import SqlPresence
from bot.storage.conversation.sessions import SqlSessions
from bot.storage.conversation.shared_outbox import SqlSharedOutbox
from bot.storage.conversation.told import SqlTold
from bot.storage.conversation.usage import SqlUsage
from bot.storage.conversation.utterances import SqlUtterances
from bot.storage.engine.database import Database, open_database
from bot.storage.engine.lock import DataFolderLock
from bot.storage.engine.postgres import STILL_S
from bot.storage.engine.ringing import PostgresBell
from bot.storage.erasing.corrections import SqlCorrections
from bot.storage.erasing.disk import DataFolder
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.erasing.safety_reviews import SqlSafetyReviews
from bot.storage.memory.events import SqlEvents
from bot.storage.memory.graph import SqlGraph
from bot.storage.memory.passages import SqlPassages
from bot.storage.memory.shelf import SqlShelf
from bot.storage.memory.traits import SqlTraits
from bot.storage.privacy.confirmations import SqlConfirmations
from bot.storage.privacy.decisions import unname_all
from bot.storage.privacy.exports import SqlExports
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.privacy.privacies import SqlPrivacies
from bot.storage.shared import index_marks
from bot.storage.vectors.chroma import ChromaVectorIndex
from bot.storage.vectors.opening import open_index
from bot.storage.vectors.pgvector import PgVectorIndex, open_pgvector

INDEX_FOLDER = "index"

NEEDS_A_SERVER = (
    "--role {role} shares its database with other processes, which a SQLite file cannot do. Name a PostgreSQL server "
    "in storage.database_url (hello-again data move brings what is stored there), or leave --role out."
)


@dataclass(frozen=True, slots=True)
class Shared:
    """What processes have that share one database."""

    role: ProcessRole
    leases: SqlLeases
    claims: SqlClaims
    outbox: SqlSharedOutbox
    bell: PostgresBell


class Stores:
    """One implementation of each storage port, over one database and one vector index."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        index: ChromaVectorIndex | PgVectorIndex,
        stay_alone: Callable[[], Awaitable[None]],
        shared: Shared | None,
    ) -> None:
        """`shared`: None when this process is alone."""
        folder = settings.storage.data_dir
        self.index, self.shared = index, shared
        self.stay_alone = stay_alone
        """Run beside everything else, it sees that no other companion uses the database. Raises StorageError."""
        self.sessions = SqlSessions(database, timedelta(days=settings.care.answer_days))
        self.inbox = SqlInbox(database, self.sessions)
        self.outbox = SqlOutbox(database) if shared is None else shared.outbox
        self.events = SqlEvents(database)
        self.traits = SqlTraits(database)
        self.graph = SqlGraph(database)
        self.shelf = SqlShelf(database)
        self.passages = SqlPassages(database)
        self.jobs = SqlJobs(database)
        self.utterances = SqlUtterances(database, folder / INDEX_FOLDER)
        self.corrections = SqlCorrections(database, self.events, self.traits)
        self.channels = SqlChannels(database, self.events, self.traits)
        self.usage = SqlUsage(database)
        self.presence = SqlPresence(database)
        self.privacies = SqlPrivacies(database)
        self.identities = SqlIdentities(database)
        self.confirmations = SqlConfirmations(database)
        self.erasures: Erasures = SqlErasures(database, self.events, self.traits)
        self.safety_reviews = SqlSafetyReviews(database, self.events, self.traits)
        self.told = SqlTold(database, self.traits, self.events)
        self.exports = SqlExports(database)
        self.checkins = SqlCheckIns(database)
        self.characters = SqlCharacters(database)
        self.disk = DataFolder(folder, database, index.every_vector)
        self.backlog = SqlBacklog(database)


@asynccontextmanager
async def open_stores(
    settings: Settings, encoder: str, role: ProcessRole = ProcessRole.ALL, lock: DataFolderLock | None = None
) -> AsyncIterator[Stores]:
    """The stores of the configured data folder, which no other process may use meanwhile. Raises StorageError.

    `encoder`: the fingerprint of the one in use. `role`: a gateway and a worker share a server's database with others.
    `lock`: the folder's, where the caller holds it already.
    """
    alone, folder = role is ProcessRole.ALL, settings.storage.data_dir
    async with AsyncExitStack() as stack:
        stack.enter_context(lock or DataFolderLock(folder))
        remove_leftovers(folder)
        lease_s = settings.storage.lease_s
        database = await open_database(settings.database_url, STILL_S if alone else lease_s)
        stack.push_async_callback(database.aclose)
        if not (alone or database.on_server):
            raise StorageError(NEEDS_A_SERVER.format(role=role.value))
        watch = await stack.enter_async_context(database.alone(shared=not alone))
        async with database.writing() as connection:
            await unname_all(connection)
        limit = settings.storage.exact_search_limit
        index = (
            await open_pgvector(database, encoder)
            if database.on_server
            else await open_index(folder / INDEX_FOLDER, database, encoder, limit)
        )
        stack.push_async_callback(index.aclose)
        stores = Stores(settings, database, index, watch, None if alone else _shared(database, lease_s, role))
        stores.erasures = await journalled(stores.erasures, database, settings)
        yield stores


def _shared(database: Database, lease_s: float, role: ProcessRole) -> Shared:
    leases = SqlLeases(database, lease_s)
    return Shared(role, leases, SqlClaims(database, leases), SqlSharedOutbox(database), PostgresBell(database))


async def count_stored(settings: Settings) -> StoredCounts:
    """What is stored, without opening the index: also while the companion runs. Raises StorageError."""
    async with aclosing(await open_database(settings.database_url)) as database:
        return await SqlUtterances(database, settings.storage.data_dir / INDEX_FOLDER).counts()


async def forget_vectors(settings: Settings) -> None:
    """Marks every vector as missing, so that the next start makes them anew. Raises StorageError."""
    with DataFolderLock(settings.storage.data_dir):
        async with aclosing(await open_database(settings.database_url)) as database:
            await index_marks.start_afresh(database, "none")
