"""Each request of a packed batch attends to its own past, and to all of it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention
from transformers import AutoConfig, AutoModelForCausalLM, ContinuousBatchingConfig, GenerationConfig, PreTrainedModel
from transformers.generation.continuous_batching.continuous_api import ContinuousMixin

from bot.llm.attention import NAME, PLAIN, flash_works, one_by_one, use_own_attention

SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": 97,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "sliding_window": None,
}
PROMPTS = [
    [5 + (7 * place + 13 * number) % 90 for place in range(length)] for number, length in enumerate((3, 40, 1, 90))
]


def _model(kind: str, **other: object) -> PreTrainedModel:
    torch.manual_seed(3)
    config = AutoConfig.for_model(kind, **(SIZES | other))
    model: PreTrainedModel = AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]  # not annotated
        config, attn_implementation="sdpa", dtype=torch.float32
    )
    return model


def _answers(model: PreTrainedModel) -> list[list[int]]:
    """Greedy answers to all prompts at once, the longest of which comes in pieces."""
    config = ContinuousBatchingConfig(
        page_size=16, num_blocks=40, max_batch_tokens=64, use_cuda_graph=False, use_async_batching=False
    )
    greedy = GenerationConfig(  # type: ignore[no-untyped-call]  # not annotated in transformers
        do_sample=False, max_new_tokens=12, eos_token_id=-1
    )
    assert isinstance(model, ContinuousMixin)
    results = model.generate_batch(PROMPTS, greedy, continuous_batching_config=config)
    return [results[key].generated_tokens for key in sorted(results)]


@given(
    lengths=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 30)), min_size=1, max_size=4),
    shared=st.sampled_from((1, 3)),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=40)
def test_the_same_as_attention_of_each_request_alone(lengths: list[tuple[int, int]], shared: int, seed: int) -> None:
    dice = torch.Generator().manual_seed(seed)
    starts_q, starts_k = [0], [0]
    for asked, past in lengths:
        starts_q.append(starts_q[-1] + asked)
        starts_k.append(starts_k[-1] + asked + past)
    queries = torch.randn((starts_q[-1], 2 * shared, 8), generator=dice)
    keys, values = torch.randn((2, starts_k[-1], 2, 8), generator=dice)
    mixed = one_by_one(queries, keys, values, starts_q, starts_k, 0.3)
    for number, (asked, past) in enumerate(lengths):
        for token in range(asked):
            row, start = starts_q[number] + token, starts_k[number]
            seen = slice(start, start + past + token + 1)
            for head in range(2 * shared):
                k, v = keys[seen, head // shared], values[seen, head // shared]
                weights = (k @ queries[row, head] * 0.3).softmax(0)
                torch.testing.assert_close(mixed[row, head], weights @ v, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", sorted(PLAIN))
def test_a_model_says_the_same_with_it(kind: str) -> None:
    model = _model(kind)
    before = _answers(model)
    assert use_own_attention(model)
    assert model.config._attn_implementation == NAME
    assert _answers(model) == before
    assert len({tuple(answer) for answer in before}) > 1


def test_a_model_that_looks_back_over_a_window_keeps_its_own() -> None:
    model = _model("mistral", sliding_window=16)
    assert not use_own_attention(model)
    assert model.config._attn_implementation == "sdpa"


def test_an_unknown_kind_of_model_keeps_its_own() -> None:
    assert not use_own_attention(_model("gemma"))


def test_where_there_is_no_flash_kernel_it_is_not_used() -> None:
    assert not flash_works(torch.device("cpu"), torch.bfloat16, 64)


def test_what_the_flash_kernel_is_compared_with_is_right() -> None:
    """On a GPU the kernel decides by this comparison whether it is used."""
    queries, keys = torch.randn(3, 2, 8), torch.randn(3, 2, 8)
    expected = scaled_dot_product_attention(
        queries.transpose(0, 1), keys.transpose(0, 1), keys.transpose(0, 1), is_causal=True
    ).transpose(0, 1)
    torch.testing.assert_close(one_by_one(queries, keys, keys, [0, 3], [0, 3], None), expected)
