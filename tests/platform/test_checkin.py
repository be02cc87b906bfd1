"""Check-ins with the whole core, as people see them on our Discord and our Telegram: each button pressed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.discord.reading import PLATFORM as DISCORD
from adapters.telegram.reading import PLATFORM as TELEGRAM
from bot.app.app import App
from bot.clock import SystemClock
from bot.domain import AGENT_ID, CareWishes, CheckIn, Composed, Place, PlaceKind, Speaker, Utterance
from bot.texts import checkin as texts
from bot.usecases.markup import plain
from bot.usecases.schedule import quiet_from
from tests.looking import open_session
from tests.platform.discord_client import Home
from tests.platform.telegram_server import TelegramServer, User
from tests.platform.test_privacy import REPLY, serving

pytestmark = [
    pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning"),
]
SAID = "I have a driving test on Friday."
ASKED = "You told me of your driving test. How did it go?"
BUTTONS = [texts.NOT_NOW, texts.LESS_OFTEN, texts.STOP, texts.WHY]
ANY_TIME: dict[str, object] = {
    "privacy__consent": "implied",
    "privacy__introduce": False,
    "care__after_talk_hours": 0,
    "care__jitter_minutes": 0,
    "care__tick_s": 3600,
}
"""Settings under which one may come right after a conversation, and none comes by itself meanwhile."""


@dataclass(frozen=True)
class Person:
    """Somebody's DM, and ways to send a check-in there."""

    app: App
    platform: str
    ref: str

    @property
    def id(self) -> str:
        return f"{self.platform}:{self.ref}"

    @property
    def place(self) -> Place:
        return Place(self.platform, PlaceKind.DM, self.ref)

    async def wishes(self) -> CareWishes:
        return await self.app.stores.checkins.wishes(self.id)

    async def is_written_to(self) -> CheckIn:
        """A check-in about what they said first is due, worded and sent."""
        store, now = self.app.stores.checkins, SystemClock().now()
        never_quiet = quiet_from("00:00-00:00")
        wishes = CareWishes(self.id, on=True, place=self.place, zone="UTC", quiet=never_quiet, next_at=now)
        await store.choose(wishes)
        checkin = await store.claim(wishes, now + timedelta(days=1), now + timedelta(minutes=5))
        assert checkin is not None
        said = next(one for one in await self.app.recent(self.place, 50) if one.text == SAID)
        composed = Composed(ASKED, "The test.", "To hear how it went.", ((said.id, said.text),))
        message = Utterance(self.place, "", Speaker(AGENT_ID, "Monica"), ASKED, now, to_bot=False)
        outgoing = await store.compose(checkin, message, composed, now)
        assert outgoing is not None
        await self.app.delivery.deliver(outgoing)
        return checkin


@pytest.fixture
async def on_discord(home: Home, tmp_path: Path) -> AsyncIterator[tuple[Home, Person]]:
    """The program on Discord; Ann has told something."""
    server = home.server
    urls = {"discord__api_url": server.api_url, "discord__gateway_url": server.gateway_url, "discord__stream": False}
    async with serving(tmp_path, {"DISCORD_TOKEN": server.token}, **urls, **ANY_TIME) as app:
        await server.until_connected()
        await server.until(lambda: server.world.commands)
        await server.wait_for_reply(await server.say(home.ann, home.dm, SAID), REPLY)
        await app.idle()
        yield home, Person(app, DISCORD, str(home.ann.id))


@asynccontextmanager
async def telegram(server: TelegramServer, folder: Path) -> AsyncIterator[tuple[Person, User, User]]:
    """The program on Telegram; Ann has told something; Bob is there, too."""
    world = server.world
    ann, bob = world.add_user("Ann"), world.add_user("Bob")
    options = {"telegram__api_url": server.base_url, "telegram__stream": False}
    async with serving(folder, {"TELEGRAM_TOKEN": server.token}, **options, **ANY_TIME) as app:
        await world.until(lambda: server.count("getUpdates") > 0)
        world.say(ann, ann, SAID)
        await world.reply(ann)
        await app.idle()
        yield Person(app, TELEGRAM, str(ann.id)), ann, bob


