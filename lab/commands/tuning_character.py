"""`lab tune character`: the classifiers of personality types."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from bot.config import Settings
from bot.llm.embedding import load_encoder
from lab.tuning.character import train


async def tune_character(settings: Settings, data: Path, out: Path, seed: int) -> int:
    """Trains with the encoder that the settings name, and prints the report. Raises BadInput or ModelUnavailable."""
    encoder = await load_encoder(settings.encoder)
    try:
        report = await train(data, encoder, out, seed)
    finally:
        await encoder.aclose()
    Console(highlight=False, soft_wrap=True).print(str(report), markup=False)
    return 0
