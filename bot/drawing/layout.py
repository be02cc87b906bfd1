"""Where everything of a picture of a timeline stands. Pure: the widths of texts come from outside.

Units are pixels; x grows to the right and y downwards. The line of time runs down the left edge, the cards stand on the
right of it, and the arrows between cards run in lanes between the two: the shorter, the nearer to the cards. Arrows of
one relation that begin at the same card share a lane. An arrow that finds no lane is not drawn; its words are on the
card all the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.domain import Relation
from bot.drawing.scene import Card, Scene

WIDTH = 1080
MARGIN = 36
TITLE, BODY, SMALL = 44, 31, 27
"""Sizes of letters."""
LEADING = 1.36
"""Height of a line, in sizes of its letters."""
TIME_X = 44
"""Where the line of time is."""
NEAREST_CARD = 92
"""Where cards begin when there are no lanes."""
LANE = 30
MOST_LANES = 6
PADDING = 28
NOTE = 48
"""Height of a note's row."""
WORDS = 14
"""Above a card's words."""
GAP = 62
"""Between two cards; words for the time between them stand in it."""
START_STEP = 22
"""Between the beginnings of two arrows of one card."""
MOST_LINES = 4
EDGE = 10
"""Width of a card's coloured edge."""
LEGEND_DOT = 12
"""Radius of a dot in the legend."""
LEGEND_STEP = 34
"""Between a topic of the legend and the next dot."""
ELLIPSIS = "…"

Measure = Callable[[str, int, bool], float]
"""(text, size, bold) → width."""


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card, and where it stands. `lines`: its words, wrapped."""

    card: Card
    top: float
    height: float
    date: str
    """The date, shortened to its room."""
    lines: tuple[str, ...]

    @property
    def date_y(self) -> float:
        """The middle of the row with the date; the dot on the line of time is there."""
        return self.top + PADDING + SMALL * LEADING / 2

    def note_y(self, number: int) -> float:
        """The middle of a note's row."""
        return self.top + PADDING + SMALL * LEADING + NOTE * (number + 0.5) + 8

    @property
    def words_top(self) -> float:
        """Where its words begin."""
        return self.top + PADDING + SMALL * LEADING + NOTE * len(self.card.notes) + WORDS


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line from the left edge of a card down a lane to the notes of newer cards. `heads`: the notes' heights."""

    relation: Relation
    lane_x: float
    start_y: float
    heads: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A topic in the legend: a dot at (x, y), and the topic on the right of it."""

    colour: int
    topic: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole picture."""

    height: int
    card_x: float
    subtitle: tuple[str, ...]
    legend: tuple[Key, ...]
    cards: tuple[PlacedCard, ...]
    arrows: tuple[Arrow, ...]
    """The longest first: the others are painted over it."""


@dataclass(frozen=True, slots=True)
class _Trunk:
    """The arrows of one relation that begin at one card; `heads`: (card, number of its note)."""

    older: int
    relation: Relation
    heads: tuple[tuple[int, int], ...]

    @property
    def newest(self) -> int:
        return max(card for card, _ in self.heads)

    def overlaps(self, other: _Trunk) -> bool:
        """Whether both need a lane at the same height. An arrow may end at the card where another begins."""
        return self.older < other.newest and other.older < self.newest


def plan(scene: Scene, measure: Measure) -> Plan:
    """Where everything stands. As high as its cards need: about 300 pixels a card."""
    lanes = _lanes(_trunks(scene.cards))
    card_x = NEAREST_CARD + (LANE * (1 + max(lanes.values())) + 6 if lanes else 0)
    room = WIDTH - MARGIN - card_x - 2 * PADDING
    subtitle = wrap(scene.subtitle, WIDTH - 2 * MARGIN, SMALL, measure)
    top = MARGIN + TITLE * LEADING + len(subtitle) * SMALL * LEADING
    legend = _legend(scene.legend, top, measure)
    top = (legend[-1].y + SMALL * LEADING / 2 if legend else top) + PADDING
    placed: list[PlacedCard] = []
    for card in scene.cards:
        top += GAP if placed else 0
        placed.append(_place(card, top, room, measure))
        top += placed[-1].height
    arrows = [_arrow(trunk, lane, card_x, placed, lanes) for trunk, lane in lanes.items()]
    arrows.sort(key=lambda arrow: (arrow.start_y - max(arrow.heads), arrow.lane_x))
    return Plan(round(top + MARGIN), card_x, subtitle, legend, tuple(placed), tuple(arrows))


