"""What came of the conversations: tables, figures and transcripts to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

import numpy as np

from lab.evaluation.companion.conversations import Conversation, Line, Verdict, judge
from lab.evaluation.companion.playing import Replies, Reply, key_of
from lab.evaluation.report import EvaluationReport, Grid, Json
from lab.evaluation.safety import Share, share

FORMAT = "{share:.0f} % ({hits} of {of})"
INTERVAL = "{low:.0f}–{high:.0f} %"
ALL = "all"
MOST_SHOWN = 60
"""Characters of what a pattern found: its end, since some patterns begin where the reply does."""
LATE = 0.9
"""The quantile of seconds that is shown beside the median."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of answering: the product with a model, or the plain loop."""

    name: str
    replies: Replies


@dataclass(frozen=True, slots=True)
class Answered:
    """A line, its reply and its verdict."""

    line: Line
    reply: Reply
    verdict: Verdict


def answered(talk: Conversation, replies: Sequence[Reply]) -> list[Answered]:
    """The lines of a conversation with their replies, each judged with those before it in mind."""
    texts = [reply.text for reply in replies]
    return [
        Answered(line, reply, judge(line, reply.text, texts[:at]))
        for at, (line, reply) in enumerate(zip(talk.lines, replies, strict=True))
    ]


def report_of(conversations: Sequence[Conversation], ways: Sequence[Way]) -> EvaluationReport:
    """The tables of all sets of conversations, and the seconds of a reply."""
    sets = list(dict.fromkeys(talk.set for talk in conversations))
    grids = [_grid(name, [talk for talk in conversations if talk.set == name], ways) for name in sets]
    grids = [grid for grid in grids if grid.rows]
    silent = {way.name: sum(not one.text for said in way.replies.values() for one in said) for way in ways}
    return EvaluationReport(
        name="companion",
        title="Short conversations with patterns",
        lines=(
            f"{len(conversations)} conversations; a reply holds when it has every pattern that is expected and none "
            "that is rejected. Patterns are a floor: the transcripts are for reading.",
            *(f"{name}: {count} lines got no reply." for name, count in silent.items() if count),
        ),
        grids=(*grids, _seconds(ways)),
        plots=(),
        figures=_figures(conversations, ways),
    )


def _grid(name: str, conversations: Sequence[Conversation], ways: Sequence[Way]) -> Grid:
    kinds = list(dict.fromkeys(talk.kind for talk in conversations))
    cells = {way.name: _shares(conversations, way) for way in ways}
    rows = [
        (kind, *(_words(cells[way.name][kind]) for way in ways))
        for kind in (*kinds, ALL)
        if any(cells[way.name][kind].of for way in ways)
    ]
    if rows:
        rows.append(("95 % interval", *(_interval(cells[way.name][ALL]) for way in ways)))
    return Grid(f"Replies that hold: {name}", ("kind", *(way.name for way in ways)), tuple(rows))


def _shares(conversations: Sequence[Conversation], way: Way) -> dict[str, Share]:
    """Kind → how many replies hold of those that are judged, with Wilson's interval."""
    held: dict[str, list[bool]] = {talk.kind: [] for talk in conversations}
    for talk in conversations:
        held[talk.kind] += [one.verdict.holds for one in answered(talk, way.replies[key_of(talk)]) if one.line.judged]
    held[ALL] = [one for kind in held.values() for one in kind]
    return {kind: share(sum(ones), len(ones)) for kind, ones in held.items()}


def _words(found: Share) -> str:
    return FORMAT.format(share=100 * (found.share or 0), hits=found.hits, of=found.of) if found.of else "–"


def _interval(found: Share) -> str:
    return INTERVAL.format(low=100 * found.low, high=100 * found.high)


def _seconds(ways: Sequence[Way]) -> Grid:
    """The first reply of a conversation reads the whole prompt; what follows is what people wait for."""
    rows = []
    for way in ways:
        first = [said[0].seconds for said in way.replies.values()]
        later = [one.seconds for said in way.replies.values() for one in said[1:]]
        rows.append((way.name, _middle(first), _middle(later), _late(later)))
    columns = ("", "first of a conversation, median", "after the first, median", "after the first, p90")
    return Grid("Seconds of a reply", columns, tuple(rows), "With whatever else the machine did meanwhile.")


def _middle(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.2f}" if seconds else "–"


def _late(seconds: Sequence[float]) -> str:
    return f"{float(np.quantile(seconds, LATE)):.2f}" if seconds else "–"


def _figures(conversations: Sequence[Conversation], ways: Sequence[Way]) -> Mapping[str, Json]:
    """Everything, with all replies: patterns can be changed and the same replies judged again."""
    sets = list(dict.fromkeys(talk.set for talk in conversations))
    return {
        way.name: {
            "holds": {
                name: {
                    kind: asdict(found)
                    for kind, found in _shares([talk for talk in conversations if talk.set == name], way).items()
                }
                for name in sets
            },
            "replies": {key: [asdict(one) for one in said] for key, said in way.replies.items()},
        }
        for way in ways
    }


def transcript(conversations: Sequence[Conversation], way: Way) -> str:
    """All conversations as Markdown, for reading; what fell short is marked, with the reason."""
    parts = [f"# {way.name}"]
    for talk in conversations:
        parts.append(f"## {talk.kind}: {talk.id}")
        parts.append("\n".join(_lines(answered(talk, way.replies[key_of(talk)]))))
    return "\n\n".join(parts) + "\n"


def _lines(said: Sequence[Answered]) -> Iterator[str]:
    day = 0
    for one in said:
        if one.line.day != day:
            day = one.line.day
            yield f"- *day {day}*"
        who = f"**{one.line.speaker}**: " if one.line.speaker else ""
        yield f"- {who}{one.line.text}"
        yield f"  - {_mark(one)}{' '.join(one.reply.text.split()) or '(no reply)'}"
        yield from (f"    - {reason}" for reason in _reasons(one.verdict) if one.line.judged)


def _mark(one: Answered) -> str:
    if not one.line.judged:
        return ""
    return "✓ " if one.verdict.holds else "✗ "


def _reasons(verdict: Verdict) -> Iterator[str]:
    yield from (f"lacks `{pattern}`" for pattern in verdict.missed)
    yield from (f"has “{found[-MOST_SHOWN:]}”, by `{pattern}`" for pattern, found in verdict.said)
    if verdict.again:
        yield "said before"
