"""The engines that the settings name. Their modules are imported when they are loaded: they bring large libraries."""

import asyncio
import importlib
from contextlib import AsyncExitStack

import structlog

from bot.care.grave_voice import reading_for
from bot.config import EncoderSettings, Settings
from bot.conversation.danger_voice import read_listener
from bot.conversation.state_reading import StateReading
from bot.domain import Skill
from bot.errors import ModelUnavailable
from bot.ports import ChatModel, Encoder, Report
from bot.prompting.asking import trusted

EMBEDDING = "bot.llm.embedding"
TOKENS_BESIDE = 4096
"""The cache of the model beside the one that talks: a task of its takes some 200 tokens."""

_log = structlog.get_logger(__name__)


async def encoder_of(stack: AsyncExitStack, settings: EncoderSettings) -> Encoder:
    """The encoder that the settings name, closed with `stack`. Raises ModelUnavailable."""
    embedding = importlib.import_module(EMBEDDING)
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
        wanted = {reading.digest for reading in readings_of(settings)}
        quick: ChatModel = await gguf.load_gguf(choice, settings.model, report, seed=seed, states_of=wanted)
        return quick
    local = importlib.import_module("bot.llm.local")
    loaded: ChatModel = await local.load_local_model(settings.model, progress=report, seed=seed)
    return loaded


def readings_of(settings: Settings) -> list[StateReading]:
    """What the model's hidden states are read for."""
    danger = read_listener() if settings.safety.enabled else None
    return [reading for reading in (danger, reading_for(settings.care)) if reading is not None]


async def models_of(
    stack: AsyncExitStack, settings: Settings, report: Report, *, seed: int | None = None
) -> tuple[ChatModel, ChatModel | None]:
    """The model that talks and the one beside it, closed with `stack`. Raises ModelUnavailable."""
    model = await model_of(settings, report, seed=seed)
    stack.push_async_callback(model.aclose)
    beside = await model_beside(model, settings)
    if beside is not None:
        stack.push_async_callback(beside.aclose)
    return model, beside


async def model_beside(model: ChatModel, settings: Settings) -> ChatModel | None:
    """The bundled model, for the tasks that it was tuned for and `model` is too small to be trusted with; else None.

    It takes turns with `model` where llama.cpp runs both: a reply goes first. Without it people's own words are kept.
    """
    asked = {Skill.EXTRACTOR: settings.persona.extractor, Skill.SUMMARIZER: settings.memory.summariser}
    wanting = {skill for skill, way in asked.items() if way == "auto" and trusted(model, way, skill) is None}
    bundled = importlib.import_module("bot.llm.choosing").BUNDLED
    places = importlib.import_module("bot.llm.adapter_files").adapter_places(settings.model, bundled)
    if not wanting & {place.skill for place in places}:
        return None
    off = {skill.value: "off" for skill in Skill if skill not in wanting}
    beside = settings.model.model_copy(
        update={
            "engine": "auto",
            "id": bundled,
            "kv_cache_tokens": TOKENS_BESIDE,
            "adapters": settings.model.adapters.model_copy(update=off),
        }
    )
    gguf = importlib.import_module("bot.llm.gguf_choice")
    admission = model.admission if isinstance(model, gguf.LlamaCppChatModel) else None
    try:
        choice = await asyncio.to_thread(gguf.choose_gguf, beside)
        if choice is None:
            return None
        loaded: ChatModel = await gguf.load_gguf(choice, beside, admission=admission)
    except ModelUnavailable as error:
        _log.warning("what people tell of themselves is kept in their own words", reason=str(error))
        return None
    return loaded
