"""Chat messages to tokens, by the template and the vocabulary of a GGUF file, as llama.cpp reads them."""

import re
from collections.abc import Sequence
from functools import lru_cache

from bot.domain import ChatMessage
from bot.errors import ModelFailed
from bot.llm.chat_shapes import ChatShape, TemplateRefused
from bot.llm.llama_server import LlamaServer

REMEMBERED_PROMPTS = 64
"""Prompts whose tokens are remembered: each is counted when it is built, and read when it is answered."""
BREAK = "\u200b"
"""Parts what people type that looks like a control token. It has no width."""
_MAY_BE_CONTROL = re.compile(r"[<\[]")


class GgufTemplate:
    """Chat messages to tokens, by the template and the vocabulary of the model's file."""

    def __init__(self, server: LlamaServer) -> None:
        self._server = server
        self._shape = ChatShape(server.render)
        self.begins_thinking = self._shape.begins_thinking
        self._encode = lru_cache(REMEMBERED_PROMPTS)(self._encode_now)
        self._safe = lru_cache(1024)(self._safe_now)

    def encode(self, messages: Sequence[ChatMessage]) -> Sequence[int]:
        """The tokens of the whole prompt, with the opening of the reply. Raises ModelFailed when it cannot be built."""
        return self._encode(tuple(messages))

    def plain(self, text: str) -> list[int]:
        """The tokens of a text in which nothing is a control token."""
        return self._server.tokens(text, whole_prompt=False)

    def _encode_now(self, messages: tuple[ChatMessage, ...]) -> Sequence[int]:
        safe = [ChatMessage(message.role, self._safe(message.content)) for message in messages]
        try:
            return tuple(self._server.tokens(self._server.render(self._shape.fit(safe)), whole_prompt=True))
        except TemplateRefused as error:
            raise ModelFailed("The model's chat template does not take this conversation.") from error

    def _safe_now(self, content: str) -> str:
        """`content`, where what would become a control token is parted: nobody can close their own message."""
        if _MAY_BE_CONTROL.search(content) is None:
            return content
        begin = self._server.tokens("", whole_prompt=True)
        if self._server.tokens(content, whole_prompt=True)[len(begin) :] == self.plain(content):
            return content
        return _MAY_BE_CONTROL.sub(lambda found: found[0] + BREAK, content)
