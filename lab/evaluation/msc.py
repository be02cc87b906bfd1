"""`lab evaluate msc`: replies in Multi-Session Chat, with memory and without, compared with what people said there.

The earlier sessions of a dialogue are told to the whole core, Speaker 1 in a DM with the companion, whose words are
Speaker 2's, with the data set's gaps in time. Then a sample of Speaker 2's turns of the last session is asked for: the
core is given what was really said before the turn, and what it replies is compared with what Speaker 2 said. With
memory it knows the earlier sessions, and what it learnt of people in this one; without, the present session alone.
Between these two, LD-Agent's ablation: events alone, and personas alone. With a model that was tuned as generator, the
first two are asked for once more with its adapter, which all others do without.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import Progress, TaskID

from bot.app.assembly import Engines
from bot.config import Settings
from bot.domain import Skill
from bot.errors import BadInput
from lab.datasets.msc import SPEAKERS, read_dialogues
from lab.evaluation.heard import HeardModel
from lab.evaluation.msc_report import DialogueReplies, Reply, report_of
from lab.evaluation.rehearsal import WITH, WITHOUT, Rehearsal, load_engines
from lab.evaluation.report import progress_bar, show, write
from lab.evaluation.resuming import Pieces, fingerprint, progress_file
from lab.evaluation.structured import each
from lab.replay.datasets import read_msc
from lab.replay.input import ReplayLine

PERSON, COMPANION = SPEAKERS
MEMORY, PERSONAS = "memory, no personas", "personas, no memory"
TUNED_WITHOUT, TUNED = "without memory, tuned generator", "with memory, tuned generator"
NO_EVENTS = {"recall": "ld-agent", "gamma": 1.0, "open_with_last_session": False}
"""Settings of memory under which no event can be similar enough, and nothing else is looked for."""


@dataclass(frozen=True, slots=True)
class Told:
    """One dialogue: what is told before, the last session, and which of its turns are asked for."""

    name: str
    sessions: int
    before: tuple[ReplayLine, ...]
    last: tuple[ReplayLine, ...]
    asked: tuple[int, ...] = ()
    """Positions in `last` of turns of the companion's, each right after one of the person's."""


@dataclass(frozen=True, slots=True)
class Options:
    """What `lab evaluate msc` was asked. `sample`: replies for each number of sessions."""

    data: Path
    sample: int
    sessions: tuple[int, ...]
    seed: int
    split: str = "test_open"
    json: Path | None = None
    report: Path | None = None
    together: int = 8
    """So many dialogues are worked at at once, each in a data folder of its own."""


def numbers(text: str) -> tuple[int, ...]:
    """The numbers of sessions that "2,3" names. Raises BadInput."""
    try:
        return tuple(dict.fromkeys(int(number) for number in text.split(",")))
    except ValueError:
        raise BadInput(f"--sessions {text!r} is not a list of numbers such as 2,3.") from None


async def run(settings: Settings, options: Options, engines: Engines | None = None) -> int:
    """Measures, prints and writes. `engines`: others, for tests. Raises BadInput, ModelUnavailable."""
    console = Console(highlight=False, width=130)
    drawn = [one for number in options.sessions for one in draw(options, number)]
    if engines is None:
        async with load_engines(settings, options.seed) as loaded:
            return await _measure(settings, options, loaded, drawn, console)
    return await _measure(settings, options, engines, drawn, console)


def draw(options: Options, sessions: int) -> list[Told]:
    """A sample of the companion's turns in session number `sessions`, by dialogue. Raises BadInput."""
    path = _file(options.data, sessions, options.split)
    dialogues = read_told(path, sessions)
    turns = [(at, position) for at, one in enumerate(dialogues) for position in _askable(one.last)]
    if not turns:
        raise BadInput(f"{path} holds no turn of {COMPANION} to compare with.")
    chance = random.Random(f"{options.seed} {sessions}")  # noqa: S311  # reproducible, no secret of anybody's
    chosen: dict[int, list[int]] = defaultdict(list)
    for at, position in sorted(chance.sample(turns, min(options.sample, len(turns)))):
        chosen[at].append(position)
    return [
        Told(one.name, sessions, one.before, one.last, tuple(chosen[at]))
        for at, one in enumerate(dialogues)
        if at in chosen
    ]


