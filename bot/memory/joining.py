"""Everything that came to mind in one ranking under one budget. Pure."""

from collections.abc import Callable
from dataclasses import replace

from bot.domain import Fragment, RecalledEvent, RecalledTrait, Recollection, Timeline

Recalled = RecalledEvent | Timeline | Fragment | RecalledTrait

KINDS = ("fragments", "timelines", "events", "traits")
"""The fields of a recollection that hold memories: of those that are as likely, the ones that come first lead."""

TRAIT_LIKELY = 0.2
"""How likely a trait is to help, whatever is talked about: who somebody is matters for every reply."""


def likely(item: Recalled) -> float:
    """How likely something is to help: its score, and of a trait its squared cosine, TRAIT_LIKELY at least."""
    if isinstance(item, RecalledTrait):
        return max(TRAIT_LIKELY, max(item.score, 0.0) ** 2)
    return item.score


def within_budget(recollection: Recollection, budget: int, count: Callable[[str], int]) -> Recollection:
    """What is likeliest to help, as much as fits into `budget` tokens; the likeliest is always taken.

    An event that stands on a timeline which is taken costs nothing more. `count`: the tokens of a text.
    """
    items: list[Recalled] = [item for kind in KINDS for item in getattr(recollection, kind)]
    taken: list[Recalled] = []
    told: set[int] = set()
    left = budget
    for item in sorted(items, key=lambda item: -likely(item)):
        cost = sum(count(text) for key, text in _texts(item) if key not in told)
        if cost > left and taken:
            continue
        left -= cost
        told.update(key for key, _ in _texts(item) if key)
        taken.append(item)
    chosen = set(map(id, taken))
    kept = {kind: tuple(one for one in getattr(recollection, kind) if id(one) in chosen) for kind in KINDS}
    return replace(recollection, **kept)


def _texts(item: Recalled) -> list[tuple[int, str]]:
    """The texts that are shown, each with the id of its event; 0: it is no event's."""
    if isinstance(item, RecalledEvent):
        return [(item.event.id, item.event.summary)]
    if isinstance(item, Timeline):
        return [(event.id, event.summary) for event in item.events]
    if isinstance(item, Fragment):
        return [(0, line.text) for line in item.lines]
    return [(0, item.trait.text)]
