"""Keeps the model libraries off the console, and keeps them from reporting to anyone."""

from functools import partial

from tqdm import tqdm
from transformers import modeling_gguf_pytorch_utils as gguf_reading
from transformers.utils import logging as transformers_logging

from bot.llm.hub import quiet_hub, quiet_logger

CHATTY = ("ContinuousBatchingLogger", "bitsandbytes", "accelerate")


def quiet_libraries() -> None:
    """Switches telemetry, progress bars and the chatter of the model libraries off, for this process.

    Errors still reach the root logger, in this program's own format. Safe to call more than once.
    """
    quiet_hub()
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # not annotated in transformers
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # not annotated in transformers
    transformers_logging.disable_default_handler()
    transformers_logging.enable_propagation()
    gguf_reading.tqdm = partial(tqdm, disable=True)  # type: ignore[attr-defined,assignment]  # a bar without a switch
    for name in CHATTY:
        quiet_logger(name)
