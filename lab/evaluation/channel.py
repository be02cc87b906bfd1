"""Is what somebody answers in the prompt? Real channels, replayed, with people's own notes of what answers what.

The logs are Ubuntu's IRC (Kummerfeld et al. 2019), each played as one channel into real tables, with β and the length
of a session as configured. For every annotated reply the prompt is built as if the companion had been asked that line:
once as a bare message, and once with the reply link that a platform gives. Then the lines of the context are compared
with the log: is the one that is answered among them, and does each bear its speaker's name of now and number?

Nothing is recalled here: memories and traits have to share the budget with the context, and take some lines' room.
Tokens are estimated as for servers without a tokenizer (`TokenEstimate`), on the high side.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from bot.clock import ManualClock
from bot.config import Prompt as PromptSettings
from bot.config import Settings
from bot.conversation.context import Context
from bot.conversation.prompt import NO_LINKS, Prompt, PromptBuilder
from bot.conversation.ranking import LONGEST_CONTEXT
from bot.conversation.scene import cut
from bot.conversation.session import ShortTermMemory
from bot.domain import ChatMessage, ModelDescription, Recollection, Role, Session, Utterance
from bot.errors import BadInput
from bot.language.speakers import one_line
from bot.llm.estimate import TokenEstimate
from bot.llm.scripted import ScriptedChatModel
from bot.storage.stores import Stores, open_stores
from lab.datasets.irc import SUFFIX, read_log
from lab.replay.input import ReplayLine
from lab.replay.irc import read_irc

BUDGETS = (1000, 2000, 3500)
"""Tokens of a whole prompt."""
REPLY_TOKENS = 160
SHARES = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
"""Of the distances, those that are given."""
EARLIER = "Earlier, "
IN_MEMORY = "sqlite+aiosqlite:///:memory:"
"""The tables of a replay, which would wait for the disk most of the time."""


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """All annotated replies at one budget. `shown`: the share whose answered utterance is in the prompt."""

    budget: int
    linked: bool
    """Whether the platform said what is answered."""
    shown: float
    lines: float
    """Lines of context in a prompt, on average."""


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """What the logs gave."""

    logs: int
    messages: int
    replies: int
    rows: tuple[ChannelRow, ...]
    lines: int
    """Lines of context in all prompts."""
    right: int
    """Those of them that are word for word a line of the log, with its speaker's name of then and number."""
    distances: Mapping[str, int]
    """Share of replies → messages back, at most, to what they answer; 1: the message right before."""
    older: float
    """Share of replies whose answered utterance is older than the session."""


