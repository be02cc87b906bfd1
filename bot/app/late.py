"""Engines that load while the prompt shows already. Nothing asks them before they are there: see `App.prepare`."""

import asyncio
import importlib
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import TypeVar

from bot.app.engines import EMBEDDING, encoder_of
from bot.config import EncoderSettings
from bot.domain import TaggedWord
from bot.errors import ModelUnavailable
from bot.llm.bundled_encoder import DIMENSION, FINGERPRINT, is_known
from bot.memory.topics import load_topics
from bot.ports import Encoder, Tagger, TokenVectors, TopicExtractor, Vectors

T = TypeVar("T")


async def in_thread(work: Callable[[], T], name: str) -> T:
    """The result of `work`, done in a thread that a program which ends meanwhile does not wait for."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if result.done():  # nobody waits any more
            return
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(value)  # type: ignore[arg-type]  # of `work`, then

    def run() -> None:
        value, failed = None, None
        try:
            value = work()
        except BaseException as error:  # noqa: BLE001  # edge: one thread; raised in the one who waits
            failed = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, failed)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await result


class LateEncoder:
    """An Encoder whose vectors are known by their fingerprint before it is loaded."""

    def __init__(self, fingerprint: str, dimension: int) -> None:
        self.fingerprint = fingerprint
        self.dimension = dimension
        self._loaded: Encoder | None = None

    def arrived(self, loaded: Encoder) -> None:
        """Takes the encoder itself. Raises ModelUnavailable when it is another one than was promised."""
        if loaded.fingerprint != self.fingerprint:
            raise ModelUnavailable(
                "The bundled text encoder gives other vectors than it should, which a library's version can cause. "
                "Install the versions that this program asks for, or set encoder.id to another encoder's folder."
            )
        self._loaded = loaded

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """See `ports.Encoder`."""
        return await self._there().encode(texts)

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """See `ports.Encoder`."""
        return await self._there().encode_tokens(texts)

    def _there(self) -> Encoder:
        if self._loaded is None:
            raise ModelUnavailable("The text encoder is still being loaded. Try it again in a moment.")
        return self._loaded


async def promised_encoder(settings: EncoderSettings) -> LateEncoder | None:
    """The encoder that the settings name, to be loaded later; None when its fingerprint is known only by loading it."""
    known = await asyncio.to_thread(is_known, settings.id)
    return LateEncoder(FINGERPRINT, DIMENSION) if known else None


class LateTopics:
    """A TopicExtractor that is loaded later."""

    def __init__(self) -> None:
        self._loaded: TopicExtractor | None = None

    def arrived(self, loaded: TopicExtractor) -> None:
        """Takes the extractor itself."""
        self._loaded = loaded

    def topics(self, text: str) -> frozenset[str]:
        """See `ports.TopicExtractor`."""
        if self._loaded is None:
            raise RuntimeError("topics were asked for before they were there")
        return self._loaded.topics(text)

    def tagged(self, text: str) -> Sequence[TaggedWord]:
        """See `ports.Tagger`; nothing where what was loaded tells no parts of speech."""
        return self._loaded.tagged(text) if isinstance(self._loaded, Tagger) else ()


async def nothing_to_load() -> None:
    """The `App.load_rest` of an app that was opened with all its engines."""


async def once(awake: asyncio.Event, work: Callable[[], Awaitable[object]]) -> None:
    """Does `work` when `awake` is set."""
    await awake.wait()
    await work()


async def load(stack: AsyncExitStack, settings: EncoderSettings, encoder: LateEncoder, topics: LateTopics) -> None:
    """Loads both, one after the other; the encoder is closed with `stack`. Raises ModelUnavailable."""
    await in_thread(partial(importlib.import_module, EMBEDDING), "importing the encoder")  # seconds
    encoder.arrived(await encoder_of(stack, settings))
    topics.arrived(await in_thread(load_topics, "loading the word lists"))
