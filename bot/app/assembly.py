"""How the larger parts of the core are built from settings, stores and engines. `bot/app/app.py` puts them together."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from bot.app.ahead import prompts_of
from bot.care.checkins import CheckInWork
from bot.care.compose import Composer
from bot.care.grave_news import is_of_others
from bot.care.opened import OpenedSessions
from bot.care.reunions import Reunions
from bot.config import SafetySettings, Settings
from bot.conversation.answer_finder import finder_for
from bot.conversation.background import BackgroundWork
from bot.conversation.consent import Consents
from bot.conversation.crisis_responder import CrisisResponder, HelpText
from bot.conversation.danger_voice import voice_for
from bot.conversation.delivery import Delivery
from bot.conversation.elsewhere import Claimed, Intake, PostingDelivery, WaitsElsewhere
from bot.conversation.help import help_text, load_lines
from bot.conversation.last_prompts import LastPrompts
from bot.conversation.limits import TokenQuota
from bot.conversation.notices import Notices
from bot.conversation.queue import Conversations
from bot.conversation.reading_ahead import ReadingAhead
from bot.conversation.reply_generator import ReplyGenerator
from bot.conversation.session import ShortTermMemory
from bot.conversation.turn import Turn, Turns
from bot.domain import AGENT_ID, Answer, Outgoing, ProcessRole, Skill, Speaker, Utterance
from bot.indexing.indexing import Indexer
from bot.memory.eraser import Eraser
from bot.memory.recall import Recall
from bot.memory.refine import Refiner
from bot.ports import ChatModel, Clock, Encoder, Messenger, Tagger, TopicExtractor, TraitGate
from bot.storage.stores import Shared, Stores
from bot.usecases.about import Vitals
from bot.usecases.commands import Commands, Hearers
from bot.usecases.links import OneTimeLinks

R = TypeVar("R", bound=Recall)


@dataclass(frozen=True, slots=True)
class Engines:
    """Everything that was trained. Without a model nothing is answered (`replay --no-model`)."""

    model: ChatModel | None
    encoder: Encoder
    topics: TopicExtractor
    gate: TraitGate
    beside: ChatModel | None = None
    """The small model that was tuned for tasks which `model` is too small to be trusted with."""

    def model_for(self, skill: Skill) -> ChatModel | None:
        """The model that a task is put to, if it is put to any."""
        tuned = self.beside is not None and skill in self.beside.description.skills
        return self.beside if tuned else self.model


@dataclass(slots=True)
class Later:
    """What is named by parts that are built before it. Nothing of it is used before all of it is there."""

    background: BackgroundWork = field(init=False)
    conversations: Conversations = field(init=False)
    commands: Commands = field(init=False)
    checkins: CheckInWork = field(init=False)
    composer: Composer = field(init=False)
    opened: OpenedSessions = field(init=False)
    reunions: Reunions = field(init=False)
    heard: set[str] = field(default_factory=set)
    """Who spoke to a worker that does not look after check-ins."""

    def wake(self) -> None:
        """Says that there is background work."""
        self.background.wake()

    async def wish(self, utterance: Utterance) -> Answer | None:
        """What to say to somebody who asks for what a command does; None: they do not."""
        return await self.commands.wished(utterance)

    async def offered(self, utterance: Utterance) -> Answer | None:
        """What to offer somebody after the reply to this; None: nothing."""
        return await self.commands.offered(utterance)

    async def ready(self, outgoing: Outgoing) -> Outgoing | None:
        """A check-in as it is to be sent now; None: it is not."""
        return await self.checkins.ready(outgoing)

    async def settled(self, outgoing: Outgoing) -> None:
        """Says that a check-in was sent, or refused for good."""
        await self.checkins.settled(outgoing)

    def helped(self, speaker_id: str) -> None:
        """Says that somebody's words show danger. Returns at once: help never waits for it, and never fails with it."""
        self.checkins.helped(speaker_id)


@dataclass(frozen=True, slots=True)
class Ground:
    """What the larger parts of the core are built on."""

    settings: Settings
    clock: Clock
    stores: Stores
    engines: Engines
    later: Later
    indexer: Indexer
    recall: Recall
    refiner: Refiner
    short_term: ShortTermMemory
    delivery: Delivery
    consents: Consents
    crisis_responder: CrisisResponder
    last_prompts: LastPrompts


