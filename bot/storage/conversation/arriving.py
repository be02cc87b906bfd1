"""What has to be known before something that arrived is stored, in one statement."""

from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Speaker, Utterance
from bot.domain.text import well_formed
from bot.storage.shared.care_tables import checkin_wishes
from bot.storage.shared.digests import KEY, digest
from bot.storage.shared.privacy_tables import identities
from bot.storage.shared.rows import know, know_place, part
from bot.storage.shared.tables import (
    OPEN,
    drafts,
    erased_messages,
    meta,
    outbox_parts,
    places,
    sessions,
    speakers,
    utterances,
)

_place: BindParameter[str] = bindparam("place")
_platform: BindParameter[str] = bindparam("platform")
_speaker: BindParameter[str] = bindparam("speaker")
_of_place = places.c.key == _place
_of_speaker = speakers.c.id == _speaker
_message = (utterances.c.platform == _platform, utterances.c.message_id == bindparam("message"))
_open = (sessions.c.place_key == _place, sessions.c.state == OPEN)
_open_id = select(sessions.c.id).where(*_open).scalar_subquery()
_linked = select(identities.c.person_id).where(identities.c.speaker_id == _speaker).scalar_subquery()

_KNOWN = select(
    part("stored", utterances.c.id, *_message),
    part("digest_key", meta.c.value, meta.c.key == KEY),
    part("place_key", places.c.key, _of_place),
    part("place_name", places.c.name, _of_place),
    part("public", places.c.public, _of_place),
    part("speaker_name", speakers.c.name, _of_speaker),
    part("speaker_number", speakers.c.number, _of_speaker),
    part("wishes_of", checkin_wishes.c.person_id, checkin_wishes.c.person_id == func.coalesce(_linked, _speaker)),
    _open_id.label("session_id"),
    part("session_last", sessions.c.last, *_open),
    part("session_words", sessions.c.words, *_open),
    part("position", func.max(utterances.c.position), utterances.c.session_id == _open_id),
)

_ERASED = select(erased_messages.c.at).where(erased_messages.c.digest == bindparam("digest"))

_said = select(utterances.c.id).where(*_message)
_sent = select(outbox_parts.c.outgoing_id).where(outbox_parts.c.platform_message_id == bindparam("message"))
_drawn = select(drafts.c.message_id).where(drafts.c.message_id == bindparam("message"))
_IS_THERE = select(or_(_said.exists(), _sent.exists(), _drawn.exists()))


async def look(connection: AsyncConnection, utterance: Utterance) -> Row[*tuple[Any, ...]]:
    """What is known of the message, its place, its speaker and the session that is open there."""
    values = {
        "place": utterance.place.key,
        "platform": utterance.place.platform,
        "speaker": utterance.speaker.id,
        "message": utterance.message_id,
    }
    return (await connection.execute(_KNOWN, values)).one()


async def seen_before(connection: AsyncConnection, utterance: Utterance, known: Row[*tuple[Any, ...]]) -> bool:
    """Whether this message is stored, or was erased. Where nothing was ever digested, nothing was erased."""
    if known.stored is not None:
        return True
    if known.digest_key is None:
        return False
    named = digest(bytes.fromhex(known.digest_key), utterance.place.platform, utterance.message_id)
    return await connection.scalar(_ERASED, {"digest": named}) is not None


async def is_there(connection: AsyncConnection, platform: str, message_id: str) -> bool:
    """Whether what something replies to is stored, or shown by the companion."""
    return bool(await connection.scalar(_IS_THERE, {"platform": platform, "message": message_id}))


async def know_both(
    connection: AsyncConnection, utterance: Utterance, known: Row[*tuple[Any, ...]]
) -> tuple[Speaker, bool]:
    """Makes sure that place and speaker have rows with the names that they have now; writes only what is new.

    Returns the speaker, numbered, and whether it has changed who can read the place.
    """
    place, speaker, public = utterance.place, utterance.speaker, utterance.place_public
    name, changed = well_formed(utterance.place_name), False
    renamed = bool(name) and name != known.place_name
    if known.place_key is None or renamed or (public is not None and public is not known.public):
        changed = await know_place(connection, place, name, public=public)
    if known.speaker_number is None or known.speaker_name != speaker.name:
        return await know(connection, place, speaker), changed
    return Speaker(speaker.id, speaker.name, known.speaker_number), changed
