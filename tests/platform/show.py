"""Both bots as one real process (`bot run`) with the bundled model, on our Discord and our Telegram: what people see.

    python -m tests.platform.show OUT_DIR [--only talk|own|starts]

Writes discord.txt and telegram.txt (what was seen, place by place), own-discord.txt and own-telegram.txt (the same for
what people do with what is known of them), starts.txt (what is said when a platform cannot be
used) and the logs. Takes some minutes; nothing here is a test.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.texts import meeting
from tests.platform.discord_server import DiscordServer, Intent, open_discord
from tests.platform.screens import CHANNEL, DM, DiscordScreen, Screen, TelegramScreen
from tests.platform.telegram_server import TelegramServer, open_telegram

ROOT = Path(__file__).parents[2]
BETA_S = 20
START_S = 90.0
"""Seconds within which the program has to be connected."""
STOP_S = 60.0
SECRETS = ("DISCORD_TOKEN", "TELEGRAM_TOKEN", "MODEL_API_KEY")
ANN, BOB = f"{DM} Ann", f"{DM} Bob"
CODE = re.compile(r"\b[A-Z0-9]{4}-[A-Z0-9]{4}\b")


@dataclass
class Life:
    """One run of the program."""

    process: asyncio.subprocess.Process
    log: Path

    def told(self) -> list[str]:
        """What it has printed that is no line of the log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("20")]

    def warned(self) -> list[str]:
        """The lines of the log from WARNING up."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if any(f"[{level}" in line for level in ("warning", "error", "critical"))]

    async def stopped(self) -> int:
        """Ends it by SIGTERM; its exit code."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S):
            return await self.process.wait()


@asynccontextmanager
async def life(folder: Path, config: Mapping[str, Any], tokens: Mapping[str, str]) -> AsyncIterator[Life]:
    """`bot run` in `folder` while the context is open."""
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)  # the memory of an earlier show
    await asyncio.to_thread(folder.mkdir, parents=True)
    settings, log = folder / "config.yaml", folder / "bot.log"
    settings.write_text(yaml.safe_dump(dict(config)), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in SECRETS} | dict(tokens)
    command = [sys.executable, "-m", "bot", "run", "--config", str(settings)]
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=errors, stderr=errors
        )
    try:
        yield Life(process, log)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def config_for(discord: DiscordServer, telegram: TelegramServer, owners: list[str]) -> dict[str, Any]:
    """The settings of a run."""
    return {
        "model": {"id": "bundled", "device": "cpu"},
        "encoder": {"device": "cpu"},
        "session": {"beta_s": BETA_S, "idle_check_s": 1},
        "background": {"poll_s": 1},
        "owners": owners,
        "discord": {"api_url": discord.api_url, "gateway_url": discord.gateway_url},
        "telegram": {"api_url": telegram.base_url},
        "privacy": {"consent": "implied", "introduce": False},
        "log": {"level": "INFO"},
    }


async def until_both(discord: DiscordServer, telegram: TelegramServer) -> None:
    """Waits until the program listens on both platforms."""
    await discord.until_connected(START_S)
    await until_polled(telegram)
    await discord.until(lambda: discord.world.commands)


async def until_polled(telegram: TelegramServer) -> None:
    """Waits until Telegram is polled."""
    await telegram.world.until(lambda: telegram.count("getUpdates") > 0, START_S)


async def first_week(screen: Screen) -> None:
    """Ann tells about her week in private, and leaves."""
    await screen.say("Ann", ANN, "Hi Monica! I am Ann.")
    await screen.say("Ann", ANN, "I have a job interview at the museum on Thursday, and I am a bit nervous.")
    await screen.say_quickly("Ann", ANN, "I live in Leeds.", "With my two cats, Pip and Juno.")
    await screen.say("Ann", ANN, "Now I have to go. Bye!")


