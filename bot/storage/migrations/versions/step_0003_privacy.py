"""What privacy needs: decisions, identities, erasures, sharing, and digests in the place of erased messages' ids."""

import hashlib
import secrets

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import index, table

revision: str = "0003"
down_revision: str | None = "0002"

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
    index("places", "platform server")
    for name in ("off_record", "refused"):
        op.add_column("utterances", sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False))
    index("utterances", "id", "off_record = 1", server="off_record", name="ix_utterances_off_record")
    index("utterances", "platform reply_to", "reply_to IS NOT NULL")
    _people()
    _servers()
    _erasures()
    _digest_erased_messages()
    table(
        "event_corrections",
        "event_id integer, trait_id integer",
        key="event_id trait_id",
        references={"event_id": "events.id ON DELETE CASCADE", "trait_id": "traits.id ON DELETE CASCADE"},
    )
    index("event_corrections", "trait_id")
    _reply_sources()


def _reply_sources() -> None:
    table(
        "reply_sources",
        "reply_id integer, utterance_id integer",
        key="reply_id utterance_id",
        references={"reply_id": "utterances.id ON DELETE CASCADE", "utterance_id": "utterances.id ON DELETE CASCADE"},
        rowid=False,
    )
    index("reply_sources", "utterance_id")
    sqlite = op.get_bind().dialect.name == "sqlite"
    before = "datetime(first.time, '-1 hour')" if sqlite else "first.time - INTERVAL '1 hour'"
    for statement in SHOWN:
        op.execute(statement.format(an_hour_before=before))


def _people() -> None:
    table("identities", "speaker_id text, person_id text", key="speaker_id")
    index("identities", "person_id")
    table("link_codes", "speaker_id text, digest text, until moment", key="speaker_id", unique=["digest"])
    table(
        "privacy",
        "person_id text, consent text, paused boolean default false, keep_days integer null, minor boolean default "
        "false, minor_since moment null, country text default ''",
        key="person_id",
        one_of={"consent": "'unasked', 'told', 'agreed', 'refused'"},
    )
    table("opt_outs", "person_id text, scope text", key="person_id scope")
    table("confirmations", "token text, speaker_id text, selection text, until moment", key="token")
    index("confirmations", "until")


def _servers() -> None:
    table(
        "servers",
        "platform text, server text, sharing boolean default false, set_by text null, left_at moment null",
        key="platform server",
    )


def _erasures() -> None:
    table(
        "erasures",
        "id integer, reason text, subject text null, at moment, done_at moment null, counts text, found integer null",
        key="id",
        counted=True,
    )
    index("erasures", "subject id", name="ix_erasures_subject")
    index("erasures", "id", "done_at IS NULL", name="ix_erasures_unfinished")
    table(
        "erasure_vectors",
        "erasure_id integer, kind text, place_key text, row_id integer",
        key="erasure_id kind place_key row_id",
        references={"erasure_id": "erasures.id ON DELETE CASCADE"},
        rowid=False,
    )


def _digest_erased_messages() -> None:
    """Ids of messages name people and places; a keyed digest serves as well to know one that comes again."""
    connection = op.get_bind()
    known = connection.execute(sa.text("SELECT platform, message_id, at FROM erased_messages")).all()
    op.drop_table("erased_messages")
    table("erased_messages", "digest text, at moment", key="digest")
    index("erased_messages", "at")
    key = secrets.token_bytes(32)
    keep = sa.text("INSERT INTO meta (key, value) VALUES ('digest_key', :key)")
    connection.execute(keep, {"key": key.hex()})
    add = sa.text("INSERT INTO erased_messages (digest, at) VALUES (:digest, :at)")
    for platform, message_id, at in known:
        named = f"{platform}\0{message_id}".encode("utf-8", "surrogatepass")
        connection.execute(add, {"digest": hashlib.blake2b(named, key=key, digest_size=16).hexdigest(), "at": at})
