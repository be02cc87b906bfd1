"""Trains the small net that hears danger (`bot/conversation/danger_net.py`) on sentences written for it.

Its figures are out of fold: sentences that are near copies of each other, or say the same in two languages, are in
the same fold, and no sentence is judged by a net that has seen it. The threshold comes from there too. The shipped
net is then trained on all sentences, and on copies of them: with typing errors, and between ordinary sentences.

Half of those sentences speak of danger; of what people really write, hardly any. So ordinary conversation is learnt
from as well: without it the net took 30 % of MSC's utterances for danger, at a precision of 78 % on the sentences.

What was tried, as area under the curve out of fold before grouping: words and pairs of words alone 0.73 (English 0.79,
other languages 0.68), with characters of words 0.74; with ideas in all languages 0.88 (0.83, 0.90). Word vectors of
the bundled encoder add 0.01 in English; which rules fire adds 0.005. Neither is worth its weight. Ordinary
conversation costs 0.03 to 0.05.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold

from bot.conversation import danger_net
from bot.conversation.crisis.folding import folded
from bot.conversation.danger_net import BUCKETS, WEIGHTS, DangerNet, features, stretches, write_weights
from bot.conversation.help import help_in
from bot.conversation.safety import LANGUAGES, Danger, sign_by_rules
from bot.errors import BadInput
from bot.evaluation.datasets.dialogsum import read_dialogues
from bot.evaluation.datasets.msc_persona import read_split
from bot.evaluation.safety import DEV, Share, share

DATA = (DEV, DEV.with_name("safety_dev2.jsonl"), DEV.with_name("safety_train.jsonl"))
"""The sentences that the shipped net is trained on."""
FOLDS = 5
REGULARISATION = 10.0
"""scikit-learn's C."""
WANTED_PRECISION = 0.73
"""Of rules and net together, out of fold; the threshold is the lowest that keeps it, and the next:"""
MOST_FALSE_ALARMS = 0.01
"""The share of ordinary utterances that the net may take for danger, out of fold."""
MOST_ORDINARY = 6_000
"""Ordinary utterances that are learnt from, of each data set."""
ORDINARY_WEIGHT = 0.3
"""How much each counts."""
FIRMER = 1.0
"""How much surer, as a logit, the net must be where the rules took something back."""
COPY_WEIGHT = 0.3
"""How much a changed copy of a sentence counts."""
ALIKE = 0.6
"""Share of words (in one language) or of ideas (in two) from which sentences are near copies."""
FEW = 5
"""Ideas that sentences of two languages must share to be compared."""
IDEAS_WEIGHT = 0.7
"""How much the ideas of a text alone count, beside the text."""
EVERY_LANGUAGE = "all"
LICENCE = (
    "Weights only, no text. Sentences written for this project; ordinary utterances of Multi-Session Chat (Xu et al. "
    "2022) and DialogSum (Chen et al. 2021), research data sets: see their terms before using this commercially."
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a data file, with what the rules make of it."""

    text: str
    language: str
    danger: Danger | None
    kind: str
    source: str
    by_rules: bool
    doubted: bool
    """Whether the rules found something and took it back."""


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Figures of one language or file on sentences that the net had not seen."""

    name: str
    rules_recall: Share
    rules_precision: Share
    recall: Share
    """Of rules and net together."""
    precision: Share

    def __str__(self) -> str:
        parts = (self.rules_recall, self.rules_precision, self.recall, self.precision)
        shown = ["–" if part.share is None else f"{part.share:.1%} ({part.hits}/{part.of})" for part in parts]
        return (
            f"{self.name}: recall {shown[2]}, precision {shown[3]}; "
            f"rules alone: recall {shown[0]}, precision {shown[1]}"
        )


@dataclass(frozen=True, slots=True)
class DangerReport:
    """What was trained and how well it does out of fold. `str()` is the report for people."""

    out: Path
    bytes: int
    sentences: int
    seed: int
    seconds: float
    threshold: float
    rows: tuple[OutOfFold, ...]
    """All, then by file, then by language."""
    false_alarms: Share
    """Of ordinary utterances, in English, those that the net takes for danger out of fold."""
    others_right: Share
    """Of the dangers, those whose kind (self or others) the net tells out of fold."""

    def __str__(self) -> str:
        head = (
            f"Trained on {self.sentences} sentences, seed {self.seed}, in {self.seconds:.0f} s; "
            f"threshold {self.threshold:.2f}.\nWrote {self.out} ({self.bytes / 1e6:.2f} MB).\nOut of fold:"
        )
        tail = (
            f"ordinary utterances taken for danger by the net: {self.false_alarms.hits}/{self.false_alarms.of}; "
            f"self or others told: {self.others_right.hits}/{self.others_right.of}"
        )
        return "\n".join([head, *map(str, self.rows), tail])


@dataclass(frozen=True, slots=True)
class _Fit:
    """Weights and bias of each head."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]


def train(data: Path, paths: Sequence[Path] = DATA, out: Path | None = None, seed: int = 0) -> DangerReport:
    """Trains on the sentences of the files and writes the weights to `out` (None: the shipped file).

    `data` has ordinary conversation: the data sets MSC (persona data) and DialogSum, of which `valid` and `dev` are
    used. The same seed and data give the same bytes. Raises BadInput when a file cannot be used.
    """
    started = time.monotonic()
    target = out if out is not None else Path(str(resources.files(danger_net.__package__).joinpath(WEIGHTS)))
    if not target.parent.is_dir():
        raise BadInput(f"There is no folder {target.parent} to write the weights to.")
    sentences = [sentence for path in paths for sentence in _read(path)]
    dangers = np.array([sentence.danger is not None for sentence in sentences], dtype=bool)
    if min(dangers.sum(), (~dangers).sum()) < FOLDS:
        raise BadInput(f"Training needs {FOLDS} sentences or more both with and without danger.")
    ordinary = _ordinary(data, seed)
    logits, alarms = _out_of_fold(sentences, ordinary, seed)
    threshold = _threshold(sentences, logits[0], alarms)
    fit = _fitted(sentences, ordinary, seed)
    about: dict[str, object] = {
        "data": [*(path.name for path in paths), "MSC persona data, valid", "DialogSum, dev"],
        "ordinary": len(ordinary),
        "sentences": len(sentences),
        "seed": seed,
        "command": f"python -m bot tune danger --data DIR --seed {seed}",
        "licence": LICENCE,
    }
    weights, biases = (np.asarray(part, dtype=np.float32) for part in (fit.weights, fit.biases))
    write_weights(DangerNet(about, weights, biases, threshold, threshold + FIRMER), target)
    return DangerReport(
        out=target,
        bytes=target.stat().st_size,
        sentences=len(sentences),
        seed=seed,
        seconds=time.monotonic() - started,
        threshold=threshold,
        rows=tuple(_rows(sentences, _heard(sentences, logits[0], threshold))),
        false_alarms=share(int((alarms >= threshold).sum()), len(alarms)),
        others_right=_others_right(sentences, logits[1]),
    )


def _read(path: Path) -> Iterator[Sentence]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        for row in rows:
            sign, doubted = sign_by_rules(row["text"])
            danger = None if row["danger"] is None else Danger(row["danger"])
            yield Sentence(row["text"], row["language"], danger, row["kind"], path.name, sign is not None, doubted)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} cannot be used: {error!r}. A line needs text, language, danger and kind.") from None


def _ordinary(data: Path, seed: int) -> list[str]:
    """Different utterances of ordinary conversation, in an order of the seed's."""
    told = (utterance.text for session in read_split(data, "valid") for utterance in session.utterances)
    dialogues = read_dialogues(data / "dialogsum" / "dialogsum.dev.jsonl")
    chosen: list[str] = []
    for texts in (told, (turn.text for dialogue in dialogues for turn in dialogue.turns)):
        different = list(dict.fromkeys(texts))
        random.Random(seed).shuffle(different)  # noqa: S311 - no secret
        chosen += different[:MOST_ORDINARY]
    random.Random(seed).shuffle(chosen)  # noqa: S311 - no secret
    return chosen


def _fitted(sentences: Sequence[Sentence], ordinary: Sequence[str], seed: int) -> _Fit:
    """Both heads, trained on what is given, copies of the sentences, and our own help texts, which are no danger."""
    texts, dangers, weights = _material(sentences, seed)
    texts += ordinary
    dangers += [None] * len(ordinary)
    weights = np.concatenate([weights, np.full(len(ordinary), ORDINARY_WEIGHT)])
    # Every text a second time as its ideas alone: English conversation then teaches what is ordinary in any language.
    matrix = vstack([_matrix(texts), _matrix(texts, with_words=False)]).tocsr()
    dangers, weights = [*dangers, *dangers], np.concatenate([weights, IDEAS_WEIGHT * weights])
    is_danger = np.array([danger is not None for danger in dangers])
    is_others = np.array([danger is Danger.OTHERS for danger in dangers])
    first = _logistic(matrix, is_danger, weights)
    second = _logistic(matrix[is_danger], is_others[is_danger], weights[is_danger])
    return _Fit(np.vstack([first[0], second[0]]), np.array([first[1], second[1]]))


def _logistic(
    matrix: csr_matrix, labels: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Weights of shape (BUCKETS,) and the bias; with one label only, a bias that always says it."""
    if labels.all() or not labels.any():
        return np.zeros(BUCKETS), 1.0 if labels.any() else -1.0
    model = LogisticRegression(C=REGULARISATION, solver="liblinear", random_state=0)
    model.fit(matrix, labels, sample_weight=weights)
    return model.coef_[0], float(model.intercept_[0])


def _material(sentences: Sequence[Sentence], seed: int) -> tuple[list[str], list[Danger | None], NDArray[np.float64]]:
    """Texts, what they are, and how much each counts."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    ordinary: dict[str, list[str]] = {}
    for sentence in sentences:
        if sentence.kind == "ordinary":
            ordinary.setdefault(sentence.language, []).append(sentence.text)
    texts = [sentence.text for sentence in sentences]
    dangers = [sentence.danger for sentence in sentences]
    for sentence in sentences:
        around = ordinary.get(sentence.language, [sentence.text])
        before, after = chance.choice(around), chance.choice(around)
        copies = [
            _mistyped(sentence.text, chance),
            chance.choice([f"{before} {sentence.text}", f"{sentence.text} {after}"]),
        ]
        texts += copies
        dangers += [sentence.danger] * len(copies)
    ours = [part for language in LANGUAGES for danger in Danger for part in stretches(help_in(language, danger, "DE"))]
    weights = [1.0] * len(sentences) + [COPY_WEIGHT] * (len(texts) - len(sentences) + len(ours))
    return [*texts, *ours], [*dangers, *(None for _ in ours)], np.array(weights)


def _mistyped(text: str, chance: random.Random) -> str:
    """A text with two slips: letters left out or changed over."""
    for _ in range(2):
        if len(text) > FEW:
            place = chance.randrange(1, len(text) - 2)
            pair = text[place : place + 2]
            text = text[:place] + chance.choice([pair[1], pair[1] + pair[0]]) + text[place + 2 :]
    return text


def _matrix(texts: Sequence[str], *, with_words: bool = True) -> csr_matrix:
    """The features of whole texts, a row each, shape (len(texts), BUCKETS)."""
    columns, values, ends = [], [], [0]
    for text in texts:
        buckets, shares = features(folded(text), with_words=with_words)
        columns.append(buckets)
        values.append(shares)
        ends.append(ends[-1] + len(buckets))
    return csr_matrix((np.concatenate(values), np.concatenate(columns), ends), shape=(len(texts), BUCKETS), dtype=float)


def _out_of_fold(
    sentences: Sequence[Sentence], ordinary: Sequence[str], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The logits of nets that have not seen what they judge, nor a near copy of it.

    Of the sentences for both heads, shape (2, sentences); of the ordinary utterances for danger, shape (ordinary,).
    """
    strata = [f"{one.language} {one.danger is not None} {one.source}" for one in sentences]
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    logits, alarms = np.zeros((danger_net.HEADS, len(sentences))), np.zeros(len(ordinary))
    for fold, (seen, unseen) in enumerate(folds.split(sentences, _numbers(strata), _groups(sentences))):
        known = [text for row, text in enumerate(ordinary) if row % FOLDS != fold]
        fit = _fitted([sentences[row] for row in seen], known, seed)
        net = DangerNet({}, fit.weights.astype(np.float32), fit.biases.astype(np.float32), 0.0, 0.0)
        for row in unseen:
            heard = net.hear(sentences[row].text)
            logits[:, row] = heard.danger, heard.others
        for row in range(fold, len(ordinary), FOLDS):
            alarms[row] = net.hear(ordinary[row]).danger
    return logits, alarms


def _numbers(names: Sequence[str]) -> NDArray[np.intp]:
    return np.unique(names, return_inverse=True)[1]


def _groups(sentences: Sequence[Sentence]) -> NDArray[np.intp]:
    """A number for each sentence; near copies, also those of another language, have the same."""
    stretched = [folded(sentence.text) for sentence in sentences]
    words = _overlap([frozenset(text.split()) for text in stretched], 1)
    ideas = _overlap([danger_net.ideas_of(text) for text in stretched], FEW)
    languages = _numbers([sentence.language for sentence in sentences])
    same = languages[:, None] == languages[None, :]
    alike = ((words >= ALIKE) & same) | ((ideas >= ALIKE) & ~same)
    return np.asarray(connected_components(csr_matrix(alike), directed=False)[1], dtype=np.intp)


def _overlap(sets: Sequence[frozenset[str]], least: int) -> NDArray[np.float64]:
    """Jaccard's share for each pair, 0 where fewer than `least` are shared. Shape (n, n)."""
    numbers = {name: place for place, name in enumerate(sorted(frozenset().union(*sets)))}
    rows = [row for row, names in enumerate(sets) for _ in names]
    columns = [numbers[name] for names in sets for name in sorted(names)]
    there = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(sets), max(len(numbers), 1)))
    both = (there @ there.T).toarray()
    sizes = np.array([len(names) for names in sets], dtype=float)
    shares = both / np.maximum(sizes[:, None] + sizes[None, :] - both, 1.0)
    return np.asarray(np.where(both >= least, shares, 0.0))


def _heard(sentences: Sequence[Sentence], logits: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Which sentences rules and net together take for danger."""
    rules = np.array([sentence.by_rules for sentence in sentences])
    firmer = np.array([FIRMER if sentence.doubted else 0.0 for sentence in sentences])
    return np.asarray(rules | (logits >= threshold + firmer), dtype=bool)


def _threshold(sentences: Sequence[Sentence], logits: NDArray[np.float64], alarms: NDArray[np.float64]) -> float:
    """The lowest that keeps WANTED_PRECISION and MOST_FALSE_ALARMS; what the rules were written on has no say."""
    fair = [row for row, sentence in enumerate(sentences) if sentence.source != DEV.name] or range(len(sentences))
    chosen = [sentences[row] for row in fair]
    dangers = np.array([sentence.danger is not None for sentence in chosen])
    of_chosen = logits[list(fair)]
    for candidate in np.linspace(-4.0, 4.0, 161):
        if (alarms >= candidate).sum() > MOST_FALSE_ALARMS * len(alarms):
            continue
        heard = _heard(chosen, of_chosen, candidate)
        if (heard & dangers).sum() >= WANTED_PRECISION * heard.sum():
            return round(float(candidate), 2)
    return 4.0


def _rows(sentences: Sequence[Sentence], heard: NDArray[np.bool_]) -> Iterator[OutOfFold]:
    fair = np.array([sentence.source != DEV.name for sentence in sentences])
    yield _row(f"{EVERY_LANGUAGE} but {DEV.name}", sentences, heard, fair)
    for source in dict.fromkeys(sentence.source for sentence in sentences):
        yield _row(source, sentences, heard, np.array([sentence.source == source for sentence in sentences]))
    for language in dict.fromkeys(sentence.language for sentence in sentences):
        chosen = np.array([sentence.language == language for sentence in sentences])
        yield _row(language, sentences, heard, fair & chosen)


def _row(name: str, sentences: Sequence[Sentence], heard: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> OutOfFold:
    dangers = np.array([sentence.danger is not None for sentence in sentences]) & chosen
    rules = np.array([sentence.by_rules for sentence in sentences]) & chosen
    both = heard & chosen
    of_rules, of_both = int((rules & dangers).sum()), int((both & dangers).sum())
    return OutOfFold(
        name,
        share(of_rules, int(dangers.sum())),
        share(of_rules, int(rules.sum())),
        share(of_both, int(dangers.sum())),
        share(of_both, int(both.sum())),
    )


def _others_right(sentences: Sequence[Sentence], logits: NDArray[np.float64]) -> Share:
    dangers = [
        (one.danger is Danger.OTHERS, logit > 0) for one, logit in zip(sentences, logits, strict=True) if one.danger
    ]
    return share(sum(bool(one == other) for one, other in dangers), len(dangers))