def lay_ground(
    settings: Settings, clock: Clock, stores: Stores, engines: Engines, messengers: Mapping[str, Messenger]
) -> Ground:
    """Builds what needs nothing but settings, stores and engines. Raises BadInput for the owner's own crisis lines."""
    consents = Consents(privacies=stores.privacies, settings=settings.privacy)
    later, text_of = Later(), help_texts(settings.safety)
    return Ground(
        settings=settings,
        clock=clock,
        stores=stores,
        engines=engines,
        later=later,
        indexer=Indexer(
            events=stores.events,
            traits=stores.traits,
            passages=stores.passages,
            index=stores.index,
            encoder=engines.encoder,
        ),
        recall=build_recall(Recall, settings, clock, stores, engines),
        refiner=build_refiner(settings, clock, stores, engines),
        short_term=ShortTermMemory(sessions=stores.sessions, clock=clock, settings=settings.session),
        delivery=build_delivery(stores, messengers, later),
        consents=consents,
        crisis_responder=CrisisResponder(
            utterances=stores.utterances,
            consents=consents,
            settings=settings.safety,
            text_of=text_of,
            on_help=later.helped,
            voice=voice_for(engines.model),
            explained=is_of_others,
        ),
        last_prompts=build_last_prompts(settings, stores.shared),
    )


def build_last_prompts(settings: Settings, shared: Shared | None) -> LastPrompts:
    """What keeps owners' prompts. Processes that share stores keep none: what one erases, another would still have."""
    return LastPrompts(settings.owners if shared is None else ())


def build_delivery(stores: Stores, messengers: Mapping[str, Messenger], later: Later) -> Delivery:
    """What sends, or, in a worker, has a gateway send."""
    shared = stores.shared
    if shared is not None and shared.role is ProcessRole.WORKER:
        return PostingDelivery(outbox=shared.outbox, bell=shared.bell)
    return Delivery(outbox=stores.outbox, messengers=messengers, ready=later.ready, settled=later.settled)


def help_texts(settings: SafetySettings) -> HelpText:
    """The texts for somebody in danger, with the owner's own crisis lines where there are any. Raises BadInput."""
    own = load_lines(settings.lines) if settings.lines is not None else {}
    return lambda sign, text, country: help_text(sign, text, country, own)


def build_recall(kind: type[R], settings: Settings, clock: Clock, stores: Stores, engines: Engines) -> R:
    """A `kind` of recall over everything that is stored: the laboratory's tells more than a reply is shown."""
    return kind(
        events=stores.events,
        traits=stores.traits,
        passages=stores.passages,
        graph=stores.graph,
        index=stores.index,
        encoder=engines.encoder,
        topics=engines.topics,
        clock=clock,
        memory=settings.memory,
        persona=settings.persona,
    )


def build_refiner(settings: Settings, clock: Clock, stores: Stores, engines: Engines) -> Refiner:
    """What retells timelines. Close it with `aclose`."""
    return Refiner(
        model=engines.model,
        events=stores.events,
        utterances=stores.utterances,
        jobs=stores.jobs,
        topics=engines.topics,
        clock=clock,
        memory=settings.memory,
        background=settings.background,
    )


def build_eraser(ground: Ground) -> Eraser:
    """What erases. Somebody of whom nothing stays has decided nothing any more."""
    stores = ground.stores

    async def erased(utterances: Sequence[Utterance]) -> None:
        ground.consents.forget()
        ground.last_prompts.forget()
        ground.refiner.forget()
        ground.recall.forget([utterance.id for utterance in utterances])
        ground.later.opened.forget([utterance.id for utterance in utterances])
        await ground.later.conversations.deleted(utterances)

    return Eraser(
        erasures=stores.erasures,
        indexer=ground.indexer,
        index=stores.index,
        disk=stores.disk,
        clock=ground.clock,
        settings=ground.settings.privacy,
        on_erased=erased,
        wake=ground.later.wake,
    )


