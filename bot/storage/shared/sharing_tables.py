"""The tables that several processes over one database have; one that is alone writes nothing there."""

from sqlalchemy import Column, ForeignKey, Integer, Text

from bot.storage.shared.tables import UtcTime, counted, one_of, wall_clock

notices = counted(
    "notices",
    Column("place_key", Text, ForeignKey("places.key", ondelete="CASCADE"), nullable=False, index=True),
    Column("behind", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("choices", Text, nullable=False),
    Column("in_reply_to", Text),
    Column("nonce", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("created", UtcTime, nullable=False, default=wall_clock),
    one_of("state", "ready", "sending"),
)
"""What a worker says that is no reply, on its way to a gateway: no longer than until it was sent, or an hour. `behind`:
the last row of `outbox` when it was said."""

leases = counted(
    "leases",
    Column("name", Text, nullable=False, unique=True),
    Column("holder", Text, nullable=False),
    Column("until", UtcTime, nullable=False),
)
"""Who does what, where several processes share the database. An id is a token: it is given once."""
