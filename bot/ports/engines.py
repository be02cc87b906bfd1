"""Models, the clock, and who is told what the program does while it starts."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bot.domain import ChatMessage, Chunk, GenerationRequest, ModelDescription, TaggedWord

Vectors: TypeAlias = NDArray[np.float32]
"""Shape (n, dimension): one unit-length row a text."""
Vector: TypeAlias = NDArray[np.float32]
"""Shape (width,): the numbers of one text."""
Similarities: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Ids, and the cosine of each: both of shape (n,)."""


class Report(Protocol):
    """Is told what is being done while the program starts; may be called from any thread."""

    def __call__(self, step: str, share: float | None = None) -> None:
        """`step` is a short sentence; `share` in [0, 1] is how much of it is done, None when that is not known."""


def quietly(step: str, share: float | None = None) -> None:
    """The `Report` that tells nobody."""


class Clock(Protocol):
    """The time, so that a year can pass in a test."""

    def now(self) -> datetime:
        """The current time, timezone-aware, in UTC."""


class ChatModel(Protocol):
    """A language model that answers chats. Takes several requests at once; replies go before background work."""

    @property
    def description(self) -> ModelDescription:
        """Which model this is and how long its prompts may be."""

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """The number of tokens of the whole prompt, with the chat template and the opening of the reply."""

    def stream(self, request: GenerationRequest) -> AsyncIterator[Chunk]:
        """The reply, piece by piece; the last chunk has `finish` and the token counts.

        Closing the iterator early (or cancelling the task) cancels the generation. Raises PromptTooLong, ModelBusy,
        ModelFailed, or ModelUnavailable when the engine has gone. A request for a skill that is not in
        `description.skills`, which never change, is its caller's mistake: ValueError.
        """

    async def aclose(self) -> None:
        """Ends what is running and frees all memory. Safe to call twice."""


@runtime_checkable
class HiddenStates(Protocol):
    """A chat model that also gives what it holds of a prompt when it has read it: a hidden state of its last layer."""

    @property
    def model_digest(self) -> str:
        """The SHA-256 of the model's file: states of two files are never compared. Empty: this model gives none."""

    async def hidden_state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
        """The state after the last token of a prompt whose reply begins with `opening`: float32, shape (width,).

        What the model keeps of conversations stays as it is. Raises PromptTooLong, ModelFailed (when `deadline`, which
        counts from the call, passes too), or ModelUnavailable when the engine gives none or has gone.
        """


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of one text. `vectors` has shape (n, d) and unit length; d is the same for all texts of an encoder."""

    words: tuple[str, ...]
    """The lower-case word that each token is a part of, n of them; a punctuation mark is its own word."""
    vectors: Vectors


class Encoder(Protocol):
    """A text encoder φ: texts to unit-length vectors."""

    @property
    def fingerprint(self) -> str:
        """A name that changes whenever the vectors would: vectors of two fingerprints are never compared."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, shape (len(texts), dimension). An empty text gets a vector too."""

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """For each text the vectors of its tokens in their context, for comparison token by token (MaxSim)."""


class TopicExtractor(Protocol):
    """The topic nouns V of a text (LD-Agent §2.2.1)."""

    def topics(self, text: str) -> frozenset[str]:
        """Lower-case lemmas of the nouns and proper nouns of `text`; empty when there are none. Never raises."""


@runtime_checkable
class Tagger(Protocol):
    """Tells the parts of speech of English."""

    def tagged(self, text: str) -> Sequence[TaggedWord]:
        """The words and marks of `text`, in order; those of its first 1,000 characters. Never raises."""


class TraitGate(Protocol):
    """A cheap classifier: does an utterance carry a trait of its speaker?"""

    def probability(self, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """For each text with its vector, the probability in [0, 1] that it carries a trait. Shape (len(texts),)."""
