"""`lab evaluate clues`: are sessions cut where their topic changes, and is one topic one clue?

DialogSum's dialogues are short and about one thing each. Joined at random they are talk of which one knows where it
turns; told in halves, in several sessions, they are talk that comes back to its topics. The split `dev` trains the
paper's segmenter; figures are on `test`, which nothing was chosen by. No dialogue is in two talks of one table, so
talks are independent of each other, and are what the bootstrap draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from rich.console import Console
from sklearn.cluster import KMeans
from sklearn.metrics import v_measure_score

from bot.care.clues import ClueRules, Labels, clues, segment_vectors, single_pass
from bot.care.segments import Segment, segments
from bot.config import Care, Settings
from bot.errors import BadInput
from bot.llm.embedding import load_encoder
from bot.ports import Encoder
from lab.datasets.dialogsum import read_dialogues
from lab.evaluation.borders import Numbers, border_f1, pk, purity, window_diff
from lab.evaluation.joined_talk import Talk, Told, TrainedBorders, by_depth, by_length, cut_at, joined, returning
from lab.evaluation.metrics import Estimate, estimate
from lab.evaluation.report import EvaluationReport, Grid, Json, progress_bar, show, write

SPLITS = ("dev", "test")
FOLDER = "dialogsum"
BATCH = 50
"""Dialogues encoded at a time."""
DEVIATIONS = 1.0
"""Of the depth scores; the best on `dev`."""
BORDERS = ("F1", "F1 within 1", "Pk", "WindowDiff")
TOPIC_FIGURES = ("purity", "V-measure", "topics too many")

Cut = Callable[[Talk], list[int]]
"""A way to cut: the borders of a talk."""
Sort = Callable[[Talk, Sequence[Segment]], Labels]
"""A way to sort: the topic of each segment."""
Figures = Mapping[str, list[Estimate]]
"""Way → an estimate a figure."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `joined`: dialogues of one session. `samples`: talks of each kind at most, None: all."""

    data: Path
    joined: int = 5
    samples: int | None = None
    seed: int = 0
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Talks:
    """The talks of one split."""

    joined: tuple[Talk, ...]
    """Sessions of so many dialogues as asked for."""
    mixed: tuple[Talk, ...]
    """Sessions of one dialogue up to so many."""
    returning: tuple[Talk, ...]
    """Persons with several sessions."""


async def run(settings: Settings, options: Options, *, encoder: Encoder | None = None) -> int:
    """Prints the tables, and writes the file. `encoder`: another than configured, for tests. Raises BadInput."""
    console = Console(highlight=False, width=140)
    texts = {split: read(options.data, split) for split in SPLITS}
    if encoder is not None:
        told = {split: await encoded(texts[split], encoder, console, split) for split in SPLITS}
    else:
        loaded = await load_encoder(settings.encoder)
        try:
            told = {split: await encoded(texts[split], loaded, console, split) for split in SPLITS}
        finally:
            await loaded.aclose()
    report = measure(talks_of(told["dev"], options), talks_of(told["test"], options), settings.care, options)
    show(report, console)
    for path in write(report, options.out, None):
        console.print(f"Written: {path}", markup=False)
    return 0


def read(data: Path, split: str) -> list[tuple[str, ...]]:
    """The turns of each different dialogue of a split, without their speakers. Raises BadInput."""
    path = data / FOLDER / f"dialogsum.{split}.jsonl"
    if not path.is_file():
        raise BadInput(f"There is no {path}. Give the folder above {FOLDER} with --data.")
    return list(dict.fromkeys(tuple(turn.text for turn in one.turns) for one in read_dialogues(path)))


async def encoded(dialogues: Sequence[tuple[str, ...]], encoder: Encoder, console: Console, name: str) -> list[Told]:
    """The dialogues with their vectors."""
    found: list[Told] = []
    with progress_bar(console) as progress:
        bar = progress.add_task(f"Encoding {name}", total=len(dialogues))
        for start in range(0, len(dialogues), BATCH):
            batch = dialogues[start : start + BATCH]
            vectors = await encoder.encode([text for texts in batch for text in texts])
            ends = np.cumsum([len(texts) for texts in batch])[:-1]
            found += [Told(texts, rows) for texts, rows in zip(batch, np.split(vectors, ends), strict=True)]
            progress.advance(bar, len(batch))
    return found


