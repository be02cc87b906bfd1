"""One message → one reply.

    inbox row → session → recall → prompt → model → outbox row → platform

Every arrow is a point where the process may be killed. What is in the inbox is taken up again at the next start; what
is in the outbox is sent then, and never made a second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from bot import texts
from bot.config import Model as ModelSettings
from bot.conversation.delivery import Delivery
from bot.conversation.prompt import Prompt, PromptBuilder
from bot.conversation.reply import clean, stop_texts, whole_sentences
from bot.conversation.session import ShortTermMemory
from bot.conversation.stopwatch import Stopwatch
from bot.domain import (
    AGENT_ID,
    FinishReason,
    GenerationRequest,
    Job,
    JobKind,
    Outgoing,
    Place,
    Recollection,
    Session,
    Speaker,
    Utterance,
)
from bot.errors import ModelError
from bot.memory.recall import Recall
from bot.ports import ChatModel, Clock, Inbox, Outbox

CALM_TEMPERATURE = 0.2
"""Very small models are held to it. SmolLM2-135M answers as aptly up to 0.4 as greedily, and less so at 0.7."""

NOTES_BEGIN = ("\n(",)
"""Where very small models go on to recite the notes that they were shown."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened: for `bot replay`, benchmarks and tests."""

    utterances: tuple[Utterance, ...]
    recalled: Recollection = field(default_factory=Recollection)
    prompt_tokens: int = 0
    reply: str | None = None
    stages_ms: dict[str, float] = field(default_factory=dict)
    shown: Recollection = field(default_factory=Recollection)
    """What of `recalled` the model was shown."""


class Turns:
    """Does the work of one place's worker. `model` None: everything but the reply (`bot replay --no-model`)."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        outbox: Outbox,
        short_term: ShortTermMemory,
        recall: Recall,
        prompts: PromptBuilder | None,
        model: ChatModel | None,
        delivery: Delivery,
        clock: Clock,
        agent: Speaker,
        settings: ModelSettings,
    ) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._short_term = short_term
        self._recall = recall
        self._prompts = prompts
        self._model = model
        self._delivery = delivery
        self._clock = clock
        self._agent = agent
        self._settings = settings

    async def remember(self, utterances: Sequence[Utterance]) -> Turn:
        """Takes in what is not for the bot: no reply."""
        watch = Stopwatch()
        with watch.stage("session"):
            await self._short_term.take_in(utterances)
        with watch.stage("commit"):
            await self._inbox.remembered([utterance.id for utterance in utterances], _trait_jobs(utterances))
        return Turn(tuple(utterances), stages_ms=watch.stages_ms)

    async def answer(self, utterances: Sequence[Utterance]) -> Turn:
        """Answers `utterances`, a burst of one speaker in one place, with one reply."""
        watch = Stopwatch()
        with watch.stage("session"):
            session = await self._short_term.take_in(utterances)
        recalled = await self._recollect(session, utterances, watch)
        if self._model is None or self._prompts is None:
            await self._inbox.remembered([utterance.id for utterance in utterances], _trait_jobs(utterances))
            return Turn(tuple(utterances), recalled, stages_ms=watch.stages_ms)
        with watch.stage("prompt"):
            prompt = self._prompts.build(session, utterances[-1], recalled, self._clock.now())
        with watch.stage("model"):
            text, failed = await self._generate(self._model, prompt, session.place)
        with watch.stage("commit"):
            outgoing = await self._commit(text, utterances, prompt.used, failed=failed)
        with watch.stage("send"):
            if outgoing is not None:
                await self._delivery.deliver(outgoing)
        return Turn(tuple(utterances), recalled, prompt.tokens, text, watch.stages_ms, prompt.used)

    async def _recollect(self, session: Session, utterances: Sequence[Utterance], watch: Stopwatch) -> Recollection:
        latest = utterances[-1]
        present = dict.fromkeys(utterance.speaker.id for utterance in reversed(session.utterances))
        speaker_ids = [
            latest.speaker.id,
            *(key for key in present if key not in {latest.speaker.id, AGENT_ID}),
            AGENT_ID,
        ]
        with watch.stage("encode"):
            query = await self._recall.query("\n".join(utterance.text for utterance in utterances))
        with watch.stage("recall"):
            opening = not any(utterance.speaker.is_agent for utterance in session.utterances)
            return await self._recall.recollect(query, session.place, speaker_ids, opening=opening)

    async def _generate(self, model: ChatModel, prompt: Prompt, place: Place) -> tuple[str, bool]:
        """The reply's text, and whether it is only an apology because the model failed."""
        small = not model.description.follows_instructions
        request = GenerationRequest(
            prompt.messages,
            max_tokens=self._settings.max_new_tokens,
            temperature=min(self._settings.temperature, CALM_TEMPERATURE) if small else self._settings.temperature,
            top_p=self._settings.top_p,
            stop=stop_texts(prompt.labels) + (NOTES_BEGIN if small else ()),
            deadline=timedelta(seconds=self._settings.deadline_s),
        )
        said, finish = "", None
        try:
            async with self._delivery.typing(place):
                async for chunk in model.stream(request):
                    said, finish = said + chunk.text, chunk.finish
                    await self._delivery.show(place, clean(said, prompt.labels, finished=False))
        except ModelError as error:
            _log.error("no reply from the model", error=type(error).__name__, reason=str(error))
            return texts.MODEL_FAILED, True
        text = clean(said, prompt.labels)
        if finish in {FinishReason.LENGTH, FinishReason.DEADLINE}:
            text = whole_sentences(text)
        return text or texts.EMPTY_REPLY, False

    async def _commit(
        self, text: str, utterances: Sequence[Utterance], used: Recollection, *, failed: bool
    ) -> Outgoing | None:
        latest = utterances[-1]
        reply = Utterance(
            place=latest.place,
            message_id=f"reply:{latest.id}",
            speaker=self._agent,
            text=text,
            time=max(self._clock.now(), latest.time),
            to_bot=False,
            reply_to=latest.message_id,
        )
        jobs = _trait_jobs(utterances) if failed else [*_trait_jobs(utterances), Job(JobKind.TRAITS, subject=0)]
        return await self._outbox.commit(reply, [utterance.id for utterance in utterances], used, jobs)


def _trait_jobs(utterances: Sequence[Utterance]) -> list[Job]:
    return [Job(JobKind.TRAITS, subject=utterance.id) for utterance in utterances]
