"""Keyed digests: what was erased can be recognised when it comes again, and nobody can read from them what it was."""

import hashlib
import secrets

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.engine.database import insert_new
from bot.storage.shared.tables import meta

KEY = "digest_key"


async def known_key(connection: AsyncConnection) -> bytes | None:
    """The secret key of this database; None: nothing was ever digested."""
    found = await connection.scalar(select(meta.c.value).where(meta.c.key == KEY))
    return None if found is None else bytes.fromhex(found)


async def digest_key(connection: AsyncConnection) -> bytes:
    """The secret key of this database, made when it is first needed in a writing transaction."""
    key = await known_key(connection)
    if key is None:
        key = secrets.token_bytes(32)
        await insert_new(connection, meta, [{"key": KEY, "value": key.hex()}])
        key = await known_key(connection) or key  # another process may have been first
    return key


def digest(key: bytes, *parts: str) -> str:
    """A digest of these parts in order: 32 hexadecimal digits."""
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), key=key, digest_size=16).hexdigest()
