"""The composition root: settings in; every part built once, handed over by constructor, and closed in order."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import structlog

from bot.asking import trusted
from bot.config import Settings
from bot.conversation.background import BackgroundWork
from bot.conversation.delivery import Delivery
from bot.conversation.prompt import PromptBuilder
from bot.conversation.queue import Conversations
from bot.conversation.session import ShortTermMemory
from bot.conversation.turn import Turn, Turns
from bot.conversation.voice import Voice
from bot.domain import AGENT_ID, Job, JobKind, Place, Speaker, Utterance
from bot.errors import HelloAgainError, StorageError
from bot.indexing import Indexer
from bot.memory.events import Summariser
from bot.memory.recall import Recall
from bot.memory.topics import load_topics
from bot.persona.bank import Bank
from bot.persona.card import card_of
from bot.persona.extract import Extractor
from bot.persona.gate import TrainedTraitGate
from bot.ports import Adapter, ChatModel, Clock, Encoder, Messenger, Report, TopicExtractor, TraitGate
from bot.storage.stores import Stores, open_stores

CATCH_UP_S = 30.0
"""Seconds that going over the last sessions may delay the start. What is left is done beside the conversations."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """The running core. `receive`, `end_session`, `idle` and `recent` are what adapters use (ports.Core)."""

    settings: Settings
    stores: Stores
    model: ChatModel | None
    encoder: Encoder
    indexer: Indexer
    recall: Recall
    short_term: ShortTermMemory
    background: BackgroundWork
    delivery: Delivery
    conversations: Conversations

    async def receive(self, utterance: Utterance) -> bool:
        """Stores `utterance` and has it dealt with; False when it was stored before. Raises QueueFull."""
        return await self.conversations.receive(utterance)

    async def end_session(self, place: Place) -> bool:
        """Ends the session of `place`; False when none is open."""
        ended = await self.short_term.close(place)
        self.background.wake()
        return ended

    async def idle(self) -> None:
        """Waits until every message received so far is dealt with."""
        await self.conversations.idle()

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """The last utterances of `place`, oldest first."""
        return await self.stores.utterances.recent(place, limit)

    async def prepare(self) -> None:
        """Gets the memory up to date: makes missing vectors, ends sessions that have gone quiet, and summarises them.

        Called once, before any adapter runs, so that the first message of a returning person finds the last session.
        """
        await self.stores.jobs.release_all()
        await self.indexer.catch_up()
        await self.short_term.close_idle()
        try:
            async with asyncio.timeout(CATCH_UP_S):
                await self.background.drain()
        except TimeoutError:
            _log.info("the background work of earlier sessions goes on while the companion runs")

    async def connected(self) -> None:
        """Sends what an earlier run left unsent, and answers what it left unanswered, where that can be reached now."""
        await self.delivery.deliver_left_over()
        await self.conversations.take_up()

    async def settle(self) -> None:
        """Ends the sessions that have gone quiet and does all the work that is due, at the clock's present time."""
        await self.short_term.close_idle()
        await self.background.drain()

    async def serve(self, adapters: Sequence[Adapter]) -> None:
        """Runs the adapters until the last of them has ended, with the background work beside them.

        Call `prepare` first. An error with a sentence for people comes out as itself, not in a group.
        """
        try:
            async with asyncio.TaskGroup() as group:
                beside = [
                    group.create_task(self.background.run(), name="background work"),
                    group.create_task(self._look_after(), name="idle sessions and unsent replies"),
                ]
                async with asyncio.TaskGroup() as platforms:
                    for adapter in adapters:
                        platforms.create_task(adapter.run(self), name=f"adapter {adapter.platform}")
                for task in beside:
                    task.cancel()
        except BaseExceptionGroup as group:
            for error in _leaves(group):
                if isinstance(error, HelloAgainError):
                    raise error from group
            raise

    async def _look_after(self) -> None:
        """From time to time ends the sessions that have gone quiet, and tries again to send what is unsent."""
        while True:
            await asyncio.sleep(self.settings.session.idle_check_s)
            try:
                if await self.short_term.close_idle():
                    self.background.wake()
                await self.delivery.deliver_left_over()
            except StorageError as error:
                _log.error("idle sessions and unsent replies wait for the storage", reason=str(error))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def quietly(step: str, share: float | None = None) -> None:
    """The `Report` that tells nobody."""


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    clock: Clock,
    messengers: Mapping[str, Messenger],
    with_model: bool = True,
    model: ChatModel | None = None,
    encoder: Encoder | None = None,
    topics: TopicExtractor | None = None,
    gate: TraitGate | None = None,
    on_turn: Callable[[Turn], None] = lambda _turn: None,
    report: Report = quietly,
) -> AsyncIterator[App]:
    """Builds everything, and closes it in the opposite order. `report` is told each step in words.

    `model`, `encoder`, `topics` and `gate` replace the configured ones, for tests. Raises ConfigError, ModelUnavailable
    or StorageError, each with a sentence that says what to do.
    """
    async with AsyncExitStack() as stack:
        report("Loading the text encoder …")
        if encoder is None:
            embedding = importlib.import_module("bot.llm.embedding")
            loaded = await embedding.load_encoder(settings.encoder)
            stack.push_async_callback(loaded.aclose)
            encoder = loaded
        report("Opening the memory …")
        stores = await stack.enter_async_context(open_stores(settings, encoder.fingerprint))
        if model is None and with_model:
            report("Loading the language model …")
            model = await _load_model(settings, report)
            stack.push_async_callback(model.aclose)
        report("Loading the word lists …")
        if topics is None:
            topics = await asyncio.to_thread(load_topics)
        gate = gate or TrainedTraitGate.load(fingerprint=encoder.fingerprint)
        app = _assemble(settings, clock, messengers, stores, model, encoder, topics, gate, on_turn)
        stack.push_async_callback(app.conversations.aclose)
        yield app


