"""The page over the real commands and stores, visited without a socket, and a life to look at."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape

import httpx
from sqlalchemy import insert

from adapters.pace import COMMANDS_PER_MINUTE, Pace
from adapters.web.app import build_page
from adapters.web.backstage import BackupFile, Begun, Checked, LogLine, ModelsShown
from adapters.web.guard import Guard
from adapters.web.sessions import Sessions
from adapters.web.visiting import Page
from bot.config import Web
from bot.config.explained import ExplainedSetting
from bot.domain import Answer, Asker, Call, Consent, Event, OfferedModel, Privacy, Relation
from bot.storage.shared.recall_tables import edges as edge_rows
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, START, Image
from tests.usecases.asking import Asking, in_dm, open_asking

ADDRESS = "http://127.0.0.1:8470"
DAY = timedelta(days=1)
BENS_SECRET = "Ben keeps bees behind the chapel."
CSRF = re.compile(r'name="csrf" value="([^"]+)"')
NONCE = re.compile(r'name="nonce" value="([^"]+)"')
OWNERS = (
    "/owner",
    "/owner/vitals",
    "/owner/checks",
    "/owner/checkins",
    "/owner/models",
    "/owner/begun",
    "/owner/settings",
    "/owner/prompt",
)
"""The pages that are the owner's alone."""


@dataclass
class Core:
    """The commands as the page reaches them."""

    asking: Asking

    async def command(self, call: Call, asker: Asker) -> Answer:
        """Does a command."""
        return await self.asking.commands.run(call, asker)


class Backstage:
    """What the owner's pages show, written beforehand."""

    def __init__(self) -> None:
        self.begun: Begun | None = None
        self.asked: list[str] = []
        """What the forms asked for."""

    async def check(self) -> list[Checked]:
        """Two lines."""
        return [
            Checked("disk", "ok", "12.0 GB free under /home/ann", "nothing to do"),
            Checked("GPU", "note", "none", "buy one"),
        ]

    def explain(self) -> list[ExplainedSetting]:
        """Two settings."""
        return [
            ExplainedSetting("agent.name", "Monica", "what it is called", "", common=True),
            ExplainedSetting("web.enabled", "true", "whether the page is served", "owner", common=False),
        ]

    def log(self) -> list[LogLine]:
        """One line."""
        return [LogLine(START, "warning", "bot.app", "missing vectors wait")]

    def backups(self) -> list[BackupFile]:
        """One file."""
        return [BackupFile("hello-again-2026-03-01.age", START, 12.5)]

    async def models(self) -> ModelsShown:
        """One model."""
        return ModelsShown([OfferedModel("secret-model", "Secret", 1, here=True)], "secret-model", "", (), "")

    def choose(self, name: str) -> list[str]:
        """Notes it."""
        self.asked.append(f"use {name}")
        return [f"{name} it is"]

    def begin(self, what: str, name: str = "") -> bool:
        """Notes it."""
        self.asked.append(f"{what} {name}")
        return True

    def stop(self) -> None:
        """Notes it."""
        self.asked.append("stop")


@dataclass
class Visit:
    """Somebody's browser."""

    client: httpx.AsyncClient
    asking: Asking
    backstage: Backstage = field(default_factory=Backstage)
    """What the owner's forms reach, where `open_visit` made the page."""

    async def enter(self, asker: Asker) -> httpx.Response:
        """Comes in by a new link."""
        token = self.asking.links.issue(asker)
        door = await self.client.get(f"/in/{token}")
        [nonce] = NONCE.findall(door.text)
        return await self.post(f"/in/{token}", {"nonce": nonce})

    async def post(self, path: str, fields: dict[str, str], **headers: str) -> httpx.Response:
        """Sends a form as a browser would from the page itself."""
        own = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
        return await self.client.post(
            path, data=fields, headers=own | {k.replace("_", "-"): v for k, v in headers.items()}
        )

    async def csrf(self, path: str = "/memories") -> str:
        """The token that the forms of a page carry."""
        return unescape(CSRF.findall((await self.client.get(path)).text)[0])

    async def do(self, command: str, back: str = "/memories", **fields: str) -> str:
        """Sends a form, and the page that it leads to."""
        sent = {"csrf": await self.csrf(), "back": back, "command": command, **fields}
        answered = await self.post("/do", sent)
        assert answered.status_code == 303, answered.text
        return unescape((await self.client.get(answered.headers["location"])).text)

    async def press(self, page: str, label: str, back: str = "/memories") -> str:
        """Presses a button of the last answer."""
        pattern = re.compile(r'name="call" value="([^"]*)"><button[^>]*>([^<]*)</button>')
        [call] = [unescape(call) for call, name in pattern.findall(page) if unescape(name) == label]
        answered = await self.post("/do", {"csrf": await self.csrf(), "back": back, "call": call})
        return unescape((await self.client.get(answered.headers["location"])).text)


