"""`hello-again model`: the use cases of `model_choices.py`, printed."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from bot.app.ahead import read_beginnings
from bot.commands.model_choices import GB, choose, describe_machine, fetch, hear, in_words, offered, recommended
from bot.commands.progress import reported
from bot.config import Model, Settings
from bot.domain import OfferedModel
from bot.errors import ModelUnavailable
from bot.llm.choosing import BUNDLED
from bot.llm.machine import Machine
from bot.llm.models import describe_choice, machine_of
from bot.llm.servers import running_servers
from bot.llm.voice import SMALL_VOICE, set_up_voice
from bot.ports import Report
from bot.texts import models as texts

SHOWN_LANGUAGES = 4
ROOM_FOR_PUBLISHERS = 95
"""Columns from which on it is shown who published a file, too."""
COLUMNS = ("name", "file", "memory", "licence", "languages", "")


async def list_models(settings: Settings) -> int:
    """Prints the catalogue, what of it is here and fits, and the servers that run here."""
    console = _console()
    wide = console.width >= ROOM_FOR_PUBLISHERS
    for line in in_groups(offered(settings.model, machine_of(settings.model)), wide=wide):
        console.print(Text(line))
    console.print(texts.SIZES)
    console.print(texts.MORE_IDS)
    for server in await running_servers():
        console.print(in_words(server))
    return 0


async def recommend(settings: Settings) -> int:
    """Prints which model suits this machine best, why, and how to get it."""
    console = _console()
    machine = machine_of(settings.model)
    console.print(describe_machine(machine))
    console.print(advice(machine, settings.model))
    for server in await running_servers():
        console.print(in_words(server))
        console.print(f"{texts.AT_SERVER}\n\n{server.settings}\n")
    return 0


def get(settings: Settings, name: str) -> int:
    """Downloads a model, or goes on with a download that broke off."""
    console = _console()
    with _progress(console) as report:
        told = fetch(settings, name, report)
    console.print(told)
    console.print(texts.USE_IT.format(name=name))
    return 0


def use(settings: Settings, name: str, file: Path) -> int:
    """Writes `model.id` into the settings file. Raises BadInput when the model is not here."""
    console = _console()
    for line in choose(settings, name, file):
        console.print(line)
    return 0


async def try_model(settings: Settings, name: str) -> int:
    """Loads a model, has it say a sentence, and tells how quick it was."""
    console = _console()
    with _progress(console) as report:
        told = await hear(settings, name, report)
    for line in told:
        console.print(Text(line))
    return 0


def set_up(settings: Settings, voice: str) -> int:
    """What `make chat` does once: fetches the voice, and has it read what every conversation begins with.

    Never fails for want of one: the bundled model is there, and the chat says what is wrong with another.
    """
    console = _console()
    with _progress(console) as report:
        set_up_voice(settings.model, voice, lambda sentence: console.print(f"  {sentence}"), report)
        with suppress(ModelUnavailable, OSError):
            if voice != SMALL_VOICE and has_beginnings(settings):
                console.print(f"  {texts.READS_BEGINNINGS}")
                asyncio.run(read_beginnings(settings))
    return 0


def has_beginnings(settings: Settings) -> bool:
    """Whether a model that is here already answers, and can keep what it reads: nothing is fetched for it.

    Raises ModelUnavailable when none can be chosen at all.
    """
    if settings.model.engine == "remote":
        return False
    plan = describe_choice(settings.model)
    if plan.engine != "llama.cpp" or plan.problem or plan.place is None:
        return False
    return plan.choice.id != BUNDLED or not settings.prompt.shrink_for_small_models


def advice(machine: Machine, settings: Model) -> str:
    """Which model suits the machine, why, and what to do for it."""
    best = recommended(machine, settings)
    if best is None:
        return texts.NOTHING_BETTER
    return best.sentence if best.here else f"{best.sentence} {texts.GET_IT.format(name=best.name)}"


@dataclass(slots=True)
class _PlainProgress:
    """Progress where nobody watches a bar: each step once, and every tenth of it."""

    console: Console
    step: str = ""
    tenth: int = 0

    def __call__(self, step: str, share: float | None = None) -> None:
        tenth = int((share or 0.0) * 10)
        if step != self.step:
            self.console.print(f"  {step}")
        elif tenth > self.tenth:
            self.console.print(f"  … {tenth * 10} %")
        self.step, self.tenth = step, tenth


@contextmanager
def _progress(console: Console) -> Iterator[Report]:
    """A bar on a terminal, lines elsewhere."""
    if not console.is_terminal:
        yield _PlainProgress(console)
        return
    columns = (TextColumn("  {task.description}"), BarColumn(), TimeRemainingColumn())
    with reported(Progress(*columns, console=console, transient=True), "…") as report:
        yield report


def _console() -> Console:
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def in_groups(models: Sequence[OfferedModel], *, wide: bool) -> Iterator[str]:
    """The lines of the list, grouped by what can be done with a model: 80 columns at most, 95 when `wide`."""
    groups = {
        texts.GROUP_HERE: [one for one in models if one.here and not one.fit],
        texts.GROUP_TO_FETCH: [one for one in models if not one.here and not one.fit],
        texts.GROUP_SLOW: [one for one in models if one.fit == "slow"],
        texts.GROUP_LARGE: [one for one in models if one.fit == "large"],
    }
    rows = {one.name: _row(one, wide=wide) for one in models if one.need}
    header = (*COLUMNS[:-1], "from" if wide else "", "")
    widths = [max(map(len, column)) for column in zip(header, *rows.values(), strict=True)]
    yield "  " + _in_columns(header, widths)
    for title, group in groups.items():
        if group:
            yield title
        yield from ("  " + (_in_columns(rows[one.name], widths) if one.need else _own_file(one)) for one in group)
    if any(one.need and not one.verified for one in models):
        yield texts.NOT_VERIFIED


def _row(model: OfferedModel, *, wide: bool) -> Sequence[str]:
    origin = "the program" if model.comes_along else model.publisher or "packages"
    notes = ("here" if model.here and model.fit else "", "" if model.verified else "*")
    return (
        model.name,
        f"{model.size / GB:.1f}",
        f"{model.need / GB:.1f}",
        model.licence,
        _languages(model.languages),
        origin if wide else "",
        " ".join(filter(None, notes)),
    )


def _own_file(model: OfferedModel) -> str:
    """A file that was fetched, and is not of the catalogue."""
    return f"{model.name}  {model.size / GB:.1f} GB"


def _languages(codes: str) -> str:
    """The first of them, and how many more; the last word may say that already ("en de +90")."""
    *named, last = codes.split() or [""]
    more = int(last) if last.startswith("+") else 0
    named = named if more else [*named, last]
    more += len(named[SHOWN_LANGUAGES:])
    return " ".join([*named[:SHOWN_LANGUAGES], *([f"+{more}"] if more else [])])


def _in_columns(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Cells beside each other; numbers stand at the right."""
    number = cells[1].replace(".", "").isdecimal()
    sides = ["<", *([">" if number else "<"] * 2), *"<" * (len(cells) - 3)]
    shown = (f"{cell:{side}{width}}" for cell, side, width in zip(cells, sides, widths, strict=True) if width)
    return "  ".join(shown).rstrip()
