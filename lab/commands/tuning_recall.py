"""`lab tune recall`: the weights of `fused`."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bot.config import Settings
from bot.errors import BadInput
from bot.llm.embedding import load_encoder
from lab.tuning.recall import CUTS, THRESHOLDS, Fit, as_settings, fit_all, read_all


async def tune_recall(settings: Settings, data: Path, out: Path | None) -> int:
    """Fits, and prints the held-out figures and the weights. Raises BadInput or ModelUnavailable."""
    console = Console(highlight=False, soft_wrap=True)
    encoder = await load_encoder(settings.encoder)
    try:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
            conversations = await read_all(data, encoder, settings.memory.fused, progress)
    finally:
        await encoder.aclose()
    fit = fit_all(conversations)
    console.print(_table(fit))
    console.print(f"Of the evidence, {fit.ceiling:.1%} was among what was looked at closely.")
    console.print(_shown(fit))
    console.print(as_settings(fit), markup=False)
    if out is not None:
        _write(out, fit)
    return 0


def _table(fit: Fit) -> Table:
    table = Table(title="Evidence recall by weights of the other conversations, in %", title_justify="left")
    table.add_column("conversation")
    for cut in CUTS:
        table.add_column(f"@{cut}", justify="right")
    for number, rows in enumerate(fit.held_out, 1):
        table.add_row(str(number), *(f"{100 * value:.1f}" for value in rows[:, : len(CUTS)].mean(axis=0)))
    table.add_row("all questions", *(f"{100 * value:.1f}" for value in fit.recall))
    return table


def _shown(fit: Fit) -> Table:
    table = Table(title="Questions for which anything is shown, by the others' weights, in %", title_justify="left")
    table.add_column("questions")
    for threshold in THRESHOLDS:
        table.add_column(f"from {threshold}", justify="right")
    for kind, shares in fit.shown.items():
        table.add_row(kind, *(f"{100 * share:.1f}" for share in shares))
    return table


def _write(path: Path, fit: Fit) -> None:
    figures = {
        "weights": fit.weights,
        "relevance": fit.relevance,
        "held_out": dict(zip(map(str, CUTS), fit.recall, strict=True)),
    }
    try:
        path.write_text(json.dumps(figures | {"ceiling": fit.ceiling}, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None
