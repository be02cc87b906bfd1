"""What privacy needs: decisions, identities, erasures, sharing, and digests in the place of erased messages' ids.

Written out in full and on its own: later changes of `bot/storage/shared/tables.py` do not change this step.
"""

from __future__ import annotations

import hashlib
import secrets

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: tuple[str, ...] | None = None
depends_on: tuple[str, ...] | None = None

MOMENT = sa.DateTime(timezone=True)

SHOWN = (
    "INSERT INTO reply_sources (reply_id, utterance_id) SELECT reply_id, utterance_id FROM answers",
    # The session before it.
    "INSERT INTO reply_sources (reply_id, utterance_id) SELECT reply.id, line.id FROM outbox "
    "JOIN utterances AS reply ON reply.id = outbox.utterance_id "
    "JOIN utterances AS line ON line.session_id = reply.session_id AND line.position < reply.position "
    "WHERE true ON CONFLICT DO NOTHING",
    # In its first lines, the end of the session before, when that was not long ago.
    "INSERT INTO reply_sources (reply_id, utterance_id) SELECT reply.id, line.id FROM outbox "
    "JOIN utterances AS reply ON reply.id = outbox.utterance_id AND reply.position < 4 "
    "JOIN utterances AS first ON first.id = "
    "(SELECT MIN(id) FROM utterances WHERE utterances.session_id = reply.session_id) "
    "JOIN utterances AS line ON line.id IN (SELECT before.id FROM utterances AS before "
    "WHERE before.place_key = reply.place_key AND before.id < first.id ORDER BY before.id DESC LIMIT 8) "
    "AND line.time >= {an_hour_before} "
    "WHERE true ON CONFLICT DO NOTHING",
    # What these lines reply to: a message, or a part of a reply.
    "INSERT INTO reply_sources (reply_id, utterance_id) SELECT reply_sources.reply_id, said.id FROM reply_sources "
    "JOIN utterances AS line ON line.id = reply_sources.utterance_id AND line.reply_to IS NOT NULL "
    "JOIN utterances AS said ON said.platform = line.platform AND said.message_id = line.reply_to "
    "WHERE said.id <> reply_sources.reply_id ON CONFLICT DO NOTHING",
    "INSERT INTO reply_sources (reply_id, utterance_id) "
    "SELECT reply_sources.reply_id, outbox.utterance_id FROM reply_sources "
    "JOIN utterances AS line ON line.id = reply_sources.utterance_id AND line.reply_to IS NOT NULL "
    "JOIN outbox_parts ON outbox_parts.platform_message_id = line.reply_to "
    "JOIN outbox ON outbox.id = outbox_parts.outgoing_id "
    "WHERE outbox.utterance_id <> reply_sources.reply_id ON CONFLICT DO NOTHING",
)
"""What replies of the programs before were shown, or may have been shown: they did not note it."""


