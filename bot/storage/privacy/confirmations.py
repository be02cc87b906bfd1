"""What people were asked to confirm, in SQL."""

import json
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Confirmed, ErasureReason, Selection
from bot.storage.engine.store import Store
from bot.storage.shared.audience import identities_of
from bot.storage.shared.privacy_tables import confirmations, link_codes

TOKEN_BYTES = 12
"""16 characters, which nobody can guess."""

LASTING = timedelta(days=3650)
"""How long what was confirmed waits to be done."""


class SqlConfirmations(Store):
    """Implements `bot.ports.Confirmations`."""

    async def ask(self, speaker_id: str, selection: Selection, until: datetime, purpose: str = "forget") -> str:
        """Stores what is to be erased when this person says so; returns a token of 16 characters of base64url."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        row = {"token": token, "speaker_id": speaker_id, "selection": _to_json(selection, purpose), "until": until}
        await self._write(confirmations.insert().values(row))
        return token

    async def peek(self, token: str, now: datetime, purpose: str = "forget") -> tuple[str, Selection] | None:
        async with self._database.reading() as connection:
            return await _find(connection, token, now, purpose)

    async def take(self, token: str, speaker_id: str, now: datetime, purpose: str = "forget") -> Selection | None:
        """What was to be confirmed, once, for the person who was asked, on any of their platforms; else None.

        Questions that are over go on the way.
        """
        async with self._database.writing() as connection:
            return await take_in(connection, token, speaker_id, now, purpose)

    async def drop(self, token: str, speaker_id: str) -> bool:
        async with self._database.writing() as connection:
            people: Sequence[str] = await identities_of(connection, speaker_id)
            theirs = (confirmations.c.token == token, confirmations.c.speaker_id.in_(people))
            return (await connection.execute(confirmations.delete().where(*theirs))).rowcount > 0

    async def tidy(self, now: datetime) -> None:
        """Removes what is over. A question that was confirmed is not over before it is done."""
        async with self._database.writing() as connection:
            for table in (confirmations, link_codes):
                await connection.execute(table.delete().where(table.c.until <= now))


async def take_in(
    connection: AsyncConnection, token: str, speaker_id: str, now: datetime, purpose: str | None = None
) -> Selection | None:
    """The same as `SqlConfirmations.take` in a writing transaction. `purpose` None: whatever it was asked for."""
    await connection.execute(confirmations.delete().where(confirmations.c.until <= now))
    found = await _find(connection, token, now, purpose)
    if found is None or found[0] not in await identities_of(connection, speaker_id):
        return None
    await connection.execute(confirmations.delete().where(confirmations.c.token == token))
    return found[1]


async def confirm(
    connection: AsyncConnection, token: str, speaker_id: str, reason: ErasureReason, now: datetime
) -> None:
    """Notes that the person who was asked has said yes: from then on the question is not over before it is done."""
    row = (await connection.execute(_asked(token, now))).one_or_none()
    if row is None or row.speaker_id not in await identities_of(connection, speaker_id):
        return
    selection = json.dumps({**json.loads(row.selection), "subject": speaker_id, "reason": reason.value})
    noted = confirmations.update().where(confirmations.c.token == token)
    await connection.execute(noted.values(selection=selection, until=now + LASTING))


async def confirmed_in(connection: AsyncConnection) -> list[Confirmed]:
    """What was confirmed and is not done, oldest first."""
    rows = (await connection.execute(select(confirmations).order_by(confirmations.c.until))).all()
    parts = [(row, json.loads(row.selection)) for row in rows]
    return [
        Confirmed(row.token, part["subject"], ErasureReason(part["reason"]), _from_json(row.selection)[0])
        for row, part in parts
        if "subject" in part
    ]


def _asked(token: str, now: datetime) -> Select[Any]:
    return select(confirmations).where(confirmations.c.token == token, confirmations.c.until > now)


async def _find(
    connection: AsyncConnection, token: str, now: datetime, purpose: str | None
) -> tuple[str, Selection] | None:
    row = (await connection.execute(_asked(token, now))).one_or_none()
    if row is None:
        return None
    selection, asked_for = _from_json(row.selection)
    return (row.speaker_id, selection) if purpose in {None, asked_for} else None


def _to_json(selection: Selection, purpose: str) -> str:
    parts = {"utterances": selection.utterances, "people": selection.people, "places": selection.places}
    return json.dumps({**parts, "purpose": purpose})


def _from_json(text: str) -> tuple[Selection, str]:
    """What is to be erased, and what it was asked for."""
    parts = json.loads(text)
    selection = Selection(tuple(parts["utterances"]), tuple(parts["people"]), tuple(parts["places"]))
    return selection, parts.get("purpose", "")
