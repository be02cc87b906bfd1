"""What only owners see, as numbers and names of channels: servers, modes, and what the day has used. Nobody's words.

The one exception is `prompt`: what the last prompt of the owner's own private chat held, for that owner alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.config import Settings
from bot.conversation.last_prompts import KeptPrompt, LastPrompts
from bot.domain import Asker, ChannelMode, Place
from bot.ports import Clock
from bot.usecases.kept import Kept
from bot.usecases.links import OWNER

ASKED_FOR_NAME = 20
"""Channels of a server that are asked for its name: the first that has one tells it."""

SERVERS = 100
"""Servers on the page, those with most channels of their own mode first."""


@dataclass(frozen=True, slots=True)
class ChannelShown:
    """A channel for which a mode was chosen."""

    place: Place
    name: str
    mode: ChannelMode


@dataclass(frozen=True, slots=True)
class ServerShown:
    """A Discord server or a Telegram group."""

    platform: str
    server: str
    name: str
    """What people call it; empty: nobody has said anything there yet."""
    mode: ChannelMode
    """That of its channels for which none was chosen."""
    chosen: bool
    """Whether `mode` was chosen there; else it is the one of the settings."""
    known: int
    """How many channels are known there."""
    channels: tuple[ChannelShown, ...]
    tokens: int
    """What the replies there have used today."""


@dataclass(frozen=True, slots=True)
class ServersShown:
    """Those that are shown, and how many there are besides."""

    shown: tuple[ServerShown, ...]
    more: int


@dataclass(frozen=True, slots=True)
class TokensShown:
    """Tokens of the language model that one day (UTC) has used, and its budgets. 0: no limit."""

    day: date
    background: int
    background_budget: int
    replies: int
    people: int
    """How many people were answered."""
    most_of_one: int
    person_budget: int
    most_of_server: int
    server_budget: int


@dataclass(frozen=True, slots=True)
class PromptShown:
    """What the last prompt of an owner's private chat held."""

    kept: KeptPrompt | None
    """None: there was none since the start, or what was kept of it has been dropped."""
    asked_of_whom: bool = True
    """False: whoever looks is nobody of whom the settings say that they are the only owner."""


class Overseeing:
    """Finds it, for owners alone: everybody else gets nothing."""

    def __init__(self, *, kept: Kept, prompts: LastPrompts, clock: Clock, settings: Settings) -> None:
        self._kept = kept
        self._prompts = prompts
        self._clock = clock
        self._settings = settings

    async def servers(self, asker: Asker) -> ServersShown:
        """The servers on which it is, with what was chosen for their channels."""
        if not asker.is_owner:
            return ServersShown((), 0)
        modes = await self._kept.channels.modes()
        chosen: dict[tuple[str, str], list[Place]] = {}
        for place in sorted(modes):
            chosen.setdefault((place.platform, place.server or ""), []).append(place)
        known = await self._kept.channels.everywhere()
        order = sorted(known, key=lambda key: (-len(chosen.get(key, ())), key))
        spent = (await self._kept.usage.of_day(self._today())).servers
        shown = [
            await self._server(key, known[key], {one: modes[one] for one in chosen.get(key, ())}, spent.get(key, 0))
            for key in order[:SERVERS]
        ]
        return ServersShown(tuple(shown), len(order) - len(shown))

    async def tokens(self, asker: Asker) -> TokensShown | None:
        """What today has used of the day's budgets."""
        if not asker.is_owner:
            return None
        today, limits = self._today(), self._settings.limits
        spent = await self._kept.usage.of_day(today)
        return TokensShown(
            day=today,
            background=await self._kept.jobs.spend_tokens(today, 0),
            background_budget=self._settings.background.daily_tokens,
            replies=sum(spent.people),
            people=len(spent.people),
            most_of_one=max(spent.people, default=0),
            person_budget=limits.person_daily_tokens,
            most_of_server=max(spent.servers.values(), default=0),
            server_budget=limits.server_daily_tokens,
        )

    async def prompt(self, asker: Asker) -> PromptShown:
        """What the last prompt of the asker's own private chat held.

        Whoever came by the link that the program printed is nobody in particular. They are shown the only owner's, if
        the settings name one person alone.
        """
        if not asker.is_owner:
            return PromptShown(None)
        ids = await self._kept.identities.of(asker.speaker.id) if asker != OWNER else await self._only_owner()
        return PromptShown(self._prompts.of(ids), asked_of_whom=bool(ids))

    async def _only_owner(self) -> Sequence[str]:
        """All identities of the one person whom the settings name; empty: they name none, or several."""
        named = self._settings.owners
        ids = sorted(await self._kept.identities.of(named[0])) if named else []
        return ids if {*named} <= {*ids} else []

    async def _server(
        self, key: tuple[str, str], places: Sequence[Place], modes: dict[Place, ChannelMode], tokens: int
    ) -> ServerShown:
        whole = next((one.whole_server for one in (*places, *modes) if one.whole_server is not None), None)
        own = {place: mode for place, mode in modes.items() if place != whole}
        channels = [place for place in places if place != whole]
        first = [place for place in channels if place.parent is None][:ASKED_FOR_NAME]
        names = await self._kept.utterances.place_names([*first, *own])
        mode = modes.get(whole) if whole is not None else None
        return ServerShown(
            platform=key[0],
            server=key[1],
            name=next((_server_in(names[one]) for one in first if names.get(one)), ""),
            mode=mode or self._settings.channels.mode,
            chosen=mode is not None,
            known=len(channels),
            channels=tuple(ChannelShown(place, names.get(place, ""), one) for place, one in own.items()),
            tokens=tokens,
        )

    def _today(self) -> date:
        return self._clock.now().date()


def _server_in(name: str) -> str:
    """The server's name in that of one of its channels, such as "#kitchen in Home"; a group's is that of its place."""
    channel, _, server = name.partition(" in ")
    return server if channel.startswith("#") and server else name
