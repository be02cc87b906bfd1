"""The composition root: settings in; every part built once, handed over by constructor, and closed in order."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial

import structlog
from threadpoolctl import threadpool_limits

from bot.app.assembly import (
    Engines,
    Ground,
    build_commands,
    build_conversations,
    build_eraser,
    build_generator,
    lay_ground,
)
from bot.app.assembly_background import build_background
from bot.app.assembly_care import (
    build_checkins,
    build_composer,
    build_opened,
    build_reader,
    build_reunions,
    build_safety_review,
)
from bot.app.engines import encoder_of, models_of
from bot.app.late import LateTopics, load, nothing_to_load, once, promised_encoder
from bot.app.metrics import Metrics
from bot.app.serving import PAUSES_S, Serving, in_time
from bot.app.vital_signs import VitalSigns
from bot.care.checkins import CheckInWork
from bot.care.ticking import Ticking
from bot.config import Settings
from bot.conversation.background import BackgroundWork
from bot.conversation.corrections import Corrector
from bot.conversation.queue import Conversations
from bot.conversation.turn import Turn
from bot.domain import Answer, Asker, Call, Place, ProcessRole, Reaction, Utterance
from bot.errors import IndexUnusable, ModelError, StorageError
from bot.memory.eraser import Eraser
from bot.memory.keeping import Keeping
from bot.memory.safety_review import SafetyReview
from bot.memory.topics import load_topics
from bot.persona.gate import TrainedTraitGate
from bot.ports import Adapter, ChatModel, Clock, Encoder, Messenger, Report, TopicExtractor, TraitGate, quietly
from bot.storage.engine.lock import DataFolderLock
from bot.storage.stores import Stores, open_stores
from bot.usecases.commands import Commands
from bot.usecases.links import OneTimeLinks

CATCH_UP_S = 30.0
"""Seconds that going over the last sessions may delay the start. What is left is done beside the conversations."""

CATCH_UP_MIDWAY_S = 2.0
"""The same where a conversation was going on a moment ago and none has ended since: what was said in it is known."""

READ_AHEAD_S = 60.0
"""Seconds that reading what prompts begin with may delay the first answer; later starts have it in a file.

