"""Platforms, as the core sees them, and the core, as platforms see it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from bot.domain import Answer, Asker, Call, Outgoing, Place, Reaction, Utterance
from bot.ports.sharing import Leases


@dataclass(frozen=True, slots=True)
class Growing:
    """A reply that is being thought of."""

    place: Place
    in_reply_to: str | None
    """The message id of what is being answered."""
    draft: str | None
    """A message that shows an earlier, unfinished try at the same reply: it is used again."""
    created: Callable[[str], Awaitable[None]]
    """Must be awaited with the platform's id of a message as soon as it shows the growing reply."""


class Live(Protocol):
    """A growing reply on its way to people's screens."""

    @property
    def seen(self) -> bool:
        """Whether people may have seen some of it: from then on the reply is not begun anew."""

    def show(self, text: str) -> None:
        """Says how far the reply has come. Returns at once; what is shown follows as fast as the platform allows."""


class Messenger(Protocol):
    """What the core asks of a platform."""

    def reaches(self, place: Place) -> bool:
        """Whether something can be shown in `place` now, to those who belong there and nobody else."""

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        """Shows, while the context is open, that a reply is thought of, and the reply as it grows where that is wanted.

        Never raises for the platform's faults. When the context has been left, nothing more is shown.
        """

    def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """Sends the parts of the final text that `outgoing.parts` does not have, in order.

        Yields the platform's id of each part as soon as it has arrived, as a LastPart where it knows that none follows.
        Raises DeliveryFailed. With `sought_from`
        nothing is sent: the id is that of a message which an earlier attempt has left there; without one DeliveryFailed
        says that it is `absent`, or, where that cannot be known, "uncertain".
        """

    async def retract(self, place: Place, message_id: str) -> None:
        """Takes back a draft whose reply will not come. Never raises for the platform's faults."""


@runtime_checkable
class Resending(Messenger, Protocol):
    """A messenger on whose platform no reply is lost by being `uncertain`: it is sent again, unless it is found there.

    So the reply can be stored as being sent before the attempt begins.
    """

    resends: Literal[True]


class Core(Protocol):
    """What an adapter may ask of the core."""

    async def receive(self, utterance: Utterance) -> bool:
        """Stores what somebody said and has it dealt with; False when it was stored before or is not to be stored.

        Returns as soon as it is on disk; the reply comes through the adapter's Messenger. Until it returns, the
        platform must not be told that the message was taken. `to_bot` says what only the adapter knows; the core knows
        the channel's mode, calls by name and the limits. Raises StorageError.
        """

    async def edited(self, platform: str, message_id: str, text: str) -> bool:
        """Corrects what is remembered; False when that message is not stored, or says so already."""

    async def deleted(self, platform: str, message_ids: Sequence[str]) -> None:
        """Erases from memory what was deleted on the platform."""

    async def command(self, call: Call, asker: Asker) -> Answer:
        """Does a command. What the person can mend comes back as an answer; never raises for it."""

    async def reacted(self, reaction: Reaction) -> Answer | None:
        """Does what a reaction to a message of the companion's stands for; what is to be shown for it, in the DM.

        None: nothing, or a reply comes as it does to what is said. Raises StorageError.
        """

    async def suggest(self, command: str, parameter: str, typed: str, asker: Asker) -> list[tuple[str, str]]:
        """Completions for a parameter that is being typed: (label, value), 25 at most, the likeliest first."""

    async def connected(self) -> None:
        """Says that an adapter can send now: what an earlier run left unsent or unanswered is taken up."""

    async def seen_until(self, platform: str) -> datetime | None:
        """Until when everything on this platform has surely been handed over; None: nothing ever was."""

    async def saw(self, platform: str, until: datetime) -> None:
        """Records that everything until then has been handed over (and stored, where it was to be stored)."""

    async def known_dms(self, platform: str) -> list[Place]:
        """The DMs of a platform in which something was said, the latest first."""

    async def visible(self, places: Mapping[Place, bool]) -> None:
        """Says of channels whether everybody on their server can read them: at the start, and when it changes."""

    async def joined(self, platform: str, server: str) -> None:
        """Says that the companion is on this server."""

    async def left(self, platform: str, server: str) -> None:
        """Says that it was removed from a server: what it knows from there is erased after a grace period."""

    async def known_servers(self, platform: str) -> list[str]:
        """The servers on which the companion is, as far as is known: joined or spoken on, and not left."""

    async def place_deleted(self, place: Place) -> None:
        """Says that a channel, with its threads, or a thread was deleted: all that was said there is erased."""

    async def moved(self, old: Place, new: Place) -> None:
        """Says that a channel goes by another name from now on, with its threads and its server.

        What was chosen there and what is remembered from there goes along. Telling it again changes nothing.
        """

    async def gone(self, speaker_id: str) -> None:
        """Says that the platform reports this person as deleted: nothing of them stays."""

    async def reads(self, place: Place) -> bool:
        """Whether anything said in this place is read at all: not where a channel's mode is off. StorageError."""

    async def end_session(self, place: Place) -> bool:
        """Ends the session of `place` as β of silence would; False when none is open or a reply is on its way."""

    async def idle(self) -> None:
        """Waits until every message received so far is dealt with."""

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """The last utterances of `place`, oldest first."""


class Adapter(Protocol):
    """A platform: runs until it ends or is cancelled, and hands what it hears to the core.

    A class that `config.yaml` names is called with `settings` (all of them, secrets included) and `clock`. It raises
    AdapterStopped then, or in `run`, when it cannot work.
    """

    @property
    def platform(self) -> str:
        """The platform's name, the first part of its places' keys."""

    @property
    def messenger(self) -> Messenger:
        """How replies get to this platform."""

    async def run(self, core: Core) -> None:
        """Connects, listens and hands over; returns when the person or the platform ends it.

        When cancelled it stops listening and lets go of the connection. Raises AdapterStopped, with what to do.
        """


class Part(Protocol):
    """A part of a platform that one process at a time serves, such as a shard of Discord's."""

    @property
    def name(self) -> str:
        """What it is called among the parts of its platform; empty where there is only one."""

    @property
    def ready(self) -> bool:
        """Whether it is connected."""

    def holds(self, place: Place) -> bool:
        """Whether this place belongs to it: it hears what is said there, and sends what is to be sent there."""

    async def run(self, core: Core) -> None:
        """Serves this part as `Adapter.run` serves the whole. Raises AdapterStopped."""


@runtime_checkable
class Parted(Adapter, Protocol):
    """A platform that several processes can share."""

    @property
    def most_parts(self) -> int:
        """How many parts one process serves at most."""

    def parts(self, leases: Leases) -> Sequence[Part]:
        """All parts. `leases`: what their processes take turns by."""
