"""`lab tune token-basis`: the directions that token vectors are kept in."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rich.console import Console

from bot.config import EncoderSettings
from bot.llm.embedding import load_encoder, load_trainable
from lab.tuning.token_basis import BasisReport, write_basis

BUNDLED_ON_CPU = EncoderSettings(id="bundled", device="cpu")
"""Whatever the settings name: the file is the bundled encoder's, and a GPU would give slightly other numbers."""


async def tune_token_basis(out: Path | None) -> int:
    """Writes the file and prints the report. Raises BadInput or ModelUnavailable."""
    encoder = await load_encoder(BUNDLED_ON_CPU)
    await encoder.aclose()
    report = await asyncio.to_thread(_write, encoder.fingerprint, out)
    Console(highlight=False, soft_wrap=True).print(str(report), markup=False)
    return 0


def _write(fingerprint: str, out: Path | None) -> BasisReport:
    """Loads the encoder and computes; blocks for seconds."""
    return write_basis(load_trainable(BUNDLED_ON_CPU), fingerprint, out)
