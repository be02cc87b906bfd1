"""A session that is over becomes an event of the long-term memory (LD-Agent §2.2.1 and eq. 4)."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from bot import texts
from bot.config import Memory
from bot.domain import ChatMessage, Event, GenerationRequest, Job, Priority, Role, Skill, Utterance
from bot.errors import MalformedOutput
from bot.indexing.indexing import Indexer
from bot.language.extractive import Topics, summarise
from bot.language.grounding import invented
from bot.language.speakers import COLONS, label_speakers, without_number
from bot.language.untrusted import as_words
from bot.language.withheld import Withheld, silenced
from bot.ports import ChatModel, Events, Jobs, Sessions, TopicExtractor
from bot.prompting.asking import Form, ask, trusted, tuned
from bot.prompting.skills import summarizer_messages
from bot.prompting.templates import render

TOKENS_A_WORD = 2
"""Room for the answer: a word of English is 1.3 tokens, of other languages more."""

MOST_HEARD = 8
"""Lines of a session that the voice is asked about behind it: a second or two each."""
LONGEST_LINE = 2000
"""Characters of one utterance that a summary is made of."""

PROMPT_SHARE = 0.8
"""Share of the model's comfortable prompt that a conversation may fill."""

SUMMARY_SLACK = 1.25
"""How far beyond `memory.summary_words` a model's summary may go: models count words badly."""

APOLOGIES = frozenset({texts.MODEL_FAILED, texts.EMPTY_REPLY})
"""What the companion says when the model gave it nothing to say."""

_ENDED = re.compile(r"[.!?…。！？][\"'”’)]*$")
_LABEL = re.compile(r"^\s*summary\s*:\s*", re.IGNORECASE)


class Summed(Form):
    """What a conversation comes to."""

    summary: str


