"""The gateways and workers of a rehearsal: begun from one nursery, killed, paused and stopped by their names."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from lab.evaluation.crowd import FOLDER


class Processes:
    """Those that were begun: their ids by name. `order`: what each of them is told, beside its role and its folder."""

    def __init__(self, nursery: asyncio.subprocess.Process, order: Mapping[str, Any], folder: Path) -> None:
        self._nursery = nursery
        self._order = order
        self._folder = folder
        self._ids: dict[str, int] = {}
        self._ordering = asyncio.Lock()
        self.paused: set[str] = set()

    @property
    def ids(self) -> Mapping[str, int]:
        """Of all that live, by name."""
        return self._ids

    @property
    def names(self) -> list[str]:
        """All that live and are not paused."""
        return sorted(self._ids.keys() - self.paused)

    async def begin(self, name: str) -> None:
        """Begins a gateway or a worker."""
        order = {**self._order, "role": name.partition("-")[0], "folder": str(self._folder / name)}
        stdin, stdout = self._nursery.stdin, self._nursery.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the nursery was begun without pipes")
        async with self._ordering:
            stdin.write(json.dumps(order).encode() + b"\n")
            self._ids[name] = int(await stdout.readline())

    async def kill(self, name: str) -> None:
        """Ends one at once, and waits until it has gone."""
        self.signal(name, signal.SIGKILL)
        await self._gone(self._ids.pop(name))

    def signal(self, name: str, number: signal.Signals) -> None:
        """Sends one a signal, if it lives."""
        if name in self._ids:
            with suppress(ProcessLookupError):
                os.kill(self._ids[name], number)

    async def watch(self) -> None:
        """Begins those anew that ended by themselves: at their start they need the server."""
        while True:
            await asyncio.sleep(0.5)
            for name in self.names:
                if name in self._ids and not _is_there(self._ids[name]):
                    del self._ids[name]  # so that nobody else begins it
                    await self.begin(name)

    async def stop(self, seconds: float = 20.0) -> list[str]:
        """Asks all to stop; those that had to be killed."""
        for name in self._ids:
            self.signal(name, signal.SIGCONT)
            self.signal(name, signal.SIGTERM)
        late: list[str] = []
        for name in [*self._ids]:
            try:
                async with asyncio.timeout(seconds):
                    await self._gone(self._ids[name])
            except TimeoutError:
                late.append(name)
                await self.kill(name)
        return late

    async def _gone(self, process: int) -> None:
        while _is_there(process):  # noqa: ASYNC110  another process's end
            await asyncio.sleep(0.02)


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@asynccontextmanager
async def processes(
    names: Sequence[str], order: Mapping[str, Any], folder: Path, modules: Sequence[str]
) -> AsyncIterator[Processes]:
    """Begins gateways and workers by their names, and ends them with the block. `modules`: what the nursery imports."""
    environment = os.environ | {FOLDER: str(folder), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    nursery = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "lab.evaluation.several_child", *modules,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=environment,
    )  # fmt: skip
    begun = Processes(nursery, order, folder)
    try:
        for name in names:
            await begun.begin(name)
        yield begun
    finally:
        await begun.stop()
        if nursery.stdin is not None:
            nursery.stdin.close()
        await nursery.wait()