def read_told(path: Path, sessions: int) -> list[Told]:
    """All dialogues of a file, cut before their last session. Raises BadInput."""
    lines: dict[str, list[ReplayLine]] = defaultdict(list)
    for line in read_msc(path, COMPANION):
        if isinstance(line, ReplayLine):
            lines[line.message_id.rpartition("/")[0]].append(line)
    name = path.name.removesuffix(".jsonl")
    told = []
    for dialogue in read_dialogues(path):
        whole = lines[f"{name}-{dialogue.line}"]
        before = sum(len(session.turns) for session in dialogue.sessions[:-1])
        earlier = tuple(line for line in whole if int(line.message_id.rpartition("/")[2]) <= before)
        if earlier:
            told.append(Told(f"{name}-{dialogue.line}", sessions, earlier, tuple(whole[len(earlier) :])))
    return told


def _file(data: Path, sessions: int, split: str) -> Path:
    path = data / "msc" / f"dialogue_session_{sessions}.{split}.jsonl"
    if not path.is_file():
        raise BadInput(f"There is no file {path}. Give the folder above msc/ with --data, and sessions that are there.")
    return path


def _askable(last: Sequence[ReplayLine]) -> list[int]:
    return [at for at in range(1, len(last)) if last[at].speaker.is_agent and not last[at - 1].speaker.is_agent]


async def _measure(
    settings: Settings, options: Options, engines: Engines, drawn: Sequence[Told], console: Console
) -> int:
    files = [_file(options.data, number, options.split) for number in options.sessions]
    mark = fingerprint(
        settings,
        files,
        options.sample,
        options.sessions,
        options.seed,
        options.together,
        engines.encoder.fingerprint,
    )
    rehearsals = ways_of(settings, engines)
    with (
        Pieces(progress_file(settings, "msc"), mark, TypeAdapter(DialogueReplies)) as pieces,
        progress_bar(console) as bar,
    ):
        if pieces.told:
            console.print(pieces.told, markup=False)
        task = bar.add_task("Replying", total=len(rehearsals) * sum(len(one.asked) for one in drawn))

        async def work(told: Told) -> None:
            if told.name not in pieces:
                pieces.add(told.name, await _replies(rehearsals, told, bar, task))
            else:
                bar.advance(task, len(rehearsals) * len(told.asked))

        await each(drawn, [work] * options.together)
        done = [pieces[told.name] for told in drawn]
        pieces.finish()
    model = engines.model.description.name if engines.model is not None else "no model"
    found = report_of(done, options.split, options.sample, options.seed, model, options.together)
    show(found, console)
    for path in write(found, options.json, options.report):
        console.print(f"Written: {path}", markup=False)
    return 0


def ways_of(settings: Settings, engines: Engines) -> dict[str, Rehearsal]:
    """Arm → a rehearsal with its settings and its model."""
    model = engines.model
    if model is None:
        raise BadInput("`evaluate msc` needs a language model.")
    plain = replace(engines, model=HeardModel(model, without=(Skill.GENERATOR,)))
    no_events = settings.memory.model_copy(update=NO_EVENTS)
    no_traits = settings.persona.model_copy(update={"top_k": 0})
    whole = Rehearsal(settings, plain)
    ways = {
        WITHOUT: whole,
        MEMORY: Rehearsal(settings.model_copy(update={"persona": no_traits}), plain),
        PERSONAS: Rehearsal(settings.model_copy(update={"memory": no_events}), plain),
        WITH: whole,
    }
    if Skill.GENERATOR in model.description.skills:
        ways |= dict.fromkeys((TUNED_WITHOUT, TUNED), Rehearsal(settings, replace(engines, model=HeardModel(model))))
    return ways


async def _replies(rehearsals: Mapping[str, Rehearsal], told: Told, bar: Progress, task: TaskID) -> DialogueReplies:
    """What the core says in each of the turns that are asked for, in every way."""
    replies = []
    with TemporaryDirectory(prefix="hello-again-msc-") as name:
        folder = Path(name)
        async with rehearsals[WITH].told(folder / "told", told.before):
            pass
        for position in told.asked:
            for arm, rehearsal in rehearsals.items():
                replied = await rehearsal.ask(
                    None if arm in {WITHOUT, TUNED_WITHOUT} else folder / "told",
                    folder / "asked",
                    told.last[: position - 1],
                    told.last[position - 1],
                )
                gold = told.last[position].text
                replies.append(
                    Reply(position, arm, gold, replied.text, replied.shown, replied.prompt_tokens, replied.seconds)
                )
                bar.advance(task)
    return DialogueReplies(told.sessions, tuple(replies))
