"""One message → one reply.

    inbox row → session → recall → prompt → model → outbox row → platform

Every arrow is a point where the process may be killed. What is in the inbox is taken up again at the next start; what
is in the outbox is sent then, and never made a second time.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import structlog

from bot import texts
from bot.conversation.addressing import without_name
from bot.conversation.answer_finder import AnswerFinder
from bot.conversation.context import Context
from bot.conversation.crisis_responder import CrisisResponder, Help, help_said
from bot.conversation.delivery import Delivery
from bot.conversation.last_prompts import LastPrompts
from bot.conversation.limits import TokenQuota
from bot.conversation.meeting import Reunion
from bot.conversation.notices import Notices
from bot.conversation.phrases import spoken_here
from bot.conversation.progress import Progress
from bot.conversation.prompt import Prompt, PromptBuilder
from bot.conversation.reading_ahead import ReadingAhead
from bot.conversation.reply_generator import ReplyGenerator, Spoken
from bot.conversation.scene import Background
from bot.conversation.session import ShortTermMemory
from bot.conversation.stopwatch import Stopwatch
from bot.domain import AGENT_ID, Job, JobKind, Outgoing, Recollection, Session, Speaker, Utterance
from bot.errors import IndexUnusable, ModelError, PromptTooLong, StorageError
from bot.language.attachments import Kind, attachments_of, only_marks
from bot.memory.recall import Recall
from bot.memory.refine import Refiner
from bot.ports import Clock, Inbox, Outbox, Utterances

MOST_ATTEMPTS = 5
"""How often a reply is thought of anew, because something that it was made of has been erased meanwhile."""

MOST_PROMPTS = 3
"""How often the model is asked, each time with a shorter prompt, where one is too long for it."""

SHORTER = 0.75
"""How much of a prompt that was too long the next one may have."""

RECENT_LINES = 2
"""Utterances before what was just said that recall may look at: keys have three at most (KeyNext)."""

Backgrounds = Callable[[Session], Awaitable[Background | None]]
"""Why the companion opened a session; None: it did not."""

_log = structlog.get_logger(__name__)


async def unopened(_session: Session) -> None:
    """No session was opened by the companion."""


Reunions = Callable[[Session], Awaitable[Reunion | None]]
"""What a greeting after a while is answered with; None: it is no such."""


async def no_reunion(_session: Session) -> None:
    """Nobody comes back."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened: for `lab replay`, benchmarks and tests."""

    utterances: tuple[Utterance, ...]
    recalled: Recollection = field(default_factory=Recollection)
    prompt_tokens: int = 0
    reply: str | None = None
    stages_ms: dict[str, float] = field(default_factory=dict)
    shown: Recollection = field(default_factory=Recollection)
    """What of `recalled` the model was shown."""


