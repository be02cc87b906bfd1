"""What a language model is asked, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import IntEnum, StrEnum
from typing import Literal


class Role(StrEnum):
    """Who speaks in a chat prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat prompt."""

    role: Role
    content: str


class Priority(IntEnum):
    """A reply goes before background work."""

    REPLY = 0
    BACKGROUND = 1


class Skill(StrEnum):
    """What a model can be tuned for (LD-Agent's tunable modules), each by an adapter of its own."""

    SUMMARIZER = "summarizer"
    EXTRACTOR = "extractor"
    GENERATOR = "generator"


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What a chat model is asked. `deadline` counts from the call; what was generated when it passes is kept."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int = 160
    temperature: float = 0.0
    """0 is greedy decoding."""
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    """Texts at which generation ends; they are not part of the output."""
    deadline: timedelta = timedelta(seconds=120)
    priority: Priority = Priority.REPLY
    skill: Skill | None = None
    """Answered with the adapter for this, which the model must have (`ModelDescription.skills`); None: without one."""
    shared: int = 0
    """How many of the first messages are the same in every conversation, so that an engine may keep what it read."""
    schema: Mapping[str, object] | None = field(default=None, hash=False)
    """The JSON schema that the answer is decoded under where the engine can (`ModelDescription.decodes_schemas`); other
    engines ignore it, so the answer still needs a parser. None: free text."""
    choices: tuple[str, ...] = ()
    """The answer is one of these to the letter where the engine can choose (`ModelDescription.chooses`); other engines
    ignore them. Empty: free text."""
    most_unread: int | None = None
    """An engine that reads ahead gives no answer where it would have to read more new tokens than these for it; None:
    whatever it takes."""
    likelihood: bool = False
    """Whether the engine says how likely its answer was, where it can (`Chunk.likelihood`)."""

    @property
    def constrained(self) -> bool:
        """Whether the answer is decoded under a grammar where the engine can."""
        return self.schema is not None or bool(self.choices)


class FinishReason(StrEnum):
    """Why a generation ended."""

    STOP = "stop"
    LENGTH = "length"
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed generation. The last chunk has `finish`, and the token counts of the whole."""

    text: str
    finish: FinishReason | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """How many of `prompt_tokens` were in the cache and not read again; 0 too where the engine does not say."""
    likelihood: float | None = None
    """The natural logarithm of the likelihood of all tokens of the answer together, on the last chunk; None where
    nobody asked for it or the engine does not say."""


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word of an English text, with its part of speech."""

    text: str
    tag: str
    """Of the Universal Dependencies, e.g. "NOUN"."""
    space: str
    """What stands behind it."""


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """Which model answers, for people and for the prompt budget."""

    name: str
    """e.g. "SmolLM2-135M-Instruct"."""
    detail: str
    """e.g. "4-bit NF4 on the CPU"."""
    advice: str
    """One sentence: what would be better here; empty when nothing would."""
    context_tokens: int
    """The longest prompt plus reply the model takes."""
    comfortable_tokens: int
    """The longest prompt that a model of this size follows well; at most `context_tokens`."""
    follows_instructions: bool = True
    """False for very small models, whose structured answers are not worth asking for."""
    skills: frozenset[Skill] = frozenset()
    """What it has an adapter for: that is worth asking for, whatever its size."""
    reads_ahead: bool = False
    """Whether it keeps what it read of the messages that all conversations share (`GenerationRequest.shared`)."""
    decodes_schemas: bool = False
    """Whether an answer surely matches `GenerationRequest.schema`, unless it was cut."""
    chooses: bool = False
    """Whether an answer surely is one of `GenerationRequest.choices`, unless it was cut."""


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model that an owner can choose: one of the catalogue, or a file that was fetched."""

    name: str
    """What `model.id` calls it."""
    title: str
    size: int
    """Bytes of its file."""
    here: bool
    need: int = 0
    """Bytes of memory that it takes; 0: not known, nor is anything below."""
    licence: str = ""
    languages: str = ""
    publisher: str = ""
    """Whose it is on the hub; empty for what comes with the program or in packages."""
    comes_along: bool = False
    fit: Literal["", "large", "slow"] = ""
    """Why it does not suit this machine, if so."""
    verified: bool = True
    about: str = ""
