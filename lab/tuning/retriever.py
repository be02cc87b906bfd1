"""Trains the text encoder as a retriever of dialogue contexts: `python -m lab tune retriever --data DIR --out FOLDER`.

The triplet loss of Sentence-BERT, max(‖a−p‖ − ‖a−n‖ + ε, 0), over triplets of `triplets.py`, up to five epochs, the
best on the development dialogues (dialogue-context retriever §4.1.2). The loop is our own around sentence-transformers'
`TripletLoss`, because its trainer wants a library of data frames. Stopped, it goes on with exactly the same steps.

Ours: vectors are of unit length, so ε is 0.3 and not 5, which no two of them can be apart. And the weights that are
kept lie on the line between the original's and the trained ones (Wortsman et al. 2022, "robust fine-tuning"): who only
learns what belongs to one session forgets part of how a question resembles its answer. Where on that line is decided
on the development dialogues, or by `blend`.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import TripletLoss
from torch import Tensor

from bot.errors import BadInput
from bot.ports import Report, Vectors
from lab.tuning.checkpoints import Checkpoints
from lab.tuning.retriever_figures import Figures, measure, triplet_accuracy
from lab.tuning.retriever_report import Course, RetrieverReport, card_of
from lab.tuning.triplets import Dialogue, Material, Triplet, digest, triplets

WARM_UP = 0.1
"""Share of the steps in which the rate of learning grows; afterwards it falls to nothing."""
PATIENCE = 2
"""So many epochs without a gain on the development dialogues end the training."""
CHECKPOINT_EVERY = 200
"""Steps."""
MEASURED_TRIPLETS = 500
"""At most, of the development dialogues and of those that are measured on."""
MEASURED_DIALOGUES = 30
BLENDS = (0.25, 0.5, 0.75, 1.0)
"""Shares of the trained weights that are tried on the development dialogues."""

Weights: TypeAlias = dict[str, Tensor]


@dataclass
class _State:
    """Where the training is. Everything in it goes into a checkpoint."""

    step: int = 0
    accuracies: list[float] = field(default_factory=list)
    best: Weights = field(default_factory=dict)
    """The weights of the best epoch so far; empty: the original's."""

    @property
    def best_epoch(self) -> int:
        """The number of the best epoch, 0 for the original weights; of equal ones the first."""
        return int(np.argmax(self.accuracies))


def train(
    model: SentenceTransformer, material: Material, out: Path, course: Course, command: str, report: Report
) -> RetrieverReport:
    """Trains `model` and writes the folder `out`, which `encoder.id` can name. Takes up what was stopped.

    `command` goes into the model card. The same seed, data and machine give the same weights. Raises BadInput.
    """
    started = time.monotonic()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is there already. Choose another folder with --out.")
    learnt = triplets(material.train, course.seed, course.limit)
    if not learnt:
        raise BadInput(f"No triplets can be made of {material.name}: no two sessions share a speaker who speaks twice.")
    trainer = _Trainer(model, material, learnt, course, report)
    with _reproducible():
        original = _copied(model)
        before = trainer.measured(material.test)
        state = trainer.fit(Checkpoints(out, f"{digest(learnt)} {_named(course)}"))
        blend, blends = trainer.choose(original, state.best or original)
        model.load_state_dict(_between(original, state.best or original, blend))
        after = trainer.measured(material.test)
    done = RetrieverReport(
        out=out,
        material=material,
        course=course,
        triplets=len(learnt),
        steps=state.step,
        seconds=time.monotonic() - started,
        accuracies=tuple(state.accuracies),
        blend=blend,
        blends=blends,
        before=before,
        after=after,
    )
    _save(model, out, card_of(done, command))
    Checkpoints(out, "").clear()
    return done


