"""Long replies in parts that a platform takes, each of which reads and renders on its own. Pure.

A cut falls, as far as one can be found, between paragraphs, lines, sentences or words, in this order, and leaves a part
at least half full. A fenced code block that has to be cut is closed in one part and opened again in the next.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import regex

Length = Callable[[str], int]


class _Rank(IntEnum):
    """How good a place is for a cut."""

    WORD = 0
    SENTENCE = 1
    LINE = 2
    PARAGRAPH = 3


@dataclass(frozen=True, slots=True)
class _Cut:
    """White space between two parts (nothing after a CJK full stop): one ends at `end`, the next begins at `begin`."""

    end: int
    begin: int
    rank: _Rank


@dataclass(frozen=True, slots=True)
class _Fence:
    """A fenced code block: its opening line, its body and its closing line, as positions."""

    start: int
    body: int
    close: int
    """Where the closing line begins; the end of the text when there is none."""
    end: int
    marker: str
    opening: str
    """What opens it again in a later part."""


@dataclass(frozen=True, slots=True)
class _Spans:
    """Stretches of the text that do not overlap, in order."""

    starts: Sequence[int]
    ends: Sequence[int]

    def around(self, position: int) -> tuple[int, int] | None:
        """The stretch that a cut at `position` would tear, if any."""
        at = bisect_left(self.starts, position) - 1
        return (self.starts[at], self.ends[at]) if at >= 0 and position < self.ends[at] else None


_FENCE = regex.compile(r"(?m)^(?P<indent>[ \t]*)(?P<marker>`{3,}|~{3,})(?P<info>[^\n]*)$")
_WHOLE = regex.compile(
    r"""(?xm)
      \\(?:[^\w\s]|[_\n])
    | (?P<ticks> `+ )
    | ^[ \t]*(?P<bullet> (?:\d{1,9}[.)]|[-*+]|\#{1,6}|>)[ \t]+ )
    | !?\[(?:\\.|[^\[\]\\\n]|\n(?!\s*\n))*+\]\((?:<[^<>\n]*>|(?:\\.|[^()\\\s]|\([^()\s]*\))*+)(?:[ \t]+"[^"\n]*")?\)
    | <(?:/[^<>\n]+|[^<>\s]+)>
    | (?:https?://|\bwww\.)[^\s<>"`。！？，、]+
    """
)
_EMPHASIS = [
    regex.compile(rf"(?s){mark}(?=\S)(?:(?!{mark}|\n\s*\n).)++{mark}") for mark in (r"\*\*", "__", "~~", r"\|\|")
] + [
    regex.compile(r"(?<![*\w])\*(?=[^\s*])(?:(?!\n\s*\n)[^*])++\*(?!\*)"),
    regex.compile(r"(?<![_\w])_(?=[^\s_])(?:(?!\n\s*\n)[^_])++_(?![_\w])"),
]
_GAP = regex.compile(r"\s+|(?<=[。！？…])(?=[^\s。！？…」』”’）)])")
_BLANK_LINE = regex.compile(r"\n[^\S\n]*\n")
_SENTENCE_END = regex.compile(r"""[.!?…。！？:;]["'”’»)\]*_~|]{0,4}$""")
_CLUSTER = regex.compile(r"\X")
_JOINS = regex.compile(r"[^\p{GCB=Other}\p{GCB=Control}\p{GCB=LF}]")
"""What a grapheme cluster of several characters has at least one of (Unicode's UAX 29): most texts have none."""