@dataclass(kw_only=True, eq=False, repr=False)
class Summariser:
    """Does the SUMMARISE jobs."""

    sessions: Sessions
    events: Events
    jobs: Jobs
    model: ChatModel | None
    topics: TopicExtractor
    indexer: Indexer
    memory: Memory
    deadline: timedelta
    """Of one answer of the model."""
    forget: Callable[[Sequence[int]], Awaitable[None]]
    """Erases utterances, with the replies to them."""
    hear: Callable[[Utterance], Awaitable[Utterance]]
    """An utterance with what the voice hears in it."""
    withheld: Withheld
    """What no memory is made of."""
    telling: Callable[[str], str]
    """What of a text is left without what only asks or greets."""

    def __post_init__(self) -> None:
        self.model = trusted(self.model, self.memory.summariser, Skill.SUMMARIZER)

    async def run(self, job: Job) -> int:
        """Summarises the session `job.subject`; returns the model tokens used. Raises ModelError: try again later.

        What was said off the record is erased first. If something else is left, that brings a new job.
        """
        session = await self.sessions.get(job.subject)
        off_record = [line.id for line in session.utterances if line.off_record] if session else []
        if off_record:
            await self.forget(off_record)
        if session is None or not session.utterances or off_record:
            await self.jobs.done(job.id)
            return 0
        hidden = silenced(await self._heard(session.utterances), self.withheld)
        meant = self._told([line for line in without_apologies(session.utterances) if line.id not in hidden])
        if not meant:
            await self.jobs.done(job.id)
            return 0
        labels = labels_of(meant)
        summary, tokens = await self._summary(meant, labels)
        text = "\n".join(utterance.text for utterance in meant)
        event = Event(
            place=session.place,
            session_id=session.id,
            summary=summary,
            topics=await asyncio.to_thread(self.topics.topics, text),
            time=session.utterances[-1].time,
            speakers=frozenset(utterance.speaker.id for utterance in session.utterances),
            sources=tuple(utterance.id for utterance in session.utterances),
            names=tuple(labels_of(meant, numbered=True).items()),
        )
        await self.events.add(event, job.id)
        await self.indexer.catch_up(passages=False)
        return tokens

    async def _heard(self, lines: Sequence[Utterance]) -> Sequence[Utterance]:
        """The lines with what the voice hears in the last of those that it was not asked about when they were said."""
        unheard = [line.id for line in lines if line.heard_danger is None and self.withheld(line)][-MOST_HEARD:]
        return [await self.hear(line) if line.id in unheard else line for line in lines]

    def _told(self, lines: Sequence[Utterance]) -> list[Utterance]:
        """The lines without what only asks or greets, and without the replies to it; none where people told nothing."""
        told = {line.id: self.telling(line.text) for line in lines}
        idle = _idle_replies(lines, told)
        kept = [replace(line, text=told[line.id]) for line in lines if told[line.id] and line.id not in idle]
        alone = all(line.speaker.is_agent for line in lines)
        return kept if alone or any(not line.speaker.is_agent for line in kept) else []

    async def _summary(self, said: Sequence[Utterance], labels: Mapping[str, str]) -> tuple[str, int]:
        names = sorted(labels.values())
        lines = [(labels[line.speaker.id], as_words(line.text[:LONGEST_LINE], names)) for line in said]
        tokens, words = 0, self.memory.summary_words
        if self.model is not None:
            request = self._request(self.model, lines)
            source = "\n".join(f"{name}: {text}" for name, text in lines)
            parse = partial(parse_summary, source=source, names=names, topics=self.topics.topics, words=words)
            answer = await ask(self.model, request, parse, "summary", Summed)
            if answer.value is not None:
                return answer.value, answer.tokens
            tokens = answer.tokens
        # What the companion said is no fact about the people it spoke with.
        people = [(labels[line.speaker.id], line.text) for line in said if not line.speaker.is_agent]
        return await asyncio.to_thread(summarise, people or lines, self.topics.topics, words, names), tokens

    def _request(self, model: ChatModel, lines: list[tuple[str, str]]) -> GenerationRequest:
        """The prompt of LD-Agent D.1, or of the adapter, with as many of the last lines as the model follows well."""
        limit = int(model.description.comfortable_tokens * PROMPT_SHARE)
        skill = tuned(model, Skill.SUMMARIZER)
        schema, words = Summed.schema_for(model, skill), self.memory.summary_words
        names = list(dict.fromkeys(name for name, _ in lines))
        while True:
            untuned = asked(lines, names, words, json=schema is not None)
            messages = summarizer_messages(lines) if skill else untuned
            over = model.count_tokens(messages) - limit
            if over <= 0 or len(lines) == 1:
                break
            lines = lines[max(1, len(lines) * over // (limit + over)) :]
        return GenerationRequest(
            messages,
            max_tokens=TOKENS_A_WORD * words + 16,
            priority=Priority.BACKGROUND,
            deadline=self.deadline,
            skill=skill,
            schema=schema,
        )


def asked(
    lines: Sequence[tuple[str, str]], names: Sequence[str], words: int, *, json: bool = False
) -> tuple[ChatMessage, ...]:
    """What a model that was not tuned is shown of a conversation, as (name, text): the prompt of LD-Agent D.1.

    `json`: answered so.
    """
    return (
        ChatMessage(Role.SYSTEM, render("summary_system", names=names)),
        ChatMessage(Role.USER, render("summary", lines=lines, words=words, json=json)),
    )


def parse_summary(text: str, source: str, names: Sequence[str], topics: Topics, words: int) -> str:
    """The summary of `source` between `names`, when it is brief and invents nothing. Raises MalformedOutput."""
    summary = " ".join(_LABEL.sub("", text).split())
    if not summary:
        raise MalformedOutput("empty")
    if len(summary.split()) > SUMMARY_SLACK * words or not _ENDED.search(summary):
        raise MalformedOutput("too long")
    if any(re.search(rf"{re.escape(name)} ?[{COLONS}]", summary) for name in names):
        raise MalformedOutput("a transcript, not a summary")
    if _leaves_open_who(summary, names):
        raise MalformedOutput("a name that two people have, without the number")
    if invented(summary, source, topics):
        raise MalformedOutput("names or numbers that nobody said")
    return summary


def labels_of(said: Sequence[Utterance], *, numbered: bool = False) -> dict[str, str]:
    """Speaker id → what a summary of these lines calls them: the name used last, with a number for namesakes.

    With `numbered`, everybody has their number: that is what an event remembers of them (`Event.names`).
    """
    agent = next((line.speaker.name for line in reversed(said) if line.speaker.is_agent), "")
    present = {line.speaker.id for line in said}
    labels = label_speakers((line.speaker for line in said), agent, numbered=numbered)
    return {key: label for key, label in labels.items() if key in present}


def _leaves_open_who(summary: str, names: Sequence[str]) -> bool:
    """Whether the summary has a numbered name without its number."""
    bare = "|".join(re.escape(without_number(name)) for name in names if name != without_number(name))
    return bool(bare) and re.search(rf"(?<!\w)(?:{bare})(?!\w|\s\(\d)", summary, re.IGNORECASE) is not None


def _idle_replies(lines: Sequence[Utterance], told: Mapping[int, str]) -> set[int]:
    """The ids of the companion's replies to bursts that tell nothing. `told`: id → what a line tells."""
    waiting: defaultdict[str, list[Utterance]] = defaultdict(list)
    idle: set[int] = set()
    for line in lines:
        if not line.speaker.is_agent:
            waiting[line.speaker.id].append(line)
            continue
        burst = next((said for said in waiting.values() if line.reply_to in {one.message_id for one in said}), [])
        if burst and not any(told[one.id] for one in burst):
            idle.add(line.id)
        burst.clear()
    return idle


def without_apologies(utterances: Sequence[Utterance]) -> Sequence[Utterance]:
    """What is worth remembering of a session: all but the companion's apologies, unless there is nothing else."""
    return [line for line in utterances if not (line.speaker.is_agent and line.text in APOLOGIES)] or utterances
