"""Conversations on real stores, without the rest of the program: what arrives, what is answered, what is seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bot.clock import ManualClock
from bot.config import load_settings
from bot.conversation.answer_finder import AnswerFinder
from bot.conversation.consent import Consents
from bot.conversation.corrections import Corrector
from bot.conversation.crisis_responder import CrisisResponder, Help
from bot.conversation.delivery import Delivery
from bot.conversation.limits import TokenQuota
from bot.conversation.notices import Notices, Wish
from bot.conversation.prompt import PromptBuilder
from bot.conversation.queue import Conversations
from bot.conversation.reply_generator import ReplyGenerator
from bot.conversation.session import ShortTermMemory
from bot.conversation.turn import Turn, Turns
from bot.domain import AGENT_ID, Answer, Place, PlaceKind, Speaker, Utterance
from bot.indexing.indexing import Indexer
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.memory.eraser import Eraser
from bot.memory.recall import Recall
from bot.memory.refine import Refiner
from bot.storage.stores import Stores, open_stores
from tests.living import ANN, DM, START, UNASKED, Screen, WordTopics

HELP = "Please call 112."
"""What is said to somebody in danger."""
HALL = Place("test", PlaceKind.CHANNEL, "home/hall")


@dataclass
class Talk:
    """What a test says to the conversations, and what came of it."""

    stores: Stores
    conversations: Conversations
    corrector: Corrector
    screen: Screen
    clock: ManualClock
    model: ScriptedChatModel
    turns: list[Turn]
    woken: list[bool]
    consents: Consents
    number: int = 0
    said: list[Utterance] = field(default_factory=list)

    async def hear(
        self,
        text: str,
        speaker: Speaker = ANN,
        place: Place = DM,
        *,
        to_bot: bool | None = None,
        message_id: str = "",
        time: datetime | None = None,
        reply_to: str | None = None,
        to_other: bool = False,
    ) -> bool:
        """Hands one message over, and waits for nothing. In a DM it is for the companion, unless told otherwise."""
        self.number += 1
        utterance = Utterance(
            place,
            message_id or f"m{self.number}",
            speaker,
            text,
            time or self.clock.now(),
            to_bot=place.kind is PlaceKind.DM if to_bot is None else to_bot,
            reply_to=reply_to,
            to_other=to_other,
        )
        self.said.append(utterance)
        return await self.conversations.receive(utterance)

    async def say(self, text: str, speaker: Speaker = ANN, place: Place = DM, *, to_bot: bool | None = None) -> bool:
        """Hands one message over, and waits until it is dealt with."""
        taken = await self.hear(text, speaker, place, to_bot=to_bot)
        await self.conversations.idle()
        return taken

    async def heard(self, place: Place = DM) -> list[str]:
        """All that is stored of `place`, the companion's words included."""
        return [utterance.text for utterance in await self.stores.utterances.recent(place, 1000)]

    @property
    def replies(self) -> list[str]:
        """What was sent, in order, notices included."""
        return [outgoing.text for outgoing in self.screen.sent]

    @property
    def prompts(self) -> list[str]:
        """What the model was asked, each request as one text."""
        return ["\n".join(message.content for message in request.messages) for request in self.model.requests]


async def no_wish(_utterance: Utterance) -> Answer | None:
    """Nobody wishes anything."""
    return None


@asynccontextmanager
async def open_talk(
    folder: Path,
    model: ScriptedChatModel | None = None,
    *,
    screen: Screen | None = None,
    clock: ManualClock | None = None,
    wish: Wish = no_wish,
    finder: AnswerFinder | None = None,
    **overrides: object,
) -> AsyncIterator[Talk]:
    """Opens conversations in `folder`; what waits there from before is taken up."""
    settings = load_settings(None, {}, **{"storage__data_dir": str(folder), **UNASKED, **overrides})
    clock, screen, model = clock or ManualClock(START), screen or Screen(), model or ScriptedChatModel("I see.")
    encoder, turned, woken = ScriptedEncoder(), list[Turn](), list[bool]()
    async with open_stores(settings, encoder.fingerprint) as stores:
        refiner = Refiner(
            model=model,
            events=stores.events,
            utterances=stores.utterances,
            jobs=stores.jobs,
            topics=WordTopics(),
            clock=clock,
            memory=settings.memory,
            background=settings.background,
        )
        delivery = Delivery(outbox=stores.outbox, messengers={"test": screen}, pauses_s=(0.0, 0.0))
        consents = Consents(privacies=stores.privacies, settings=settings.privacy)
        crisis_responder = CrisisResponder(
            utterances=stores.utterances,
            consents=consents,
            settings=settings.safety,
            text_of=lambda *_: Help(HELP, sure=True),
        )
        notices = Notices(consents=consents, delivery=delivery, clock=clock, settings=settings, wish=wish)
        turns = Turns(
            inbox=stores.inbox,
            outbox=stores.outbox,
            utterances=stores.utterances,
            short_term=ShortTermMemory(sessions=stores.sessions, clock=clock, settings=settings.session),
            recall=Recall(
                events=stores.events,
                traits=stores.traits,
                passages=stores.passages,
                graph=stores.graph,
                index=stores.index,
                encoder=encoder,
                topics=WordTopics(),
                clock=clock,
                memory=settings.memory,
                persona=settings.persona,
            ),
            refiner=refiner,
            prompts=PromptBuilder(model=model, card=settings.agent, settings=settings.prompt, reply_tokens=100),
            generator=ReplyGenerator(model=model, settings=settings.model),
            delivery=delivery,
            token_quota=TokenQuota(usage=stores.usage, clock=clock, settings=settings.limits),
            crisis_responder=crisis_responder,
            notices=notices,
            clock=clock,
            agent=Speaker(AGENT_ID, settings.agent.name),
            finder=finder,
        )
        conversations = Conversations(
            inbox=stores.inbox,
            channels=stores.channels,
            utterances=stores.utterances,
            turns=turns,
            delivery=delivery,
            consents=consents,
            crisis_responder=crisis_responder,
            clock=clock,
            settings=settings,
            on_turn=turned.append,
            grace_s=5.0,
            pauses_s=(0.0, 0.0),
        )
        indexer = Indexer(
            events=stores.events,
            traits=stores.traits,
            passages=stores.passages,
            index=stores.index,
            encoder=ScriptedEncoder(),
        )
        eraser = Eraser(
            erasures=stores.erasures,
            indexer=indexer,
            index=stores.index,
            disk=stores.disk,
            clock=clock,
            settings=settings.privacy,
            on_erased=conversations.deleted,
            wake=lambda: woken.append(True),
        )
        corrector = Corrector(corrections=stores.corrections, conversations=conversations, eraser=eraser)
        await delivery.deliver_left_over()
        await conversations.take_up()
        try:
            yield Talk(stores, conversations, corrector, screen, clock, model, turned, woken, consents)
        finally:
            await conversations.aclose()
            await refiner.aclose()


async def until(condition: Callable[[], bool]) -> None:
    """Waits until something is so; fails after many seconds."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.002)
