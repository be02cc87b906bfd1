"""The weights files that the program reads, written: what was trained goes into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.conversation.hashed import HashedNet
from bot.language import weights as weights_file
from bot.persona import character, gate


def write_gate(weights: gate.GateWeights, path: Path) -> None:
    """Writes a weights file: float16 arrays, the same bytes for the same weights. Raises OSError."""
    named: dict[str, NDArray[Any]] = {"table": weights.table.astype(np.float16)}
    for width, matrix, bias in zip(gate.WIDTHS, weights.convolutions, weights.convolution_biases, strict=True):
        named[f"convolution_{width}"] = matrix.astype(np.float16)
        named[f"convolution_{width}_bias"] = bias
    named |= {"count_mean": weights.count_mean, "count_scale": weights.count_scale}
    for name, head in (("full", weights.full), ("text_only", weights.text_only)):
        named |= {
            f"{name}_hidden": head.hidden.astype(np.float16),
            f"{name}_hidden_bias": head.hidden_bias,
            f"{name}_output": head.output,
            f"{name}_output_bias": head.output_bias,
            f"{name}_calibration": head.calibration,
        }
    weights_file.write(path, weights.about, gate.FORMAT, named)


def write_character(net: character.CharacterNet, path: Path) -> None:
    """Writes a weights file: the same bytes for the same weights. Raises OSError."""
    weights_file.write(path, net.about, character.FORMAT, {"weights": net.weights, "biases": net.biases})


def write_hashed_net(net: HashedNet, version: int, path: Path) -> None:
    """Writes a weights file: the same bytes for the same weights. Raises OSError."""
    arrays: weights_file.Arrays = {
        "weights": net.weights.astype(np.float16),
        "numbers": np.array([net.bias, net.threshold, net.firmer], dtype=np.float32),
    }
    weights_file.write(path, net.about, version, arrays)
