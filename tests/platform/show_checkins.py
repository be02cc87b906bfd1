"""Check-ins as people see them on our Discord and our Telegram, with their buttons pressed; the words are made up.

    python -m tests.platform.show_checkins OUT_DIR [discord|telegram]

Writes checkins-discord.txt and checkins-telegram.txt. Takes some minutes; nothing here is a test.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import discord
import yarl
from discord.gateway import DiscordWebSocket

from adapters.discord.reading import PLATFORM as DISCORD
from adapters.telegram.reading import PLATFORM as TELEGRAM
from bot.app.app import App
from bot.texts import checkin as texts
from tests.platform.discord_server import open_discord
from tests.platform.screens import CHANNEL, DM, DiscordScreen, Screen, TelegramScreen
from tests.platform.show import write
from tests.platform.telegram_server import open_telegram
from tests.platform.test_checkin import ANY_TIME, SAID, Person
from tests.platform.test_privacy import serving

ANN = f"{DM} Ann"
BOB = f"{DM} Bob"


async def play(screen: Screen, app: App, person: Person) -> None:
    """Ann switches them on and gets some; Bob asks about hers; Bob, the owner, looks at the queue."""
    await screen.say("Ann", ANN, SAID)
    await app.idle()
    await screen.command("Ann", CHANNEL, "checkin on")
    await screen.command("Ann", ANN, "checkin on")
    await screen.command("Ann", ANN, "checkin timezone", place="Springfield")
    await screen.command("Ann", ANN, "checkin timezone", place="Leeds")
    await screen.command("Ann", ANN, "checkin times", times="9:00 17:30")
    await screen.command("Ann", ANN, "checkin show")
    await screen.command("Ann", ANN, "checkin pause", span="until 3 May")
    await screen.press("Ann", ANN, texts.END_PAUSE)
    for label in (texts.NOT_NOW, texts.LESS_OFTEN):
        await person.is_written_to()
        screen.note("a check-in is due")
        screen.look(ANN)
        await screen.press("Ann", ANN, label)
    number = str((await person.is_written_to()).id)
    screen.note("a check-in is due")
    screen.look(ANN)
    await screen.command("Bob", BOB, "checkin why", number=number)
    await screen.command("Bob", BOB, "checkin show")
    await screen.command("Bob", BOB, "checkin queue")
    await screen.command("Bob", BOB, "checkin hold", state="on")
    await screen.press("Bob", BOB, texts.GO_ON)
    await screen.press("Ann", ANN, texts.WHY)
    await screen.press("Ann", ANN, texts.FORGET_THAT)
    await screen.press("Ann", ANN, "Keep it")
    await screen.say("Ann", ANN, "Please stop checking in on me.")
    await screen.press("Ann", ANN, texts.UNDO)
    await person.is_written_to()
    screen.note("a check-in is due")
    screen.look(ANN)
    await screen.press("Ann", ANN, texts.STOP)


async def on_discord(out: Path, folder: Path) -> None:
    """The play on Discord."""
    async with open_discord() as server:
        discord.http.Route.BASE = server.api_url
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.gateway_url)
        screen = DiscordScreen(server)
        urls = {"discord__api_url": server.api_url, "discord__gateway_url": server.gateway_url}
        owners = {"owners": (f"{DISCORD}:{screen.people['Bob'].id}",)}
        async with serving(folder, {"DISCORD_TOKEN": server.token}, **urls, **owners, **ANY_TIME) as app:
            await server.until_connected()
            await server.until(lambda: server.world.commands)
            await play(screen, app, Person(app, DISCORD, str(screen.people["Ann"].id)))
        write(out / "checkins-discord.txt", screen, ["it was stopped"])


async def on_telegram(out: Path, folder: Path) -> None:
    """The play on Telegram."""
    async with open_telegram() as server:
        screen = TelegramScreen(server)
        urls = {"telegram__api_url": server.base_url}
        owners = {"owners": (f"{TELEGRAM}:{screen.people['Bob'].id}",)}
        async with serving(folder, {"TELEGRAM_TOKEN": server.token}, **urls, **owners, **ANY_TIME) as app:
            await server.world.until(lambda: server.count("getUpdates") > 0)
            await play(screen, app, Person(app, TELEGRAM, str(screen.people["Ann"].id)))
        write(out / "checkins-telegram.txt", screen, ["it was stopped"])


async def main(out: Path, wanted: list[str]) -> None:
    """One after the other: databases are not made twice at once in one process."""
    for name, act in (("discord", on_discord), ("telegram", on_telegram)):
        if name in (wanted or [name]):
            with TemporaryDirectory() as folder:
                await act(out, Path(folder))


if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(folder, sys.argv[2:]))
