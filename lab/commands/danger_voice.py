"""`lab tune danger-voice` and `lab evaluate safety`, which may ask the model that talks."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from bot.config import Settings
from bot.conversation.danger_voice import voice_for
from bot.errors import BadInput
from lab.evaluation import safety
from lab.evaluation.voice_states import open_states
from lab.tuning import danger_voice


async def tune_danger_voice(settings: Settings, data: Path, out: Path | None, kept: Path | None, seed: int) -> int:
    """Trains the reading of the model's hidden states and prints the report."""
    console = Console(highlight=False, soft_wrap=True)
    async with open_states(settings, kept, console.print) as states:
        report = await danger_voice.train(states, data, out, seed)
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
