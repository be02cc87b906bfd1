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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from bot import texts
from bot.asking import tuned
from bot.config import Prompt as PromptSettings
from bot.conversation.budget import Part, fit
from bot.conversation.scene import Background, Item, Memory, Scene, Shown, cut, ids_of, notes_of, opened_with
from bot.conversation.situations import Situation, listens, situation_of, what_helps
from bot.domain import (
    AGENT_ID,
    ChatMessage,
    Fragment,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Role,
    Session,
    Skill,
    Timeline,
    Utterance,
)
from bot.lexicon import stems
from bot.persona.card import Card
from bot.ports import ChatModel
from bot.templates import render

NO_LINKS: Mapping[str, Utterance] = MappingProxyType({})

LONGEST_CONTEXT = 600
"""Characters of an earlier utterance that enter a prompt; the tables keep the whole."""

SHORTEST_CUT = 40
"""Characters below which what was just said is not cut further to fit the budget."""

LINES_AFTER_OPENING = 4
"""Lines of a session up to which a very small model is shown what it was opened with."""

GREETING = "Hello."
"""What stands before a first turn that is ours, where roles have to alternate; as in the examples."""

BACKGROUND_SHARE = 0.25
"""Share of the room that what the session was opened with may take; where it takes more, it is left out."""

BACKGROUND_RANK = 5
"""It is dropped after the best memory and before the line that was said last."""

LATEST_SHARE = 0.5
"""Share of the room that what was just said may take, so that memories, traits and context keep the rest."""


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
    skill: Skill | None = None
    """What the model was tuned for that this prompt is of."""


class PromptBuilder:
    """Packs a turn into a prompt for one model. `small`: in the form for very small ones."""

    def __init__(self, *, model: ChatModel, card: Card, settings: PromptSettings, reply_tokens: int) -> None:
        described = model.description
        self._model = model
        self._card = card
        self.small = settings.shrink_for_small_models and not described.follows_instructions
        self._tuned = tuned(model, Skill.GENERATOR)
        comfortable = described.comfortable_tokens if settings.shrink_for_small_models else described.context_tokens
        self._limit = min(settings.max_tokens, comfortable, described.context_tokens - reply_tokens)

    def build(
        self,
        session: Session,
        latest: Utterance,
        recollection: Recollection,
        now: datetime,
        links: Mapping[str, Utterance] = NO_LINKS,
        background: Background | None = None,
    ) -> Prompt:
        """The prompt for a reply to `latest`, an utterance of `session`, at the time `now`.

        `links`: message ids that the session's utterances reply to (`Utterance.reply_to`) → the utterances they are.
        What `latest` answers is shown even when it is older than the session, and is left out last. `background`: why
        the companion opened the session, left out where there is little room; very small models are told it in one
        line, and while the session is young. One that was tuned as generator is shown no examples where it only has to
        listen; elsewhere it answers without its adapter, which knows nothing of memories.
        """
        scene = Scene.of(session, latest, recollection, links, self._card.name, numbered=not self.small)
        recollection = of_recent(recollection, scene.recent)
        situation = situation_of(session, latest, recollection)
        if self.small:
            recollection = what_helps(situation, recollection, latest)
            background = background if len(session.utterances) <= LINES_AFTER_OPENING else None
            if background is not None and situation is Situation.TALK:
                situation = Situation.ANSWER
        skill = self._tuned if not self.small or listens(situation, latest) else None
        if self.small and skill is not None:
            background = None  # it is not shown, and what it is made of is no source of the reply
        parts = rank_parts(session, latest, recollection, scene.answered)
        behind: list[Part[Item]] = [Part(background, BACKGROUND_RANK)] if background is not None else []

        def messages(chosen: Sequence[Part[Item]], text: str) -> tuple[ChatMessage, ...]:
            shown = Shown.of([part.content for part in chosen], text, scene, now)
            if self.small:
                examples = () if skill is not None else self._examples(situation, shown)
                return self._small_messages(shown, examples, _note_of(chosen, now))
            return self._block_messages(shown)

        def count(chosen: Sequence[Part[Item]], text: str) -> int:
            return self._model.count_tokens(messages(chosen, text))

        text = latest.text
        if count((), text) > LATEST_SHARE * self._limit:
            fixed = count((), "")
            text = shorten(text, fixed + LATEST_SHARE * (self._limit - fixed), lambda shorter: count((), shorter))
        bare = count((), "")
        if count(behind, "") - bare > BACKGROUND_SHARE * (self._limit - bare):
            behind = []
        chosen = fit([*parts, *behind], self._limit, lambda some: count(some, text))
        whole = messages(chosen, text)
        return Prompt(
            whole,
            self._model.count_tokens(whole),
            _used([part.content for part in chosen]),
            scene.tags,
            _lines_of(latest, [part.content for part in chosen]),
            skill,
        )

    def _block_messages(self, shown: Shown) -> tuple[ChatMessage, ...]:
        values = {"agent": self._card, "shown": shown, "no_memory": texts.NO_MEMORY}
        return (
            ChatMessage(Role.SYSTEM, render("reply_system", agent=self._card, shown=shown)),
            ChatMessage(Role.USER, render("reply", **values)),
        )

    def _examples(self, situation: Situation, shown: Shown) -> tuple[ChatMessage, ...]:
        """Worked examples, for a very small model that answers without an adapter."""
        examples = render(f"example_{situation.value}", agent=self._card, channel=shown.channel).split("\n---\n")
        return tuple(
            ChatMessage(Role.ASSISTANT if number % 2 else Role.USER, text.strip())
            for number, text in enumerate(examples)
        )

    def _small_messages(self, shown: Shown, examples: Sequence[ChatMessage], opened: str) -> tuple[ChatMessage, ...]:
        turns = [
            ChatMessage(Role.ASSISTANT, line.text)
            if line.by_agent
            else ChatMessage(Role.USER, f"{line.label}: {line.text}" if shown.channel else line.text)
            for line in shown.context
        ]
        system = ChatMessage(Role.SYSTEM, render("reply_small_system", agent=self._card, shown=shown))
        opening = turns[0].content if turns and turns[0].role is Role.ASSISTANT else ""
        if opening:  # else it would be joined to the last example
            turns.insert(0, ChatMessage(Role.USER, GREETING))
        notes = notes_of(shown) or ([opened] if opened and not _tells(opening, opened) else [])
        last = ChatMessage(Role.USER, render("reply_small", shown=shown, notes=notes))
        return (system, *merged([*examples, *turns, last]))


