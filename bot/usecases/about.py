"""What it is, what it can do, and how it is doing."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.config import Agent, Model
from bot.domain import Answer, Asker, Call, ModelDescription
from bot.texts import commands as texts
from bot.texts.translating import here
from bot.usecases.calls import button, buttons, usage
from bot.usecases.catalogue import GROUPS, Command
from bot.usecases.markup import joined, plain

GIB = 2**30
MEGABYTE, GIGABYTE = 10**6, 10**9


@dataclass(frozen=True, slots=True)
class Vitals:
    """The companion at one moment. No word of anybody is in it."""

    uptime: timedelta
    answering: int
    """Places in which a reply is being made."""
    waiting: int
    """Messages that wait for their turn."""
    tokens_per_s: float | None
    """Over the last replies; None: there was none yet."""
    resident_bytes: int
    data_bytes: int
    """What is stored in the data folder."""
    free_bytes: int
    """Of the disk that it is on."""
    jobs_waiting: int
    """Background jobs that are due or put back."""
    adapters: tuple[tuple[str, str], ...] = ()
    """(platform, its state in one or two words)."""


@dataclass(kw_only=True, eq=False, repr=False)
class About:
    """`/help`, `/about` and `/status`. `model`: None without one."""

    card: Agent
    model: ModelDescription | None
    settings: Model
    vitals: Callable[[], Awaitable[Vitals]]

    def help(self, usable: Sequence[Command], *, in_channel: bool) -> Answer:
        """`/help`: how to talk to it, and by topic, with a button each, what the asker may use where they ask."""
        opening = texts.HELP_CHANNEL if in_channel else texts.HELP_DM
        topics: dict[str, list[str]] = {}
        for command in usable:
            word, _, rest = command.name.partition(" ")
            topics.setdefault(word, []).append(rest)
        lines = [
            texts.TOPIC.format(word=word, help=plain(here(GROUPS[word])), commands=", ".join(names))
            for word, names in topics.items()
            if word in GROUPS
        ]
        alone = [f"- `{usage(command)}` {plain(here(command.help))}" for command in usable if " " not in command.name]
        choices = [button(here(GROUPS[word]), "help", topic=word) for word in topics if word in GROUPS]
        text = joined([opening.format(name=plain(self.card.name)), *lines, *alone])
        return Answer(text, choices=buttons(*([choice] for choice in choices)))

    async def about(self, _call: Call, _asker: Asker) -> Answer:
        """`/about`: that it is a machine, which model, what it keeps and where."""
        lines = [texts.ABOUT.format(name=plain(self.card.name)), *self._engine(), texts.KEEPS, texts.HOW_TO_LOOK]
        return Answer(joined(lines), choices=buttons([button(texts.LOOK, "memory list")]))

    async def status(self, _call: Call, asker: Asker) -> Answer:
        """`/status`: how it is doing, for its owner. That it runs where it is asked is not said: it answers there."""
        vitals = await self.vitals()
        speed = vitals.tokens_per_s
        lines = [
            texts.UPTIME.format(span=texts.span(vitals.uptime)),
            texts.ANSWERING.format(
                places=texts.counted(vitals.answering, "place"), messages=texts.counted(vitals.waiting, "message")
            ),
            texts.NO_SPEED if speed is None else texts.SPEED.format(tokens=speed),
            texts.RESIDENT.format(gib=vitals.resident_bytes / GIB),
            texts.ROOM.format(data=vitals.data_bytes / MEGABYTE, free=vitals.free_bytes / GIGABYTE),
            texts.JOBS.format(jobs=texts.counted(vitals.jobs_waiting, "piece")),
            *(
                texts.PLATFORM.format(platform=plain(texts.platform_title(name)), state=plain(here(state)))
                for name, state in vitals.adapters
                if (name, state) != (asker.place.platform, texts.RUNNING)
            ),
        ]
        if not vitals.adapters:
            lines.append(texts.NO_ADAPTERS)
        again = buttons([button(texts.AGAIN, "status")])
        return Answer(joined([texts.STATUS_TITLE, *(f"- {line}" for line in lines)]), choices=again)

    def _engine(self) -> list[str]:
        if self.model is None:
            return [texts.NO_MODEL]
        speaks = texts.SPEAKS_WITH.format(model=plain(self.model.name), detail=plain(self.model.detail))
        if self.settings.engine != "remote":
            return [speaks, texts.LOCAL]
        return [speaks, texts.REMOTE_HERE if self.settings.is_at_home else texts.REMOTE]
