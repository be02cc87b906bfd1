"""When it speaks in a channel, and what it keeps of it."""

from __future__ import annotations

from collections.abc import Callable

from bot.domain import Answer, Asker, Call, ChannelMode, Choice, Place
from bot.ports import Channels
from bot.texts import commands as texts
from bot.usecases.calls import buttons
from bot.usecases.markup import joined, plain


class ChannelRules:
    """`/channel mode`. `default` is the mode where nobody chose one; `on_mode` hears of every change."""

    def __init__(self, *, channels: Channels, default: ChannelMode, on_mode: Callable[[Place], None]) -> None:
        self._channels = channels
        self._default = default
        self._on_mode = on_mode

    async def mode(self, call: Call, asker: Asker) -> Answer:
        """`/channel mode`: shows or sets it. Not private: all who write there should know who reads along."""
        if wanted := call.get("mode"):
            mode = ChannelMode(wanted)
            await self._channels.set_mode(asker.place, mode, asker.speaker.id)
            self._on_mode(asker.place)
            return Answer(texts.MODE_SET[mode].format(name=plain(asker.speaker.name)), private=False)
        mode, why = await self._in_force(asker.place)
        modes = [f"- **{mode}**: {what}" for mode, what in texts.MODES.items()]
        choices = [Choice(other.value, Call("channel mode", (("mode", other.value),))) for other in ChannelMode]
        return Answer(joined([texts.MODE_NOW.format(mode=mode.value, why=why), *modes]), False, buttons(choices))

    async def _in_force(self, place: Place) -> tuple[ChannelMode, str]:
        """The mode, and in words why it is that one. A thread without its own has that of its channel."""
        own = await self._channels.mode(place)
        if own is not None:
            return own, ""
        if place.parent is None:
            return self._default, texts.MODE_BY_DEFAULT
        inherited = await self._channels.mode(place.parent)
        return (self._default, texts.MODE_BY_DEFAULT) if inherited is None else (inherited, texts.MODE_INHERITED)
