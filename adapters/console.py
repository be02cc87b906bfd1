"""The terminal as a platform: the smallest adapter, and the one to copy.

An adapter does three things. It turns what happens into utterances with stable ids (`_utterance`); it hands them to the
core (`core.receive`), which stores each before anything else; and it is the Messenger through which replies come back.
It decides nothing about memory, and imports nothing of the core but its types and ports.
"""

import asyncio
import errno
import locale
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.text import Text

from adapters.inline_images import inline_image
from bot import texts
from bot.conversation.addressing import names_agent
from bot.domain import Answer, Asker, Choice, File, LastPart, Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.errors import DeliveryFailed, HelloAgainError
from bot.ports import Clock, Core, Growing, Live, Messenger
from bot.texts import commands as command_texts
from bot.texts import platforms as platform_texts
from bot.texts.sending import MAY_HAVE_ARRIVED
from bot.texts.translating import ENGLISH, speaking
from bot.usecases.calls import parse_line
from bot.usecases.catalogue import CATALOGUE
from bot.usecases.markup import bare

PLATFORM = "console"
CHANNEL = Place(PLATFORM, PlaceKind.CHANNEL, "home/living room")
"""Where `/as NAME` speaks: a channel that everyone at this keyboard shares."""

LINES_OF_INPUT = 4
"""Lines of the screen that a growing reply leaves to the input."""

HELP = "help"
"""What people type first, without a slash."""

RECALLED_INPUT = 200
"""How many of the person's own earlier lines the arrow keys bring back."""


@dataclass(eq=False, repr=False)
class ConsoleMessenger:
    """Shows replies in the terminal as they grow."""

    console: Console
    agent_name: str
    dm: Place
    offer: Callable[[Sequence[Sequence[Choice]]], None] = lambda _choices: None
    """Shows buttons, and knows from then on what they stand for."""
    grow: Callable[[str], bool] = lambda _text: False
    """Shows a reply that is thought of, and says whether anybody can see it."""
    when: Callable[[], str] | None = field(default=None, init=False)
    """What stands before a line: when it came, while nobody was at the keyboard."""

    def reaches(self, place: Place) -> bool:
        """The person at the keyboard and their channel; nobody else's DM."""
        return place in {self.dm, CHANNEL}

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        """A line above the input that grows while the reply is thought of, and goes when it is final."""
        return self._growing_line()

    @asynccontextmanager
    async def _growing_line(self) -> AsyncIterator[Live]:
        self.grow("…")
        try:
            yield _GrowingLine(self.grow)
        finally:
            self.grow("")

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """The final reply. One that may have been shown before the program was killed was on the screen: not again.

        A check-in grew nowhere before, so nobody knows whether it was shown. Raises DeliveryFailed for it.
        """
        if outgoing.checkin_id and outgoing.uncertain and not outgoing.parts:
            raise DeliveryFailed(MAY_HAVE_ARRIVED, retry=False, code="uncertain")
        if not outgoing.uncertain:
            notice = outgoing.id <= 0  # our own words, in the Markdown of commands' answers; it is in no outbox
            said = bare(outgoing.text) if notice else outgoing.text
            line = Text.assemble((f"{self.agent_name}: ", "bold cyan"), said)
            self.console.print(line if self.when is None else Text.assemble((self.when(), "dim"), line))
        if outgoing.choices or self.when is not None:
            self.offer(outgoing.choices)
        yield LastPart(outgoing.nonce)

    async def retract(self, place: Place, message_id: str) -> None:
        """Nothing stays on the screen but what is final."""


@dataclass(eq=False, repr=False)
class _GrowingLine:
    """The `Live` of the terminal."""

    grow: Callable[[str], bool]
    seen: bool = field(default=False, init=False)

    def show(self, text: str) -> None:
        """Shows the reply as far as it is known."""
        if text:
            self.seen = self.grow(text)


def _write(file: File, folder: Path | None) -> Path:
    """The path of a file that only its owner can read; one of that name is replaced. Raises OSError."""
    if folder is None:
        raise FileNotFoundError(errno.ENOENT, platform_texts.NO_FOLDER)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / Path(file.name).name
    path.unlink(missing_ok=True)  # never written through a link, nor into what others may have open
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(file.content)
    return path


