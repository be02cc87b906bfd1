"""PostgreSQL's LISTEN and NOTIFY as a bell between processes."""

import asyncio
from collections import defaultdict
from typing import Any
from weakref import WeakSet

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import StorageError
from bot.storage.engine.database import Database

CHANNEL = "hello_again"
PAUSE_S = 1.0
"""Before a connection that was lost is made anew."""

_log = structlog.get_logger(__name__)


class RungEvent(asyncio.Event):
    """Implements `bot.ports.Listener`."""

    async def heard(self, seconds: float) -> None:
        """Waits for a ring."""
        try:
            async with asyncio.timeout(seconds):
                await self.wait()
        except TimeoutError:
            return
        self.clear()


class PostgresBell:
    """Implements `bot.ports.Bell`, on one connection of its own. Rings that come close together are one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: defaultdict[str, WeakSet[RungEvent]] = defaultdict(WeakSet)
        self._out: set[str] = set()
        self._wanted = asyncio.Event()

    async def run(self) -> None:
        """Rings and hears; without a server it goes on trying."""
        while True:
            try:
                await self._connected()
            except (StorageError, DBAPIError) as error:
                _log.warning("processes are not woken for now, and look by themselves", reason=type(error).__name__)
            await asyncio.sleep(PAUSE_S)

    def ring(self, topic: str, *, here: bool = False) -> None:
        self._wake(topic)
        if not here:
            self._out.add(topic)
            self._wanted.set()

    def listener(self, topic: str) -> RungEvent:
        """It is forgotten with its owner."""
        listener = RungEvent()
        self._listeners[topic].add(listener)
        return listener

    def _wake(self, topic: str) -> None:
        for listener in self._listeners[topic]:
            listener.set()

    async def _connected(self) -> None:
        async with self._database.listening() as connection:
            raw = await connection.get_raw_connection()
            driver: Any = raw.driver_connection
            lost = asyncio.Event()

            def ended(_connection: object) -> None:
                lost.set()
                self._wanted.set()

            driver.add_termination_listener(ended)
            await driver.add_listener(CHANNEL, lambda *heard: self._wake(heard[-1]))
            for topic in [*self._listeners]:
                self._wake(topic)  # what rang meanwhile was not heard
            while not lost.is_set():
                await self._wanted.wait()
                self._wanted.clear()
                await self._ring(connection)

    async def _ring(self, connection: AsyncConnection) -> None:
        while self._out:
            await connection.exec_driver_sql(f"SELECT pg_notify('{CHANNEL}', '{self._out.pop()}')")