async def test_on_discord_it_comes_as_a_dm_and_each_button_does_what_it_says(on_discord: tuple[Home, Person]) -> None:
    home, ann = on_discord
    server = home.server

    async def pressed(label: str) -> tuple[str, list[str]]:
        """What a check-in shows after its button was pressed."""
        await ann.is_written_to()
        shown = server.replies(home.dm)[-1]
        assert (shown.content, list(shown.buttons)) == (ASKED, BUTTONS)
        await server.press(home.ann, shown, label)
        await server.until(lambda: shown.edits)
        return shown.content, list(shown.buttons)

    assert await pressed(texts.LESS_OFTEN) == (
        f"{plain(ASKED)}\n\n*{texts.LESS.format(often='once every 4 days')}*",
        [texts.NOT_NOW, texts.STOP, texts.WHY],
    )
    assert (await ann.wishes()).every_days == 4
    words, buttons = await pressed(texts.WHY)
    assert SAID.removesuffix(".") in words
    assert buttons == [texts.FORGET_THAT, texts.STOP]
    assert await pressed(texts.NOT_NOW) == (
        f"{plain(ASKED)}\n\n*{texts.SNOOZED}*",
        [texts.LESS_OFTEN, texts.STOP, texts.WHY],
    )
    assert (await ann.wishes()).paused_until is not None
    assert await pressed(texts.STOP) == (f"{plain(ASKED)}\n\n*{texts.OFF}*", [texts.UNDO])
    assert not (await ann.wishes()).on
    assert server.messages(home.kitchen) == []


async def test_on_discord_forget_that_takes_the_words_and_the_check_in(on_discord: tuple[Home, Person]) -> None:
    home, ann = on_discord
    server = home.server
    await ann.is_written_to()
    shown = server.replies(home.dm)[-1]
    for number, label in enumerate((texts.WHY, texts.FORGET_THAT, "Erase it"), 1):
        await server.press(home.ann, shown, label)
        await server.until(until_edited(shown.edits, number))
    assert shown.content.startswith("Gone")
    await ann.app.idle()
    left = [said.text for said in await ann.app.recent(ann.place, 50)]
    assert SAID not in left
    assert ASKED not in left


def until_edited(edits: list[str], times: int) -> Callable[[], bool]:
    """Whether a message was edited so often."""
    return lambda: len(edits) >= times


async def test_on_discord_the_answer_goes_on_with_it(on_discord: tuple[Home, Person]) -> None:
    home, ann = on_discord
    server = home.server
    checkin = await ann.is_written_to()
    await server.wait_for_reply(await server.say(home.ann, home.dm, "I passed!"))
    await ann.app.idle()
    session = await open_session(ann.app.stores.sessions, ann.place)
    assert session is not None
    assert [said.text for said in session.utterances][:2] == [ASKED, "I passed!"]
    opened = await ann.app.stores.checkins.opened(session.id)
    assert opened is not None
    assert opened.checkin_id == checkin.id


async def test_on_telegram_it_comes_as_a_dm_and_each_button_does_what_it_says(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    async with telegram(telegram_server, tmp_path) as (person, ann, _):
        world = telegram_server.world

        async def pressed(label: str) -> tuple[str, list[str]]:
            await person.is_written_to()
            shown = await world.reply(ann)
            assert (shown.text, shown.buttons) == (ASKED, BUTTONS)
            world.press(ann, shown, label)
            await world.until(lambda: bool(shown.earlier))
            return shown.text, shown.buttons

        assert await pressed(texts.LESS_OFTEN) == (
            f"{ASKED}\n\n{texts.LESS.format(often='once every 4 days')}",
            [texts.NOT_NOW, texts.STOP, texts.WHY],
        )
        words, buttons = await pressed(texts.WHY)
        assert SAID in words
        assert buttons == [texts.FORGET_THAT, texts.STOP]
        assert await pressed(texts.NOT_NOW) == (
            f"{ASKED}\n\n{texts.SNOOZED}",
            [texts.LESS_OFTEN, texts.STOP, texts.WHY],
        )
        assert await pressed(texts.STOP) == (f"{ASKED}\n\n{texts.OFF}", [texts.UNDO])
        assert not (await person.wishes()).on


async def test_on_telegram_a_stranger_learns_and_changes_nothing_with_its_number(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    async with telegram(telegram_server, tmp_path) as (person, ann, bob):
        world = telegram_server.world
        number = (await person.is_written_to()).id
        shown = await world.reply(ann)
        before = await person.wishes()
        for line in ("checkin why", "checkin snooze", "checkin less", "checkin off", "memory forget c"):
            world.say(bob, bob, f"/{line}{number}" if line.endswith(" c") else f"/{line} {number}")
            assert "driving" not in (await world.reply(bob)).text
        assert await person.wishes() == before
        assert (shown.text, shown.buttons, shown.earlier) == (ASKED, BUTTONS, [])
        assert not (await person.app.stores.checkins.wishes(f"{TELEGRAM}:{bob.id}")).on


async def test_on_telegram_it_is_switched_on_and_asked_for_the_clock(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    async with telegram(telegram_server, tmp_path) as (person, ann, _):
        world = telegram_server.world
        world.say(ann, ann, "/checkin on")
        assert "/checkin timezone Leeds" in (await world.reply(ann)).text
        world.say(ann, ann, "/checkin timezone Springfield")
        which = await world.reply(ann)
        assert which.text == texts.WHICH_ZONE
        world.press(ann, which, which.buttons[0])
        await world.until(lambda: bool(which.earlier))
        assert "The next one may come on" in which.text
        assert (await person.wishes()).next_at is not None
