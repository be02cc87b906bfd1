"""`lab tune`: the parts that learn, trained. Each command loads what it needs late."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.options import ConfigOption, DataDirOption, settings_of
from bot.errors import BadInput
from lab.cli.options import DataOption, JsonOption, SeedOption, StatesOption, WeightsOption, finish

tune = typer.Typer(no_args_is_help=True, help="Training of the parts that can be trained.")


def _train(name: str, data: Path, out: Path | None, seed: int, config: Path | None) -> None:
    """Does the training of this name in `lab.commands.measure`."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.measure")
        return int(await getattr(module, name)(settings_of(config), data, out, seed))

    finish(work())


def _train_voice(name: str, data: Path, out: Path | None, states: Path | None, seed: int, config: Path | None) -> None:
    """Does the training of this name in `lab.commands.voices`."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.voices")
        return int(await getattr(module, name)(settings_of(config), data, out, states, seed))

    finish(work())


@tune.command("trait-gate")
def tune_trait_gate(
    data: DataOption,
    out: WeightsOption = None,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train the classifier that decides whether an utterance carries a trait, on MSC persona data."""
    _train("tune_trait_gate", data, out, seed, config)


@tune.command("danger")
def tune_danger(
    data: DataOption,
    out: WeightsOption = None,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train the net that hears danger beside the rules, on the project's sentences and ordinary conversation."""
    _train("tune_danger", data, out, seed, config)


@tune.command("grave")
def tune_grave(
    data: DataOption,
    out: WeightsOption = None,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train the net that hears what is grave beside the lists, on the project's lines and ordinary conversation."""
    _train("tune_grave", data, out, seed, config)


@tune.command("privacy")
def tune_privacy(
    data: DataOption,
    out: WeightsOption = None,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train the net that hears questions about what is kept and who sees it, on the project's lines and chat."""
    _train("tune_privacy", data, out, seed, config)


@tune.command("finding")
def tune_finding(out: WeightsOption = None, seed: SeedOption = 0, config: ConfigOption = None) -> None:
    """Train the net that finds which of the things that were told answers a question, on the project's chats."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.measure")
        return int(await module.tune_finding(settings_of(config), out, seed))

    finish(work())


@tune.command("danger-voice")
def tune_danger_voice(
    data: DataOption,
    out: WeightsOption = None,
    states: StatesOption = None,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train how the model's hidden states are read for danger, where the net is in doubt; reads for tens of minutes."""
    _train_voice("tune_danger_voice", data, out, states, seed, config)


@tune.command("grave-voice")
def tune_grave_voice(
    data: DataOption,
    out: WeightsOption = None,
    states: StatesOption = None,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train how the model's hidden states are read for what is grave, where no list hears it; reads for a while."""
    _train_voice("tune_grave_voice", data, out, states, seed, config)


@tune.command("retriever")
def tune_retriever(
    out: Annotated[Path, typer.Option("--out", help="The folder to write; encoder.id can name it then.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of a data set.", exists=True, file_okay=False)
    ] = None,
    layout: Annotated[str, typer.Option("--layout", help="What --data holds: locomo or msc.")] = "locomo",
    own: Annotated[bool, typer.Option("--own", help="Train on what people said here instead.")] = False,
    epochs: Annotated[int, typer.Option("--epochs", help="Times that everything is gone over, at most.", min=1)] = 5,
    steps: Annotated[int | None, typer.Option("--steps", help="Steps at most.", min=1)] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Triplets at most.", min=1)] = None,
    blend: Annotated[
        float | None,
        typer.Option("--blend", help="Share of the trained weights (else the best one is found).", min=0, max=1),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", help="Triplets a step.", min=1)] = 16,
    margin: Annotated[float, typer.Option("--margin", help="The loss's ε.", min=0.01, max=2)] = 0.3,
    seed: SeedOption = 0,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Train the text encoder to find contexts of past dialogues; stopped, it goes on where it was."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.tuning")
        course = module.Course(epochs, batch, margin=margin, seed=seed, steps=steps, limit=limit, blend=blend)
        wanted = module.Wanted(out, data, layout, own, course)
        return int(await module.tune_retriever(settings_of(config, data_dir), wanted))

    finish(work())


@tune.command("recall")
def tune_recall(
    data: DataOption,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Fit the weights of `memory.fused` on LoCoMo, and say how they do on conversations they have not seen."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.tuning_recall")
        return int(await module.tune_recall(settings_of(config), data, out))

    finish(work())


@tune.command("token-basis")
def tune_token_basis(
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the directions go (default: the shipped file).")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Make the directions that token vectors are kept in anew, from the bundled encoder."""

    async def work() -> int:
        settings_of(config)
        return int(await importlib.import_module("lab.commands.tuning_basis").tune_token_basis(out))

    finish(work())


@tune.command("character")
def tune_character(
    data: Annotated[
        Path, typer.Option("--data", help="A CSV file with the columns type and posts, or its folder.", exists=True)
    ],
    out: Annotated[Path, typer.Option("--out", help="The file to write; care.character_weights can name it then.")],
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train the classifiers of personality types on people's posts, and say how weak a signal they are."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.tuning_character")
        return int(await module.tune_character(settings_of(config), data, out, seed))

    finish(work())


def _with_peft(name: str) -> Any:
    """A module that trains adapters. Raises BadInput."""
    if find_spec("peft") is None:
        raise BadInput('Training adapters needs the package peft: pip install -e ".[lab]"')
    importlib.import_module("bot.llm.quiet").quiet_libraries()  # before PEFT is imported: it is chatty then
    return importlib.import_module(name)


BeginOption = Annotated[
    Path, typer.Option("--begin", help="The adapter's folder to begin with.", exists=True, file_okay=False)
]
ShareOption = Annotated[float, typer.Option("--share", help="How much of that adapter is added.", min=0, max=1)]


@tune.command("candidates")
def tune_candidates(
    written: Annotated[
        Path, typer.Option("--written", help="The folder of conversations in YAML.", exists=True, file_okay=False)
    ],
    begin: BeginOption,
    out: Annotated[Path, typer.Option("--out", help="The file of JSON lines to write or to add to.")],
    share: ShareOption = 1.0,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Have the model answer written conversations several times over, for somebody to mark its replies."""

    async def work() -> int:
        module = importlib.import_module("lab.commands.tuning_preferences")
        beginning = module.Beginning(begin, share)
        return int(await module.tune_candidates(settings_of(config), written, out, beginning, seed))

    finish(work())


@tune.command("preferences")
def tune_preferences(
    marked: Annotated[
        Path, typer.Option("--marked", help="The file of `tune candidates`, with marks.", exists=True, dir_okay=False)
    ],
    begin: BeginOption,
    out: Annotated[Path, typer.Option("--out", help="The folder to write; model.adapters can name it then.")],
    share: ShareOption = 1.0,
    epochs: Annotated[int, typer.Option("--epochs", help="Times that all is gone over, at most.", min=1)] = 1,
    batch: Annotated[int, typer.Option("--batch", help="Conversations a step.", min=1)] = 2,
    rank: Annotated[int, typer.Option("--rank", help="Rank of the adapter's matrices.", min=1, max=256)] = 8,
    lr: Annotated[float, typer.Option("--lr", help="The rate of learning.", min=1e-7, max=0.1)] = 2e-4,
    layers: Annotated[
        int | None, typer.Option("--layers", help="The last so many layers that it is on.", min=1)
    ] = None,
    measure: Annotated[int, typer.Option("--measure", help="Unseen examples to measure on.", min=1)] = 8,
    seed: SeedOption = 0,
    config: ConfigOption = None,
) -> None:
    """Train an adapter of the local model to prefer the better ones of its own replies, by marks that readers gave."""

    async def work() -> int:
        module = _with_peft("lab.commands.tuning_preferences")
        course = module.Course(epochs, batch, rank, lr, seed, layers, measured=measure)
        beginning = module.Beginning(begin, share)
        return int(await module.tune_preferences(settings_of(config), marked, out, beginning, course))

    finish(work())


SKILLS = {
    "summarizer": "Train the local model to summarise conversations, on DialogSum.",
    "extractor": "Train the local model to find traits in what people say, on MSC persona data.",
    "generator": "Train the local model to reply, on MSC dialogues with the prompts that it gets live.",
}
"""Name of a skill's command → what it says of itself."""


def _tune_skill(skill: str, says: str) -> None:
    """Adds the command that trains the adapter of a skill: all three have the same options."""

    @tune.command(skill, help=f"{says} Stopped, it goes on where it was.")
    def command(
        out: Annotated[Path, typer.Option("--out", help="The folder to write; model.adapters can name it then.")],
        data: Annotated[
            Path | None, typer.Option("--data", help="The folder of the data set.", exists=True, file_okay=False)
        ] = None,
        own: Annotated[
            bool, typer.Option("--own", help="Train on what people here agreed to have remembered instead.")
        ] = False,
        written: Annotated[
            Path | None,
            typer.Option("--written", help="Train a generator on conversations in YAML.", exists=True, file_okay=False),
        ] = None,
        epochs: Annotated[int, typer.Option("--epochs", help="Times that all is gone over, at most.", min=1)] = 3,
        steps: Annotated[int | None, typer.Option("--steps", help="Steps at most.", min=1)] = None,
        limit: Annotated[int | None, typer.Option("--limit", help="Examples at most.", min=1)] = None,
        batch: Annotated[int, typer.Option("--batch", help="Examples a step.", min=1)] = 16,
        rank: Annotated[int, typer.Option("--rank", help="Rank of the adapter's matrices.", min=1, max=256)] = 8,
        lr: Annotated[float, typer.Option("--lr", help="The rate of learning.", min=1e-7, max=0.1)] = 1e-3,
        layers: Annotated[
            int | None, typer.Option("--layers", help="Train the last so many layers alone: quicker on a CPU.", min=1)
        ] = None,
        measure: Annotated[int, typer.Option("--measure", help="Unseen examples to measure on.", min=1)] = 200,
        seed: SeedOption = 0,
        config: ConfigOption = None,
        data_dir: DataDirOption = None,
    ) -> None:
        async def work() -> int:
            module = _with_peft("lab.commands.tuning_lora")
            course = module.Course(epochs, batch, rank, lr, seed, layers, steps, limit, measure)
            wanted = module.Wanted(module.Skill(skill), out, data, own, course, written)
            return int(await module.tune_skill(settings_of(config, data_dir), wanted))

        finish(work())


for name, says in SKILLS.items():
    _tune_skill(name, says)
