"""What people decided, in SQL. A person's linked identities share it: all rows are under the id of the person.

Of those who were erased some of it still holds: `decisions.py`.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import literal, or_, select

from bot.domain import Place, Privacy
from bot.storage.engine.database import insert_new
from bot.storage.engine.store import Store
from bot.storage.privacy.decisions import (
    UNNAMED,
    come_back,
    decided_by,
    digests_of,
    names_of,
    person_of,
    store,
    to_privacy,
    unname,
)
from bot.storage.shared.audience import identities_of
from bot.storage.shared.privacy_tables import opt_outs
from bot.storage.shared.privacy_tables import privacy as decisions
from bot.storage.shared.tables import utterances


class SqlPrivacies(Store):
    """Implements `bot.ports.Privacies`."""

    async def of(self, speaker_id: str) -> Privacy:
        """What this person decided; the defaults of `Privacy` for somebody unknown."""
        async with self._database.reading() as connection:
            return await decided_by(connection, speaker_id) or Privacy(speaker_id)

    async def put(self, privacy: Privacy) -> None:
        """Stores all that a person decided, in the place of what was stored."""
        async with self._database.writing() as connection:
            await come_back(connection, privacy.speaker_id)
            person = await person_of(connection, privacy.speaker_id)
            await store(connection, person, privacy)
            await unname(connection, person)

    async def opted_out(self, speaker_id: str, place: Place) -> bool:
        scopes = [*_scopes(place), *_server_scope(place)]
        async with self._database.reading() as connection:
            digests = await digests_of(connection, await identities_of(connection, speaker_id))
            mine = opt_outs.c.person_id.in_([await person_of(connection, speaker_id), *digests])
            query = select(literal(1)).where(mine, opt_outs.c.scope.in_(scopes)).limit(1)
            return await connection.scalar(query) is not None

    async def opt_out(self, speaker_id: str, place: Place, *, out: bool, whole_server: bool = False) -> None:
        """Opts out of exactly this channel with its threads, or of the whole server; or in again.

        In again in a thread takes back that of its channel too. That of a whole server is taken back with
        `whole_server` alone, and what was chosen for single channels stays then.
        """
        scopes = _server_scope(place) if whole_server else _scopes(place)
        async with self._database.writing() as connection:
            await come_back(connection, speaker_id)
            person = await person_of(connection, speaker_id)
            if out:
                await insert_new(connection, opt_outs, [{"person_id": person, "scope": scope} for scope in scopes[:1]])
            else:
                mine = opt_outs.c.person_id == person
                await connection.execute(opt_outs.delete().where(mine, opt_outs.c.scope.in_(scopes)))
            await unname(connection, person)

    async def with_retention(self) -> list[Privacy]:
        """Those of whom something is kept for some days only, in order of the id of the person."""
        limited = or_(decisions.c.keep_days.is_not(None), decisions.c.minor)
        async with self._database.reading() as connection:
            rows = {row.person_id: row for row in await connection.execute(select(decisions).where(limited))}
            named = {one: one for one in rows if not one.startswith(UNNAMED)}
            named |= await names_of(connection, rows.keys() - named.keys())
        return [to_privacy(rows[row_id], named[row_id]) for row_id in sorted(named, key=lambda one: named[one])]

    async def said_before(
        self, speaker_id: str, before: datetime, limit: int, since: datetime | None = None
    ) -> list[int]:
        async with self._database.reading() as connection:
            by_them = utterances.c.speaker_id.in_(await identities_of(connection, speaker_id))
            then = [utterances.c.time < before, *([] if since is None else [utterances.c.time >= since])]
            query = (
                select(utterances.c.id).where(by_them, *then).order_by(utterances.c.time, utterances.c.id).limit(limit)
            )
            return list(await connection.scalars(query))


def _scopes(place: Place) -> Sequence[str]:
    """The place itself, and the channel that it hangs on."""
    return [place.key] if place.parent is None else [place.key, place.parent.key]


def _server_scope(place: Place) -> Sequence[str]:
    return [] if place.server is None else [f"{place.platform}:{place.server}"]