def page_of(asking: Asking, web: Web | None = None) -> tuple[Page, Guard]:
    """The page over these rows."""
    settings = asking.settings.model_copy(update={"web": web or Web(enabled=True)})
    asking.settings = settings
    page = Page(
        core=Core(asking),
        looking=asking.commands.looking,
        planned=asking.commands.planned,
        overseeing=asking.commands.overseeing,
        links=asking.links,
        settings=settings,
        backstage=Backstage(),
        sessions=Sessions(asking.clock),
        pace=Pace(asking.clock, COMMANDS_PER_MINUTE),
    )
    return page, build_page(page)


@asynccontextmanager
async def browser(guard: Guard, asking: Asking) -> AsyncIterator[Visit]:
    """A browser without cookies yet."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url=ADDRESS) as client:
        yield Visit(client, asking)


@asynccontextmanager
async def open_visit(asker: Asker | None = None, *, life: bool = True) -> AsyncIterator[Visit]:
    """The page with Ann's and Ben's lives, and somebody who has come in (Ann, unless another is named)."""
    async with open_asking() as asking:
        if life:
            await live_once(asking)
        page, guard = page_of(asking)
        async with browser(guard, asking) as visit:
            assert isinstance(page.backstage, Backstage)
            visit.backstage = page.backstage
            assert (await visit.enter(asker or in_dm())).status_code == 303
            yield visit


LIVES: list[Image] = []
"""What `live` makes, once it was made in this process."""


async def live_once(asking: Asking) -> None:
    """`live`, of which all but the first get a copy: it takes longer than a visit."""
    if LIVES:
        await asking.rows.become(LIVES[0])
    else:
        await live(asking)
        LIVES.append(await asking.rows.image())


async def live(asking: Asking) -> None:
    """Some months of Ann's, who agreed to be remembered, and a secret of Ben's."""
    await asking.rows.privacies.put(Privacy(ANN.id, consent=Consent.AGREED))
    events: list[Event] = []
    for number, (words, topic) in enumerate(
        [
            ("I moved to Leeds for the new job.", "leeds"),
            ("I started at the bakery on Monday.", "bakery"),
            ("My sister Clara visited us in Leeds.", "sister"),
            ("The bakery won a prize for its rye bread.", "bakery"),
            ("Clara and I had a quarrel about the house.", "sister"),
            ("I have two dogs, Rex and Bo.", "dogs"),
            ("I left the bakery and opened my own.", "bakery"),
        ]
    ):
        session = await asking.talk(ANNS_DM, [(ANN, words)], after=number * 40 * DAY, reply="I see.")
        await asking.rows.sessions.close(session.place)
        event = Event(
            session.place,
            session.id,
            f"Ann: {words}",
            frozenset({topic, "home"}) if number == 2 else frozenset({topic}),
            START + number * 40 * DAY,
            frozenset({ANN.id}),
            (session.utterances[0].id,),
        )
        events.append(await asking.rows.events.add(event, job_id=0))
        if number == 5:
            await asking.learn(session.utterances[0], "I have two dogs.")
    pairs = [(1, 3, Relation.SAME_TOPIC), (0, 1, Relation.CAUSE), (3, 6, Relation.CHANGED), (2, 4, Relation.REACT)]
    async with asking.rows.database.writing() as connection:
        for older, newer, relation in pairs:
            row = {"older": events[older].id, "newer": events[newer].id, "relation": relation.value}
            await connection.execute(insert(edge_rows).values(row))
    bens = await asking.talk(BENS_DM, [(BEN, BENS_SECRET)])
    await asking.learn(bens.utterances[0], BENS_SECRET)
    await asking.remember(bens, f"Ben: {BENS_SECRET}")
    hall = await asking.talk(HALL, [(ANN, "I sail."), (BEN, "I row.")], name="#hall in Home")
    await asking.learn(hall.utterances[0], "I sail.")
