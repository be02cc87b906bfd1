"""The tables of what people decided, who is one person, and what was erased. They belong to `tables.py` beside them.

No column holds words of people. `erasures.subject` and `erased_messages.digest` are keyed digests (`digests.py`).
"""

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, false, text

from bot.storage.shared.tables import UtcTime, metadata, where

identities = Table(
    "identities",
    metadata,
    Column("speaker_id", Text, primary_key=True),
    Column("person_id", Text, nullable=False),
    Index("ix_identities_person_id", "person_id"),
)
"""Only of people with more than one. `person_id` is the speaker id of one of them."""

link_codes = Table(
    "link_codes",
    metadata,
    Column("speaker_id", Text, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("until", UtcTime, nullable=False),
)

privacy = Table(
    "privacy",
    metadata,
    Column("person_id", Text, primary_key=True),
    Column("consent", Text, nullable=False),
    Column("paused", Boolean, nullable=False, server_default=false()),
    Column("keep_days", Integer),
    Column("minor", Boolean, nullable=False, server_default=false()),
    Column("minor_since", UtcTime),
    Column("country", Text, nullable=False, server_default=text("''")),
    CheckConstraint("consent IN ('unasked', 'told', 'agreed', 'refused')", name="consent"),
)
"""`person_id`: that of `identities`, or the speaker id of somebody with one identity.

Of somebody who was erased or never agreed: "digest:" and a keyed digest of the speaker id, with what holds for them
(`decisions.py`).
"""

opt_outs = Table(
    "opt_outs",
    metadata,
    Column("person_id", Text, primary_key=True),
    Column("scope", Text, primary_key=True),
)
"""`scope`: the key of a place, or "platform:server". `person_id`: as in `privacy`."""

servers = Table(
    "servers",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("server", Text, primary_key=True),
    Column("sharing", Boolean, nullable=False, server_default=false()),
    Column("set_by", Text),
    Column("left_at", UtcTime),
)

confirmations = Table(
    "confirmations",
    metadata,
    Column("token", Text, primary_key=True),
    Column("speaker_id", Text, nullable=False),
    Column("selection", Text, nullable=False),
    Column("until", UtcTime, nullable=False),
    Index("ix_confirmations_until", "until"),
)
"""`selection`: JSON of ids and keys."""

erasures = Table(
    "erasures",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("subject", Text),
    Column("at", UtcTime, nullable=False),
    Column("done_at", UtcTime),
    Column("counts", Text, nullable=False),
    Column("found", Integer),
    Index("ix_erasures_subject", "subject", "id"),
    Index("ix_erasures_unfinished", "id", **where("done_at IS NULL")),
    sqlite_autoincrement=True,
)
"""`counts`: JSON, kind to number."""

erasure_vectors = Table(
    "erasure_vectors",
    metadata,
    Column("erasure_id", Integer, ForeignKey("erasures.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("place_key", Text, primary_key=True),
    Column("row_id", Integer, primary_key=True),
    sqlite_with_rowid=False,
)
"""Until an erasure is finished: the vectors that had to go."""

event_corrections = Table(
    "event_corrections",
    metadata,
    Column("event_id", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True),
    Column("trait_id", Integer, ForeignKey("traits.id", ondelete="CASCADE"), primary_key=True),
    Index("ix_event_corrections_trait_id", "trait_id"),
)
"""Events that somebody has corrected, and the trait that says how it is: that person is shown them no more."""

reply_sources = Table(
    "reply_sources",
    metadata,
    Column("reply_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True),
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True),
    Index("ix_reply_sources_utterance_id", "utterance_id"),
    sqlite_with_rowid=False,
)
"""What a reply answers, and all else whose words its prompt held: what it goes with (`closure.py`)."""
