"""Every outside thing the core needs, as a Protocol whose docstring says what it promises and what it raises.

Each has a real implementation (`bot/llm`, `bot/storage`, `adapters`), and most a second one for tests. One suite in
`tests/contract/` runs on them all.
"""

from bot.ports.care import Characters, CheckIns
from bot.ports.engines import (
    ChatModel,
    Clock,
    Encoder,
    HiddenStates,
    Report,
    Tagger,
    TokenVectors,
    TopicExtractor,
    TraitGate,
    Vector,
    Vectors,
)
from bot.ports.messages import Inbox, Outbox
from bot.ports.places import Channels, Presence, Usage
from bot.ports.platforms import Adapter, Core, Growing, Live, Messenger, Part, Parted, Resending
from bot.ports.privacy import Confirmations, Disk, Erasures, Exports, Identities, Link, Privacies, SafetyReviews, Told
from bot.ports.recalling import Graph, Passages, PassagesVersion, PassageTokens, Shelf
from bot.ports.sharing import Bell, Claims, Leases, Listener, SharedOutbox
from bot.ports.storage import Backlogs, Corrections, Events, Jobs, Sessions, Traits, Utterances, VectorIndex

__all__ = [
    "Adapter",
    "Backlogs",
    "Bell",
    "Channels",
    "Characters",
    "ChatModel",
    "CheckIns",
    "Claims",
    "Clock",
    "Confirmations",
    "Core",
    "Corrections",
    "Disk",
    "Encoder",
    "Erasures",
    "Events",
    "Exports",
    "Graph",
    "Growing",
    "HiddenStates",
    "Identities",
    "Inbox",
    "Jobs",
    "Leases",
    "Link",
    "Listener",
    "Live",
    "Messenger",
    "Outbox",
    "Part",
    "Parted",
    "PassageTokens",
    "Passages",
    "PassagesVersion",
    "Presence",
    "Privacies",
    "Report",
    "Resending",
    "SafetyReviews",
    "Sessions",
    "SharedOutbox",
    "Shelf",
    "Tagger",
    "TokenVectors",
    "Told",
    "TopicExtractor",
    "TraitGate",
    "Traits",
    "Usage",
    "Utterances",
    "Vector",
    "VectorIndex",
    "Vectors",
]
