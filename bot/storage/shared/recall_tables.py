"""The tables of recall beyond events and traits. They belong to `tables.py` beside them.

No column holds words of people: passages point to utterances, and token vectors are numbers.
"""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, Text, false

from bot.storage.shared.tables import counted, keyed, one_of, table, where

edges = keyed(
    "edges",
    Column("older", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True),
    Column("newer", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("relation", Text, nullable=False),
    one_of("relation", "changed", "cause", "reason", "hindered_by", "react", "want", "same_topic"),
)

passages = counted(
    "passages",
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False),
    Column("place_key", Text, ForeignKey("places.key"), nullable=False),
    Column("indexed", Boolean, nullable=False),
    Column("has_tokens", Boolean, nullable=False, server_default=false()),
    Index("ix_passages_place_key_id", "place_key", "id"),
    Index("ix_passages_session_id_id", "session_id", "id"),
    Index("ix_passages_unindexed", "id", **where("indexed = 0", "NOT indexed")),
    Index("ix_passages_without_tokens", "id", **where("has_tokens = 0", "NOT has_tokens")),
)

passage_tokens = table(
    "passage_tokens",
    Column("passage_id", Integer, ForeignKey("passages.id", ondelete="CASCADE"), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("scale", Float, nullable=False),
    Column("vectors", LargeBinary, nullable=False),
)
