"""`bot doctor`: everything the companion needs, looked at without starting it."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import wraps
from tempfile import TemporaryFile

import torch
from rich.console import Console
from rich.text import Text

from bot.config import SECRETS, Settings, serves_any
from bot.errors import HelloAgainError
from bot.llm.adapter_files import adapter_places
from bot.llm.adapters import read_adapter
from bot.llm.embedding import load_encoder
from bot.llm.faults import ModelNotReady, address
from bot.llm.models import ModelPlan, describe_choice
from bot.llm.remote import connect_remote_model
from bot.llm.servers import running_servers
from bot.memory.topics import load_topics
from bot.storage.engine.database import is_up_to_date
from bot.storage.engine.lock import DataFolderLock

GIGABYTE = 1_000_000_000
LOW_DISK_GB = 2.0
FULL_DISK_GB = 0.2
DAY_S = 86_400
OLD_BACKUP_DAYS = 7
MAKE_BACKUP = "`hello-again data backup` makes one"


class Verdict(StrEnum):
    """How a check came out. Only `BAD` keeps the companion from running."""

    GOOD = "ok"
    NOTE = "note"
    BAD = "bad"


STYLES = {Verdict.GOOD: "green", Verdict.NOTE: "yellow", Verdict.BAD: "bold red"}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's list: what was found, and what to do about it."""

    subject: str
    verdict: Verdict
    found: str
    do: str = ""


Examination = Callable[[Settings], Awaitable[Check]]
EXAMINATIONS: list[Examination] = []
"""In the order in which they are made. Config comes first."""


def examination(look: Examination) -> Examination:
    """Makes it a part of the doctor's list. What people can mend and it cannot say better is bad."""

    @wraps(look)
    async def examined(settings: Settings) -> Check:
        try:
            return await look(settings)
        except HelloAgainError as error:
            return Check(look.__name__, Verdict.BAD, str(error))

    EXAMINATIONS.append(examined)
    return examined


async def doctor(settings: Settings) -> int:
    """Prints every check as it is made; returns 1 if the companion would not run. Wrong settings are told before it."""
    console = Console(highlight=False, soft_wrap=True)
    verdicts = [Verdict.GOOD]
    show(console, Check("config", Verdict.GOOD, "every setting is valid"))
    for examine in EXAMINATIONS:
        check = await examine(settings)
        verdicts.append(check.verdict)
        show(console, check)
    return 1 if Verdict.BAD in verdicts else 0


def show(console: Console, check: Check) -> None:
    """One check as a line."""
    verdict = Text(f"{check.verdict:5}", STYLES[check.verdict])
    do = (f"  → {check.do}" if check.do else "", "dim")
    console.print(Text.assemble(verdict, f"{check.subject:9} ", check.found, do))


@examination
async def folder(settings: Settings) -> Check:
    """Whether the data folder can be written, and is not in use."""
    place = settings.storage.data_dir
    try:
        with DataFolderLock(place), TemporaryFile(dir=place):
            return Check("folder", Verdict.GOOD, f"{place} is writable")
    except HelloAgainError as error:
        in_use = "is running" in str(error)
        return Check("folder", Verdict.NOTE if in_use else Verdict.BAD, str(error))
    except OSError as error:
        return Check("folder", Verdict.BAD, f"{place}: {error.strerror}", "make it writable, or set storage.data_dir")


@examination
async def disk(settings: Settings) -> Check:
    """Whether there is room to store anything."""
    place = settings.storage.data_dir
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free / GIGABYTE
    found = f"{free:.1f} GB free under {place}"
    if free < FULL_DISK_GB:
        return Check("disk", Verdict.BAD, found, "free some space now: soon nothing can be stored")
    if free < LOW_DISK_GB:
        return Check("disk", Verdict.NOTE, found, "free some space soon")
    return Check("disk", Verdict.GOOD, found)


@examination
async def database(settings: Settings) -> Check:
    """Whether the database is one this program can use."""
    current = await is_up_to_date(settings.database_url)
    if current is None:
        return Check("database", Verdict.GOOD, "none yet; the first start creates it")
    if current:
        return Check("database", Verdict.GOOD, "up to date")
    return Check("database", Verdict.GOOD, "written by an older version; the next start upgrades it")


@examination
async def model(settings: Settings) -> Check:
    """Whether the language model can be loaded or reached."""
    if settings.model.engine == "remote":
        return await _remote(settings)
    plan = describe_choice(settings.model)
    if plan.problem:
        return Check("model", Verdict.BAD, plan.problem)
    where = plan.source if plan.place is not None else f"{plan.source}; the first start fetches or prepares it"
    adapters = _adapters(settings, plan.choice.id)
    return Check("model", Verdict.GOOD, f"{plan.choice.id} ({where}; {_memory(plan)}){adapters}. {plan.choice.reason}")


