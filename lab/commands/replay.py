"""`lab replay`: recorded conversations through the whole core, on their own clock."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import Settings
from bot.conversation.turn import Turn
from bot.domain import Place, PlaceKind
from bot.errors import BadInput
from bot.prompting.asking import failures
from lab.replay.datasets import read_locomo, read_msc
from lab.replay.input import PLATFORM, Malformed, ReplayLine, read_jsonl, spell_speaker
from lab.replay.irc import read_irc
from lab.replay.meantime import Come, ReadMeantime, switch_on
from lab.replay.output import (
    ReplayRecord,
    checkin_line,
    checkin_words,
    silence_line,
    silence_words,
    source_ids,
    to_line,
)
from lab.silent import SilentMessenger

EXIT_FAILED = 1
"""Some lines could not be dealt with, whatever else happened; the others were."""
EXIT_MALFORMED = 2
"""Some lines were refused; the others were processed."""


FAILED = "It could not be dealt with, and has no reply here. The log above says why."


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What `lab replay` was asked. `answer`: which lines the bot replies to: as recorded, all of them, or the last."""

    file: Path
    format: str
    as_bot: str | None
    limit: int | None
    out: Path | None
    answer: str = "recorded"
    with_model: bool = True
    keep: bool = True
    """Whether the data folder of the settings is used; otherwise a temporary one, removed at the end."""
    check_ins: tuple[str, ...] = ()
    """Speakers who have check-ins on from the start, by name or as the file spells them."""
    check_in_days: int = 90
    """For how long after the last line they may come."""


async def replay(settings: Settings, options: ReplayOptions) -> int:
    """Plays the file; returns 0, EXIT_FAILED or EXIT_MALFORMED. Raises BadInput for a file of no use."""
    settings = settings.at_home()
    lines = _read(options, settings.agent.name)
    good = [line for line in lines if isinstance(line, ReplayLine)]
    refused = [line for line in lines if isinstance(line, Malformed)]
    messages = Console(stderr=True, highlight=False, soft_wrap=True)
    for line in refused:
        messages.print(f"{options.file}, line {line.line_number}: {line.reason}", style="red", markup=False)
    async with AsyncExitStack() as stack:
        if not options.keep:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="hello-again-replay-")))
            settings = settings.in_folder(folder)
        out = stack.enter_context(options.out.open("w", encoding="utf-8")) if options.out else sys.stdout
        start = perf_counter()
        failed = await _play(settings, options, in_time(good), out, messages) if good else []
        for number in failed:
            messages.print(f"{options.file}, line {number}: {FAILED}", style="red", markup=False)
        messages.print(
            f"{len(good)} utterances in {perf_counter() - start:.1f} s; {len(refused)} lines refused.", markup=False
        )
        for task, number in failures.items():
            messages.print(
                f"{number} answers of the model for {task} could not be used; people's own words stand in.",
                markup=False,
            )
    if failed:
        return EXIT_FAILED
    return EXIT_MALFORMED if refused else 0


def in_time(lines: Sequence[ReplayLine]) -> list[ReplayLine]:
    """The lines of all places in the order in which their times come; within a place the order of the file stays.

    A time that lies before another of its place that came earlier counts as that one.
    """
    latest: dict[str, datetime] = {}
    times: list[datetime] = []
    for line in lines:
        latest[line.place.key] = max(line.time, latest.get(line.place.key, line.time))
        times.append(latest[line.place.key])
    return [lines[i] for i in sorted(range(len(lines)), key=times.__getitem__)]


def _read(options: ReplayOptions, agent_name: str) -> list[ReplayLine | Malformed]:
    if not options.file.is_file():
        raise BadInput(f"There is no file {options.file}.")
    lines: Iterator[ReplayLine | Malformed]
    match options.format:
        case "jsonl":
            lines = read_jsonl(options.file, agent_name=agent_name)
        case "locomo":
            lines = read_locomo(options.file, options.as_bot, options.limit)
        case "msc":
            lines = read_msc(options.file, options.as_bot, options.limit)
        case "irc" if options.as_bot is None:
            lines = read_irc(options.file, options.limit)
        case "irc":
            raise BadInput("--as-bot is for conversations of two: nobody of an IRC channel can stand in.")
        case other:
            raise BadInput(f"--format {other} is not known: use jsonl, locomo, msc or irc.")
    return _answered(list(lines), options.answer)


