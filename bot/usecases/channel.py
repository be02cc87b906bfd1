"""When it speaks in a channel, what it keeps of it, and where it may use that."""

from __future__ import annotations

from collections.abc import Callable

from bot.conversation.modes import Modes
from bot.domain import Answer, Asker, Call, ChannelMode, Choice, Place
from bot.ports import Channels
from bot.texts import commands as texts
from bot.texts import privacy
from bot.usecases.calls import buttons
from bot.usecases.markup import joined, plain

ON, OFF = "on", "off"


class ChannelRules:
    """`/channel mode` and `/channel sharing`.

    `default` is the mode where nobody chose one; `on_mode` hears of every change of a mode.
    """

    def __init__(self, *, channels: Channels, default: ChannelMode, on_mode: Callable[[Place], None]) -> None:
        self._channels = channels
        self._modes = Modes(channels=channels, default=default)
        self._on_mode = on_mode

    async def mode(self, call: Call, asker: Asker) -> Answer:
        """`/channel mode`: shows or sets it. Not private: all who write there should know who reads along."""
        if wanted := call.get("mode"):
            mode = ChannelMode(wanted)
            await self._channels.set_mode(asker.place, mode, asker.speaker.id)
            self._on_mode(asker.place)
            return Answer(texts.MODE_SET[mode].format(name=plain(asker.speaker.name)), private=False)
        mode, where = await self._modes.chosen(asker.place)
        why = texts.MODE_BY_DEFAULT if where is None else "" if where == asker.place else texts.MODE_INHERITED
        modes = [f"- **{mode}**: {what}" for mode, what in texts.MODES.items()]
        choices = [Choice(other.value, Call("channel mode", (("mode", other.value),))) for other in ChannelMode]
        return Answer(joined([texts.MODE_NOW.format(mode=mode.value, why=why), *modes]), False, buttons(choices))

    async def sharing(self, call: Call, asker: Asker) -> Answer:
        """`/channel sharing`: shows it, or sets it for the whole server. Not private: all there should know."""
        if wanted := call.get("state"):
            on = wanted == ON
            await self._channels.set_sharing(asker.place, asker.speaker.id, on=on)
            return Answer(privacy.SHARING_SET[on].format(name=plain(asker.speaker.name)), private=False)
        if await self._channels.shares(asker.place):
            words, label, other = privacy.SHARING_ON.format(meaning=privacy.SHARED), privacy.DO_NOT_SHARE, OFF
        else:
            words, label, other = privacy.SHARING_OFF.format(meaning=privacy.NOT_SHARED), privacy.SHARE, ON
        choice = Choice(label, Call("channel sharing", (("state", other),)))
        return Answer(words, private=False, choices=buttons([choice]))
