"""Folders of models that the hub's client keeps, for transformers."""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

from bot.config import Model
from bot.llm.files import problem_with_files
from bot.llm.hub import quiet_hub


def hub_cache(settings: Model) -> Path:
    """Where the hub's client keeps the models for transformers."""
    return settings.cache_dir.expanduser() / "hub"


def cached_snapshot(name: str, settings: Model) -> Path | None:
    """The folder of a hub model that was downloaded whole; None when it was not."""
    quiet_hub()
    try:
        folder = Path(snapshot_download(name, cache_dir=hub_cache(settings), local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        return None
    return None if problem_with_files(folder) else folder
