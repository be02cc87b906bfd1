"""When the companion speaks in a channel: what was chosen there, kept in mind."""

from bot.domain import ChannelMode, Place
from bot.ports import Channels


class Modes:
    """The modes in force. A thread has its own, else its channel's, else its server's, else the one of the settings."""

    def __init__(self, *, channels: Channels, default: ChannelMode) -> None:
        self._channels = channels
        self._default = default
        self._known: dict[Place, ChannelMode] = {}
        self._changes = 0

    async def of(self, place: Place) -> ChannelMode:
        """The mode in force in this channel or thread."""
        known = self._known.get(place)
        if known is not None:
            return known
        changes = self._changes
        mode, _ = await self.chosen(place)
        if changes == self._changes:  # what was read before a change must not outlive it
            self._known[place] = mode
        return mode

    async def chosen(self, place: Place) -> tuple[ChannelMode, Place | None]:
        """The mode in force, and where it was chosen: here, in its channel, for its server, in the settings (None).

        Read anew each time.
        """
        mode = await self._channels.mode(place)
        if mode is not None:
            return mode, place
        above = place.parent or place.whole_server
        return (self._default, None) if above in {None, place} else await self.chosen(above)

    def forget(self, place: Place) -> None:
        """Says that the mode of `place` was set, and with it that of its threads, or of its server's channels."""
        self._changes += 1
        self._known = {known: mode for known, mode in self._known.items() if not place.covers(known)}

    def forget_all(self) -> None:
        """Says that modes may have been set by another process."""
        self._changes += 1
        self._known.clear()
