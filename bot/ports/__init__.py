"""Every outside thing the core needs, as a Protocol whose docstring says what it promises and what it raises.

Each has a real implementation (`bot/llm`, `bot/storage`, `adapters`), and most a second one for tests. One suite in
`tests/contract/` runs on them all.
"""

from bot.ports.care import Characters as Characters
from bot.ports.care import CheckIns as CheckIns
from bot.ports.engines import ChatModel as ChatModel
from bot.ports.engines import Clock as Clock
from bot.ports.engines import Encoder as Encoder
from bot.ports.engines import HiddenStates as HiddenStates
from bot.ports.engines import Report as Report
from bot.ports.engines import Similarities as Similarities
from bot.ports.engines import Tagger as Tagger
from bot.ports.engines import TokenVectors as TokenVectors
from bot.ports.engines import TopicExtractor as TopicExtractor
from bot.ports.engines import TraitGate as TraitGate
from bot.ports.engines import Vector as Vector
from bot.ports.engines import Vectors as Vectors
from bot.ports.engines import quietly as quietly
from bot.ports.messages import Inbox as Inbox
from bot.ports.messages import Outbox as Outbox
from bot.ports.places import Channels as Channels
from bot.ports.places import Usage as Usage
from bot.ports.platforms import Adapter as Adapter
from bot.ports.platforms import Core as Core
from bot.ports.platforms import Growing as Growing
from bot.ports.platforms import Live as Live
from bot.ports.platforms import Messenger as Messenger
from bot.ports.platforms import Part as Part
from bot.ports.platforms import Parted as Parted
from bot.ports.platforms import Resending as Resending
from bot.ports.privacy import Confirmations as Confirmations
from bot.ports.privacy import Disk as Disk
from bot.ports.privacy import Erasures as Erasures
from bot.ports.privacy import Exports as Exports
from bot.ports.privacy import Identities as Identities
from bot.ports.privacy import Link as Link
from bot.ports.privacy import Privacies as Privacies
from bot.ports.privacy import SafetyReviews as SafetyReviews
from bot.ports.privacy import Told as Told
from bot.ports.privacy import Which as Which
from bot.ports.recalling import Graph as Graph
from bot.ports.recalling import Passages as Passages
from bot.ports.recalling import PassagesVersion as PassagesVersion
from bot.ports.recalling import PassageTokens as PassageTokens
from bot.ports.recalling import Shelf as Shelf
from bot.ports.sharing import Bell as Bell
from bot.ports.sharing import Claims as Claims
from bot.ports.sharing import Leases as Leases
from bot.ports.sharing import Listener as Listener
from bot.ports.sharing import SharedOutbox as SharedOutbox
from bot.ports.storage import Corrections as Corrections
from bot.ports.storage import Events as Events
from bot.ports.storage import Jobs as Jobs
from bot.ports.storage import Sessions as Sessions
from bot.ports.storage import Traits as Traits
from bot.ports.storage import Utterances as Utterances
from bot.ports.storage import VectorIndex as VectorIndex
