"""What reads hidden states of the model that talks: `lab tune danger-voice`, `grave-voice`, `lab evaluate safety`."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.console import Console

from bot.config import Settings
from bot.conversation.danger_voice import voice_for
from bot.errors import BadInput
from lab.evaluation import safety
from lab.evaluation.voice_states import KeptStates, open_states
from lab.tuning import danger_voice, grave_voice

Train = Callable[[KeptStates, Path, Path | None, int], Awaitable[object]]


async def tune_danger_voice(settings: Settings, data: Path, out: Path | None, kept: Path | None, seed: int) -> int:
    """Trains how the model's hidden states are read for danger, and prints the report."""
    return await _tune(danger_voice.train, settings, data, out, kept, seed)


async def tune_grave_voice(settings: Settings, data: Path, out: Path | None, kept: Path | None, seed: int) -> int:
    """Trains how the model's hidden states are read for what is grave, and prints the report."""
    return await _tune(grave_voice.train, settings, data, out, kept, seed)


async def _tune(train: Train, settings: Settings, data: Path, out: Path | None, kept: Path | None, seed: int) -> int:
    console = Console(highlight=False, soft_wrap=True)
    batch = importlib.import_module("lab.tuning.batch_states")  # it brings torch
    states = KeptStates(batch.load_batch_states(settings.model, console.print), kept, console.print)
    report = await train(states, data, out, seed)
    states.save()
    console.print(str(report), markup=False)
    return 0


async def evaluate_safety(
    settings: Settings, path: Path | None, errors: int, as_json: bool, data: Path | None, kept: Path | None
) -> int:
    """Prints all figures twice: by rules and net alone, and with the configured model as a second ear."""
    async with open_states(settings, kept, Console(stderr=True).print) as states:
        voice = voice_for(states)
        if voice is None:
            raise BadInput("There are no weights for this model: `python -m lab tune danger-voice` makes them.")
        return await safety.run(path, errors, as_json, data, voice)
