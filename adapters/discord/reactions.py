"""Reactions to the companion's messages: who put which sign under what, to the core, and its answer into the DM."""

import zlib
from typing import Any, cast

import discord
import structlog
from discord.ext import commands

from adapters.discord.answering import render, with_buttons
from adapters.discord.messenger import FAULTS, channel_id
from adapters.discord.reading import channel_place, dm_with, place_name, speaker
from adapters.pace import Pace
from bot.domain import Answer, Asker, Call, Place, PlaceKind, Reaction, Sign
from bot.errors import HelloAgainError
from bot.ports import Core
from bot.usecases import calls

SIGNS = {"👍": Sign.YES, "👎": Sign.NO, "🔁": Sign.AGAIN, "🛑": Sign.STOP}
_SKIN = dict.fromkeys(range(0x1F3FB, 0x1F400))
_LOW_BITS = (1 << 22) - 1
"""What of an id is no time."""

_log = structlog.get_logger(__name__)


class Reactions(commands.Cog):
    """Hears of reactions. `presses` counts them with commands and buttons."""

    def __init__(self, client: discord.Client, core: Core, presses: Pace) -> None:
        self._client = client
        self._core = core
        self._presses = presses

    @commands.Cog.listener()
    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Somebody put an emoji under a message."""
        sign = SIGNS.get(payload.emoji.name.translate(_SKIN)) if payload.emoji.is_unicode_emoji() else None
        me = self._client.user
        if sign is None or me is None or payload.message_author_id != me.id or payload.user_id == me.id:
            return
        if not self._presses.allows(payload.user_id):
            return
        try:
            reaction = await self._read(payload, sign)
            answer = await self._core.reacted(reaction) if reaction is not None else None
            if reaction is not None and answer is not None:
                await self._show(answer, reaction.asker.place)
        except HelloAgainError:
            _log.exception("a reaction could not be dealt with", sign=sign.value)
        except FAULTS as fault:
            _log.warning("a reaction could not be answered", fault=type(fault).__name__)

    async def _read(self, payload: discord.RawReactionActionEvent, sign: Sign) -> Reaction | None:
        """The reaction as the core takes it; None of a bot, or where the companion does not live."""
        person = payload.member or await self._client.fetch_user(payload.user_id)
        channel: object = None
        if payload.guild_id is not None:
            channel = self._client.get_channel(payload.channel_id) or await self._client.fetch_channel(
                payload.channel_id
            )
        place = dm_with(person.id) if payload.guild_id is None else channel_place(channel)
        if person.bot or place is None:
            return None
        own = zlib.crc32(f"{person.id} {sign}".encode()) & _LOW_BITS
        return Reaction(
            asker=Asker(speaker(person), place, place_name=place_name(channel)),
            message_id=str(payload.message_id),
            sign=sign,
            time=discord.utils.utcnow(),
            as_message=str(payload.message_id & ~_LOW_BITS | own),
            offered=await self._offered(payload, place),
        )

    async def _offered(self, payload: discord.RawReactionActionEvent, place: Place) -> tuple[Call, ...]:
        """What the buttons under a message of a DM do; questions that have buttons are put there alone."""
        if place.kind is not PlaceKind.DM:
            return ()
        message = await self._client.http.get_message(payload.channel_id, payload.message_id)
        ids = [
            str(button.get("custom_id", ""))
            for row in cast("list[dict[str, Any]]", message["components"])
            for button in row.get("components", ())
        ]
        return tuple(call for one in ids if (call := calls.decode(one)) is not None)

    async def _show(self, answer: Answer, place: Place) -> None:
        """In the DM alone: a reaction has no message that only one person sees."""
        if place.kind is not PlaceKind.DM:
            return
        channel = self._client.get_partial_messageable(await channel_id(self._client, place))
        for part, buttons in with_buttons(*render(answer)):
            await channel.send(part, view=buttons, allowed_mentions=discord.AllowedMentions.none())
