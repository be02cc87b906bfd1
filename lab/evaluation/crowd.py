"""A platform for rehearsals: a server that hands a message over until it was taken, and shows what it is sent.

`crowd` takes each nonce once, as Discord does; `tribe` cannot tell a message from its double, as Telegram cannot. The
adapters run in gateways; the server, with all that people say and see, in the rehearsal.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

from bot.config import Settings
from bot.conversation.delivery import Unseen
from bot.domain import LastPart, Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.errors import DeliveryFailed, StorageError
from bot.ports import Clock, Core, Growing, Live, Messenger

FOLDER = "HELLO_CROWD_FOLDER"
"""The variable that says where the servers' sockets are."""

LANES = 8
AGAIN_S = 0.2


@dataclass
class CrowdServer:
    """One platform. `said`: what people said, by number; `shown`: (place, number of what it answers, nonce)."""

    platform: str
    knows_nonces: bool
    run: int = field(default_factory=lambda: int.from_bytes(os.urandom(4)))
    """In the numbers of all messages and the names of all places: none comes twice in one database."""
    said: dict[int, dict[str, Any]] = field(default_factory=dict)
    shown: list[tuple[str, str, str]] = field(default_factory=list)
    connections: int = 0
    _taken: set[int] = field(default_factory=set)
    _nonces: dict[str, str] = field(default_factory=dict)
    _writer: asyncio.StreamWriter | None = None

    @asynccontextmanager
    async def serving(self, folder: Path) -> AsyncIterator[None]:
        """Listens while the block runs."""
        server = await asyncio.start_unix_server(self._connected, folder / self.platform)
        async with server:
            yield
            if self._writer is not None:
                self._writer.close()

    @property
    def adapter(self) -> str:
        """What a gateway connects with."""
        return f"lab.evaluation.crowd:{self.platform.capitalize()}Adapter"

    modules: ClassVar[Sequence[str]] = ()
    chosen: ClassVar[Mapping[str, object]] = {}
    secrets: ClassVar[Mapping[str, str]] = {}
    rules_broken: ClassVar[int] = 0

    async def listens(self, url: str) -> None:
        """What is said waits here until somebody takes it."""

    async def say(self, number: int, where: int, talker: int) -> None:
        """Somebody says something in one of the places."""
        place, name = Place(self.platform, PlaceKind.CHANNEL, f"{self.run}/{where}"), f"{self.run}-{where}-{talker}"
        number += self.run * 10**6
        self.said[number] = {
            "said": number, "place": place.key, "speaker": f"{self.platform}:{name}", "name": name,
            "text": f"Question {number}?", "time": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        self._tell(self.said[number])

    def replies(self) -> list[tuple[str, int]]:
        """What people were shown, as it came: the place, and the number of what it answers."""
        return [(place, int(answers)) for place, answers, _ in self.shown]

    def _tell(self, line: dict[str, Any]) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(json.dumps(line).encode() + b"\n")

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The latest connection is the one that is told; what was not taken is told again."""
        self._writer = writer
        self.connections += 1
        for number in sorted(self.said.keys() - self._taken):
            self._tell(self.said[number])
        try:
            while line := await reader.readline():
                heard = json.loads(line)
                if "taken" in heard:
                    self._taken.add(heard["taken"])
                else:
                    writer.write(json.dumps({"sent": heard["send"], "id": self._show(heard)}).encode() + b"\n")
        except (ConnectionError, json.JSONDecodeError):
            return
        finally:
            writer.close()  # that its other end has gone does not close it

    def _show(self, sent: dict[str, Any]) -> str:
        nonce = sent["nonce"]
        if self.knows_nonces and nonce in self._nonces:
            return self._nonces[nonce]
        message_id = self._nonces[nonce] = f"shown-{nonce}"
        if sent["answers"] is not None:  # else it is a notice
            self.shown.append((sent["place"], sent["answers"], nonce))
        return message_id


class CrowdMessenger:
    """How replies get there: one line for each, whose answer is waited for."""

    resends: Literal[True] = True

    def __init__(self, platform: str) -> None:
        self._platform = platform
        self._writer: asyncio.StreamWriter | None = None
        self._answers: dict[int, asyncio.Future[str]] = {}
        self._numbers = itertools.count()

    def connect(self, writer: asyncio.StreamWriter | None) -> None:
        """Sends over this connection from now on; None: there is none."""
        self._writer = writer
        for waiting in self._answers.values():
            waiting.cancel()
        self._answers.clear()

    def answered(self, number: int, message_id: str) -> None:
        """Takes the server's answer."""
        if number in self._answers:
            self._answers.pop(number).set_result(message_id)

    def reaches(self, place: Place) -> bool:
        """Whether there is a connection."""
        return self._writer is not None and place.platform == self._platform

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        """Nothing is shown while it grows."""
        return nullcontext(Unseen())

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """Sends, and waits until it is shown."""
        if self._writer is None:
            raise DeliveryFailed("there is no connection", retry=True)
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        line = {"send": number, "nonce": outgoing.nonce, "place": outgoing.place.key, "answers": outgoing.in_reply_to}
        self._writer.write(json.dumps(line).encode() + b"\n")
        yield LastPart(await answer)

    async def retract(self, place: Place, message_id: str) -> None:
        """Nothing was shown."""


class CrowdAdapter:
    """Hands over what people say, in order in each place."""

    platform = "crowd"

    def __init__(self, settings: Settings, clock: Clock) -> None:
        del settings, clock
        self._messenger = CrowdMessenger(self.platform)
        self._writer: asyncio.StreamWriter | None = None

    @property
    def messenger(self) -> Messenger:
        """How replies get there."""
        return self._messenger

    async def run(self, core: Core) -> None:
        """Serves until it is cancelled or the server has gone."""
        reader, writer = await asyncio.open_unix_connection(Path(os.environ[FOLDER]) / self.platform)
        self._messenger.connect(writer)
        lanes: list[asyncio.Queue[dict[str, Any]]] = [asyncio.Queue() for _ in range(LANES)]
        try:
            async with asyncio.TaskGroup() as group:
                workers = [group.create_task(self._work(lane, core, writer), name="lane") for lane in lanes]
                await core.connected()
                while line := await reader.readline():
                    heard = json.loads(line)
                    if "said" in heard:
                        lanes[hash(heard["place"]) % LANES].put_nowait(heard)
                    else:
                        self._messenger.answered(heard["sent"], heard["id"])
                for worker in workers:
                    worker.cancel()
        finally:
            self._messenger.connect(None)
            writer.close()

    async def _work(self, lane: asyncio.Queue[dict[str, Any]], core: Core, writer: asyncio.StreamWriter) -> None:
        while True:
            heard = await lane.get()
            utterance = Utterance(
                place=Place.parse(heard["place"]),
                message_id=str(heard["said"]),
                speaker=Speaker(heard["speaker"], heard["name"]),
                text=heard["text"],
                time=datetime.fromisoformat(heard["time"]),
                to_bot=True,
            )
            while True:
                try:
                    await core.receive(utterance)
                    break
                except StorageError:
                    await asyncio.sleep(AGAIN_S)
            writer.write(json.dumps({"taken": heard["said"]}).encode() + b"\n")


class TribeAdapter(CrowdAdapter):
    """The same on the platform that knows no nonces."""

    platform = "tribe"