def talks_of(told: Sequence[Told], options: Options) -> Talks:
    """The talks made of these dialogues. Raises BadInput when there are too few for one of each kind."""
    made = Talks(
        tuple(islice(joined(told, options.joined, options.joined, options.seed), options.samples)),
        tuple(islice(joined(told, 1, options.joined, options.seed), options.samples)),
        tuple(islice(returning(told, options.seed), options.samples)),
    )
    if not (made.joined and made.mixed and made.returning):
        raise BadInput(f"{len(told)} dialogues are too few: none can be joined by {options.joined}, or told in halves.")
    return made


def measure(train: Talks, test: Talks, care: Care, options: Options) -> EvaluationReport:
    """All figures on `test`. `train`: talks of other dialogues, for what learns."""
    trained = TrainedBorders([*train.joined, *train.returning])
    kinds = {
        f"sessions of {options.joined} dialogues": (train.joined, test.joined),
        f"sessions of 1 to {options.joined} dialogues": (train.mixed, test.mixed),
        "sessions of persons who return to their topics": (train.returning, test.returning),
    }
    tables = {
        name: border_figures(talks, ways_to_cut(care, trained, like), options.seed)
        for name, (like, talks) in kinds.items()
    }
    topics = topic_figures(test.returning, care, trained, options.seed)
    grids = [_grid(f"Borders: {name}", BORDERS, figures) for name, figures in tables.items()]
    grids.append(_grid("Topics, by utterances: persons who return to them", TOPIC_FIGURES, topics))
    lines = (
        "; ".join(
            f"{name}: {len(talks)}, with {sum(len(talk.borders) for talk in talks)} borders"
            for name, (_, talks) in kinds.items()
        ),
        f"care.border {care.border}, care.single_pass {care.single_pass}, care.max_topics {care.max_topics}. Means "
        "over talks, with 95 % intervals; of Pk and WindowDiff lower is better.",
    )
    values: dict[str, Json] = {
        **{name: _as_json(BORDERS, figures) for name, figures in tables.items()},
        "topics": _as_json(TOPIC_FIGURES, topics),
    }
    return EvaluationReport("clues", "Segments and topic clues", lines, tuple(grids), (), values)


def ways_to_cut(care: Care, trained: Cut, train: Sequence[Talk]) -> dict[str, Cut]:
    """Ways by name. `train`: talks of the same kind, which tell how long a segment is."""
    lengths = [one.end - one.start for talk in train for one in talk.segments]
    length = max(1, round(float(np.mean(lengths))))
    return {
        "ours (care.border)": lambda talk: _ours(talk, care),
        "the paper's: P(border), trained on dev": trained,
        "depth scores (TextTiling, vectors)": lambda talk: by_depth(talk, DEVIATIONS),
        f"every {length} utterances": lambda talk: by_length(talk, length),
        "whole sessions": lambda _talk: [],
    }


def border_figures(talks: Sequence[Talk], ways: Mapping[str, Cut], seed: int) -> Figures:
    """How well each way cuts: BORDERS."""
    return {name: _estimates([_cut_well(talk, cut(talk)) for talk in talks], seed) for name, cut in ways.items()}


