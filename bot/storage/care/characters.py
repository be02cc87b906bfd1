"""Personality types in SQL."""

from sqlalchemy import or_, select

from bot.domain import Character
from bot.storage.engine.database import insert_new
from bot.storage.engine.store import Store
from bot.storage.privacy.decisions import person_of
from bot.storage.shared.care_tables import character_sources, characters
from bot.storage.shared.rows import all_stored, insert_one


class SqlCharacters(Store):
    """Implements `bot.ports.Characters`."""

    async def of(self, speaker_id: str) -> Character:
        """What is known of this person. Carries the id asked."""
        async with self._database.reading() as connection:
            person = await person_of(connection, speaker_id)
            query = select(characters).where(characters.c.person_id == person)
            row = (await connection.execute(query)).one_or_none()
            if row is None:
                return Character(speaker_id, "")
            source = character_sources.c.utterance_id
            of_it = select(source).where(character_sources.c.character_id == row.id).order_by(source)
            sources = tuple((await connection.execute(of_it)).scalars())
        return Character(speaker_id, row.type, row.guessed, row.off, row.stability, sources)

    async def put(self, character: Character) -> bool:
        """Stores it in the place of what was known."""
        async with self._database.writing() as connection:
            sources = sorted(set(character.sources))
            if not await all_stored(connection, sources):
                return False
            person = await person_of(connection, character.speaker_id)
            theirs = characters.c.person_id == person
            chosen = select(characters.c.id).where(theirs, or_(characters.c.off, ~characters.c.guessed))
            is_guess = character.guessed and not character.off
            if is_guess and await connection.scalar(chosen) is not None:
                return False
            await connection.execute(characters.delete().where(theirs))
            row = {name: getattr(character, name) for name in ("type", "guessed", "off", "stability")}
            character_id = await insert_one(connection, characters, row | {"person_id": person})
            rows = [{"character_id": character_id, "utterance_id": one} for one in sources]
            await insert_new(connection, character_sources, rows)
        return True

    async def forget(self, speaker_id: str) -> None:
        async with self._database.writing() as connection:
            person = await person_of(connection, speaker_id)
            await connection.execute(characters.delete().where(characters.c.person_id == person))
