"""`lab evaluate companion`: which replies hold, by kind of conversation, for several models and for the plain loop."""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import Progress

from bot.app.assembly import Engines
from bot.config import Settings
from bot.errors import BadInput
from lab.evaluation.companion.conversations import PARTS, Conversation, read_given, read_ours
from lab.evaluation.companion.outcome import Way, report_of, transcript
from lab.evaluation.companion.playing import Replies, Reply, key_of, play
from lab.evaluation.rehearsal import load_engines
from lab.evaluation.report import progress_bar, show, write
from lab.evaluation.resuming import Pieces, fingerprint, progress_file

WHICH = ("all", *PARTS, "none")
"""What `--part` takes: which of the project's own conversations are played."""

_UNFIT = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Options:
    """What `lab evaluate companion` was asked. `models`: none is the configured one, where `plain` has none either."""

    data: Path | None = None
    models: tuple[str, ...] = ()
    plain: tuple[Path, ...] = ()
    kinds: tuple[str, ...] = ()
    part: str = "all"
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class _Loop:
    """A plain loop that is there: its model, and what plays with it."""

    path: Path
    play: Callable[[Path, Sequence[Conversation], Callable[[], None]], Replies]


async def run(settings: Settings, options: Options, engines: Engines | None = None) -> int:
    """Plays, prints and writes. `engines`: those of every model, for tests. Raises BadInput, ModelUnavailable."""
    conversations = chosen(options)
    console = Console(highlight=False, width=130)
    models = options.models or (() if options.plain else (settings.model.id,))
    loops = [_loop(path) for path in options.plain]
    with progress_bar(console) as bar:
        ways = [await _product(settings, model, conversations, bar, engines, options.out) for model in models]
        for loop in loops:
            ways.append(await _plain(loop, conversations, bar))
            _keep(options.out, conversations, ways[-1])
    found = report_of(conversations, ways)
    show(found, console)
    if options.out is not None:
        for path in write(found, options.out / "companion.json", options.out):
            console.print(f"Written: {path}", markup=False)
    return 0


def chosen(options: Options) -> list[Conversation]:
    """The conversations that were asked for. Raises BadInput."""
    if options.part not in WHICH:
        raise BadInput(f"--part {options.part} is not known: use {', '.join(WHICH)}.")
    parts = {"all": PARTS, "none": ()}.get(options.part, (options.part,))
    read = read_ours(parts) + (read_given(options.data) if options.data is not None else [])
    kinds = dict.fromkeys(one.kind for one in read)
    unknown = [kind for kind in options.kinds if kind not in kinds]
    if unknown:
        raise BadInput(f"--kind {unknown[0]} is not among these: {', '.join(kinds)}.")
    wanted = [one for one in read if not options.kinds or one.kind in options.kinds]
    if not wanted:
        raise BadInput("There is nothing to play: give --data, or another --part.")
    return wanted


async def _product(
    settings: Settings,
    model: str,
    conversations: Sequence[Conversation],
    bar: Progress,
    engines: Engines | None,
    out: Path | None,
) -> Way:
    """The transcript grows by each conversation; those that an earlier run has finished are not played again."""
    with_model = settings.model_copy(update={"model": settings.model.model_copy(update={"id": model})})
    async with _loaded(with_model, engines) as loaded:
        name = loaded.model.description.name if loaded.model is not None else model
        mark = fingerprint(with_model, (), name, loaded.encoder.fingerprint)
        kept = Pieces(progress_file(settings, "companion"), mark, TypeAdapter(list[Reply]))
        with kept as pieces:
            if pieces.told:
                bar.console.print(pieces.told, markup=False)
            done = [talk for talk in conversations if _mark(talk) in pieces]
            task = bar.add_task(_name(model), total=_count(conversations), completed=_count(done))
            way = Way(_name(model) if model not in {"auto", "bundled"} else name, {})
            for talk in conversations:
                if _mark(talk) not in pieces:
                    pieces.add(_mark(talk), await play(with_model, loaded, talk, lambda: bar.advance(task)))
                way.replies[key_of(talk)] = pieces[_mark(talk)]
                _keep(out, [one for one in conversations if key_of(one) in way.replies], way)
            pieces.finish()
    return way


def _mark(talk: Conversation) -> str:
    """What a finished conversation is kept under: its name, and its lines."""
    lines = "\n".join(f"{line.day} {line.place} {line.speaker} {line.text}" for line in talk.lines)
    return f"{key_of(talk)} {sha256(lines.encode()).hexdigest()}"


@asynccontextmanager
async def _loaded(settings: Settings, engines: Engines | None) -> AsyncIterator[Engines]:
    """Everything that was trained, and the settings' model, once for all that is played. Raises ModelUnavailable."""
    if engines is not None:
        yield engines
        return
    async with load_engines(settings) as loaded:
        yield loaded


def _loop(path: Path) -> _Loop:
    """The plain loop of a GGUF file. Raises BadInput."""
    if not path.is_file():
        raise BadInput(f"There is no file {path}. Give --plain a model in GGUF.")
    try:
        module = importlib.import_module("lab.evaluation.companion.plain_loop")
    except ModuleNotFoundError as error:
        raise BadInput(f"--plain needs llama.cpp: the package {error.name} is not installed.") from None
    return _Loop(path, module.play)


async def _plain(loop: _Loop, conversations: Sequence[Conversation], bar: Progress) -> Way:
    name = f"plain loop, {_name(str(loop.path))}"
    task = bar.add_task(name, total=_count(conversations))
    return Way(name, await asyncio.to_thread(loop.play, loop.path, conversations, lambda: bar.advance(task)))


def _count(conversations: Sequence[Conversation]) -> int:
    return sum(len(talk.lines) for talk in conversations)


def _name(model: str) -> str:
    return Path(model).stem if model.endswith(".gguf") else Path(model).name


def _keep(folder: Path | None, conversations: Sequence[Conversation], way: Way) -> None:
    """Writes the transcript of one way, as far as it is there: a run is long. Raises BadInput."""
    if folder is None:
        return
    path = folder / (_UNFIT.sub("-", way.name) + ".md")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(transcript(conversations, way), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None
