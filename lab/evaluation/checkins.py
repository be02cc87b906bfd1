"""Check-ins with people of LoCoMo: what would have been written to them, when, from which memory, and why not else.

One speaker of a conversation is the person, in a DM; the other's lines are the companion's own words, since what the
person says answers them. Check-ins are on from the start. Time goes through every moment at which one is due, between
the sessions and after the last one. Nobody answers those that come (the recorded sessions know nothing of them), unless
`answers` lets the person say a neutral line some hours later.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rich.console import Console

from bot.app.app import App
from bot.app.assembly import Engines
from bot.clock import ManualClock
from bot.commands.meantime import Kept
from bot.config import Settings
from bot.domain import Speaker, Utterance
from bot.errors import BadInput
from lab.datasets.locomo import read_conversation
from lab.evaluation import weeks
from lab.evaluation.rehearsal import load_encoder, load_engines, open_over
from lab.evaluation.voice_states import OnlyListens, open_states
from lab.replay.datasets import read_locomo
from lab.replay.input import ReplayLine
from lab.replay.meantime import Come, ReadMeantime, reason_counts, switch_on
from lab.replay.output import checkin_json, checkin_words, silence_words

ANSWER = "Thank you for asking."
"""What is answered: it tells nothing, so that whatever comes next comes from what the person told by themselves."""
ANSWER_AFTER = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `conversations`: ids; none: all. `days`: after the last session."""

    data: Path | None
    speakers: int
    days: int
    conversations: tuple[str, ...]
    answers: bool
    seed: int
    out: Path | None
    weeks: str = ""
    """Weeks of our own instead of LoCoMo: a part of them, or "all"."""
    voice: bool = False
    """Whether the configured model is asked for what is grave in them; else by lists and net alone."""
    states: Path | None = None
    """A file that keeps what the model held of each line."""


@dataclass(slots=True)
class Life:
    """One person's months: what came, why nothing came at other times, and how long it took."""

    conversation: str
    person: str
    come: Sequence[Come] = ()
    silent: Kept = field(default_factory=Kept)
    days: float = 0.0
    """Days that were gone through."""
    seconds: float = 0.0
    """That going through them took."""


async def run(settings: Settings, options: Options) -> int:
    """Prints everything; returns the exit code. Raises BadInput, ModelUnavailable."""
    if options.weeks:
        if options.weeks not in {*weeks.PARTS, "all"}:
            raise BadInput(f"--weeks takes {', '.join(weeks.PARTS)} or all.")
        async with load_encoder(settings) as engines:
            if not options.voice:
                return await weeks.run(settings, engines, options.weeks, options.out)
            async with open_states(settings, options.states, Console(stderr=True).print) as states:
                listening = replace(engines, model=OnlyListens(states))
                return await weeks.run(settings, listening, options.weeks, options.out)
    chosen = people(options)
    console = Console(highlight=False, soft_wrap=True)
    lives: list[Life] = []
    async with load_engines(settings, options.seed) as engines:
        for path, person, other in chosen:
            lines = [line for line in read_locomo(path, other) if isinstance(line, ReplayLine)]
            life = Life(path.stem, person)
            lives.append(life)
            console.print(f"{life.conversation}, {person}: {len(lines)} lines", style="bold", markup=False)
            with TemporaryDirectory(prefix="hello-again-checkins-") as folder:
                await live(settings.at_home().in_folder(Path(folder)), engines, lines, options, life)
            show(life, console)
    if options.out is not None:
        content = json.dumps([as_json(life) for life in lives], ensure_ascii=False, indent=2)
        options.out.write_text(content + "\n", encoding="utf-8")
    return 0


