"""The tables of what people decided, who is one person, and what was erased. They belong to `tables.py` beside them.

No column holds words of people. `erasures.subject` and `erased_messages.digest` are keyed digests (`digests.py`).
"""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, Text, false, text

from bot.storage.shared.tables import UtcTime, counted, keyed, one_of, table, where

identities = table(
    "identities",
    Column("speaker_id", Text, primary_key=True),
    Column("person_id", Text, nullable=False, index=True),
)
"""Only of people with more than one. `person_id` is the speaker id of one of them."""

link_codes = table(
    "link_codes",
    Column("speaker_id", Text, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("until", UtcTime, nullable=False),
)

privacy = table(
    "privacy",
    Column("person_id", Text, primary_key=True),
    Column("consent", Text, nullable=False),
    Column("paused", Boolean, nullable=False, server_default=false()),
    Column("keep_days", Integer),
    Column("minor", Boolean, nullable=False, server_default=false()),
    Column("minor_since", UtcTime),
    Column("country", Text, nullable=False, server_default=text("''")),
    one_of("consent", "unasked", "told", "agreed", "refused"),
)
"""`person_id`: that of `identities`, or the speaker id of somebody with one identity.

Of somebody who was erased or never agreed: "digest:" and a keyed digest of the speaker id, with what holds for them
(`decisions.py`).
"""

opt_outs = table(
    "opt_outs",
    Column("person_id", Text, primary_key=True),
    Column("scope", Text, primary_key=True),
)
"""`scope`: the key of a place, or "platform:server". `person_id`: as in `privacy`."""

servers = table(
    "servers",
    Column("platform", Text, primary_key=True),
    Column("server", Text, primary_key=True),
    Column("sharing", Boolean, nullable=False, server_default=false()),
    Column("set_by", Text),
    Column("left_at", UtcTime),
)

confirmations = table(
    "confirmations",
    Column("token", Text, primary_key=True),
    Column("speaker_id", Text, nullable=False),
    Column("selection", Text, nullable=False),
    Column("until", UtcTime, nullable=False, index=True),
)
"""`selection`: JSON of ids and keys."""

erasures = counted(
    "erasures",
    Column("reason", Text, nullable=False),
    Column("subject", Text),
    Column("at", UtcTime, nullable=False),
    Column("done_at", UtcTime),
    Column("counts", Text, nullable=False),
    Column("found", Integer),
    Index("ix_erasures_subject", "subject", "id"),
    Index("ix_erasures_unfinished", "id", **where("done_at IS NULL")),
)
"""`counts`: JSON, kind to number."""

erasure_vectors = keyed(
    "erasure_vectors",
    Column("erasure_id", Integer, ForeignKey("erasures.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("place_key", Text, primary_key=True),
    Column("row_id", Integer, primary_key=True),
)
"""Until an erasure is finished: the vectors that had to go."""

event_corrections = table(
    "event_corrections",
    Column("event_id", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True),
    Column("trait_id", Integer, ForeignKey("traits.id", ondelete="CASCADE"), primary_key=True, index=True),
)
"""Events that somebody has corrected, and the trait that says how it is: that person is shown them no more."""

reply_sources = keyed(
    "reply_sources",
    Column("reply_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True),
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True, index=True),
)
"""What a reply answers, and all else whose words its prompt held: what it goes with (`closure.py`)."""