async def _remote(settings: Settings) -> Check:
    """Whether each model server answers. One is enough, as long as the others are only away. Raises HelloAgainError."""
    name, there, away = "", list[str](), list[HelloAgainError]()
    for url in settings.model.remote.urls:
        own = settings.model.remote.model_copy(update={"base_url": url, "replicas": ()})
        try:
            remote = await connect_remote_model(
                settings.model.model_copy(update={"remote": own}), settings.secrets.model_api_key
            )
        except ModelNotReady as error:
            away.append(error)
        else:
            await remote.aclose()
            name = remote.description.name
            there.append(address(own))
    if not there:
        return Check("model", Verdict.BAD, str(away[0]))
    found = f"{name} at {', '.join(there)}"
    if away:
        return Check("model", Verdict.NOTE, found, " ".join(map(str, away)))
    return Check("model", Verdict.GOOD, found)


def _adapters(settings: Settings, model: str) -> str:
    """Which adapters stand beside the model. Raises ModelUnavailable for one that cannot be used."""
    found = [read_adapter(place).place for place in adapter_places(settings.model, model)]
    named = [f"{place.skill} ({'shipped' if place.shipped else place.folder})" for place in found]
    return f", with adapters: {', '.join(named)}" if named else ""


def _memory(plan: ModelPlan) -> str:
    needed = f"needs {plan.needed / GIGABYTE:.1f} GB" if plan.needed is not None else "size not known yet"
    return f"{needed}, {plan.free / GIGABYTE:.1f} GB free on the {'GPU' if plan.device == 'cuda' else 'CPU'}"


@examination
async def servers(settings: Settings) -> Check:
    """Which model servers run on this machine, and could answer instead."""
    found = [server for server in await running_servers() if server.base_url not in settings.model.remote.urls]
    if not found:
        return Check("servers", Verdict.GOOD, "no other model server found on this machine")
    named = "; ".join(f"{one.program} at {one.base_url} ({', '.join(one.models) or 'no model'})" for one in found)
    return Check("servers", Verdict.GOOD, named, "`hello-again model recommend` shows how to use one of them")


@examination
async def encoder(settings: Settings) -> Check:
    """Whether the text encoder loads and gives a vector."""
    loaded = await load_encoder(settings.encoder)
    await loaded.aclose()
    return Check("encoder", Verdict.GOOD, f"{settings.encoder.id}, {loaded.dimension} dimensions")


@examination
async def tagger(_settings: Settings) -> Check:
    """Whether the English tagger, which finds what a conversation is about, loads."""
    await asyncio.to_thread(load_topics)
    return Check("tagger", Verdict.GOOD, "the English tagger for topics loads")


@examination
async def gpu(_settings: Settings) -> Check:
    """Whether there is a GPU. Without one everything runs, slowly."""
    if not torch.cuda.is_available():
        do = "a GPU with 6 GB or a model server would allow a far better model"
        return Check("GPU", Verdict.NOTE, "no CUDA GPU found; the CPU is used", do)
    free, total = (size / GIGABYTE for size in torch.cuda.mem_get_info())
    return Check("GPU", Verdict.GOOD, f"{torch.cuda.get_device_name()}, {free:.1f} of {total:.1f} GB free")


@examination
async def backups(settings: Settings) -> Check:
    """Whether backups can be made, and how old the last one is."""
    if not settings.backup.recipient:
        do = "`hello-again data backup-key FILE` makes a key"
        return Check("backups", Verdict.NOTE, "no key is set, so none can be made", do)
    made = max((file.stat().st_mtime for file in settings.backup.folder.glob("*.age")), default=None)
    if made is None:
        return Check("backups", Verdict.NOTE, "a key is set, and none has been made yet", MAKE_BACKUP)
    days = int((datetime.now(UTC).timestamp() - made) // DAY_S)
    found = f"a key is set; the last one is of {datetime.fromtimestamp(made, UTC):%Y-%m-%d}"
    is_old = days > OLD_BACKUP_DAYS
    return Check("backups", Verdict.NOTE if is_old else Verdict.GOOD, found, MAKE_BACKUP if is_old else "")


@examination
async def tokens(settings: Settings) -> Check:
    """Which secrets the environment holds, and whether `run` could serve anything. The console needs none."""
    there = [name for field, name in SECRETS.items() if getattr(settings.secrets, field) is not None]
    missing = [name for name in SECRETS.values() if name not in there]
    found = "; ".join(
        part for part in (f"set: {', '.join(there)}" * bool(there), f"not set: {', '.join(missing)}") if part
    )
    found = f"{found} (the terminal needs none)"
    if not serves_any(settings.adapters, there):
        return Check("tokens", Verdict.NOTE, found, "for `hello-again run`: `hello-again setup` asks for a token")
    return Check("tokens", Verdict.GOOD, found)
