"""The response prompt: LD-Agent's blocks (D.3) inside one token budget.

Two forms, chosen by what the model can follow. Models that follow instructions get the paper's labelled blocks. Very
small ones get worked examples and real chat turns instead: shown the blocks, SmolLM2-135M answers "I'm sorry for your
loss"; shown examples of the same situation, it asks how the interview went. Examples of other situations mislead it
("Good evening! Is your dog Biscuit?"), so the situation is recognised here, and memories that would not help in it are
left out. In both forms, what stays the same from turn to turn comes first, so that a prefix cache can reuse it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from bot import texts
from bot.config import Prompt as PromptSettings
from bot.conversation.budget import Part, fit
from bot.domain import (
    AGENT_ID,
    ChatMessage,
    PlaceKind,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Role,
    Session,
    Utterance,
)
from bot.persona.card import Card
from bot.ports import ChatModel
from bot.templates import render

Item: TypeAlias = RecalledEvent | RecalledTrait | Utterance

LONGEST_CONTEXT = 600
"""Characters of an earlier utterance that enter a prompt; the tables keep the whole."""

SHORTEST_CUT = 40
"""Characters below which what was just said is not cut further to fit the budget."""

LATEST_SHARE = 0.5
"""Share of the room that what was just said may take, so that memories, traits and context keep the rest."""

NOTES_OF_SMALL = 2
"""Memories, and traits of each speaker, that a very small model is shown at most: more and it recites them."""

GREETING_WORDS = 8
"""Words of a first message up to which it may be a mere greeting, which a memory answers best."""

_OWN = re.compile(r"\b(?:i|my|me|mine|we|us|our)\b", re.IGNORECASE)
_SAD = re.compile(
    r"\b(?:died|dead|death|funeral|passed away|lost my|lonely|alone|sad|cry|crying|cried|broke up|left me|divorced?"
    r"|depress\w*|cancer|hospital|hurts?|miss (?:him|her|them)|afraid|scared|hopeless|heartbroken|fired|sick|ill"
    r"|fight|fought|ran away|accident)\b",
    re.IGNORECASE,
)


class Situation(StrEnum):
    """What a very small model is shown examples of: the templates `example_*.j2`."""

    OPEN = "open"
    """A greeting, and a memory to ask about."""
    CARE = "care"
    """A greeting, and a sad memory: not one to ask about cheerfully."""
    ASK = "ask"
    """A question about oneself, and something recalled that may answer it."""
    SAD = "sad"
    TALK = "talk"
    """Everything else."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is shown. `used` is what of the recollection had room."""

    messages: tuple[ChatMessage, ...]
    tokens: int
    used: Recollection
    labels: tuple[str, ...]
    """The names at the start of lines, the agent's first: none of them may open a line of the reply."""


