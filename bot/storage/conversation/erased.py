"""Which messages were erased: a digest of each is kept for a while, so that none comes in a second time.

The companion's utterances are among them: so a backup that is restored loses them again (`journal.py`). It loses those,
too, that were edited since: a digest of another kind says when that was, and keeps nothing from coming in. One more
kind says which were refused.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.engine.database import insert_new, put
from bot.storage.shared.digests import digest, digest_key
from bot.storage.shared.tables import erased_messages

KEPT = timedelta(days=90)
"""How long a digest is kept. Messages can be missed and caught up for 30 days at most."""


def edited(key: bytes, platform: str, message_id: str) -> str:
    """The digest under which it is kept that a message was edited."""
    return digest(key, "edited", platform, message_id)


async def was_erased(connection: AsyncConnection, platform: str, message_id: str) -> bool:
    """Whether this message was erased, or deleted on its platform, in the last while. In a writing transaction."""
    return await _is_kept(connection, platform, message_id)


async def remember_erased(connection: AsyncConnection, messages: Iterable[tuple[str, str]], now: datetime) -> None:
    """Keeps the digests of these messages, as (platform, message id), and drops those that were kept long enough."""
    key = await digest_key(connection)
    digests = {digest(key, platform, message_id) for platform, message_id in messages}
    await insert_new(connection, erased_messages, [{"digest": named, "at": now} for named in sorted(digests)])
    await connection.execute(erased_messages.delete().where(erased_messages.c.at < now - KEPT))


async def remember_edited(connection: AsyncConnection, platform: str, message_id: str, now: datetime) -> None:
    """Keeps when this message was edited, the last time: a backup made before holds words that were taken back."""
    named = edited(await digest_key(connection), platform, message_id)
    await put(connection, erased_messages, {"digest": named, "at": now})


async def remember_refused(connection: AsyncConnection, platform: str, message_id: str, now: datetime) -> None:
    """Keeps that this message was not taken in, because there was too much already."""
    named = digest(await digest_key(connection), "refused", platform, message_id)
    await put(connection, erased_messages, {"digest": named, "at": now})


async def was_refused(connection: AsyncConnection, platform: str, message_id: str) -> bool:
    """Whether this message was refused in the last while. In a writing transaction."""
    return await _is_kept(connection, "refused", platform, message_id)


async def _is_kept(connection: AsyncConnection, *parts: str) -> bool:
    named = digest(await digest_key(connection), *parts)
    return await connection.scalar(select(erased_messages.c.at).where(erased_messages.c.digest == named)) is not None
