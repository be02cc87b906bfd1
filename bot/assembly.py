"""How the larger parts of the core are built from settings, stores and engines. `bot/app.py` puts them together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import psutil

from bot.asking import trusted
from bot.config import Settings
from bot.conversation.delivery import Delivery
from bot.conversation.limits import Allowance
from bot.conversation.prompt import PromptBuilder
from bot.conversation.queue import Conversations
from bot.conversation.session import ShortTermMemory
from bot.conversation.turn import Turns
from bot.conversation.voice import Voice
from bot.domain import AGENT_ID, Job, JobKind, Place, Speaker
from bot.indexing import Indexer
from bot.memory.events import Summariser
from bot.memory.recall import Recall
from bot.persona.bank import Bank
from bot.persona.card import card_of
from bot.persona.extract import Extractor
from bot.ports import ChatModel, Clock, Encoder, Jobs, TopicExtractor, TraitGate
from bot.storage.stores import Stores
from bot.usecases.commands import Commands
from bot.usecases.vitals import Vitals


@dataclass(frozen=True, slots=True)
class Engines:
    """Everything that was trained. Without a model nothing is answered (`replay --no-model`)."""

    model: ChatModel | None
    encoder: Encoder
    topics: TopicExtractor
    gate: TraitGate


class VitalSigns:
    """How the program is doing, for `/status`."""

    def __init__(
        self,
        *,
        clock: Clock,
        conversations: Conversations,
        jobs: Jobs,
        voice: Voice | None,
        states: Mapping[str, str],
    ) -> None:
        self._clock = clock
        self._conversations = conversations
        self._jobs = jobs
        self._voice = voice
        self._states = states
        self._since = clock.now()
        self._process = psutil.Process()

    async def __call__(self) -> Vitals:
        """The figures of this moment."""
        return Vitals(
            uptime=self._clock.now() - self._since,
            answering=self._conversations.places,
            waiting=self._conversations.waiting,
            tokens_per_s=self._voice.tokens_per_s or None if self._voice is not None else None,
            resident_bytes=self._process.memory_info().rss,
            jobs_waiting=await self._jobs.waiting(),
            adapters=tuple(sorted(self._states.items())),
        )


def build_recall(settings: Settings, clock: Clock, stores: Stores, engines: Engines) -> Recall:
    """Recall over everything that is stored."""
    return Recall(
        events=stores.events,
        traits=stores.traits,
        index=stores.index,
        encoder=engines.encoder,
        topics=engines.topics,
        clock=clock,
        memory=settings.memory,
        persona=settings.persona,
    )


def build_turns(
    settings: Settings,
    clock: Clock,
    stores: Stores,
    engines: Engines,
    voice: Voice | None,
    recall: Recall,
    short_term: ShortTermMemory,
    delivery: Delivery,
) -> Turns:
    """What does the work of a turn."""
    card = card_of(settings.agent)
    prompts = None
    if engines.model is not None:
        reply_tokens = settings.model.max_new_tokens
        prompts = PromptBuilder(model=engines.model, card=card, settings=settings.prompt, reply_tokens=reply_tokens)
    return Turns(
        inbox=stores.inbox,
        outbox=stores.outbox,
        utterances=stores.utterances,
        short_term=short_term,
        recall=recall,
        prompts=prompts,
        voice=voice,
        delivery=delivery,
        allowance=Allowance(usage=stores.usage, clock=clock, settings=settings.limits),
        clock=clock,
        agent=Speaker(AGENT_ID, card.name),
    )


def build_commands(
    settings: Settings,
    stores: Stores,
    engines: Engines,
    vitals: Callable[[], Awaitable[Vitals]],
    on_mode: Callable[[Place], None],
) -> Commands:
    """What does the commands of all platforms."""
    return Commands(
        events=stores.events,
        traits=stores.traits,
        utterances=stores.utterances,
        outbox=stores.outbox,
        channels=stores.channels,
        encoder=engines.encoder,
        card=card_of(settings.agent),
        model=engines.model.description if engines.model is not None else None,
        settings=settings,
        vitals=vitals,
        on_mode=on_mode,
    )


def asks_model(settings: Settings, model: ChatModel | None) -> bool:
    """Whether any background work may ask the model; else its budget of tokens holds nothing up."""
    ways = (settings.memory.summariser, settings.persona.extractor)
    return any(trusted(model, way) is not None for way in ways)


def build_work(
    settings: Settings, stores: Stores, engines: Engines, indexer: Indexer
) -> dict[JobKind, Callable[[Job], Awaitable[int]]]:
    """What does each kind of background job."""
    summariser = Summariser(
        sessions=stores.sessions,
        events=stores.events,
        jobs=stores.jobs,
        model=engines.model,
        topics=engines.topics,
        indexer=indexer,
        memory=settings.memory,
    )
    extractor = Extractor(
        model=engines.model,
        gate=engines.gate,
        encoder=engines.encoder,
        topics=engines.topics,
        persona=settings.persona,
    )
    bank = Bank(
        utterances=stores.utterances,
        traits=stores.traits,
        jobs=stores.jobs,
        extractor=extractor,
        encoder=engines.encoder,
        index=stores.index,
        indexer=indexer,
        persona=settings.persona,
    )
    return {JobKind.SUMMARISE: summariser.run, JobKind.TRAITS: bank.run}