async def in_the_kitchen(screen: Screen) -> None:
    """Three people in a channel, two of whom are called Ann."""
    await screen.command("Bob", CHANNEL, "channel mode")
    await screen.press("Bob", CHANNEL, "listen")
    await screen.command("Bob", CHANNEL, "channel mode", mode="listen")
    await screen.say("Bob", CHANNEL, "Who is cooking tonight?", answered=False)
    await screen.say("Ann 2", CHANNEL, "I can make an onion soup, but I have no onions.", answered=False)
    await screen.say("Ann", CHANNEL, "I pass the market at six, I will bring onions.", answered=False)
    await screen.say("Bob", CHANNEL, "do you like onion soup?", to_bot=True)
    await screen.say("Ann 2", CHANNEL, "And what goes well with it?", replying=True)
    await screen.say("Ann", CHANNEL, "Monica, what did I say that I will bring?")
    await screen.say("Bob", CHANNEL, "Great, see you all at seven.", answered=False)
    await screen.command("Ann", CHANNEL, "memory why")
    await screen.command("Ann 2", CHANNEL, "about")


async def back_again(screen: Screen) -> None:
    """Ann comes back after her session has ended, and looks at what is known of her."""
    await screen.say("Ann", ANN, "Hi Monica, I am back!")
    await screen.command("Ann", ANN, "memory why")
    await screen.say("Ann", ANN, "Do you remember where I live?")
    await screen.command("Ann", ANN, "memory why")
    await screen.command("Ann", ANN, "memory list")
    for label in entries_shown(screen)[:3]:
        await screen.press("Ann", ANN, label)
        await screen.command("Ann", ANN, "memory list")
    await screen.command("Ann", ANN, "memory timeline")
    await screen.command("Ann", ANN, "memory search", words="cats")
    await screen.command("Ann", ANN, "persona show")
    await screen.press("Ann", ANN, "And what are you like?")
    await screen.show_photo("Ann", ANN)


def entries_shown(screen: Screen) -> list[str]:
    """The buttons of the entries that Ann sees."""
    shown = [label for one in screen._messages(ANN) for label in one.buttons]
    return [label for label in shown if label[0] in "et" and label[1:].isdigit()]


async def for_the_owner(screen: Screen) -> None:
    """The rest of the commands; Bob owns the companion."""
    await screen.command("Ann", ANN, "help")
    await screen.command("Ann", ANN, "about")
    await screen.press("Ann", ANN, "What I know about you")
    await screen.command("Ann", ANN, "status")
    await screen.command("Bob", BOB, "memory list")
    await screen.command("Bob", BOB, "status")
    await screen.press("Bob", BOB, "Look again")


async def play(screen: Screen) -> None:
    """All of it on one platform."""
    await first_week(screen)
    await in_the_kitchen(screen)
    await asyncio.sleep(BETA_S)
    screen.note(f"more than {BETA_S} s of silence: the sessions have ended")
    await back_again(screen)
    await for_the_owner(screen)


async def talk(out: Path) -> None:
    """The conversations on both platforms at once, one program."""
    async with open_discord() as discord, open_telegram() as telegram:
        screens: list[Screen] = [on_discord := DiscordScreen(discord), on_telegram := TelegramScreen(telegram)]
        owners = [f"discord:{on_discord.people['Bob'].id}", f"telegram:{on_telegram.people['Bob'].id}"]
        tokens = {"DISCORD_TOKEN": discord.token, "TELEGRAM_TOKEN": telegram.token}
        async with life(out / "talk", config_for(discord, telegram, owners), tokens) as running:
            await until_both(discord, telegram)
            try:
                async with asyncio.TaskGroup() as tasks:
                    for screen in screens:
                        tasks.create_task(play(screen), name=screen.name)
                code = await running.stopped()
                ended = [f"SIGTERM: exit code {code}. On the screen of its owner:", *running.told()]
                ended += ["Warnings and errors in its log:", *(running.warned() or ["none"])]
            finally:
                for screen in screens:
                    write(out / f"{screen.name.lower()}.txt", screen)
        for screen in screens:
            write(out / f"{screen.name.lower()}.txt", screen, ended)


async def first_contact(screen: Screen) -> None:
    """Ann writes for the first time, looks at what would be kept, and agrees; Bob refuses."""
    await screen.say("Ann", ANN, "Hello! Who are you?")
    await screen.press("Ann", ANN, meeting.MORE)
    await screen.command("Ann", ANN, "privacy consent", answer="yes")
    await screen.say("Bob", BOB, "Hi there.")
    await screen.press("Bob", BOB, meeting.NO)