def _answered(lines: list[ReplayLine | Malformed], answer: str) -> list[ReplayLine | Malformed]:
    """The lines with `to_bot` as the option wants it; the companion's own lines never ask for a reply."""
    people = [i for i, line in enumerate(lines) if isinstance(line, ReplayLine) and not line.speaker.is_agent]
    match answer:
        case "recorded":
            chosen = []
        case "all":
            chosen = people
        case "last":
            chosen = people[-1:]
        case other:
            raise BadInput(f"--answer {other} is not known: use recorded, all or last.")
    for position in chosen:
        line = lines[position]
        if isinstance(line, ReplayLine):
            lines[position] = replace(line, to_bot=True)
    return lines


async def _play(
    settings: Settings, options: ReplayOptions, lines: list[ReplayLine], out: TextIO, messages: Console
) -> list[int]:
    """Plays the lines and writes the records; returns the numbers of the lines whose turn failed."""
    failed: list[int] = []
    clock = ManualClock(lines[0].time)
    turns: list[Turn] = []
    dms = [dm_of(name, lines, options.file) for name in options.check_ins]

    def came(come: Come) -> None:
        out.write(checkin_line(come) + "\n")
        for words in checkin_words(come):
            messages.print(words, markup=False)

    async with open_app(
        settings,
        clock=clock,
        messengers={PLATFORM: SilentMessenger()},
        with_model=options.with_model,
        on_turn=turns.append,
        report=lambda step, share=None: None if share else messages.print(step, style="dim", markup=False),
    ) as app:
        await app.prepare()
        await app.connected()
        await app.idle()
        people = [await switch_on(app, dm, settings.care.zone or "UTC") for dm in dict.fromkeys(dms)]
        meantime = ReadMeantime(app, clock, people, came)
        with _progress(messages) as progress:
            for line in progress.track(lines, description="Replaying"):
                await meantime.until(line.time)
                await app.settle()
                turns.clear()
                if not await app.receive(line.utterance):
                    continue
                await app.idle()
                turn = next((turn for turn in turns if _is_about(turn, line)), None)
                if turn is None:
                    failed.append(line.number)
                elif line.to_bot:
                    out.write(to_line(await _record(app, line, turn)) + "\n")
                    out.flush()
            clock.advance(settings.beta + timedelta(seconds=1))
            await app.settle()
        if people:
            await meantime.until(clock.now() + timedelta(days=options.check_in_days))
        for speaker_id, silent in meantime.silent.items():
            out.write(silence_line(speaker_id, silent) + "\n")
            for words in silence_words(speaker_id, silent):
                messages.print(words, markup=False)
    return failed


def dm_of(name: str, lines: Sequence[ReplayLine], file: Path) -> Place:
    """The DM of the speaker who is called so, or whom the file spells so. Raises BadInput for none, or two."""
    wanted = name.casefold()
    people = {line.speaker.id: line.speaker for line in lines if not line.speaker.is_agent}
    ids = [one for one in people if spell_speaker(one).casefold() == wanted]
    ids = ids or [one for one, speaker in people.items() if speaker.name.casefold() == wanted]
    if len(ids) != 1:
        known = ", ".join(sorted(spell_speaker(one) for one in ids or people))
        raise BadInput(f"{file}: --check-ins {name} names {len(ids) or 'none'} of these speakers: {known}.")
    return Place(PLATFORM, PlaceKind.DM, ids[0].removeprefix(f"{PLATFORM}:"))


def _is_about(turn: Turn, line: ReplayLine) -> bool:
    """Whether the turn dealt with the line. The id is unique on its platform."""
    return any(utterance.message_id == line.message_id for utterance in turn.utterances)


async def _record(app: App, line: ReplayLine, turn: Turn) -> ReplayRecord:
    sources = await app.stores.utterances.get(source_ids(turn.recalled))
    return ReplayRecord(
        line=line,
        reply=turn.reply,
        recollection=turn.recalled,
        sources={utterance.id: utterance for utterance in sources},
        prompt_tokens=turn.prompt_tokens,
        ms=turn.stages_ms,
    )


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
