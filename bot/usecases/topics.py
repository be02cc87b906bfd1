"""Which topic each of some events is shown by, and which topics have a colour of their own. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from bot.usecases.entries import Entry

COLOURS = 6
"""Topics that have a colour of their own; all others share one."""


def topics_of(entries: Collection[Entry]) -> dict[str, str]:
    """Code → the one of an event's topics that most of these events have; without those that have none."""
    counts = Counter(topic for entry in entries for topic in entry.topics)
    return {
        entry.code: min(entry.topics, key=lambda topic: (-counts[topic], topic)) for entry in entries if entry.topics
    }


def colours_of(topics: Iterable[str]) -> Mapping[str, int]:
    """Topic → the number of its colour, from 1 to `COLOURS`, the most frequent first; without all others (0)."""
    frequent = Counter(topics)
    named = sorted(frequent, key=lambda topic: (-frequent[topic], topic))[:COLOURS]
    return {topic: number for number, topic in enumerate(named, start=1)}