Beside conversations it gave way to every reply, and was never done where somebody talked from the first minute."""

INDEX_S = 5.0
"""Seconds that missing vectors may delay the start. The rest of a lost index is made beside the conversations."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class App(Ground):
    """The running core, with all that it is built on. Adapters use what `ports.Core` names, such as `receive`."""

    background: BackgroundWork
    conversations: Conversations
    corrections: Corrector
    eraser: Eraser
    keeping: Keeping
    safety_review: SafetyReview
    states: dict[str, str]
    """Platform → how its adapter is, in words."""
    commands: Commands
    links: OneTimeLinks
    """Those to the page that are open."""
    checkins: CheckInWork
    awake: asyncio.Event
    """Set when all engines are there and the memory is up to date; before, what is said waits in the inbox."""
    load_rest: Callable[[], Awaitable[None]]
    """Loads the engines for which the prompt did not wait."""

    async def receive(self, utterance: Utterance) -> bool:
        return await self.conversations.receive(utterance)

    async def end_session(self, place: Place) -> bool:
        await self.awake.wait()
        ended = await self.short_term.close(place)
        self.background.wake()
        return ended

    async def idle(self) -> None:
        await self.conversations.idle()

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        return await self.stores.utterances.recent(place, limit)

    async def edited(self, platform: str, message_id: str, text: str) -> bool:
        return await self.corrections.edited(platform, message_id, text)

    async def deleted(self, platform: str, message_ids: Sequence[str]) -> None:
        await self.corrections.deleted(platform, message_ids)

    async def visible(self, places: Mapping[Place, bool]) -> None:
        await self.stores.channels.set_public(places)

    async def joined(self, platform: str, server: str) -> None:
        await self.stores.channels.left(platform, server, None)

    async def left(self, platform: str, server: str) -> None:
        await self.keeping.left(platform, server)

    async def known_servers(self, platform: str) -> list[str]:
        return await self.stores.channels.servers(platform)

    async def place_deleted(self, place: Place) -> None:
        await self.keeping.place_deleted(place)

    async def moved(self, old: Place, new: Place) -> None:
        vectors = await self.keeping.moved(old, new)
        self.conversations.forget_mode(new)
        self.consents.forget()
        if vectors:
            try:
                await self.indexer.expunge(vectors)
                await self.indexer.catch_up()
            except (IndexUnusable, ModelError) as error:
                _log.warning("the vectors of a channel that moved are made at the next start", reason=str(error))

    async def gone(self, speaker_id: str) -> None:
        await self.keeping.gone(speaker_id)

    async def command(self, call: Call, asker: Asker) -> Answer:
        await self.awake.wait()
        return await self.commands.run(call, asker)

    async def suggest(self, command: str, parameter: str, typed: str, asker: Asker) -> list[tuple[str, str]]:
        await self.awake.wait()
        return await self.commands.suggest(command, parameter, typed, asker)

    async def reacted(self, reaction: Reaction) -> Answer | None:
        await self.awake.wait()
        return await self.commands.reacting.react(reaction)

    async def seen_until(self, platform: str) -> datetime | None:
        return await self.stores.presence.seen_until(platform)

    async def saw(self, platform: str, until: datetime) -> None:
        await self.stores.presence.saw(platform, until)

    async def known_dms(self, platform: str) -> list[Place]:
        return await self.stores.utterances.dms(platform)

    async def reads(self, place: Place) -> bool:
        return await self.conversations.reads(place)

    async def prepare(self) -> None:
        """Gets the memory up to date: makes missing vectors, ends sessions that have gone quiet, and summarises them.

        Called before any turn begins, so that who returns finds the last session. Raises ModelUnavailable.
        """
        await self.load_rest()
        await self.stores.jobs.release_all()
        await self.eraser.take_up()
        await self.safety_review.begin()
        await self.keeping.look()
        if not await in_time(self.indexer.catch_up(passages=False), INDEX_S):
            _log.info("vectors are made while the companion runs; until then words find memories")
        ended = await self.short_term.close_idle()
        read_ahead = await in_time(self.conversations.read_ahead(), READ_AHEAD_S)
        midway = not ended and await self.short_term.any_open()
        if not await in_time(self.background.drain(), CATCH_UP_MIDWAY_S if midway else CATCH_UP_S):
            _log.info("the background work of earlier sessions goes on while the companion runs")
        self.awake.set()
        self.conversations.wake_up()
        if not read_ahead:
            await self.conversations.read_ahead()

    async def connected(self) -> None:
        """Answers what an earlier run left unanswered, and sends what it left unsent, where that can be reached now.

        A send can take long, so no answer waits for it; within a place what is unsent goes out before the answer.
        Not alone, it does nothing: that is done by whoever has claimed it.
        """
        if self.stores.shared is not None:
            return
        await self.conversations.take_up()
        await self.delivery.deliver_left_over()
        await self.delivery.retract_forgotten()

    async def settle(self) -> None:
        """Ends the sessions that have gone quiet and does all the work that is due, at the clock's present time."""
        await self.short_term.close_idle()
        await self.keeping.look()
        await self.safety_review.catch_up()
        await self.background.drain()
        await self.indexer.catch_up()
        await self.checkins.tick()

    async def serve(
        self,
        adapters: Sequence[Adapter],
        *,
        stop: asyncio.Event | None = None,
        told: Callable[[str], None] = _log.error,
    ) -> None:
        """Runs the adapters until the last of them has ended or `stop` is set, with the background work beside them.

        Call `prepare` first; it is done beside the adapters when the app was opened `beside_prompt`. With `stop`, an
        adapter that fails unforeseen is begun again; else its error comes out. `told` hears why a platform cannot be
        used. Raises AdapterStopped when none can; an error with a sentence for people comes out as itself, not in a
        group.
        """
        beside: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("background work", self.background.run),
            ("erasures", self.eraser.run),
            ("idle sessions and unsent replies", self._look_after),
            ("vectors that are missing", self.index_rest),
            ("review for signs of danger", self.safety_review.run),
            (
                "check-ins",
                Ticking(tick=self.safety_review.done_before(self.checkins.tick), every_s=self.settings.care.tick_s).run,
            ),
        ]
        if not self.awake.is_set():
            beside = [*((name, partial(once, self.awake, work)) for name, work in beside), ("waking up", self.prepare)]
        beside.append(("nobody else on the database", self.stores.stay_alone))
        pauses = PAUSES_S if stop is not None else ()
        serving = Serving(core=self, beside=beside, finish=self.finish, told=told, states=self.states, pauses_s=pauses)
        await serving.run(adapters, stop or asyncio.Event())

    async def finish(self) -> None:
        """What was taken in and is being answered is sent, within a deadline; what waits is kept for the next start."""
        self.conversations.close_intake()
        await self.conversations.aclose()

    async def finish_work(self, seconds: float) -> int:
        """Does the background work that is due after `serve`, for so long at most; returns how many jobs wait."""
        return await self.background.finish(seconds if self.awake.is_set() else 0)

    async def index_rest(self) -> None:
        """Makes the vectors for which the start did not wait."""
        while True:
            try:
                await self.indexer.catch_up()
            except (ModelError, StorageError) as error:
                _log.error("missing vectors wait", reason=str(error))
            else:
                return
            await asyncio.sleep(self.settings.session.idle_check_s)

    async def _look_after(self) -> None:
        """From time to time ends the sessions that have gone quiet, and tries again to send what is unsent."""
        while True:
            await asyncio.sleep(self.settings.session.idle_check_s)
            try:
                if await self.short_term.close_idle():
                    self.background.wake()
                await self.delivery.deliver_left_over()
                await self.keeping.look()
            except StorageError as error:
                _log.error("idle sessions and unsent replies wait for the storage", reason=str(error))


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    clock: Clock,
    messengers: Mapping[str, Messenger],
    with_model: bool = True,
    model: ChatModel | None = None,
    beside: ChatModel | None = None,
    encoder: Encoder | None = None,
    topics: TopicExtractor | None = None,
    gate: TraitGate | None = None,
    on_turn: Callable[[Turn], None] = lambda _turn: None,
    report: Report = quietly,
    beside_prompt: bool = False,
    metrics: Metrics | None = None,
    role: ProcessRole = ProcessRole.ALL,
    lock: DataFolderLock | None = None,
) -> AsyncIterator[App]:
    """Builds everything, and closes it in the opposite order. `report` is told each step in words.

    `model`, `beside`, `encoder`, `topics` and `gate` replace the configured ones, for tests. With `beside_prompt` the
    encoder and the tagger are loaded by `prepare`, which `serve` then runs beside the adapters. `metrics` is told of
    turns and of what the models do. `role`: what of it this process does (`roles.py`); a gateway loads no model.
    `lock`: the data folder's, where it is held already. Raises ConfigError, ModelUnavailable or StorageError, each with
    a sentence that says what to do.
    """
    async with AsyncExitStack() as stack:
        # numpy's threads wait for each other by spinning: on busy cores two are several times slower than one.
        stack.enter_context(threadpool_limits(limits=1, user_api="blas"))
        rest = await stack.enter_async_context(AsyncExitStack())
        late = await promised_encoder(settings.encoder) if beside_prompt and encoder is None else None
        report("Loading the text encoder …")
        encoder = encoder or late or await encoder_of(stack, settings.encoder)
        report("Opening the memory …")
        stores = await stack.enter_async_context(open_stores(settings, encoder.fingerprint, role, lock))
        if model is None and with_model and role is not ProcessRole.GATEWAY:
            report("Loading the language model …")
            model, beside = await models_of(stack, settings, report)
        if metrics is not None:
            model, beside, on_turn = metrics.measured(model), metrics.measured(beside), metrics.also(on_turn)
        late_topics = LateTopics()
        if topics is None and late is None:
            report("Loading the word lists …")
            topics = await asyncio.to_thread(load_topics)
        gate = gate or TrainedTraitGate.load(fingerprint=encoder.fingerprint)
        engines = Engines(model=model, encoder=encoder, topics=topics or late_topics, gate=gate, beside=beside)
        load_rest = partial(load, rest, settings.encoder, late, late_topics) if late is not None else nothing_to_load
        app = _assemble(settings, clock, messengers, stores, engines, on_turn, load_rest)
        stack.push_async_callback(app.checkins.aclose)
        stack.push_async_callback(app.refiner.aclose)
        stack.push_async_callback(app.eraser.aclose)
        stack.push_async_callback(app.conversations.aclose)
        yield app


