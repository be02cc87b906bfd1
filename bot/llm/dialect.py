"""What one server takes of the OpenAI API, found out from what it refuses."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from bot.domain import GenerationRequest
from bot.llm.chat_shapes import folded
from bot.llm.faults import Fault, status_of, words_of
from bot.llm.thinking import WITHOUT_THINKING

SERVER_ERROR = 500
MOST_STOPS = 4
"""The API takes no more stop texts in one request; the others are found on this side."""
THINKING_TOKENS = 2048
"""Tokens beside those of the answer, for a model that thinks aloud whatever it is asked."""
SCHEMA = "response_format"
_OPTIONAL: dict[str, Any] = {
    "chat_template_kwargs": WITHOUT_THINKING,
    "stream_options": {"include_usage": True},
}
_FOR_THINKERS = {"reasoning_effort": "none"}
"""Ollama's way to ask for an answer at once. Sent only where a model was seen to think: others refuse it."""
_ROLES = re.compile(r"system.{0,12}role|role.{0,12}system|roles? must alternate|system message", re.IGNORECASE)
_GRAMMAR = re.compile(r"schema|grammar", re.IGNORECASE)
_REASONER = re.compile(r"(?<![a-z])(?:r1|qwq|thinking|thinker|reason(?:er|ing)|magistral)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How requests to one server are written. Frozen: a refusal, or what an answer shows, gives another one."""

    folds_system: bool = False
    """Whether the system's text goes into the first user message, and the roles take turns."""
    options: frozenset[str] = frozenset({*_OPTIONAL, *_FOR_THINKERS, SCHEMA})
    """The optional fields that the server has not refused."""
    thinks: bool = False
    """Whether answers begin with thinking: it gets tokens of its own, and only this side looks for stop texts."""
    begins_thinking: bool = False
    """Whether answers may begin inside the thinking, without a mark of its beginning."""

    @classmethod
    def of(cls, name: str) -> Self:
        """The dialect to begin with, for a model of this name."""
        return cls(begins_thinking=_REASONER.search(name) is not None)

    @property
    def decodes_schemas(self) -> bool:
        """Whether the server has neither refused nor disobeyed a schema."""
        return SCHEMA in self.options

    def body(self, request: GenerationRequest, model: str, spare: int) -> dict[str, Any]:
        """The fields of a chat completion request. `spare`: tokens of the context that it leaves for thinking."""
        messages = folded(request.messages) if self.folds_system else request.messages
        stops = [stop for stop in request.stop if stop][:MOST_STOPS]
        options = _OPTIONAL | (_FOR_THINKERS if self.thinks else {}) | _schema(request)
        return {
            "model": model,
            "messages": [{"role": message.role.value, "content": message.content} for message in messages],
            "max_tokens": request.max_tokens + (min(THINKING_TOKENS, max(spare, 0)) if self.thinks else 0),
            "temperature": request.temperature,
            "top_p": request.top_p,
            "stream": True,
            **({"stop": stops} if stops and not self.thinks else {}),
            **{name: value for name, value in options.items() if name in self.options},
        }

    def after(self, refusal: Fault, request: GenerationRequest) -> Self | None:
        """The dialect to try after a refusal of `request`; None when the refusal is about something else."""
        if status_of(refusal) not in {400, 422, 500, 501}:
            return None
        words = words_of(refusal)
        refused = frozenset(name for name in self.options if name in words)
        if refused:
            return replace(self, options=self.options - refused)
        if not self.folds_system and _ROLES.search(words):
            return replace(self, folds_system=True)
        # Not every refusal names the schema; without it the same request is worth one more try.
        may_be_schema = status_of(refusal) != SERVER_ERROR or _GRAMMAR.search(words)
        return self.without_schemas() if request.schema is not None and self.decodes_schemas and may_be_schema else None

    def without_schemas(self) -> Self:
        """The same for a server that has no use for schemas."""
        return replace(self, options=self.options - {SCHEMA})


def _schema(request: GenerationRequest) -> dict[str, Any]:
    if request.schema is None:
        return {}
    form = {"name": "answer", "schema": request.schema, "strict": True}
    return {SCHEMA: {"type": "json_schema", "json_schema": form}}


def obeys(text: str, schema: Mapping[str, object]) -> bool:
    """Whether a whole answer looks as if it was decoded under `schema`: an object with all that is required."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    required = schema.get("required", ())
    return isinstance(found, dict) and isinstance(required, list | tuple) and found.keys() >= {*required}
