"""What was said is edited, in SQL, and what was made of the old words goes along, as if they were erased.

The utterance itself stays, with its new words. What is erased whole: `erasures.py`.
"""

from dataclasses import replace
from datetime import UTC, datetime

from bot.domain import Correction, ErasureReason
from bot.domain.text import well_formed
from bot.storage.conversation.erased import remember_edited
from bot.storage.erasing.erasures import note
from bot.storage.erasing.removal import Removing, add_words, take_out
from bot.storage.shared import closure
from bot.storage.shared.rows import select_utterances, to_utterance
from bot.storage.shared.tables import utterances


class SqlCorrections(Removing):
    """Implements `bot.ports.Corrections`."""

    async def edit(self, platform: str, message_id: str, text: str, now: datetime | None = None) -> Correction | None:
        """Replaces what a person said. None, too, for the companion's own messages."""
        text = well_formed(text)
        this = (utterances.c.platform == platform, utterances.c.message_id == message_id)
        async with self._database.writing() as connection:
            row = (await connection.execute(select_utterances().where(*this))).one_or_none()
            before = to_utterance(row) if row is not None else None
            if before is None or before.speaker.is_agent or before.text == text:
                return None
            chosen = utterances.update().where(utterances.c.id == before.id)
            await connection.execute(chosen.values(text=text, heard_danger=None))
            sessions = [before.session_id] if before.session_id else []
            await add_words(connection, dict.fromkeys(sessions, len(text.split()) - len(before.text.split())))
            await closure.begin(connection)
            await closure.choose_utterances(connection, [before.id])
            await closure.close(connection)
            await closure.spare(connection, before.id)
            removed = await take_out(connection, said_anew=[before.id], sessions_anew=sessions)
            now = now or datetime.now(UTC)
            await remember_edited(connection, platform, message_id, now)
            erasure_id = await note(connection, ErasureReason.DELETED, removed, now)
        removed.texts = {before.text, *removed.texts} - {""}
        erased = self._erased(erasure_id, removed)
        now_says = (replace(before, text=text, heard_danger=None),)
        return Correction(now_says, erased.vectors, erased.utterances, erased.texts, erasure_id)
