"""What is erased is gone from tables, index and files, also when something goes wrong on the way."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.clock import ManualClock
from bot.config import PrivacySettings, load_settings
from bot.domain import (
    Erased,
    ErasureReason,
    Event,
    Finding,
    Receipt,
    Scope,
    Selection,
    Utterance,
    VectorKind,
)
from bot.errors import IndexUnusable, StorageError
from bot.indexing.indexing import Indexer
from bot.llm.scripted import ScriptedEncoder
from bot.memory import eraser as module
from bot.memory.eraser import Eraser
from bot.ports import Disk, VectorIndex, Vectors
from bot.storage.erasing.erasures import note
from bot.storage.erasing.removal import Removed
from bot.storage.shared.tables import events, utterances
from bot.storage.stores import Stores, open_stores
from tests.looking import vectors_in
from tests.memory.cleaning import clean_now
from tests.stored import ANN, ANNS_DM, BEN, HALL, START

SECRET = "The combination is seventeen left, four right."
SUMMARY = "Ann told the combination of the safe behind the mirror."
WAIT_S = 30.0


@dataclass
class Faulty:
    """The files, with failures: the next calls raise, or find something."""

    files: Disk
    fail: list[StorageError] = field(default_factory=list)
    findings: list[list[Finding]] = field(default_factory=list)
    rewritten: int = 0
    looked_for: list[tuple[Sequence[str], int]] = field(default_factory=list)
    held: Callable[[], Awaitable[object]] | None = None

    async def rewrite(self) -> None:
        self.rewritten += 1
        if self.held is not None:
            await self.held()
        if self.fail:
            raise self.fail.pop(0)
        await self.files.rewrite()

    async def look_for(self, texts: Sequence[str], vectors: Vectors) -> list[Finding]:
        self.looked_for.append((texts, len(vectors)))
        if self.findings:
            return self.findings.pop(0)
        return await self.files.look_for(texts, vectors)


@dataclass
class House:
    """Stores in a folder, and what erases from them."""

    folder: Path
    stores: Stores
    disk: Faulty
    eraser: Eraser
    told: list[Utterance]
    woken: list[bool]
    indexer: Indexer
    number: int = 0

    async def say(self, text: str = SECRET) -> Utterance:
        """Ann says something in the hall, beside Ben; it becomes an event with a vector."""
        self.number += 1
        words = [(ANN, text), (BEN, f"And I said this, number {self.number}.")]
        said = []
        for speaker, line in words:
            message = f"{speaker.name}-{self.number}"
            stored = await self.stores.inbox.accept(Utterance(HALL, message, speaker, line, START))
            assert stored is not None
            session = await self.stores.sessions.append(stored, 999 * START.resolution * 10**9, 1000)
            await self.stores.inbox.remembered([stored.id])
            said.append(session.utterances[-1])
        assert await self.stores.sessions.close(HALL)
        people = frozenset({ANN.id, BEN.id})
        sources = tuple(line.id for line in said)
        summary = f"{SUMMARY} ({self.number})"
        event = Event(HALL, said[0].session_id, summary, frozenset({"mirror"}), START, people, sources)
        await self.stores.events.add(event, job_id=0)
        await self.indexer.catch_up()
        return said[0]

    async def erase(self, *said: Utterance, subject: str | None = None) -> Erased:
        return await self.eraser.erase(
            Selection(utterances=tuple(one.id for one in said)), ErasureReason.ASKED, subject
        )

    async def complete(self, erased: Erased) -> Receipt | None:
        return await self.eraser.complete(erased.erasure_id, WAIT_S)

    def found(self, text: str) -> list[str]:
        """In which files the words are."""
        files = [file for file in self.folder.rglob("*") if file.is_file()]
        return [file.name for file in files if text.encode() in file.read_bytes()]


@asynccontextmanager
async def open_house(
    folder: Path, index: Callable[[VectorIndex], VectorIndex] = lambda index: index, erase_after_s: float = 0.0
) -> AsyncIterator[House]:
    settings = load_settings(None, {}, storage__data_dir=str(folder))
    encoder, told, woken = ScriptedEncoder(), list[Utterance](), list[bool]()
    async with open_stores(settings, encoder.fingerprint) as stores:
        used = index(stores.index)
        indexer = Indexer(
            events=stores.events, traits=stores.traits, passages=stores.passages, index=used, encoder=encoder
        )
        disk = Faulty(stores.disk)

        async def tell(utterances: Sequence[Utterance]) -> None:
            told.extend(utterances)

        eraser = Eraser(
            erasures=stores.erasures,
            indexer=indexer,
            index=used,
            disk=disk,
            clock=ManualClock(START),
            settings=PrivacySettings(erase_after_s=erase_after_s),
            on_erased=tell,
            wake=lambda: woken.append(True),
        )
        try:
            yield House(folder, stores, disk, eraser, told, woken, indexer)
        finally:
            await eraser.aclose()


SCOPE = Scope(VectorKind.EVENT, HALL.key)


async def test_nothing_is_left_in_any_file(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        said = await house.say()
        assert house.found(SECRET)
        assert await vectors_in(house.stores.index, SCOPE) == 1
        erased = await house.erase(said, subject=ANN.id)
        assert await vectors_in(house.stores.index, SCOPE) == 0
        assert [one.text for one in house.told] == [SECRET]
        assert house.woken == [True]
        receipt = await house.complete(erased)
        assert receipt is not None
        assert (receipt.found, receipt.done, receipt.reason) == (0, START, ErasureReason.ASKED)
        assert dict(receipt.counts) == {"utterances": 1, "events": 1, "topics": 1}
        assert house.found(SECRET) == house.found(SUMMARY) == []
        assert house.found("And I said this, number 1.")
        [(texts, vectors)] = house.disk.looked_for
        assert SECRET in texts
        assert f"{SUMMARY} (1)" in texts
        assert vectors == 1
        assert await house.stores.erasures.receipts(ANN.id, 5) == [receipt]


async def test_what_was_kept_word_for_word_goes_with_its_vector(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        said = await house.say()
        assert await house.stores.passages.archive(said.session_id, [], 0) == 2
        await house.indexer.catch_up()
        of_words = Scope(VectorKind.PASSAGE, HALL.key)
        assert await vectors_in(house.stores.index, of_words) == 2
        erased = await house.erase(said)
        assert await vectors_in(house.stores.index, of_words) == 1
        receipt = await house.complete(erased)
        assert receipt is not None
        assert receipt.found == 0
        assert dict(receipt.counts) == {"utterances": 1, "events": 1, "topics": 1}
        assert house.found(SECRET) == []
        [(_, vectors)] = house.disk.looked_for
        assert vectors == 2  # of the event and of the passage


async def test_a_message_deleted_on_its_platform_goes_the_same_way(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        said = await house.say()
        erased = await house.eraser.erase_messages("chat", [said.message_id])
        assert await clean_now(house.eraser, WAIT_S)
        receipt = await house.complete(erased)
        assert receipt is not None
        assert (receipt.found, receipt.reason) == (0, ErasureReason.DELETED)
        assert house.found(SECRET) == []


async def test_what_was_never_stored_brings_no_work(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        erased = await house.eraser.erase_messages("chat", ["unknown"])
        assert erased == Erased(0)
        assert await clean_now(house.eraser, WAIT_S)
        assert await house.complete(erased) is None
        assert (house.disk.rewritten, house.told) == (0, [])


async def test_erasures_that_wait_share_one_rewriting(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        first, second = await house.say("first secret"), await house.say("second secret")
        one, two = await house.erase(first), await house.erase(second)
        receipts = await asyncio.gather(house.complete(one), house.complete(two))
        assert [receipt is not None and receipt.found for receipt in receipts] == [0, 0]
        assert house.disk.rewritten == 1
        assert await house.stores.erasures.unfinished() == []


async def test_what_is_erased_while_files_are_rewritten_is_next(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        first, second = await house.say("first secret"), await house.say("second secret")
        one = await house.erase(first)
        late: list[Erased] = []

        async def meanwhile() -> None:
            house.disk.held = None
            late.append(await house.erase(second))

        house.disk.held = meanwhile
        assert (receipt := await house.complete(one)) is not None
        assert receipt.done is not None
        assert [key for key, _ in await house.stores.erasures.unfinished()] == [late[0].erasure_id]
        assert (receipt := await house.complete(late[0])) is not None
        assert receipt.found == 0
        assert house.disk.rewritten == 2


async def test_a_failure_is_tried_again_and_nothing_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE_S", 0.0)
    async with open_house(tmp_path) as house:
        erased = await house.erase(await house.say())
        house.disk.fail = [StorageError("the disk is full"), StorageError("the disk is full")]
        assert await house.complete(erased) is None
        assert [key for key, _ in await house.stores.erasures.unfinished()] == [erased.erasure_id]
        async with asyncio.timeout(WAIT_S):
            running = asyncio.create_task(house.eraser.run(), name="the eraser")
            while await house.stores.erasures.unfinished():  # noqa: ASYNC110 - what is waited for tells nobody
                await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert house.disk.rewritten == 3
        assert house.disk.looked_for[0][1] == 1  # it still knows what to look for
        receipt = await house.stores.erasures.receipt(erased.erasure_id)
        assert receipt is not None
        assert (receipt.found, house.found(SECRET)) == (0, [])


async def test_whoever_waits_no_longer_leaves_the_work_to_go_on(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        erased = await house.erase(await house.say())
        go_on = asyncio.Event()
        house.disk.held = go_on.wait
        assert await house.eraser.complete(erased.erasure_id, 0.05) is None
        assert not await clean_now(house.eraser, 0.05)
        go_on.set()
        receipt = await house.complete(erased)
        assert receipt is not None
        assert house.disk.rewritten == 1


async def test_what_is_found_is_rewritten_once_more_and_then_told(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        first = await house.erase(await house.say())
        house.disk.findings = [[Finding("hello.db", "text")]]
        receipt = await house.complete(first)
        assert receipt is not None
        assert (receipt.found, house.disk.rewritten) == (0, 2)
        second = await house.erase(await house.say("another secret"))
        house.disk.findings = [[Finding("hello.db", "text")] * number for number in (2, 2, 2)]
        receipt = await house.complete(second)
        assert receipt is not None
        assert (receipt.found, house.disk.rewritten) == (2, 4)


async def test_only_the_erasure_whose_words_are_found_says_so(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        erased = [await house.erase(await house.say(text)) for text in ("first secret", "second secret")]
        (tmp_path / "left.txt").write_text("a copy of the second secret")
        receipts = [await house.complete(one) for one in erased]
        assert [receipt.found for receipt in receipts if receipt is not None] == [0, 1]


async def test_what_was_found_is_tried_again_with_the_next_erasure(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        (tmp_path / "left.txt").write_text("a copy of the first secret")
        first = await house.erase(await house.say("first secret"))
        assert (receipt := await house.complete(first)) is not None
        assert receipt.found == 1
        assert await clean_now(house.eraser, WAIT_S)  # it was done, and does not go on for ever
        assert house.disk.rewritten == 2
        (tmp_path / "left.txt").unlink()
        second = await house.erase(await house.say("second secret"))
        for erased in (second, first):
            assert (receipt := await house.complete(erased)) is not None
            assert receipt.found == 0
        assert house.disk.rewritten == 3
        assert await house.stores.erasures.unfinished() == []


async def test_what_was_found_is_rewritten_by_the_next_process_which_cannot_look_for_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        (tmp_path / "left.txt").write_text("a copy of the first secret")
        erased = await house.erase(await house.say("first secret"), subject=ANN.id)
        assert (receipt := await house.complete(erased)) is not None
        assert receipt.found == 1
    async with open_house(tmp_path) as house:
        await house.eraser.take_up()
        assert house.disk.rewritten == 1
        [receipt] = await house.stores.erasures.receipts(ANN.id, 5)
        assert (receipt.found, receipt.done) == (None, START)
        await house.eraser.take_up()
        assert house.disk.rewritten == 1


async def test_what_is_erased_while_files_are_listed_is_not_taken_for_an_earlier_processs(tmp_path: Path) -> None:
    async with open_house(tmp_path, index=Unsteady) as house:  # type: ignore[arg-type]  # passes the rest on
        first, second = await house.say("first secret"), await house.say("second secret")
        with house.eraser.erasing():
            selection = Selection(utterances=(second.id,))
            erased = await house.stores.erasures.erase(selection, ErasureReason.ASKED, START)
            assert (receipt := await house.complete(await house.erase(first))) is not None
            assert receipt.found == 0
            assert [key for key, _ in await house.stores.erasures.unfinished()] == [erased.erasure_id]
            await house.eraser.follow(erased)
        assert (receipt := await house.complete(erased)) is not None
        assert receipt.found == 0


async def test_an_edits_old_words_are_followed_too(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        said = await house.say()
        summed = {event.id: SCOPE.place_key for event in await house.stores.events.readable_in(HALL)}
        removed = Removed(events=summed, counts={"replies": 1, "events": 0})
        vectors = removed.vectors()
        assert [scope for scope, _ in vectors] == [SCOPE]
        with house.eraser.erasing():
            async with house.stores.erasures._erasures._database.writing() as connection:  # type: ignore[attr-defined]
                await connection.execute(utterances.update().where(utterances.c.id == said.id).values(text="Hm."))
                await connection.execute(events.update().values(summary="Hm."))
                key = await note(connection, ErasureReason.DELETED, removed, START)
            await house.eraser.follow(Erased(key, (said,), (SECRET,), vectors))
        assert await vectors_in(house.stores.index, SCOPE) == 0
        assert house.told == [said]
        assert (receipt := await house.complete(Erased(key))) is not None
        assert (receipt.found, dict(receipt.counts)) == (0, {"replies": 1})
        assert house.found(SECRET) == []


async def test_words_that_somebody_says_again_are_not_taken_for_a_trace(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        erased = await house.erase(await house.say())
        again = Utterance(ANNS_DM, "again", ANN, f"Once more: {SECRET}", START)
        assert await house.stores.inbox.accept(again) is not None
        receipt = await house.complete(erased)
        assert receipt is not None
        assert receipt.found == 0
        assert house.found(SECRET)


async def test_the_next_process_finishes_what_one_left_and_says_what_it_could_not_do(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        erased = await house.erase(await house.say(), subject=ANN.id)
    async with open_house(tmp_path) as house:
        await house.eraser.take_up()
        [receipt] = await house.stores.erasures.receipts(ANN.id, 5)
        assert (receipt.id, receipt.found, receipt.done) == (erased.erasure_id, None, START)
        assert house.found(SECRET) == house.found(SUMMARY) == []
        await house.eraser.take_up()
        assert house.disk.rewritten == 1


class Unsteady:
    """An index that cannot be changed at first: then its vectors go with the files."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self.broken = True

    def __getattr__(self, name: str) -> object:
        return getattr(self._index, name)

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        if self.broken:
            self.broken = False
            raise IndexUnusable("not now")
        await self._index.remove(scope, ids)


async def test_vectors_that_could_not_be_removed_go_with_the_files(tmp_path: Path) -> None:
    async with open_house(tmp_path, index=Unsteady) as house:  # type: ignore[arg-type]  # passes the rest on
        erased = await house.erase(await house.say())
        assert await vectors_in(house.stores.index, SCOPE) == 1
        assert len(house.told) == 1
        receipt = await house.complete(erased)
        assert receipt is not None
        assert receipt.found == 0
        assert await vectors_in(house.stores.index, SCOPE) == 0
