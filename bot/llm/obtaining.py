"""A planned model's files for transformers: prepared or downloaded where needed. Loaded late: it brings torch."""

from pathlib import Path

from huggingface_hub import snapshot_download

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm.bundled import prepare_bundled
from bot.llm.choosing import BUNDLED, precision
from bot.llm.files import problem_with_files
from bot.llm.hub import HUB_ERRORS, hub_cache, hub_sentence
from bot.llm.models import ModelPlan, damaged
from bot.ports import Report

HUB_FILES = ("*.json", "*.safetensors", "*.model", "*.jinja", "*.txt")


def obtain(plan: ModelPlan, settings: Model, progress: Report, *, afresh: bool = False) -> Path:
    """The folder with the files of `plan`'s model: prepares or downloads them where needed. Blocks.

    Raises ModelUnavailable. `afresh` prepares the bundled model again even when its files look whole.
    """
    if plan.problem:
        raise ModelUnavailable(plan.problem)
    if plan.choice.id == BUNDLED:
        return prepare_bundled(settings.cache_dir, precision(settings, BUNDLED, plan.device), progress, afresh=afresh)
    if plan.place is not None:
        return plan.place
    progress(f"Downloading {plan.choice.id} to {hub_cache(settings)} (once).")
    try:
        folder = Path(snapshot_download(plan.choice.id, cache_dir=hub_cache(settings), allow_patterns=list(HUB_FILES)))
    except HUB_ERRORS as error:
        raise ModelUnavailable(
            f"{hub_sentence(error, plan.choice.id)} Or set model.id to bundled or to a folder."
        ) from error
    if problem := problem_with_files(folder):
        raise ModelUnavailable(damaged(plan.choice.id, folder, problem))
    return folder
