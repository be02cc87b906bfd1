"""The first tables.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Makes all tables in an empty database."""
    _people()
    _sessions()
    _utterances()
    _inbox()
    _outbox()
    _events()
    _event_links()
    _traits()
    _trait_links()
    _work()


def _people() -> None:
    op.create_table(
        "places",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.CheckConstraint("kind IN ('dm', 'channel')", name=op.f("ck_places_kind")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_places")),
    )
    op.create_table(
        "speakers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_speakers")),
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("started", MOMENT, nullable=False),
        sa.Column("last", MOMENT, nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'closed')", name=op.f("ck_sessions_state")),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_sessions_place_key")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_sessions_open_last",
        "sessions",
        ["last"],
        unique=False,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_index("ix_sessions_place_key", "sessions", ["place_key"], unique=False)
    op.create_index(
        "uq_sessions_open",
        "sessions",
        ["place_key"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )


def _utterances() -> None:
    op.create_table(
        "utterances",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("speaker_id", sa.Text(), nullable=False),
        sa.Column("speaker_name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("to_bot", sa.Boolean(), nullable=False),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_utterances_place_key")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_utterances_session_id")),
        sa.ForeignKeyConstraint(["speaker_id"], ["speakers.id"], name=op.f("fk_utterances_speaker_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_utterances")),
        sa.UniqueConstraint("platform", "message_id", name=op.f("uq_utterances_platform_message_id")),
        sa.UniqueConstraint("session_id", "position", name=op.f("uq_utterances_session_id_position")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_utterances_place_key_id", "utterances", ["place_key", "id"], unique=False)
    op.create_index("ix_utterances_session_id_speaker_id", "utterances", ["session_id", "speaker_id"], unique=False)
    op.create_index("ix_utterances_speaker_id_place_key", "utterances", ["speaker_id", "place_key"], unique=False)


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("dealt", MOMENT, nullable=True),
        sa.CheckConstraint("state IN ('pending', 'remembered', 'answered')", name=op.f("ck_inbox_state")),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_inbox_utterance_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("utterance_id", name=op.f("pk_inbox")),
    )
    op.create_index(
        "ix_inbox_pending",
        "inbox",
        ["utterance_id"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_table(
        "answers",
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.Column("reply_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["reply_id"], ["utterances.id"], name=op.f("fk_answers_reply_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_answers_utterance_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("utterance_id", name=op.f("pk_answers")),
    )
    op.create_index("ix_answers_reply_id", "answers", ["reply_id"], unique=False)


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("platform_message_id", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.CheckConstraint("state IN ('ready', 'sending', 'sent', 'failed')", name=op.f("ck_outbox_state")),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_outbox_place_key")),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_outbox_utterance_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("nonce", name=op.f("uq_outbox_nonce")),
        sa.UniqueConstraint("utterance_id", name=op.f("uq_outbox_utterance_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_outbox_place_key_platform_message_id", "outbox", ["place_key", "platform_message_id"], unique=False
    )
    op.create_index(
        "ix_outbox_undelivered",
        "outbox",
        ["id"],
        unique=False,
        sqlite_where=sa.text("state IN ('ready', 'sending')"),
        postgresql_where=sa.text("state IN ('ready', 'sending')"),
    )
    op.create_table(
        "reply_memories",
        sa.Column("reply_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("memory_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind IN ('event', 'trait')", name=op.f("ck_reply_memories_kind")),
        sa.ForeignKeyConstraint(
            ["reply_id"], ["utterances.id"], name=op.f("fk_reply_memories_reply_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reply_id", "kind", "memory_id", name=op.f("pk_reply_memories")),
    )
    op.create_index("ix_reply_memories_kind_memory_id", "reply_memories", ["kind", "memory_id"], unique=False)


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("indexed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_events_place_key")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_events_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("session_id", name=op.f("uq_events_session_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_place_key_time", "events", ["place_key", "time", "id"], unique=False)
    op.create_index(
        "ix_events_unindexed",
        "events",
        ["id"],
        unique=False,
        sqlite_where=sa.text("indexed = 0"),
        postgresql_where=sa.text("NOT indexed"),
    )
    op.create_table(
        "event_topics",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("noun", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_event_topics_event_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "noun", name=op.f("pk_event_topics")),
        sqlite_with_rowid=False,
    )


def _event_links() -> None:
    op.create_table(
        "event_sources",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_event_sources_event_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["utterance_id"], ["utterances.id"], name=op.f("fk_event_sources_utterance_id")),
        sa.PrimaryKeyConstraint("event_id", "position", name=op.f("pk_event_sources")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_event_sources_utterance_id", "event_sources", ["utterance_id"], unique=False)
    op.create_table(
        "event_speakers",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("speaker_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_event_speakers_event_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["speaker_id"], ["speakers.id"], name=op.f("fk_event_speakers_speaker_id")),
        sa.PrimaryKeyConstraint("event_id", "speaker_id", name=op.f("pk_event_speakers")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_event_speakers_speaker_id_event_id", "event_speakers", ["speaker_id", "event_id"], unique=False)


def _traits() -> None:
    op.create_table(
        "traits",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("speaker_id", sa.Text(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("refreshed", MOMENT, nullable=True),
        sa.Column("until", MOMENT, nullable=True),
        sa.Column("superseded_by", sa.Integer(), nullable=True),
        sa.Column("indexed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["place_key"], ["places.key"], name=op.f("fk_traits_place_key")),
        sa.ForeignKeyConstraint(["speaker_id"], ["speakers.id"], name=op.f("fk_traits_speaker_id")),
        sa.ForeignKeyConstraint(
            ["superseded_by"], ["traits.id"], name=op.f("fk_traits_superseded_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_traits")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_traits_place_key", "traits", ["place_key"], unique=False)
    op.create_index("ix_traits_speaker_id_place_key", "traits", ["speaker_id", "place_key"], unique=False)
    op.create_index("ix_traits_superseded_by", "traits", ["superseded_by"], unique=False)
    op.create_index(
        "ix_traits_unindexed",
        "traits",
        ["id"],
        unique=False,
        sqlite_where=sa.text("indexed = 0"),
        postgresql_where=sa.text("NOT indexed"),
    )


def _trait_links() -> None:
    op.create_table(
        "trait_sources",
        sa.Column("trait_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trait_id"], ["traits.id"], name=op.f("fk_trait_sources_trait_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["utterance_id"], ["utterances.id"], name=op.f("fk_trait_sources_utterance_id")),
        sa.PrimaryKeyConstraint("trait_id", "position", name=op.f("pk_trait_sources")),
        sa.UniqueConstraint("trait_id", "utterance_id", name=op.f("uq_trait_sources_trait_id_utterance_id")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_trait_sources_utterance_id", "trait_sources", ["utterance_id"], unique=False)


def _work() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=True),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created", MOMENT, nullable=False),
        sa.CheckConstraint("state IN ('due', 'leased', 'done', 'failed')", name=op.f("ck_jobs_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("kind", "subject", name=op.f("uq_jobs_kind_subject")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_state_kind_id", "jobs", ["state", "kind", "id"], unique=False)
    op.create_table(
        "token_usage",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_token_usage")),
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_meta")),
    )
