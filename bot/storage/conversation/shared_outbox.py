"""The outbox that workers and gateways share: replies, and between them notices. PostgreSQL only."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import Row, func, select

from bot.domain import Call, Choice, Outgoing, Place
from bot.domain.text import well_formed
from bot.storage.conversation.committing import UNDELIVERED
from bot.storage.conversation.outbox import SqlOutbox
from bot.storage.shared.rows import know_place
from bot.storage.shared.sharing_tables import notices
from bot.storage.shared.tables import outbox

KEPT = timedelta(hours=1)
"""How long a notice may wait. After that it would be out of place."""


class SqlSharedOutbox(SqlOutbox):
    """Implements `bot.ports.SharedOutbox`. A notice goes with the last part of it: nothing of it is kept."""

    async def post(self, notice: Outgoing) -> None:
        """Stores a notice behind everything that was said before."""
        row = {
            "place_key": notice.place.key,
            "text": well_formed(notice.text),
            "choices": _written(notice.choices),
            "in_reply_to": notice.in_reply_to,
            "nonce": notice.nonce,
            "state": "ready",
        }
        async with self._database.writing() as connection:
            await know_place(connection, notice.place)
            last = await connection.scalar(select(func.max(outbox.c.id))) or 0
            await connection.execute(notices.insert().values(behind=last, **row))

    async def places(self, platform: str) -> list[Place]:
        """Where a reply or a notice waits."""
        replies = select(outbox.c.place_key).where(outbox.c.state.in_(UNDELIVERED))
        every = replies.union(select(notices.c.place_key))
        found = [Place.parse(key) for key in await self._column(every)]
        return [place for place in found if place.platform == platform]

    async def undelivered(self, place: Place | None = None) -> list[Outgoing]:
        """Replies and notices, in the order in which they were said."""
        last = await self._value(select(func.max(outbox.c.id))) or 0
        replies = await super().undelivered(place)
        # Notices after replies, and nothing later than `last`: so no notice is missed that came before one of these.
        posted = select(notices).where(notices.c.behind <= last).order_by(notices.c.id)
        if place is not None:
            posted = posted.where(notices.c.place_key == place.key)
        rows = await self._rows(posted)
        said = [(one.id, 0, one) for one in replies if one.id <= last]
        said += [(row.behind, row.id, _to_notice(row)) for row in rows]
        if any(datetime.now(UTC) - row.created > KEPT for row in rows):
            await self._write(notices.delete().where(notices.c.created < datetime.now(UTC) - KEPT))
        return [one for _, _, one in sorted(said, key=lambda each: each[:2])]

    async def sending(self, outgoing_id: int) -> None:
        """Records that an attempt to send begins now."""
        if outgoing_id >= 0:
            await super().sending(outgoing_id)
        else:
            await self._note(outgoing_id, "sending")

    async def part_sent(self, outgoing_id: int, platform_message_id: str, *, last: bool = False) -> bool:
        """Of a notice nothing is recorded but its end."""
        if outgoing_id >= 0:
            return await super().part_sent(outgoing_id, platform_message_id, last=last)
        if last:
            await self._drop(outgoing_id)
        return True

    async def sent(self, outgoing_id: int) -> None:
        """Ends what has arrived."""
        await (super().sent(outgoing_id) if outgoing_id >= 0 else self._drop(outgoing_id))

    async def put_back(self, outgoing_id: int) -> None:
        """Records that the attempt certainly did not arrive."""
        await (super().put_back(outgoing_id) if outgoing_id >= 0 else self._note(outgoing_id, "ready"))

    async def failed(self, outgoing_id: int, reason: str) -> None:
        """A notice that the platform refused goes."""
        await (super().failed(outgoing_id, reason) if outgoing_id >= 0 else self._drop(outgoing_id))

    async def _note(self, outgoing_id: int, state: str) -> None:
        await self._write(notices.update().where(notices.c.id == -outgoing_id).values(state=state))

    async def _drop(self, outgoing_id: int) -> None:
        await self._write(notices.delete().where(notices.c.id == -outgoing_id))


def _to_notice(row: Row[*tuple[object, ...]]) -> Outgoing:
    return Outgoing(
        -row.id,
        Place.parse(row.place_key),
        row.text,
        row.nonce,
        row.in_reply_to,
        uncertain=row.state == "sending",
        choices=_read(row.choices),
    )


def _written(choices: Sequence[Sequence[Choice]]) -> str:
    return json.dumps([[[one.label, one.call.command, one.call.arguments] for one in row] for row in choices])


def _read(choices: str) -> tuple[tuple[Choice, ...], ...]:
    rows = json.loads(choices)
    return tuple(
        tuple(Choice(label, Call(command, tuple(map(tuple, given)))) for label, command, given in row) for row in rows
    )
