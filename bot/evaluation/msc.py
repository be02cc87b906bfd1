"""`bot evaluate msc`: replies in Multi-Session Chat, with memory and without, compared with what people said there.

The earlier sessions of a dialogue are told to the whole core, Speaker 1 in a DM with the companion, whose words are
Speaker 2's, with the data set's gaps in time. Then a sample of Speaker 2's turns of the last session is asked for: the
core is given what was really said before the turn, and what it replies is compared with what Speaker 2 said. With
memory it knows the earlier sessions, and what it learnt of people in this one; without, the present session alone.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import Progress, TaskID

from bot.assembly import Engines
from bot.config import Settings
from bot.errors import BadInput
from bot.evaluation.datasets.msc import SPEAKERS, read_dialogues
from bot.evaluation.metrics import Estimate, estimate
from bot.evaluation.overlap import corpus_bleu, plain_bleu, rouge_l, sentence_bleu, words
from bot.evaluation.rehearsal import ARMS, WITH, WITHOUT, Rehearsal, load_engines
from bot.evaluation.report import EvaluationReport, Grid, Json, Plot, curve_of, progress_bar, show, write
from bot.evaluation.resuming import Pieces, fingerprint, progress_file
from bot.replay_datasets import read_msc
from bot.replay_input import ReplayLine

PERSON, COMPANION = SPEAKERS
ORDERS = (2, 3)
LD_AGENT: Mapping[int, tuple[tuple[str, float, float, float], ...]] = {
    2: (("ChatGPT", 5.22, 1.45, 16.04), ("ChatGPT with LD-Agent", 8.67, 4.63, 19.86)),
    5: (("ChatGPT", 5.38, 1.58, 15.48), ("ChatGPT with LD-Agent", 7.37, 3.03, 17.86)),
}
"""Session → (agent, BLEU-2, BLEU-3, ROUGE-L) as the paper prints them (LD-Agent Table 1)."""
SCORES = (
    "BLEU-2, BLEU-3: cumulative, over all replies of a row together. 'smooth': mean over replies, one added to counts "
    "above single words. 'plain': mean over replies without smoothing, which is what LD-Agent's released evaluation "
    "computes. ROUGE-L: mean over replies, β = 1.2. All in per cent; definitions in bot/evaluation/overlap.py."
)
COMPARABLE = (
    "LD-Agent's own figures are not directly comparable: other models (ChatGPT), all dialogues instead of a sample, "
    "its own prompt that asks for 30 words at most, and a tokenizer of its own. Compare them with the 'plain' "
    "columns, and what memory adds there with what it adds here."
)


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
class Reply:
    """One reply of the core's beside what was said in its place. `shown`: memories in its prompt."""

    position: int
    arm: str
    gold: str
    text: str
    shown: int
    prompt_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class DialogueReplies:
    """What came of one dialogue, whose last session has the number `sessions`."""

    sessions: int
    replies: tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """What `bot evaluate msc` was asked. `sample`: replies for each number of sessions."""

    data: Path
    sample: int
    sessions: tuple[int, ...]
    seed: int
    split: str = "test_open"
    json: Path | None = None
    report: Path | None = None


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
    mark = fingerprint(settings, files, options.sample, options.sessions, options.seed, engines.encoder.fingerprint)
    rehearsal = Rehearsal(settings, engines)
    done: list[DialogueReplies] = []
    with (
        Pieces(progress_file(settings, "msc"), mark, TypeAdapter(DialogueReplies)) as pieces,
        progress_bar(console) as bar,
    ):
        if pieces.told:
            console.print(pieces.told, markup=False)
        task = bar.add_task("Replying", total=len(ARMS) * sum(len(one.asked) for one in drawn))
        for told in drawn:
            if told.name not in pieces:
                pieces.add(told.name, await _replies(rehearsal, told, bar, task))
            else:
                bar.advance(task, len(ARMS) * len(told.asked))
            done.append(pieces[told.name])
        pieces.finish()
    model = engines.model.description.name if engines.model is not None else "no model"
    found = report_of(done, options, model)
    show(found, console)
    for path in write(found, options.json, options.report):
        console.print(f"Written: {path}", markup=False)
    return 0


