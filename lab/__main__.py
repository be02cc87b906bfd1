"""The laboratory's command line: `python -m lab --help`, from a checkout."""

from __future__ import annotations

import typer

from bot.cli.options import start
from lab.cli.bench import bench
from lab.cli.evaluate import evaluate
from lab.cli.evaluate_tasks import tasks
from lab.cli.pictures import pictures
from lab.cli.replay import replay
from lab.cli.tune import tune

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="What measures and trains the companion.",
)
app.add_typer(bench, name="bench")
app.add_typer(tune, name="tune")
evaluate.add_typer(tasks)
app.add_typer(evaluate, name="evaluate")
app.command()(replay)
app.command()(pictures)

if __name__ == "__main__":
    start(app)
