"""`lab evaluate leaks`: does what was said in one place ever come up where somebody could not have read it?

Secrets are said in DMs, channels and threads (`leak_world.py`), to the whole core on the real encoder, SQLite and
Chroma. Then questions are asked about them everywhere, in words and with every command that shows memories, and all
that comes back is searched for secrets. The language model is replaced by one that repeats every secret it is shown:
what is not in the prompt cannot be in a reply, and what it repeats is remembered and asked for again.

A leak is a secret that is shown to somebody who could not read where it was said. Sets of readers are what counts here,
not the rule of `bot/storage/shared/audience.py`: the two must agree.
"""

from __future__ import annotations

import json
import logging
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import Care, Settings
from bot.domain import Answer, Asker, Call, CareWishes, GenerationRequest, Outgoing, Place, PlaceKind
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel
from lab.datasets.locomo import read_conversation
from lab.evaluation.leak_world import HERE, LINKED, THERE, WORD, Line, Secret, World, build
from lab.silent import SilentMessenger

FEWEST = 2
LIVES = 10
"""One probe in so many is followed by the end of the session: what was said in it becomes memories."""
SPOKEN = 0.2
"""Share of the probes that are said; the others are commands."""
AT_HOME = 0.3
"""Share of the probes that ask for a secret where it was said: there it must come up, else nothing is measured."""
COMMANDS = {
    ("memory search", "words"): 8,
    ("memory list", ""): 4,
    ("memory timeline", "words"): 1,
    ("memory why", ""): 8,
    ("memory forget", "what"): 4,
    ("persona show", "whose"): 4,
    ("memory export", ""): 4,
}
"""The commands that show memories, with their parameter and how often each is asked. A timeline is a picture too, which
takes long to paint."""
OFTEN: dict[str, Any] = {
    "offer": False,
    "zone": "UTC",
    "times": tuple(time(hour) for hour in range(0, 24, 2)),
    "quiet_from": time(0),
    "quiet_until": time(0),
    "every_days": 1,
    "per_week": 7,
    "after_talk_hours": 0.0,
    "back_off_after": 99,
    "stop_after": 100,
    "jitter_minutes": 0.0,
    "grace_minutes": 1440.0,
    "writer": "rules",
}
"""Settings under which everybody is checked in on every day."""
ROUTES = ("prompt", "reply", "check-in", "command", "export", "completion", "log")


@dataclass
class Tally:
    """What was looked at and found, by route."""

    looked: Counter[str] = field(default_factory=Counter)
    leaked: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    asked_at_home: int = 0
    recalled_at_home: int = 0


@dataclass
class ListeningMessenger(SilentMessenger):
    """Keeps what was sent last."""

    sent: list[Outgoing] = field(default_factory=list)

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """Takes the reply."""
        self.sent.append(outgoing)
        yield outgoing.nonce


class _Ears(logging.Handler):
    """Keeps the lines of the log."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one line, with all that belongs to it."""
        self.lines.append(f"{record.getMessage()} {record.exc_info or ''} {record.args or ''}")


def repeat_secrets(request: GenerationRequest) -> str:
    """The worst model there is: it says every secret that it is shown, in words that pass the checks of replies."""
    words = dict.fromkeys(WORD.findall(" ".join(message.content for message in request.messages)))
    return " ".join(f"You love {word}." for word in words) or "I do not know."


async def run(settings: Settings, data: Path, probes: int, seed: int, out: Path | None) -> int:
    """Probes and prints leaks by route; writes them to `out` as JSON. 1 when there were any. Raises BadInput."""
    started = perf_counter()
    files = sorted((data / "locomo").glob("*.json"))
    if len(files) < FEWEST:
        raise BadInput(f"{data / 'locomo'} should hold at least {FEWEST} conversations of LoCoMo (*.json).")
    world = build([read_conversation(file) for file in files], seed)
    with TemporaryDirectory(prefix="hello-again-leaks-") as folder:
        tally = await probe(settings, world, probes, seed, Path(folder))
    console = Console(highlight=False, width=120)
    console.print(as_table(tally, probes))
    console.print(
        f"{len(world.secrets)} secrets of {len(world.names)} people in {len(world.readers)} places; seed {seed};"
        f" {perf_counter() - started:.0f} s. Asked where they were said, {tally.recalled_at_home} of"
        f" {tally.asked_at_home} came up."
    )
    for example in tally.examples[:20]:
        console.print(example, markup=False)
    if out is not None:
        _write(out, tally, probes, seed)
    return int(bool(tally.leaked) or not tally.recalled_at_home)


