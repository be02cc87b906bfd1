"""The tables.

All text that people wrote lives once, in `utterances.text`; what was derived from it lives in
`events.summary`, `event_topics.noun`, `traits.text` and `checkin_words`. No other column holds words of people, but the
names of people and places (`speakers.name`, `utterances.speaker_name`, `event_speakers.name`, `places.name`), and for a
moment `notices.text`, where an answer to a command may quote them.

Columns `created`, `dealt`, `sent_at` and `channel_modes.at` are bookkeeping by the system's clock; every other time is
the caller's.
A row that belongs wholly to another goes with it (CASCADE). A source cannot go while something derived from it stays
(the foreign keys of `event_sources` and `trait_sources` refuse), so that forgetting cannot be left half done.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    literal_column,
    text,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine


class UtcTime(TypeDecorator[datetime]):
    """A moment: stored in UTC, read back timezone-aware. A naive datetime is a ValueError."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[datetime]:
        """Databases other than SQLite keep the zone themselves."""
        return dialect.type_descriptor(DateTime(timezone=dialect.name != "sqlite"))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC; without the zone where the database cannot keep it."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone: times are stored in UTC")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


def wall_clock() -> datetime:
    """Now, by the system's clock."""
    return datetime.now(UTC)


def one_of(column: str, *values: str) -> CheckConstraint:
    """A check that the column has one of these values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def where(condition: str, on_server: str = "") -> dict[str, Any]:
    """The rows that a partial index holds; `on_server` where PostgreSQL has to be told otherwise than SQLite."""
    return {"sqlite_where": text(condition), "postgresql_where": text(on_server or condition)}


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def table(name: str, *parts: SchemaItem, **options: Any) -> Table:
    """A table of the program's; `options` of the dialects."""
    return Table(name, metadata, *parts, **options)


def counted(name: str, *parts: SchemaItem) -> Table:
    """One whose rows have numbers, of which none is given twice."""
    return table(name, Column("id", Integer, primary_key=True), *parts, sqlite_autoincrement=True)


def keyed(name: str, *parts: SchemaItem) -> Table:
    """One whose rows SQLite keeps under their key."""
    return table(name, *parts, sqlite_with_rowid=False)


OPEN = literal_column("'open'", Text)
PENDING = literal_column("'pending'", Text)
"""Written into the SQL and not bound: SQLite uses a partial index only where it can see the value."""

