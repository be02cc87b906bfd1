"""What the owner's page shows and does beside the chat: health, settings, log, backups, models."""

import asyncio
import importlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog

from adapters.web.backstage import BackupFile, Begun, Checked, Lengthy, LogLine, ModelsShown
from bot.commands.model_choices import choose, describe_machine, fetch, hear, in_words, offered, recommended
from bot.config import Model, Settings
from bot.config.explained import ExplainedSetting, explained
from bot.errors import HelloAgainError, ModelUnavailable
from bot.llm.catalogue import SMALL
from bot.llm.choosing import BUNDLED
from bot.llm.models import describe_choice, machine_of
from bot.llm.servers import running_servers
from bot.log import OURS
from bot.ports import Clock
from bot.storage.backups.backup import back_up
from bot.texts import links as texts
from bot.texts import models as model_texts

EXAMINED = ("disk", "database", "model", "servers", "gpu", "backups", "tokens")
"""What of the doctor's list is looked at while the program runs, and takes no time."""
KEPT_LINES = 100
MEGABYTE = 1_000_000

_log = structlog.get_logger(__name__)


class _Stopped(HelloAgainError):
    """The owner has stopped what they had begun."""


@dataclass(eq=False, repr=False)
class OwnersBackstage:
    """The `Backstage` of the page."""

    settings: Settings
    file: Path
    """The settings' file."""
    clock: Clock
    lines: Sequence[LogLine]
    answering: str
    """The model that is loaded, by its title."""
    written: Settings | None = None
    """The settings as they were loaded, where the command that runs has changed some."""
    _chosen: str = field(init=False, default="")
    begun: Begun | None = field(init=False, default=None)
    """What was begun last, until something else is."""
    _work: asyncio.Task[None] | None = field(init=False, default=None)
    _stopping: bool = field(init=False, default=False)

    async def check(self) -> Sequence[Checked]:
        """What the doctor finds."""
        doctor = await asyncio.to_thread(importlib.import_module, "bot.commands.doctor")  # which brings torch
        found = [await getattr(doctor, name)(self.settings) for name in EXAMINED]
        return [Checked(one.subject, one.verdict.value, one.found, one.do) for one in found]

    def explain(self) -> Sequence[ExplainedSetting]:
        """Every setting, those that most owners want first."""
        return explained(self.settings, self.file.parent, self.written)

    def log(self) -> Sequence[LogLine]:
        """The last lines of the log, the latest first."""
        return list(self.lines)

    def backups(self) -> Sequence[BackupFile]:
        """The backups, the latest first."""
        found = [(file, file.stat()) for file in self.settings.backup.folder.glob("*.age")]
        made = [BackupFile(f.name, datetime.fromtimestamp(s.st_mtime, UTC), s.st_size / MEGABYTE) for f, s in found]
        return sorted(made, key=lambda one: one.made, reverse=True)

    async def models(self) -> ModelsShown:
        """The models, and what suits the machine."""
        servers = [in_words(one) for one in await running_servers()]
        return await asyncio.to_thread(self._models, servers)

    def _models(self, servers: Sequence[str]) -> ModelsShown:
        model = self.settings.model
        machine = machine_of(model)
        best = recommended(machine, model)
        in_use = self.answering or configured(model)
        suits = best.sentence if best is not None else model_texts.NOTHING_BETTER
        advice = [describe_machine(machine), suits, *servers]
        return ModelsShown(offered(model, machine), in_use, self._chosen, advice, best.name if best else "")

    def choose(self, name: str) -> Sequence[str]:
        """Has a model answer from the next start on."""
        told = choose(self.settings, name, self.file)
        self._chosen = name
        return told

    def begin(self, what: Lengthy, name: str = "") -> bool:
        """Begins something lengthy. False: something else is not over yet."""
        if self.begun is not None and not self.begun.ended:
            return False
        self._stopping = False
        self.begun = Begun(what, name)
        work = {"get": self._get, "try": self._try, "backup": self._back_up}[what](name)
        # Owned by this object, which ends it in `open_backstage`.
        self._work = asyncio.create_task(self._done(self.begun, work), name=f"{what}, begun on the page")
        return True

    def stop(self) -> None:
        """Has what was begun end at its next step."""
        self._stopping = True

    async def aclose(self) -> None:
        """Ends what was begun, at its next step."""
        self.stop()
        if self._work is not None:
            self._work.cancel()
            with suppress(asyncio.CancelledError):
                await self._work

    async def _done(self, begun: Begun, work: Awaitable[Sequence[str]]) -> None:
        try:
            begun.told = await work
            begun.ended = "well"
        except _Stopped:
            begun.ended = "stopped"
        except HelloAgainError as error:
            begun.told, begun.ended = [str(error)], "badly"
        except Exception:  # noqa: BLE001  # edge: what the owner began is told as failed, and the page stays
            _log.exception("what was begun on the page failed", what=begun.what)
            begun.told, begun.ended = [texts.WENT_WRONG], "badly"

    async def _get(self, name: str) -> Sequence[str]:
        return [await asyncio.to_thread(fetch, self.settings, name, self._report)]

    async def _try(self, name: str) -> Sequence[str]:
        return await hear(self.settings, name, self._report)

    async def _back_up(self, _name: str) -> Sequence[str]:
        made = await back_up(self.settings, self.clock.now())
        told = {"file": made.file.name, "rows": made.rows, "size": made.size / MEGABYTE, "day": made.expires}
        return [texts.BACKUP_MADE.format(**told)]

    def _report(self, step: str, share: float | None = None) -> None:
        """Also called from the thread that downloads."""
        if self._stopping:
            raise _Stopped(step)
        if self.begun is not None:
            self.begun.step, self.begun.share = step, share


def configured(model: Model) -> str:
    """The model that these settings stand for, by the name that is written there."""
    if model.engine == "remote":
        return model.remote.name or model.remote.base_url
    try:
        planned = describe_choice(model).choice.id
    except ModelUnavailable:
        return model.id
    return SMALL if planned == BUNDLED else planned


@asynccontextmanager
async def open_backstage(
    settings: Settings, file: Path, clock: Clock, answering: str, written: Settings | None = None
) -> AsyncIterator[OwnersBackstage]:
    """The backstage while the context is open; what was begun there ends with it."""
    with recent_lines() as lines:
        backstage = OwnersBackstage(settings, file, clock, lines, answering, written)
        try:
            yield backstage
        finally:
            await backstage.aclose()


class _Recent(logging.Handler):
    """Keeps the last lines of our own, without what was put into them."""

    def __init__(self, lines: deque[LogLine]) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a line that the program wrote with fixed words."""
        if record.name.partition(".")[0] in OURS and isinstance(record.msg, dict):
            time = datetime.fromtimestamp(record.created, UTC)
            self._lines.appendleft(LogLine(time, record.levelname.lower(), record.name, str(record.msg.get("event"))))


@contextmanager
def recent_lines() -> Iterator[Sequence[LogLine]]:
    """The last warnings and errors while the context is open, the latest first."""
    lines: deque[LogLine] = deque(maxlen=KEPT_LINES)
    handler = _Recent(lines)
    logging.getLogger().addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)