def as_table(tally: Tally, probes: int) -> Table:
    """Leaks by route."""
    table = Table(title=f"{probes:,} probes", title_justify="left")
    for name in ("route", "texts searched", "leaks"):
        table.add_column(name, justify="left" if name == "route" else "right")
    for route in ROUTES:
        table.add_row(route, f"{tally.looked[route]:,}", f"{tally.leaked[route]:,}")
    return table


async def probe(settings: Settings, world: World, probes: int, seed: int, folder: Path) -> Tally:
    """Fills a fresh core with the world and asks."""
    # People's own words as memories: the model of this evaluation can only repeat.
    by_rules = settings.memory.timelines.model_copy(update={"linker": "rules"})
    own_words = {
        "memory": settings.memory.model_copy(update={"summariser": "extractive", "timelines": by_rules}),
        "persona": settings.persona.model_copy(update={"extractor": "extractive"}),
        "care": Care(**OFTEN),
    }
    settings = settings.at_home().in_folder(folder).model_copy(update=own_words)
    model, messenger = ScriptedChatModel(repeat_secrets), ListeningMessenger()
    clock, ears = ManualClock(world.sessions[0][0].time), _Ears()
    with listening(ears):
        messengers = {HERE: messenger, THERE: messenger}
        async with open_app(settings, clock=clock, messengers=messengers, model=model) as app:
            await app.prepare()
            asking = _Probing(app, world, clock, model, messenger, ears, random.Random(seed))  # noqa: S311
            await asking.fill()
            for number in track(range(probes), description="Asking", transient=True):
                await asking.ask(number)
            return asking.tally


@contextmanager
def listening(ears: logging.Handler) -> Iterator[None]:
    """Hands all lines of the log from INFO on to `ears`, and shows none that would not be shown anyway."""
    root = logging.getLogger()
    level, shown = root.level, [(handler, handler.level) for handler in root.handlers]
    for handler, _ in shown:
        handler.setLevel(max(handler.level, level))
    root.addHandler(ears)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(ears)
        root.setLevel(level)
        for handler, before in shown:
            handler.setLevel(before)


