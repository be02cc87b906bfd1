"""The platform-neutral types at the centre. All are frozen, and none imports anything of ours.

Times are timezone-aware and in UTC. Ids of rows are positive integers; 0 means "not stored yet".
"""

from bot.domain.commands import (
    Answer,
    Asker,
    Call,
    Choice,
)
from bot.domain.conversation import (
    AGENT_ID,
    THREAD_DEPTH,
    ChannelMode,
    Draft,
    Outgoing,
    Place,
    PlaceKind,
    Session,
    Speaker,
    Utterance,
)
from bot.domain.engines import (
    ChatMessage,
    Chunk,
    FinishReason,
    GenerationRequest,
    ModelDescription,
    Priority,
    Role,
)
from bot.domain.memories import (
    Correction,
    Event,
    Job,
    JobKind,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Scope,
    StoredCounts,
    Trait,
    UsedMemories,
    VectorKind,
)

__all__ = [
    "AGENT_ID",
    "THREAD_DEPTH",
    "Answer",
    "Asker",
    "Call",
    "ChannelMode",
    "ChatMessage",
    "Choice",
    "Chunk",
    "Correction",
    "Draft",
    "Event",
    "FinishReason",
    "GenerationRequest",
    "Job",
    "JobKind",
    "ModelDescription",
    "Outgoing",
    "Place",
    "PlaceKind",
    "Priority",
    "RecalledEvent",
    "RecalledTrait",
    "Recollection",
    "Role",
    "Scope",
    "Session",
    "Speaker",
    "StoredCounts",
    "Trait",
    "UsedMemories",
    "Utterance",
    "VectorKind",
]
