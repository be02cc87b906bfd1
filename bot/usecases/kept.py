"""The stores that the commands look into, and what erases."""

from typing import Protocol

from bot.domain import Erased, ErasureReason, Receipt, Selection
from bot.ports import (
    Channels,
    Characters,
    CheckIns,
    Confirmations,
    Erasures,
    Events,
    Exports,
    Graph,
    Identities,
    Jobs,
    Outbox,
    Privacies,
    Shelf,
    Told,
    Traits,
    Usage,
    Utterances,
)


class Kept(Protocol):
    """The stores that commands look into."""

    @property
    def events(self) -> Events: ...  # noqa: D102
    @property
    def graph(self) -> Graph: ...  # noqa: D102
    @property
    def shelf(self) -> Shelf: ...  # noqa: D102
    @property
    def traits(self) -> Traits: ...  # noqa: D102
    @property
    def utterances(self) -> Utterances: ...  # noqa: D102
    @property
    def outbox(self) -> Outbox: ...  # noqa: D102
    @property
    def channels(self) -> Channels: ...  # noqa: D102
    @property
    def privacies(self) -> Privacies: ...  # noqa: D102
    @property
    def identities(self) -> Identities: ...  # noqa: D102
    @property
    def confirmations(self) -> Confirmations: ...  # noqa: D102
    @property
    def erasures(self) -> Erasures: ...  # noqa: D102
    @property
    def told(self) -> Told: ...  # noqa: D102
    @property
    def exports(self) -> Exports: ...  # noqa: D102
    @property
    def checkins(self) -> CheckIns: ...  # noqa: D102
    @property
    def characters(self) -> Characters: ...  # noqa: D102
    @property
    def jobs(self) -> Jobs: ...  # noqa: D102
    @property
    def usage(self) -> Usage: ...  # noqa: D102


class Erasing(Protocol):
    """Erases for good: `bot/memory/eraser.py`."""

    async def erase(
        self, selection: Selection, reason: ErasureReason, subject: str | None = None, confirmation: str = ""
    ) -> Erased:
        """Erases rows now and files soon, with all that comes from them; `subject` may look the receipt up.

        `confirmation`: the token that it uses up; the id is 0, and nothing is erased, when it is not valid any more.
        Raises StorageError.
        """

    async def complete(self, erasure_id: int, timeout_s: float) -> Receipt | None:
        """Waits until the files are rewritten and were looked through; None when that takes longer."""
