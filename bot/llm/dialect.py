"""What one server takes of the OpenAI API, found out from what it refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.domain import ChatMessage, GenerationRequest, Role
from bot.llm.faults import Fault, status_of, words_of

MOST_STOPS = 4
"""The API takes no more stop texts in one request; the others are found on this side."""
_OPTIONAL: dict[str, Any] = {
    "chat_template_kwargs": {"enable_thinking": False},
    "stream_options": {"include_usage": True},
}
_ROLES = re.compile(r"system.{0,12}role|role.{0,12}system|roles? must alternate|system message", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How requests to one server are written. Frozen: a refusal gives another dialect."""

    folds_system: bool = False
    """Whether the system's text goes into the first user message, and the roles take turns."""
    options: frozenset[str] = frozenset(_OPTIONAL)
    """The optional fields that the server has not refused. One asks reasoning models to answer at once."""

    def body(self, request: GenerationRequest, model: str) -> dict[str, Any]:
        """The fields of a chat completion request."""
        messages = folded(request.messages) if self.folds_system else request.messages
        stops = [stop for stop in request.stop if stop][:MOST_STOPS]
        return {
            "model": model,
            "messages": [{"role": message.role.value, "content": message.content} for message in messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "stream": True,
            **({"stop": stops} if stops else {}),
            **{name: value for name, value in _OPTIONAL.items() if name in self.options},
        }

    def after(self, refusal: Fault) -> Dialect | None:
        """The dialect to try after a refusal; None when the refusal is about something else."""
        if status_of(refusal) not in {400, 422, 500}:
            return None
        words = words_of(refusal)
        refused = frozenset(name for name in self.options if name in words)
        if refused:
            return replace(self, options=self.options - refused)
        if not self.folds_system and _ROLES.search(words):
            return replace(self, folds_system=True)
        return None


def folded(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """User and assistant by turns, the user first: a system text becomes part of what the user says beside it."""
    turns: list[ChatMessage] = []
    for message in messages:
        role = Role.ASSISTANT if message.role is Role.ASSISTANT else Role.USER
        if turns and turns[-1].role is role:
            turns[-1] = ChatMessage(role, f"{turns[-1].content}\n\n{message.content}")
        else:
            turns.append(ChatMessage(role, message.content))
    return turns if turns and turns[0].role is Role.USER else [ChatMessage(Role.USER, "…"), *turns]
