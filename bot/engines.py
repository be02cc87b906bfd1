"""The engines that the settings name. Their modules are imported when they are loaded: they bring large libraries."""

from __future__ import annotations

import importlib
from contextlib import AsyncExitStack

from bot.config import EncoderSettings, Settings
from bot.ports import ChatModel, Encoder, Report


async def encoder_of(stack: AsyncExitStack, settings: EncoderSettings) -> Encoder:
    """The encoder that the settings name, closed with `stack`. Raises ModelUnavailable."""
    embedding = importlib.import_module("bot.llm.embedding")
    loaded = await embedding.load_encoder(settings)
    stack.push_async_callback(loaded.aclose)
    encoder: Encoder = loaded
    return encoder


async def model_of(settings: Settings, report: Report) -> ChatModel:
    """The configured language model. Raises ModelUnavailable."""
    if settings.model.engine == "remote":
        remote = importlib.import_module("bot.llm.remote")
        connected: ChatModel = await remote.connect_remote_model(settings.model, settings.secrets.model_api_key)
        return connected
    local = importlib.import_module("bot.llm.local")
    loaded: ChatModel = await local.load_local_model(settings.model, progress=report)
    return loaded
