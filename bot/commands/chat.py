"""`bot chat`: the companion in a terminal."""

import getpass
import warnings
from contextlib import AbstractContextManager, AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import available_timezones

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text
from tzlocal import get_localzone_name

from adapters.console import PLATFORM, ConsoleAdapter
from bot.app.app import App, open_app
from bot.care.policy import zone_of
from bot.clock import LeapingClock, SystemClock
from bot.commands.leaving import leave
from bot.commands.meantime import Meantime, reasons
from bot.commands.page import page_beside
from bot.commands.progress import reported
from bot.config import Settings
from bot.domain import ModelDescription, Place
from bot.errors import BadInput
from bot.ports import Report
from bot.storage.engine.lock import DataFolderLock
from bot.texts import checkin as checkin_texts
from bot.texts import meantime as texts

LONGEST_NAME = 40
NAMELESS = "Friend"
"""Who talks when neither --user nor the account says a name."""

NOBODYS_ACCOUNTS = frozenset({"root", "hello", "nobody"})
"""Accounts that are no person's name; `hello` is the container's."""


async def chat(
    settings: Settings, file: Path, user: str | None, start: datetime | None, lock: DataFolderLock | None = None
) -> int:
    """Opens everything, talks until the person leaves, and closes everything. Returns the exit code.

    With `start`, time goes there from the last thing that was said, and check-ins come on the way. Else the prompt
    shows while the encoder loads and the last talks are gone over: what is typed meanwhile is stored first. `lock`:
    the data folder's, where it is held already.
    """
    console = Console(highlight=False)
    name, written = name_of(user), settings
    settings = at_this_terminal(settings, name)
    leaping = LeapingClock(start) if start is not None else None
    clock = leaping or SystemClock()
    adapter = ConsoleAdapter(
        user=name,
        agent_name=settings.agent.name,
        clock=clock,
        console=console,
        exports=settings.storage.data_dir / "exports",
    )
    async with AsyncExitStack() as stack:
        with start_up_bar(console) as report:
            app = await stack.enter_async_context(
                open_app(
                    settings,
                    clock=clock,
                    messengers={PLATFORM: adapter.messenger},
                    report=report,
                    beside_prompt=start is None,
                    lock=lock,
                )
            )
            since = await last_said(app, adapter.dm, start) if start is not None else None
            if leaping is not None and since is not None:
                leaping.hold_at(since)
            if app.awake.is_set():
                report("Going over what you talked about …")
                await app.prepare()
        if leaping is not None and start is not None and since is not None:
            await jump(app, leaping, adapter, start, console)
        if app.engines.model is not None:
            lines = greeting(app.engines.model.description, settings.agent.name, name)
            console.print(Text(lines, style="dim"), soft_wrap=not console.is_terminal)
        async with page_beside(app, clock, file, lambda told: console.print(Text(told, style="red")), written):
            await app.serve([adapter])
        await leave(app, lambda sentence: console.print(Text(sentence, style="dim"), soft_wrap=not console.is_terminal))
    return 0


async def last_said(app: App, dm: Place, now: datetime) -> datetime | None:
    """When something was last said in a DM whose person has check-ins on and that lies behind; None: no time passes."""
    person = dm.dm_person
    if person is None or not (await app.stores.checkins.wishes(person)).on:
        return None
    said = await app.recent(dm, 1)
    return said[-1].time if said and said[-1].time < now else None


async def jump(app: App, clock: LeapingClock, adapter: ConsoleAdapter, start: datetime, console: Console) -> None:
    """Goes from the time at which `clock` is held to `start`, and shows what came, when, and why not at other times."""
    person = adapter.dm.dm_person or ""
    zone = zone_of(await app.stores.checkins.wishes(person), app.settings.care) or UTC
    meantime = Meantime(app, clock, [person])
    with adapter.away(lambda: texts.CAME.format(when=checkin_texts.at(clock.now().astimezone(zone)))):
        came = await meantime.until(start)
    clock.run_from(start)
    await app.settle()
    until = checkin_texts.at(start.astimezone(zone))
    told = [] if came else [texts.NOTHING_CAME.format(until=until)]
    wishes = await app.stores.checkins.wishes(person)
    if wishes.on and zone_of(wishes, app.settings.care) is None:
        told = [texts.NO_ZONE]
    elif why := reasons(meantime.silent[person]):
        told.append(texts.WHY_NOT.format(reasons="; ".join(why)))
    for line in told:
        console.print(Text(line, style="dim"), soft_wrap=not console.is_terminal)


def at_this_terminal(settings: Settings, name: str) -> Settings:
    """The settings where somebody talks in the terminal: at home, in this computer's zone, and owned by them."""
    settings = in_zone_of_here(settings.at_home(introduce=True))
    return settings.model_copy(update={"owners": (*settings.owners, f"{PLATFORM}:{name.casefold()}")})


def in_zone_of_here(settings: Settings) -> Settings:
    """The settings with this computer's time zone for people whose own is not known, where they name none."""
    if settings.care.zone:
        return settings
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a computer whose settings say two things
            name = get_localzone_name() or ""
    except (LookupError, OSError, ValueError):  # that name no zone, or none that exists
        return settings
    if name not in available_timezones():
        return settings
    return settings.model_copy(update={"care": settings.care.model_copy(update={"zone": name})})


def start_up_bar(console: Console) -> AbstractContextManager[Report]:
    """Shows what is being done at start-up, with a bar; gone when it is over."""
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    return reported(Progress(*columns, console=console, transient=True, disable=not console.is_terminal), "Waking up …")


def name_of(user: str | None) -> str:
    """The person's name: what was given, or the account's. Raises BadInput."""
    if user is None:
        try:
            account = getpass.getuser()
        except (KeyError, OSError):  # an account without a name, as in some containers
            return NAMELESS
        return NAMELESS if account in NOBODYS_ACCOUNTS else account.capitalize()
    name = " ".join(user.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadInput(f"--user takes a name of 1 to {LONGEST_NAME} characters.")
    return name


def greeting(model: ModelDescription, agent: str, user: str) -> str:
    """The lines above the conversation: which model runs, what would be better, and how to leave."""
    lines = [f"{model.name}, {model.detail}.{' ' + model.advice if model.advice else ''}"]
    lines.append(f"You are {user}, and talk with {agent}, a machine that remembers.\n/help for help, /quit to leave.")
    return "\n".join(lines)
