"""Marked replies: how they hang on a conversation, what is preferred, and that a model learns it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from bot.config import Model
from bot.errors import BadInput
from bot.llm.loading import load
from lab.tuning.lora_data import Draw
from lab.tuning.lora_model import Encoded, TunedModel
from lab.tuning.lora_preferences import (
    WRITTEN,
    Branch,
    Candidate,
    Marked,
    MarkedReplies,
    Tree,
    Turn,
    preference_loss,
)

SYSTEM = "You are a friend."


def conversation(name: str, *others: tuple[str, float, int | None]) -> Marked:
    candidates = tuple(Candidate(text=text, likelihood=likelihood, mark=mark) for text, likelihood, mark in others)
    turns = (
        Turn(said="I passed!", reply="Well done!", others=candidates),
        Turn(said="Bye now", reply="See you!", others=candidates),
    )
    return Marked(name=name, system=SYSTEM, turns=turns)


MARKED = conversation("a", ("Oh no.", -3.0, 0), ("Hooray!", -4.0, 2), ("Poor you.", -5.0, 0), ("How sad.", -6.0, 0))


@pytest.fixture
def model(model_cache: Path) -> TunedModel:
    """The bundled model in float32, in which many processors read quicker than in bfloat16."""
    loaded = load(Model(id="bundled", device="cpu", cache_dir=model_cache), lambda *_: None)
    exact = loaded.take_model().float()  # type: ignore[no-untyped-call]  # not annotated in transformers
    return TunedModel(replace(loaded, model=exact), rank=1, layers=2, seed=0)


def test_a_branch_sees_the_conversation_up_to_it_and_itself() -> None:
    tree = Tree(Encoded([1, 2, 3, 4], [False, False, True, True]), (Branch(0, (5, 6), 2, -1.0, 0),))
    assert tree.tokens == [1, 2, 3, 4, 5, 6]
    assert tree.places.tolist() == [[0, 1, 2, 3, 2, 3]]
    assert tree.sees[0, 0].int().tolist()[3:] == [[1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 1]]


def test_the_loss_falls_where_the_better_reply_gains() -> None:
    branches = [Branch(0, (1,), 1, -2.0, 2), Branch(0, (2,), 1, -2.0, 0), Branch(1, (3,), 5, -2.0, 1)]
    as_it_was = preference_loss(branches, torch.tensor([-2.0, -2.0, -2.0]))
    better = preference_loss(branches, torch.tensor([-1.0, -3.0, -2.0]))
    assert as_it_was is not None
    assert better is not None
    assert as_it_was.item() == pytest.approx(0.6931, abs=1e-3)
    assert better < as_it_was
    assert preference_loss(branches[1:], torch.tensor([-2.0, -2.0])) is None  # no pair in one turn


def test_the_likeliest_of_each_mark_are_learnt_as_if_each_were_read_alone(model: TunedModel) -> None:
    replies = MarkedReplies({"a": MARKED, "b": conversation("b", ("Hm.", -1.0, 1), ("Eh.", -2.0, None))})
    (first, *_), *_ = [replies.material(Draw()).train]
    tree = replies.encode(model, first)
    if first.conversation == "b":
        assert tree.branches == ()  # all marks are one, so nothing is preferred
        first = next(one for one in replies.material(Draw()).dev)
        tree = replies.encode(model, first)
    said = [model.decoded(branch.tokens) for branch in tree.branches[:3]]
    assert said == ["Oh no.<|im_end|>", "Poor you.<|im_end|>", "Hooray!<|im_end|>"]
    branch, start = tree.branches[0], tree.length
    places = [branch.at - 1, *range(start, start + len(branch.tokens) - 1)]
    with torch.no_grad():
        hung = model.likelihoods(tree.tokens, places, branch.tokens, position_ids=tree.places, attention_mask=tree.sees)
        assert hung.tolist() == pytest.approx(read_alone(model, tree, branch).tolist(), abs=1e-3)
        hanging = replies.losses(model, [tree])
        written = model.losses([tree.trunk])
        alone = torch.stack([read_alone(model, tree, one).sum() for one in tree.branches])
        pairs = preference_loss(tree.branches, alone)
    assert pairs is not None
    expected = WRITTEN * written.total.item() / written.tokens + pairs.item()
    assert hanging.total.item() == pytest.approx(expected, abs=1e-3)
    assert hanging.tokens == 1


def read_alone(model: TunedModel, tree: Tree, branch: Branch) -> torch.Tensor:
    """The logarithms of the likelihoods of a reply's tokens, with its own prompt."""
    alone = [*tree.trunk.tokens[: branch.at], *branch.tokens]
    return model.likelihoods(alone, range(branch.at - 1, len(alone) - 1), branch.tokens)


def test_an_adapter_goes_on_from_another_one(model: TunedModel, tmp_path: Path) -> None:
    model.save(tmp_path / "begun")
    with pytest.raises(BadInput, match="no adapter"):
        model.begin_as(tmp_path, 1.0)
    begun = model.weights()
    model.begin_as(tmp_path / "begun", 0.5)
    halved = model.weights()
    assert all(torch.equal(halved[name], one) for name, one in begun.items() if ".lora_B." in name)  # 0 as yet
    assert halved.keys() == begun.keys()


def test_a_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "marked.jsonl").write_text('{"name": "a", "turns": []}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="holds no marked replies"):
        MarkedReplies.read(tmp_path / "marked.jsonl")
