"""What people decided, as rows; of those who never agreed, or were erased, under a digest of their id.

A refusal that went with what was said before it would have to be said again, and nobody would know. So a "no", a pause,
being under 18 and opt-outs stay, under "digest:" and a keyed digest of the speaker id, until that speaker decides
something anew: nobody can read from them who it was. Whoever has not agreed to be remembered stands there so from the
beginning.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Row, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Consent, Privacy
from bot.storage.engine.database import insert_new, put
from bot.storage.shared.audience import identities_of
from bot.storage.shared.digests import digest, digest_key, known_key
from bot.storage.shared.privacy_tables import identities, opt_outs, privacy
from bot.storage.shared.tables import speakers

UNNAMED = "digest:"
"""What stands for the ids of those who were erased, or never agreed, begins with this."""

_PERSON = select(identities.c.person_id).where(identities.c.speaker_id == bindparam("speaker"))
_DECIDED = select(privacy).where(privacy.c.person_id == bindparam("person"))
"""Asked for with every message, so they are put together once."""


_AS_IT_IS = ("paused", "keep_days", "minor", "country", "minor_since")
"""What a decision and its row have under the same name."""


def to_privacy(row: Row[*tuple[Any, ...]], speaker_id: str) -> Privacy:
    """A row of `privacy`, as what this speaker decided."""
    return Privacy(speaker_id, Consent(row.consent), **{name: getattr(row, name) for name in _AS_IT_IS})


async def store(connection: AsyncConnection, person_id: str, decided: Privacy) -> None:
    """Stores what a person decided under this id, in the place of what was stored."""
    columns = {name: getattr(decided, name) for name in _AS_IT_IS}
    await put(connection, privacy, {"person_id": person_id, "consent": decided.consent.value, **columns})


def merged(person_id: str, decisions: Sequence[Privacy]) -> Privacy:
    """What holds for one person when their identities decided this: the stricter of each, with two exceptions.

    Consent of one is consent of all, unless another refused. And what is said is kept for the longest of their times,
    without end if one has it so: else what one of them wanted to keep would be erased without a word.
    """
    consents = {decided.consent for decided in decisions}
    by_weight = (Consent.REFUSED, Consent.AGREED, Consent.TOLD)
    times = [decided.keep_days for decided in decisions if decided.keep_days is not None]
    return Privacy(
        speaker_id=person_id,
        consent=next((consent for consent in by_weight if consent in consents), Consent.UNASKED),
        paused=any(decided.paused for decided in decisions),
        keep_days=max(times) if times and len(times) == len(decisions) else None,
        minor=any(decided.minor for decided in decisions),
        country=next((decided.country for decided in decisions if decided.country), ""),
        minor_since=max((decided.minor_since for decided in decisions if decided.minor_since), default=None),
    )


async def person_of(connection: AsyncConnection, speaker_id: str) -> str:
    """The id under which the decisions of a speaker stand."""
    return str(await connection.scalar(_PERSON, {"speaker": speaker_id}) or speaker_id)


async def decided_by(connection: AsyncConnection, speaker_id: str) -> Privacy | None:
    """What a person decided, or what still holds of those who were erased; None: nothing."""
    person = await person_of(connection, speaker_id)
    row = (await connection.execute(_DECIDED, {"person": person})).one_or_none()
    if row is not None:
        return to_privacy(row, speaker_id)
    digests = await digests_of(connection, await identities_of(connection, speaker_id))
    rows = (await connection.execute(select(privacy).where(privacy.c.person_id.in_(digests)))).all()
    return merged(speaker_id, [to_privacy(one, speaker_id) for one in rows]) if rows else None


async def digests_of(connection: AsyncConnection, speaker_ids: Iterable[str]) -> list[str]:
    """Under which ids it stands what outlived the erasure of these speakers; empty when nothing ever did."""
    key = await known_key(connection)
    return [] if key is None else [_digest(key, one) for one in speaker_ids]


async def unname(connection: AsyncConnection, speaker_id: str) -> None:
    """Puts a digest in the place of the id of somebody who has not agreed, and has linked nothing."""
    consent = await connection.scalar(select(privacy.c.consent).where(privacy.c.person_id == speaker_id))
    linked = select(identities.c.person_id).where(identities.c.person_id == speaker_id).limit(1)
    if consent == Consent.AGREED or await connection.scalar(linked) is not None:
        return
    name = _digest(await digest_key(connection), speaker_id)
    for table in (privacy, opt_outs):
        await connection.execute(table.update().where(table.c.person_id == speaker_id).values(person_id=name))


async def unname_all(connection: AsyncConnection) -> None:
    """The same for everybody whom an earlier version kept by name."""
    for table in (privacy, opt_outs):
        clear = select(table.c.person_id).where(table.c.person_id.not_like(f"{UNNAMED}%")).distinct()
        for person_id in (await connection.scalars(clear)).all():
            await unname(connection, person_id)


async def names_of(connection: AsyncConnection, digests: Collection[str]) -> dict[str, str]:
    """Which speakers whose words are stored stand behind these."""
    key = await known_key(connection)
    if key is None or not digests:
        return {}
    known = {_digest(key, one): one for one in await connection.scalars(select(speakers.c.id))}
    return {one: known[one] for one in digests if one in known}


async def outlive(connection: AsyncConnection, speaker_id: str) -> bool:
    """Keeps what is to hold also when this speaker is erased; whether that was anything but opt-outs.

    Call it while their rows and links are there. Opt-outs are those of the speaker's own platform.
    """
    await come_back(connection, speaker_id)
    person = await person_of(connection, speaker_id)
    row = (await connection.execute(select(privacy).where(privacy.c.person_id == person))).one_or_none()
    lasting = None if row is None else _lasting(to_privacy(row, speaker_id))
    scopes = await connection.scalars(select(opt_outs.c.scope).where(opt_outs.c.person_id == person))
    out = [scope for scope in scopes if platform_of(scope) == platform_of(speaker_id)]
    if lasting is None and not out:
        return False
    name = _digest(await digest_key(connection), speaker_id)
    if lasting is not None:
        await store(connection, name, lasting)
    await insert_new(connection, opt_outs, [{"person_id": name, "scope": scope} for scope in out])
    return lasting is not None


async def outlive_scopes(connection: AsyncConnection, scopes: Collection[str]) -> None:
    """Puts digests in the place of the ids of those who opted out of these places or servers, which are erased."""
    gone = opt_outs.delete().where(opt_outs.c.scope.in_(scopes))
    rows = (await connection.execute(gone.returning(opt_outs.c.person_id, opt_outs.c.scope))).all()
    kept: list[dict[str, str]] = []
    for row in rows:
        names = [row.person_id]
        if not row.person_id.startswith(UNNAMED):
            key, ids = await digest_key(connection), await identities_of(connection, row.person_id)
            names = [_digest(key, one) for one in ids if platform_of(one) == platform_of(row.scope)]
        kept += [{"person_id": name, "scope": row.scope} for name in names]
    await insert_new(connection, opt_outs, kept)


async def come_back(connection: AsyncConnection, speaker_id: str) -> None:
    """Puts what outlived the erasure of this person under their id again, as they decide something anew."""
    ids = await identities_of(connection, speaker_id)
    digests = await digests_of(connection, ids)
    decided = await decided_by(connection, speaker_id)
    scopes = (await connection.scalars(select(opt_outs.c.scope).where(opt_outs.c.person_id.in_(digests)))).all()
    for table in (privacy, opt_outs):
        await connection.execute(table.delete().where(table.c.person_id.in_(digests)))
    person = await person_of(connection, speaker_id)
    if decided is not None:
        await store(connection, person, decided)
    await insert_new(connection, opt_outs, [{"person_id": person, "scope": scope} for scope in scopes])


def _lasting(decided: Privacy) -> Privacy | None:
    """What holds also when its person is erased; None: nothing. A yes does not: they begin as strangers."""
    if not (decided.paused or decided.minor or decided.consent is Consent.REFUSED):
        return None
    consent = Consent.REFUSED if decided.consent is Consent.REFUSED else Consent.UNASKED
    return Privacy(
        decided.speaker_id, consent, paused=decided.paused, minor=decided.minor, minor_since=decided.minor_since
    )


def _digest(key: bytes, speaker_id: str) -> str:
    return UNNAMED + digest(key, "person", speaker_id)


def platform_of(name: str) -> str:
    """Of a speaker id, of the key of a place, or of "platform:server"."""
    return name.partition(":")[0]