def of_recent(recollection: Recollection, people: Sequence[str]) -> Recollection:
    """The recollection with the traits of `people` and of the agent alone."""
    known = {AGENT_ID, *people}
    return replace(recollection, traits=tuple(item for item in recollection.traits if item.trait.speaker_id in known))


def _used(shown: Sequence[Item]) -> Recollection:
    """What of a recollection was shown."""
    return Recollection(
        events=tuple(item for item in shown if isinstance(item, RecalledEvent)),
        traits=tuple(item for item in shown if isinstance(item, RecalledTrait)),
        timelines=tuple(item for item in shown if isinstance(item, Timeline)),
        fragments=tuple(item for item in shown if isinstance(item, Fragment)),
    )


def _note_of(chosen: Sequence[Part[Item]], now: datetime) -> str:
    """What the session was opened with, in one line; empty when that is not chosen."""
    return next((opened_with(part.content, now) for part in chosen if isinstance(part.content, Background)), "")


def _tells(opening: str, note: str) -> bool:
    """Whether what a session was opened with says most of a note's words itself."""
    words = {*stems(note.partition(": ")[2])}
    return 2 * len(words.intersection(stems(opening))) > len(words)


def _lines_of(latest: Utterance, shown: Sequence[Item]) -> tuple[int, ...]:
    """Ids of the utterances whose words are shown, those of past dialogues and of the background too."""
    said = [item.id for item in shown if isinstance(item, Utterance)]
    quoted = [line.id for item in shown if isinstance(item, Fragment) for line in item.lines]
    opened = [line.id for item in shown if isinstance(item, Background) for line in item.lines]
    return tuple(dict.fromkeys([latest.id, *said, *quoted, *opened]))


def by_relevance(recollection: Recollection) -> list[Memory]:
    """Events, timelines and fragments in one order, the best first. What a timeline tells stands in it alone."""
    told = {event.id for timeline in recollection.timelines for event in timeline.events}
    alone = [one for one in recollection.events if one.event.id not in told]
    memories: list[Memory] = [*recollection.fragments, *alone, *recollection.timelines]
    return sorted(memories, key=lambda memory: -memory.score)


def rank_parts(
    session: Session, latest: Utterance, recollection: Recollection, answered: Sequence[Utterance] = ()
) -> list[Part[Item]]:
    """Everything a prompt can do without, with its rank, each kind in the order in which it is shown.

    What is answered just now stays longest, and comes first where it is older than the session; then the last few
    utterances and the best memories. Before them go the further context, the traits of the others present and the
    agent's own.
    """
    here = ids_of(session)
    top = {line.message_id for line in answered}
    before = [line for line in answered if line.message_id not in here]
    earlier = [line for line in session.utterances if line.message_id != latest.message_id]
    parts: list[Part[Item]] = [Part(_shortened(line), 0) for line in before]
    parts += [
        Part(_shortened(line), 0 if line.message_id in top else 4 * (len(earlier) - position))
        for position, line in enumerate(earlier)
    ]
    memories = by_relevance(recollection)
    parts += [Part(memory, 6 + 10 * position) for position, memory in enumerate(memories)]
    seen: Counter[str] = Counter()
    for recalled in recollection.traits:
        speaker_id = recalled.trait.speaker_id
        first = 8 if speaker_id == latest.speaker.id else 30 if speaker_id == AGENT_ID else 40
        parts.append(Part(recalled, first + 6 * seen[speaker_id]))
        seen[speaker_id] += 1
    return parts


def _shortened(line: Utterance) -> Utterance:
    return replace(line, text=cut(line.text, LONGEST_CONTEXT))


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
