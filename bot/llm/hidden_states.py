"""Hidden states of a model that talks meanwhile, one at a time, in a slot of llama.cpp's that no conversation has."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from datetime import timedelta

import numpy as np

from bot.domain import ChatMessage
from bot.errors import ModelFailed, ModelUnavailable, PromptTooLong
from bot.llm.gguf_template import GgufTemplate
from bot.llm.llama_server import STATE_TOKENS, LlamaServer
from bot.ports import Vector


class StateReader:
    """Asks a server for hidden states. For one event loop at a time."""

    def __init__(self, server: LlamaServer, template: GgufTemplate, threads: Executor, adapters: int) -> None:
        self._server = server
        self._template = template
        self._threads = threads
        self._adapters = adapters
        self._turn = asyncio.Lock()

    async def state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
        """See `HiddenStates.hidden_state`."""
        prompt = [*self._template.encode(messages), *self._template.plain(opening)]
        if len(prompt) > STATE_TOKENS:
            raise PromptTooLong(f"The prompt has {len(prompt)} tokens, and {STATE_TOKENS} are read for a hidden state.")
        try:
            async with asyncio.timeout(deadline.total_seconds()):
                await self._turn.acquire()
                return await asyncio.shield(self._begun(prompt))
        except TimeoutError:
            raise ModelFailed("The model did not give its hidden state in time.") from None
        except RuntimeError as error:  # what the server says may quote the prompt
            raise ModelUnavailable(f"The model gave no hidden state ({type(error).__name__}).") from None

    def _begun(self, prompt: Sequence[int]) -> asyncio.Future[Vector]:
        """Has a thread work on it. The next has its turn when the server has let go, also where nobody waits for it."""

        def work() -> Vector:
            return np.asarray(self._server.hidden_state(prompt, self._adapters), dtype=np.float32)

        def ended(done: asyncio.Future[Vector]) -> None:
            self._turn.release()
            if not done.cancelled():
                done.exception()

        try:
            future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        except RuntimeError:
            self._turn.release()
            raise
        future.add_done_callback(ended)
        return future
