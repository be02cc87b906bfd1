"""Timelines are retold for the dialogue at hand (THEANINE phase II-2, eq. 11), by the model.

That is a call of the model, so it stands between a message and its reply only if the setting `memory.refine` says
`blocking`, and then for a bounded time. With `background` the timelines that a reply was shown are retold after it, for
the next turn of the session. A retold timeline that fails the checks is not used: the raw one is told by its template.

What was retold is kept in memory only. It is used while its session goes on, none of the lines that it was made for has
changed or gone, and the events that it was made of may still be used there and say what they said; `forget` drops it at
once.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import structlog

from bot.config import Background, Memory
from bot.domain import ChatMessage, GenerationRequest, Place, Priority, Relation, Role, Session, Timeline, Utterance
from bot.errors import MalformedOutput, ModelError, StorageError
from bot.language.extractive import word_count
from bot.language.grounding import invented
from bot.language.speakers import NameRefresh, label_absent, one_line
from bot.language.untrusted import as_words, is_forged
from bot.memory.events import LONGEST_LINE, PROMPT_SHARE, TOKENS_A_WORD, labels_of
from bot.memory.timeline import render_timeline
from bot.ports import ChatModel, Clock, Events, Jobs, TopicExtractor, Utterances
from bot.prompting.asking import ask
from bot.prompting.templates import render
from bot.texts.timelines import CONTRASTS

SLACK = 1.25
"""How many times as long as the raw timeline a refined one may be, in words."""

MOST_LINES = 6
"""The last lines of the dialogue, for which a timeline is retold."""

MOST_SESSIONS = 64
"""Sessions for which refined timelines are kept."""

MOST_TASKS = 4
"""Sessions for which timelines are being retold at once; others go without."""

BLOCKING_S = 8.0
"""Seconds that a reply waits for its timelines with `memory.refine: blocking`."""

Steps = tuple[tuple[int, ...], tuple[Relation, ...], frozenset[int]]
"""What makes two timelines the same: the ids of their events, the relations, and which events are outdated."""

Lines = tuple[tuple[int, str], ...]
"""(id of an utterance, its words)."""

_LABEL = re.compile(r"^\W*timeline\s*:\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Refined:
    """A retold timeline, what it was made of, and the lines that it was retold for."""

    text: str
    events: frozenset[tuple[int, str]]
    """(id of the event, its summary)."""
    lines: Lines


@dataclass(slots=True)
class _Kept:
    """What is kept of one session."""

    session_id: int
    checked: int | None = None
    """`Events.version` when all events were last found to be as they were; None: not yet."""
    texts: dict[Steps, _Refined] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be retold, for what, and how urgently."""

    model: ChatModel
    session: Session
    timelines: tuple[Timeline, ...]
    dialogue: tuple[Utterance, ...]
    deadline: timedelta
    """Of one answer of the model."""
    until: float | None
    """When the loop's clock says so, no more is asked; None: there is time, and replies of others go first."""