class _Probing:
    """Says, asks, and looks at all that comes back."""

    def __init__(
        self,
        app: App,
        world: World,
        clock: ManualClock,
        model: ScriptedChatModel,
        messenger: ListeningMessenger,
        ears: _Ears,
        chance: random.Random,
    ) -> None:
        self._app = app
        self._world = world
        self._clock = clock
        self._model = model
        self._messenger = messenger
        self._ears = ears
        self._chance = chance
        self._number = 0
        self.tally = Tally()

    async def fill(self) -> None:
        """Says everything of the world, at its times; the linked person links their platforms."""
        await self._app.visible(self._world.public)
        sharer = self._world.speaker(LINKED, HERE)
        await self._app.stores.channels.set_sharing(self._world.sharing, sharer.id, on=True)
        await self._app.stores.identities.offer(sharer.id, "code", self._clock.now() + timedelta(days=36_500))
        await self._app.stores.identities.link(self._world.speaker(LINKED, THERE).id, "code", self._clock.now())
        for session in track(self._world.sessions, description="Telling", transient=True):
            for line in session:
                self._clock.move_to(line.time)
                await self._say(line, to_bot=line.place.kind is PlaceKind.DM)
            await self._pass(timedelta(hours=2))
        self._model.requests.clear()
        self._messenger.sent.clear()
        for person in range(len(self._world.names)):
            speaker = self._world.speaker(person, HERE)
            await self._app.stores.checkins.choose(CareWishes(speaker.id, on=True, place=self._world.dm(person)))
            await self._app.checkins.planner.plan_anew(speaker.id)

    async def ask(self, number: int) -> None:
        """One probe: a secret, a place, somebody who can read it, and a way to ask."""
        secret = self._chance.choice(list(self._world.secrets.values()))
        at_home = self._chance.random() < AT_HOME
        place = secret.place if at_home else self._chance.choice(list(self._world.readers))
        person = secret.person if at_home else self._chance.choice(sorted(self._world.readers[place]))
        if self._chance.random() < SPOKEN:
            await self._ask_aloud(secret, place, person, at_home=at_home)
        else:
            await self._command(secret, place, person)
        self._look("log", self._ears.lines, frozenset(range(len(self._world.names))) | {-1})
        self._ears.lines.clear()
        await self._pass(timedelta(hours=2) if number % LIVES == 0 else timedelta(seconds=30))

    async def _ask_aloud(self, secret: Secret, place: Place, person: int, *, at_home: bool) -> None:
        ways = ("What is my {}?", "Do you remember the {}?", "Tell me about the {} of {}.", "Who has a {} here?")
        name = self._world.names[secret.person]
        text = self._chance.choice(ways).format(secret.subject, name)
        await self._say(Line(person, place, text, self._clock.now()), to_bot=True)
        prompts = [message.content for request in self._model.requests for message in request.messages]
        if at_home:
            self.tally.asked_at_home += 1
            self.tally.recalled_at_home += any(secret.word in prompt for prompt in prompts)
        self._look("prompt", prompts, self._world.readers[place])
        for sent in self._messenger.sent:
            self._look("reply", [sent.text], self._world.readers[sent.place])
        self._model.requests.clear()
        self._messenger.sent.clear()

    async def _command(self, secret: Secret, place: Place, person: int) -> None:
        [(command, parameter)] = self._chance.choices(list(COMMANDS), list(COMMANDS.values()))
        value = {"words": secret.subject, "what": secret.subject, "whose": "companion"}.get(parameter, "")
        asker = Asker(self._world.speaker(person, place.platform), place)
        arguments = ((parameter, value),) if parameter else ()
        answer = await self._app.command(Call(command, arguments), asker)
        readers = frozenset({person}) if answer.private else self._world.readers[place]
        self._look("command", _words(answer), readers)
        written = [file.content.decode() for file in answer.files if not file.name.endswith(".png")]
        self._look("export", written, readers)
        completed = await self._app.suggest("memory why", "entry", "", asker)
        self._look("completion", [label for label, _ in completed], frozenset({person}))

    def _look(self, route: str, texts: Iterable[str], readers: frozenset[int]) -> None:
        """Searches what `readers` are shown for secrets that are not for them."""
        for text in texts:
            self.tally.looked[route] += 1
            for word in dict.fromkeys(WORD.findall(text.casefold())):
                if word in self._world.secrets and (-1 in readers or not self._world.may_be_known(word, readers)):
                    self.tally.leaked[route] += 1
                    secret = self._world.secrets[word]
                    self.tally.examples.append(f"{route}: {word} of {secret.place.key} was shown to {sorted(readers)}")

    async def _say(self, line: Line, *, to_bot: bool) -> None:
        self._number += 1
        await self._app.receive(self._world.utterance(line, self._number, to_bot=to_bot))
        await self._app.idle()

    async def _pass(self, time: timedelta) -> None:
        self._clock.advance(time)
        if time > self._app.settings.beta:
            await self._app.settle()
            # What the model was asked in the background is no prompt of the place that is asked next.
            self._model.requests.clear()
            for sent in self._messenger.sent:
                self._look("check-in", [sent.text], self._world.readers[sent.place])
            self._messenger.sent.clear()


def _words(answer: Answer) -> list[str]:
    """All words of an answer, those on its buttons too."""
    labels = [choice.label for row in answer.choices for choice in row]
    given = [value for row in answer.choices for choice in row for _, value in choice.call.arguments]
    return [answer.text, *labels, *given]


def _write(path: Path, tally: Tally, probes: int, seed: int) -> None:
    figures = {
        "probes": probes,
        "seed": seed,
        "searched": dict(tally.looked),
        "leaks": {route: tally.leaked[route] for route in ROUTES},
        "asked_where_said": tally.asked_at_home,
        "recalled_where_said": tally.recalled_at_home,
    }
    try:
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None
