"""The model hub as this program uses it: quiet, asked for a moment only, its errors as sentences."""

import logging
import os
from pathlib import Path

import httpx2
from huggingface_hub import constants as hub_constants
from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils.tqdm import disable_progress_bars

from bot.config import Model
from bot.llm.files import problem_with_files

HUB_TIMEOUT_S = 5.0
"""Seconds after which a hub counts as out of reach."""
TELEMETRY_OFF = ("HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
HUB_ERRORS = (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, httpx2.HTTPError, OSError)
"""All that the hub's client raises when a model cannot be had. It speaks through httpx2, not httpx."""


def quiet_hub() -> None:
    """Switches the hub client's telemetry, progress bars and chatter off, for this process. Safe to call twice."""
    for name in TELEMETRY_OFF:
        os.environ[name] = "1"
    hub_constants.HF_HUB_DISABLE_TELEMETRY = True
    disable_progress_bars()
    quiet_logger("huggingface_hub")


def quiet_logger(name: str) -> None:
    """Has a library log its errors alone, and to the root logger, in this program's own format."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.ERROR)
    logger.handlers.clear()
    logger.propagate = True


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


def hub_sentence(error: Exception, name: str) -> str:
    """Why `name` could not be had from the hub, and what to do, in a sentence or two."""
    if isinstance(error, GatedRepoError):
        return (
            f"{name} is gated: its publisher asks for an account and a licence to be accepted on the hub. "
            "Do that and set HF_TOKEN in the environment, or choose another: `hello-again model list`."
        )
    if isinstance(error, RepositoryNotFoundError | HFValidationError):
        return (
            f"The hub has no model {name} that can be had without an account. "
            "Check the name (model.id), or choose another: `hello-again model list`."
        )
    if isinstance(error, RemoteEntryNotFoundError | RevisionNotFoundError):
        return (
            f"The hub no longer has the file {name}. "
            "Check the name (model.id), or choose another: `hello-again model list`."
        )
    if isinstance(error, HfHubHTTPError):
        return f"The hub refused {name} (status {error.response.status_code}). Try again later."
    return (
        f"{name} is not on this machine, and no model hub is in reach to fetch it from. "
        "Check its name and the connection."
    )
