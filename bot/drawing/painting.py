"""Paints a timeline as a PNG, with matplotlib's Agg. Loaded only when somebody asks: matplotlib takes time and room.

Without pyplot, so that nothing is global: any thread may paint, and a picture is gone with its figure. The same scene
gives the same bytes. The PNG holds pixels and their density, and no words.

Letters come from DejaVu Sans, which is part of matplotlib, and for what it lacks (Chinese, Japanese, Korean, Indic
scripts) from fonts of this machine, where there are any. What nothing can draw is left out: no boxes.
Not covered: colour emoji; lines that run from right to left begin at the left edge all the same.
"""

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path as FilePath

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path

from bot.drawing.layout import (
    BODY,
    EDGE,
    LEADING,
    LEGEND_DOT,
    MARGIN,
    PADDING,
    SMALL,
    TIME_X,
    TITLE,
    WIDTH,
    Arrow,
    PlacedCard,
    Plan,
    plan,
)
from bot.drawing.looks import LOOKS, Look
from bot.drawing.scene import Card, Note, Scene, Standing
from bot.texts.beside import read_beside

DPI = 72
"""So that a point is a pixel."""
BUNDLED = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
ELSEWHERE: Sequence[str] = read_beside(__file__, "fonts")
"""Fonts of other scripts, those that are preferred first."""
NORMAL = 400
"""The weight of letters that are not bold."""
FAST = 3
"""How hard the PNG is compressed, of 9: twice as fast as with 6, and a tenth larger."""
READABLE = 0.6
"""Share of the letters that must be drawable; with fewer a text says nothing."""
HALO = 12
STROKE = 5
HEAD = 15
BEND = 20
"""Radius of an arrow's turns, at most."""

_FOLDER = FilePath(mpl.get_data_path(), "fonts", "ttf")
_MEASURED = 100
"""The size at which letters are measured."""
_FIXED_POINT = 65536
"""FreeType's unit of widths, in pixels."""


def paint(scene: Scene) -> bytes:
    """The picture as a PNG of `layout.WIDTH` pixels; its height follows from the scene."""
    look, scene = LOOKS[scene.look], _drawable(scene)
    layout = plan(scene, _measure)
    figure = Figure(figsize=(WIDTH / DPI, layout.height / DPI), dpi=DPI, facecolor=look.background)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(layout.height, 0)
    axes.set_axis_off()
    brush = _Brush(axes, look)
    _paint_head(brush, scene, layout)
    _paint_time(brush, layout)
    for placed in layout.cards:
        _paint_card(brush, placed, layout.card_x)
    for arrow in layout.arrows:
        _paint_arrow(brush, arrow, layout.card_x)
    painted = io.BytesIO()
    figure.savefig(painted, format="png", metadata={"Software": None}, pil_kwargs={"compress_level": FAST})
    figure.clear()
    return painted.getvalue()


class _Brush:
    """Puts shapes and texts on a picture; everything in pixels from its upper left corner."""

    def __init__(self, axes: Axes, look: Look) -> None:
        self._axes = axes
        self.look = look
        self._order = 1.0

    def _next(self) -> float:
        """What comes later covers what came before."""
        self._order += 1
        return self._order

    def text(
        self, x: float, y: float, words: str, size: int, colour: str, *, bold: bool = False, to: str = "left"
    ) -> None:
        """A line of text, its middle at height `y`; `to`: the side at which it begins or ends."""
        font = _font(bold).copy()
        font.set_size(size)
        self._axes.text(
            x, y + size * 0.36, words, color=colour, fontproperties=font, ha=to, va="baseline", parse_math=False,
            zorder=self._next(),
        )  # fmt: skip

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        edge: str,
        *,
        dashed: bool = False,
        radius: float = 20,
    ) -> None:
        """A box with round corners."""
        shape = FancyBboxPatch(
            (x, y), width, height, boxstyle=f"round,pad=0,rounding_size={radius}", facecolor=fill, edgecolor=edge,
            linewidth=2, linestyle=(0, (5, 4)) if dashed else "solid", zorder=self._next(),
        )  # fmt: skip
        self._axes.add_patch(shape)

    def line(self, path: Path, colour: str, width: float) -> None:
        """A stroke."""
        self._axes.add_patch(
            PathPatch(path, facecolor="none", edgecolor=colour, linewidth=width, capstyle="round", zorder=self._next())
        )

    def dot(self, x: float, y: float, radius: float, colour: str, edge: str | None = None) -> None:
        """A dot, hollow with `edge`."""
        self._axes.add_patch(
            Circle(
                (x, y),
                radius,
                facecolor=colour,
                edgecolor=edge or colour,
                linewidth=4 if edge else 0,
                zorder=self._next(),
            )
        )

    def triangle(self, x: float, y: float, colour: str) -> None:
        """An arrow's head that points to the right."""
        corners = [(x, y), (x - HEAD, y - HEAD * 0.6), (x - HEAD, y + HEAD * 0.6)]
        self._axes.add_patch(Polygon(corners, closed=True, facecolor=colour, edgecolor="none", zorder=self._next()))


