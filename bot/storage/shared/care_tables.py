"""The tables of check-ins. They belong to `tables.py` beside them.

Words that come from people are in `checkin_words` alone; they go with the utterance that the check-in is (CASCADE),
which goes with anything that it was made of (`reply_sources`). What stays of such a check-in is numbers and its state.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)

from bot.storage.shared.tables import UtcTime, counted, keyed, one_of, table, where

checkin_wishes = table(
    "checkin_wishes",
    Column("person_id", Text, primary_key=True),
    Column("speaker_id", Text, index=True),
    Column("wanted", Boolean, nullable=False, server_default=false()),
    Column("offered", Boolean, nullable=False, server_default=false()),
    Column("zone", Text, nullable=False, server_default=text("''")),
    Column("times", Text, nullable=False, server_default=text("''")),
    Column("days", Text, nullable=False, server_default=text("''")),
    Column("quiet", Text),
    Column("every_days", Integer),
    Column("paused_until", UtcTime),
    Column("next_at", UtcTime),
    Column("helped", UtcTime),
    Column("last_said_at", UtcTime),
    Column("answered_at", UtcTime),
    Index("ix_checkin_wishes_helped", "helped", **where("helped IS NOT NULL")),
    Index(
        "ix_checkin_wishes_unplanned",
        "speaker_id",
        **where("wanted = 1 AND next_at IS NULL", "wanted AND next_at IS NULL"),
    ),
    Index("ix_checkin_wishes_next_at_person_id", "next_at", "person_id", **where("next_at IS NOT NULL")),
)
"""`person_id`: as in `privacy`. `speaker_id`: the identity in whose DM they come; none: in no DM.

`times` and `quiet`: wall-clock times with spaces between ("12:00:00 18:00:00"); `days`: numbers, 0 = Monday.
`last_said_at`: when the person spoke last; `answered_at`: what was sent up to then counts as answered, by words in a
DM, by a button, or because they were switched on later. Both stay when what was said is erased.
"""

checkins = counted(
    "checkins",
    Column("speaker_id", Text, nullable=False),
    Column("due", UtcTime, nullable=False),
    Column("state", Text, nullable=False),
    Column("why", Text),
    Column("failure", Text),
    Column("attempts", Integer, nullable=False),
    Column("lease_until", UtcTime),
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="SET NULL"), unique=True),
    Column("said_at", UtcTime),
    Column("farewell", Boolean, nullable=False, server_default=false()),
    Column("importance", Float),
    Column("balance", Float),
    Column("freshness", Float),
    Column("total", Float),
    UniqueConstraint("speaker_id", "due"),
    one_of("state", "claimed", "composed", "sent", "skipped", "failed"),
    Index("ix_checkins_state_due", "state", "due"),
    Index("ix_checkins_said_at", "said_at", **where("said_at IS NOT NULL")),
    Index("ix_checkins_claimed", "lease_until", **where("state = 'claimed'")),
    Index("ix_checkins_unsaid", "id", **where("state = 'skipped' AND utterance_id IS NOT NULL")),
)
"""`speaker_id`: the identity in whose DM it is. `said_at`: when it was composed, by the caller's clock.

While its utterance is stored, how far a composed one has come is the state of that utterance in the outbox; "sent" and
"failed" stand here once the utterance is gone.
"""

checkin_words = table(
    "checkin_words",
    Column("checkin_id", Integer, ForeignKey("checkins.id", ondelete="CASCADE"), primary_key=True),
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("background", Text, nullable=False),
    Column("intention", Text, nullable=False),
    Column("toned_by", Text, nullable=False, server_default=text("''")),
    Column("session_id", Integer, ForeignKey("sessions.id", ondelete="SET NULL"), index=True),
)
"""`toned_by`: numbers with spaces between, of utterances behind its tone alone; they are in `reply_sources`, too.

`session_id`: the session that was begun anew with another background (CareAgent, appendix F); NULL: the utterance's.
"""

checkin_threads = keyed(
    "checkin_threads",
    Column("checkin_id", Integer, ForeignKey("checkins.id", ondelete="CASCADE"), primary_key=True),
    Column("utterance_id", Integer, ForeignKey("utterances.id", ondelete="CASCADE"), primary_key=True, index=True),
)
"""What each check-in was about: it stays when the message is erased, so that nothing is asked a second time."""

characters = table(
    "characters",
    Column("id", Integer, primary_key=True),
    Column("person_id", Text, nullable=False, unique=True),
    Column("type", Text, nullable=False, server_default=text("''")),
    Column("guessed", Boolean, nullable=False, server_default=true()),
    Column("off", Boolean, nullable=False, server_default=false()),
    Column("stability", Float, nullable=False, server_default=text("0")),
)
"""`person_id`: as in `privacy`."""

character_sources = keyed(
    "character_sources",
    Column("character_id", Integer, ForeignKey("characters.id", ondelete="CASCADE"), primary_key=True),
    Column("utterance_id", Integer, ForeignKey("utterances.id"), primary_key=True, index=True),
)