def upgrade() -> None:
    """Changes the tables of 0002, and keeps what is in them."""
    op.add_column("places", sa.Column("public", sa.Boolean(), nullable=True))
    op.create_index("ix_places_platform_server", "places", ["platform", "server"], unique=False)
    for name in ("off_record", "refused"):
        op.add_column("utterances", sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_index(
        "ix_utterances_off_record",
        "utterances",
        ["id"],
        unique=False,
        sqlite_where=sa.text("off_record = 1"),
        postgresql_where=sa.text("off_record"),
    )
    op.create_index(
        "ix_utterances_platform_reply_to",
        "utterances",
        ["platform", "reply_to"],
        unique=False,
        sqlite_where=sa.text("reply_to IS NOT NULL"),
        postgresql_where=sa.text("reply_to IS NOT NULL"),
    )
    _people()
    _servers()
    _erasures()
    _digest_erased_messages()
    op.create_table(
        "event_corrections",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("trait_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_event_corrections_event_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["trait_id"], ["traits.id"], name=op.f("fk_event_corrections_trait_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "trait_id", name=op.f("pk_event_corrections")),
    )
    op.create_index("ix_event_corrections_trait_id", "event_corrections", ["trait_id"], unique=False)
    _reply_sources()


def _reply_sources() -> None:
    op.create_table(
        "reply_sources",
        sa.Column("reply_id", sa.Integer(), nullable=False),
        sa.Column("utterance_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["reply_id"], ["utterances.id"], name=op.f("fk_reply_sources_reply_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["utterance_id"], ["utterances.id"], name=op.f("fk_reply_sources_utterance_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reply_id", "utterance_id", name=op.f("pk_reply_sources")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_reply_sources_utterance_id", "reply_sources", ["utterance_id"], unique=False)
    sqlite = op.get_bind().dialect.name == "sqlite"
    before = "datetime(first.time, '-1 hour')" if sqlite else "first.time - INTERVAL '1 hour'"
    for statement in SHOWN:
        op.execute(statement.format(an_hour_before=before))


def _people() -> None:
    op.create_table(
        "identities",
        sa.Column("speaker_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("speaker_id", name=op.f("pk_identities")),
    )
    op.create_index("ix_identities_person_id", "identities", ["person_id"], unique=False)
    op.create_table(
        "link_codes",
        sa.Column("speaker_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("speaker_id", name=op.f("pk_link_codes")),
        sa.UniqueConstraint("digest", name=op.f("uq_link_codes_digest")),
    )
    op.create_table(
        "privacy",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("consent", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("keep_days", sa.Integer(), nullable=True),
        sa.Column("minor", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("minor_since", MOMENT, nullable=True),
        sa.Column("country", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.CheckConstraint("consent IN ('unasked', 'told', 'agreed', 'refused')", name=op.f("ck_privacy_consent")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_privacy")),
    )
    op.create_table(
        "opt_outs",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("person_id", "scope", name=op.f("pk_opt_outs")),
    )
    op.create_table(
        "confirmations",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("speaker_id", sa.Text(), nullable=False),
        sa.Column("selection", sa.Text(), nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_confirmations")),
    )
    op.create_index("ix_confirmations_until", "confirmations", ["until"], unique=False)


def _servers() -> None:
    op.create_table(
        "servers",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("sharing", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("set_by", sa.Text(), nullable=True),
        sa.Column("left_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("platform", "server", name=op.f("pk_servers")),
    )


def _erasures() -> None:
    op.create_table(
        "erasures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("done_at", MOMENT, nullable=True),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasures")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_erasures_subject", "erasures", ["subject", "id"], unique=False)
    op.create_index(
        "ix_erasures_unfinished",
        "erasures",
        ["id"],
        unique=False,
        sqlite_where=sa.text("done_at IS NULL"),
        postgresql_where=sa.text("done_at IS NULL"),
    )
    op.create_table(
        "erasure_vectors",
        sa.Column("erasure_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("place_key", sa.Text(), nullable=False),
        sa.Column("row_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["erasure_id"], ["erasures.id"], name=op.f("fk_erasure_vectors_erasure_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("erasure_id", "kind", "place_key", "row_id", name=op.f("pk_erasure_vectors")),
        sqlite_with_rowid=False,
    )


def _digest_erased_messages() -> None:
    """Ids of messages name people and places; a keyed digest serves as well to know one that comes again."""
    connection = op.get_bind()
    known = connection.execute(sa.text("SELECT platform, message_id, at FROM erased_messages")).all()
    op.drop_table("erased_messages")
    op.create_table(
        "erased_messages",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_erased_messages")),
    )
    op.create_index("ix_erased_messages_at", "erased_messages", ["at"], unique=False)
    key = secrets.token_bytes(32)
    keep = sa.text("INSERT INTO meta (key, value) VALUES ('digest_key', :key)")
    connection.execute(keep, {"key": key.hex()})
    add = sa.text("INSERT INTO erased_messages (digest, at) VALUES (:digest, :at)")
    for platform, message_id, at in known:
        named = f"{platform}\0{message_id}".encode("utf-8", "surrogatepass")
        connection.execute(add, {"digest": hashlib.blake2b(named, key=key, digest_size=16).hexdigest(), "at": at})
