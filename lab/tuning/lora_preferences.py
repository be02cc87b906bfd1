"""Replies that were read and marked: an adapter learns which of its own it should have said.

Learning from what people wrote teaches a small model a tone that its understanding does not carry: it answers like a
friend, beside the point. So readers who did not know how they came about marked several replies of its own to each
line, and it learns to prefer the better of two: direct preference optimization (Rafailov et al. 2023). The written
reply is learnt beside it, which keeps pairs from being won by making both less likely (Pang et al. 2024). What DPO
calls the reference is what llama.cpp gave each reply when it said it.

A conversation is read once for all replies to all its lines. They hang on it like branches: each sees the conversation
up to where it begins, and itself. That is a sixth of the tokens of reading each with its own prompt.

The file of marked replies is JSON lines, a conversation each, as `Marked` has it. `lab tune candidates` writes it
without marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from torch import Tensor
from torch.nn.functional import logsigmoid

from bot.domain import Skill
from bot.errors import BadInput
from lab.tuning.lora_data import Draw, Example, Material, whole_conversation
from lab.tuning.lora_model import Encoded, Losses, TunedModel

NAME = "conversations written for this project, with replies of the model's own that were read and marked"
WRITTEN = 0.3
"""How much the written replies' loss a token counts beside that of the pairs."""
ALIKE = 2
"""Replies to a line with the same mark that are learnt from, at most: those that the model is likeliest to say."""
LOOKED_AT = 5
"""Conversations to choose by: looking at one takes a third of the time that learning from it does."""
BETA = 0.2
"""DPO's β: how far from what it was the model may go to win a pair."""


class Candidate(BaseModel):
    """A reply of the model's. `likelihood`: its logarithm when it was said.

    `mark`: 0 for a reply that nobody should get, 1 for one that will do, 2 for a good one; None until it was read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    likelihood: float = Field(le=0)
    mark: int | None = Field(default=None, ge=0, le=2)


class Turn(BaseModel):
    """What was said, the reply that was written to it, and those of the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    said: str
    reply: str
    others: tuple[Candidate, ...] = ()


class Marked(BaseModel):
    """A conversation with marked replies."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    system: str
    turns: tuple[Turn, ...] = Field(min_length=1)


class Branch(NamedTuple):
    """A reply that hangs on a conversation."""

    turn: int
    tokens: tuple[int, ...]
    """With the one that ends a reply."""
    at: int
    """The place in the conversation where it begins."""
    likelihood: float
    mark: int


class Tree(NamedTuple):
    """A conversation in tokens, and the replies that hang on it."""

    trunk: Encoded
    branches: tuple[Branch, ...]

    @property
    def length(self) -> int:
        """Tokens of the conversation alone."""
        return self.trunk.length

    @property
    def tokens(self) -> list[int]:
        """Those of the conversation, then those of each branch."""
        return [*self.trunk.tokens, *(token for branch in self.branches for token in branch.tokens)]

    @property
    def places(self) -> Tensor:
        """The position of each token: a branch's go on from where it begins. Shape (1, tokens)."""
        own = [torch.arange(branch.at, branch.at + len(branch.tokens)) for branch in self.branches]
        return torch.cat([torch.arange(self.trunk.length), *own])[None]

    @property
    def sees(self) -> Tensor:
        """Which token sees which, shape (1, 1, tokens, tokens)."""
        size, start = len(self.tokens), self.trunk.length
        mask = torch.ones(size, size, dtype=torch.bool).tril()
        for branch in self.branches:
            end = start + len(branch.tokens)
            mask[start:end, branch.at : start] = False
            start = end
        return mask[None, None]


