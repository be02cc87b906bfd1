"""Check-ins as rows: due → claimed → composed → sending → sent, or skipped, or failed, each with its reason.

A method that writes is one transaction: all or nothing, also after SIGKILL, and when two processes do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain import (
    CareWishes,
    Character,
    CheckIn,
    Circumstances,
    Composed,
    Job,
    Opened,
    Outgoing,
    Utterance,
    Why,
)


class CheckIns(Protocol):
    """What people chose about check-ins, and the check-ins. Linked identities share all of it."""

    async def wishes(self, speaker_id: str) -> CareWishes:
        """What this person chose; the defaults of `CareWishes` for somebody who chose nothing. Carries the id asked."""
        ...

    async def choose(self, wishes: CareWishes) -> None:
        """Stores all that a person chose, `next_at` too."""
        ...

    async def circumstances(self, speaker_id: str, now: datetime) -> Circumstances:
        """What has happened so far, over all of the person's identities. What is dated after `now` counts as now."""
        ...

    async def helped(self, speaker_id: str, at: datetime) -> None:
        """Records that this person was given a crisis line. Only of people who have check-ins on."""
        ...

    async def due(self, now: datetime, limit: int) -> list[CareWishes]:
        """The wishes with `next_at` up to `now`, the longest due first: one indexed query."""
        ...

    async def astray(self, after: datetime, limit: int) -> list[CareWishes]:
        """The wishes with `next_at` later than `after`: of a clock that was ahead, unless they are paused for long."""
        ...

    async def claim(
        self, wishes: CareWishes, next_at: datetime | None, until: datetime, why: Why | None = None
    ) -> CheckIn | None:
        """Makes a row of the check-in that is due at `wishes.next_at`, claimed until then, and plans the next.

        With `why` it is skipped at once. None, and nothing changes, when `wishes.next_at` is not what is stored any
        more: somebody else has claimed it, or the person has chosen anew.
        """
        ...

    async def plan(self, wishes: CareWishes, next_at: datetime | None) -> bool:
        """Moves what is planned, with no row; False when `wishes.next_at` is not what is stored any more."""
        ...

    async def take_over(self, now: datetime, lease: timedelta) -> CheckIn | None:
        """A claimed check-in whose lease ran out, claimed anew; None: none. `attempts` counts this claim."""
        ...

    async def skip(self, checkin_id: int, why: Why) -> None:
        """Ends a claimed check-in without sending it."""
        ...

    async def compose(
        self, checkin: CheckIn, message: Utterance, composed: Composed, since: datetime, jobs: Sequence[Job] = ()
    ) -> Outgoing | None:
        """Stores the words of a claimed check-in as ready to send, in a session of their own in its place.

        A session that is open there is closed, with its jobs. None, and nothing is stored, when the check-in is not
        claimed any more (of the same `attempts`), when the person has said anything later than `since`, when anything
        of `composed.sources` has been erased or says something else by now, or when check-ins are off. The message goes
        when any of its sources is erased.
        """
        ...

    async def withdraw(self, checkin_id: int, why: Why) -> int:
        """Ends a composed check-in that surely was not shown. Returns the id of the utterance that must be erased."""
        ...

    async def get(self, checkin_id: int) -> CheckIn | None:
        """One check-in; None when there is none."""
        ...

    async def latest(self, limit: int, speaker_id: str | None = None) -> list[CheckIn]:
        """The last check-ins, of all people or of one, the latest first. For the owner: they hold no words."""
        ...

    async def planned(self, limit: int) -> list[CareWishes]:
        """What is planned next, of all people, the soonest first."""
        ...

    async def opened(self, session_id: int) -> Opened | None:
        """The check-in that opened this session; None: none did, or it was erased."""
        ...

    async def rethink(self, checkin_id: int, background: str, sources: Sequence[tuple[int, str]]) -> bool:
        """Lets another memory be the background of the session (CareAgent's feedback); False when it changed meanwhile.

        The message then goes with these sources too.
        """
        ...

    async def spoken_of(self, speaker_id: str, limit: int) -> list[tuple[datetime, tuple[int, ...]]]:
        """What the last sent check-ins of a person were made of: (when sent, ids of utterances), the latest first."""
        ...

    async def hold(self, *, on: bool) -> None:
        """Stops all check-ins, or lets them go on; kept over restarts."""
        ...

    async def prune(self, before: datetime) -> int:
        """Deletes rows that were skipped or failed before then; returns how many."""
        ...


class Characters(Protocol):
    """Personality types of people. Linked identities share them; one that was guessed goes with any of its sources."""

    async def of(self, speaker_id: str) -> Character:
        """What is known; of somebody of whom nothing is, an empty type."""
        ...

    async def put(self, character: Character) -> bool:
        """Stores it; False, and nothing is stored, when one of its sources has been erased meanwhile."""
        ...

    async def forget(self, speaker_id: str) -> None:
        """Drops what is known, and the person's choice."""
        ...
