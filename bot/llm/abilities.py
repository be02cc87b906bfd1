"""What a model of some size can do."""

COMFORT = ((300_000_000, 900), (1_000_000_000, 1500), (3_000_000_000, 3000))
"""(weights under this, tokens of prompt that a model of that size follows well)."""
FOLLOWS_FROM = 1_000_000_000
"""Weights from which structured answers are worth asking for."""


def comfortable_tokens(weights: float, context: int) -> int:
    """The longest prompt that a model of so many weights follows well, within its context."""
    return min(context, next((tokens for limit, tokens in COMFORT if weights < limit), context))


def advice(weights: int, *, on_gpu: bool) -> str:
    """One sentence: what would be better here; empty when nothing would."""
    if weights >= FOLLOWS_FROM and on_gpu:
        return ""
    if on_gpu:
        return "A larger model would talk better: set model.id to auto, or to one that fills the GPU's memory."
    if weights >= FOLLOWS_FROM:
        return "A GPU, or a model server on another machine, would answer many times faster."
    return (
        "It is small: a larger one talks much better, and `hello-again model recommend` says which one suits this "
        "machine."
    )