class ConsoleAdapter:
    """A conversation at the keyboard. Files that an answer comes with are written to the folder `exports`."""

    platform = PLATFORM

    def __init__(
        self, *, user: str, agent_name: str, clock: Clock, exports: Path | None = None, console: Console | None = None
    ) -> None:
        self._console = console or Console(highlight=False)
        self._user = Speaker(f"{PLATFORM}:{user.casefold()}", user)
        self._dm = Place(PLATFORM, PlaceKind.DM, user.casefold())
        self._agent_name = agent_name
        self._clock = clock
        self._speaker, self._place = self._user, self._dm
        self._exports = exports
        self._messenger = ConsoleMessenger(self._console, agent_name, self._dm, self._offer, self._grow)
        self._session: PromptSession[str] | None = None
        """The input line, while somebody can type into it."""
        self._growing = ""
        self._choices: list[Choice] = []
        self._typed = False
        """Whether something was said since the buttons were shown."""
        self._kept: Sequence[Sequence[Choice]] | None = None
        """While nobody is at the keyboard: the buttons that are shown when somebody is."""

    @property
    def messenger(self) -> Messenger:
        """How replies are shown."""
        return self._messenger

    @property
    def dm(self) -> Place:
        """Where the person at the keyboard and the companion talk in private."""
        return self._dm

    @contextmanager
    def away(self, when: Callable[[], str]) -> Iterator[None]:
        """While it lasts, nobody is at the keyboard: `when()` stands before what comes, and its buttons wait.

        In the end those of the last are shown.
        """
        self._messenger.when, self._kept = when, ()
        try:
            yield
        finally:
            kept, self._messenger.when, self._kept = self._kept, None, None
            self._offer(kept)

    async def run(self, core: Core) -> None:
        """Reads lines until `/quit` or the end of input."""
        await core.connected()
        await core.idle()
        history = InMemoryHistory()
        for utterance in await core.recent(self._dm, RECALLED_INPUT):
            if not utterance.speaker.is_agent:
                history.append_string(utterance.text)
        async for line in self._lines(history):
            if line.casefold() == HELP:
                await self._command(f"/{HELP}", core)
            elif line.startswith("/"):
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
        commands = WordCompleter([f"/{command.name}" for command in CATALOGUE], sentence=True)
        self._session = PromptSession(
            self._prompt, history=history, completer=commands, complete_while_typing=False, erase_when_done=True
        )
        with patch_stdout(raw=True):
            while True:
                try:
                    line = (await self._session.prompt_async()).strip()
                except (EOFError, KeyboardInterrupt):
                    return
                self._console.print(Text(f"{self._speaker.name}: {line}"))
                yield line

    def _prompt(self) -> FormattedText:
        """What stands before the cursor: the reply that grows, as much as there is room for, and who is typing."""
        you = ("", f"{self._speaker.name}: ")
        if not self._growing:
            return FormattedText([you])
        room = self._console.width * max(self._console.height - LINES_OF_INPUT, 1)
        agent = ("bold ansicyan", f"{self._agent_name}: ")
        return FormattedText([agent, ("", f"{self._growing[-room:]}\n"), you])

    def _grow(self, text: str) -> bool:
        self._growing = text
        if self._session is None:
            return False
        self._session.app.invalidate()
        return True

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
                with speaking(_language()):
                    await self._ask(line, core)
                if line.rstrip() == f"/{HELP}":
                    self._note(texts.CONSOLE_HELP.format(agent=self._agent_name))
        return True

    async def _ask(self, line: str, core: Core) -> None:
        """Uses one of the companion's own commands, or presses button N of those shown last: `/N`."""
        pressed = {f"/{number}": choice.call for number, choice in enumerate(self._choices, start=1)}.get(line)
        self._choices = []
        call = pressed or parse_line(line)
        if call is None or (line[1:].isdecimal() and pressed is None):
            no_such = platform_texts.NO_BUTTON if line[1:].isdecimal() else command_texts.NO_COMMAND
            self._note(no_such.format(line=line))
            return
        # Whoever speaks: at this keyboard sits one person, and nobody else's memories are for them.
        asker = Asker(self._user, self._place, is_owner=True, may_manage=True, may_manage_server=True)
        try:
            answer = await core.command(call, asker)
        except HelloAgainError as error:
            self._note(str(error))
            return
        self._note(bare(answer.text))
        self._offer(answer.choices)
        await self._hand_over(answer)

    def _offer(self, choices: Sequence[Sequence[Choice]]) -> None:
        """Shows buttons, numbered on from those that were shown since something was typed."""
        if self._kept is not None:
            self._kept = choices
            return
        new = [choice for row in choices for choice in row]
        if self._typed and new:
            self._typed, self._choices = False, []
        first = len(self._choices) + 1
        self._choices += new
        if new:
            self._note("   ".join(f"/{number} {choice.label}" for number, choice in enumerate(new, start=first)))

    async def _hand_over(self, answer: Answer) -> None:
        """Writes the files of an answer where nobody else of this computer can read them."""
        written = False
        for file in answer.files:
            try:
                path = await asyncio.to_thread(_write, file, self._exports)
            except OSError as error:
                reason = error.strerror or type(error).__name__
                self._note(platform_texts.FILE_NOT_WRITTEN.format(name=file.name, reason=reason))
            else:
                written = True
                self._show_picture(file)
                self._note(platform_texts.FILE_WRITTEN.format(path=path), whole=True)
        if written:
            self._note(platform_texts.FILES_STAY)

    def _show_picture(self, file: File) -> None:
        """Shows a picture where somebody sits at a terminal that can."""
        shown = sys.stdout.isatty() and inline_image(file.content, os.environ, self._console.width)
        if shown:
            self._console.file.write(shown)
            self._console.file.flush()

    def _become(self, name: str) -> None:
        if name:
            self._speaker, self._place = Speaker(f"{PLATFORM}:{name.casefold()}", name), CHANNEL
            self._note(
                f"You are {name} now, in a channel. {self._agent_name} answers lines with its name in them. Commands"
                f" and buttons are still {self._user.name}'s."
            )
        else:
            self._speaker, self._place = self._user, self._dm
            self._note(f"You are {self._user.name} again, in private.")

    async def _say(self, line: str, core: Core) -> None:
        self._typed = True
        try:
            await core.receive(self._utterance(line, self._clock.now()))
        except HelloAgainError as error:
            self._note(str(error))
        if self._session is None:  # from a pipe, each line waits for its answer
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

    def _note(self, text: str, *, whole: bool = False) -> None:
        """`whole`: without line breaks of ours, so that a long path can be copied."""
        self._console.print(Text(text, style="dim"), soft_wrap=True if whole else None)


def _language() -> str:
    """What the variables want messages to be in: also where the system has no such locale, as in containers."""
    said = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return said.partition(".")[0] or locale.getlocale()[0] or ENGLISH