async def her_own(screen: Screen) -> None:
    """Ann tells something, corrects it, has some of it forgotten, and takes the rest along."""
    await screen.say("Ann", ANN, "I work as a nurse in Leeds.")
    await screen.say("Ann", ANN, "My sister Wilhelmina is getting divorced.")
    await screen.say("Ann", ANN, "Please forget what I told you about my sister.")
    await screen.press("Ann", ANN, "Keep it")
    await screen.command("Ann", ANN, "memory forget", what="my sister")
    await screen.press("Ann", ANN, "Erase it")
    await screen.command("Ann", ANN, "memory search", words="sister")
    await screen.command("Ann", ANN, "privacy receipt")
    await screen.command("Ann", ANN, "memory list")
    entries = entries_shown(screen)
    if entries:
        await screen.command("Ann", ANN, "memory correct", entry=entries[0], words="I work as a midwife in York.")
    await screen.command("Ann", ANN, "persona edit", entry="new", words="I love sailing.")
    await screen.command("Ann", ANN, "persona show")
    await screen.command("Ann", ANN, "memory export")
    await screen.command("Ann", ANN, "privacy pause", state="on")
    await screen.say("Ann", ANN, "I have a secret tattoo of a walrus.")
    await screen.command("Ann", ANN, "privacy pause", state="off")
    await screen.command("Ann", ANN, "privacy keep", days="30")
    await screen.command("Ann", ANN, "privacy country", country="de")
    await screen.say("Ann", ANN, "I want to kill myself.")
    await screen.say("Ann", ANN, "Thank you.")


async def theirs_in_the_kitchen(screen: Screen) -> None:
    """A channel: a wish that is shown to nobody else, an opt-out, a server's sharing."""
    await screen.command("Bob", CHANNEL, "channel mode", mode="listen")
    await screen.say("Ann", CHANNEL, "I am allergic to peanuts.", answered=False)
    await screen.say("Ann", CHANNEL, "please forget what I said about peanuts", to_bot=True)
    await screen.press("Bob", CHANNEL, meeting.SHOW_ME)
    await screen.press("Ann", CHANNEL, meeting.SHOW_ME)
    await screen.command("Ann 2", CHANNEL, "privacy channel", state="out")
    await screen.say("Ann 2", CHANNEL, "Nobody should keep this.", answered=False)
    await screen.say("Ann 2", CHANNEL, "do you read this?", to_bot=True)
    await screen.command("Ann", CHANNEL, "channel sharing", state="on")
    await screen.command("Bob", CHANNEL, "channel sharing", state="on")


async def linked(first: Screen, second: Screen) -> None:
    """Ann is shown a code on one platform and types it on the other."""
    await first.command("Ann", ANN, "link")
    found = [match for one in first._messages(ANN) for match in CODE.findall(one.text)]
    await second.command("Ann", ANN, "link", code=found[-1] if found else "none")
    await second.command("Ann", ANN, "memory list")
    await second.command("Ann", ANN, "unlink")
    await second.command("Ann", ANN, "memory list")


async def forgotten(screen: Screen) -> None:
    """Everything of Ann goes."""
    await screen.command("Ann", ANN, "memory forget", what="everything")
    await screen.press("Ann", ANN, "Erase it")
    await screen.command("Ann", ANN, "memory list")
    await screen.say("Ann", ANN, "Hello?")


async def own(out: Path) -> None:
    """What people do with what is known of them, on both platforms, one program."""
    async with open_discord() as discord, open_telegram() as telegram:
        screens: list[Screen] = [on_discord := DiscordScreen(discord), on_telegram := TelegramScreen(telegram)]
        owners = [f"discord:{on_discord.people['Bob'].id}", f"telegram:{on_telegram.people['Bob'].id}"]
        tokens = {"DISCORD_TOKEN": discord.token, "TELEGRAM_TOKEN": telegram.token}
        config = config_for(discord, telegram, owners)
        config["session"] = {"beta_s": 3600, "idle_check_s": 1}
        del config["privacy"]
        async with life(out / "own", config, tokens) as running:
            await until_both(discord, telegram)
            try:
                for act in (first_contact, her_own, theirs_in_the_kitchen):
                    async with asyncio.TaskGroup() as tasks:
                        for screen in screens:
                            tasks.create_task(act(screen), name=screen.name)
                await linked(*screens)
                for screen in screens:
                    await forgotten(screen)
                code = await running.stopped()
                ended = [f"SIGTERM: exit code {code}. On the screen of its owner:", *running.told()]
                ended += ["Warnings and errors in its log:", *(running.warned() or ["none"])]
                ended += ["Found in the data folder afterwards:", *left_behind(out / "own")]
            finally:
                for screen in screens:
                    write(out / f"own-{screen.name.lower()}.txt", screen)
        for screen in screens:
            write(out / f"own-{screen.name.lower()}.txt", screen, ended)


