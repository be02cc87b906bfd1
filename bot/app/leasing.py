"""Work that one process at a time does, of those that share a database: for as long as it holds the lease."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog

from bot.app.serving import PAUSES_S, awaited
from bot.conversation.elsewhere import Dispatch
from bot.domain import Lease, Place
from bot.errors import AdapterStopped, LeaseLost, PartStopped, StorageError
from bot.ports import Adapter, Core, Leases, Messenger, Part, Parted

BEGIN_S = 60.0
"""Seconds that a part of a platform has to connect; then this process takes another one all the same."""

_log = structlog.get_logger(__name__)


async def sole(leases: Leases, name: str, work: Callable[[], Awaitable[None]]) -> None:
    """Does `work` whenever nobody else does it, until it has ended here."""
    while not await _while_held(leases, await _claimed(leases, name), work):
        _log.warning("another process has taken over", work=name)


@dataclass(frozen=True, slots=True)
class _Running:
    """A part that is served here."""

    part: Part
    task: asyncio.Task[bool]
    since_s: float


@dataclass(eq=False, repr=False)
class LeasedAdapter:
    """An adapter whose platform, or each part of it, is served by one process at a time.

    Whoever serves a part sends what waits for it. A process takes one part after the other, so that others that begin
    at the same time get theirs, up to `most_parts`; it takes those of a process that died as soon as they run out, and
    none any more once `stop` is set. A part that fails leaves the others alone.
    """

    adapter: Adapter
    leases: Leases
    dispatch: Callable[[Part], Dispatch]
    stop: asyncio.Event
    _running: dict[str, _Running] = field(default_factory=dict, init=False)
    _resting: dict[str, float] = field(default_factory=dict, init=False)
    """Part → until when it is not taken here, by the monotonic clock; for ever, if the platform refuses it."""
    _failures: Counter[str] = field(default_factory=Counter, init=False)
    """Part → how often it has failed in a row, in a way that nobody foresaw."""

    def __post_init__(self) -> None:
        self.platform = self.adapter.platform

    @property
    def messenger(self) -> Messenger:
        """How replies get to the platform."""
        return self.adapter.messenger

    async def run(self, core: Core) -> None:
        """Takes parts and serves them, until one has ended by itself.

        Raises AdapterStopped when that concerns the whole platform, or all its parts, and what its only part raises.
        """
        parts, most = _parts(self.adapter, self.leases)
        whole = f"platform {self.platform}"
        by_lease = {f"{whole} {part.name}".rstrip(): part for part in parts}
        look_s = self.leases.lease_s / 4
        try:
            while not self._over(len(parts)):
                if not self.stop.is_set() and len(self._running) < most and all(map(_begun, self._running.values())):
                    await self._take(whole, by_lease, core)
                if tasks := [running.task for running in self._running.values()]:
                    await asyncio.wait(tasks, timeout=look_s, return_when=asyncio.FIRST_COMPLETED)
                else:
                    await asyncio.sleep(look_s)
        finally:
            await _ended(running.task for running in self._running.values())
            self._running.clear()
            self._resting.clear()

    async def _take(self, whole: str, parts: Mapping[str, Part], core: Core) -> None:
        """Serves one more part, if nobody has it."""
        resting = (name for name, until_s in self._resting.items() if until_s > time.monotonic())
        try:
            lease = await self.leases.claim_part(whole, [*parts], {*self._running, *resting})
        except StorageError as error:
            _log.error("a lease waits for the storage", lease=whole, reason=str(error))
            return
        if lease is not None and self.stop.is_set():
            await _released(self.leases, lease)
        elif lease is not None:
            part = parts[lease.name]
            _log.info("this process serves a platform now, or a part of it", work=lease.name)
            # Owned by `_running`, which the end of `run` ends and waits for.
            task = asyncio.create_task(
                _while_held(self.leases, lease, partial(self._serve, part, core)), name=f"adapter {lease.name}"
            )
            self._running[lease.name] = _Running(part, task, time.monotonic())

    async def _serve(self, part: Part, core: Core) -> None:
        if self.stop.is_set():
            return  # what is begun now would be cut off in the middle of what it sends
        # Owned by this method, which waits for both.
        adapter = asyncio.create_task(awaited(part.run(core)), name=f"adapter {self.platform} {part.name}")
        # Owned by this method, which waits for both.
        dispatch = asyncio.create_task(self.dispatch(part).run(), name=f"what is sent to {self.platform} {part.name}")
        await _first(adapter, dispatch)

    def _over(self, parts: int) -> bool:
        """Whether a part ended by itself; raises what concerns the whole. Forgets what failed or was taken over."""
        for name, running in [*self._running.items()]:
            if not running.task.done():
                continue
            del self._running[name]
            error = running.task.exception()
            if isinstance(error, PartStopped):
                _log.error("a part of a platform cannot be used", work=name, reason=str(error))
                self._resting[name] = math.inf
                if [*self._resting.values()].count(math.inf) == parts:
                    raise error
            elif isinstance(error, Exception) and not isinstance(error, AdapterStopped) and parts > 1:
                _log.error("a part of a platform failed and is begun again", work=name, fault=type(error).__name__)
                now, longest = time.monotonic(), len(PAUSES_S) - 1
                failures = 0 if now - running.since_s > PAUSES_S[-1] else self._failures[name]
                self._resting[name] = now + PAUSES_S[min(failures, longest)]
                self._failures[name] = failures + 1
            elif running.task.result():
                return True
            else:
                _log.warning("another process has taken over", work=name)
        return False


class _Whole:
    """A platform that has no parts."""

    name = ""
    ready = True

    def __init__(self, adapter: Adapter) -> None:
        self.run = adapter.run

    def holds(self, place: Place) -> bool:
        """All of it."""
        return True


def _parts(adapter: Adapter, leases: Leases) -> tuple[Sequence[Part], int]:
    """The parts of a platform, and how many of them one process serves at most."""
    return (adapter.parts(leases), adapter.most_parts) if isinstance(adapter, Parted) else ([_Whole(adapter)], 1)


def _begun(running: _Running) -> bool:
    """Whether a part is connected, or has had its time to get so."""
    return running.part.ready or time.monotonic() - running.since_s > BEGIN_S


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
        await _released(leases, lease)
    return not working.cancelled()


async def _released(leases: Leases, lease: Lease) -> None:
    """Gives a lease back, if the storage can; else it runs out."""
    try:
        await leases.release([lease])
    except StorageError as error:
        _log.warning("a lease runs out, since it could not be released", reason=str(error))


async def _kept(leases: Leases, lease: Lease) -> None:
    """Renews a lease. Raises LeaseLost when somebody has taken it over, or may have."""
    renewed, kept, reason = time.monotonic(), [lease], ""
    while kept:
        ends = renewed + leases.lease_s
        await asyncio.sleep(min(leases.lease_s / 4, max(0.0, ends - time.monotonic())))
        if (begun := time.monotonic()) >= ends:
            break
        try:
            async with asyncio.timeout(ends - begun):
                kept = await leases.renew([lease])
            renewed = begun
        except StorageError as error:
            reason = str(error)
        except TimeoutError:
            reason = reason or "The storage did not answer within the lease."
            break
    raise LeaseLost(f"{lease.name} is another process's by now, or may be. {reason}")


async def _first(*tasks: asyncio.Task[None]) -> None:
    """Waits until one of the tasks ends, and ends the others. Raises what it raised."""
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _ended(tasks)
    for task in done:
        task.result()


async def _ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels tasks, and waits for their end. Only then does it end itself where it is cancelled meanwhile."""
    ending, cancelled = {*tasks}, None
    for task in ending:
        task.cancel()
    while ending:
        try:
            _, ending = await asyncio.wait(ending)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
