"""The response prompt: LD-Agent's blocks (D.3) inside one token budget.

Two forms, chosen by what the model can follow. Models that follow instructions get the paper's labelled blocks. Very
small ones get worked examples and real chat turns instead: shown the blocks, SmolLM2-135M answers "I'm sorry for your
loss"; shown examples of the same situation, it asks how the interview went. Examples of other situations mislead it
("Good evening! Is your dog Biscuit?"), so the situation is recognised (`situations.py`), and memories that would not
help in it are left out. In both forms, what stays the same from turn to turn comes first, so that a prefix cache can
reuse it.

In channels the blocks tag every line with its speaker's name and number, and say what it answers: "Ann (3), answering
Bob (7): …". Very small models recite such tags, so they read bare names, with a number only where two people share one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

from bot import texts
from bot.config import Prompt as PromptSettings
from bot.conversation.budget import Part, fit
from bot.conversation.links import answered_now, links_of
from bot.conversation.situations import Situation, situation_of, what_helps
from bot.domain import (
    AGENT_ID,
    ChatMessage,
    Event,
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
from bot.speakers import Retelling, label_absent, label_speakers, plain_name, without_number
from bot.templates import render
from bot.untrusted import as_words

Item: TypeAlias = RecalledEvent | RecalledTrait | Utterance

NO_LINKS: Mapping[str, Utterance] = MappingProxyType({})

LONGEST_CONTEXT = 600
"""Characters of an earlier utterance that enter a prompt; the tables keep the whole."""

SHORTEST_CUT = 40
"""Characters below which what was just said is not cut further to fit the budget."""

LATEST_SHARE = 0.5
"""Share of the room that what was just said may take, so that memories, traits and context keep the rest."""

RECENT_PEOPLE = 6
"""People of a channel whose traits are shown, those who spoke last; the one who is answered is one of them."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is shown. `used` is what of the recollection had room."""

    messages: tuple[ChatMessage, ...]
    tokens: int
    used: Recollection
    labels: tuple[str, ...]
    """What may stand in front of a line, the agent's name first, then those who spoke last: never of a reply's line."""
    lines: tuple[int, ...] = ()
    """Ids of the utterances whose words it holds."""


