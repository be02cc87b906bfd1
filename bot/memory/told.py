"""The sentences of an event's people, with what they name and their vectors: what links are made by."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bot.domain import Event, Utterance
from bot.language.extractive import sentences
from bot.language.untrusted import as_words
from bot.language.withheld import Withheld, silenced
from bot.memory.events import LONGEST_LINE, labels_of, without_apologies
from bot.memory.relating import VAGUE, Said
from bot.ports import Encoder, TopicExtractor, Utterances, Vectors

MOST = 120
"""Sentences of a session that are looked at: the last."""


@dataclass(frozen=True, slots=True)
class Told:
    """What people told in one session, in order, with a vector each."""

    said: tuple[Said, ...]
    vectors: Vectors


@dataclass(kw_only=True, eq=False, repr=False)
class Sentences:
    """Reads what people told in the session that an event sums up."""

    utterances: Utterances
    encoder: Encoder
    topics: TopicExtractor
    withheld: Withheld
    """What no memory is made of."""
    telling: Callable[[str], str]
    """A text without what only asks or greets."""

    async def lines(self, event: Event) -> Sequence[Utterance]:
        """What was said, without what nothing is remembered of."""
        said = await self.utterances.get(event.sources)
        hidden = silenced(said, self.withheld)
        return [line for line in without_apologies(said) if line.id not in hidden]

    async def of(self, event: Event) -> Told:
        """What its people told; the companion's words are no fact about them."""
        lines = await self.lines(event)
        labels = labels_of(lines)
        told = [
            (labels[line.speaker.id], self.telling(line.text[:LONGEST_LINE]))
            for line in lines
            if not line.speaker.is_agent
        ]
        said = await asyncio.to_thread(said_of, told, self.topics, tuple(labels.values()))
        vectors = await self.encoder.encode([one.text for one in said]) if said else np.zeros((0, 0), dtype=np.float32)
        return Told(said, vectors)


def said_of(lines: Sequence[tuple[str, str]], topics: TopicExtractor, names: Sequence[str]) -> tuple[Said, ...]:
    """The sentences of (name, text) pairs. `names`: of everybody who was there, who are no things."""
    people = {word for name in names for word in name.casefold().split()}
    found: list[Said] = []
    for name, text in lines:
        for sentence in sentences(text):
            named = (one for one in topics.topics(sentence) if one not in VAGUE)
            things = frozenset(one for one in named if not any(person.startswith(one) for person in people))
            found.append(Said(name, as_words(sentence, names), things))
    return tuple(found[-MOST:])
