"""What people decided, in SQL. A person's linked identities share it: all rows are under the id of the person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Consent, Place, Privacy
from bot.storage.database import Database, insert_new, put
from bot.storage.privacy_tables import identities, opt_outs
from bot.storage.privacy_tables import privacy as decisions
from bot.storage.tables import utterances


class SqlPrivacies:
    """Implements `bot.ports.Privacies`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, speaker_id: str) -> Privacy:
        """What this person decided; the defaults of `Privacy` for somebody unknown."""
        async with self._database.reading() as connection:
            person = await _person(connection, speaker_id)
            row = (await connection.execute(select(decisions).where(decisions.c.person_id == person))).one_or_none()
        return Privacy(speaker_id) if row is None else _to_privacy(row, speaker_id)

    async def put(self, privacy: Privacy) -> None:
        """Stores all that a person decided, in the place of what was stored."""
        async with self._database.writing() as connection:
            person = await _person(connection, privacy.speaker_id)
            await put(connection, decisions, {"person_id": person, **_columns(privacy)})

    async def opted_out(self, speaker_id: str, place: Place) -> bool:
        """Whether this person is not to be read here: by this place, its thread's channel or its server."""
        scopes = [*_scopes(place), *_server_scope(place)]
        async with self._database.reading() as connection:
            mine = opt_outs.c.person_id == await _person(connection, speaker_id)
            query = select(literal(1)).where(mine, opt_outs.c.scope.in_(scopes)).limit(1)
            return await connection.scalar(query) is not None

    async def opt_out(self, speaker_id: str, place: Place, *, out: bool, whole_server: bool = False) -> None:
        """Opts out of exactly this channel with its threads, or of the whole server; or in again.

        In again in a thread takes back that of its channel too. That of a whole server is taken back with
        `whole_server` alone, and what was chosen for single channels stays then.
        """
        scopes = _server_scope(place) if whole_server else _scopes(place)
        async with self._database.writing() as connection:
            person = await _person(connection, speaker_id)
            if out:
                await insert_new(connection, opt_outs, [{"person_id": person, "scope": scope} for scope in scopes[:1]])
                return
            mine = opt_outs.c.person_id == person
            await connection.execute(opt_outs.delete().where(mine, opt_outs.c.scope.in_(scopes)))

    async def with_retention(self) -> list[Privacy]:
        """Those who have what they said kept for some days only, in order of the id of the person."""
        query = select(decisions).where(decisions.c.keep_days.is_not(None)).order_by(decisions.c.person_id)
        async with self._database.reading() as connection:
            return [_to_privacy(row, row.person_id) for row in await connection.execute(query)]

    async def said_before(self, speaker_id: str, before: datetime, limit: int) -> list[int]:
        """The ids of the oldest `limit` utterances of this person, on any of their platforms, before then."""
        async with self._database.reading() as connection:
            person = await _person(connection, speaker_id)
            linked = await connection.scalars(select(identities.c.speaker_id).where(identities.c.person_id == person))
            query = (
                select(utterances.c.id)
                .where(utterances.c.speaker_id.in_({speaker_id, *linked}), utterances.c.time < before)
                .order_by(utterances.c.time, utterances.c.id)
                .limit(limit)
            )
            return list(await connection.scalars(query))


async def _person(connection: AsyncConnection, speaker_id: str) -> str:
    """The id under which the decisions of a speaker stand."""
    linked = select(identities.c.person_id).where(identities.c.speaker_id == speaker_id)
    return str(await connection.scalar(linked) or speaker_id)


def _scopes(place: Place) -> Sequence[str]:
    """The place itself, and the channel that it hangs on."""
    return [place.key] if place.parent is None else [place.key, place.parent.key]


def _server_scope(place: Place) -> Sequence[str]:
    return [] if place.server is None else [f"{place.platform}:{place.server}"]


def _to_privacy(row: Row[*tuple[Any, ...]], speaker_id: str) -> Privacy:
    return Privacy(
        speaker_id=speaker_id,
        consent=Consent(row.consent),
        paused=row.paused,
        keep_days=row.keep_days,
        minor=row.minor,
        country=row.country,
    )


def _columns(decided: Privacy) -> dict[str, Any]:
    return {
        "consent": decided.consent.value,
        "paused": decided.paused,
        "keep_days": decided.keep_days,
        "minor": decided.minor,
        "country": decided.country,
    }