class PromptBuilder:
    """Packs a turn into a prompt for one model."""

    def __init__(self, *, model: ChatModel, card: Card, settings: PromptSettings, reply_tokens: int) -> None:
        described = model.description
        self._model = model
        self._card = card
        self._small = settings.shrink_for_small_models and not described.follows_instructions
        comfortable = described.comfortable_tokens if settings.shrink_for_small_models else described.context_tokens
        self._limit = min(settings.max_tokens, comfortable, described.context_tokens - reply_tokens)

    def build(
        self,
        session: Session,
        latest: Utterance,
        recollection: Recollection,
        now: datetime,
        links: Mapping[str, Utterance] = NO_LINKS,
    ) -> Prompt:
        """The prompt for a reply to `latest`, an utterance of `session`, at the time `now`.

        `links`: message ids that the session's utterances reply to (`Utterance.reply_to`) → the utterances they are.
        What `latest` answers is shown even when it is older than the session, and is left out last.
        """
        scene = _Scene.of(session, latest, recollection, links, self._card.name, numbered=not self._small)
        recollection = of_recent(recollection, scene.recent)
        situation = situation_of(session, latest, recollection)
        if self._small:
            recollection = what_helps(situation, recollection)
        parts = rank_parts(session, latest, recollection, scene.answered)

        def messages(chosen: Sequence[Part[Item]], text: str) -> tuple[ChatMessage, ...]:
            shown = _Shown.of([part.content for part in chosen], text, scene, now)
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
            scene.tags,
            tuple(
                {latest.id: None} | {part.content.id: None for part in chosen if isinstance(part.content, Utterance)}
            ),
        )

    def _block_messages(self, shown: _Shown) -> tuple[ChatMessage, ...]:
        return (
            ChatMessage(Role.SYSTEM, render("reply_system", agent=self._card, shown=shown)),
            ChatMessage(Role.USER, render("reply", agent=self._card, shown=shown, no_memory=texts.NO_MEMORY)),
        )

    def _small_messages(self, shown: _Shown, situation: Situation) -> tuple[ChatMessage, ...]:
        turns = [
            ChatMessage(Role.ASSISTANT, line.text)
            if line.by_agent
            else ChatMessage(Role.USER, f"{line.label}: {line.text}" if shown.channel else line.text)
            for line in shown.context
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
class _Scene:
    """Who is there and what answers what: all of a turn that does not depend on the budget."""

    session: Session
    latest: Utterance
    labels: Mapping[str, str]
    """Speaker id → label, of those who spoke, who are answered, and whom the memories name."""
    links: Mapping[str, Utterance]
    """Message id → the utterance that this line answers."""
    answered: tuple[Utterance, ...]
    """What is answered just now, oldest first."""
    recent: tuple[str, ...]
    """Ids of the people who spoke last, the addressee first."""
    tags: tuple[str, ...]
    """See `Prompt.labels`."""

    @classmethod
    def of(
        cls,
        session: Session,
        latest: Utterance,
        recollection: Recollection,
        links: Mapping[str, Utterance],
        agent_name: str,
        *,
        numbered: bool,
    ) -> _Scene:
        numbered = numbered and session.place.kind is PlaceKind.CHANNEL
        known = links_of(session, links)
        before = [line for line in known.values() if line.message_id not in _ids(session)]
        spoke = [line.speaker for line in session.utterances]
        labels = label_speakers([*(line.speaker for line in before), *spoke], agent_name, numbered=numbered)
        events = sorted((recalled.event for recalled in recollection.events), key=lambda event: event.time)
        labels |= label_absent(events, labels, numbered=numbered)
        recent = dict.fromkeys(
            [latest.speaker.id, *(speaker.id for speaker in reversed(spoke) if not speaker.is_agent)]
        )
        tags = [labels[AGENT_ID], *(labels[key] for key in recent), *(plain_name(speaker.name) for speaker in spoke)]
        return cls(
            session,
            latest,
            labels,
            known,
            tuple(answered_now(session, latest, known)),
            tuple(recent)[:RECENT_PEOPLE],
            tuple(dict.fromkeys([*tags, *labels.values()])),
        )

    def answering(self, line: Utterance) -> str:
        """The label of the other whom this line answers; empty when it is not known to answer anybody."""
        answered = self.links.get(line.message_id)
        return "" if answered is None or answered.speaker.id == line.speaker.id else self.labels[answered.speaker.id]


@dataclass(frozen=True, slots=True)
class _Line:
    """An earlier utterance as it is shown."""

    label: str
    text: str
    by_agent: bool
    answering: str
    """The label of the one it answers, in a channel; or empty."""
    earlier: bool
    """Whether it stands apart from the lines after it: the next one said is not shown."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the templates see: only words, times as words, and people by their labels."""

    addressee: str
    name: str
    """The addressee's name without a number."""
    answering: str
    """The label of the one whom the addressee answers; or empty."""
    others: tuple[str, ...]
    channel: bool
    context: tuple[_Line, ...]
    memories: tuple[tuple[str, str], ...]
    """(how long ago, summary), oldest first."""
    agent_traits: tuple[str, ...]
    traits: tuple[tuple[str, str], ...]
    """(label, traits) of the people present, the addressee first."""
    text: str
    today: str

    @classmethod
    def of(cls, items: Sequence[Item], text: str, scene: _Scene, now: datetime) -> _Shown:
        traits = [item.trait for item in items if isinstance(item, RecalledTrait)]
        banks = {key: " ".join(as_words(t.text) for t in traits if t.speaker_id == key) for key in scene.recent}
        labels, channel = scene.labels, scene.session.place.kind is PlaceKind.CHANNEL
        addressee = labels[scene.latest.speaker.id]
        context = _lines([item for item in items if isinstance(item, Utterance)], scene, channel=channel)
        return cls(
            addressee=addressee,
            name=without_number(addressee),
            answering=scene.answering(scene.latest) if channel or any(line.earlier for line in context) else "",
            others=tuple(labels[key] for key in scene.recent[1:]),
            channel=channel,
            context=context,
            memories=_memories((item.event for item in items if isinstance(item, RecalledEvent)), scene, now),
            agent_traits=tuple(as_words(trait.text) for trait in traits if trait.speaker_id == AGENT_ID),
            traits=tuple((labels[key], bank) for key, bank in banks.items() if bank),
            text=as_words(text, scene.tags),
            today=f"{now:%A} {now.day} {now:%B %Y}",
        )


def _lines(said: Sequence[Utterance], scene: _Scene, *, channel: bool) -> tuple[_Line, ...]:
    here = list(_ids(scene.session))
    following = dict(pairwise([*here, scene.latest.message_id]))
    shown = {line.message_id for line in said} | {scene.latest.message_id}
    return tuple(
        _Line(
            label=scene.labels[line.speaker.id],
            text=as_words(line.text, scene.tags),
            by_agent=line.speaker.is_agent,
            answering=scene.answering(line) if channel else "",
            earlier=following.get(line.message_id) not in shown,
        )
        for line in said
    )


def _memories(events: Iterable[Event], scene: _Scene, now: datetime) -> tuple[tuple[str, str], ...]:
    told = Retelling(scene.labels)
    in_order = sorted(events, key=lambda event: event.time)
    return tuple((how_long_ago(event.time, now), as_words(told.tell(event))) for event in in_order)


def _ids(session: Session) -> dict[str, None]:
    """The message ids of the session's lines, in order."""
    return dict.fromkeys(line.message_id for line in session.utterances)


def of_recent(recollection: Recollection, people: Sequence[str]) -> Recollection:
    """The recollection with the traits of `people` and of the agent alone."""
    known = {AGENT_ID, *people}
    return replace(recollection, traits=tuple(item for item in recollection.traits if item.trait.speaker_id in known))


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


def rank_parts(
    session: Session, latest: Utterance, recollection: Recollection, answered: Sequence[Utterance] = ()
) -> list[Part[Item]]:
    """Everything a prompt can do without, with its rank, each kind in the order in which it is shown.

    What is answered just now stays longest, and comes first where it is older than the session; then the last few
    utterances and the best memories. Before them go the further context, the traits of the others present and the
    agent's own.
    """
    here = _ids(session)
    top = {line.message_id for line in answered}
    before = [line for line in answered if line.message_id not in here]
    earlier = [line for line in session.utterances if line.message_id != latest.message_id]
    parts: list[Part[Item]] = [Part(_shortened(line), 0) for line in before]
    parts += [
        Part(_shortened(line), 0 if line.message_id in top else 4 * (len(earlier) - position))
        for position, line in enumerate(earlier)
    ]
    parts += [Part(recalled, 6 + 10 * position) for position, recalled in enumerate(recollection.events)]
    seen: Counter[str] = Counter()
    for recalled in recollection.traits:
        speaker_id = recalled.trait.speaker_id
        first = 8 if speaker_id == latest.speaker.id else 30 if speaker_id == AGENT_ID else 40
        parts.append(Part(recalled, first + 6 * seen[speaker_id]))
        seen[speaker_id] += 1
    return parts


def _shortened(line: Utterance) -> Utterance:
    return replace(line, text=cut(line.text, LONGEST_CONTEXT))


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