async def _replies(rehearsal: Rehearsal, told: Told, bar: Progress, task: TaskID) -> DialogueReplies:
    """What the core says in each of the turns that are asked for, with memory and without."""
    replies = []
    with TemporaryDirectory(prefix="hello-again-msc-") as name:
        folder = Path(name)
        async with rehearsal.told(folder / "told", told.before):
            pass
        for position in told.asked:
            for arm in ARMS:
                replied = await rehearsal.ask(
                    folder / "told" if arm == WITH else None,
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


def report_of(done: Sequence[DialogueReplies], options: Options, model: str) -> EvaluationReport:
    """The figures of all replies."""
    numbers = sorted({one.sessions for one in done})
    by_number = {number: [one for one in done if one.sessions == number] for number in numbers}
    rows = [_row(number, arm, by_number[number]) for number in numbers for arm in ARMS]
    gains = {number: _gain(by_number[number], options.seed) for number in numbers}
    note = f"{SCORES} 'gold': words of what people said. 'shown': share of prompts with a memory. 's': a reply."
    columns = ("session, arm", "replies", "BLEU-2", "BLEU-3", "smooth 2", "smooth 3", "plain 2", "plain 3", "ROUGE-L")
    scores = Grid(
        f"Multi-Session Chat, {model}", (*columns, "words", "gold", "shown", "s"), tuple(map(_cells, rows)), note
    )
    return EvaluationReport(
        name="msc",
        title=f"Replies in Multi-Session Chat with and without memory: {model}",
        lines=_lines(options, done),
        grids=(scores, _gain_grid(gains), _paper_grid()),
        plots=(_plot(by_number, options.seed),),
        figures={
            "model": model,
            "seed": options.seed,
            "sample": options.sample,
            "split": options.split,
            "rows": [dict(row) for row in rows],
            "gains": {
                str(number): {score: asdict(one) for score, one in gain.items() if one.count}
                for number, gain in gains.items()
            },
            "replies": [asdict(reply) | {"sessions": one.sessions} for one in done for reply in one.replies],
        },
    )


def _of(done: Sequence[DialogueReplies], arm: str) -> list[list[Reply]]:
    """The replies of one arm, a list for each dialogue."""
    return [[reply for reply in one.replies if reply.arm == arm] for one in done]


def _row(number: int, arm: str, done: Sequence[DialogueReplies]) -> Mapping[str, Json]:
    replies = [reply for group in _of(done, arm) for reply in group]
    pairs = [(words(reply.text), words(reply.gold)) for reply in replies]
    row: dict[str, Json] = {"session": number, "arm": arm, "replies": len(replies)}
    for order in ORDERS:
        row[f"bleu_{order}"] = corpus_bleu(pairs, order)
        row[f"smooth_bleu_{order}"] = mean(sentence_bleu(said, gold, order) for said, gold in pairs)
        row[f"plain_bleu_{order}"] = mean(plain_bleu(said, gold, order) for said, gold in pairs)
    row["rouge_l"] = mean(rouge_l(said, gold) for said, gold in pairs)
    row["words"] = mean(len(said) for said, _ in pairs)
    row["gold_words"] = mean(len(gold) for _, gold in pairs)
    row["shown"] = mean(reply.shown > 0 for reply in replies)
    row["seconds"] = mean(reply.seconds for reply in replies)
    return row


def _cells(row: Mapping[str, Json]) -> tuple[str, ...]:
    def percent(name: str) -> str:
        return f"{100 * _number(row[name]):.2f}"

    scores = [percent(f"{kind}_{order}") for kind in ("bleu", "smooth_bleu", "plain_bleu") for order in ORDERS]
    return (
        f"{row['session']}, {row['arm']}",
        f"{row['replies']}",
        *scores,
        percent("rouge_l"),
        f"{_number(row['words']):.1f}",
        f"{_number(row['gold_words']):.1f}",
        f"{_number(row['shown']):.0%}",
        f"{_number(row['seconds']):.1f}",
    )


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


SCORED: Mapping[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "smooth BLEU-2": lambda said, gold: sentence_bleu(said, gold, 2),
    "plain BLEU-2": lambda said, gold: plain_bleu(said, gold, 2),
    "ROUGE-L": rouge_l,
}
"""Scores of single replies, of which differences have intervals; ROUGE-L is the last."""
WHERE_SHOWN = "ROUGE-L where memories were shown"


def _scored(done: Sequence[DialogueReplies], arm: str, score: str) -> list[list[float]]:
    return [[SCORED[score](words(one.text), words(one.gold)) for one in group] for group in _of(done, arm)]


def _gain(done: Sequence[DialogueReplies], seed: int) -> dict[str, Estimate]:
    """What memory adds to each score of the same reply, with intervals by dialogue."""
    gain: dict[str, Estimate] = {}
    differences: list[list[float]] = []
    for score in SCORED:
        pairs = zip(_scored(done, WITH, score), _scored(done, WITHOUT, score), strict=True)
        differences = [[one - other for one, other in zip(*pair, strict=True)] for pair in pairs]
        gain[score] = estimate(differences, seed)
    shown = [[one.shown > 0 for one in group] for group in _of(done, WITH)]
    chosen = [
        [value for value, there in zip(*pair, strict=True) if there] for pair in zip(differences, shown, strict=True)
    ]
    gain[WHERE_SHOWN] = estimate(chosen, seed)
    return gain


def _gain_grid(gains: Mapping[int, Mapping[str, Estimate]]) -> Grid:
    rows = tuple((f"{number}", *map(_points, gain.values())) for number, gain in gains.items())
    note = (
        "Points of a hundred, mean over the same replies with and without memory; intervals at 95 % by dialogue. A "
        "very small model is shown memories in some situations only (bot/conversation/situations.py); elsewhere both "
        "replies are the same."
    )
    return Grid("What memory adds", ("session", *SCORED, WHERE_SHOWN), rows, note)


def _points(found: Estimate) -> str:
    if not found.count:
        return "–"
    mean_of = f"{100 * found.mean:+.2f}"
    if found.low is None or found.high is None:
        return mean_of
    return f"{mean_of} ({100 * found.low:+.2f} to {100 * found.high:+.2f})"


def _paper_grid() -> Grid:
    rows = tuple(
        (f"{session}, {agent}", *(f"{score:.2f}" for score in scores))
        for session, agents in LD_AGENT.items()
        for agent, *scores in agents
    )
    return Grid("LD-Agent, Table 1", ("session, agent", "BLEU-2", "BLEU-3", "ROUGE-L"), rows, COMPARABLE)


def _lines(options: Options, done: Sequence[DialogueReplies]) -> tuple[str, ...]:
    replies = [reply for one in done for reply in one.replies]
    seconds = sum(reply.seconds for reply in replies)
    return (
        f"{len(replies)} replies in {len(done)} dialogues of {options.split} (--sample {options.sample} --seed "
        f"{options.seed}); {seconds:.0f} s of replying. Gold context before each reply, greedy decoding; the sampled "
        f"turns are {COMPANION}'s. One reference for each reply: people would have said other things too, so low "
        "figures are normal, and differences count.",
    )


def _plot(by_number: Mapping[int, Sequence[DialogueReplies]], seed: int) -> Plot:
    curves = []
    for arm in ARMS:
        found = [estimate(_scored(done, arm, "ROUGE-L"), seed) for done in by_number.values()]
        curves.append(curve_of(arm, found))
    groups = tuple(f"session {number}" for number in by_number)
    return Plot("msc", "ROUGE-L with what people said, %", "", "ROUGE-L, %", tuple(curves), groups)