def topic_figures(talks: Sequence[Talk], care: Care, trained: Cut, seed: int) -> Figures:
    """How well each way to cut and to sort finds the topics again: TOPIC_FIGURES."""
    rules = ClueRules(care.single_pass, care.max_topics, "linkage", seed)
    lda = ClueRules(care.single_pass, care.max_topics, "lda", seed)
    ways: dict[str, tuple[Cut, Sort]] = {
        "our borders, linkage": (lambda talk: _ours(talk, care), lambda talk, cut: _clues(talk, cut, rules)),
        "our borders, single-pass + LDA": (lambda talk: _ours(talk, care), lambda talk, cut: _clues(talk, cut, lda)),
        "our borders, single-pass alone": (
            lambda talk: _ours(talk, care),
            lambda talk, cut: single_pass(segment_vectors(cut, talk.vectors), care.single_pass),
        ),
        "our borders, k-means told the number": (lambda talk: _ours(talk, care), _k_means),
        "the paper's: its borders, single-pass + LDA": (trained, lambda talk, cut: _clues(talk, cut, lda)),
        "its borders, linkage": (trained, lambda talk, cut: _clues(talk, cut, rules)),
        "true borders, linkage": (lambda talk: talk.borders, lambda talk, cut: _clues(talk, cut, rules)),
        "true borders, single-pass + LDA": (lambda talk: talk.borders, lambda talk, cut: _clues(talk, cut, lda)),
        "true borders, each a topic": (lambda talk: talk.borders, lambda _talk, cut: np.arange(len(cut))),
        "whole sessions, each a topic": (lambda _talk: [], lambda _talk, cut: np.arange(len(cut))),
    }
    found: dict[str, list[Estimate]] = {}
    for name, (cut_by, sort) in ways.items():
        rows = []
        for talk in talks:
            cut = cut_at(talk, cut_by(talk))
            rows.append(_sorted_well(talk, np.repeat(sort(talk, cut), [one.end - one.start for one in cut])))
        found[name] = _estimates(rows, seed)
    return found


def _ours(talk: Talk, care: Care) -> list[int]:
    begins = {one.start for one in cut_at(talk, ())}
    return [one.start for one in segments(talk.vectors, talk.sessions, care.border) if one.start not in begins]


def _cut_well(talk: Talk, found: Sequence[int]) -> list[float]:
    length = len(talk.texts)
    return [
        border_f1(found, talk.borders),
        border_f1(found, talk.borders, within=1),
        # Sessions' ends are known to everybody, and count in the windows as borders that are right.
        pk(_with_ends(talk, found), _with_ends(talk, talk.borders), length),
        window_diff(_with_ends(talk, found), _with_ends(talk, talk.borders), length),
    ]


def _with_ends(talk: Talk, borders: Sequence[int]) -> list[int]:
    return [one.start for one in cut_at(talk, borders)][1:]


def _sorted_well(talk: Talk, labels: Numbers) -> list[float]:
    more = len(np.unique(labels)) - len(np.unique(talk.topics))
    return [purity(labels, talk.topics), float(v_measure_score(talk.topics, labels)), float(more)]


def _clues(talk: Talk, cut: Sequence[Segment], rules: ClueRules) -> Labels:
    labels = np.zeros(len(cut), dtype=np.int64)
    for number, clue in enumerate(clues(cut, talk.vectors, np.zeros(len(talk.texts)), talk.texts, rules)):
        labels[list(clue.segments)] = number
    return labels


def _k_means(talk: Talk, cut: Sequence[Segment]) -> Labels:
    count = min(len(np.unique(talk.topics)), len(cut))
    model = KMeans(count, n_init=3, random_state=0)
    return np.asarray(model.fit_predict(segment_vectors(cut, talk.vectors)), dtype=np.int64)


def _estimates(rows: Sequence[Sequence[float]], seed: int) -> list[Estimate]:
    return [estimate([[value] for value in column], seed) for column in zip(*rows, strict=True)]


def _grid(title: str, columns: Sequence[str], figures: Figures) -> Grid:
    rows = tuple((name, *map(_shown, estimates)) for name, estimates in figures.items())
    return Grid(title, ("way", *columns), rows)


def _shown(one: Estimate) -> str:
    return f"{one.mean:.3f}" if one.low is None else f"{one.mean:.3f} ({one.low:.3f}–{one.high:.3f})"


def _as_json(columns: Sequence[str], figures: Figures) -> dict[str, Json]:
    return {
        name: {
            column: {"mean": one.mean, "low": one.low, "high": one.high, "count": one.count}
            for column, one in zip(columns, estimates, strict=True)
        }
        for name, estimates in figures.items()
    }
