"""The last prompt of each owner's private chat, for that owner's own page. In memory alone, and never for long.

A prompt holds words, so nothing of it is stored or logged. It is dropped whenever anything of anybody's is erased,
edited or decided anew, and with the process. What others said is taken out before it is kept.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.conversation.prompt import Prompt
from bot.domain import AGENT_ID, ChatMessage, PlaceKind, Session, Utterance


@dataclass(frozen=True, slots=True)
class KeptPrompt:
    """What the model was shown for one reply."""

    messages: tuple[ChatMessage, ...]
    """All of it, without what others said. Empty: they pointed to somebody else's words."""
    shared: int
    """How many of the first messages are the same in every conversation: the system message, then the examples."""
    tokens: int
    withheld: int
    """How many memories are left out here because others spoke in them."""
    asked: bool
    """Whether the model was asked; else the reply was one of our own sentences."""
    time: datetime
    """When what it answers was said."""


class LastPrompts:
    """Keeps them. `owners`: ids of the speakers whom the settings name."""

    def __init__(self, owners: Collection[str]) -> None:
        self._owners = frozenset(owners)
        self._kept: dict[str, KeptPrompt] = {}
        self._dropped = 0

    @property
    def mark(self) -> int:
        """Changes whenever all is dropped: what was read before that is not kept after it."""
        return self._dropped

    def keep(self, answered: Sequence[Utterance], session: Session, prompt: Prompt, mark: int) -> None:
        """Keeps the prompt of a reply to an owner, in place of the one before. `mark`: from before anything was read.

        Nothing of what anybody else asked, of a channel, or of a session in which anything is off the record: the
        prompt may hold it, or what was answered to it.
        """
        person, place = answered[-1].speaker.id, answered[-1].place
        if person not in self._owners or place.kind is not PlaceKind.DM:
            return
        self._kept.pop(person, None)
        if mark != self._dropped or any(one.off_record for one in (*answered, *session.utterances)):
            return
        pointed = {one.quoting.speaker_id for one in answered if one.quoting is not None}
        foreign = not pointed <= {person, AGENT_ID}
        messages, withheld = prompt.only_of({person, AGENT_ID})
        self._kept[person] = KeptPrompt(
            messages=() if foreign else messages,
            shared=prompt.shared,
            tokens=prompt.tokens,
            withheld=withheld,
            asked=not prompt.ours,
            time=answered[-1].time,
        )

    def of(self, ids: Collection[str]) -> KeptPrompt | None:
        """The last one of the person who has these ids; None: there is none."""
        return max((self._kept[one] for one in ids if one in self._kept), key=lambda one: one.time, default=None)

    def forget(self) -> None:
        """Drops all of them."""
        self._kept.clear()
        self._dropped += 1
