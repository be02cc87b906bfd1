"""Where everything stands in the drawing of a timeline. Pure: sizes and places, no words but those of the events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.usecases.entries import Entry
from bot.usecases.looking import Chart
from bot.usecases.timeline import unnamed
from bot.usecases.topics import COLOURS, colours_of

CARD_WIDTH, CARD_HEIGHT, GAP = 190, 58, 14
PER_EVENT = 74
MARGIN, TOP = 24, 44
FOOT = 32
"""From the left edge of a card to where arrows from above and below meet it."""
LINE_CHARACTERS, LINES = 26, 3
CUT = " …"
APART = 110
"""Between two dates on the axis, at least."""


@dataclass(frozen=True, slots=True)
class Box:
    """One event."""

    entry: Entry
    x: int
    y: int
    colour: int
    """1 to `COLOURS`; 0: the colour of all other topics."""
    topic: str
    lines: tuple[str, ...]
    over: bool
    """Whether it changed to something newer."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """One relation, from an older event to a newer one."""

    relation: str
    path: str
    older: str
    newer: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """All of it."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    into: Mapping[str, Sequence[Arrow]]
    """Code of an event → the arrows that lead to it."""
    dates: tuple[tuple[int, datetime], ...]
    legend: tuple[tuple[int, str], ...]
    """(colour, topic), the most frequent first; without the one of all others."""


def drawing_of(chart: Chart) -> Drawing:
    """Time goes from left to right; events of one topic stand in one band, where they do not overlap."""
    entries = chart.entries
    colours = colours_of(chart.topics.values())
    across = _across([entry.time for entry in entries])
    rows: dict[int, list[list[int]]] = {colour: [] for colour in (*range(1, COLOURS + 1), 0)}
    at = [
        (colour, _row(rows[colour], x))
        for entry, x in zip(entries, across, strict=True)
        for colour in (colours.get(chart.topics.get(entry.code, ""), 0),)
    ]
    above = {colour: sum(len(rows[one]) for one in list(rows)[: list(rows).index(colour)]) for colour in rows}
    changed = {f"e{edge.older}" for edge in chart.edges if edge.relation.value == "changed"}
    boxes = tuple(
        Box(
            entry,
            x,
            TOP + (above[colour] + row) * (CARD_HEIGHT + GAP),
            colour,
            chart.topics.get(entry.code, ""),
            _lines(words),
            entry.code in changed,
        )
        for entry, words, x, (colour, row) in zip(
            entries, unnamed([entry.text for entry in entries]), across, at, strict=True
        )
    )
    height = TOP + sum(map(len, rows.values())) * (CARD_HEIGHT + GAP) + MARGIN
    width = (across[-1] if across else 0) + CARD_WIDTH + MARGIN
    legend = tuple((number, topic) for topic, number in colours.items())
    arrows = _arrows(chart, boxes)
    into: dict[str, list[Arrow]] = {}
    for arrow in arrows:
        into.setdefault(arrow.newer, []).append(arrow)
    return Drawing(width, height, boxes, arrows, into, _dates(boxes), legend)


def _across(times: Sequence[datetime]) -> list[int]:
    """Half by the clock and half by their number: far apart stays far apart, and nothing is crowded."""
    if not times:
        return []
    span, width = (times[-1] - times[0]).total_seconds() or 1.0, PER_EVENT * max(len(times) - 1, 1)
    shares = [
        ((time - times[0]).total_seconds() / span + number / max(len(times) - 1, 1)) / 2
        for number, time in enumerate(times)
    ]
    return [MARGIN + round(share * width) for share in shares]


def _row(rows: list[list[int]], x: int) -> int:
    """The first row of a band in which there is room; it is taken."""
    for number, row in enumerate(rows):
        if row[-1] + CARD_WIDTH + GAP <= x:
            row.append(x)
            return number
    rows.append([x])
    return len(rows) - 1


def _lines(text: str) -> tuple[str, ...]:
    """The beginning of a text in lines that fit a card: what is longer ends in "…".

    `textwrap` does the same with a third of the time that all of a page's drawing takes.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > LINE_CHARACTERS:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
        while len(line) > LINE_CHARACTERS:
            lines.append(line[:LINE_CHARACTERS])
            line = line[LINE_CHARACTERS:]
        if len(lines) > LINES:
            break
    lines += [line] if line else []
    if len(lines) <= LINES:
        return tuple(lines)
    last = lines[LINES - 1]
    if len(last) > LINE_CHARACTERS - len(CUT):
        last = last[: LINE_CHARACTERS - len(CUT) + 1]
        last = last.rpartition(" ")[0] or last[:-1]
    return (*lines[: LINES - 1], f"{last}{CUT}")


def _arrows(chart: Chart, boxes: Sequence[Box]) -> tuple[Arrow, ...]:
    by_code = {box.entry.code: box for box in boxes}
    found: list[Arrow] = []
    for edge in chart.edges:
        older, newer = by_code[f"e{edge.older}"], by_code[f"e{edge.newer}"]
        x1, y1 = older.x + CARD_WIDTH, older.y + CARD_HEIGHT // 2
        x2, y2 = newer.x, newer.y + CARD_HEIGHT // 2
        if x1 <= x2:  # from side to side
            middle = (x1 + x2) // 2
            path = f"M{x1},{y1} C{middle},{y1} {middle},{y2} {x2},{y2}"
        else:  # one begins before the other ends: from below one to above the other
            downward = older.y < newer.y
            x1, y1 = older.x + FOOT, older.y + (CARD_HEIGHT if downward else 0)
            x2, y2 = newer.x + FOOT, newer.y + (0 if downward else CARD_HEIGHT)
            middle = (y1 + y2) // 2
            path = f"M{x1},{y1} C{x1},{middle} {x2},{middle} {x2},{y2}"
        found.append(Arrow(edge.relation.value, path, older.entry.code, newer.entry.code))
    return tuple(found)


def _dates(boxes: Sequence[Box]) -> tuple[tuple[int, datetime], ...]:
    dates: list[tuple[int, datetime]] = []
    for box in boxes:
        if not dates or (box.x - dates[-1][0] >= APART and box.entry.time.date() != dates[-1][1].date()):
            dates.append((box.x, box.entry.time))
    return tuple(dates)
