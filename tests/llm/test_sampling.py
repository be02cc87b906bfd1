"""Each row of a batch is sampled by its own settings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from bot.llm.sampling import PerRequestSampler

VOCABULARY = 2000


def drawn(rows: list[tuple[float, float]], scores: torch.Tensor, seed: int = 0, times: int = 1) -> list[list[int]]:
    sampler = PerRequestSampler(torch.device("cpu"), seed)
    requests: list[Any] = [
        SimpleNamespace(
            has_new_token=True,
            state=SimpleNamespace(logit_processor_kwargs={"temperature": temperature, "top_p": top_p}),
        )
        for temperature, top_p in rows
    ]
    storage = torch.zeros((2, len(rows)), dtype=torch.int32)
    sampler.prepare_tensor_args(requests, storage)
    tokens = torch.zeros(len(rows), dtype=torch.int64)
    return [sampler(tokens, scores.clone(), storage).argmax(dim=1).tolist() for _ in range(times)]


def test_greedy_takes_the_first_of_a_tie_every_time_also_beside_sampled_rows() -> None:
    scores = torch.zeros((2, VOCABULARY))
    scores[0, [7, 900]] = 5.0
    assert {row[0] for row in drawn([(0.0, 1.0), (1.0, 1.0)], scores, times=50)} == {7}
    assert drawn([(0.0, 1.0), (0.0, 1.0)], scores) == [[7, 0]]


def test_samples_follow_the_softmax() -> None:
    probabilities = torch.tensor([0.6, 0.3, 0.1])
    scores = torch.full((1, VOCABULARY), -50.0)
    scores[0, :3] = probabilities.log()
    counts = torch.bincount(torch.tensor(drawn([(1.0, 1.0)], scores, times=4000)).flatten(), minlength=3) / 4000
    assert torch.allclose(counts[:3], probabilities, atol=0.03)


def test_top_p_keeps_the_nucleus_only() -> None:
    scores = torch.full((1, VOCABULARY), -50.0)
    scores[0, :3] = torch.tensor([0.6, 0.3, 0.1]).log()
    assert {row[0] for row in drawn([(1.0, 0.5)], scores, times=200)} == {0}
    assert {row[0] for row in drawn([(1.0, 0.7)], scores, times=200)} == {0, 1}


def test_a_low_temperature_sharpens_and_seeds_repeat() -> None:
    scores = torch.zeros((1, VOCABULARY))
    scores[0, 3] = 1.0
    assert {row[0] for row in drawn([(0.05, 1.0)], scores, times=100)} == {3}
    assert drawn([(1.0, 1.0)], scores, seed=4, times=9) == drawn([(1.0, 1.0)], scores, seed=4, times=9)
