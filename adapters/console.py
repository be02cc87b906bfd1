"""The terminal as a platform: the smallest adapter, and the one to copy.

An adapter does three things. It turns what happens into utterances with stable ids (`_utterance`); it hands them to the
core (`core.receive`), which stores each before anything else; and it is the Messenger through which replies come back.
It decides nothing about memory, and imports nothing of the core but its types and ports.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from uuid import uuid4

from prompt_toolkit import PromptSession
from prompt_toolkit.history import InMemoryHistory
from rich.console import Console
from rich.live import Live as LiveLine
from rich.text import Text

from bot import texts
from bot.conversation.addressing import names_agent
from bot.domain import Asker, Call, Choice, Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.errors import HelloAgainError
from bot.ports import Clock, Core, Growing, Live, Messenger
from bot.texts import commands as command_texts
from bot.usecases.calls import parse_line
from bot.usecases.markup import bare

PLATFORM = "console"
CHANNEL = Place(PLATFORM, PlaceKind.CHANNEL, "home/living room")
"""Where `/as NAME` speaks: a channel that everyone at this keyboard shares."""

RECALLED_INPUT = 200
"""How many of the person's own earlier lines the arrow keys bring back."""


class ConsoleMessenger:
    """Shows replies in the terminal as they grow."""

    def __init__(self, console: Console, agent_name: str, dm: Place) -> None:
        self._console = console
        self._agent_name = agent_name
        self._dm = dm

    def reaches(self, place: Place) -> bool:
        """The person at the keyboard and their channel; nobody else's DM."""
        return place in {self._dm, CHANNEL}

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        """A line that grows while the reply is thought of, and goes when it is final."""
        return self._growing_line()

    @asynccontextmanager
    async def _growing_line(self) -> AsyncIterator[Live]:
        if not self._console.is_terminal:
            yield _GrowingLine(None, self._agent_name)
            return
        line = LiveLine(_line(self._agent_name, "…"), console=self._console, transient=True, auto_refresh=False)
        with line:
            yield _GrowingLine(line, self._agent_name)

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """The final reply. One that may have been shown before the program was killed was on the screen: not again."""
        if not outgoing.uncertain:
            self._console.print(_line(self._agent_name, outgoing.text))
        yield outgoing.nonce

    async def retract(self, place: Place, message_id: str) -> None:
        """Nothing stays on the screen but what is final."""


class _GrowingLine:
    """The `Live` of the terminal; without `line` nothing is shown."""

    def __init__(self, line: LiveLine | None, agent_name: str) -> None:
        self._line = line
        self._agent_name = agent_name
        self.seen = False

    def show(self, text: str) -> None:
        """Shows the reply as far as it is known."""
        if self._line is not None and text:
            self.seen = True
            self._line.update(_line(self._agent_name, text), refresh=True)


def _line(agent_name: str, text: str) -> Text:
    return Text.assemble((f"{agent_name}: ", "bold cyan"), text)


class ConsoleAdapter:
    """A conversation at the keyboard."""

    platform = PLATFORM

    def __init__(self, *, user: str, agent_name: str, clock: Clock, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._user = Speaker(f"{PLATFORM}:{user.casefold()}", user)
        self._dm = Place(PLATFORM, PlaceKind.DM, user.casefold())
        self._agent_name = agent_name
        self._clock = clock
        self._speaker, self._place = self._user, self._dm
        self._messenger = ConsoleMessenger(self._console, agent_name, self._dm)
        self._choices: list[Choice] = []

    @property
    def messenger(self) -> Messenger:
        """How replies are shown."""
        return self._messenger

    async def run(self, core: Core) -> None:
        """Reads lines until `/quit` or the end of input."""
        await core.connected()
        await core.idle()
        history = InMemoryHistory()
        for utterance in await core.recent(self._dm, RECALLED_INPUT):
            if not utterance.speaker.is_agent:
                history.append_string(utterance.text)
        async for line in self._lines(history):
            if line.startswith("/"):
                if not await self._command(line, core):
                    return
            elif line:
                await self._say(line, core)

    async def _lines(self, history: InMemoryHistory) -> AsyncIterator[str]:
        """What is typed, line by line; from a pipe where there is no terminal."""
        if not sys.stdin.isatty():
            while line := await asyncio.to_thread(sys.stdin.readline):
                self._console.print(Text(f"{self._speaker.name}: {line.strip()}"))
                yield line.strip()
            return
        session: PromptSession[str] = PromptSession(history=history)
        while True:
            try:
                line = await session.prompt_async(f"{self._speaker.name}: ")
            except (EOFError, KeyboardInterrupt):
                return
            yield line.strip()

    async def _command(self, line: str, core: Core) -> bool:
        """Does what a line that starts with a slash says; False ends the conversation."""
        command, _, argument = line.partition(" ")
        match command:
            case "/quit":
                return False
            case "/as":
                self._become(argument.strip())
            case "/session":
                ended = await core.end_session(self._place)
                self._note("The session has ended." if ended else "No session is open, or a reply is still on its way.")
            case _:
                if command == "/help":
                    self._note(texts.CONSOLE_HELP.format(agent=self._agent_name))
                await self._ask(line, core)
        return True

    async def _ask(self, line: str, core: Core) -> None:
        """Uses one of the companion's own commands, or presses button N of its last answer: `/N`."""
        call = self._pressed(line) or parse_line(line)
        if call is None:
            self._note(command_texts.NO_COMMAND.format(line=line))
            return
        # Whoever speaks: at this keyboard sits one person, and nobody else's memories are for them.
        asker = Asker(self._user, self._place, is_owner=True, may_manage=True)
        try:
            answer = await core.command(call, asker)
        except HelloAgainError as error:
            self._note(str(error))
            return
        self._choices = [choice for row in answer.choices for choice in row]
        self._note(bare(answer.text))
        if self._choices:
            numbered = (f"/{number} {choice.label}" for number, choice in enumerate(self._choices, start=1))
            self._note("   ".join(numbered))

    def _pressed(self, line: str) -> Call | None:
        numbered = {f"/{number}": choice.call for number, choice in enumerate(self._choices, start=1)}
        return numbered.get(line)

    def _become(self, name: str) -> None:
        if name:
            self._speaker, self._place = Speaker(f"{PLATFORM}:{name.casefold()}", name), CHANNEL
            self._note(f"You are {name} now, in a channel. {self._agent_name} answers lines with its name in them.")
        else:
            self._speaker, self._place = self._user, self._dm
            self._note(f"You are {self._user.name} again, in private.")

    async def _say(self, line: str, core: Core) -> None:
        try:
            await core.receive(self._utterance(line, self._clock.now()))
        except HelloAgainError as error:
            self._note(str(error))
        await core.idle()

    def _utterance(self, line: str, time: datetime) -> Utterance:
        in_private = self._place.kind is PlaceKind.DM
        return Utterance(
            place=self._place,
            message_id=str(uuid4()),
            speaker=self._speaker,
            text=line,
            time=time,
            to_bot=in_private or names_agent(line, self._agent_name),
        )

    def _note(self, text: str) -> None:
        self._console.print(Text(text, style="dim"))
