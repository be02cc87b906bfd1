"""Every outside thing the core needs, as a Protocol whose docstring says what it promises and what it raises.

Each has a real implementation (`bot/llm`, `bot/storage`, `adapters`), and most a second one for tests. One suite in
`tests/contract/` runs on them all.
"""

from bot.ports.engines import (
    ChatModel,
    Clock,
    Encoder,
    Report,
    TopicExtractor,
    TraitGate,
    Vectors,
)
from bot.ports.platforms import (
    Adapter,
    Core,
    Growing,
    Live,
    Messenger,
)
from bot.ports.storage import (
    Channels,
    Corrections,
    Events,
    Inbox,
    Jobs,
    Outbox,
    Presence,
    Sessions,
    Traits,
    Usage,
    Utterances,
    VectorIndex,
)

__all__ = [
    "Adapter",
    "Channels",
    "ChatModel",
    "Clock",
    "Core",
    "Corrections",
    "Encoder",
    "Events",
    "Growing",
    "Inbox",
    "Jobs",
    "Live",
    "Messenger",
    "Outbox",
    "Presence",
    "Report",
    "Sessions",
    "TopicExtractor",
    "TraitGate",
    "Traits",
    "Usage",
    "Utterances",
    "VectorIndex",
    "Vectors",
]
