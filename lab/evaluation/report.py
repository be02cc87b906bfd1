"""What an evaluation found, for people and for programs: tables on the console, JSON, and Markdown with pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bot.errors import BadInput
from lab.evaluation.metrics import Estimate

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b8860b", "#000000", "#8a6fb0")
"""Told apart by colour-blind people too."""
MARKS = "osD^vPX*"
WIDTH_IN, HEIGHT_IN, DOTS_PER_INCH = 7.2, 4.4, 160
LEGEND_LETTERS = 80
"""How many letters of names have room beside each other below a picture."""
LABEL_GAP = 0.045
"""Of the height of a picture: how far the names at the ends of two curves stay apart."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the first column is words, the others are figures as they are shown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    """A sentence below it: what the figures mean, or why some are missing."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Figures of one thing that is compared, one for each of `xs`. `low`, `high`: their intervals, or empty."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


def curve_of(name: str, estimates: Sequence[Estimate]) -> Curve:
    """Estimates in per cent, with their intervals, at 0, 1, 2 and so on: for bars in groups."""
    low = tuple(100 * (one.mean if one.low is None else one.low) for one in estimates)
    high = tuple(100 * (one.mean if one.high is None else one.high) for one in estimates)
    xs = tuple(map(float, range(len(estimates))))
    return Curve(name, xs, tuple(100 * one.mean for one in estimates), low, high)


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture: curves over `xs`, or, when `groups` names them, bars side by side in groups: the first at x = 0."""

    name: str
    """What the file is called, without its ending."""
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """All that an evaluation found. `figures`: the same for programs, with more digits."""

    name: str
    """What the files are called, without their ending."""
    title: str
    lines: tuple[str, ...]
    """What was done and how: a paragraph each."""
    grids: tuple[Grid, ...]
    plots: tuple[Plot, ...]
    figures: Mapping[str, Json]


def progress_bar(console: Console) -> Progress:
    """A bar with the time that has passed and the time that is left; on a terminal only."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def show(report: EvaluationReport, console: Console) -> None:
    """Prints the tables, and the paragraphs below them."""
    for grid in report.grids:
        # A title of the table's own would be broken at the width of the table.
        console.print(grid.title, style="italic", markup=False)
        console.print(as_table(grid))
        if grid.note:
            console.print(grid.note, style="dim", markup=False)
        console.print()
    for line in report.lines:
        console.print(line, markup=False)


def write(report: EvaluationReport, as_json: Path | None, folder: Path | None) -> list[Path]:
    """Writes the figures to `as_json`, and Markdown with its pictures into `folder`; returns what it wrote.

    Raises BadInput when that cannot be done.
    """
    written: list[Path] = []
    try:
        if as_json is not None:
            as_json.parent.mkdir(parents=True, exist_ok=True)
            as_json.write_text(json.dumps(report.figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            written.append(as_json)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            for plot in report.plots:
                written.append(folder / f"{plot.name}.png")
                draw(plot, written[-1])
            written.append(folder / f"{report.name}.md")
            written[-1].write_text(as_markdown(report), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The report cannot be written: {error.filename}: {error.strerror or error}.") from None
    return written


def as_table(grid: Grid) -> Table:
    """The table for the console, without its title."""
    table = Table()
    for number, column in enumerate(grid.columns):
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table


def as_markdown(report: EvaluationReport) -> str:
    """The whole report; its pictures lie beside it."""
    parts = [f"# {report.title}", *report.lines]
    parts += [f"![{plot.title}]({plot.name}.png)" for plot in report.plots]
    for grid in report.grids:
        parts += [f"## {grid.title}", _markdown_table(grid), *([grid.note] if grid.note else [])]
    return "\n\n".join(parts) + "\n"


def draw(plot: Plot, path: Path) -> None:
    """Draws the plot as a PNG. Raises OSError."""
    figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), dpi=DOTS_PER_INCH, layout="constrained")
    axes = figure.subplots()
    if plot.groups:
        _draw_bars(axes, plot)
    else:
        _draw_curves(axes, plot)
    axes.set_title(plot.title, loc="left", fontsize=11, pad=12)
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, format="png")


def _draw_curves(axes: Axes, plot: Plot) -> None:
    for number, curve in enumerate(plot.curves):
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(curve.xs, curve.ys, color=colour, marker=MARKS[number % len(MARKS)], markersize=4.5, linewidth=1.8)
        if curve.low:
            axes.fill_between(curve.xs, curve.low, curve.high, color=colour, alpha=0.1, linewidth=0)
    ticks = sorted({x for curve in plot.curves for x in curve.xs})
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_ylim(bottom=0.0)
    _name_ends(axes, plot.curves)


def _name_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """Writes each curve's name at its right end, apart from one another: nobody has to look up a legend."""
    gap = LABEL_GAP * (axes.get_ylim()[1] - axes.get_ylim()[0])
    numbered = [(curve.ys[-1], number) for number, curve in enumerate(curves) if curve.ys]
    heights: dict[int, float] = {}
    lowest = float("-inf")
    for y, number in sorted(numbered):
        lowest = heights[number] = max(y, lowest + gap)
    for number, height in heights.items():
        curve = curves[number]
        axes.annotate(
            curve.name,
            (curve.xs[-1], height),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=COLOURS[number % len(COLOURS)],
            annotation_clip=False,
        )


def _draw_bars(axes: Axes, plot: Plot) -> None:
    width = 0.8 / max(1, len(plot.curves))
    for number, curve in enumerate(plot.curves):
        at = [x + width * (number - (len(plot.curves) - 1) / 2) for x in curve.xs]
        axes.bar(at, curve.ys, width * 0.92, color=COLOURS[number % len(COLOURS)], label=curve.name)
        if curve.low:
            spread = (
                [y - low for y, low in zip(curve.ys, curve.low, strict=True)],
                [high - y for y, high in zip(curve.ys, curve.high, strict=True)],
            )
            axes.errorbar(at, curve.ys, yerr=spread, fmt="none", ecolor="#444444", elinewidth=1, capsize=2)
    axes.set_xticks(range(len(plot.groups)), plot.groups)
    if plot.curves:
        longest = max(len(curve.name) for curve in plot.curves)
        columns = max(1, min(4, len(plot.curves), LEGEND_LETTERS // max(1, longest)))
        axes.legend(frameon=False, ncols=columns, loc="upper left", bbox_to_anchor=(0, -0.16))


def _markdown_table(grid: Grid) -> str:
    lines = [grid.columns, ("---", *("---:" for _ in grid.columns[1:])), *grid.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
