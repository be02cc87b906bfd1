"""What privacy needs: decisions, identities, erasures, sharing, and digests in the place of erased messages' ids."""

import hashlib
import secrets

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import make

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
    make(__file__, "people")
    _digest_erased_messages()
    make(__file__, "sources")
    _note_sources()


def _note_sources() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    before = "datetime(first.time, '-1 hour')" if sqlite else "first.time - INTERVAL '1 hour'"
    for statement in SHOWN:
        op.execute(statement.format(an_hour_before=before))


def _digest_erased_messages() -> None:
    """Ids of messages name people and places; a keyed digest serves as well to know one that comes again."""
    connection = op.get_bind()
    known = connection.execute(sa.text("SELECT platform, message_id, at FROM erased_messages")).all()
    op.drop_table("erased_messages")
    make(__file__, "digests")
    key = secrets.token_bytes(32)
    keep = sa.text("INSERT INTO meta (key, value) VALUES ('digest_key', :key)")
    connection.execute(keep, {"key": key.hex()})
    add = sa.text("INSERT INTO erased_messages (digest, at) VALUES (:digest, :at)")
    for platform, message_id, at in known:
        named = f"{platform}\0{message_id}".encode("utf-8", "surrogatepass")
        connection.execute(add, {"digest": hashlib.blake2b(named, key=key, digest_size=16).hexdigest(), "at": at})