def wrap(text: str, room: float, size: int, measure: Measure, most: int = MOST_LINES) -> tuple[str, ...]:
    """The text as lines no wider than `room`; what is over `most` lines is cut with a mark.

    Lines break at spaces, and inside words that are wider than the room (some scripts write no spaces).
    """
    lines: list[str] = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if measure(joined, size, False) <= room:
            lines[-1] = joined
        elif measure(word, size, False) <= room:
            lines.append(word)
        else:
            lines[-1:] = _broken(joined, room, size, measure)
        if len(lines) > most:
            break
    if len(lines) > most:
        return (*lines[: most - 1], shortened(f"{lines[most - 1]} {ELLIPSIS}", room, size, measure))
    return tuple(line for line in lines if line)


def shortened(text: str, room: float, size: int, measure: Measure) -> str:
    """The text, or as much of its beginning as fits with a mark."""
    if measure(text, size, False) <= room:
        return text
    kept = text.rstrip(f" {ELLIPSIS}")
    while kept and measure(f"{kept} {ELLIPSIS}", size, False) > room:
        kept = kept[:-1].rstrip()
    return f"{kept} {ELLIPSIS}" if kept else ELLIPSIS


def _legend(topics: Sequence[tuple[int, str]], top: float, measure: Measure) -> tuple[Key, ...]:
    """The topics side by side, in as many rows as they need."""
    keys: list[Key] = []
    x, y = float(MARGIN), top + SMALL * LEADING * 0.75
    for colour, topic in topics:
        shown = shortened(topic, WIDTH / 2, SMALL, measure)
        width = 3 * LEGEND_DOT + measure(shown, SMALL, False)
        if keys and x + width > WIDTH - MARGIN:
            x, y = float(MARGIN), y + SMALL * LEADING
        keys.append(Key(colour, shown, x + LEGEND_DOT, y))
        x += width + LEGEND_STEP
    return tuple(keys)


def _broken(text: str, room: float, size: int, measure: Measure) -> list[str]:
    lines = [""]
    for character in text:
        mark = unicodedata.combining(character) != 0  # stays with its letter
        if lines[-1] and not mark and measure(lines[-1] + character, size, False) > room:
            lines.append("")
        lines[-1] += character
    return [line.strip() for line in lines]


def _place(card: Card, top: float, room: float, measure: Measure) -> PlacedCard:
    right = measure(card.code, SMALL, True) + 20 + (measure(card.tag, SMALL, True) + 48 if card.tag else 0)
    date = shortened(card.date, room - right, SMALL, measure)
    lines = wrap(card.words, room, BODY, measure)
    height = 2 * PADDING + SMALL * LEADING + NOTE * len(card.notes) + WORDS + BODY * LEADING * len(lines)
    return PlacedCard(card, top, height, date, lines)


def _trunks(cards: Sequence[Card]) -> list[_Trunk]:
    heads: dict[tuple[int, Relation], list[tuple[int, int]]] = {}
    for newer, card in enumerate(cards):
        for number, note in enumerate(card.notes):
            if note.older is not None:
                heads.setdefault((note.older, note.relation), []).append((newer, number))
    return [_Trunk(older, relation, tuple(ends)) for (older, relation), ends in heads.items()]


def _lanes(trunks: Sequence[_Trunk]) -> dict[_Trunk, int]:
    """Trunk → its lane, the first that is free all along; 0 is nearest to the cards. Those without one are left out."""
    lanes: dict[_Trunk, int] = {}
    for trunk in sorted(trunks, key=lambda one: (one.newest - one.older, -one.newest, one.relation)):
        taken = {lane for other, lane in lanes.items() if trunk.overlaps(other)}
        free = next((lane for lane in range(MOST_LANES) if lane not in taken), None)
        if free is not None:
            lanes[trunk] = free
    return lanes


def _arrow(trunk: _Trunk, lane: int, card_x: float, cards: Sequence[PlacedCard], lanes: dict[_Trunk, int]) -> Arrow:
    """Of several arrows that begin at one card, the one in the innermost lane begins lowest: none cross there."""
    beside = [at for other, at in lanes.items() if other.older == trunk.older]
    start = cards[trunk.older]
    lowest = start.top + start.height - PADDING
    step = min(START_STEP, (lowest - start.words_top) / len(beside))
    return Arrow(
        trunk.relation,
        card_x - LANE * (lane + 1),
        lowest - step * sum(1 for at in beside if at < lane),
        tuple(cards[card].note_y(number) for card, number in trunk.heads),
    )