def utf16_length(text: str) -> int:
    """The length in UTF-16 units, as Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def split(text: str, limit: int, length: Length = len) -> list[str]:
    """The text in parts of at most `limit`, as `length` counts.

    Nothing is lost but white space at the cuts; no part is blank, so a blank text has none. Words, grapheme clusters,
    addresses, links, inline code, mentions, custom emoji and escapes stay whole unless one alone exceeds the limit.
    Code fences are added where a block is cut, unless the limit is too small for it (they would take half of a part).

    `length` must give at least one for each character, and for a text the sum of its characters; a character that
    alone is longer than `limit` becomes a part.
    """
    if length(text) <= limit:
        return [text] if text.strip() else []
    return [part for part in _Splitting(text, limit, length).parts() if part.strip()]


class _Splitting:
    """One text on its way to become parts: where it may be cut, and where it better is."""

    def __init__(self, text: str, limit: int, length: Length) -> None:
        self._text = text
        self._limit = limit
        self._length = length
        self._fences = [fence for fence in _fences(text) if self._can_be_repaired(fence)]
        self._fence_starts = [fence.start for fence in self._fences]
        self._atoms = self._whole_things()
        clusters = (match.span() for match in (_CLUSTER.finditer(text) if _JOINS.search(text) else ()))
        self._clusters = _spans(span for span in clusters if span[1] - span[0] > 1 and self._fits(span))
        self._loose = self._better_whole()
        self._cuts = list(self._possible_cuts())
        self._cut_ends = [cut.end for cut in self._cuts]

    def parts(self) -> Iterator[str]:
        """The parts, in order."""
        text, begin, opening = self._text, 0, ""
        while begin < len(text):
            end, following = self._next(begin, self._limit - self._length(opening))
            fence = self._fence_at(end)
            shown = opening + text[begin:end]
            if text[begin:end].strip():
                yield shown if fence is None else shown + _closing(fence, shown)
            begin = following
            if fence is not None and begin >= fence.close:
                begin, fence = fence.end, None
            opening = "" if fence is None else fence.opening

    def _next(self, begin: int, room: int) -> tuple[int, int]:
        """Where the part that begins at `begin` ends, and where the next one begins."""
        furthest = self._furthest(begin, room)
        if furthest == len(self._text):
            trailing = self._cuts[-1:]
            return next((cut.end for cut in trailing if cut.begin == furthest), furthest), furthest
        low, high = bisect_left(self._cut_ends, begin), bisect_right(self._cut_ends, furthest)
        if low < high and self._cuts[low].end == begin:  # a part does not begin with white space
            if self._cuts[low].begin > begin:
                return begin, self._cuts[low].begin
            low += 1
        cut = self._best(low, high, self._furthest(begin, room // 2))
        if cut is not None:
            return cut.end, cut.begin
        word = begin
        while word < furthest and self._text[word].isspace() and self._clusters.around(word + 1) is None:
            word += 1
        if word > begin:  # code whose first word does not fit behind its indentation
            return begin, word
        position = self._inside_a_word(begin, furthest)
        return position, position

    def _best(self, low: int, high: int, half: int) -> _Cut | None:
        """The best of the cuts from index `low` to `high`: of the best rank that fills half a part, else the last."""
        firm: list[_Cut] = []
        torn: _Cut | None = None
        for cut in reversed(self._cuts[low:high]):
            if self._loose.around(cut.end) is not None:
                torn = torn or cut
            elif cut.end >= half:
                firm.append(cut)
            else:
                firm = firm or [cut]
                break
        return max(firm, key=lambda cut: (cut.rank, cut.end), default=torn)

    def _furthest(self, begin: int, room: int) -> int:
        """The last position to which text from `begin` fits into `room`, with what would close the fence there."""
        needed = 0
        while True:
            window = range(begin + 1, min(len(self._text), begin + max(room, 1)) + 1)
            fitting = bisect_right(window, room - needed, key=lambda position: self._length(self._text[begin:position]))
            end = max(begin + fitting, begin + 1)
            fence = self._fence_at(end)
            closing = 0 if fence is None else self._length(fence.marker) + 1
            if closing <= needed:
                return end
            needed = closing

    def _inside_a_word(self, begin: int, furthest: int) -> int:
        """The last position that tears nothing but a word; what alone is too long is torn, clusters last of all."""
        for kinds in ([self._atoms, self._clusters], [self._clusters]):
            position = furthest
            while torn := next((span for kind in kinds if (span := kind.around(position)) is not None), None):
                position = torn[0]
            if position > begin:
                return position
        return furthest

    def _possible_cuts(self) -> Iterator[_Cut]:
        """All white space that may be a cut, without the parts of it that belong to something whole."""
        text = self._text
        for match in _GAP.finditer(text):
            end, begin = match.span()
            gap = begin > end
            while torn := self._atoms.around(end) or self._clusters.around(end):
                end = torn[1]
            while torn := self._atoms.around(begin) or self._clusters.around(begin):
                begin = torn[0]
            if begin < end or (gap and begin == end):
                continue
            white = text[end:begin]
            if self._fence_at(end) is not None and "\n" in white:  # the next line of code keeps its indentation
                begin = end + white.rindex("\n") + 1
            yield _Cut(end, begin, _rank(white, text[max(end - 6, 0) : end]))

    def _whole_things(self) -> _Spans:
        """What must not be torn if it can be helped, grapheme clusters aside."""
        spans: list[tuple[int, int]] = []
        begin = 0
        for fence in self._fences:
            spans.extend(_whole(self._text, begin, fence.start))
            code = self._text[fence.body : fence.close]
            spans.append((fence.start, fence.body + len(code) - len(code.lstrip())))
            spans.append((fence.close, fence.end))
            begin = fence.end
        spans.extend(_whole(self._text, begin, len(self._text)))
        return _spans(filter(self._fits, spans))

    def _better_whole(self) -> _Spans:
        """Emphasis and code blocks that fit into one part."""
        blocks = [(fence.start, fence.end) for fence in self._fences]
        prose = _filled(_filled(self._text, self._atoms, "x"), _spans(blocks), "\n")
        found = [match.span() for pattern in _EMPHASIS for match in pattern.finditer(prose)]
        return _spans(sorted(filter(self._fits, [*found, *blocks])))

    def _can_be_repaired(self, fence: _Fence) -> bool:
        """Whether its lines leave room for code in every part."""
        code = self._text[fence.body : fence.close]
        opening = self._text[fence.start : fence.body + len(code) - len(code.lstrip())]
        return self._length(opening) + self._length(fence.marker) + 1 <= self._limit // 2

    def _fits(self, span: tuple[int, int]) -> bool:
        return self._length(self._text[slice(*span)]) <= self._limit

    def _fence_at(self, position: int) -> _Fence | None:
        """The code block in which a part that ends at `position` would have to be closed."""
        at = bisect_right(self._fence_starts, position) - 1
        if at < 0:
            return None
        fence = self._fences[at]
        unclosed = fence.close == fence.end
        return fence if fence.body <= position and (position < fence.end or unclosed) else None


def _fences(text: str) -> Iterator[_Fence]:
    """The fenced code blocks; one that is never closed goes on to the end."""
    opened: regex.Match[str] | None = None
    for line in _FENCE.finditer(text):
        marker, info, indent = line["marker"], line["info"], len(line["indent"])
        if opened is None:
            if not (marker.startswith("`") and "`" in info):
                opened = line
        elif marker.startswith(opened["marker"]) and not info.strip() and indent <= len(opened["indent"]) + len("   "):
            yield _fence(opened, line.start(), line.end())
            opened = None
    if opened is not None:
        yield _fence(opened, len(text), len(text))


def _fence(opened: regex.Match[str], close: int, end: int) -> _Fence:
    opening = f"{opened['marker']}{opened['info'].rstrip()}\n"
    return _Fence(opened.start("marker"), min(opened.end() + 1, end), close, end, opened["marker"], opening)


def _closing(fence: _Fence, shown: str) -> str:
    """What closes the block at the end of a part, if it is not closed there."""
    return fence.marker if shown.endswith("\n") else f"\n{fence.marker}"


def _whole(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """What must not be torn in a stretch without code blocks, in order."""
    closers = _closing_ticks(text, begin, end)
    position = begin
    while match := _WHOLE.search(text, position, end):
        position = match.end()
        if match["ticks"]:
            position = closers.get(match.start(), position)
        yield match.start("bullet") if match["bullet"] else match.start(), position


def _closing_ticks(text: str, begin: int, end: int) -> dict[int, int]:
    """For each run of backticks that opens inline code, where the code ends: after the next run of the same length."""
    blanks = [match.start() for match in _BLANK_LINE.finditer(text, begin, end, overlapped=True)]
    latest: dict[tuple[int, int], int] = {}
    closers: dict[int, int] = {}
    for run in regex.compile(r"`+").finditer(text, begin, end):
        kind = (bisect_left(blanks, run.start()), run.end() - run.start())  # code does not go over a blank line
        if kind in latest:
            closers[latest[kind]] = run.end()
        latest[kind] = run.start()
    return closers


def _spans(spans: Iterable[tuple[int, int]]) -> _Spans:
    """Spans in order, the overlapping ones joined."""
    starts, ends = list[int](), list[int]()
    for start, end in spans:
        if ends and start < ends[-1]:
            ends[-1] = max(end, ends[-1])
        elif start < end:
            starts.append(start)
            ends.append(end)
    return _Spans(starts, ends)


def _filled(text: str, spans: _Spans, filler: str) -> str:
    """The text with the spans blotted out, as long as before."""
    pieces, begin = list[str](), 0
    for start, end in zip(spans.starts, spans.ends, strict=True):
        pieces += [text[begin:start], filler * (end - start)]
        begin = end
    return "".join([*pieces, text[begin:]])


def _rank(white: str, before: str) -> _Rank:
    """How good white space is for a cut, given what stands before it."""
    if white.count("\n") > 1:
        return _Rank.PARAGRAPH
    if "\n" in white:
        return _Rank.LINE
    return _Rank.SENTENCE if _SENTENCE_END.search(before) else _Rank.WORD