def _paint_head(brush: _Brush, scene: Scene, layout: Plan) -> None:
    y = MARGIN + TITLE * LEADING / 2
    brush.text(MARGIN, y, scene.title, TITLE, brush.look.text, bold=True)
    for number, line in enumerate(layout.subtitle):
        y = MARGIN + TITLE * LEADING + SMALL * LEADING * (number + 0.5)
        brush.text(MARGIN, y, line, SMALL, brush.look.muted)
    for key in layout.legend:
        brush.dot(key.x, key.y, LEGEND_DOT, brush.look.topics[key.colour])
        brush.text(key.x + 2 * LEGEND_DOT, key.y, key.topic, SMALL, brush.look.muted)


def _paint_time(brush: _Brush, layout: Plan) -> None:
    """The line of time with its dots, and the words for the time between two of them."""
    first, last = layout.cards[0].date_y, layout.cards[-1].date_y
    brush.line(Path([(TIME_X, first), (TIME_X, last)]), brush.look.line, 4)
    for placed in layout.cards:
        y = placed.date_y
        brush.line(Path([(TIME_X, y), (layout.card_x, y)]), brush.look.line, 2)
        over = placed.card.standing is Standing.BEFORE
        colour = brush.look.topics[placed.card.colour]
        brush.dot(TIME_X, y, 11, brush.look.background if over else colour, colour)
        if placed.card.gap:
            brush.text(layout.card_x + PADDING, placed.top - 31, placed.card.gap, SMALL, brush.look.muted)


def _paint_card(brush: _Brush, placed: PlacedCard, x: float) -> None:
    look, card = brush.look, placed.card
    over = card.standing is Standing.BEFORE
    fill, words = (look.before_card, look.before_text) if over else (look.card, look.text)
    brush.box(x, placed.top, WIDTH - MARGIN - x, placed.height, fill, look.line if over else look.border, dashed=over)
    brush.box(x, placed.top, EDGE, placed.height, look.topics[card.colour], look.topics[card.colour], radius=EDGE / 2)
    left, right = x + PADDING, WIDTH - MARGIN - PADDING
    brush.text(left, placed.date_y, placed.date, SMALL, look.before_text if over else look.muted)
    brush.text(right, placed.date_y, card.code, SMALL, look.before_text if over else look.muted, bold=True, to="right")
    if card.tag:
        _paint_tag(brush, placed, right - _measure(card.code, SMALL, True) - 20)
    for number, note in enumerate(card.notes):
        _paint_note(brush, note, left - 12, placed.note_y(number))
    for number, line in enumerate(placed.lines):
        brush.text(left, placed.words_top + BODY * LEADING * (number + 0.5), line, BODY, words)


def _paint_tag(brush: _Brush, placed: PlacedCard, right: float) -> None:
    """The word for what is so now, or was so before."""
    look, tag = brush.look, placed.card.tag
    now = placed.card.standing is Standing.NOW
    width = _measure(tag, SMALL, True) + 28
    fill, edge, colour = (
        (look.accent, look.accent, look.card) if now else (look.before_card, look.before_text, look.before_text)
    )
    brush.box(right - width, placed.date_y - 20, width, 40, fill, edge, radius=19)
    brush.text(right - width + 14, placed.date_y, tag, SMALL, colour, bold=True)


