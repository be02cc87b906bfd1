"""How a timeline of the memory graph is told: relations and times in words. Also what a refined one is checked for."""

from collections.abc import Mapping
from typing import Any

from bot.texts.beside import read_beside

_READ: Mapping[str, Any] = read_beside(__file__)

LINKS: Mapping[str, str] = _READ["links"]
"""`Relation` → what stands between an event and the next one. Each can stand alone before a date in brackets."""

LATER = "later"
"""Between two events when those in between are not told."""

BEFORE = "before"
"""In front of what has changed since."""

THEN = "then changed to"
"""In front of what something changed to that has changed again since."""

NOW = "now"
"""In front of what something changed to, as far as is known for good."""

SINCE = "since {date}"

CONTRASTS: frozenset[str] = frozenset(_READ["contrasts"])
"""Words of which a retold timeline has at least one when something changed on it; else it may tell what is no more."""


def link_of(relation: str) -> str:
    """What stands between two events that have this relation (`Relation.value`)."""
    return LINKS[relation]


def step(text: str, date: str, *, link: str = "", before: bool = False, changed: bool = False) -> str:
    """One event of a timeline on one line, such as "Which led to (May 2024): she opened a bakery".

    `link`: what stands between it and the one that is told before it; empty: it is the first. `before`: it has changed
    since. `changed`: it is what something else changed to.
    """
    if changed:
        return f"{_begun(THEN)} ({date}): {text}" if before else f"{_begun(NOW)} ({SINCE.format(date=date)}): {text}"
    if before:
        return f"{_begun(f'{link}, {BEFORE}' if link else BEFORE)} ({date}): {text}"
    return f"{_begun(link)} ({date}): {text}" if link else f"{_begun(date)}: {text}"


def ago(number: int, unit: str) -> str:
    """The age of an event: "3 days ago"."""
    return f"{number} {unit}{'' if number == 1 else 's'} ago"


TODAY = "today"
YESTERDAY = "yesterday"


def _begun(words: str) -> str:
    """The words with their first letter in upper case."""
    return words[:1].upper() + words[1:]
