"""Whose memory it is: what people decided, who is one person on two platforms, and what is erased.

A method that writes is one transaction: all or nothing, also after SIGKILL.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol, Required, TypedDict, Unpack

from bot.domain import (
    Confirmed,
    Erased,
    ErasurePreview,
    ErasureReason,
    Finding,
    Place,
    Privacy,
    Receipt,
    Scope,
    Selection,
    TakenBack,
    Trait,
    Utterance,
)
from bot.ports.engines import Vectors


class Privacies(Protocol):
    """What people decided. A person's linked identities share it.

    Of somebody who was erased, a refusal, a pause, being under 18 and opt-outs hold on.
    """

    async def of(self, speaker_id: str) -> Privacy:
        """What this person decided; of somebody unknown, what nobody has decided yet. Carries the id that was asked."""

    async def put(self, privacy: Privacy) -> None:
        """Stores what a person decided."""

    async def opted_out(self, speaker_id: str, place: Place) -> bool:
        """Whether this person is not to be read in this channel: by itself, its thread's channel or its server."""

    async def opt_out(self, speaker_id: str, place: Place, *, out: bool, whole_server: bool = False) -> None:
        """Opts this person out of a channel with its threads, or of its whole server; or in again."""

    async def with_retention(self) -> list[Privacy]:
        """Those of whom something is kept for some days only, by choice or as minors: one a person, with any id."""

    async def said_before(
        self, speaker_id: str, before: datetime, limit: int, since: datetime | None = None
    ) -> list[int]:
        """The ids of what this person, on any of their platforms, said in [`since`, `before`); the oldest `limit`."""


class Link(StrEnum):
    """What became of a code that was typed."""

    LINKED = "linked"
    WRONG = "wrong"
    """No such code, or it is over, or was used."""
    OWN = "own"
    """It was shown to the same identity."""
    KNOWN = "known"
    """The two are one person already."""
    TAKEN = "taken"
    """One of the two has another identity on the other's platform."""


class Identities(Protocol):
    """Who is one person on several platforms."""

    async def of(self, speaker_id: str) -> tuple[str, ...]:
        """All ids of this person, sorted, this one included; it alone when nothing is linked."""

    async def offer(self, speaker_id: str, code: str, until: datetime) -> None:
        """Stores a digest of `code` for this person, in the place of any earlier one."""

    async def link(self, speaker_id: str, code: str, now: datetime) -> tuple[Link, tuple[str, ...]]:
        """Joins this identity with the one that the code was shown to, with their decisions; all ids of the person.

        A code works once. The stricter decision wins, but that consent of either is consent of both, and that what
        they say is kept for the longer of both times, so that nothing is erased by it. Counts up the version of the
        events: what may be used where has changed.
        """

    async def unlink(self, speaker_id: str) -> tuple[str, ...]:
        """Parts all identities of this person; each keeps what was decided. Returns the others; empty: none were."""


class Confirmations(Protocol):
    """What a person was asked to confirm.

    A question is asked for a purpose, in which stands all that is not in its selection ("keep 30"): for another one it
    is no question at all. An erasure uses its question up itself (`Erasures.erase`): no kill loses one without the
    other.
    """

    async def ask(self, speaker_id: str, selection: Selection, until: datetime, purpose: str = "forget") -> str:
        """Stores what is to be erased when this person says so; returns a token of at most 16 characters."""

    async def peek(self, token: str, now: datetime, purpose: str = "forget") -> tuple[str, Selection] | None:
        """Whose it is, and what; None when it is over, was used, or never was. Changes nothing."""

    async def take(self, token: str, speaker_id: str, now: datetime, purpose: str = "forget") -> Selection | None:
        """What was to be confirmed, once, for the person who was asked (on any of their platforms).

        None for anybody else, for whom nothing changes, for another purpose, and when it is over.
        """

    async def drop(self, token: str, speaker_id: str) -> bool:
        """Withdraws a question; False for anybody but the person who was asked."""

    async def tidy(self, now: datetime) -> None:
        """Forgets questions, and codes for linking, that are over: they name who was asked or shown them."""


class Erasures(Protocol):
    """Erasing rows, whole: see `bot/storage/shared/closure.py` for the rule of what goes along."""

    async def preview(self, selection: Selection, subject: str | None = None) -> ErasurePreview:
        """What `erase` would do. `subject`: the speaker id of whoever is shown it; only what they can read counts."""

    async def erase(
        self,
        selection: Selection,
        reason: ErasureReason,
        now: datetime,
        subject: str | None = None,
        confirmation: str = "",
    ) -> Erased:
        """Erases from all tables, with what comes from it; what others said is derived anew by jobs.

        `subject`: the speaker id of whoever may look the receipt up; it counts only what they could read. The erasure
        is unfinished until `finish`.
        `confirmation`: the token of a question that the subject answers by this, used up in the same transaction.
        That they answered is on the disk before anything else is done.
        When it is over, somebody else's, or not all of the selection was said by the subject as they are linked now,
        nothing is erased: the id is 0.
        """

    async def erase_messages(self, platform: str, message_ids: Sequence[str], now: datetime) -> Erased:
        """The same for what was deleted on its platform. What is not stored yet is never stored then."""

    async def confirmed(self) -> list[Confirmed]:
        """Erasures that were confirmed and never done: the process was killed, or the disk was full. Oldest first."""

    async def unfinished(self) -> list[tuple[int, tuple[tuple[Scope, tuple[int, ...]], ...]]]:
        """Erasures whose files are not known to be clean: id, and the vectors that had to go. Oldest first.

        Those in whose files something was found are among them.
        """

    async def finish(self, erasure_id: int, found: int | None, now: datetime) -> Receipt:
        """Records that the files were rewritten and looked through, and drops what only that needed.

        `found`: in how many places something was left, and then it stays unfinished; None: nobody could look for it,
        because the process that knew the words is gone.
        """

    async def receipt(self, erasure_id: int) -> Receipt | None:
        """What an erasure did; None when there is none of that id."""

    async def receipts(self, speaker_id: str, limit: int) -> list[Receipt]:
        """The erasures that this person asked for, the latest first."""