def left_behind(folder: Path) -> list[str]:
    """What Ann said and had erased, and the files in which it is still found."""
    erased = ("Wilhelmina", "walrus", "nurse", "midwife", "peanuts", "Nobody should keep this")
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != "bot.log"]
    return [
        f"{word}: {', '.join(file.name for file in files if word.encode() in file.read_bytes()) or 'nowhere'}"
        for word in erased
    ]


def write(path: Path, screen: Screen, ended: list[str] | None = None) -> None:
    """The transcript of one platform."""
    lines = [f"{screen.name}, as people see it. Ann 2 is shown as Ann to everybody; | begins a quotation, • a bullet."]
    for place, said in screen.pages.items():
        screen.look(place)
        lines += ["", f"== {place} ==", *said]
    lines += ["", "== marks of Markdown that were seen ==", *(screen.raw or ["none"])]
    lines += ["", "== the end ==", *(ended or ["it broke off"])]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


async def telegram_serves(telegram: TelegramServer) -> str:
    """Whether somebody on Telegram gets an answer."""
    await until_polled(telegram)
    zoe = telegram.world.add_user("Zoe")
    telegram.world.say(zoe, zoe, "Hello Monica!")
    return f"Telegram serves on: Zoe is told “{(await telegram.world.reply(zoe, START_S)).text}”"


async def one_start(out: Path, name: str, wrong: str) -> list[str]:
    """One start in which something is wrong with Discord, or with everything; what was seen."""
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(open_discord())
        telegram = await stack.enter_async_context(open_telegram())
        tokens = {"DISCORD_TOKEN": discord.token, "TELEGRAM_TOKEN": telegram.token}
        config = config_for(discord, telegram, [])
        if wrong == "token":
            tokens["DISCORD_TOKEN"] = "a.wrong-token"
        elif wrong == "both tokens":
            tokens = {"DISCORD_TOKEN": "a.wrong-token", "TELEGRAM_TOKEN": "123:wrong"}
        elif wrong == "no tokens":
            tokens = {}
        elif wrong == "intent":
            discord.gateway.allowed &= ~Intent.MESSAGE_CONTENT
        elif wrong == "down":
            await discord.stop()
            await telegram.go_down()
        running = await stack.enter_async_context(life(out / "starts" / name, config, tokens))
        try:
            seen = await what_happens(running, discord, telegram, wrong)
        except TimeoutError:
            seen = ["NOT WITHIN ITS TIME"]
        code = await running.stopped()
        return [f"== {name} ==", *seen, f"exit code {code}; on the screen:", *running.told(), *running.warned(), ""]


async def what_happens(running: Life, discord: DiscordServer, telegram: TelegramServer, wrong: str) -> list[str]:
    """Lets a start take its course."""
    if wrong in {"no tokens", "both tokens"}:
        async with asyncio.timeout(START_S):
            await running.process.wait()
        return ["it ended by itself"]
    if wrong == "down":
        async with asyncio.timeout(START_S):
            await asyncio.sleep(20)
        so_far = ["after 20 s without any platform it had said:", *running.told(), "(then both came back)"]
        await discord.start()
        await telegram.come_back()
        await discord.until_connected(START_S)
        return [*so_far, "Discord: connected", await telegram_serves(telegram)]
    return [await telegram_serves(telegram)]


async def starts(out: Path) -> None:
    """Everything that can be wrong at the start."""
    lines: list[str] = []
    for name, wrong in {
        "a wrong DISCORD_TOKEN": "token",
        "Discord without the intent (4014)": "intent",
        "no tokens": "no tokens",
        "two wrong tokens": "both tokens",
        "both platforms down": "down",
    }.items():
        lines += await one_start(out, name, wrong)
        (out / "starts.txt").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    folder, wanted = Path(sys.argv[1]).resolve(), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    if wanted in ([], ["talk"]):
        asyncio.run(talk(folder))
    if wanted in ([], ["own"]):
        asyncio.run(own(folder))
    if wanted in ([], ["starts"]):
        asyncio.run(starts(folder))
