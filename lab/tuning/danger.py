"""Trains the small net that hears danger (`bot/conversation/danger_net.py`) on sentences written for it.

Its figures are out of fold: sentences that are near copies of each other, or say the same in two languages, are in
the same fold, and no sentence is judged by a net that has seen it. The thresholds come from there too: one for
English, one for other languages, as `is_english` takes them at run time. The shipped net is then trained on all
sentences, and on copies of them: with typing errors, and between ordinary sentences.

Half of those sentences speak of danger; of what people really write, hardly any. So ordinary conversation is learnt
from as well, and weighs more than the sentences: MSC, DialogSum, LoCoMo and chat in English, and lines written for this
in all languages. Without the first the net took 30 % of MSC's utterances for danger; without the second, 20 % of small
talk in other languages; with a tenth of the weight, and no chat, it heard 57 % of the unseen cries where it now hears
three in four, at one alarm in 200 lines of chat. The vectors of the sentence encoder heard 12 %. The lines in other
languages say much the same in each, in the same order: so a fold leaves out whole blocks.

The thresholds are those that a small share of ordinary talk reaches out of fold: base rates decide, not the sentences.

What was tried, as area under the curve out of fold before grouping: words and pairs of words alone 0.73 (English 0.79,
other languages 0.68), with characters of words 0.74; with ideas in all languages 0.88 (0.83, 0.90). Word vectors of
the bundled encoder add 0.01 in English; which rules fire adds 0.005. Neither is worth its weight. Ordinary
conversation costs 0.03 to 0.05.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold

from bot.conversation import danger_net
from bot.conversation.crisis.folding import folded
from bot.conversation.crisis.wording import LANGUAGES, Danger
from bot.conversation.danger_net import BUCKETS, WEIGHTS, DangerNet, features, stretches, write_weights
from bot.conversation.help import help_in
from bot.conversation.safety import sign_by_rules
from bot.errors import BadInput
from lab.datasets.dialogsum import read_dialogues
from lab.datasets.irc import SUFFIX, Kind, read_log
from lab.datasets.locomo import read_conversation
from lab.datasets.msc_persona import read_split
from lab.datasets.written import read_written
from lab.evaluation.safety import DEV, Share
from lab.tuning.danger_figures import (
    FIRMER,
    MOST_ELSEWHERE,
    MOST_FALSE_ALARMS,
    MOST_WITHHELD,
    Ordinary,
    OutOfFold,
    Sentence,
    alarms_of,
    heard_of,
    judged,
    judged_ordinary,
    others_right_of,
    rows_of,
    threshold_of,
)
from lab.tuning.hashed import matrix_of, target_of

DATA = (DEV, DEV.with_name("safety_dev2.jsonl"), DEV.with_name("safety_train.jsonl"))
"""The sentences that the shipped net is trained on."""
EVERYDAY = DEV.with_name("safety_ordinary.jsonl")
"""Ordinary lines in all languages, that it is trained on too."""
FOLDS = 5
REGULARISATION = 10.0
"""scikit-learn's C."""
MOST_ORDINARY = 6_000
"""Ordinary utterances that are learnt from, of each data set."""
ORDINARY_WEIGHT = 3.0
"""How much each counts."""
EVERYDAY_WEIGHT = 6.0
"""How much a line of EVERYDAY counts."""
WRITTEN_WEIGHT = 6.0
"""How much a line to a companion counts."""
_DARK = re.compile(r"\b(?:cutting|wanna live)\b")
"""What shows, beside the rules, that a written conversation is about danger."""
COPY_WEIGHT = 0.3
"""How much a changed copy of a sentence counts."""
OURS_WEIGHT = 10.0
"""How much a stretch of our own help texts counts: they have all the words, and are no danger."""
ALIKE = 0.6
"""Share of words (in one language) or of ideas (in two) from which sentences are near copies."""
BLOCK = 13
"""Lines of EVERYDAY that are in one fold."""
FEW = 5
"""Ideas that sentences of two languages must share to be compared."""
IDEAS_WEIGHT = 0.3
"""How much the ideas of a text alone count, beside the text."""
LICENCE = (
    "Weights only, no text. Sentences written for this project; ordinary utterances of Multi-Session Chat (Xu et al. "
    "2022), DialogSum (Chen et al. 2021), LoCoMo (Maharana et al. 2024) and Ubuntu IRC (Kummerfeld et al. 2019), "
    "research data sets: see their terms before using this commercially."
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
    elsewhere: float
    """The threshold of other languages than English."""
    rows: tuple[OutOfFold, ...]
    """All, then by file, then by language."""
    false_alarms: tuple[tuple[str, Share], ...]
    """By language, of ordinary utterances those that rules and net take for danger out of fold."""
    others_right: Share
    """Of the dangers, those whose kind (self or others) the net tells out of fold."""

    def __str__(self) -> str:
        head = (
            f"Trained on {self.sentences} sentences, seed {self.seed}, in {self.seconds:.0f} s; "
            f"thresholds {self.threshold:.2f} in English, {self.elsewhere:.2f} elsewhere.\n"
            f"Wrote {self.out} ({self.bytes / 1e6:.2f} MB).\nOut of fold:"
        )
        alarms = ", ".join(f"{name} {part.hits}/{part.of}" for name, part in self.false_alarms)
        tail = (
            f"ordinary utterances taken for danger: {alarms}; "
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
    used, LoCoMo, and Ubuntu IRC, of which the first half of the logs is. The same seed and data give the same bytes.
    Raises BadInput when a file cannot be used.
    """
    started = time.monotonic()
    target = target_of(danger_net.__package__, WEIGHTS, out)
    sentences = [sentence for path in paths for sentence in read_sentences(path)]
    dangers = np.array([sentence.danger is not None for sentence in sentences], dtype=bool)
    if min(dangers.sum(), (~dangers).sum()) < FOLDS:
        raise BadInput(f"Training needs {FOLDS} sentences or more both with and without danger.")
    ordinary = ordinary_talk(data, seed)
    logits, louder = out_of_fold(sentences, ordinary, seed)
    told = [*map(judged, sentences), *map(judged_ordinary, ordinary)]
    heard_at = np.concatenate([logits[0], louder])
    threshold = threshold_of(told, heard_at, MOST_FALSE_ALARMS, english=True)
    elsewhere = threshold_of(told, heard_at, MOST_ELSEWHERE, english=False)
    wider = threshold - threshold_of(told, heard_at, MOST_WITHHELD, english=True)
    heard = heard_of(told, heard_at, threshold, elsewhere)
    fit = _fitted(sentences, ordinary, seed)
    about: dict[str, object] = {
        "data": [
            *(path.name for path in paths),
            EVERYDAY.name,
            "conversations written for the voice",
            "MSC persona data, valid",
            "DialogSum, dev",
            "Ubuntu IRC",
        ],
        "ordinary": len(ordinary),
        "sentences": len(sentences),
        "seed": seed,
        "command": f"python -m lab tune danger --data DIR --seed {seed}",
        "licence": LICENCE,
    }
    weights, biases = (np.asarray(part, dtype=np.float32) for part in (fit.weights, fit.biases))
    write_weights(DangerNet(about, weights, biases, threshold, elsewhere, FIRMER, wider), target)
    return DangerReport(
        out=target,
        bytes=target.stat().st_size,
        sentences=len(sentences),
        seed=seed,
        seconds=time.monotonic() - started,
        threshold=threshold,
        elsewhere=elsewhere,
        rows=tuple(rows_of(sentences, heard[: len(sentences)])),
        false_alarms=tuple(alarms_of(ordinary, heard[len(sentences) :])),
        others_right=others_right_of(sentences, logits[1]),
    )


def read_sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a file, with what the rules make of each. Raises BadInput."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        for row in rows:
            sign, doubted = sign_by_rules(row["text"])
            danger = None if row["danger"] is None else Danger(row["danger"])
            yield Sentence(row["text"], row["language"], danger, row["kind"], path.name, sign is not None, doubted)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} cannot be used: {error!r}. A line needs text, language, danger and kind.") from None


def ordinary_talk(data: Path, seed: int) -> list[Ordinary]:
    """Different utterances of ordinary conversation: research data in an order of the seed's, and our own lines."""
    told = (utterance.text for session in read_split(data, "valid") for utterance in session.utterances)
    dialogues = read_dialogues(data / "dialogsum" / "dialogsum.dev.jsonl")
    chosen: list[str] = []
    chat = (one.text for path in _logs(data) for one in read_log(path).messages if one.kind is Kind.SAID)
    letters = (
        turn.text
        for one in map(read_conversation, sorted((data / "locomo").glob("*.json")))
        for part in one.sessions
        for turn in part.turns
    )
    for texts in (told, (turn.text for dialogue in dialogues for turn in dialogue.turns), chat, letters):
        different = list(dict.fromkeys(texts))
        random.Random(seed).shuffle(different)  # noqa: S311 - no secret
        chosen += different[:MOST_ORDINARY]
    random.Random(seed).shuffle(chosen)  # noqa: S311 - no secret
    found = [Ordinary(text, "en", row % FOLDS, ORDINARY_WEIGHT) for row, text in enumerate(chosen)]
    return [*found, *_everyday(), *written_talk()]


def _logs(data: Path) -> list[Path]:
    """The first half of the logs of chat; the others are for measuring."""
    logs = sorted((data / "irc").glob(f"*{SUFFIX}"))
    return logs[: (len(logs) + 1) // 2]


def _everyday() -> Iterator[Ordinary]:
    """The lines of EVERYDAY; what stands at about the same place in each language has the same fold."""
    lines: dict[str, list[Sentence]] = {}
    for line in read_sentences(EVERYDAY):
        lines.setdefault(line.language, []).append(line)
    for language, told in lines.items():
        for place, line in enumerate(told):
            yield Ordinary(line.text, language, place // BLOCK % FOLDS, EVERYDAY_WEIGHT)


def written_talk() -> Iterator[Ordinary]:
    """What people say to a companion in the conversations written for its voice, but those with a dark line in them.

    Such lines are short and lean on what was said before; in people's talk with each other they are rare.
    """
    for place, one in enumerate(read_written()):
        said = [text for text, _ in one.turns]
        if not one.channel and not any(text.startswith("[") or _DARK.search(text) or _heard(text) for text in said):
            yield from (Ordinary(text, one.language, place % FOLDS, WRITTEN_WEIGHT) for text in said)


def _heard(text: str) -> bool:
    """Whether the rules find something in it, surely or not."""
    return sign_by_rules(text)[0] is not None


def _fitted(sentences: Sequence[Sentence], ordinary: Sequence[Ordinary], seed: int) -> _Fit:
    """Both heads, trained on what is given, copies of the sentences, and our own help texts, which are no danger."""
    texts, dangers, weights = _material(sentences, seed)
    texts += [one.text for one in ordinary]
    dangers += [None] * len(ordinary)
    weights = np.concatenate([weights, [one.weight for one in ordinary]])
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
    weights = [1.0] * len(sentences) + [COPY_WEIGHT] * (len(texts) - len(sentences)) + [OURS_WEIGHT] * len(ours)
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
    return matrix_of((features(folded(text), with_words=with_words) for text in texts), BUCKETS)


def out_of_fold(
    sentences: Sequence[Sentence], ordinary: Sequence[Ordinary], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The logits of nets that have not seen what they judge, nor a near copy of it.

    Of the sentences for both heads, shape (2, sentences); of the ordinary utterances for danger, shape (ordinary,).
    """
    strata = [f"{one.language} {one.danger is not None} {one.source}" for one in sentences]
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    logits, louder = np.zeros((danger_net.HEADS, len(sentences))), np.zeros(len(ordinary))
    for fold, (seen, unseen) in enumerate(folds.split(sentences, _numbers(strata), groups_of(sentences))):
        known = [one for one in ordinary if one.fold != fold]
        fit = _fitted([sentences[row] for row in seen], known, seed)
        net = DangerNet({}, fit.weights.astype(np.float32), fit.biases.astype(np.float32), 0.0, 0.0, 0.0, 0.0)
        for row in unseen:
            heard = net.hear(sentences[row].text)
            logits[:, row] = heard.danger, heard.others
        for row, one in enumerate(ordinary):
            if one.fold == fold:
                louder[row] = net.hear(one.text).danger
    return logits, louder


def _numbers(names: Sequence[str]) -> NDArray[np.intp]:
    return np.unique(names, return_inverse=True)[1]


def groups_of(sentences: Sequence[Sentence]) -> NDArray[np.intp]:
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