def _paint_note(brush: _Brush, note: Note, x: float, y: float) -> None:
    """What connects the card with an older one, at the head of its arrow."""
    colour = brush.look.relations[note.relation]
    width = _measure(note.words, SMALL, True) + 24
    brush.box(x, y - 20, width, 40, brush.look.background, colour, radius=19)
    brush.text(x + 12, y, note.words, SMALL, colour, bold=True)


def _paint_arrow(brush: _Brush, arrow: Arrow, card_x: float) -> None:
    colour = brush.look.relations[arrow.relation]
    paths = [_bent(card_x, arrow.start_y, arrow.lane_x, head, card_x - 2) for head in arrow.heads]
    for path in paths:
        brush.line(path, brush.look.background, HALO)
    for path in paths:
        brush.line(path, colour, STROKE)
    brush.dot(card_x, arrow.start_y, 8, colour)
    for head in arrow.heads:
        brush.triangle(card_x + 10, head, colour)


def _bent(start_x: float, start_y: float, lane_x: float, end_y: float, end_x: float) -> Path:
    """From a card to the left, down a lane, and to the right, with round turns."""
    bend = min(BEND, start_x - lane_x, (end_y - start_y) / 2)
    points = [
        (start_x, start_y), (lane_x + bend, start_y), (lane_x, start_y), (lane_x, start_y + bend),
        (lane_x, end_y - bend), (lane_x, end_y), (lane_x + bend, end_y), (end_x, end_y),
    ]  # fmt: skip
    line, curve = Path.LINETO, Path.CURVE3
    return Path(points, [Path.MOVETO, line, curve, curve, line, curve, curve, line])


def _drawable(scene: Scene) -> Scene:
    """The scene without what cannot be drawn."""

    def card(one: Card) -> Card:
        words = drawable(one.words)
        if _letters(words) < READABLE * _letters(one.words):
            words = scene.unreadable
        return replace(one, words=words, date=drawable(one.date))

    return replace(
        scene,
        title=drawable(scene.title),
        subtitle=drawable(scene.subtitle),
        legend=tuple((colour, shown) for colour, topic in scene.legend if (shown := drawable(topic))),
        cards=tuple(card(one) for one in scene.cards),
    )


def drawable(text: str) -> str:
    """The text on one line, with only those characters that some font has."""
    composed = unicodedata.normalize("NFC", text)
    return " ".join("".join(one for one in composed if one.isspace() or _is_drawn(one)).split())


def _is_drawn(character: str) -> bool:
    """Whether a font has it, and it shows at all."""
    return unicodedata.category(character)[0] != "C" and ord(character) in _characters()


def _letters(text: str) -> int:
    return sum(character.isalnum() for character in text)


@lru_cache(maxsize=1)
def _elsewhere() -> tuple[tuple[str, str], ...]:
    """(family, file) of the fonts of this machine that help out."""
    upright = [entry for entry in fontManager.ttflist if entry.style == "normal" and entry.weight == NORMAL]
    files = {entry.name: entry.fname for entry in upright}
    return tuple((name, files[name]) for name in ELSEWHERE if name in files)


@lru_cache(maxsize=1)
def _characters() -> frozenset[int]:
    """The code points that can be drawn: in both weights of our own font, or in another one."""
    ours = [frozenset(get_font(str(_FOLDER / name)).get_charmap()) for name in BUNDLED]
    return frozenset.intersection(*ours).union(*(get_font(file).get_charmap() for _, file in _elsewhere()))


@lru_cache(maxsize=2)
def _font(bold: bool) -> FontProperties:
    families = ["DejaVu Sans", *(name for name, _ in _elsewhere())]
    return FontProperties(family=families, weight="bold" if bold else "normal")


def _measure(text: str, size: int, bold: bool) -> float:
    """The width of a text: its letters side by side. With kerning it is painted a little narrower."""
    return size * sum(_advance(character, bold) for character in text)


@lru_cache(maxsize=4096)
def _advance(character: str, bold: bool) -> float:
    """The width of a letter of size 1, in the first font that has it."""
    files = (str(_FOLDER / BUNDLED[bold]), *(file for _, file in _elsewhere()))
    code = ord(character)
    font = next((font for font in map(get_font, files) if font.get_char_index(code)), None)
    if font is None:
        return 0.0
    font.set_size(_MEASURED, DPI)
    return font.load_char(code, LoadFlags.NO_HINTING).linearHoriAdvance / (_FIXED_POINT * _MEASURED)