def build_generator(ground: Ground) -> ReplyGenerator | None:
    """What asks the model for replies; None without a model. It echoes where the topics' tagger is there."""
    model, topics = ground.engines.model, ground.engines.topics
    if model is None:
        return None
    tagger = topics if isinstance(topics, Tagger) else None
    return ReplyGenerator(model=model, settings=ground.settings.model, tagger=tagger)


def build_turns(ground: Ground, generator: ReplyGenerator | None) -> Turns:
    """What does the work of a turn."""
    settings, stores, clock, model = ground.settings, ground.stores, ground.clock, ground.engines.model
    prompts = prompts_of(settings, model) if model is not None else None
    notices = Notices(
        consents=ground.consents,
        delivery=ground.delivery,
        clock=clock,
        settings=settings,
        wish=ground.later.wish,
        offer=ground.later.offered,
    )
    return Turns(
        inbox=stores.inbox,
        outbox=stores.outbox,
        utterances=stores.utterances,
        short_term=ground.short_term,
        recall=ground.recall,
        prompts=prompts,
        generator=generator,
        delivery=ground.delivery,
        token_quota=TokenQuota(usage=stores.usage, clock=clock, settings=settings.limits),
        refiner=ground.refiner,
        crisis_responder=ground.crisis_responder,
        notices=notices,
        clock=clock,
        agent=Speaker(AGENT_ID, settings.agent.name),
        background=ground.later.opened.of,
        reunion=ground.later.reunions.of,
        last_prompts=ground.last_prompts,
        reading=ReadingAhead(model) if model is not None else None,
        finder=finder_for(ground.engines.encoder, settings.agent.name) if prompts is None or prompts.brief else None,
    )


def build_conversations(
    ground: Ground, generator: ReplyGenerator | None, on_turn: Callable[[Turn], None], *, awake: bool
) -> Conversations:
    """What takes messages in. `on_turn` is told of every turn that has ended. Not `awake`, it begins none yet."""
    stores, shared = ground.stores, ground.stores.shared
    heard = ground.later.checkins.heard if shared is None else ground.later.heard.add

    def after(turn: Turn) -> None:
        ground.later.wake()
        for utterance in turn.utterances:
            heard(utterance.speaker.id)
        on_turn(turn)

    kind: Callable[..., Conversations] = Conversations
    if shared is not None and shared.role is ProcessRole.GATEWAY:
        kind = partial(Intake, worker_of=partial(WaitsElsewhere, bell=shared.bell))
    elif shared is not None:
        kind = Claimed
    return kind(
        inbox=stores.inbox,
        channels=stores.channels,
        utterances=stores.utterances,
        turns=build_turns(ground, generator),
        delivery=ground.delivery,
        consents=ground.consents,
        crisis_responder=ground.crisis_responder,
        clock=ground.clock,
        settings=ground.settings,
        on_turn=after,
        awake=awake,
    )


def build_commands(
    ground: Ground, eraser: Eraser, vitals: Callable[[], Awaitable[Vitals]], links: OneTimeLinks
) -> Commands:
    """What does the commands of all platforms. `links` to the page are opened by one of them."""
    stores, model = ground.stores, ground.engines.model

    async def consented(speaker_id: str, agreed: bool) -> None:  # the port of the use case
        if agreed and await stores.sessions.put_on_record(await stores.identities.of(speaker_id)):
            ground.later.wake()

    def changed(_person: str) -> None:
        ground.consents.forget()
        ground.last_prompts.forget()
        ground.recall.forget_people()
        ground.later.opened.forget()

    return Commands(
        kept=stores,
        encoder=ground.engines.encoder,
        model=model.description if model is not None else None,
        clock=ground.clock,
        settings=ground.settings,
        eraser=eraser,
        indexed=partial(ground.indexer.catch_up, passages=False),
        vitals=vitals,
        hearers=Hearers(
            on_mode=ground.later.conversations.forget_mode,
            on_change=changed,
            on_consent=consented,
            receive=ground.later.conversations.receive,
            hush=ground.later.conversations.hush,
        ),
        help_for=ground.crisis_responder.instead_of_keeping,
        withheld=ground.crisis_responder.withholds,
        links=links,
        decided=ground.consents.of,
        foresee=ground.later.composer.foresee,
        prompts=ground.last_prompts,
    )
