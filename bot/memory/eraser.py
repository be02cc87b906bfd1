"""Erases for good: rows at once, vectors right after, and then every file that may still hold something of it.

What goes along with what is erased, and what is derived anew, is said in `bot/storage/shared/closure.py` and done in
one transaction. From then on nothing of it is recalled or shown. The files follow: one piece of work for all erasures
that wait, because it goes over the whole data folder. It is a row until it is done, so a process that is killed leaves
it to the next one. At its end the files are searched for what went, and the receipt says in how many places it was
found; that erasure is tried again with the next ones, and by the next process. The next process does not know the words
any more, and the receipt then says that nobody could look for them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import structlog

from bot.config import PrivacySettings
from bot.domain import Erased, ErasureReason, Receipt, Scope, Selection, Utterance, grouped
from bot.errors import IndexUnusable, StorageError
from bot.indexing.indexing import Indexer
from bot.ports import Clock, Disk, Erasures, VectorIndex, Vectors

PAUSE_S = 60.0
"""Seconds before files that could not be rewritten are tried again."""

TRIES = 2
"""How often the files are rewritten when something is found in them."""

Chosen = Sequence[tuple[Scope, tuple[int, ...]]]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Traces:
    """What of one erasure is looked for in the files. Never written anywhere."""

    texts: frozenset[str]
    vectors: Vectors
    """Shape (n, dimension)."""


NO_TRACES = _Traces(frozenset(), np.zeros((0, 0), dtype=np.float32))


@dataclass(kw_only=True, eq=False, repr=False)
class Eraser:
    """Erases selections. `run` does the work on the files from time to time; `complete` does it now.

    Close with `aclose`.
    """

    erasures: Erasures
    indexer: Indexer
    index: VectorIndex
    disk: Disk
    clock: Clock
    settings: PrivacySettings
    on_erased: Callable[[Sequence[Utterance]], Awaitable[None]]
    """Is told which utterances went."""
    wake: Callable[[], None]
    """Is told that there are jobs."""
    _traces: dict[int, _Traces] = field(init=False, default_factory=dict)
    """Of erasures of this process that are unfinished, by id."""
    _erasing: int = field(init=False, default=0)
    """How many erasures are under way: their rows may be there before their traces are."""
    _due: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    _cleaning: asyncio.Task[bool] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._due.set()  # a process before this one may have left something

    async def erase(
        self, selection: Selection, reason: ErasureReason, subject: str | None = None, confirmation: str = ""
    ) -> Erased:
        """Erases from tables and index with all that comes from it, and has the files follow. Raises StorageError.

        `subject`: the speaker id of whoever may look the receipt up. `confirmation`: the token of the question that
        they answer by this; the id is 0, and nothing is erased, when that is not theirs to confirm any more.
        """
        with self.erasing():
            erased = await self.erasures.erase(selection, reason, self.clock.now(), subject, confirmation)
            await self.follow(erased)
        return erased

    async def erase_messages(self, platform: str, message_ids: Sequence[str]) -> Erased:
        """The same for what was deleted on its platform; what is not stored yet is never stored then."""
        with self.erasing():
            erased = await self.erasures.erase_messages(platform, message_ids, self.clock.now())
            await self.follow(erased)
        return erased

    @contextmanager
    def erasing(self) -> Iterator[None]:
        """Something is erased here, and then told to `follow`: nobody says before that its words are not known."""
        self._erasing += 1
        try:
            yield
        finally:
            self._erasing -= 1

    async def follow(self, erased: Erased) -> None:
        """Removes the vectors of what was erased, has the files follow where it has an id, and says what went.

        No search finds it from here on. Call it within `erasing`.
        """
        if erased.erasure_id:  # the words at once: what is cleaned meanwhile is looked through for them
            self._traces[erased.erasure_id] = _Traces(frozenset(erased.texts), NO_TRACES.vectors)
        vectors = await self._take_vectors(erased.vectors)
        if erased.erasure_id:
            self._traces[erased.erasure_id] = _Traces(frozenset(erased.texts), vectors)
            self._due.set()
        self.wake()
        await self.on_erased(erased.utterances)

    async def run(self) -> None:
        """Has the files follow each erasure, a while after it so that others can join it, until cancelled."""
        while True:
            await self._due.wait()
            await asyncio.sleep(self.settings.erase_after_s)
            if not await asyncio.shield(self._clean_soon()):
                await asyncio.sleep(PAUSE_S)

    async def complete(self, erasure_id: int, timeout_s: float) -> Receipt | None:
        """The receipt, as soon as the files are clean; None when that takes longer or fails: it is done later then."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    receipt = await self.erasures.receipt(erasure_id)
                    if receipt is None or receipt.done is not None:
                        return receipt
                    if not await asyncio.shield(self._clean_soon()):
                        return None
        except TimeoutError:
            return None

    async def take_up(self) -> None:
        """Does what was confirmed and finishes what an earlier process left, before anything else is done.

        Its words are not known any more: the tables and all files are written anew from what is there, which holds
        nothing of them, and only the index can be asked for what went, by the ids of the vectors.
        """
        for one in await self.erasures.confirmed():
            await self.erase(one.selection, one.reason, one.subject, one.token)
        if await self.erasures.unfinished():
            await asyncio.shield(self._clean_soon())

    async def aclose(self) -> None:
        """Waits for the work on the files that is under way. What waits is done by the next process."""
        if self._cleaning is not None:
            await asyncio.wait({self._cleaning})

    async def _take_vectors(self, chosen: Chosen) -> Vectors:
        """Removes these vectors from the index, and returns them: shape (n, dimension)."""
        taken: list[Vectors] = []
        for scope, ids in chosen:
            try:
                taken.append(await self.index.get(scope, ids))
                await self.indexer.remove(scope, ids)
            except IndexUnusable as error:
                _log.error("vectors of what was erased are removed later", reason=str(error))
        return _stacked(taken)

    def _clean_soon(self) -> asyncio.Task[bool]:
        """The work on the files: what is under way, or a new piece of it.

        A task of its own, which outlives whoever waits for it: half of the work is of no use. `aclose` waits for it.
        """
        if self._cleaning is None or self._cleaning.done():
            # Owned by `aclose`, which waits for it.
            self._cleaning = asyncio.create_task(self._clean(), name="clean the files after erasures")
        return self._cleaning

    async def _clean(self) -> bool:
        """Has the files follow all erasures that are unfinished now; False when they could not be rewritten."""
        self._due.clear()
        clean = False
        try:
            unfinished = dict(await self.erasures.unfinished())
            # While something is being erased, what is not known may be known in a moment.
            now = {key: chosen for key, chosen in unfinished.items() if key in self._traces or not self._erasing}
            if now:
                await self._clean_after(now)
            clean = True
            if len(now) < len(unfinished):
                self._due.set()
        except StorageError as error:
            _log.error("what was erased may still be in the files; they are rewritten later", reason=str(error))
        finally:
            if not clean:
                self._due.set()
        return clean

    async def _clean_after(self, unfinished: Mapping[int, Chosen]) -> None:
        chosen = _merged(unfinished.values())
        traces = {key: self._traces.get(key, NO_TRACES) for key in unfinished}
        joined = _joined(traces.values())
        found = 0
        for _ in range(TRIES):
            await self._rewrite(chosen)
            found = await self._look_for(joined, chosen)
            if not found:
                break
        for erasure_id, theirs in unfinished.items():
            left = await self._look_for(traces[erasure_id], theirs) if found else 0
            known = erasure_id in self._traces
            await self.erasures.finish(erasure_id, left if left or known else None, self.clock.now())
            if not left:
                self._traces.pop(erasure_id, None)
        if found:
            _log.error("something of what was erased was found in the files", places=found)
        _log.info("the files were rewritten after erasures", erasures=len(unfinished), found=found)

    async def _rewrite(self, chosen: Chosen) -> None:
        """Writes index and tables anew, at the same time; both have ended when this raises StorageError."""
        done = await asyncio.gather(self.indexer.expunge(chosen), self.disk.rewrite(), return_exceptions=True)
        for problem in done:
            if isinstance(problem, BaseException):
                raise problem

    async def _look_for(self, traces: _Traces, chosen: Chosen) -> int:
        """In how many places of the index and the files something of it is.

        Words that stand in a row are passed over: in the rows that went they cannot, and what somebody has said again
        since then is not of this erasure.
        """
        found = sum([len(await self.index.get(scope, ids)) for scope, ids in chosen])
        if traces.texts or len(traces.vectors):
            found += len(await self.disk.look_for(sorted(traces.texts), traces.vectors))
        return found


def _merged(unfinished: Iterable[Chosen]) -> list[tuple[Scope, tuple[int, ...]]]:
    """All vectors that had to go, each scope once."""
    found = grouped((scope, key) for chosen in unfinished for scope, ids in chosen for key in ids)
    return [(scope, tuple(sorted({*ids}))) for scope, ids in sorted(found.items())]


def _joined(traces: Iterable[_Traces]) -> _Traces:
    every = list(traces)
    texts = frozenset(text for one in every for text in one.texts)
    return _Traces(texts, _stacked([one.vectors for one in every]))


def _stacked(vectors: Iterable[Vectors]) -> Vectors:
    """All of these vectors in one array."""
    there = [some for some in vectors if len(some)]
    return np.concatenate(there) if there else NO_TRACES.vectors