class _Trainer:
    """Does the steps of one training."""

    def __init__(
        self,
        model: SentenceTransformer,
        material: Material,
        learnt: Sequence[Triplet],
        course: Course,
        report: Report,
    ) -> None:
        self._model = model
        self._material = material
        self._learnt = learnt
        self._course = course
        self._report = report
        self._loss = TripletLoss(model, triplet_margin=course.margin)
        self._dev = triplets(_some(material.dev), course.seed, MEASURED_TRIPLETS)
        self._per_epoch = -(-len(learnt) // course.batch)
        self._steps = min(self._per_epoch * course.epochs, course.steps or self._per_epoch * course.epochs)

    def measured(self, dialogues: Sequence[Dialogue]) -> Figures:
        """The figures of the model as it is."""
        some = _some(dialogues)
        self._report("Measuring …", None)
        return measure(some, triplets(some, self._course.seed, MEASURED_TRIPLETS), self._encode)

    def fit(self, checkpoints: Checkpoints) -> _State:
        """Trains from the last checkpoint on, or from the beginning; returns how it went."""
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=self._course.rate)
        state = self._taken_up(checkpoints, optimizer)
        if not state.accuracies:
            state.accuracies.append(triplet_accuracy(self._dev, self._encode))
        while state.step < self._steps and len(state.accuracies) - 1 - state.best_epoch < PATIENCE:
            self._step(state.step, optimizer)
            state.step += 1
            if state.step % self._per_epoch == 0 or state.step == self._steps:
                state.accuracies.append(triplet_accuracy(self._dev, self._encode))
                if state.best_epoch == len(state.accuracies) - 1:
                    state.best = _copied(self._model)
                self._save(checkpoints, state, optimizer)
            elif state.step % CHECKPOINT_EVERY == 0:
                self._save(checkpoints, state, optimizer)
        return state

    def choose(self, original: Weights, trained: Weights) -> tuple[float, dict[float, Figures]]:
        """The share of the trained weights that is best on the development dialogues, and the figures of each."""
        shares = BLENDS if self._course.blend is None else (self._course.blend,)
        tried: dict[float, Figures] = {}
        for share in dict.fromkeys((0.0, *shares)):
            self._model.load_state_dict(_between(original, trained, share))
            tried[share] = self.measured(self._material.dev)
        return max(shares, key=lambda share: tried[share].quality), tried

    def _step(self, number: int, optimizer: torch.optim.Optimizer) -> None:
        """One step; which triplets it sees, and what is dropped out, follow from the seed and its number alone."""
        course, epoch = self._course, number // self._per_epoch
        order = random.Random(f"{course.seed} {epoch}").sample(range(len(self._learnt)), len(self._learnt))  # noqa: S311
        begin = number % self._per_epoch * course.batch
        columns = zip(*(self._learnt[position] for position in order[begin : begin + course.batch]), strict=True)
        torch.manual_seed(course.seed * 1_000_003 + number)
        for group in optimizer.param_groups:
            group["lr"] = course.rate * _warmth(number, self._steps)
        self._model.train()
        device = self._model.device
        texts = [self._model.preprocess(list(column)) for column in columns]
        features = [
            {name: value.to(device) for name, value in each.items() if isinstance(value, Tensor)} for each in texts
        ]
        loss = cast("Tensor", self._loss(features, torch.empty(0)))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # not annotated in torch
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        optimizer.step()
        self._model.eval()
        self._report(f"Training, epoch {epoch + 1}, loss {loss.item():.3f}", (number + 1) / self._steps)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        """Each different text once, unit length."""
        distinct = sorted(set(texts), key=len)
        rows = self._model.encode(distinct, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
        at = {text: position for position, text in enumerate(distinct)}
        return np.asarray(rows, dtype=np.float32)[[at[text] for text in texts]]

    def _taken_up(self, checkpoints: Checkpoints, optimizer: torch.optim.Optimizer) -> _State:
        found = checkpoints.load()
        if found is None:
            return _State()
        self._model.load_state_dict(cast("Weights", found["model"]))
        optimizer.load_state_dict(cast("dict[str, object]", found["optimizer"]))
        self._report(f"Going on after step {found['step']} …", None)
        return _State(
            cast("int", found["step"]), cast("list[float]", found["accuracies"]), cast("Weights", found["best"])
        )

    def _save(self, checkpoints: Checkpoints, state: _State, optimizer: torch.optim.Optimizer) -> None:
        parts = {name.name: getattr(state, name.name) for name in fields(state)}
        checkpoints.save(parts | {"model": self._model.state_dict(), "optimizer": optimizer.state_dict()})


@contextmanager
def _reproducible() -> Iterator[None]:
    """Torch with a random generator of its own, and deterministic kernels."""
    with torch.random.fork_rng(devices=[]):
        before = torch.are_deterministic_algorithms_enabled()
        torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before)


def _some(dialogues: Sequence[Dialogue]) -> Sequence[Dialogue]:
    return dialogues[:MEASURED_DIALOGUES]


def _named(course: Course) -> str:
    """What a training that is taken up must have in common. The blend comes after it."""
    return str({name: value for name, value in asdict(course).items() if name != "blend"})


def _warmth(step: int, steps: int) -> float:
    """The share of the rate of learning at this step."""
    warm = max(1, round(WARM_UP * steps))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def _copied(model: SentenceTransformer) -> Weights:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def _between(original: Weights, trained: Weights, share: float) -> Weights:
    """Weights on the line between both; what is no floating-point number stays the original's."""
    return {
        name: torch.lerp(value, trained[name], share) if value.is_floating_point() else value
        for name, value in original.items()
    }


def _save(model: SentenceTransformer, out: Path, card: str) -> None:
    """Writes the folder in one move: one that is there is whole."""
    unfinished = out.with_name(f"{out.name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        model.save_pretrained(str(unfinished), create_model_card=False)
        (unfinished / "README.md").write_text(card, encoding="utf-8")
        if out.exists():
            out.rmdir()
        unfinished.rename(out)
    except OSError as error:
        raise BadInput(f"{out} cannot be written ({error.strerror or error}). Choose another with --out.") from None
