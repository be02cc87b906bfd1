"""`/privacy`, `/link` and `/unlink` over the real stores, with a clock that is moved."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from bot.clock import ManualClock
from bot.config import Settings, load_settings
from bot.domain import Answer, Asker, Call, ErasureReason, Selection
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.privacy.privacies import SqlPrivacies
from bot.usecases.calls import decode, encode, parse_line
from bot.usecases.linking import Linking
from bot.usecases.markup import bare
from bot.usecases.privacy import PrivacyRules
from tests.open_rows import open_rows
from tests.stored import START, Rows
from tests.usecases.asking import RowsEraser, in_dm


@dataclass
class Deciding:
    """The use cases, what is under them, and what they told."""

    rows: Rows
    settings: Settings = field(default_factory=lambda: load_settings(None, {}))
    clock: ManualClock = field(default_factory=lambda: ManualClock(START))
    changed: list[str] = field(default_factory=list)
    """Whose decisions changed, as `on_change` was told."""
    consented: list[tuple[str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.privacies = SqlPrivacies(self.rows.database)
        self.identities = SqlIdentities(self.rows.database)
        self.erasures = SqlErasures(self.rows.database, self.rows.events, self.rows.traits)
        self.eraser = RowsEraser(self.erasures, self.clock)
        self.linking = Linking(identities=self.identities, clock=self.clock, on_change=self.changed.append)

    @property
    def rules(self) -> PrivacyRules:
        """The use cases, built anew with the settings of now."""
        return PrivacyRules(
            kept=self.rows,
            eraser=self.eraser,
            clock=self.clock,
            settings=self.settings,
            on_consent=self._on_consent,
            on_change=self.changed.append,
        )

    async def _on_consent(self, speaker_id: str, agreed: bool) -> None:
        assert speaker_id in self.changed, "who remembers what was decided is told first"
        self.consented.append((speaker_id, agreed))

    def set(self, **overrides: object) -> None:
        """Other settings, by `section__key`."""
        self.settings = load_settings(None, {}, **overrides)

    async def answer(self, line: str, asker: Asker | None = None) -> Answer:
        """The answer to a typed line, past the checks that `Commands` makes."""
        call = parse_line(line)
        assert call is not None
        return await self.do(call, asker)

    async def do(self, call: Call, asker: Asker | None = None) -> Answer:
        """The answer to a call, for somebody in private."""
        rules, who = self.rules, asker or in_dm()
        methods = {
            "privacy policy": rules.policy,
            "privacy consent": rules.consent,
            "privacy pause": rules.pause,
            "privacy keep": rules.keep,
            "privacy age": rules.age,
            "privacy channel": rules.channel,
            "privacy country": rules.country,
            "privacy receipt": rules.receipt,
            "link": self.linking.link,
            "unlink": self.linking.unlink,
        }
        answer = await methods[call.command](call, who)
        assert answer.private
        return answer

    async def ask(self, line: str, asker: Asker | None = None) -> str:
        """The words of an answer."""
        return bare((await self.answer(line, asker)).text)

    async def press(self, answer: Answer, label: str, asker: Asker | None = None) -> Answer:
        """The answer to a button, as it comes back from a platform."""
        call = decode(encode(call_of(answer, label)))
        assert call is not None
        return await self.do(call, asker)

    async def forgets(self, asker: Asker, *, found: int | None = 0) -> int:
        """Erases one message of theirs, as `/memory forget` does, and looks for it if `found` says what is found."""
        said = await self.say(asker, days_ago=0)
        erased = await self.erasures.erase(
            Selection(utterances=(said,)), ErasureReason.ASKED, self.clock.now(), asker.speaker.id
        )
        if found is not None:
            await self.erasures.finish(erased.erasure_id, found, self.clock.now())
        return erased.erasure_id

    async def say(self, asker: Asker, *, days_ago: float) -> int:
        """Something that they said then; its id."""
        after = self.clock.now() - START - timedelta(days=days_ago)
        return (await self.rows.accept(speaker=asker.speaker, place=asker.place, after=after)).id


@asynccontextmanager
async def open_deciding() -> AsyncIterator[Deciding]:
    """The use cases over an empty database."""
    async with open_rows() as rows:
        yield Deciding(rows)


def call_of(answer: Answer, label: str) -> Call:
    """What the button of this label does."""
    found = [choice.call for row in answer.choices for choice in row if choice.label == label]
    assert len(found) == 1, f"{label!r} is not among {labels(answer)}"
    return found[0]


def labels(answer: Answer) -> list[str]:
    """The labels of all buttons."""
    return [choice.label for row in answer.choices for choice in row]
