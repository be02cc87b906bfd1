"""What of a recollection a prompt is to show, and what it showed. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from bot.conversation.scene import Item
from bot.domain import AGENT_ID, Fragment, RecalledEvent, RecalledTrait, Recollection, Session, Timeline
from bot.language.lexicon import stems

LATELY = 4000
"""Characters of a session's last lines that a prompt surely has room for."""


def of_recent(recollection: Recollection, people: Sequence[str]) -> Recollection:
    """The recollection with the traits of `people` and of the agent alone."""
    known = {AGENT_ID, *people}
    return replace(recollection, traits=tuple(item for item in recollection.traits if item.trait.speaker_id in known))


def touched(recollection: Recollection, text: str) -> Recollection:
    """The recollection with those traits alone that share a word with `text`.

    A small model that is told "I have a knee" of somebody who says good night says something about it.
    """
    said = frozenset(stems(text))
    traits = tuple(item for item in recollection.traits if not said.isdisjoint(stems(item.trait.text)))
    return replace(recollection, traits=traits)


def untold(recollection: Recollection, session: Session) -> Recollection:
    """The recollection without the traits that say again what is shown: lines of a moment ago, past dialogues."""
    lengths = accumulate(len(line.text) for line in reversed(session.utterances))
    lately = {line.id for line, length in zip(reversed(session.utterances), lengths, strict=True) if length <= LATELY}
    lately |= {line.id for fragment in recollection.fragments for line in fragment.lines}
    traits = tuple(item for item in recollection.traits if lately.isdisjoint(item.trait.sources))
    return replace(recollection, traits=traits)


def used_of(shown: Sequence[Item]) -> Recollection:
    """What of a recollection was shown."""
    return Recollection(
        events=tuple(item for item in shown if isinstance(item, RecalledEvent)),
        traits=tuple(item for item in shown if isinstance(item, RecalledTrait)),
        timelines=tuple(item for item in shown if isinstance(item, Timeline)),
        fragments=tuple(item for item in shown if isinstance(item, Fragment)),
    )
