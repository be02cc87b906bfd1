"""`lab tune` and `lab evaluate`: the parts that learn, trained and measured."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from bot.config import Settings
from bot.errors import BadInput
from bot.llm.embedding import load_encoder
from bot.persona.gate import TrainedTraitGate
from lab.evaluation import channel, replies, topics, traits
from lab.tuning import danger, finding, grave, privacy, trait_gate


async def tune_trait_gate(settings: Settings, data: Path, out: Path | None, seed: int) -> int:
    """Trains the trait gate and prints the report."""
    encoder = await load_encoder(settings.encoder)
    try:
        report = await trait_gate.train(data, encoder, out, seed)
    finally:
        await encoder.aclose()
    Console(highlight=False, soft_wrap=True).print(str(report), markup=False)
    return 0


async def tune_danger(_settings: Settings, data: Path, out: Path | None, seed: int) -> int:
    """Trains the net that hears danger and prints the report."""
    report = danger.train(data, out=out, seed=seed)
    Console(highlight=False, soft_wrap=True).print(str(report), markup=False)
    return 0


async def tune_grave(_settings: Settings, data: Path, out: Path | None, seed: int) -> int:
    """Trains the net that hears what is grave and prints the report."""
    Console(highlight=False, soft_wrap=True).print(str(grave.train(data, out=out, seed=seed)), markup=False)
    return 0


async def tune_privacy(_settings: Settings, data: Path, out: Path | None, seed: int) -> int:
    """Trains the net that hears questions of privacy and prints the report."""
    Console(highlight=False, soft_wrap=True).print(str(privacy.train(data, out=out, seed=seed)), markup=False)
    return 0


async def tune_finding(settings: Settings, out: Path | None, seed: int) -> int:
    """Trains the net that finds answers and prints the report. Raises BadInput."""
    encoder = await load_encoder(settings.encoder)
    try:
        report = await finding.train(encoder, out, seed)
    finally:
        await encoder.aclose()
    Console(highlight=False, soft_wrap=True).print(str(report), markup=False)
    return 0


async def evaluate_trait_gate(settings: Settings, data: Path) -> int:
    """Prints the shipped gate's figures, with the encoder's vectors and without."""
    console = Console(highlight=False, soft_wrap=True)
    encoder = await load_encoder(settings.encoder)
    try:
        for name, fingerprint in (("with the encoder", encoder.fingerprint), ("words alone", "another encoder")):
            gate = TrainedTraitGate.load(fingerprint=fingerprint)
            console.print(f"{name}: {await traits.evaluate(data, gate, encoder)}", markup=False)
    finally:
        await encoder.aclose()
    return 0


async def evaluate_topics(_settings: Settings, data: Path) -> int:
    """Prints the comparison of topic extractors."""
    Console(highlight=False, soft_wrap=True).print(topics.as_text(topics.measure(data)), markup=False)
    return 0


async def evaluate_replies(data: Path, most: int, alarms: int) -> int:
    """Prints how often the checks of replies are wrong. Raises BadInput when there are no data."""
    report = replies.as_text([*replies.human(data, most), *replies.written()], replies.labelled(), alarms=alarms)
    Console(highlight=False, soft_wrap=True).print(report, markup=False)
    return 0


async def evaluate_channel(settings: Settings, data: Path, out: Path | None) -> int:
    """Prints how often what is answered in a channel is in the prompt; writes JSON to `out`. Raises BadInput."""
    report = await channel.measure(data, settings)
    Console(highlight=False, soft_wrap=True).print(channel.as_text(report), markup=False)
    if out is not None:
        _write(out, channel.as_json(report))
    return 0


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None
