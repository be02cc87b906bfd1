"""What arrives: whether it is for the companion, whether it is kept, and the worker that deals with it.

One worker per place: serial within a conversation, parallel across conversations.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import InitVar, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot import texts
from bot.config import Settings
from bot.conversation.addressing import calls_agent
from bot.conversation.consent import Consents, Standing
from bot.conversation.crisis_responder import CrisisResponder
from bot.conversation.delivery import Delivery
from bot.conversation.limits import WINDOW, Excess, Pace
from bot.conversation.modes import Modes
from bot.conversation.opted_out import OptedOut
from bot.conversation.overhearing import Overhearing
from bot.conversation.turn import Turn, Turns
from bot.conversation.worker import Worker
from bot.domain import ChannelMode, Place, PlaceKind, SessionLimits, Utterance
from bot.ports import Channels, Clock, Inbox, Utterances

PAUSES_S = (0.5, 3.0)
"""Seconds before a turn that failed is tried again."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Conversations:
    """Takes utterances in and has each place's worker deal with them in order.

    `on_turn` is told of every turn that has ended. `aclose` lets the turns that run end, for `grace_s` seconds, and
    cancels them then; what they had not finished is still in the inbox. Not `awake`, it stores what arrives and begins
    no turn before `wake_up`.
    """

    inbox: Inbox
    channels: Channels
    utterances: Utterances
    turns: Turns
    delivery: Delivery
    consents: Consents
    crisis_responder: CrisisResponder
    clock: Clock
    settings: Settings
    on_turn: Callable[[Turn], None] = lambda _turn: None
    grace_s: float = 10.0
    pauses_s: tuple[float, ...] = PAUSES_S
    awake: InitVar[bool] = True
    worker_of: Callable[..., Worker] = Worker

    def __post_init__(self, awake: bool) -> None:
        self._agent_name = self.settings.agent.name
        self._awake = asyncio.Event()
        if awake:
            self._awake.set()
        self._pace = Pace(self.settings.limits, self.settings.queue.max_pending)
        self._modes = Modes(channels=self.channels, default=self.settings.channels.mode)
        self._overhearing = Overhearing(
            utterances=self.utterances,
            settings=self.settings.channels,
            clock=self.clock,
            modes=self._modes,
            quiet=self._quiet,
            join=self._join,
        )
        self._taken_up: set[Place] = set()
        """Where nothing is left from before this process began."""
        self._workers: dict[Place, Worker] = {}
        self._notices: set[asyncio.Task[object]] = set()
        self._opted_out = OptedOut(delivery=self.delivery, crisis_responder=self.crisis_responder, clock=self.clock)
        self._flooded: datetime | None = None
        """When a flood was last logged."""
        self._closing = False
        self._joins = SessionLimits(timedelta(seconds=self.settings.session.beta_s), self.settings.session.max_words)

    @property
    def waiting(self) -> int:
        """How many utterances are not dealt with yet."""
        return sum(worker.waiting for worker in self._workers.values())

    @property
    def places(self) -> int:
        """In how many places something is being dealt with."""
        return sum(worker.task is not None for worker in self._workers.values())

    async def receive(self, utterance: Utterance) -> bool:
        """Stores `utterance` and has it dealt with; False when it was stored before, or is not to be stored.

        It is not to be stored where the channel's mode says so, and when it wants a reply and there is too much
        already: then its place is told, once, from which message on. Where all is remembered, that is, too, only
        without a reply, as far as `Pace.keeps` goes. Of what wants no reply a flood is passed over; what is answered
        together with what its speaker said right before is never too much, nor is a cry for help. What its speaker has
        not agreed to have kept is stored for its session only; of somebody who has opted out, nothing is.
        """
        admitted = await self._admitted(utterance)
        if admitted is None:
            return False
        utterance, mode = admitted
        if utterance.caught_up and await self.inbox.was_refused(utterance):
            return False  # its people were told; what was said after it may have been answered
        taken = await self._within_limits(utterance, mode)
        if taken is None:
            return False
        utterance = taken
        worker = self._worker(utterance.place)
        stored = await self._store(utterance, worker)
        if stored is None:
            return False
        _log.info("a message is taken in", turn=stored.id, platform=stored.place.platform, asks=stored.to_bot)
        if self._closing:
            self._tidy(utterance.place)
            return True
        worker.add(stored)
        if mode is ChannelMode.OPEN and not stored.speaker.is_agent:
            self._overhearing.heard(stored)
        return True

    async def _within_limits(self, utterance: Utterance, mode: ChannelMode | None) -> Utterance | None:
        """The utterance as it can be stored, maybe without a reply; None: it is too much. Its place has been told."""
        worker = self._worker(utterance.place)
        excess = self._excess(utterance, worker)
        if excess is None or await asyncio.to_thread(self.crisis_responder.is_needed, utterance.text):
            return utterance
        if excess is Excess.OVERHEARD:
            self._pass_over(utterance)
            return None
        kept = mode in {ChannelMode.LISTEN, ChannelMode.OPEN} and self._pace.keeps(utterance)
        self._refuse(utterance, excess, worker, kept=kept)
        if kept:
            return replace(utterance, to_bot=False)
        await self.inbox.refused(utterance)
        return None

    async def take_up(self) -> int:
        """Enqueues what is in the inbox and not being dealt with; returns how many utterances.

        What wants a reply in a place that cannot be reached now waits until it can.
        """
        left = [utterance for utterance in await self.inbox.pending() if not self._knows(utterance)]
        taken = [utterance for utterance in left if not utterance.to_bot or self.delivery.reaches(utterance.place)]
        if self._closing:
            return 0
        for utterance in taken:
            self._worker(utterance.place).add(utterance)
        self._taken_up |= {utterance.place for utterance in taken if self.delivery.reaches(utterance.place)}
        return len(taken)

    def edited(self, utterances: Iterable[Utterance]) -> None:
        """Says that these utterances have another text now."""
        for utterance in utterances:
            worker = self._workers.get(utterance.place)
            if worker is not None:
                worker.correct(utterance)

    async def deleted(self, utterances: Iterable[Utterance]) -> None:
        """Says that these utterances have been erased: what waits is not answered, and no reply to it is shown."""
        if self.turns.reading is not None:
            await self.turns.reading.aclose()
        places: defaultdict[Place, set[int]] = defaultdict(set)
        for utterance in utterances:
            places[utterance.place].add(utterance.id)
        for place, ids in places.items():
            worker = self._workers.get(place)
            if worker is None or not (worker.drop(ids) or worker.busy):
                await self.delivery.retract(place)  # of a reply that was growing when the process ended

    async def _admitted(self, utterance: Utterance) -> tuple[Utterance, ChannelMode | None] | None:
        """The utterance as it is to be stored, with its channel's mode (None: a DM); None when it is not to be."""
        mode = None if utterance.place.kind is PlaceKind.DM else await self._modes.of(utterance.place)
        by_person = mode is not None and mode is not ChannelMode.OFF and not utterance.speaker.is_agent
        if by_person and calls_agent(utterance.text, self._agent_name):
            utterance = replace(utterance, to_bot=True)
        if mode is ChannelMode.OFF or (mode is ChannelMode.MENTION and not utterance.to_bot):
            return None
        standing = await self.consents.standing(utterance)
        if standing is Standing.UNREAD:
            self._leave_unread(utterance)
            return None
        refused = standing is Standing.REFUSED or utterance.off_record  # what is never meant to be kept, as a sign
        off_record = refused or standing is Standing.OFF_RECORD
        quoting = utterance.quoting
        if quoting is not None and not await self.consents.may_quote(quoting.speaker_id, utterance.place):
            quoting = None
        return replace(utterance, off_record=off_record, refused=refused, quoting=quoting), mode

    async def reads(self, place: Place) -> bool:
        """Whether anything said in this place is read at all."""
        return place.kind is PlaceKind.DM or await self._modes.of(place) is not ChannelMode.OFF

    async def reads_place_of(self, platform: str, message_id: str) -> bool:
        """Whether the place of this message is read at all; True, too, when the message is not stored."""
        found = (await self.utterances.by_message(platform, [message_id])).get(message_id)
        return found is None or await self.reads(found.place)

    async def keeps_edited(self, platform: str, message_id: str, text: str) -> bool:
        """Whether an edited message may be stored with its new words as it was stored; True when it is not stored."""
        found = (await self.utterances.by_message(platform, [message_id])).get(message_id)
        if found is None or found.off_record or found.speaker.is_agent:
            return True
        return await self.consents.standing(replace(found, text=text)) is Standing.KEPT

    def hush(self, place: Place, speaker_id: str) -> bool:
        """Gives up the reply that is thought of there, if this speaker asked for it; False: none, or too late."""
        worker = self._workers.get(place)
        return worker is not None and worker.hush(speaker_id)

    def forget_mode(self, place: Place) -> None:
        """Says that the mode of `place` was set, after it was: what is under way there obeys it, if unseen."""
        self._modes.forget(place)
        self._overhearing.forget_mode(place)
        for worker in self._workers.values():
            if place.covers(worker.place):
                worker.mode_changed()

    async def idle(self) -> None:
        """Waits until nothing is being dealt with. Does not wait for silence in open channels."""
        while running := self._running():
            await asyncio.wait(running)

    def wake_up(self) -> None:
        """From now on what is stored is dealt with."""
        self._awake.set()

    async def read_ahead(self) -> None:
        """Has the model read what every prompt begins with, so that the first reply need not wait for it."""
        await self.turns.read_ahead()

    async def rested(self) -> None:
        """Waits until the model has read what the next prompts begin with, where it does that between messages."""
        if self.turns.reading is not None:
            await self.turns.reading.idle()

    def close_intake(self) -> None:
        """From now on what arrives is stored and left to the next start. The turns that run go on."""
        self._closing = True
        for worker in self._workers.values():
            worker.close()
        self._awake.set()  # who still waited for it has nothing left to do

    async def aclose(self) -> None:
        """Lets running turns end for `grace_s` seconds, then cancels them."""
        self.close_intake()
        await self._overhearing.aclose()
        if running := self._running():
            _, late = await asyncio.wait(running, timeout=self.grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        if self.turns.reading is not None:
            await self.turns.reading.aclose()

    async def _store(self, utterance: Utterance, worker: Worker) -> Utterance | None:
        """Stores an utterance, counted as one that arrives and, when it wants a reply, as one that is let in."""
        worker.arriving += 1
        worker.arriving_asked += utterance.to_bot
        if utterance.to_bot:
            self._pace.count(utterance)
        stored: Utterance | None = None
        try:
            await self._take_up_first(worker)
            alone = utterance.place.kind is PlaceKind.DM and worker.idle and worker.arriving == 1
            stored = await self.inbox.accept(utterance, self._joins if alone else None)
        finally:
            worker.arriving -= 1
            worker.arriving_asked -= utterance.to_bot
            if stored is None:
                if utterance.to_bot:
                    self._pace.discount(utterance)
                self._tidy(utterance.place)
        return stored

    async def _take_up_first(self, worker: Worker) -> None:
        """What waits in a place from before this process began comes before what arrives: asked once for each place."""
        async with worker.intake:
            if self._closing or worker.place in self._taken_up:
                return
            for left in await self.inbox.pending(worker.place):
                worker.add(left)
            self._taken_up.add(worker.place)

    def _excess(self, utterance: Utterance, worker: Worker) -> Excess | None:
        """What would be too much. What was missed and is caught up now may wait in any number: its senders are gone."""
        if not utterance.to_bot:
            heard = utterance.speaker.is_agent or utterance.place.kind is PlaceKind.DM or self._pace.hears(utterance)
            return None if heard else Excess.OVERHEARD
        caught_up = self.clock.now() - utterance.time > WINDOW
        excess = self._pace.excess(utterance, 0 if caught_up else worker.asked)
        return None if excess is Excess.PERSON and worker.joins(utterance) else excess

    def _pass_over(self, utterance: Utterance) -> None:
        """Leaves a message of a flood alone; the log says so once a minute."""
        self._tidy(utterance.place)
        if self._flooded is None or abs(utterance.time - self._flooded) >= WINDOW:
            self._flooded = utterance.time
            _log.warning("messages of a flood are not read", place=utterance.place.key)

    def _refuse(self, utterance: Utterance, excess: Excess, worker: Worker, *, kept: bool) -> None:
        """Tells the place that a message will not be answered, once, without waiting for it."""
        place, asked, empty = utterance.place, worker.asked, not worker.busy
        self._tidy(place)
        if self._closing or not self._pace.tells(place, utterance.time, empty=empty, kept=kept):
            return
        _log.warning("messages are refused", place=place.key, excess=excess.value)
        text = {
            Excess.PLACE: (texts.PLACE_FULL_HEARD if kept else texts.PLACE_FULL).format(count=asked),
            Excess.PERSON: texts.PERSON_TOO_FAST_HEARD if kept else texts.PERSON_TOO_FAST,
            Excess.SERVER: texts.SERVER_TOO_FAST_HEARD if kept else texts.SERVER_TOO_FAST,
        }[excess]
        self._notice(self.delivery.notice(place, text, in_reply_to=utterance.message_id), place)

    def _leave_unread(self, utterance: Utterance) -> None:
        """Stores nothing of somebody who has opted out; who speaks to the companion is told, and helped."""
        if not self._closing and self._opted_out.are_to_be_told(utterance):
            self._notice(self._opted_out.tell(utterance), utterance.place)

    def _notice(self, telling: Coroutine[Any, Any, object], place: Place) -> None:
        # Owned by `_notices`, which idle() and aclose() wait for.
        task = asyncio.get_running_loop().create_task(telling, name=f"notice in {place.key}")
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)

    def _join(self, utterance: Utterance) -> None:
        """Has the companion answer something that nobody asked it."""
        if not self._closing and self.delivery.reaches(utterance.place):
            self._worker(utterance.place).add(replace(utterance, to_bot=True), voluntary=True)

    async def _quiet(self, place: Place) -> None:
        """Waits until nothing is being dealt with in `place`."""
        while (worker := self._workers.get(place)) is not None and worker.task is not None:
            await asyncio.wait({worker.task})

    def _running(self) -> Sequence[asyncio.Task[Any]]:
        return [*(one.task for one in self._workers.values() if one.task is not None), *self._notices]

    def _knows(self, utterance: Utterance) -> bool:
        worker = self._workers.get(utterance.place)
        return worker is not None and worker.knows(utterance.id)

    def _worker(self, place: Place) -> Worker:
        """The worker of `place`. One that is given nothing to do is forgotten by `_tidy`."""
        worker = self._workers.get(place)
        if worker is None:
            worker = self.worker_of(
                place=place,
                turns=self.turns,
                delivery=self.delivery,
                modes=self._modes,
                pauses_s=self.pauses_s,
                on_turn=self.on_turn,
                on_empty=self._emptied,
                awake=self._awake,
            )
            self._workers[place] = worker
        return worker

    def _emptied(self, place: Place) -> None:
        self._pace.emptied(place)
        self._tidy(place)

    def _tidy(self, place: Place) -> None:
        """Forgets a place in which nothing is going on."""
        if (worker := self._workers.get(place)) is not None and not worker.busy:
            del self._workers[place]
