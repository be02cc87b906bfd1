"""When it speaks in a channel, what it keeps of it, and where it may use that."""

from collections.abc import Callable, Mapping

from bot.conversation.modes import Modes
from bot.domain import Answer, Asker, Call, ChannelMode, Place
from bot.ports import Channels
from bot.texts import commands as texts
from bot.texts import meeting, privacy
from bot.usecases.calls import button, buttons
from bot.usecases.markup import joined, plain

ON, OFF = "on", "off"


class ChannelRules:
    """`/channel mode`, `/channel default` and `/channel sharing`.

    `default` is the mode where nobody chose one; `on_mode` hears of every change of a mode.
    """

    def __init__(self, *, channels: Channels, default: ChannelMode, on_mode: Callable[[Place], None]) -> None:
        self._channels = channels
        self._modes = Modes(channels=channels, default=default)
        self._on_mode = on_mode

    async def mode(self, call: Call, asker: Asker) -> Answer:
        """`/channel mode`: shows or sets it. Not private: all who write there should know who reads along."""
        if wanted := call.get("mode"):
            return await self._set(asker.place, ChannelMode(wanted), asker, texts.MODE_SET)
        mode, where = await self._modes.chosen(asker.place)
        server = asker.place.whole_server
        inherited = texts.MODE_OF_SERVER if where == server else texts.MODE_INHERITED
        why = texts.MODE_BY_DEFAULT if where is None else "" if where == asker.place else inherited
        return _four(texts.MODE_NOW.format(mode=mode.value, why=why), call.command)

    async def default(self, call: Call, asker: Asker) -> Answer:
        """`/channel default`: the same for all channels of a server where nobody has chosen one."""
        server = asker.place.whole_server
        if server is None:
            return Answer(texts.ONLY_IN_CHANNELS)
        if wanted := call.get("mode"):
            return await self._set(server, ChannelMode(wanted), asker, texts.DEFAULT_SET)
        mode, _ = await self._modes.chosen(server)
        return _four(texts.DEFAULT_NOW.format(mode=mode.value), call.command)

    async def _set(self, place: Place, mode: ChannelMode, asker: Asker, words: Mapping[str, str]) -> Answer:
        await self._channels.set_mode(place, mode, asker.speaker.id)
        self._on_mode(place)
        return Answer(words[mode].format(name=plain(asker.speaker.name)), private=False)

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
        choice = button(label, "channel sharing", state=other)
        return Answer(words, private=False, choices=buttons([choice]))


def welcome(name: str, mode: ChannelMode) -> Answer:
    """What is said on a server that it was just added to, where `mode` holds as nobody has chosen one yet."""
    said = meeting.WELCOME.format(name=plain(name), does=texts.MODES[mode])
    set_up = button(meeting.SET_UP, "channel default")
    return Answer(said, False, buttons([set_up, button(meeting.MORE, "privacy policy")]))


def _four(first: str, command: str) -> Answer:
    """All modes, with a button each. For everybody: who writes there should know who reads along."""
    modes = [f"- **{mode}**: {what}" for mode, what in texts.MODES.items()]
    choices = [button(other.value, command, mode=other.value) for other in ChannelMode]
    return Answer(joined([first, *modes]), False, buttons(choices))
