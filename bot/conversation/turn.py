"""One message → one reply.

    inbox row → session → recall → prompt → model → outbox row → platform

Every arrow is a point where the process may be killed. What is in the inbox is taken up again at the next start; what
is in the outbox is sent then, and never made a second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import structlog

from bot.conversation.delivery import Delivery
from bot.conversation.prompt import PromptBuilder
from bot.conversation.session import ShortTermMemory
from bot.conversation.stopwatch import Stopwatch
from bot.conversation.voice import Spoken, Voice
from bot.domain import (
    AGENT_ID,
    Job,
    JobKind,
    Outgoing,
    Recollection,
    Session,
    Speaker,
    Utterance,
)
from bot.errors import IndexUnusable
from bot.memory.recall import Recall
from bot.ports import Clock, Inbox, Outbox, Utterances

CARRIED_OVER = 4
"""Utterances of a session up to which the end of a full session before it is still shown to the model."""

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
    """Does the work of one place's worker. Without `prompts` and `voice`, all but the reply (`replay --no-model`)."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        outbox: Outbox,
        utterances: Utterances,
        short_term: ShortTermMemory,
        recall: Recall,
        prompts: PromptBuilder | None,
        voice: Voice | None,
        delivery: Delivery,
        clock: Clock,
        agent: Speaker,
    ) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._utterances = utterances
        self._short_term = short_term
        self._recall = recall
        self._prompts = prompts
        self._voice = voice
        self._delivery = delivery
        self._clock = clock
        self._agent = agent

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
            session = await self._with_what_went_before(await self._short_term.take_in(utterances))
        recalled = await self._recollect(session, utterances, watch)
        if self._voice is None or self._prompts is None:
            await self._inbox.remembered([utterance.id for utterance in utterances], _trait_jobs(utterances))
            return Turn(tuple(utterances), recalled, stages_ms=watch.stages_ms)
        with watch.stage("prompt"):
            prompt = self._prompts.build(session, utterances[-1], recalled, self._clock.now())
        with watch.stage("model"):
            said_before = {line.text for line in session.utterances if line.speaker.is_agent}
            spoken = await self._voice.speak(prompt, session.place, said_before)
        with watch.stage("commit"):
            outgoing = await self._commit(spoken, utterances, prompt.used)
        with watch.stage("send"):
            if outgoing is not None:
                await self._delivery.deliver(outgoing)
        return Turn(tuple(utterances), recalled, prompt.tokens, spoken.text, watch.stages_ms, prompt.used)

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
            try:
                return await self._recall.recollect(query, session.place, speaker_ids, opening=opening)
            except IndexUnusable as error:
                _log.error("answering without memories: the index cannot be used", reason=str(error))
                return Recollection()

    async def _with_what_went_before(self, session: Session) -> Session:
        """A session that has just begun because the one before was full, with the end of that one in front."""
        first = session.utterances[0]
        if len(session.utterances) >= CARRIED_OVER:
            return session
        lines = await self._utterances.recent(session.place, 2 * CARRIED_OVER)
        before = [line for line in lines if line.id < first.id and first.time - line.time <= self._short_term.beta]
        return replace(session, utterances=(*before, *session.utterances)) if before else session

    async def _commit(self, spoken: Spoken, utterances: Sequence[Utterance], used: Recollection) -> Outgoing | None:
        latest = utterances[-1]
        reply = Utterance(
            place=latest.place,
            message_id=f"reply:{latest.id}",
            speaker=self._agent,
            text=spoken.text,
            time=max(self._clock.now(), latest.time),
            to_bot=False,
            reply_to=latest.message_id,
        )
        jobs = _trait_jobs(utterances) if spoken.failed else [*_trait_jobs(utterances), Job(JobKind.TRAITS, subject=0)]
        return await self._outbox.commit(reply, [utterance.id for utterance in utterances], used, jobs)


def _trait_jobs(utterances: Sequence[Utterance]) -> list[Job]:
    return [Job(JobKind.TRAITS, subject=utterance.id) for utterance in utterances]