@dataclass(frozen=True, slots=True)
class _Thought:
    """What is going to be said, and what it was made of."""

    spoken: Spoken
    recalled: Recollection = field(default_factory=Recollection)
    shown: Recollection = field(default_factory=Recollection)
    prompt_tokens: int = 0
    lines: Mapping[int, str] = field(default_factory=dict)
    """Id of an utterance that the model was shown, whole or in part → what it said then."""
    prompt: Prompt | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class Turns:
    """Does the work of a place's worker. Without `prompts` and `generator`, all but the reply (`replay --no-model`)."""

    inbox: Inbox
    outbox: Outbox
    utterances: Utterances
    short_term: ShortTermMemory
    recall: Recall
    prompts: PromptBuilder | None
    generator: ReplyGenerator | None
    delivery: Delivery
    token_quota: TokenQuota
    refiner: Refiner
    crisis_responder: CrisisResponder
    notices: Notices
    clock: Clock
    agent: Speaker
    background: Backgrounds = unopened
    reunion: Reunions = no_reunion
    last_prompts: LastPrompts = field(default_factory=lambda: LastPrompts(()))
    reading: ReadingAhead | None = None
    """None: nothing is read ahead."""
    finder: AnswerFinder | None = None
    """None: what answers a question is found by rules alone."""

    def __post_init__(self) -> None:
        self._context = Context(utterances=self.utterances, short_term=self.short_term)

    async def read_ahead(self) -> None:
        """Has the model read what every prompt begins with, where it keeps that."""
        if self.reading is not None and self.prompts is not None:
            await self.reading.read(self.prompts.beginnings(spoken_here()))

    async def remember(self, utterances: Sequence[Utterance]) -> Turn:
        """Takes in what is not for the bot: no reply."""
        watch = Stopwatch()
        with watch.stage("session"):
            await self.short_term.take_in(utterances)
        with watch.stage("commit"):
            await self._remembered(utterances)
        self.crisis_responder.heed(utterances)
        return Turn(tuple(utterances), stages_ms=watch.stages_ms)

    async def set_aside(self, utterances: Sequence[Utterance]) -> Turn:
        """Takes utterances off the inbox and nothing else: nothing is learned from them, nothing is said to them."""
        await self.inbox.remembered([utterance.id for utterance in utterances])
        await self.delivery.retract(utterances[-1].place)
        return Turn(tuple(utterances))

    async def answer(self, utterances: Sequence[Utterance], progress: Progress) -> Turn:
        """Answers `utterances`, a burst of one speaker in one place, with one reply.

        Raises CancelledError when `progress` is asked to stop before the reply is settled; it can be begun anew then.
        """
        watch, mark = Stopwatch(), self.last_prompts.mark
        if self.reading is not None:
            await self.reading.stop(utterances[-1].place)
        with watch.stage("session"):
            session = await self._context.take_in(utterances)
        if self.generator is None or self.prompts is None:
            recalled = await self._recollect(session, utterances, watch)
            await self._remembered(utterances)
            return Turn(tuple(utterances), recalled, stages_ms=watch.stages_ms)
        aid = await self.crisis_responder.listen(utterances)
        thought = await self._without_model(utterances, aid, progress)
        if thought is None:
            await self.notices.before(utterances, session)
        if thought is None and not progress.voluntary and await self.notices.instead(utterances):
            await self.inbox.remembered([utterance.id for utterance in utterances])
            return Turn(tuple(utterances), stages_ms=watch.stages_ms)
        if thought is None and await self.token_quota.used_up(utterances[-1]):
            await self._leave_unanswered(utterances, aid, progress)
            return Turn(tuple(utterances), stages_ms=watch.stages_ms)
        outgoing, left = None, list(utterances)
        for _ in range(MOST_ATTEMPTS):
            thought = thought or await self._think(self.generator, self.prompts, session, left, aid, progress, watch)
            unasked = progress.voluntary and thought.spoken.fixed
            with watch.stage("commit"):
                outgoing = None if unasked else await self._commit(thought, left)
            if outgoing is not None or progress.voluntary or not (left := await self._left_to_answer(left)):
                break
            session, aid = await self._context.take_in(left), await self.crisis_responder.listen(left)
            thought = await self._without_model(left, aid, progress)
        if outgoing is None or thought is None:
            await self.delivery.retract(session.place)
            return Turn(tuple(utterances), stages_ms=watch.stages_ms)
        if thought.prompt is not None:
            self.last_prompts.keep(left, session, thought.prompt, mark)
        with watch.stage("send"):
            await self.delivery.deliver(outgoing)
            await self.notices.after(utterances[-1])
        self.refiner.prepare(session, thought.shown.timelines, session.utterances)
        if mark == self.last_prompts.mark:  # else something was erased, which is not to be read anew
            await self._read_on(session, self._reply_of(thought, utterances[-1]))
        said = thought.spoken.text
        return Turn(tuple(utterances), thought.recalled, thought.prompt_tokens, said, watch.stages_ms, thought.shown)

    async def still_stored(self, utterances: Sequence[Utterance]) -> list[Utterance]:
        """Those that have not been erased meanwhile, as they are now."""
        stored = {kept.id: kept for kept in await self.utterances.get([utterance.id for utterance in utterances])}
        return [
            replace(utterance, text=stored[utterance.id].text) for utterance in utterances if utterance.id in stored
        ]

    async def _without_model(
        self, utterances: Sequence[Utterance], aid: Help | None, progress: Progress
    ) -> _Thought | None:
        """What is said without asking the model: help to somebody in danger, thanks for attachments without words."""
        said = [utterance.text for utterance in utterances]
        text = None
        if aid is not None and aid.sure:
            text = await help_said(aid, utterances[-1], self.delivery)
        elif aid is None and all(only_marks(one) for one in said):
            shown = [item for one in said for item in attachments_of(one)]
            has_words = any(kind is Kind.FORWARD and words for kind, words in shown)
            text = None if has_words else texts.attached(shown)
        if text is None:
            return None
        progress.settled = True
        return _Thought(Spoken(text, fixed=True))

    async def _think(
        self,
        generator: ReplyGenerator,
        prompts: PromptBuilder,
        session: Session,
        utterances: Sequence[Utterance],
        aid: Help | None,
        progress: Progress,
        watch: Stopwatch,
    ) -> _Thought:
        """What the model says, with what comes to mind."""
        recalled = await self._recollect(session, utterances, watch)
        with watch.stage("refine"):
            refined = await self.refiner.refined(session, recalled.timelines, session.utterances)
            recalled = replace(recalled, timelines=tuple(refined))
        quoting = next((one.quoting for one in reversed(utterances) if one.quoting is not None), None)
        latest = replace(utterances[-1], quoting=quoting)
        with watch.stage("prompt"):
            links, opened = await self._context.links(session), await self.background(session)
            reunion = await self.reunion(session) if opened is None else None
            now = self.clock.now()
        with watch.stage("find"):
            found_in = await self.finder.find(session, latest, recalled) if self.finder is not None else None

        def build(limit: int | None) -> Prompt:
            with watch.stage("prompt"):
                return prompts.build(
                    session,
                    latest,
                    recalled,
                    now,
                    links=links,
                    background=opened,
                    reunion=reunion,
                    limit=limit,
                    gentle=aid is not None,
                    found_in=found_in,
                )

        with watch.stage("model"):
            prompt, spoken = await self._spoken(generator, build, session, utterances[-1], progress)
        if aid is not None and not any(aid.text in line.text for line in session.utterances):
            spoken = replace(spoken, text=f"{spoken.text}\n\n{aid.text}")
        retold_for = await self.refiner.made_of(session, prompt.used.timelines)
        quoted = [line for fragment in recalled.fragments for line in fragment.lines]
        behind = [line for one in (opened, reunion) if one is not None for line in one.lines]
        lines = _words_of(prompt, [*links.values(), *quoted, *behind, *session.utterances, utterances[-1]])
        return _Thought(spoken, recalled, prompt.used, prompt.tokens, {**lines, **dict(retold_for)}, prompt)

    async def _spoken(
        self,
        generator: ReplyGenerator,
        build: Callable[[int | None], Prompt],
        session: Session,
        latest: Utterance,
        progress: Progress,
    ) -> tuple[Prompt, Spoken]:
        """The prompt that the model took, and its reply; a prompt that is too long for a server is made shorter."""
        prompt = build(None)
        for _ in range(MOST_PROMPTS):
            try:
                return prompt, await self._speak(generator, prompt, session, latest, progress)
            except PromptTooLong as error:
                _log.warning("the prompt is too long for the model and is made shorter", tokens=prompt.tokens)
                prompt = build(min(error.limit or prompt.tokens, int(SHORTER * prompt.tokens)))
        return prompt, Spoken(prompt.spare or texts.MODEL_FAILED, fixed=True)

    async def _speak(
        self, generator: ReplyGenerator, prompt: Prompt, session: Session, latest: Utterance, progress: Progress
    ) -> Spoken:
        said_before = {line.text for line in session.utterances if line.speaker.is_agent}
        async with self.delivery.growing(session.place, latest.message_id) as live:
            progress.live = live
            with progress.stoppable():
                spoken = await generator.speak(prompt, live, said_before)
            progress.settled = True
        return spoken

    async def _leave_unanswered(self, utterances: Sequence[Utterance], aid: Help | None, progress: Progress) -> None:
        """Remembers what is beyond the day's budget, and says so once a day; where help is, when it may be needed."""
        progress.settled = True
        await self._remembered(utterances)
        place, speaker = utterances[-1].place, utterances[-1].speaker
        if progress.voluntary:
            return
        told = [texts.BUDGET_USED_UP] if self.token_quota.tells(place, speaker.id) else []
        if said := [*told, *([] if aid is None else [aid.text])]:
            reply_to = utterances[-1].message_id
            await self.delivery.notice(place, "\n\n".join(said), in_reply_to=reply_to, instead_of_reply=True)

    async def _remembered(self, utterances: Sequence[Utterance]) -> None:
        await self.inbox.remembered([utterance.id for utterance in utterances], _trait_jobs(utterances))

    async def _recollect(self, session: Session, utterances: Sequence[Utterance], watch: Stopwatch) -> Recollection:
        latest = utterances[-1]
        present = dict.fromkeys(utterance.speaker.id for utterance in reversed(session.utterances))
        speaker_ids = [
            latest.speaker.id,
            *(key for key in present if key not in {latest.speaker.id, AGENT_ID}),
            AGENT_ID,
        ]
        with watch.stage("encode"):
            answered = {utterance.message_id for utterance in utterances}
            said = "\n".join(utterance.text for utterance in utterances)
            before = [line.text for line in session.utterances if line.message_id not in answered][-RECENT_LINES:]
            query = await self.recall.query(without_name(said, self.agent.name), latest.speaker.id, before)
        with watch.stage("recall"):
            opening = not any(utterance.speaker.is_agent for utterance in session.utterances)
            try:
                return await self.recall.recollect(query, session.place, speaker_ids, opening=opening)
            except IndexUnusable as error:
                _log.error("answering without memories: the index cannot be used", reason=str(error))
                return Recollection()

    async def _read_on(self, session: Session, reply: Utterance) -> None:
        """Has the model read what the next prompt begins with, while people read and type."""
        if self.reading is None or not self.reading.useful or self.prompts is None:
            return
        try:
            links = await self._context.links(session)
            beginnings = self.prompts.next_beginnings(session, reply, self.clock.now(), links)
        except (ModelError, StorageError) as error:  # the reply is out; this only makes the next one quicker
            _log.warning("what the next prompt begins with was not read", error=type(error).__name__)
            return
        await self.reading.prepare(session.place, beginnings)

    def _reply_of(self, thought: _Thought, latest: Utterance) -> Utterance:
        """The reply as it is stored."""
        return Utterance(
            place=latest.place,
            message_id=f"reply:{latest.id}",
            speaker=self.agent,
            text=thought.spoken.text,
            time=max(self.clock.now(), latest.time),
            to_bot=False,
            reply_to=latest.message_id,
        )

    async def _commit(self, thought: _Thought, utterances: Sequence[Utterance]) -> Outgoing | None:
        """Stores the reply; None when there is one already, or something that it was made of is there no more."""
        latest = utterances[-1]
        reply = self._reply_of(thought, latest)
        jobs = _trait_jobs(utterances)
        if not thought.spoken.fixed and not any(one.off_record for one in utterances):
            jobs.append(Job(JobKind.TRAITS, subject=0))
        ids = [one.id for one in utterances]
        return await self.outbox.commit(
            reply,
            ids,
            thought.shown,
            jobs,
            shown=thought.lines,
            spending=self.token_quota.spending(latest, thought.spoken.tokens),
            at_once=self.delivery.sends_at_once(reply.place),
        )

    async def _left_to_answer(self, utterances: Sequence[Utterance]) -> list[Utterance]:
        """Those that are still stored, as they are now, and have no reply."""
        pending = {one.id for one in await self.inbox.pending(utterances[-1].place)}
        return [one for one in await self.still_stored(utterances) if one.id in pending]


def _words_of(prompt: Prompt, lines: Iterable[Utterance]) -> dict[int, str]:
    """Id → words, of those lines that the prompt shows. Of one that was read twice, those of the last in `lines`."""
    shown = {*prompt.lines}
    return {line.id: line.text for line in lines if line.id in shown}


def _trait_jobs(utterances: Sequence[Utterance]) -> list[Job]:
    """The traits that words may tell; attachments tell none, and what is off the record is not to be told."""
    kept = (one for one in utterances if not only_marks(one.text) and not one.off_record)
    return [Job(JobKind.TRAITS, subject=one.id) for one in kept]
