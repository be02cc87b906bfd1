"""The reply prompt as chat turns: system text, examples, the session, and what is remembered before the last line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.config import Agent
from bot.conversation.insight import Insight
from bot.conversation.notes import notes_of
from bot.conversation.phrases import Phrases
from bot.conversation.put_right import with_value
from bot.conversation.scene import Item, Scene, Shown
from bot.conversation.situations import Situation
from bot.domain import ChatMessage, Role, Utterance

_BRACKET = re.compile(r"^\[[^\]]*\] ")

_ROUND = str.maketrans("[]", "()")
"""People's own brackets: square ones mark what is remembered, and nobody can write that for us."""

EXAMPLE_NAME = "Sam"
"""Who speaks in the examples, where lines have names."""


@dataclass(kw_only=True, eq=False, repr=False)
class ChatTurns:
    """The messages of one turn, for any choice of what has room.

    `examples`: how many it has; None: all. `dated`: whether it tells the date. `taught`: the model was tuned on such
    conversations, so that it needs neither rules nor examples.
    """

    card: Agent
    insight: Insight
    scene: Scene
    now: datetime
    examples: int | None
    dated: bool
    brief: bool
    taught: bool

    def __post_init__(self) -> None:
        self._shown = self.insight.phrases.examples[: self.examples]
        said = (_BRACKET.sub("", said) for said, _ in self.insight.phrases.examples)  # "You" in brackets is no name
        self._system = system_text(
            self.insight.phrases, self.card, self.insight.description, channel=self.scene.channel, rules=not self.taught
        )
        self.instructions = (self._system, self.insight.phrases.brackets.gentle, *said)
        """What of the prompt a reply must not recite."""
        self.shared = 1 + 2 * len(self._shown)
        """How many of the first messages are the same in every conversation."""
        told = self.insight.known.told if self.brief else ()
        self._mends = {one.utterance: one.mends for one in told if one.mends}

    def of(self, items: Sequence[Item], text: str) -> tuple[ChatMessage, ...]:
        """The messages with `items`, and `text` as what was just said.

        What somebody put right later stands as they put it right: a small model goes by what it has read first.
        """
        shown = Shown.of([self._as_mended(item) for item in items], text, self.scene, self.now)
        turns = [
            ChatMessage(Role.ASSISTANT, line.text)
            if line.by_agent
            else ChatMessage(Role.USER, self._tagged(line.label, line.answering, line.text))
            for line in shown.context
        ]
        if turns and turns[0].role is Role.ASSISTANT:  # else it would be joined to the last example
            turns.insert(0, ChatMessage(Role.USER, self.insight.phrases.examples[0][0]))
        said = self._tagged(shown.addressee, shown.answering, shown.text)
        before = (self._bracket(items), self._quoting(shown))
        turns.append(ChatMessage(Role.USER, " ".join(filter(None, (*before, said)))))
        if self.dated:
            phrases = self.insight.phrases  # before the first line, where it stays the same from turn to turn
            today = phrases.brackets.today.format(date=phrases.date(self.now))
            turns[0] = ChatMessage(Role.USER, f"[{today}] {turns[0].content}")
        examples = example_turns(self._shown, channel=self.scene.channel)
        return (ChatMessage(Role.SYSTEM, self._system), *merged([*examples, *turns]))

    def _as_mended(self, item: Item) -> Item:
        """The item; of a line that was put right, with the value that it has now."""
        if not isinstance(item, Utterance):
            return item
        text = item.text
        for mended in self._mends.get(item.id, ()):
            text = with_value(text, mended.was, mended.now)
        return replace(item, text=text)

    def _bracket(self, items: Sequence[Item]) -> str:
        """What stands in brackets before the last line; empty when nothing does."""
        insight, brackets = self.insight, self.insight.phrases.brackets
        found = insight.known.found
        answering = found.told.utterance if found is not None else 0
        notes = notes_of(items, self.scene, self.now, insight.phrases, brief=self.brief, answering=answering)
        if not notes and insight.note:
            notes = [insight.note]
        if insight.known.situation is Situation.WORRY:
            return f"[{brackets.gentle}]"
        if notes:
            return f"[{brackets.remember.format(notes='; '.join(notes).translate(_ROUND))}]"
        return f"[{brackets.never}]" if insight.never and self.brief else ""

    def _quoting(self, shown: Shown) -> str:
        """The words that the last line is about; empty when there are none."""
        if shown.quoting is None:
            return ""
        who, quoted = (part.translate(_ROUND) for part in shown.quoting)
        return f"[{self.insight.phrases.brackets.about.format(who=who, words=quoted)}]"

    def _tagged(self, label: str, answering: str, text: str) -> str:
        text = text.translate(_ROUND)
        if not self.scene.channel:
            return text
        return f"{label} ({answering}): {text}" if answering and not self.brief else f"{label}: {text}"


def system_text(phrases: Phrases, card: Agent, description: str, *, channel: bool, rules: bool) -> str:
    """The system message: who the companion is and how it answers. It stays the same through a conversation."""
    parts = [phrases.system.format(name=card.name, description=description)]
    parts += [phrases.rules] if rules else []
    parts += [phrases.channel] if channel else []
    parts += [phrases.about.format(traits=" ".join(card.traits))] if card.traits else []
    return "\n".join(parts)


def example_turns(examples: Sequence[tuple[str, str]], *, channel: bool) -> Sequence[ChatMessage]:
    """Worked examples as turns; in a channel each line has a name in front."""
    turns: list[ChatMessage] = []
    for said, answered in examples:
        turns += [
            ChatMessage(Role.USER, f"{EXAMPLE_NAME}: {said}" if channel else said),
            ChatMessage(Role.ASSISTANT, answered),
        ]
    return turns


def merged(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The same messages with neighbours of one role joined: chat templates want the roles to alternate."""
    result: list[ChatMessage] = []
    for message in messages:
        if result and result[-1].role is message.role:
            result[-1] = ChatMessage(message.role, f"{result[-1].content}\n{message.content}")
        else:
            result.append(message)
    return result
