"""Which encoder serves: one promised by its fingerprint, or a former one until the wanted one's vectors are made."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from bot.app.late import LateEncoder
from bot.config import EncoderSettings, Settings
from bot.errors import ModelUnavailable
from bot.llm.bundled_encoder import DIMENSION, FINGERPRINT, is_known
from bot.ports import Encoder
from bot.storage.stores import encoder_in_use
from bot.storage.vectors.opening import Maker

_log = structlog.get_logger(__name__)


async def promised_encoder(settings: EncoderSettings) -> LateEncoder | None:
    """The encoder that the settings name, to be loaded later; None when its fingerprint is known only by loading it."""
    known = await asyncio.to_thread(is_known, settings.id)
    return LateEncoder(FINGERPRINT, DIMENSION) if known else None


async def former_encoder(
    settings: Settings, wanted: Encoder, load: Callable[[EncoderSettings], Awaitable[Encoder]]
) -> tuple[Encoder, Maker] | None:
    """The encoder that serves until there are vectors of the `wanted` one; None where nothing has to be waited for.

    None, too, where it cannot be loaded any more. Vectors are then made anew while words alone find memories.
    """
    maker = await encoder_in_use(settings, wanted.fingerprint)
    if maker is None:
        return None
    try:
        former = await load(settings.encoder.model_copy(update={"id": maker.id}))
    except ModelUnavailable as error:
        _log.warning("the former text encoder is gone: until vectors are made, words find memories", reason=str(error))
        return None
    if former.fingerprint != maker.fingerprint:
        _log.warning("the former text encoder has changed: until vectors are made, words find memories", id=maker.id)
        return None
    _log.warning("the former text encoder serves while vectors of the new one are made", former=maker.id)
    return former, maker