def read_marked(path: Path) -> list[Marked]:
    """The conversations of a file. Raises BadInput."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return [Marked.model_validate_json(line) for line in lines if line.strip()]
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(f"{path} holds no marked replies ({reason}). See {__name__} for its form.") from None


@dataclass(frozen=True, slots=True)
class MarkedReplies:
    """How the conversations of a file are learnt, by the name of each."""

    conversations: Mapping[str, Marked]

    @classmethod
    def read(cls, path: Path) -> MarkedReplies:
        """Those of a file. Raises BadInput."""
        return cls({one.name: one for one in read_marked(path)})

    def material(self, draw: Draw) -> Material:
        """The conversations as examples. Raises BadInput."""
        made = [
            whole_conversation(one.name, one.system, [(turn.said, turn.reply) for turn in one.turns])
            for one in self.conversations.values()
        ]
        train, held = draw.divided(made, lambda one: one.conversation)
        return Material(Skill.GENERATOR, NAME, tuple(train), tuple(held[:LOOKED_AT]), draw.to_measure(held))

    def encode(self, model: TunedModel, example: Example) -> Tree:
        """The conversation with the replies of those turns in which one is better than another."""
        trunk = model.encode(example)
        starts = [at for at, learnt in enumerate(trunk.learnt) if learnt and not trunk.learnt[at - 1]]
        branches = [
            Branch(number, tuple(model.reply_tokens(one.text)), at, one.likelihood, mark)
            for number, (turn, at) in enumerate(
                zip(self.conversations[example.conversation].turns, starts, strict=True)
            )
            for mark, one in _unlike(turn)
        ]
        return Tree(trunk, tuple(branches))

    def losses(self, model: TunedModel, batch: Sequence[Tree]) -> Losses:
        """The loss of each conversation: of its written replies, a token, and of its pairs. Counted by conversation."""
        return Losses(torch.stack([self._loss(model, tree) for tree in batch]).sum(), len(batch))

    def _loss(self, model: TunedModel, tree: Tree) -> Tensor:
        before = [at - 1 for at, one in enumerate(tree.trunk.learnt) if one]
        start = tree.length
        for branch in tree.branches:
            end = start + len(branch.tokens)
            before += [branch.at - 1, *range(start, end - 1)]
            start = end
        said = [*tree.trunk.answer, *tree.tokens[tree.length :]]
        gained = model.likelihoods(tree.tokens, before, said, position_ids=tree.places, attention_mask=tree.sees)
        sizes = [len(tree.trunk.answer), *(len(branch.tokens) for branch in tree.branches)]
        written, *others = torch.split(gained, sizes)
        loss = -WRITTEN * written.mean()
        pairs = preference_loss(tree.branches, torch.stack([one.sum() for one in others])) if others else None
        return loss if pairs is None else loss + pairs


def _unlike(turn: Turn) -> list[tuple[int, Candidate]]:
    """The likeliest replies of each mark, the mark before each; none where all have one mark."""
    marks = sorted({one.mark for one in turn.others if one.mark is not None})
    if len(marks) < 2:  # noqa: PLR2004 - a better one and a worse one
        return []
    likeliest = sorted(turn.others, key=lambda one: -one.likelihood)
    return [(mark, one) for mark in marks for one in [each for each in likeliest if each.mark == mark][:ALIKE]]


def preference_loss(branches: Sequence[Branch], likelihoods: Tensor) -> Tensor | None:
    """DPO's loss over all pairs of a turn that have different marks: the mean of its pairs, and of the turns.

    `likelihoods`: the logarithms of the branches' likelihoods now, shape (branches,). None where there is no pair.
    """
    gains = likelihoods - likelihoods.new_tensor([branch.likelihood for branch in branches])
    by_turn: dict[int, list[Tensor]] = {}
    for one, other in combinations(range(len(branches)), 2):
        first, second = branches[one], branches[other]
        if first.turn != second.turn or first.mark == second.mark:
            continue
        won, lost = (one, other) if first.mark > second.mark else (other, one)
        by_turn.setdefault(first.turn, []).append(-logsigmoid(BETA * (gains[won] - gains[lost])))
    return torch.stack([torch.stack(losses).mean() for losses in by_turn.values()]).mean() if by_turn else None
