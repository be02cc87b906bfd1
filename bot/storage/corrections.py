"""What was said is edited, in SQL, and what was derived from it goes along. What is erased: `erasures.py`."""

from __future__ import annotations

from dataclasses import replace

from bot.domain import Correction
from bot.storage import closure
from bot.storage.database import Database
from bot.storage.events import SqlEvents
from bot.storage.removal import add_words, take_out
from bot.storage.rows import select_utterances, storable, to_utterance
from bot.storage.tables import utterances
from bot.storage.traits import SqlTraits
from bot.storage.utterances import with_message


class SqlCorrections:
    """Implements `bot.ports.Corrections`. `events` and `traits`: the stores that keep rows in memory."""

    def __init__(self, database: Database, events: SqlEvents, traits: SqlTraits) -> None:
        self._database = database
        self._events = events
        self._traits = traits

    async def edit(self, platform: str, message_id: str, text: str) -> Correction | None:
        """Replaces what a person said. None, too, for the companion's own messages."""
        text = storable(text)
        query = select_utterances().where(with_message(platform, [message_id]))
        async with self._database.writing() as connection:
            row = (await connection.execute(query)).one_or_none()
            before = to_utterance(row) if row is not None else None
            if before is None or before.speaker.is_agent or before.text == text:
                return None
            chosen = utterances.update().where(utterances.c.id == before.id)
            await connection.execute(chosen.values(text=text))
            sessions = [before.session_id] if before.session_id else []
            await add_words(connection, dict.fromkeys(sessions, len(text.split()) - len(before.text.split())))
            await closure.begin(connection)
            await closure.choose_memories_of(connection, before.id)
            await closure.keep_sources_of_replies(connection)
            removed = await take_out(connection, said_anew=[before.id], sessions_anew=sessions)
        self._events.forget([*removed.events])
        self._traits.forget([*removed.traits, *removed.restored])
        return Correction((replace(before, text=text),), removed.vectors())
