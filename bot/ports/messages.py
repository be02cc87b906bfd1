"""What arrives and what is sent. A method that writes is one transaction: all or nothing, also after SIGKILL."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from bot.domain import Draft, Job, Outgoing, Place, Recollection, SessionLimits, Spending, UsedMemories, Utterance


class Inbox(Protocol):
    """What arrived and is not yet dealt with."""

    async def accept(self, utterance: Utterance, joins: SessionLimits | None = None) -> Utterance | None:
        """Stores `utterance` as pending and returns it with its id and its speaker's number.

        With `joins` it is put into a session at once, as `Sessions.append` does: nothing else waits in its place.
        The id of a message that it replies to is kept where that message is stored, or the companion's; else a word
        that is no id stands there. None when that message is stored already, or was erased (`Erasures`), perhaps
        before it arrived.
        """

    async def refused(self, utterance: Utterance) -> None:
        """Notes that a message was not taken in, and that its people were told so."""

    async def was_refused(self, utterance: Utterance) -> bool:
        """Whether that was noted of this message in the last while."""

    async def pending(self, place: Place | None = None) -> list[Utterance]:
        """The utterances of `place` (or of all places) that are not dealt with, oldest first."""

    async def remembered(self, ids: Sequence[int], jobs: Sequence[Job] = ()) -> None:
        """Marks utterances as dealt with that get no reply, and adds `jobs`, in one transaction."""


class Outbox(Protocol):
    """Replies on their way to a platform."""

    async def commit(
        self,
        reply: Utterance,
        answers: Sequence[int],
        recalled: Recollection,
        jobs: Sequence[Job],
        shown: Mapping[int, str] = MappingProxyType({}),
        *,
        spending: Spending | None = None,
        at_once: bool = False,
    ) -> Outgoing | None:
        """Stores `reply` as the one answer to the utterances `answers`: the text, in its session, as ready to send.

        What was remembered without an answer may be answered later (an open channel). The result has its draft.

        `recalled`, and `shown`, id of an utterance → what it said: all whose words the prompt held, also of older
        sessions and what lines reply to. The whole text, also where the prompt had it shortened. They are recorded with
        the reply, so that it goes when one of them is erased.

        In the same transaction the answered utterances are dealt with, `spending` is counted, and `jobs` are added; a
        job whose subject is 0 is about the reply itself. `at_once`: it is being sent from now on, unless something
        else waits to be sent in its place; to the next process it is `uncertain`. None, and nothing is stored, when
        one of `answers` has a reply already, when anything of `answers`, `recalled` or `shown` has been erased
        meanwhile, and when something of `shown` says something else by now: the reply may say what it said. A memory
        that was superseded is still there.
        """

    async def draft(self, place: Place, in_reply_to: str | None, message_id: str | None) -> None:
        """Records which message of `place` shows the growing reply to `in_reply_to` (None: no more).

        It is known to the next process too. A message shows one reply: the one it showed before has no draft then.
        """

    async def drafts(self, place: Place, in_reply_to: str | None) -> str | None:
        """The message that shows the growing reply to `in_reply_to`, perhaps of a killed process; None: none."""

    async def unfinished(self, place: Place | None = None) -> list[Draft]:
        """The drafts of `place` (or of all places) that no unsent reply will take."""

    async def sending(self, outgoing_id: int) -> None:
        """Records that an attempt to send begins now, unless `commit` has recorded it already."""

    async def part_sent(self, outgoing_id: int, platform_message_id: str, *, last: bool = False) -> bool:
        """Records that the next part has arrived; `last`: and with it all. The first takes the reply's draft along.

        False, and nothing is recorded, when the reply is not on its way any more: it was erased. A part that has been
        recorded already, since nobody could tell whether it was, is not recorded twice.
        """

    async def sent(self, outgoing_id: int) -> None:
        """Records that all parts have arrived, unless `part_sent` has recorded it already."""

    async def put_back(self, outgoing_id: int) -> None:
        """Records that the attempt certainly did not arrive: it is ready again."""

    async def failed(self, outgoing_id: int, reason: str) -> None:
        """Records that the platform refused it for good."""

    async def undelivered(self, place: Place | None = None) -> list[Outgoing]:
        """What is ready or being sent in `place` (or in all places), oldest first; the latter are `uncertain`."""

    async def used(self, place: Place, platform_message_id: str | None = None) -> UsedMemories | None:
        """The memories behind the reply that was sent with this id, or behind the last reply in `place`.

        None when there is no such reply in `place`. Memories that have been erased since are left out.
        """
