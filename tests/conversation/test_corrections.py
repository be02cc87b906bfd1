"""What is edited or deleted on a platform: memory, queue and index follow."""

from pathlib import Path

from bot.config import PrivacySettings
from bot.conversation.corrections import Corrector
from bot.domain import ChannelMode, ErasureReason, Event, Job, JobKind, Scope, VectorKind
from bot.errors import IndexUnusable
from bot.indexing.indexing import Indexer
from bot.llm.scripted import ScriptedEncoder
from bot.memory.eraser import Eraser
from bot.ports import Vectors
from bot.storage.vectors.chroma import ChromaVectorIndex
from tests.conversation.talk import HALL, Talk, open_talk
from tests.living import ANN, BOB, DM, START, Screen
from tests.looking import add_jobs, vectors_in

SCOPE = Scope(VectorKind.EVENT, DM.key)


async def remembered(talk: Talk) -> Event:
    """An event of a conversation, with its vector."""
    await talk.hear("I live in Oslo.", message_id="m1")
    await talk.conversations.idle()
    [said, _] = await talk.stores.utterances.recent(DM, 5)
    assert await talk.stores.sessions.close(DM)
    await add_jobs(talk.stores.jobs, [Job(JobKind.SUMMARISE, said.session_id)])
    event = Event(DM, said.session_id, "Ann: I live in Oslo.", frozenset(), START, frozenset({ANN.id}), (said.id,))
    stored = await talk.stores.events.add(event, job_id=0)
    await talk.stores.index.upsert(SCOPE, [stored.id], await ScriptedEncoder().encode([stored.summary]))
    await talk.stores.events.mark_indexed([stored.id])
    return stored


async def test_a_deleted_message_goes_with_all_that_came_from_it(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        await remembered(talk)
        assert await vectors_in(talk.stores.index, SCOPE) == 1
        await talk.corrector.deleted("test", ["m1"])
        assert "I live in Oslo." not in await talk.heard()
        assert await vectors_in(talk.stores.index, SCOPE) == 0
        assert await talk.stores.events.readable_in(DM) == []
        assert talk.woken
        assert not await talk.hear("I live in Oslo.", message_id="m1")


async def test_an_edited_message_is_remembered_as_it_is_now(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        await remembered(talk)
        assert await talk.corrector.edited("test", "m1", "I live in Bergen.")
        assert (await talk.heard())[0] == "I live in Bergen."
        assert await vectors_in(talk.stores.index, SCOPE) == 0
        assert len(talk.woken) == 1
        assert not await talk.corrector.edited("test", "m1", "I live in Bergen.")
        assert not await talk.corrector.edited("test", "unknown", "I live in Bergen.")
        assert len(talk.woken) == 1


async def test_what_never_arrived_can_be_deleted_and_never_does(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        await talk.corrector.deleted("test", ["late"])
        assert not await talk.hear("Hello", message_id="late")
        assert talk.replies == []


class Broken(ChromaVectorIndex):
    """An index that cannot be used."""

    def __init__(self) -> None:
        return

    async def get(self, scope: Scope, ids: object) -> Vectors:
        raise IndexUnusable("gone")

    async def remove(self, scope: Scope, ids: object) -> None:
        raise IndexUnusable("gone")


def without_index(talk: Talk) -> Corrector:
    """A corrector whose index cannot be used."""
    index, wake = Broken(), lambda: talk.woken.append(True)
    indexer = Indexer(
        events=talk.stores.events,
        traits=talk.stores.traits,
        passages=talk.stores.passages,
        index=index,
        encoder=ScriptedEncoder(),
    )
    eraser = Eraser(
        erasures=talk.stores.erasures,
        indexer=indexer,
        index=index,
        disk=talk.stores.disk,
        clock=talk.clock,
        settings=PrivacySettings(),
        on_erased=talk.conversations.deleted,
        wake=wake,
    )
    return Corrector(corrections=talk.stores.corrections, conversations=talk.conversations, eraser=eraser)


async def test_without_an_index_the_rows_are_corrected_all_the_same(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        await remembered(talk)
        corrector = without_index(talk)
        assert await corrector.edited("test", "m1", "I live in Bergen.")
        assert (await talk.heard())[0] == "I live in Bergen."
        await corrector.deleted("test", ["m1"])
        assert await talk.heard() == []
        assert len(talk.woken) == 2
        (_, of_edit), (_, of_deletion) = await talk.stores.erasures.unfinished()
        assert len(of_edit) == 1  # removed as soon as there is an index again
        assert of_deletion == ()


async def test_a_deletion_is_an_erasure_with_a_receipt(tmp_path: Path) -> None:
    async with open_talk(tmp_path) as talk:
        event = await remembered(talk)
        await talk.corrector.deleted("test", ["m1"])
        [(erasure_id, vectors)] = await talk.stores.erasures.unfinished()
        assert vectors == ((SCOPE, (event.id,)),)
        receipt = await talk.stores.erasures.receipt(erasure_id)
        assert receipt is not None
        assert receipt.reason is ErasureReason.DELETED
        assert dict(receipt.counts) == {"utterances": 1, "replies": 1, "events": 1, "sessions": 1, "jobs": 4}
        await talk.corrector.deleted("test", ["m1"])
        assert len(await talk.stores.erasures.unfinished()) == 1


async def test_a_reply_that_was_growing_when_the_process_ended_goes_with_its_question(tmp_path: Path) -> None:
    away = Screen(out_of_reach={DM})
    async with open_talk(tmp_path, screen=away) as talk:
        talk.conversations.close_intake()
        await talk.hear("Hello?", message_id="m1")
        await talk.stores.outbox.draft(DM, "m1", "draft-0")
    async with open_talk(tmp_path, screen=away) as talk:
        away.out_of_reach.clear()
        await talk.corrector.deleted("test", ["m1"])
        assert away.retracted == ["draft-0"]
        assert await talk.stores.outbox.drafts(DM, "m1") is None


async def test_where_nothing_may_be_read_an_edit_is_not_stored(tmp_path: Path) -> None:
    async with open_talk(tmp_path, channels__mode="listen") as talk:
        await talk.say("I live in Oslo.", BOB, HALL)
        await talk.say("I live in Oslo.", ANN, DM)
        await talk.stores.channels.set_mode(HALL, ChannelMode.OFF, ANN.id)
        talk.conversations.forget_mode(HALL)
        assert not await talk.corrector.edited("test", "m1", "I live in Bergen.")
        assert await talk.heard(HALL) == ["I live in Oslo."]
        assert talk.woken == []
        assert await talk.corrector.edited("test", "m2", "I live in Bergen.")
