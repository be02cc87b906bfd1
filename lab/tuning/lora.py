"""Trains an adapter: `python -m lab tune extractor --data DIR --out FOLDER`, and so on (LD-Agent's tunable modules).

The loop is our own and not transformers' Trainer, for three reasons that a CPU makes felt. The vocabulary's layer runs
on the answers' tokens alone, a sixth of all. A training that is stopped goes on with exactly the steps it would have
done: which examples a step sees follows from the seed and its number alone, where Trainer skips through its data again.
And a checkpoint is one file of tensors, written whole or not at all, where Trainer's folders hold pickles.

Adam with a warm-up and a fall to nothing (LD-Agent: lr 5e-5, batch 4, 3 epochs for 6B parameters; a model of 135M
learns best from 20 times that rate). Examples of like length share a batch. The loss on conversations that are held out
is looked at six times; the best weights are kept, and three looks without a gain end the training.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any, Protocol, cast

import torch

from bot.errors import BadInput
from bot.ports import Report
from lab.tuning.checkpoints import Checkpoints
from lab.tuning.lora_data import Example, Material, Messages, digest
from lab.tuning.lora_figures import Figures, Judge
from lab.tuning.lora_model import LONGEST, Encoded, Losses, TunedModel, Weights
from lab.tuning.lora_report import Course, TuningReport, card_of

WARM_UP = 0.06
"""Share of the steps in which the rate of learning grows; afterwards it falls to nothing."""
LOOKS = 6
"""How often the held-out conversations are looked at."""
PATIENCE = 3
"""So many looks without a gain end the training."""
CHECKPOINT_EVERY_S = 60.0
"""What a kill costs at most, and one step."""
POOL = 32
"""Batches among whose examples those of like length are brought together."""

Note = Callable[[str], None]
"""Is told what came of a look, in a line."""


@dataclass
class _State:
    """Where the training is. Everything in it goes into a checkpoint."""

    step: int = 0
    losses: list[float] = field(default_factory=list)
    """Of the held-out conversations, a token: before training, and at each look."""
    best: Weights = field(default_factory=dict)
    """The weights at the best look so far; empty: none was better than no adapter."""

    @property
    def best_look(self) -> int:
        """The number of the best look, 0 before training."""
        return self.losses.index(min(self.losses))


@dataclass(frozen=True, slots=True)
class Told:
    """Who is told of the progress."""

    report: Report
    note: Note


class Lesson(Protocol):
    """What is learnt of an example. What `encode` gives has a `length` in tokens."""

    def encode(self, model: TunedModel, example: Example) -> Any:
        """The example in tokens. Raises BadInput."""

    def losses(self, model: TunedModel, batch: Sequence[Any]) -> Losses:
        """The loss of some of them."""


class Answers:
    """The answers are learnt, word by word."""

    def encode(self, model: TunedModel, example: Example) -> Encoded:
        """See `TunedModel.encode`."""
        return model.encode(example)

    def losses(self, model: TunedModel, batch: Sequence[Encoded]) -> Losses:
        """See `TunedModel.losses`."""
        return model.losses(batch)


def train(
    model: TunedModel,
    material: Material,
    out: Path,
    course: Course,
    command: str,
    judge: Judge,
    told: Told,
    lesson: Lesson | None = None,
) -> TuningReport:
    """Trains the adapter of `model` and writes the folder `out`, which `model.adapters` can name.

    `lesson`: what is learnt of each example; None: its answers. Takes up what was stopped. `command` goes into the
    model card. The same seed, data and machine give the same weights. Raises BadInput.
    """
    started = time.monotonic()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is there already. Choose another folder with --out.")
    trainer = _Trainer(model, material, course, told, lesson or Answers())
    checkpoints = Checkpoints(out, f"{model.name} {digest([*material.train, *material.dev])} {asdict(course)}")
    state = trainer.fit(checkpoints)
    if state.best:
        model.take(state.best)
    before, after = _measured(judge, model, material, told)
    done = TuningReport(
        out=out,
        base=model.name,
        material=material,
        course=course,
        examples=trainer.examples,
        steps=state.step,
        seconds=time.monotonic() - started,
        losses=tuple(state.losses),
        before=before,
        after=after,
    )
    _save(model, out, card_of(done, command))
    checkpoints.clear()
    return done


def _measured(judge: Judge, model: TunedModel, material: Material, told: Told) -> tuple[Figures, Figures]:
    """The figures of the model as it was and as it is, on conversations that it has not seen."""

    def figures(step: str, prompts: Sequence[Messages], *, adapted: bool) -> Figures:
        said: list[str] = []
        for answer in model.answers(prompts, judge.room, adapted=adapted):
            said.append(answer)
            told.report(step, len(said) / len(prompts))
        return judge(material.test, said)

    before = figures("Measuring without the adapter …", [judge.untuned(one) for one in material.test], adapted=False)
    return before, figures("Measuring with the adapter …", [one.messages for one in material.test], adapted=True)


class _Trainer:
    """Does the steps of one training."""

    def __init__(self, model: TunedModel, material: Material, course: Course, told: Told, lesson: Lesson) -> None:
        """Raises BadInput."""
        self._model = model
        self._lesson = lesson
        self._course = course
        self._told = told
        told.report("Reading …", None)
        self._learnt = self._encoded(material.train)
        self._held = sorted(self._encoded(material.dev), key=_length)
        if not self._learnt or not self._held:
            raise BadInput(f"{material.name} has nothing to learn from: every example is over {LONGEST} tokens.")
        self._per_epoch = -(-len(self._learnt) // course.batch)
        self._steps = min(self._per_epoch * course.epochs, course.steps or self._per_epoch * course.epochs)
        self._look_every = max(1, self._steps // LOOKS)
        self._batches = cache(self._divided)

    def _encoded(self, examples: Sequence[Example]) -> list[Any]:
        encoded = [self._lesson.encode(self._model, each) for each in examples]
        return [each for each in encoded if each.length <= LONGEST]

    @property
    def examples(self) -> int:
        """How many are learnt from."""
        return len(self._learnt)

    def fit(self, checkpoints: Checkpoints) -> _State:
        """Trains from the last checkpoint on, or from the beginning; returns how it went."""
        optimizer = torch.optim.AdamW(self._model.parameters, lr=self._course.rate, weight_decay=0.0)
        state = self._taken_up(checkpoints, optimizer)
        if not state.losses:
            self._look(state)
        saved = time.monotonic()
        while state.step < self._steps and len(state.losses) - 1 - state.best_look < PATIENCE:
            self._step(state.step, optimizer)
            state.step += 1
            looks = state.step % self._look_every == 0 or state.step == self._steps
            if looks:
                self._look(state)
            if looks or time.monotonic() - saved >= CHECKPOINT_EVERY_S:
                self._save(checkpoints, state, optimizer)
                saved = time.monotonic()
        return state

    def _step(self, number: int, optimizer: torch.optim.Optimizer) -> None:
        """One step; which examples it sees follows from the seed and its number alone."""
        epoch, place = divmod(number, self._per_epoch)
        batch = [self._learnt[position] for position in self._batches(epoch)[place]]
        for group in optimizer.param_groups:
            group["lr"] = self._course.rate * _warmth(number, self._steps)
        with self._model.learning():
            total, tokens = self._lesson.losses(self._model, batch)
            loss = total / tokens
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # not annotated in torch
        torch.nn.utils.clip_grad_norm_(self._model.parameters, 1.0)
        optimizer.step()
        self._told.report(f"Training, epoch {epoch + 1}, loss {loss.item():.3f}", (number + 1) / self._steps)

    def _divided(self, epoch: int) -> list[list[int]]:
        """The examples of an epoch by step: in a new order, those of like length together."""
        drawn = random.Random(f"{self._course.seed} {epoch}")  # noqa: S311 - no secret
        order = drawn.sample(range(len(self._learnt)), len(self._learnt))
        size, pool = self._course.batch, self._course.batch * POOL
        batches = [
            alike[start : start + size]
            for first in range(0, len(order), pool)
            for alike in [sorted(order[first : first + pool], key=lambda position: self._learnt[position].length)]
            for start in range(0, len(alike), size)
        ]
        drawn.shuffle(batches)
        return batches

    @torch.no_grad()
    def _look(self, state: _State) -> None:
        """Notes the loss on the held-out conversations, and keeps the weights if it is the best so far."""
        self._told.report("Looking at the held-out conversations …", (state.step or 1) / self._steps)
        batches = [self._held[start : start + 16] for start in range(0, len(self._held), 16)]
        each = [self._lesson.losses(self._model, batch) for batch in batches]
        state.losses.append(float(sum(one.total.item() for one in each) / sum(one.tokens for one in each)))
        best = state.best_look == len(state.losses) - 1
        if best and state.step:
            state.best = self._model.weights()
        done = f"step {state.step} of {self._steps}: loss on held-out conversations {state.losses[-1]:.4f}"
        self._told.note(f"{done}, the best so far" if best and state.step else done)

    def _taken_up(self, checkpoints: Checkpoints, optimizer: torch.optim.Optimizer) -> _State:
        found = checkpoints.load()
        if found is None:
            return _State()
        self._model.take(cast("Weights", found["model"]))
        optimizer.load_state_dict(cast("dict[str, object]", found["optimizer"]))
        self._told.note(f"Going on after step {found['step']}.")
        return _State(cast("int", found["step"]), cast("list[float]", found["losses"]), cast("Weights", found["best"]))

    def _save(self, checkpoints: Checkpoints, state: _State, optimizer: torch.optim.Optimizer) -> None:
        parts = {name.name: getattr(state, name.name) for name in fields(state)}
        checkpoints.save(parts | {"model": self._model.weights(), "optimizer": optimizer.state_dict()})


def _length(encoded: Any) -> int:
    return int(encoded.length)


def _warmth(step: int, steps: int) -> float:
    """The share of the rate of learning at this step."""
    warm = max(1, round(WARM_UP * steps))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def _save(model: TunedModel, out: Path, card: str) -> None:
    """Writes the folder in one move: one that is there is whole."""
    unfinished = out.with_name(f"{out.name}.unfinished")
    try:
        rmtree(unfinished, ignore_errors=True)
        model.save(unfinished)
        (unfinished / "README.md").write_text(card, encoding="utf-8")
        if out.exists():
            out.rmdir()
        unfinished.rename(out)
    except OSError as error:
        raise BadInput(f"{out} cannot be written ({error.strerror or error}). Choose another with --out.") from None
