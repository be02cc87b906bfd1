"""Short ways to ask a chat model something and to collect what it says."""

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import TypedDict, Unpack

from bot.domain import ChatMessage, Chunk, GenerationRequest, Priority, Role

SYSTEM = ChatMessage(Role.SYSTEM, "You are a friendly companion.")


class Fields(TypedDict, total=False):
    """What of a request can be set."""

    max_tokens: int
    temperature: float
    stop: tuple[str, ...]
    deadline: timedelta
    priority: Priority
    schema: Mapping[str, object]


def asking(text: str = "Name three colours.", **fields: Unpack[Fields]) -> GenerationRequest:
    fields.setdefault("max_tokens", 12)
    return GenerationRequest((SYSTEM, ChatMessage(Role.USER, text)), **fields)


async def heard(chunks: AsyncIterator[Chunk]) -> tuple[str, Chunk]:
    """The whole text and the last chunk, which alone must say why it ended."""
    collected = [chunk async for chunk in chunks]
    assert [chunk.finish is None for chunk in collected] == [True] * (len(collected) - 1) + [False]
    return "".join(chunk.text for chunk in collected), collected[-1]