class SafetyReviews(Protocol):
    """Going once over what was stored before a look for signs of danger existed: nothing is to be derived from that.

    How far it has come is stored, so that a later process goes on there.
    """

    async def begin(self, look: str) -> bool:
        """Has all that is stored now reviewed by this look, unless that has begun. Returns whether something is left.

        `look`: its version, a word without spaces.

        Utterances that are stored later are not reviewed: what is derived from them has passed the look.
        """

    async def unreviewed(self, limit: int) -> list[Utterance]:
        """What people said that is to be reviewed next, the oldest first; empty: nothing is left.

        Not what they told with a command: that is what they want to be known, in their own words, and not derived.
        """

    async def behind_unsent(self) -> list[Utterance]:
        """What people said of which check-ins are made that surely nobody has seen yet, also by way of traits."""

    async def reviewed(self, until: int, withheld: Collection[int], now: datetime) -> Erased:
        """Records that everything up to the utterance `until` is reviewed.

        In the same transaction all that was derived from the utterances `withheld` goes: events, with their links,
        traits, guessed personality types, what check-ins that were sent keep in mind of them, and check-ins that were
        not sent yet, whole. What was said stays; jobs derive anew what the rest of it says, and what they are
        deriving meanwhile is not stored. The id is 0 where nothing went; else the erasure is unfinished until
        `Erasures.finish`.
        """

    async def end(self) -> None:
        """Records that nothing is left to review."""

    async def forget(self) -> None:
        """Forgets that anything was reviewed: `begin` begins anew."""


class Disk(Protocol):
    """The files of the data folder, all of them."""

    async def rewrite(self) -> None:
        """Rewrites the database so that its files hold nothing but its rows, and removes exports.

        Others may read and write meanwhile; writers wait. Raises StorageError.
        """

    async def look_for(self, texts: Sequence[str], vectors: Vectors) -> list[Finding]:
        """Where any of these texts, or of these vectors of shape (n, dimension), is in any file of the data folder.

        Long texts are looked for in pieces. Raises StorageError.
        """


class Told(Protocol):
    """What people tell with a command: to correct what is known, or to add to it."""

    async def tell(
        self, utterance: Utterance, trait: str, *, instead_of: Collection[tuple[str, int]] = (), now: datetime
    ) -> Trait:
        """Stores `utterance` as remembered, and `trait` as said in it, in one transaction.

        `instead_of`: what is superseded by it: ("trait", id) or ("event", id). A superseded event is recalled no more,
        until what superseded it is erased or taken back.
        """

    async def take_back(self, speaker_ids: Collection[str], now: datetime) -> TakenBack | None:
        """Makes current again what the last thing told by one of these speakers ended, and ends that itself.

        The words stay, as those of a superseded trait do, until they are erased. None when nothing is left to take
        back, and when something that was said later has ended what was told last.
        """


class Which(TypedDict, total=False):
    """Which of the things that somebody said: the first `limit` by id whose ids are over `after`."""

    limit: Required[int]
    after: int
    since: datetime | None
    """Said then or later."""
    before: datetime | None
    place: Place | None
    """Said there; a channel is meant with its threads."""


class Exports(Protocol):
    """All that is kept of one person, so that they can be shown it, and find in it what they want erased.

    `speaker_ids`: all identities of that person (`Identities.of`). Others' words are never in what comes back.
    """

    async def said_by(self, speaker_ids: Collection[str], **which: Unpack[Which]) -> list[Utterance]:
        """What they said, in order of id."""

    async def words_of(self, speaker_ids: Collection[str], **which: Unpack[Which]) -> list[tuple[int, str]]:
        """The same as (id, text): there may be a hundred thousand to look through."""

    async def last_said(self, speaker_ids: Collection[str], place: Place | None, limit: int) -> list[Utterance]:
        """The last things they said in `place`, or anywhere (None), the latest first."""

    async def channels(self, speaker_ids: Collection[str]) -> list[Place]:
        """The channels in which they spoke, sorted."""

    async def replies_in(self, places: Collection[Place], *, after: int = 0, limit: int) -> list[Utterance]:
        """What the companion said in these places, the first `limit` by id whose ids are over `after`."""

    async def traits_of(self, speaker_ids: Collection[str]) -> list[Trait]:
        """All their traits, oldest first, also those that are true no more."""

    async def opt_outs(self, speaker_ids: Collection[str]) -> list[str]:
        """Where they are not to be read: keys of places, or "platform:server"; sorted."""
