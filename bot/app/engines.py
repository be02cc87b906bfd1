"""The engines that the settings name. Their modules are imported when they are loaded: they bring large libraries."""

from __future__ import annotations

import asyncio
import importlib
from contextlib import AsyncExitStack

from bot.config import EncoderSettings, Settings
from bot.conversation.danger_voice import read_listener
from bot.ports import ChatModel, Encoder, Report


def quietly(step: str, share: float | None = None) -> None:
    """The `Report` that tells nobody."""


def import_encoders() -> None:
    """Imports what the encoder needs: seconds, in a thread of the caller's."""
    importlib.import_module("bot.llm.embedding")


async def encoder_of(stack: AsyncExitStack, settings: EncoderSettings) -> Encoder:
    """The encoder that the settings name, closed with `stack`. Raises ModelUnavailable."""
    embedding = importlib.import_module("bot.llm.embedding")
    loaded = await embedding.load_encoder(settings)
    stack.push_async_callback(loaded.aclose)
    encoder: Encoder = loaded
    return encoder


async def model_of(settings: Settings, report: Report, *, seed: int | None = None) -> ChatModel:
    """The configured language model; one that runs here samples by `seed`. Raises ModelUnavailable."""
    if settings.model.engine == "remote":
        remote = importlib.import_module("bot.llm.remote")
        connected: ChatModel = await remote.connect_remote_model(settings.model, settings.secrets.model_api_key)
        return connected
    gguf = importlib.import_module("bot.llm.gguf_choice")
    choice = await asyncio.to_thread(gguf.choose_gguf, settings.model, report)
    if choice is not None:
        wanted = {listener.digest} if settings.safety.enabled and (listener := read_listener()) is not None else set()
        quick: ChatModel = await gguf.load_gguf(choice, settings.model, report, seed=seed, states_of=wanted)
        return quick
    local = importlib.import_module("bot.llm.local")
    loaded: ChatModel = await local.load_local_model(settings.model, progress=report, seed=seed)
    return loaded
