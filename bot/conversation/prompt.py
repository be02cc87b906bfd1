"""The response prompt: LD-Agent's blocks (D.3) inside one token budget.

Two forms, chosen by what the model can follow. Models that follow instructions get the paper's labelled blocks. Very
small ones get worked examples and real chat turns instead: shown the blocks, SmolLM2-135M answers "I'm sorry for your
loss"; shown two examples, it asks how the interview went. In both, what stays the same from turn to turn comes first,
so that a prefix cache can reuse it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
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

EXAMPLES = ("1", "2")


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
        parts = rank_parts(session, latest, recollection)

        def messages(chosen: Sequence[Part[Item]]) -> tuple[ChatMessage, ...]:
            shown = _Shown.of((part.content for part in chosen), latest, labels, session, now)
            return self._small_messages(shown) if self._small else self._block_messages(shown)

        def count(chosen: Sequence[Part[Item]]) -> int:
            return self._model.count_tokens(messages(chosen))

        while (over := count(())) > self._limit and len(latest.text) > SHORTEST_CUT:
            latest = replace(latest, text=cut(latest.text, len(latest.text) * self._limit // (over + 1)))
        chosen = fit(parts, self._limit, count)
        whole = messages(chosen)
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

    def _small_messages(self, shown: _Shown) -> tuple[ChatMessage, ...]:
        turns = [
            ChatMessage(Role.ASSISTANT, text) if name == self._card.name else ChatMessage(Role.USER, f"{name}: {text}")
            for name, text in shown.context
        ]
        examples = [
            message
            for number in EXAMPLES
            for message in (
                ChatMessage(Role.USER, render(f"example_{number}_user")),
                ChatMessage(Role.ASSISTANT, render(f"example_{number}_reply")),
            )
        ]
        system = ChatMessage(Role.SYSTEM, render("reply_small_system", agent=self._card, shown=shown))
        last = ChatMessage(Role.USER, render("reply_small", shown=shown))
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


def merged(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The same messages with neighbours of one role joined: chat templates want the roles to alternate."""
    result: list[ChatMessage] = []
    for message in messages:
        if result and result[-1].role is message.role:
            result[-1] = ChatMessage(message.role, f"{result[-1].content}\n{message.content}")
        else:
            result.append(message)
    return result