@dataclass(frozen=True, slots=True)
class _Log:
    lines: tuple[ReplayLine, ...]
    answers: tuple[tuple[int, int], ...]
    """(position of a reply, position of what it answers) in `lines`."""
    links: Mapping[int, int]
    """The same, one for each reply: what a platform would say."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """One prompt of one reply."""

    budget: int
    linked: bool
    shown: bool
    lines: int
    right: int
    older: bool


class _Counting(ScriptedChatModel):
    """A model that is never asked; it counts tokens for a budget."""

    def __init__(self, budget: int) -> None:
        super().__init__((), description=ModelDescription("none", "counts tokens", "", 2 * budget, budget))
        self._estimate = TokenEstimate()

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """An estimate."""
        return self._estimate.count(messages)


@dataclass(frozen=True, slots=True)
class _Row:
    """What a trial is one of, and the number of lines of its session."""

    budget: int
    linked: bool
    session: int


async def measure(data: Path, settings: Settings) -> ChannelReport:
    """Replays all logs under `data`/irc, a few minutes. Raises BadInput when there are none."""
    logs = read_logs(data / "irc")
    trials: list[_Trial] = []
    with TemporaryDirectory(prefix="hello-again-channel-") as folder:
        settings = settings.in_folder(Path(folder), IN_MEMORY)
        async with open_stores(settings, "none") as stores:
            for log in logs:
                trials += [trial async for trial in _replay(log, stores, settings)]
    return _report(logs, trials)


def read_logs(folder: Path) -> list[_Log]:
    """The annotated logs of a folder. Raises BadInput when there are none, or one cannot be read."""
    logs = [_read(path) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    if not any(log.answers for log in logs):
        raise BadInput(f"There are no annotated IRC logs (*{SUFFIX}) in {folder}. Give their folder with --data.")
    return logs


def as_text(report: ChannelReport) -> str:
    """The tables for people, in Markdown."""
    lines = ["| tokens | reply link | answered utterance in the prompt | lines of context |", "|---|---|---|---|"]
    lines += [
        f"| {row.budget:,} | {'given' if row.linked else 'none'} | {row.shown:.1%} | {row.lines:.0f} |"
        for row in report.rows
    ]
    distances = ", ".join(f"{share} within {back}" for share, back in report.distances.items())
    return "\n".join(
        [
            *lines,
            "",
            f"{report.logs} logs, {report.messages:,} messages, {report.replies:,} annotated replies.",
            f"{report.right:,} of {report.lines:,} lines of context are the log's, with the right speaker.",
            f"Messages back to what is answered: {distances}. {report.older:.1%} are older than the session.",
        ]
    )


def as_json(report: ChannelReport) -> str:
    """The same as one JSON object."""
    return json.dumps(asdict(report), indent=2)


async def _replay(log: _Log, stores: Stores, settings: Settings) -> AsyncGenerator[_Trial, None]:
    clock = ManualClock(log.lines[0].time)
    short_term = ShortTermMemory(sessions=stores.sessions, clock=clock, settings=settings.session)
    context = Context(utterances=stores.utterances, short_term=short_term)
    builders = {
        budget: PromptBuilder(
            model=_Counting(budget + REPLY_TOKENS),
            card=settings.agent,
            settings=PromptSettings(max_tokens=budget, form="blocks"),
            reply_tokens=REPLY_TOKENS,
        )
        for budget in BUDGETS
    }
    tags: dict[str, str] = {}
    for position, line in enumerate(log.lines):
        clock.move_to(line.time)
        linked_to = log.links.get(position)
        reply_to = None if linked_to is None else log.lines[linked_to].message_id
        stored = await _store(replace(line.utterance, reply_to=reply_to), stores)
        session = await context.take_in([stored])
        tags[line.speaker.id] = f"{line.speaker.name} ({stored.speaker.number})"
        for wanted in (back for at, back in log.answers if at == position):
            for linked in (False, True):
                seen = _linked(session, log.lines[wanted].message_id) if linked else _unlinked(session)
                links = await context.links(seen) if linked else NO_LINKS
                spelt = _spelt(log, position, wanted, len(session.utterances), tags, linked=linked)
                for budget, builder in builders.items():
                    prompt = builder.build(seen, seen.utterances[-1], Recollection(), line.time, links)
                    yield _judge(prompt, spelt, position, wanted, _Row(budget, linked, len(session.utterances)))


async def _store(utterance: Utterance, stores: Stores) -> Utterance:
    """Stores a message as one that gets no reply. Raises BadInput."""
    stored = await stores.inbox.accept(utterance)
    if stored is None:
        raise BadInput(f"The message {utterance.message_id} is there twice.")
    await stores.inbox.remembered([stored.id])
    return stored


def _linked(session: Session, message_id: str) -> Session:
    """The session whose last line answers this message."""
    *earlier, latest = session.utterances
    return replace(session, utterances=(*earlier, replace(latest, reply_to=message_id)))


def _unlinked(session: Session) -> Session:
    return replace(session, utterances=tuple(replace(line, reply_to=None) for line in session.utterances))


def _spelt(
    log: _Log, position: int, wanted: int, length: int, tags: Mapping[str, str], *, linked: bool
) -> dict[int, str]:
    """Position → how the log's line should be shown: those of a session of `length` lines, and the one answered.

    So should what the same speaker answered right before, in one burst. What those answer in their turn is not shown
    when they are older than the session.
    """
    first = position + 1 - length
    burst = takewhile(
        lambda at: log.lines[at].speaker.id == log.lines[position].speaker.id, range(position - 1, first - 1, -1)
    )
    quoted = {log.links[at] for at in burst if linked and at in log.links}
    spelt: dict[int, str] = {}
    for at in sorted({wanted, *quoted, *range(first, position)}):
        line = log.lines[at]
        known = linked and at >= first and at in log.links
        other = log.lines[log.links[at]].speaker.id if known else line.speaker.id
        to = f", answering {tags[other]}" if other != line.speaker.id else ""
        spelt[at] = f"{tags[line.speaker.id]}{to}: {one_line(cut(line.text, LONGEST_CONTEXT))}"
    return spelt


def _judge(prompt: Prompt, spelt: Mapping[int, str], position: int, wanted: int, row: _Row) -> _Trial:
    """Compares the lines of the prompt's context with the log, from the last one on."""
    shown = _context(prompt)
    left, found = sorted(spelt, reverse=True), set[int]()
    for line in reversed(shown):
        text = line.removeprefix(EARLIER)
        # People say the same thing twice; a line that stands apart is the one that was asked for.
        apart = [wanted] if line != text and wanted in left else []
        at = next((at for at in (*apart, *left) if spelt[at] == text), None)
        if at is not None:
            found.add(at)
            left = [other for other in left if other < at]
    older = wanted < position + 1 - row.session
    return _Trial(row.budget, row.linked, wanted in found, len(shown), len(found), older)


def _context(prompt: Prompt) -> list[str]:
    """The lines of the context block."""
    asked = next(message.content for message in prompt.messages if message.role is Role.USER)
    block = asked.partition("\n")[2].partition("\nToday is ")[0]
    return [line for line in block.splitlines() if line and line != "(It has just begun.)"]


def _report(logs: Sequence[_Log], trials: Sequence[_Trial]) -> ChannelReport:
    rows = []
    for linked in (False, True):
        for budget in BUDGETS:
            some = [trial for trial in trials if (trial.linked, trial.budget) == (linked, budget)]
            shown, lines = mean(trial.shown for trial in some), mean(trial.lines for trial in some)
            rows.append(ChannelRow(budget, linked, shown, lines))
    back = sorted(at - answered for log in logs for at, answered in log.answers)
    return ChannelReport(
        logs=len(logs),
        messages=sum(len(log.lines) for log in logs),
        replies=len(back),
        rows=tuple(rows),
        lines=sum(trial.lines for trial in trials),
        right=sum(trial.right for trial in trials),
        distances={f"{share:.0%}": back[max(0, -int(-share * len(back) // 1) - 1)] for share in SHARES},
        older=mean(trial.older for trial in trials),
    )


def _read(path: Path) -> _Log:
    lines = tuple(line for line in read_irc(path) if isinstance(line, ReplayLine))
    where = {line.number - 1: position for position, line in enumerate(lines)}
    answers = [(at, back) for back, at in read_log(path).links if at != back]
    known = [(where[at], where[back]) for at, back in answers if at in where and back in where]
    return _Log(lines, tuple(sorted(known)), dict(known))
