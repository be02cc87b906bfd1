"""Whether llama.cpp runs the model that the settings name, and which file that is. Takes neither torch nor a GPU."""

import importlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm.adapter_files import adapter_places
from bot.llm.admission import Admission
from bot.llm.catalogue import digest_of
from bot.llm.gguf_files import read_gguf
from bot.llm.gguf_lora import converted
from bot.llm.llama_cpp import LlamaCppChatModel, load_llama_cpp_model
from bot.llm.models import AUTO, describe_choice
from bot.ports import Report, quietly


@dataclass(frozen=True, slots=True)
class GgufChoice:
    """A GGUF model that llama.cpp should run."""

    id: str
    """As the adapters know it: "bundled", a name of the catalogue, a path …"""
    file: Path
    name: str


def choose_gguf(settings: Model, progress: Report = quietly) -> GgufChoice | None:
    """The GGUF file that `settings` stand for, downloaded where they name one that is not here; None: another engine.

    Blocks. Raises ModelUnavailable when the file cannot be used, or the settings contradict each other.
    """
    plan = describe_choice(settings)
    if plan.engine != "llama.cpp":
        return None
    if plan.problem:
        raise ModelUnavailable(plan.problem)
    if settings.id == AUTO:
        progress(f"{plan.title}: {plan.choice.reason}")
    if plan.place is not None:
        return GgufChoice(plan.choice.id, plan.place, plan.title)
    fetching = importlib.import_module("bot.llm.fetching")  # brings the hub's client
    return GgufChoice(plan.choice.id, fetching.fetch_named(plan.choice.id, settings, progress), plan.title)


async def load_gguf(
    choice: GgufChoice,
    settings: Model,
    progress: Report = quietly,
    *,
    seed: int | None = None,
    states_of: Collection[str] = (),
    admission: Admission | None = None,
) -> LlamaCppChatModel:
    """Loads what was chosen, with the adapters that the settings name (`load_llama_cpp_model`).

    `states_of`: the digests of the files whose hidden states somebody has a use for. `admission`: of the model with
    which it takes turns.
    """
    places = adapter_places(settings, choice.id)
    adapters = converted(places, read_gguf(choice.file), settings.cache_dir) if places else {}
    digest = digest_of(choice.file)
    progress(f"Loading {choice.name} …")
    return await load_llama_cpp_model(
        settings,
        choice.file,
        choice.name,
        adapters=adapters,
        seed=seed,
        digest=digest if digest in states_of else "",
        admission=admission,
    )
