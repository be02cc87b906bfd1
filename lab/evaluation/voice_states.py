"""Hidden states that are read once and kept in a file: reading some thousand texts takes most of the time of a run."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bot.config import Settings
from bot.domain import ChatMessage
from bot.errors import BadInput
from bot.llm.catalogue import digest_of
from bot.llm.gguf_choice import choose_gguf, load_gguf
from bot.llm.scripted import ScriptedChatModel
from bot.ports import HiddenStates, Vector

PATIENCE = timedelta(minutes=10)
"""How long one text may take, on however busy a machine."""
SAVED_EVERY = 320
"""States after which the file is written anew."""


@runtime_checkable
class ReadsMany(Protocol):
    """What reads many prompts at once."""

    def read_many(self, prompts: Sequence[Sequence[ChatMessage]], opening: str) -> Iterator[tuple[int, Vector]]:
        """Position and state of each prompt, in any order."""


class KeptStates:
    """`HiddenStates` of a model, in a file beside it. Waits for each as long as it takes."""

    def __init__(self, model: HiddenStates, file: Path | None, say: Callable[[str], None]) -> None:
        """`file` holds what was read before, and everything afterwards (`save`); None: nothing is kept.

        Raises BadInput when it holds something else.
        """
        self.model_digest = model.model_digest
        self._model = model
        self._file = file
        self._say = say
        self._known = _read(file) if file is not None and file.exists() else {}
        self._new = 0

    async def hidden_state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
        """See `HiddenStates.hidden_state`."""
        key = key_of(self.model_digest, messages, opening)
        if key not in self._known:
            self._keep(key, await self._model.hidden_state(messages, opening, max(deadline, PATIENCE)))
        return self._known[key]

    async def states_of(self, prompts: Sequence[Sequence[ChatMessage]], opening: str) -> NDArray[np.float32]:
        """The states of many prompts, a row each: read together where the model can."""
        keys = [key_of(self.model_digest, prompt, opening) for prompt in prompts]
        unread = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in self._known}
        if isinstance(self._model, ReadsMany):
            new = list(unread)
            for at, state in self._model.read_many(list(unread.values()), opening):
                self._keep(new[at], state)
        return np.array([await self.hidden_state(prompt, opening, PATIENCE) for prompt in prompts], dtype=np.float32)

    def _keep(self, key: str, state: Vector) -> None:
        self._known[key] = state
        self._new += 1
        if self._new % SAVED_EVERY == 0:
            self._say(f"{self._new} texts read")
            self.save()

    def save(self) -> None:
        """Writes the file, where there is one and something new."""
        if self._file is None or not self._new:
            return
        making = self._file.with_name(f".{self._file.stem}-{os.getpid()}.npz")
        states = np.array(list(self._known.values()), dtype=np.float32)
        np.savez(making, allow_pickle=False, keys=np.array(list(self._known)), states=states)
        making.replace(self._file)


class OnlyListens(ScriptedChatModel):
    """Has nothing to say, and gives the hidden states of another model."""

    def __init__(self, states: HiddenStates) -> None:
        super().__init__("")
        self.description = replace(self.description, follows_instructions=False)
        self.model_digest = states.model_digest
        self._states = states

    async def hidden_state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
        """See `HiddenStates.hidden_state`."""
        return await self._states.hidden_state(messages, opening, deadline)


@asynccontextmanager
async def open_states(settings: Settings, file: Path | None, say: Callable[[str], None]) -> AsyncIterator[KeptStates]:
    """The configured model, which must be a GGUF file of the catalogue's. Raises BadInput and ModelUnavailable."""
    choice = choose_gguf(settings.model)
    digest = digest_of(choice.file) if choice is not None else ""
    if choice is None or not digest:
        raise BadInput(
            "Hidden states are read of GGUF models of the catalogue: set model.id to one (`bot model list`)."
        )
    model = await load_gguf(choice, settings.model, states_of={digest})
    try:
        states = KeptStates(model, file, say)
        yield states
        states.save()
    finally:
        await model.aclose()


def key_of(digest: str, messages: Sequence[ChatMessage], opening: str) -> str:
    """What a state is kept under: a digest of the model's file and of all that was read."""
    told = [digest, *(message.content for message in messages), opening]
    return blake2b("\0".join(told).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _read(file: Path) -> dict[str, Vector]:
    try:
        with np.load(file, allow_pickle=False) as stored:
            return dict(zip(map(str, stored["keys"]), stored["states"].astype(np.float32), strict=True))
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise BadInput(f"{file} holds no hidden states: {error}.") from None
