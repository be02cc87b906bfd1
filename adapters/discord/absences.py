"""Servers that Discord does not tell of for now ("unavailable"), and what is read when they are back.

A connection begins with all its servers unavailable. discord.py takes it for ready when none has been told of for two
seconds; the rest come late. Others are away for a while in an outage. What was said there meanwhile is not told later,
so it is caught up on, each server by itself; until then everything counts as seen only up to where such a server was
heard last.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import discord

from adapters.discord.catching_up import with_messages
from adapters.discord.intake import Intake

LONGEST = timedelta(hours=1)
"""How long one server keeps all others from being noted as seen: some never come back.

If the process ends after that, what was said there before is not caught up on.
"""


@dataclass(slots=True)
class _Absent:
    noticed: datetime
    since: datetime | None
    """Until when it was surely heard; None: until the connection before this one."""
    unread: bool = False
    """Whether it came back and could not be read whole."""


@dataclass(frozen=True, slots=True)
class _Back:
    guild: discord.Guild
    lanes: frozenset[str]
    """What is held until it is read: its threads may be others by then."""


class Absences:
    """The servers of one connection that are not told of.

    `now` is the time; `returned` hears that a server is to be read. One that goes and comes again while it is read is
    read again after that.
    """

    def __init__(self, intake: Intake, now: Callable[[], datetime], returned: Callable[[], None]) -> None:
        self._intake = intake
        self._now = now
        self._returned = returned
        self._absent: dict[int, _Absent] = {}
        self._back: dict[int, _Back] = {}
        self._being_read: set[int] = set()

    def forget(self) -> None:
        """A new connection: all of it is told anew."""
        self._absent.clear()
        self._back.clear()
        self._being_read.clear()

    def begin(self, guilds: Iterable[discord.Guild]) -> None:
        """The connection is ready, and these are its servers."""
        now = self._now()
        self._absent.update({guild.id: _Absent(now, None) for guild in guilds if guild.unavailable})

    def not_heard_since(self, since: datetime) -> None:
        """Until when everything was heard before this connection."""
        for absent in self._absent.values():
            absent.since = absent.since or since

    def went(self, guild: discord.Guild, since: datetime) -> None:
        """An outage begins; all was heard until `since`."""
        absent = self._absent.setdefault(guild.id, _Absent(self._now(), since))
        absent.noticed = self._now()
        self._let_go_on(guild)

    def came(self, guild: discord.Guild) -> None:
        """A server is told of again. What is said there from now on waits for what is to be read."""
        if guild.id in self._absent:
            held = self._back[guild.id].lanes if guild.id in self._back else frozenset()
            self._back[guild.id] = back = _Back(guild, held | _lanes(guild))
            self._intake.hold(back.lanes)
            self._returned()

    def gone(self, guild: discord.Guild) -> None:
        """It is on that server no more."""
        self._absent.pop(guild.id, None)
        self._let_go_on(guild)

    @property
    def back(self) -> Sequence[discord.Guild]:
        """Those that are to be read now."""
        return [back.guild for number, back in self._back.items() if number not in self._being_read]

    @property
    def lanes(self) -> frozenset[str]:
        """What has to wait until they are read."""
        return frozenset(lane for back in self._back.values() for lane in back.lanes)

    def release(self, lane: str) -> None:
        """Lets a lane go on that was read, unless a server that is to be read still holds it."""
        if lane not in self.lanes:
            self._intake.release(lane)

    def since(self, guild: discord.Guild) -> datetime:
        """From when on it is to be read."""
        absent = self._absent.get(guild.id)
        return absent.since if absent is not None and absent.since is not None else self._now()

    def taken(self, guild: discord.Guild) -> frozenset[str] | None:
        """It is being read now. What was held for it; None: it has gone again meanwhile."""
        back = self._back.pop(guild.id, None)
        if back is None:
            return None
        self._being_read.add(guild.id)
        return back.lanes

    def over(self, guild: discord.Guild, *, whole: bool) -> None:
        """It has been read. Not `whole`: nothing later counts as seen, so that the next start reads it."""
        self._being_read.discard(guild.id)
        if guild.id in self._back:
            self._returned()
        elif whole and not guild.unavailable:
            self._absent.pop(guild.id, None)
        if not whole and (absent := self._absent.get(guild.id)):
            absent.unread = True

    def surely_until(self, time: datetime) -> datetime:
        """`time`, or until when the servers that are absent were heard, if that is before it."""
        latest = self._now() - LONGEST
        held = (one for one in self._absent.values() if one.unread or one.noticed > latest)
        return min([time, *(one.since for one in held if one.since)])

    def _let_go_on(self, guild: discord.Guild) -> None:
        """What was held for a server that is to be read no more, since it is away again or left."""
        if back := self._back.pop(guild.id, None):
            for lane in back.lanes:
                self._intake.release(lane)


def _lanes(guild: discord.Guild) -> frozenset[str]:
    return frozenset(str(channel.id) for channel in with_messages(guild))
