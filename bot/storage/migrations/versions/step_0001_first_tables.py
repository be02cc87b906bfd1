"""The first tables."""

from bot.storage.migrations.writing import index, table

revision: str = "0001"
down_revision: str | None = None


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
    table(
        "places",
        "key text, platform text, kind text, ref text, server text null, name text null",
        key="key",
        one_of={"kind": "'dm', 'channel'"},
    )
    table("speakers", "id text, name text", key="id")


def _sessions() -> None:
    table(
        "sessions",
        "id integer, place_key text, started moment, last moment, words integer, state text",
        key="id",
        one_of={"state": "'open', 'closed'"},
        references={"place_key": "places.key"},
        counted=True,
    )
    index("sessions", "last", "state = 'open'", name="ix_sessions_open_last")
    index("sessions", "place_key")
    index("sessions", "place_key", "state = 'open'", name="uq_sessions_open", unique=True)


def _utterances() -> None:
    table(
        "utterances",
        "id integer, place_key text, platform text, message_id text, speaker_id text, speaker_name text, text text, "
        "time moment, to_bot boolean, reply_to text null, session_id integer null, position integer null",
        key="id",
        references={"place_key": "places.key", "session_id": "sessions.id", "speaker_id": "speakers.id"},
        unique=["platform message_id", "session_id position"],
        counted=True,
    )
    index("utterances", "place_key id")
    index("utterances", "session_id speaker_id")
    index("utterances", "speaker_id place_key")


def _inbox() -> None:
    table(
        "inbox",
        "utterance_id integer, state text, dealt moment null",
        key="utterance_id",
        one_of={"state": "'pending', 'remembered', 'answered'"},
        references={"utterance_id": "utterances.id ON DELETE CASCADE"},
    )
    index("inbox", "utterance_id", "state = 'pending'", name="ix_inbox_pending")
    table(
        "answers",
        "utterance_id integer, reply_id integer",
        key="utterance_id",
        references={"reply_id": "utterances.id ON DELETE CASCADE", "utterance_id": "utterances.id ON DELETE CASCADE"},
    )
    index("answers", "reply_id")


def _outbox() -> None:
    table(
        "outbox",
        "id integer, utterance_id integer, place_key text, nonce text, state text, platform_message_id text null, "
        "reason text null, created moment, sent_at moment null",
        key="id",
        one_of={"state": "'ready', 'sending', 'sent', 'failed'"},
        references={"place_key": "places.key", "utterance_id": "utterances.id ON DELETE CASCADE"},
        unique=["nonce", "utterance_id"],
        counted=True,
    )
    index("outbox", "place_key platform_message_id")
    index("outbox", "id", "state IN ('ready', 'sending')", name="ix_outbox_undelivered")
    table(
        "reply_memories",
        "reply_id integer, kind text, memory_id integer",
        key="reply_id kind memory_id",
        one_of={"kind": "'event', 'trait'"},
        references={"reply_id": "utterances.id ON DELETE CASCADE"},
    )
    index("reply_memories", "kind memory_id")


def _events() -> None:
    table(
        "events",
        "id integer, session_id integer, place_key text, summary text, time moment, indexed boolean",
        key="id",
        references={"place_key": "places.key", "session_id": "sessions.id"},
        unique=["session_id"],
        counted=True,
    )
    index("events", "place_key time id", name="ix_events_place_key_time")
    index("events", "id", "indexed = 0", server="NOT indexed", name="ix_events_unindexed")
    table(
        "event_topics",
        "event_id integer, noun text",
        key="event_id noun",
        references={"event_id": "events.id ON DELETE CASCADE"},
        rowid=False,
    )


def _event_links() -> None:
    table(
        "event_sources",
        "event_id integer, position integer, utterance_id integer",
        key="event_id position",
        references={"event_id": "events.id ON DELETE CASCADE", "utterance_id": "utterances.id"},
        rowid=False,
    )
    index("event_sources", "utterance_id")
    table(
        "event_speakers",
        "event_id integer, speaker_id text",
        key="event_id speaker_id",
        references={"event_id": "events.id ON DELETE CASCADE", "speaker_id": "speakers.id"},
        rowid=False,
    )
    index("event_speakers", "speaker_id event_id")


def _traits() -> None:
    table(
        "traits",
        "id integer, speaker_id text, place_key text, text text, since moment, refreshed moment null, until moment "
        "null, superseded_by integer null, indexed boolean",
        key="id",
        references={
            "place_key": "places.key",
            "speaker_id": "speakers.id",
            "superseded_by": "traits.id ON DELETE SET NULL",
        },
        counted=True,
    )
    index("traits", "place_key")
    index("traits", "speaker_id place_key")
    index("traits", "superseded_by")
    index("traits", "id", "indexed = 0", server="NOT indexed", name="ix_traits_unindexed")


def _trait_links() -> None:
    table(
        "trait_sources",
        "trait_id integer, position integer, utterance_id integer",
        key="trait_id position",
        references={"trait_id": "traits.id ON DELETE CASCADE", "utterance_id": "utterances.id"},
        unique=["trait_id utterance_id"],
        rowid=False,
    )
    index("trait_sources", "utterance_id")


def _work() -> None:
    table(
        "jobs",
        "id integer, kind text, subject integer, state text, attempts integer, due_at moment null, lease_until moment "
        "null, reason text null, created moment",
        key="id",
        one_of={"state": "'due', 'leased', 'done', 'failed'"},
        unique=["kind subject"],
        counted=True,
    )
    index("jobs", "state kind id")
    table("token_usage", "day date, tokens integer", key="day")
    table("meta", "key text, value text", key="key")
