"""Check-ins: what people chose, the check-ins themselves, and personality types."""

import sqlalchemy as sa
from alembic import op

from bot.storage.migrations.writing import index, table

revision: str = "0007"
down_revision: str | None = "0006"

STATES = "'claimed', 'composed', 'sent', 'skipped', 'failed'"


def upgrade() -> None:
    """Changes the tables of 0006, and keeps what is in them."""
    op.drop_index("ix_utterances_speaker_id_place_key", table_name="utterances")
    index("utterances", "speaker_id place_key time")
    _wishes()
    _checkins()
    _words()
    _characters()


def _wishes() -> None:
    table(
        "checkin_wishes",
        "person_id text, speaker_id text null, wanted boolean default false, offered boolean default false, zone text "
        "default '', times text default '', days text default '', quiet text null, every_days integer null, "
        "paused_until moment null, next_at moment null, helped moment null, last_said_at moment null, answered_at "
        "moment null",
        key="person_id",
    )
    index("checkin_wishes", "speaker_id")
    index("checkin_wishes", "next_at person_id", "next_at IS NOT NULL")
    index("checkin_wishes", "helped", "helped IS NOT NULL")
    index(
        "checkin_wishes",
        "speaker_id",
        "wanted = 1 AND next_at IS NULL",
        server="wanted AND next_at IS NULL",
        name="ix_checkin_wishes_unplanned",
    )


def _checkins() -> None:
    table(
        "checkins",
        "id integer, speaker_id text, due moment, state text, why text null, failure text null, attempts integer, "
        "lease_until moment null, utterance_id integer null, said_at moment null, farewell boolean default false, "
        "importance float null, balance float null, freshness float null, total float null",
        key="id",
        one_of={"state": STATES},
        references={"utterance_id": "utterances.id ON DELETE SET NULL"},
        unique=["speaker_id due", "utterance_id"],
        counted=True,
    )
    index("checkins", "state due")
    for name, column, which in (
        ("ix_checkins_said_at", "said_at", "said_at IS NOT NULL"),
        ("ix_checkins_claimed", "lease_until", "state = 'claimed'"),
        ("ix_checkins_unsaid", "id", "state = 'skipped' AND utterance_id IS NOT NULL"),
    ):
        rows = sa.text(which)
        op.create_index(name, "checkins", [column], unique=False, sqlite_where=rows, postgresql_where=rows)


def _words() -> None:
    table(
        "checkin_words",
        "checkin_id integer, utterance_id integer, background text, intention text",
        key="checkin_id",
        references={"checkin_id": "checkins.id ON DELETE CASCADE", "utterance_id": "utterances.id ON DELETE CASCADE"},
        unique=["utterance_id"],
    )
    table(
        "checkin_threads",
        "checkin_id integer, utterance_id integer",
        key="checkin_id utterance_id",
        references={"checkin_id": "checkins.id ON DELETE CASCADE", "utterance_id": "utterances.id ON DELETE CASCADE"},
        rowid=False,
    )
    index("checkin_threads", "utterance_id")


def _characters() -> None:
    table(
        "characters",
        "id integer, person_id text, type text default '', guessed boolean default true, off boolean default false, "
        "stability float default 0",
        key="id",
        unique=["person_id"],
    )
    table(
        "character_sources",
        "character_id integer, utterance_id integer",
        key="character_id utterance_id",
        references={"character_id": "characters.id ON DELETE CASCADE", "utterance_id": "utterances.id"},
        rowid=False,
    )
    index("character_sources", "utterance_id")
