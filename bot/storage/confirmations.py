"""What people were asked to confirm, in SQL."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Selection
from bot.storage.audience import identities_of
from bot.storage.database import Database
from bot.storage.privacy_tables import confirmations

TOKEN_BYTES = 12
"""16 characters, which nobody can guess."""


class SqlConfirmations:
    """Implements `bot.ports.Confirmations`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, speaker_id: str, selection: Selection, until: datetime) -> str:
        """Stores what is to be erased when this person says so; returns a token of 16 characters of base64url."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        row = {"token": token, "speaker_id": speaker_id, "selection": _to_json(selection), "until": until}
        async with self._database.writing() as connection:
            await connection.execute(confirmations.insert().values(row))
        return token

    async def peek(self, token: str, now: datetime) -> tuple[str, Selection] | None:
        """Whose it is, and what; None when it is over, was used, or never was. Changes nothing."""
        async with self._database.reading() as connection:
            return await _find(connection, token, now)

    async def take(self, token: str, speaker_id: str, now: datetime) -> Selection | None:
        """What was to be confirmed, once, for the person who was asked, on any of their platforms; else None.

        Questions that are over go on the way.
        """
        async with self._database.writing() as connection:
            await connection.execute(confirmations.delete().where(confirmations.c.until <= now))
            found = await _find(connection, token, now)
            if found is None or found[0] not in await identities_of(connection, speaker_id):
                return None
            await connection.execute(confirmations.delete().where(confirmations.c.token == token))
            return found[1]

    async def drop(self, token: str, speaker_id: str) -> bool:
        """Withdraws a question; False for anybody but the person who was asked, and when there is none."""
        async with self._database.writing() as connection:
            people: Sequence[str] = await identities_of(connection, speaker_id)
            theirs = (confirmations.c.token == token, confirmations.c.speaker_id.in_(people))
            return (await connection.execute(confirmations.delete().where(*theirs))).rowcount > 0


async def _find(connection: AsyncConnection, token: str, now: datetime) -> tuple[str, Selection] | None:
    query = select(confirmations).where(confirmations.c.token == token, confirmations.c.until > now)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else (row.speaker_id, _from_json(row.selection))


def _to_json(selection: Selection) -> str:
    parts = {"utterances": selection.utterances, "people": selection.people, "places": selection.places}
    return json.dumps(parts)


def _from_json(text: str) -> Selection:
    parts = json.loads(text)
    return Selection(tuple(parts["utterances"]), tuple(parts["people"]), tuple(parts["places"]))