places = table(
    "places",
    Column("key", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("ref", Text, nullable=False),
    Column("server", Text),
    Column("name", Text),
    Column("public", Boolean),
    one_of("kind", "dm", "channel"),
    Index("ix_places_platform_kind", "platform", "kind"),
    Index("ix_places_platform_server", "platform", "server"),
)

speakers = table(
    "speakers",
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("number", Integer, nullable=False, server_default=text("0"), index=True, unique=True),
)

sessions = counted(
    "sessions",
    Column("place_key", Text, ForeignKey("places.key"), nullable=False, index=True),
    Column("started", UtcTime, nullable=False),
    Column("last", UtcTime, nullable=False),
    Column("words", Integer, nullable=False),
    Column("state", Text, nullable=False),
    one_of("state", "open", "closed"),
    Index("uq_sessions_open", "place_key", unique=True, **where("state = 'open'")),
    Index("ix_sessions_open_last", "last", **where("state = 'open'")),
)

utterances = counted(
    "utterances",
    Column("place_key", Text, ForeignKey("places.key"), nullable=False),
    Column("platform", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("speaker_id", Text, ForeignKey("speakers.id"), nullable=False),
    Column("speaker_name", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("time", UtcTime, nullable=False),
    Column("to_bot", Boolean, nullable=False),
    Column("reply_to", Text),
    Column("session_id", Integer, ForeignKey("sessions.id")),
    Column("position", Integer),
    Column("off_record", Boolean, nullable=False, server_default=false()),
    Column("refused", Boolean, nullable=False, server_default=false()),
    Column("heard_danger", Boolean),
    UniqueConstraint("platform", "message_id"),
    UniqueConstraint("session_id", "position"),
    Index("ix_utterances_place_key_id", "place_key", "id"),
    Index("ix_utterances_off_record", "id", **where("off_record = 1", "off_record")),
    Index("ix_utterances_session_id_speaker_id", "session_id", "speaker_id"),
    Index("ix_utterances_speaker_id_place_key_time", "speaker_id", "place_key", "time"),
    Index("ix_utterances_platform_reply_to", "platform", "reply_to", **where("reply_to IS NOT NULL")),
)

inbox = table(
    "inbox",
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("dealt", UtcTime),
    Column("again", UtcTime),
    one_of("state", "pending", "remembered", "answered"),
    Index("ix_inbox_pending", "utterance_id", **where("state = 'pending'")),
)

answers = table(
    "answers",
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True),
    Column("reply_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), nullable=False, index=True),
)

outbox = counted(
    "outbox",
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("place_key", Text, ForeignKey("places.key"), nullable=False),
    Column("nonce", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("created", UtcTime, nullable=False, default=wall_clock),
    Column("sent_at", UtcTime),
    one_of("state", "ready", "sending", "sent", "failed"),
    Index("ix_outbox_undelivered", "id", **where("state IN ('ready', 'sending')")),
    Index("ix_outbox_undelivered_place_key", "place_key", **where("state IN ('ready', 'sending')")),
    Index("ix_outbox_place_key_id", "place_key", "id"),
)

outbox_parts = keyed(
    "outbox_parts",
    Column("outgoing_id", Integer, ForeignKey("outbox.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("platform_message_id", Text, nullable=False, index=True),
)

drafts = table(
    "drafts",
    Column("place_key", Text, ForeignKey("places.key"), primary_key=True),
    Column("in_reply_to", Text, primary_key=True),
    Column("message_id", Text, nullable=False),
)

reply_memories = table(
    "reply_memories",
    Column("reply_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("memory_id", Integer, primary_key=True),
    one_of("kind", "event", "trait"),
    Index("ix_reply_memories_kind_memory_id", "kind", "memory_id"),
)

events = counted(
    "events",
    Column("session_id", Integer, ForeignKey("sessions.id"), nullable=False, unique=True),
    Column("place_key", Text, ForeignKey("places.key"), nullable=False),
    Column("summary", Text, nullable=False),
    Column("time", UtcTime, nullable=False),
    Column("indexed", Boolean, nullable=False),
    Index("ix_events_place_key_time", "place_key", "time", "id"),
    Index("ix_events_unindexed", "id", **where("indexed = 0", "NOT indexed")),
)

event_topics = keyed(
    "event_topics",
    Column("event_id", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True),
    Column("noun", Text, primary_key=True),
)

event_sources = keyed(
    "event_sources",
    Column("event_id", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("utterance_id", Integer, ForeignKey("utterances.id"), nullable=False, index=True),
)

event_speakers = keyed(
    "event_speakers",
    Column("event_id", Integer, ForeignKey("events.id", ondelete="CASCADE"), primary_key=True),
    Column("speaker_id", Text, ForeignKey("speakers.id"), primary_key=True),
    Column("name", Text),
    Index("ix_event_speakers_speaker_id_event_id", "speaker_id", "event_id"),
)

traits = counted(
    "traits",
    Column("speaker_id", Text, ForeignKey("speakers.id"), nullable=False),
    Column("place_key", Text, ForeignKey("places.key"), nullable=False, index=True),
    Column("text", Text, nullable=False),
    Column("since", UtcTime, nullable=False),
    Column("refreshed", UtcTime),
    Column("until", UtcTime),
    Column("superseded_by", Integer, ForeignKey("traits.id", ondelete="SET NULL"), index=True),
    Column("indexed", Boolean, nullable=False),
    Index("ix_traits_speaker_id_place_key", "speaker_id", "place_key"),
    Index("ix_traits_unindexed", "id", **where("indexed = 0", "NOT indexed")),
    Index("ix_traits_newest", "speaker_id", "place_key", "since", "id", **where("until IS NULL")),
    Index(
        "ix_traits_said_again",
        "speaker_id",
        "place_key",
        "refreshed",
        "id",
        **where("until IS NULL AND refreshed IS NOT NULL"),
    ),
)

trait_sources = keyed(
    "trait_sources",
    Column("trait_id", Integer, ForeignKey("traits.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("utterance_id", Integer, ForeignKey("utterances.id"), nullable=False, index=True),
    UniqueConstraint("trait_id", "utterance_id"),
)

jobs = counted(
    "jobs",
    Column("kind", Text, nullable=False),
    Column("subject", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", UtcTime),
    Column("lease_until", UtcTime),
    Column("reason", Text),
    Column("created", UtcTime, nullable=False, default=wall_clock),
    UniqueConstraint("kind", "subject"),
    one_of("state", "due", "leased", "done", "failed"),
    Index("ix_jobs_state_kind_id", "state", "kind", "id"),
)

token_usage = table(
    "token_usage",
    Column("day", Date, primary_key=True),
    Column("tokens", Integer, nullable=False),
)

reply_tokens = table(
    "reply_tokens",
    Column("day", Date, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("tokens", Integer, nullable=False),
)

erased_messages = table(
    "erased_messages",
    Column("digest", Text, primary_key=True),
    Column("at", UtcTime, nullable=False, index=True),
)

channel_modes = table(
    "channel_modes",
    Column("place_key", Text, ForeignKey("places.key"), primary_key=True),
    Column("mode", Text, nullable=False),
    Column("set_by", Text, nullable=False),
    Column("at", UtcTime, nullable=False, default=wall_clock),
    one_of("mode", "mention", "listen", "open", "off"),
)

presence = table(
    "presence",
    Column("platform", Text, primary_key=True),
    Column("until", UtcTime, nullable=False),
)

meta = table(
    "meta",
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
