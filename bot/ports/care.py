"""Check-ins as rows: due → claimed → composed → sending → sent, or skipped, or failed, each with its reason.

A method that writes is one transaction: all or nothing, also after SIGKILL, and when two processes do the same.
How far a composed one has come is what the outbox says of its message, until that is erased: then it is kept here. One
that is erased unsent counts as skipped (`Why.CHANGED`), one that was being sent as failed ("uncertain").
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain import CareWishes, Character, CheckIn, Circumstances, Composed, Opened, Outgoing, Utterance, Why


class CheckIns(Protocol):
    """What people chose about check-ins, and the check-ins. Linked identities share all of it.

    When two are linked, the wishes that have check-ins on win, else those of the one that the code was shown to; when
    they part, wishes stay with the identity in whose DM they come. Of two identities of which that one is erased, the
    other keeps what was chosen, with check-ins off.
    """

    async def wishes(self, speaker_id: str) -> CareWishes:
        """What this person chose; the defaults of `CareWishes` for somebody who chose nothing. Carries the id asked."""

    async def choose(self, wishes: CareWishes) -> None:
        """Stores all that a person chose, `next_at` too. ValueError when `place` is no DM.

        Where this switches them on, what was not answered before does not count any more.
        """

    async def switch_off(self, speaker_id: str) -> None:
        """Switches check-ins off and plans none; nothing else of what the person chose is touched."""

    async def offered(self, speaker_id: str) -> None:
        """Records that this person was asked whether they want any; nothing else of the wishes is touched."""

    async def answered(self, speaker_id: str, at: datetime) -> None:
        """Records that the person pressed a button under a check-in: what was sent up to then counts as answered."""

    async def circumstances(self, speaker_id: str, now: datetime) -> Circumstances:
        """What has happened so far, over all of the person's identities. What is dated after `now` counts as now.

        `sent` holds the times at which they were composed, and also one that is on its way. `unanswered` is counted
        anew after a farewell. What is written in a DM, `answered` and switching them on end `unanswered` and `refused`,
        and nothing else; that holds when what was said is erased, and so does `last_said`, for whoever
        had chosen something when they said it. The caller fills in `agreed` and `minor`: what they follow from is no
        matter of rows.
        """

    async def helped(self, speaker_id: str, at: datetime) -> None:
        """Records that this person was given a crisis line, whether they have check-ins or not."""

    async def due(self, now: datetime, limit: int) -> list[CareWishes]:
        """The wishes with `next_at` up to `now`, the longest due first: one indexed query.

        Here, and wherever nobody's id was asked, they carry that of their place. A row that cannot be read is left out,
        and nothing is planned for it any more.
        """

    async def unplanned(self, limit: int, after: str = "") -> list[CareWishes]:
        """Wishes of people who have check-ins on with nothing planned, in the order of `speaker_id`, from beyond that.

        One indexed query. To go through all, give the `speaker_id` of the last one found.
        """

    async def set_right(self, now: datetime) -> int:
        """Moves to `now` what is dated later than a day from now, by a clock that was ahead; returns how many times.

        That is when check-ins were sent and when people were helped. Not what is planned (see `astray`), and not when
        people spoke: there, what is dated later than a day from now counts nowhere.
        """

    async def astray(self, after: datetime, limit: int) -> list[CareWishes]:
        """The wishes with `next_at` later than `after`, of a clock that was ahead, the soonest first.

        Without those that are paused until later than `after`: theirs is right.
        """

    async def claim(
        self, wishes: CareWishes, next_at: datetime | None, until: datetime, why: Why | None = None
    ) -> CheckIn | None:
        """Makes a row of the check-in that is due at `wishes.next_at`, claimed until then, and plans the next.

        With `why` it is skipped at once. None, and nothing changes, when `wishes.next_at` is not what is stored any
        more: somebody else has claimed it, or the person has chosen anew. None, but the next is planned, when that
        moment had its check-in before, or there is no DM.
        """

    async def plan(self, wishes: CareWishes, next_at: datetime | None) -> bool:
        """Moves what is planned, with no row; False when `wishes.next_at` is not what is stored any more."""

    async def take_over(self, now: datetime, lease: timedelta) -> CheckIn | None:
        """A claimed check-in whose lease ran out, claimed anew; None: none. `attempts` counts this claim.

        A lease that ends later than two of `lease` from now is of a clock that was ahead, and has run out too.
        """

    async def skip(self, checkin: CheckIn, why: Why) -> bool:
        """Ends a claimed check-in without sending it; False: it is not claimed any more (of the same `attempts`)."""

    async def compose(
        self, checkin: CheckIn, message: Utterance, composed: Composed, since: datetime
    ) -> Outgoing | None:
        """Stores the words of a claimed check-in as ready to send, in a session of their own in its place.

        A session that is open there is closed, with its jobs. None, and nothing is stored, when the check-in is not
        claimed any more (of the same `attempts`), when the person has said anything later than `since` or waits for an
        answer, when anything of `composed.sources` or `toned_by` has been erased, says something else or may not be
        read in its place by now, when one of `composed.traits` was superseded, or the guessed type is another, when
        another check-in of the person was composed after `since` or is still on its way, or when check-ins are off in
        this DM, paused or held. The message goes when anything that it was made of is erased. Its text is that of
        `composed`, its message id follows from the check-in's; `message.time` is when it counts as sent.
        """

    async def is_readable(self, checkin_id: int) -> bool:
        """Whether all that a check-in is made of may still be shown in its place; False for one that is gone.

        It may not when the identity that said it is linked no more with the one in whose DM it is, nor when a trait
        that was in view is not true any more.
        """

    async def withdraw(self, checkin_id: int, why: Why) -> int:
        """Ends a composed check-in that surely was not shown. Returns the id of the utterance that must be erased.

        0, and nothing changes, when it may have been shown, or its utterance is gone. It is not sent any more from then
        on. A second call returns the same id.
        """

    async def unsaid(self, limit: int) -> list[int]:
        """The utterances of check-ins that were withdrawn and are not erased yet, perhaps by a killed process."""

    async def get(self, checkin_id: int) -> CheckIn | None:
        """One check-in; None when there is none."""

    async def latest(self, limit: int, speaker_id: str | None = None, *, sent: bool = False) -> list[CheckIn]:
        """The last check-ins, of all people or of one, those claimed last first. For the owner: they hold no words.

        `sent`: only those that were.
        """

    async def planned(self, limit: int) -> list[CareWishes]:
        """What is planned next, of all people, the soonest first."""

    async def opened(self, session_id: int) -> Opened | None:
        """The check-in that opened this session, or the talk from which it was begun anew (`rethink`).

        None: none did, it was erased, or is not readable any more.
        """

    async def rethink(
        self, checkin_id: int, background: str, intention: str, sources: Sequence[tuple[int, str]], since: int
    ) -> bool:
        """Begins a new session with another memory as its background (CareAgent, appendix F).

        The open session is closed, with its jobs, before the utterance `since`, which begins the new one. Where no
        person said anything in it before that, it goes on. False, and nothing changes, when a source changed meanwhile.
        The message then goes with these sources too, and `Opened.sources` has the old ones and these.
        """

    async def spoken_of(self, speaker_id: str, limit: int) -> list[tuple[datetime, tuple[int, ...]]]:
        """What the last sent check-ins of a person were about: (when sent, `Composed.about`), the latest first.

        With those that may have arrived and those whose message was erased, without farewells and those of which
        nothing is left that they were about.
        """

    async def hold(self, *, on: bool) -> None:
        """Stops all check-ins, or lets them go on; kept over restarts."""

    async def prune(self, before: datetime) -> int:
        """Deletes rows that were skipped or refused before then; returns how many.

        Not the last refusal of a person, by which it waits until they write, and not what may have arrived.
        """


class Characters(Protocol):
    """Personality types of people. Linked identities share them; one that was guessed goes with any of its sources.

    That a person wants none guessed stays. When two are linked, that one of them wants none wins, then what was said by
    the person. When they part, each keeps such a choice, and what was guessed goes.
    """

    async def of(self, speaker_id: str) -> Character:
        """What is known; of somebody of whom nothing is, an empty type."""

    async def put(self, character: Character) -> bool:
        """Stores it; False, and nothing is stored, when one of its sources has been erased meanwhile.

        Nor is a type that was guessed stored over what the person said, or over that they want none guessed.
        """

    async def forget(self, speaker_id: str) -> None:
        """Drops what is known, and the person's choice."""