def people(options: Options) -> list[tuple[Path, str, str]]:
    """(file, person, stand-in for the companion): one of each conversation, and then the others. Raises BadInput."""
    if options.data is None:
        raise BadInput("--data is needed: the folder of data sets, or --weeks for weeks of our own.")
    files = sorted((options.data / "locomo").glob("*.json")) or sorted(options.data.glob("conv-*.json"))
    files = [file for file in files if not options.conversations or file.stem in options.conversations]
    if not files:
        raise BadInput(f"There is no such conversation of LoCoMo in {options.data}.")
    cast = [(file, read_conversation(file).speakers) for file in files]
    first = [(file, speakers[at % 2], speakers[1 - at % 2]) for at, (file, speakers) in enumerate(cast)]
    second = [(file, other, person) for file, person, other in first]
    return (first + second)[: options.speakers]


async def live(settings: Settings, engines: Engines, lines: Sequence[ReplayLine], options: Options, life: Life) -> None:
    """Tells the lines to a core of its own with check-ins on, and lets the days after them pass."""
    clock = ManualClock(lines[0].time)
    person = next(line.speaker for line in lines if not line.speaker.is_agent)
    async with open_over(settings, engines, clock) as app:
        speaker_id = await switch_on(app, lines[0].place, settings.care.zone or "UTC")
        months = _Months(app, clock, ReadMeantime(app, clock, [speaker_id]), person, answers=options.answers)
        for line in lines:
            await months.until(line)
            await app.receive(line.utterance)
            await app.idle()
        await months.over(timedelta(days=options.days))
        life.come, life.silent = months.meantime.come[speaker_id], months.meantime.silent[speaker_id]
        life.days, life.seconds = months.days, months.seconds


@dataclass(slots=True)
class _Months:
    """Time that passes for one person, who answers or does not."""

    app: App
    clock: ManualClock
    meantime: ReadMeantime
    person: Speaker
    answers: bool
    days: float = 0.0
    seconds: float = 0.0
    answered: int = 0

    async def until(self, line: ReplayLine) -> None:
        """Until the next recorded line. Sessions end in between."""
        if line.time - self.clock.now() > self.app.settings.beta:
            await self._end_session()
            await self._pass(line.time - self.clock.now())
            self.clock.move_to(line.time)
            await self.app.settle()
        self.clock.move_to(line.time)

    async def over(self, span: timedelta) -> None:
        """After the last line."""
        await self._end_session()
        await self._pass(span)

    async def _end_session(self) -> None:
        """The work that a session leaves is done at its end, as it would be; its time is not counted."""
        self.clock.advance(self.app.settings.beta + timedelta(seconds=1))
        await self.app.settle()

    async def _pass(self, span: timedelta) -> None:
        start, end = perf_counter(), self.clock.now() + span
        while await self.meantime.until(end, first=1 if self.answers else None) and self.answers:
            self.clock.move_to(min(self.clock.now() + ANSWER_AFTER, end))
            await self._answer()
        self.days += span / timedelta(days=1)
        self.seconds += perf_counter() - start

    async def _answer(self) -> None:
        [come] = self.meantime.come.values()
        self.answered += 1
        place = come[-1].checkin.place
        answer = Utterance(place, f"answer-{self.answered}", self.person, ANSWER, self.clock.now(), to_bot=False)
        await self.app.receive(answer)
        await self.app.idle()


def show(life: Life, console: Console) -> None:
    """Prints what came, why nothing else did, and how long it took."""
    for come in life.come:
        for words in checkin_words(come):
            console.print(words, markup=False)
        console.print()
    for words in silence_words(life.person, life.silent):
        console.print(words, markup=False)
    console.print(f"{len(life.come)} check-ins in {life.days:.0f} days, gone through in {life.seconds:.1f} s.\n")


def as_json(life: Life) -> dict[str, object]:
    """One person's months as a JSON object."""
    return {
        "conversation": life.conversation,
        "person": life.person,
        "days": round(life.days, 2),
        "seconds": round(life.seconds, 2),
        "check_ins": [checkin_json(come) for come in life.come],
        "reasons": reason_counts(life.silent),
    }
