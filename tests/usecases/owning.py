"""Forgetting, correcting and exporting over the real stores."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from bot.clock import ManualClock
from bot.config import Settings, load_settings
from bot.conversation.safety import may_be_danger
from bot.domain import Answer, Asker, Call, Choice, Speaker
from bot.llm.scripted import ScriptedEncoder
from bot.storage.conversation.told import SqlTold
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.privacy.confirmations import SqlConfirmations
from bot.storage.privacy.exports import SqlExports
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.privacy.privacies import SqlPrivacies
from bot.usecases.correcting import Correcting
from bot.usecases.exporting import Exporting
from bot.usecases.forgetting import Forgetting
from bot.usecases.markup import bare
from bot.usecases.memory import Memories
from tests.open_rows import open_rows
from tests.stored import START, Rows
from tests.usecases.asking import Asking, RowsEraser, in_dm


class Owning(Asking):
    """What the commands about one's own memory need, over the same rows as `Asking`."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.clock = ManualClock(START + timedelta(hours=1))
        self.identities = SqlIdentities(rows.database)
        self.privacies = SqlPrivacies(rows.database)
        self.exports = SqlExports(rows.database)
        self.erasures = SqlErasures(rows.database, rows.events, rows.traits)
        self.confirmations = SqlConfirmations(rows.database)
        self.told = SqlTold(rows.database, rows.traits, rows.events)
        self.eraser = RowsEraser(self.erasures, self.clock)
        self.indexings = 0
        self.implied = True

    @property
    def chosen_settings(self) -> Settings:
        """Nobody is asked for consent, unless `implied` is false."""
        return load_settings(None, {}, privacy__consent="implied" if self.implied else "ask")

    @property
    def memories(self) -> Memories:
        """`/memory list` and what shares its view."""
        return Memories(
            kept=self.rows,
            encoder=ScriptedEncoder(),
            settings=self.chosen_settings,
            withheld=lambda said: may_be_danger(said.text),
        )

    @property
    def forgetting(self) -> Forgetting:
        """`/memory forget`."""
        return Forgetting(
            memories=self.memories,
            kept=self.rows,
            eraser=self.eraser,
            clock=self.clock,
            settings=self.chosen_settings,
        )

    @property
    def correcting(self) -> Correcting:
        """`/memory correct` and `/persona edit`."""
        return Correcting(
            memories=self.memories,
            kept=self.rows,
            indexed=self._indexed,
            clock=self.clock,
            settings=self.chosen_settings.privacy,
        )

    @property
    def exporting(self) -> Exporting:
        """`/memory export`."""
        return Exporting(memories=self.memories, kept=self.rows, clock=self.clock, agent_name="Monica")

    async def _indexed(self) -> None:
        self.indexings += 1

    async def forget(self, what: str = "", asker: Asker | None = None) -> Answer:
        """The answer to `/memory forget`."""
        call = Call("memory forget", (("what", what),) if what else ())
        return await self.forgetting.forget(call, asker or in_dm())

    async def pressed(self, choice: Choice, asker: Asker | None = None) -> str:
        """The words of the answer to a button of `/memory forget`."""
        assert choice.call.command == "memory forget"
        return bare((await self.forgetting.forget(choice.call, asker or in_dm())).text)

    async def link(self, one: Speaker, other: Speaker) -> None:
        """Makes two speakers one person."""
        await self.identities.offer(one.id, "CODE", self.clock.now() + timedelta(minutes=5))
        await self.identities.link(other.id, "CODE", self.clock.now())


@asynccontextmanager
async def open_owning() -> AsyncIterator[Owning]:
    """All of it over an empty database."""
    async with open_rows() as rows:
        yield Owning(rows)


def words(answer: Answer) -> str:
    """The words of an answer without its marks."""
    return bare(answer.text)


def button(answer: Answer, label: str) -> Choice:
    """The button with this label."""
    return next(choice for row in answer.choices for choice in row if choice.label == label)