def _assemble(
    settings: Settings,
    clock: Clock,
    messengers: Mapping[str, Messenger],
    stores: Stores,
    engines: Engines,
    on_turn: Callable[[Turn], None],
    load_rest: Callable[[], Awaitable[None]],
) -> App:
    awake = asyncio.Event()
    if load_rest is nothing_to_load:
        awake.set()
    ground = lay_ground(settings, clock, stores, engines, messengers)
    eraser = build_eraser(ground)
    reader = build_reader(ground)
    ground.later.opened = build_opened(ground, reader)
    ground.later.reunions = build_reunions(ground, reader)
    ground.later.composer = composer = build_composer(ground, reader)
    ground.later.checkins = checkins = build_checkins(ground, eraser, composer)
    ground.later.background = background = build_background(ground, eraser)
    generator = build_generator(ground)
    ground.later.conversations = conversations = build_conversations(ground, generator, on_turn, awake=awake.is_set())
    corrections = Corrector(
        corrections=stores.corrections, conversations=conversations, eraser=eraser, heed=ground.crisis_responder.heed
    )
    keeping = Keeping(
        channels=stores.channels,
        privacies=stores.privacies,
        sessions=stores.sessions,
        confirmations=stores.confirmations,
        eraser=eraser,
        clock=clock,
        settings=settings.privacy,
    )
    states = dict.fromkeys(messengers, "not started")
    vitals = VitalSigns(clock, conversations, stores.jobs, generator, states, settings.storage.data_dir)
    links = OneTimeLinks(clock)
    ground.later.commands = commands = build_commands(ground, eraser, vitals, links)
    below = {one.name: getattr(ground, one.name) for one in fields(ground)}
    return App(
        **below,
        background=background,
        conversations=conversations,
        corrections=corrections,
        eraser=eraser,
        keeping=keeping,
        safety_review=build_safety_review(ground, eraser),
        states=states,
        commands=commands,
        links=links,
        checkins=checkins,
        awake=awake,
        load_rest=load_rest,
    )