async def _load_model(settings: Settings, report: Report) -> ChatModel:
    """The configured engine. Its module is loaded only now, as the encoder's is: they bring large libraries along."""
    if settings.model.engine == "remote":
        remote = importlib.import_module("bot.llm.remote")
        connected: ChatModel = await remote.connect_remote_model(settings.model, settings.secrets.model_api_key)
        return connected
    local = importlib.import_module("bot.llm.local")
    loaded: ChatModel = await local.load_local_model(settings.model, progress=report)
    return loaded


def _assemble(
    settings: Settings,
    clock: Clock,
    messengers: Mapping[str, Messenger],
    stores: Stores,
    model: ChatModel | None,
    encoder: Encoder,
    topics: TopicExtractor,
    gate: TraitGate,
    on_turn: Callable[[Turn], None],
) -> App:
    indexer = Indexer(events=stores.events, traits=stores.traits, index=stores.index, encoder=encoder)
    recall = Recall(
        events=stores.events,
        traits=stores.traits,
        index=stores.index,
        encoder=encoder,
        topics=topics,
        clock=clock,
        memory=settings.memory,
        persona=settings.persona,
    )
    short_term = ShortTermMemory(sessions=stores.sessions, clock=clock, settings=settings.session)
    delivery = Delivery(outbox=stores.outbox, messengers=messengers)
    background = BackgroundWork(
        jobs=stores.jobs,
        work=_work(settings, stores, model, encoder, topics, gate, indexer),
        clock=clock,
        settings=settings.background,
        budgeted=_asks_model(settings, model),
    )

    def after(turn: Turn) -> None:
        background.wake()
        on_turn(turn)

    turns = _turns(settings, clock, stores, model, recall, short_term, delivery)
    conversations = Conversations(
        inbox=stores.inbox, turns=turns, delivery=delivery, settings=settings.queue, on_turn=after
    )
    return App(
        settings=settings,
        stores=stores,
        model=model,
        encoder=encoder,
        indexer=indexer,
        recall=recall,
        short_term=short_term,
        background=background,
        delivery=delivery,
        conversations=conversations,
    )


def _turns(
    settings: Settings,
    clock: Clock,
    stores: Stores,
    model: ChatModel | None,
    recall: Recall,
    short_term: ShortTermMemory,
    delivery: Delivery,
) -> Turns:
    card = card_of(settings.agent)
    prompts, voice = None, None
    if model is not None:
        voice = Voice(model=model, delivery=delivery, settings=settings.model)
        reply_tokens = settings.model.max_new_tokens
        prompts = PromptBuilder(model=model, card=card, settings=settings.prompt, reply_tokens=reply_tokens)
    return Turns(
        inbox=stores.inbox,
        outbox=stores.outbox,
        utterances=stores.utterances,
        short_term=short_term,
        recall=recall,
        prompts=prompts,
        voice=voice,
        delivery=delivery,
        clock=clock,
        agent=Speaker(AGENT_ID, card.name),
    )


def _asks_model(settings: Settings, model: ChatModel | None) -> bool:
    """Whether any background work may ask the model; else its budget of tokens holds nothing up."""
    ways = (settings.memory.summariser, settings.persona.extractor)
    return any(trusted(model, way) is not None for way in ways)


def _work(
    settings: Settings,
    stores: Stores,
    model: ChatModel | None,
    encoder: Encoder,
    topics: TopicExtractor,
    gate: TraitGate,
    indexer: Indexer,
) -> dict[JobKind, Callable[[Job], Awaitable[int]]]:
    """What does each kind of background job."""
    summariser = Summariser(
        sessions=stores.sessions,
        events=stores.events,
        jobs=stores.jobs,
        model=model,
        topics=topics,
        indexer=indexer,
        memory=settings.memory,
    )
    extractor = Extractor(
        model=model,
        gate=gate,
        encoder=encoder,
        topics=topics,
        persona=settings.persona,
    )
    bank = Bank(
        utterances=stores.utterances,
        traits=stores.traits,
        jobs=stores.jobs,
        extractor=extractor,
        encoder=encoder,
        index=stores.index,
        indexer=indexer,
        persona=settings.persona,
    )
    return {JobKind.SUMMARISE: summariser.run, JobKind.TRAITS: bank.run}
