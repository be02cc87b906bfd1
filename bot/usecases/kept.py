"""The stores that the commands look into."""

from __future__ import annotations

from typing import Protocol

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
    Outbox,
    Privacies,
    Told,
    Traits,
    Utterances,
)


class Kept(Protocol):
    """The stores that commands look into."""

    @property
    def events(self) -> Events: ...  # noqa: D102
    @property
    def graph(self) -> Graph: ...  # noqa: D102
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
