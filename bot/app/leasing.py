"""Work that one process at a time does, of those that share a database: for as long as it holds the lease."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import structlog

from bot.app.serving import awaited
from bot.conversation.elsewhere import Dispatch
from bot.domain import Lease
from bot.errors import LeaseLost, StorageError
from bot.ports import Adapter, Core, Leases, Messenger

_log = structlog.get_logger(__name__)


async def sole(leases: Leases, name: str, work: Callable[[], Awaitable[None]]) -> None:
    """Does `work` whenever nobody else does it, until it has ended here."""
    while not await _while_held(leases, await _claimed(leases, name), work):
        _log.warning("another process has taken over", work=name)


class LeasedAdapter:
    """An adapter that runs in one process at a time, and sends what waits for its platform meanwhile."""

    def __init__(self, adapter: Adapter, leases: Leases, dispatch: Dispatch) -> None:
        self._adapter = adapter
        self._leases = leases
        self._dispatch = dispatch
        self.platform = adapter.platform

    @property
    def messenger(self) -> Messenger:
        """How replies get to the platform."""
        return self._adapter.messenger

    async def run(self, core: Core) -> None:
        """Waits for its turn, and runs. Raises AdapterStopped."""
        await sole(self._leases, f"platform {self.platform}", lambda: self._serve(core))

    async def _serve(self, core: Core) -> None:
        # Owned by this method, which waits for both.
        adapter = asyncio.create_task(awaited(self._adapter.run(core)), name=f"adapter {self.platform}")
        # Owned by this method, which waits for both.
        dispatch = asyncio.create_task(self._dispatch.run(), name=f"what is sent to {self.platform}")
        await _first(adapter, dispatch)


async def _claimed(leases: Leases, name: str) -> Lease:
    """The lease, as soon as nobody has it."""
    while True:
        try:
            if found := await leases.claim([name]):
                return found[0]
        except StorageError as error:
            _log.error("a lease waits for the storage", lease=name, reason=str(error))
        await asyncio.sleep(leases.lease_s / 4)


async def _while_held(leases: Leases, lease: Lease, work: Callable[[], Awaitable[None]]) -> bool:
    """Does the work under the lease; False when that was lost before its end."""
    with leases.holding(lease):
        # Owned by this function, which waits for it.
        working = asyncio.create_task(awaited(work()), name=lease.name)
    # Owned by this function, which waits for it.
    keeping = asyncio.create_task(_kept(leases, lease), name=f"lease {lease.name}")
    try:
        await _first(working, keeping)
    except LeaseLost:
        return False
    finally:
        try:
            await leases.release([lease])
        except StorageError as error:
            _log.warning("a lease runs out, since it could not be released", reason=str(error))
    return not working.cancelled()


async def _kept(leases: Leases, lease: Lease) -> None:
    """Renews a lease. Raises LeaseLost when somebody has taken it over, or may have."""
    renewed, kept, reason = time.monotonic(), [lease], ""
    while kept:
        await asyncio.sleep(leases.lease_s / 4)
        begun = time.monotonic()
        try:
            kept = await leases.renew([lease])
            renewed = begun
        except StorageError as error:
            reason = str(error)
            if time.monotonic() - renewed > leases.lease_s:
                break
    raise LeaseLost(f"{lease.name} is another process's by now, or may be. {reason}")


async def _first(*tasks: asyncio.Task[None]) -> None:
    """Waits until one of the tasks ends, and ends the others. Raises what it raised."""
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    for task in done:
        task.result()