@dataclass(kw_only=True, eq=False, repr=False)
class Refiner:
    """Retells timelines. Close with `aclose`."""

    model: ChatModel | None
    """None, or `memory.refine: off`: it does nothing."""
    events: Events
    utterances: Utterances
    jobs: Jobs
    topics: TopicExtractor
    clock: Clock
    memory: Memory
    background: Background
    _kept: OrderedDict[str, _Kept] = field(init=False, default_factory=OrderedDict)
    """By the key of the session's place: a place has one session at a time."""
    _tasks: dict[str, asyncio.Task[None]] = field(init=False, default_factory=dict)
    """By the same keys."""

    def __post_init__(self) -> None:
        if self.memory.refine == "off":
            self.model = None

    async def refined(
        self, session: Session, timelines: Sequence[Timeline], dialogue: Sequence[Utterance]
    ) -> list[Timeline]:
        """The same timelines, `refined` where there is a retold one. With `blocking`, they are retold first.

        `session`: as it is now. `dialogue`: what of it the reply is to follow, oldest first.
        """
        if self.model is None or not timelines:
            return list(timelines)
        if self.memory.refine == "blocking":
            await self._retell(self._task(self.model, session, timelines, dialogue))
        kept = await self._valid(session)
        return [replace(one, refined=kept[_steps(one)].text) if _steps(one) in kept else one for one in timelines]

    async def made_of(self, session: Session, timelines: Sequence[Timeline]) -> frozenset[tuple[int, str]]:
        """The utterances in whose view the refined ones of these timelines were made: (id, its words).

        A reply that was shown them was shown what those lines brought out; record it with the reply. Ask before the
        reply is thought of: what has changed by its end is not kept any more.
        """
        kept = await self._valid(session) if any(one.refined for one in timelines) else {}
        made = [kept[_steps(one)] for one in timelines if one.refined and _steps(one) in kept]
        return frozenset(line for refined in made for line in refined.lines)

    def prepare(self, session: Session, timelines: Sequence[Timeline], dialogue: Sequence[Utterance]) -> None:
        """Has timelines retold for the next turn, with `memory.refine: background`; returns at once.

        What is being retold for an earlier turn of this place ends. Call it after the reply, in a running event loop.
        """
        if self.model is None or self.memory.refine == "blocking":
            return
        key = session.place.key
        if (earlier := self._tasks.pop(key, None)) is not None:
            earlier.cancel()
        work = self._task(self.model, session, timelines, dialogue)
        if not work.timelines or len(self._tasks) >= MOST_TASKS:
            return
        # Owned by aclose(), forget() and the next prepare().
        task = asyncio.create_task(self._in_background(work), name="refine timelines")
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._ended(key, done))

    def _task(
        self, model: ChatModel, session: Session, timelines: Sequence[Timeline], dialogue: Sequence[Utterance]
    ) -> _Task:
        """With those timelines that have something to leave out, and the last lines alone."""
        longer, lines = tuple(one for one in timelines if len(one.events) > 1), tuple(dialogue[-MOST_LINES:])
        if self.memory.refine != "blocking":
            return _Task(model, session, longer, lines, self.background.deadline, None)
        until = asyncio.get_running_loop().time() + BLOCKING_S
        return _Task(model, session, longer, lines, timedelta(seconds=BLOCKING_S), until)

    async def idle(self) -> None:
        """Waits until nothing is being retold."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def forget(self) -> None:
        """Drops all that was retold, and ends what is being retold: something was erased or edited."""
        for task in self._tasks.values():
            task.cancel()
        self._kept.clear()

    async def aclose(self) -> None:
        """Ends what is being retold. Safe to call twice."""
        tasks = [*self._tasks.values()]
        self.forget()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, key: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]

    async def _in_background(self, task: _Task) -> None:
        try:
            if await self.jobs.spend_tokens(self.clock.now().date(), 0) < self.background.daily_tokens:
                await self._retell(task)
        except StorageError as error:
            _log.warning("timelines are not retold", error=type(error).__name__)

    async def _retell(self, task: _Task) -> None:
        """Retells timelines one after the other, and keeps each; none of which something has changed or gone.

        Time has passed since they were recalled and the lines were said, and passes again while the model is asked.
        """
        lines = tuple((line.id, line.text) for line in task.dialogue)
        for timeline in task.timelines:
            if not await self._is_as_it_was(task.session.place, timeline, lines):
                continue
            text = await self._ask(task, timeline)
            if text is not None and await self._is_as_it_was(task.session.place, timeline, lines):
                self._keep(task.session, timeline, _Refined(text, _told(timeline), lines))

    async def _is_as_it_was(self, place: Place, timeline: Timeline, lines: Lines) -> bool:
        """Whether these events may still be used in `place` and say what they said, and the lines are stored so."""
        stored = {(line.id, line.text) for line in await self.utterances.get([key for key, _ in lines])}
        return stored.issuperset(lines) and await self._readable(place) >= _told(timeline)

    async def _readable(self, place: Place) -> frozenset[tuple[int, str]]:
        """(id, summary) of the events that may be used in `place` now."""
        return frozenset((event.id, event.summary) for event in await self.events.readable_in(place))

    def _keep(self, session: Session, timeline: Timeline, refined: _Refined) -> None:
        """Keeps what was retold in this session, as the latest used; others of its place are dropped."""
        kept = self._kept.pop(session.place.key, None)
        if kept is None or kept.session_id != session.id:
            kept = _Kept(session.id)
        kept.texts[_steps(timeline)] = refined
        self._kept[session.place.key] = kept
        while len(self._kept) > MOST_SESSIONS:
            self._kept.popitem(last=False)

    async def _valid(self, session: Session) -> dict[Steps, _Refined]:
        """What was retold in this session from what is still as it was. The rest is dropped."""
        key = session.place.key
        kept = self._kept.get(key)
        if kept is None:
            return {}
        if kept.session_id != session.id:
            del self._kept[key]
            return {}
        self._kept.move_to_end(key)
        version = await self.events.version()  # before what it is the version of, so that nothing slips through
        readable = await self._readable(session.place) if version != kept.checked else None
        if self._kept.get(key) is not kept:  # forgotten meanwhile
            return {}
        said = {(line.id, line.text) for line in session.utterances}
        kept.texts = {
            steps: one
            for steps, one in kept.texts.items()
            if said.issuperset(one.lines) and (readable is None or readable >= one.events)
        }
        kept.checked = version
        return kept.texts

    async def _ask(self, task: _Task, timeline: Timeline) -> str | None:
        """The timeline retold by the model; None when its answers fail the checks, or it fails itself."""
        labels = labels_of(task.dialogue)
        names = labels | label_absent(timeline.events, labels, numbered=False)
        tell = NameRefresh(names).tell
        told = render_timeline(replace(timeline, refined=""), self.clock.now(), tell, changed=timeline.outdated)
        raw = [as_words(line) for line in told]
        tags = tuple(names.values())
        lines = [f"{labels[one.speaker.id]}: {as_words(one.text[:LONGEST_LINE], tags)}" for one in task.dialogue]
        changes = Relation.CHANGED in timeline.relations or bool(timeline.outdated)

        def parse(text: str) -> str:
            return parse_refined(text, raw, lines, self.topics, changes=changes)

        request = _request(task, raw, lines)
        try:
            async with asyncio.timeout_at(task.until):  # around the model alone: the storage is not to be cut off
                answer = await ask(task.model, request, parse, "refine")
        except TimeoutError:
            _log.info("a timeline is told as it is: the model was too slow")
            return None
        except ModelError as error:
            _log.warning("a timeline is not retold", error=type(error).__name__)
            await self.jobs.spend_tokens(self.clock.now().date(), error.tokens)
            return None
        await self.jobs.spend_tokens(self.clock.now().date(), answer.tokens)
        return answer.value


def parse_refined(
    text: str, raw: Sequence[str], dialogue: Sequence[str], topics: TopicExtractor, *, changes: bool = False
) -> str:
    """A retold timeline on one line. Raises MalformedOutput when it is not to be used.

    It is not empty, not longer than the raw one by more than a quarter, no transcript, and names nothing that neither
    the raw timeline nor the dialogue does (`bot.language.grounding`). `changes`: something changed on the timeline;
    then it says so with at least one word of before, now or change. Where that cannot be seen, as in other languages,
    the raw timeline is the surer one.
    """
    retold = one_line(_LABEL.sub("", text))
    if not retold:
        raise MalformedOutput("empty")
    if word_count(retold) > SLACK * sum(map(word_count, raw)):
        raise MalformedOutput("too long")
    if is_forged(text) or any(line in retold for line in dialogue):
        raise MalformedOutput("a transcript, not a timeline")
    if changes and not CONTRASTS.intersection(_WORD.findall(retold.lower())):
        raise MalformedOutput("does not say what was before")
    if invented(retold, "\n".join((*raw, *dialogue)), topics.topics):
        raise MalformedOutput("names or numbers that the timeline does not have")
    return retold


def _request(task: _Task, raw: Sequence[str], dialogue: Sequence[str]) -> GenerationRequest:
    """What the model is asked, with as many of the dialogue's last lines as it follows well, at least one."""
    limit = int(task.model.description.comfortable_tokens * PROMPT_SHARE)
    words = sum(map(word_count, raw))
    lines = list(dialogue)
    while True:
        user = render("refine", timeline=raw, dialogue=lines, words=words)
        messages = (ChatMessage(Role.SYSTEM, render("refine_system")), ChatMessage(Role.USER, user))
        if len(lines) <= 1 or task.model.count_tokens(messages) <= limit:
            break
        del lines[0]
    return GenerationRequest(
        messages,
        max_tokens=TOKENS_A_WORD * words + 16,
        priority=Priority.BACKGROUND if task.until is None else Priority.REPLY,
        deadline=task.deadline,
    )


def _steps(timeline: Timeline) -> Steps:
    return tuple(event.id for event in timeline.events), timeline.relations, timeline.outdated


def _told(timeline: Timeline) -> frozenset[tuple[int, str]]:
    """(id, summary) of its events."""
    return frozenset((event.id, event.summary) for event in timeline.events)
