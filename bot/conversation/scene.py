"""Who is there, what answers what, and how it is shown to the model: only words, with times as words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeAlias

from bot.conversation.links import answered_now, links_of
from bot.domain import (
    AGENT_ID,
    Fragment,
    PlaceKind,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Session,
    Timeline,
    Utterance,
)
from bot.language.speakers import NameRefresh, label_absent, label_speakers, plain_name, without_number
from bot.language.untrusted import as_words
from bot.memory.fragments import LONGEST_QUOTE
from bot.memory.timeline import render_timeline

Memory: TypeAlias = RecalledEvent | Timeline | Fragment
"""What came to mind beside traits; each has a `score`."""

RECENT_PEOPLE = 6
"""People of a channel whose traits are shown, those who spoke last; the one who is answered is one of them."""

LONGEST_BACKGROUND = 900
"""Characters of the memory that a session was opened with, as a prompt shows it."""


@dataclass(frozen=True, slots=True)
class Background:
    """Why the companion opened this session (a check-in): the memory that it is about, and what it wants to achieve."""

    memory: str
    intention: str
    lines: tuple[Utterance, ...]
    """What the memory is made of."""


Item: TypeAlias = Memory | RecalledTrait | Utterance | Background


def speakers_in(item: Item) -> frozenset[str]:
    """The ids of all whose words something rests on."""
    if isinstance(item, Utterance):
        return frozenset({item.speaker.id})
    if isinstance(item, RecalledTrait):
        return frozenset({item.trait.speaker_id})
    if isinstance(item, RecalledEvent):
        return item.event.speakers
    if isinstance(item, Timeline):
        return frozenset().union(*(event.speakers for event in item.events))
    return frozenset(line.speaker.id for line in item.lines)


@dataclass(frozen=True, slots=True)
class Scene:
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
    ) -> Scene:
        """The scene of a reply to `latest`. `numbered`: labels have their speakers' numbers."""
        numbered = numbered and session.place.kind is PlaceKind.CHANNEL
        known = links_of(session, links)
        before = [line for line in known.values() if line.message_id not in ids_of(session)]
        spoke = [line.speaker for line in session.utterances]
        quoted = [line.speaker for fragment in recollection.fragments for line in fragment.lines]
        known_by_name = [*quoted, *(line.speaker for line in before), *spoke]
        labels = label_speakers(known_by_name, agent_name, numbered=numbered)
        events = sorted(recollection.all_events, key=lambda event: event.time)
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

    @property
    def channel(self) -> bool:
        """Whether several people may be there."""
        return self.session.place.kind is PlaceKind.CHANNEL

    def is_asker_alone(self, speaker_id: str) -> bool:
        """Whether this is who is answered, in private."""
        return speaker_id == self.latest.speaker.id and not self.channel

    def who(self, speaker_id: str) -> str:
        """How the model is told of somebody in what is remembered; empty for who has no label."""
        return self.labels.get(speaker_id, "")

    def answering(self, line: Utterance) -> str:
        """The label of the other whom this line answers; empty when it is not known to answer anybody."""
        answered = self.links.get(line.message_id)
        return "" if answered is None or answered.speaker.id == line.speaker.id else self.labels[answered.speaker.id]


@dataclass(frozen=True, slots=True)
class Line:
    """An earlier utterance as it is shown."""

    label: str
    text: str
    by_agent: bool
    answering: str
    """The label of the one it answers, in a channel; or empty."""
    earlier: bool
    """Whether it stands apart from the lines after it: the next one said is not shown."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a past dialogue, word for word."""

    day: str
    """The day and how long ago that is."""
    lines: tuple[tuple[str, str], ...]
    """(label, words)."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the templates see: only words, times as words, and people by their labels."""

    addressee: str
    name: str
    """The addressee's name without a number."""
    answering: str
    """The label of the one whom the addressee answers; or empty."""
    channel: bool
    context: tuple[Line, ...]
    memories: tuple[tuple[str, str, bool], ...]
    """(how long ago, summary, whether something of it has changed since), oldest first."""
    timelines: tuple[tuple[str, ...], ...]
    """What led to what, a line an event; the timeline that ends first stands first."""
    quotes: tuple[Quote, ...]
    """What was said in past dialogues, oldest first."""
    agent_traits: tuple[str, ...]
    traits: tuple[tuple[str, str], ...]
    """(label, traits) of the people present, the addressee first."""
    text: str
    today: str
    quoting: tuple[str, str] | None
    """What was just said is about somebody's words that are shown nowhere else: (whose, words)."""
    opened: tuple[str, str] | None
    """The memory for which the companion opened the session, and what it wanted; None: it did not, or has no room."""

    @classmethod
    def of(cls, items: Sequence[Item], text: str, scene: Scene, now: datetime) -> Shown:
        """What is shown of a scene: `items` that fit, and `text`, what was just said."""
        traits = [item.trait for item in items if isinstance(item, RecalledTrait)]
        banks = {key: " ".join(as_words(t.text) for t in traits if t.speaker_id == key) for key in scene.recent}
        labels, channel = scene.labels, scene.session.place.kind is PlaceKind.CHANNEL
        addressee = labels[scene.latest.speaker.id]
        context = _lines([item for item in items if isinstance(item, Utterance)], scene, channel=channel)
        return cls(
            addressee=addressee,
            name=without_number(addressee),
            answering=scene.answering(scene.latest) if channel or any(line.earlier for line in context) else "",
            channel=channel,
            context=context,
            memories=_memories((item for item in items if isinstance(item, RecalledEvent)), scene, now),
            timelines=_timelines((item for item in items if isinstance(item, Timeline)), scene, now),
            quotes=_quotes((item for item in items if isinstance(item, Fragment)), scene, now),
            agent_traits=tuple(as_words(trait.text) for trait in traits if trait.speaker_id == AGENT_ID),
            traits=tuple((labels[key], bank) for key, bank in banks.items() if bank),
            text=as_words(text, scene.tags),
            today=f"{now:%A} {now.day} {now:%B %Y}",
            quoting=_quoting(scene),
            opened=next((_opening(item) for item in items if isinstance(item, Background)), None),
        )