class PromptBuilder:
    """Packs a turn into a prompt for one model."""

    def __init__(self, *, model: ChatModel, card: Card, settings: PromptSettings, reply_tokens: int) -> None:
        described = model.description
        self._model = model
        self._card = card
        self._small = settings.shrink_for_small_models and not described.follows_instructions
        comfortable = described.comfortable_tokens if settings.shrink_for_small_models else described.context_tokens
        self._limit = min(settings.max_tokens, comfortable, described.context_tokens - reply_tokens)

    def build(self, session: Session, latest: Utterance, recollection: Recollection, now: datetime) -> Prompt:
        """The prompt for a reply to `latest`, an utterance of `session`, at the time `now`."""
        labels = label_speakers(session.utterances, self._card.name)
        situation = situation_of(session, latest, recollection)
        if self._small:
            recollection = what_helps(situation, recollection)
        parts = rank_parts(session, latest, recollection)

        def messages(chosen: Sequence[Part[Item]], text: str) -> tuple[ChatMessage, ...]:
            said = replace(latest, text=text)
            shown = _Shown.of((part.content for part in chosen), said, labels, session, now)
            return self._small_messages(shown, situation) if self._small else self._block_messages(shown)

        def count(chosen: Sequence[Part[Item]], text: str) -> int:
            return self._model.count_tokens(messages(chosen, text))

        text = latest.text
        if count((), text) > LATEST_SHARE * self._limit:
            fixed = count((), "")
            text = shorten(text, fixed + LATEST_SHARE * (self._limit - fixed), lambda shorter: count((), shorter))
        chosen = fit(parts, self._limit, lambda some: count(some, text))
        whole = messages(chosen, text)
        return Prompt(
            whole,
            self._model.count_tokens(whole),
            Recollection(
                events=tuple(part.content for part in chosen if isinstance(part.content, RecalledEvent)),
                traits=tuple(part.content for part in chosen if isinstance(part.content, RecalledTrait)),
            ),
            (self._card.name, *(name for name in labels.values() if name != self._card.name)),
        )

    def _block_messages(self, shown: _Shown) -> tuple[ChatMessage, ...]:
        return (
            ChatMessage(Role.SYSTEM, render("reply_system", agent=self._card, shown=shown)),
            ChatMessage(Role.USER, render("reply", agent=self._card, shown=shown, no_memory=texts.NO_MEMORY)),
        )

    def _small_messages(self, shown: _Shown, situation: Situation) -> tuple[ChatMessage, ...]:
        turns = [
            ChatMessage(Role.ASSISTANT, text)
            if name == self._card.name
            else ChatMessage(Role.USER, f"{name}: {text}" if shown.channel else text)
            for name, text in shown.context
        ]
        examples = [
            ChatMessage(Role.ASSISTANT if number % 2 else Role.USER, text.strip())
            for number, text in enumerate(
                render(f"example_{situation.value}", agent=self._card, channel=shown.channel).split("\n---\n")
            )
        ]
        system = ChatMessage(Role.SYSTEM, render("reply_small_system", agent=self._card, shown=shown))
        last = ChatMessage(Role.USER, render("reply_small", shown=shown, notes=notes_of(shown)))
        return (system, *merged([*examples, *turns, last]))


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the templates see: only words, times as words, and people by their labels."""

    addressee: str
    others: tuple[str, ...]
    channel: bool
    context: tuple[tuple[str, str], ...]
    """(label, text) of the earlier utterances of the session."""
    memories: tuple[tuple[str, str], ...]
    """(how long ago, summary), oldest first."""
    agent_traits: tuple[str, ...]
    traits: tuple[tuple[str, str], ...]
    """(label, traits) of the people present, the addressee first."""
    text: str
    today: str

    @classmethod
    def of(
        cls, items: Iterable[Item], latest: Utterance, labels: dict[str, str], session: Session, now: datetime
    ) -> _Shown:
        chosen = list(items)
        traits = [item.trait for item in chosen if isinstance(item, RecalledTrait)]
        events = sorted((item.event for item in chosen if isinstance(item, RecalledEvent)), key=lambda e: e.time)
        addressee = labels[latest.speaker.id]
        people = [key for key in labels if key not in {AGENT_ID, latest.speaker.id}]
        banks = {key: " ".join(t.text for t in traits if t.speaker_id == key) for key in (latest.speaker.id, *people)}
        return cls(
            addressee=addressee,
            others=tuple(labels[key] for key in people),
            channel=session.place.kind is PlaceKind.CHANNEL,
            context=tuple((labels[i.speaker.id], one_line(i.text)) for i in chosen if isinstance(i, Utterance)),
            memories=tuple((how_long_ago(event.time, now), one_line(event.summary)) for event in events),
            agent_traits=tuple(trait.text for trait in traits if trait.speaker_id == AGENT_ID),
            traits=tuple((labels[key], text) for key, text in banks.items() if text),
            text=one_line(latest.text),
            today=f"{now:%A} {now.day} {now:%B %Y}",
        )


def situation_of(session: Session, latest: Utterance, recollection: Recollection) -> Situation:
    """What kind of reply is due. The cues are English, as very small models are."""
    opening = not any(utterance.speaker.is_agent for utterance in session.utterances)
    recalled = recollection.events or any(item.trait.speaker_id != AGENT_ID for item in recollection.traits)
    if recalled and "?" in latest.text and _OWN.search(latest.text):
        return Situation.ASK
    if _SAD.search(latest.text):
        return Situation.SAD
    if opening and recollection.events and len(latest.text.split()) <= GREETING_WORDS:
        return Situation.CARE if _SAD.search(recollection.events[0].event.summary) else Situation.OPEN
    return Situation.TALK


def what_helps(situation: Situation, recollection: Recollection) -> Recollection:
    """The part of a recollection that a very small model can use in this situation, best first.

    One memory for a greeting, the nearest few memories and traits for a question, else nothing: mid-talk it loses the
    thread over them. The agent's own traits are not needed either: those of its card stand in the prompt anyway.
    """
    if situation in {Situation.OPEN, Situation.CARE}:
        return Recollection(events=recollection.events[:1])
    if situation is not Situation.ASK:
        return Recollection()
    seen: Counter[str] = Counter({AGENT_ID: NOTES_OF_SMALL})
    traits: list[RecalledTrait] = []
    for recalled in recollection.traits:
        seen[recalled.trait.speaker_id] += 1
        if seen[recalled.trait.speaker_id] <= NOTES_OF_SMALL:
            traits.append(recalled)
    return Recollection(recollection.events[:NOTES_OF_SMALL], tuple(traits))


def notes_of(shown: _Shown) -> list[str]:
    """What was recalled as sentences, in a DM in the words of the person: "1 week ago I told you: I sail."."""
    people = (shown.addressee, *shown.others)
    notes = [f"{name if shown.channel else 'I'} told you: {text}" for name, text in shown.traits]
    for ago, summary in shown.memories:
        when = ago[:1].upper() + ago[1:]
        teller, _, text = summary.partition(": ")
        if text and teller in people:
            notes.append(f"{when} {teller if shown.channel else 'I'} told you: {text}")
        else:
            notes.append(f"{when}: {summary}")
    return notes


def rank_parts(session: Session, latest: Utterance, recollection: Recollection) -> list[Part[Item]]:
    """Everything a prompt can do without, with its rank, each kind in the order in which it is shown.

    The last few utterances and the best memories stay longest; then go the further context, the traits of the others
    present and the agent's own.
    """
    earlier = [utterance for utterance in session.utterances if utterance.id != latest.id]
    parts: list[Part[Item]] = [
        Part(replace(utterance, text=cut(utterance.text, LONGEST_CONTEXT)), 4 * (len(earlier) - position))
        for position, utterance in enumerate(earlier)
    ]
    parts += [Part(recalled, 6 + 10 * position) for position, recalled in enumerate(recollection.events)]
    seen: Counter[str] = Counter()
    for recalled in recollection.traits:
        speaker_id = recalled.trait.speaker_id
        first = 8 if speaker_id == latest.speaker.id else 30 if speaker_id == AGENT_ID else 40
        parts.append(Part(recalled, first + 6 * seen[speaker_id]))
        seen[speaker_id] += 1
    return parts


def label_speakers(utterances: Sequence[Utterance], agent_name: str) -> dict[str, str]:
    """Speaker id → the name that tags their lines, in order of appearance; the agent first.

    A person has the name they used last. Of two people with one name the second is "Name (2)", and nobody gets the
    agent's own name bare.

    Not covered: memories. A summary such as "Ann: I sail." names its people as they were called then, and nothing in
    it tells which Ann; in a channel with two of them, a memory of one may be read as the other's.
    """
    names = {utterance.speaker.id: one_line(utterance.speaker.name) for utterance in utterances}
    names[AGENT_ID] = agent_name
    labels = {AGENT_ID: agent_name}
    taken = Counter([agent_name.casefold()])
    for speaker_id, name in names.items():
        if speaker_id == AGENT_ID:
            continue
        taken[name.casefold()] += 1
        number = taken[name.casefold()]
        labels[speaker_id] = name if number == 1 else f"{name} ({number})"
    return labels


def how_long_ago(then: datetime, now: datetime) -> str:
    """The age of a memory in words, such as "3 days ago"."""
    days = (now.date() - then.date()).days
    if now - then < timedelta(minutes=90):
        return "just before"
    if days < 1:
        return "earlier today"
    if days == 1:
        return "yesterday"
    for size, name in ((365, "year"), (30, "month"), (7, "week"), (1, "day")):
        if days >= size:
            number = days // size
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "earlier"


def one_line(text: str) -> str:
    """The text without line breaks, so that nobody can forge a speaker tag."""
    return " ".join(text.split())


def cut(text: str, length: int) -> str:
    """The text, or its first `length` characters with a mark."""
    return text if len(text) <= length else f"{text[: max(length - 2, 1)]} …"


def shorten(text: str, limit: float, count: Callable[[str], int]) -> str:
    """The text, or its head and tail, so that it `count`s at most `limit` tokens or has SHORTEST_CUT characters."""
    shown, length = text, len(text)
    while (tokens := count(shown)) > limit and length > SHORTEST_CUT:
        length = max(int(length * limit / (tokens + 1)), SHORTEST_CUT)
        shown = head_and_tail(text, length)
    return shown


def head_and_tail(text: str, length: int) -> str:
    """The text, or `length` characters of it with a mark for its left-out middle: people often ask at the end."""
    half = max((length - 3) // 2, 1)
    return text if len(text) <= length else f"{text[:half]} … {text[-half:]}"


def merged(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The same messages with neighbours of one role joined: chat templates want the roles to alternate."""
    result: list[ChatMessage] = []
    for message in messages:
        if result and result[-1].role is message.role:
            result[-1] = ChatMessage(message.role, f"{result[-1].content}\n{message.content}")
        else:
            result.append(message)
    return result
