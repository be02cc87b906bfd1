"""The report of an evaluation: on the console, as JSON, and as Markdown with pictures."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import matplotlib.image
import pytest
from rich.console import Console

from bot.errors import BadInput
from lab.evaluation.report import Curve, EvaluationReport, Grid, Plot, as_markdown, draw, progress_bar, show, write

GRID = Grid("How good", ("setting", "r@10"), (("fused", "81.0 [70.1, 90.2]"), ("a|[b]", "4.0")), "A note.")
CURVES = (Curve("fused", (1, 5, 10), (30.0, 60.0, 80.0), (20.0, 50.0, 70.0), (40.0, 70.0, 90.0)),)
PLOT = Plot("curves", "A title", "k", "%", CURVES)
BARS = Plot(
    "bars", "A title", "session", "BLEU", (Curve("with", (0, 1), (1.0, 2.0), (0.5, 1.0), (1.5, 3.0)),), ("2", "3")
)
REPORT = EvaluationReport("made", "Made up", ("What was done.",), (GRID,), (PLOT, BARS), {"x": 0.5, "é": None})


def test_everything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    written = write(REPORT, tmp_path / "figures.json", folder)
    assert sorted(path.name for path in written) == ["bars.png", "curves.png", "figures.json", "made.md"]
    assert json.loads((tmp_path / "figures.json").read_text(encoding="utf-8")) == {"x": 0.5, "é": None}
    assert "(curves.png)" in (folder / "made.md").read_text(encoding="utf-8")


def test_nothing_is_written_unless_asked_for() -> None:
    assert write(REPORT, None, None) == []


def test_markdown_has_the_tables_with_their_cells_apart() -> None:
    text = as_markdown(REPORT)
    assert "# Made up\n" in text
    assert "| setting | r@10 |\n| --- | ---: |\n| fused | 81.0 [70.1, 90.2] |\n| a\\|[b] | 4.0 |" in text
    assert "A note." in text


def test_the_console_shows_brackets_as_they_are() -> None:
    stream = StringIO()
    show(REPORT, Console(file=stream, width=100))
    assert "81.0 [70.1, 90.2]" in stream.getvalue()
    assert "a|[b]" in stream.getvalue()
    assert "A note." in stream.getvalue()
    assert "What was done." in stream.getvalue()


@pytest.mark.parametrize("plot", [PLOT, BARS])
def test_a_picture_shows_its_curves(tmp_path: Path, plot: Plot) -> None:
    draw(plot, tmp_path / "with.png")
    draw(Plot(plot.name, plot.title, plot.x_label, plot.y_label, (), plot.groups), tmp_path / "without.png")
    seen, empty = (matplotlib.image.imread(tmp_path / name) for name in ("with.png", "without.png"))
    assert seen.shape[1] > 1000
    blue = (seen[..., 2] - seen[..., 0] > 0.5).sum()
    assert blue > 500
    assert (empty[..., 2] - empty[..., 0] > 0.5).sum() == 0


def test_a_report_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="cannot be written"):
        write(REPORT, None, tmp_path / "file")


def test_no_bar_is_drawn_where_nobody_looks() -> None:
    stream = StringIO()
    with progress_bar(Console(file=stream)) as progress:
        progress.advance(progress.add_task("working", total=2))
    assert stream.getvalue().strip() == ""