def _quoting(scene: Scene) -> tuple[str, str] | None:
    """What was just said points to, unless the line that it answers is shown whole."""
    quoting = scene.latest.quoting
    if quoting is None or (scene.latest.message_id in scene.links and not quoting.part):
        return None
    who = scene.labels.get(quoting.speaker_id) or as_words(plain_name(quoting.name))
    return who, cut(as_words(quoting.text, scene.tags), LONGEST_QUOTE)


def _opening(background: Background) -> tuple[str, str]:
    """The memory and the intention as words."""
    memory = cut(as_words(background.memory), LONGEST_BACKGROUND)
    return memory, cut(as_words(background.intention), LONGEST_QUOTE)


def _lines(said: Sequence[Utterance], scene: Scene, *, channel: bool) -> tuple[Line, ...]:
    here = list(ids_of(scene.session))
    following = dict(pairwise([*here, scene.latest.message_id]))
    shown = {line.message_id for line in said} | {scene.latest.message_id}
    return tuple(
        Line(
            label=scene.labels[line.speaker.id],
            text=as_words(line.text, scene.tags),
            by_agent=line.speaker.is_agent,
            answering=scene.answering(line) if channel else "",
            earlier=following.get(line.message_id) not in shown,
        )
        for line in said
    )


def _memories(recalled: Iterable[RecalledEvent], scene: Scene, now: datetime) -> tuple[tuple[str, str, bool], ...]:
    told = NameRefresh(scene.labels)
    in_order = sorted(recalled, key=lambda one: one.event.time)
    return tuple((how_long_ago(one.event.time, now), as_words(told.tell(one.event)), one.outdated) for one in in_order)


def _timelines(recalled: Iterable[Timeline], scene: Scene, now: datetime) -> tuple[tuple[str, ...], ...]:
    told = NameRefresh(scene.labels)
    in_order = sorted(recalled, key=lambda timeline: timeline.events[-1].time)
    rendered = (render_timeline(one, now, told.tell, changed=one.outdated) for one in in_order)
    return tuple(tuple(as_words(line) for line in lines) for lines in rendered)


def _quotes(fragments: Iterable[Fragment], scene: Scene, now: datetime) -> tuple[Quote, ...]:
    in_order = sorted(fragments, key=lambda fragment: (fragment.lines[0].time, fragment.lines[0].id))
    return tuple(
        Quote(
            dated(fragment.lines[-1].time, now),
            tuple(
                (scene.labels[line.speaker.id], as_words(cut(line.text, LONGEST_QUOTE), scene.tags))
                for line in fragment.lines
            ),
        )
        for fragment in in_order
    )


def ids_of(session: Session) -> dict[str, None]:
    """The message ids of the session's lines, in order."""
    return dict.fromkeys(line.message_id for line in session.utterances)


def how_long_ago(then: datetime, now: datetime) -> str:
    """The age of a memory in words, such as "3 days ago"."""
    days = (now.date() - then.date()).days
    if now - then < timedelta(minutes=90):
        return "just before"
    if days < 1:
        return "earlier today"
    if days == 1:
        return "yesterday"
    size, name = next(unit for unit in ((365, "year"), (30, "month"), (7, "week"), (1, "day")) if days >= unit[0])
    return f"{days // size} {name}{'s' if days >= 2 * size else ''} ago"


def dated(then: datetime, now: datetime) -> str:
    """When something was said: "5 March 2026, 2 months ago", so that one can tell what day its "on Monday" was."""
    ago = how_long_ago(then, now)
    return ago if (now.date() - then.date()).days < 1 else f"{then.day} {then:%B %Y}, {ago}"


def cut(text: str, length: int) -> str:
    """The text, or its first `length` characters with a mark."""
    return text if len(text) <= length else f"{text[: max(length - 2, 1)]} …"
