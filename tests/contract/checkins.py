"""Check-ins with Ann, for the tests of their stores."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain import CareScores, CareWishes, CheckIn, CheckInState, Composed, Outgoing, Utterance, Why
from tests.stored import AGENT, ANN, ANNS_DM, BETA, START, Rows

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LEASE = timedelta(minutes=5)
SCORES = CareScores(0.5, 0.25, 0.75, 0.525)
WISHES = CareWishes(ANN.id, on=True, place=ANNS_DM, zone="Europe/Berlin", next_at=START + DAY)
NOBODY = CareWishes(ANN.id)


def composed(text: str = "How did it go?", sources: tuple[Utterance, ...] = (), *, farewell: bool = False) -> Composed:
    """Words made of these utterances."""
    made_of = tuple((one.id, one.text) for one in sources)
    return Composed(text, "Ann has an exam.", "Ask about the exam.", made_of, SCORES, farewell)


def message(at: datetime) -> Utterance:
    """A check-in to Ann, not stored yet."""
    return Utterance(ANNS_DM, "", AGENT, "", at, to_bot=False)


async def claimed(rows: Rows, due: datetime = START + DAY) -> CheckIn:
    """A check-in with Ann that is due then, and claimed; the next is a day later."""
    wishes = replace(WISHES, next_at=due)
    await rows.checkins.choose(wishes)
    checkin = await rows.checkins.claim(wishes, due + DAY, due + LEASE)
    assert checkin is not None
    return checkin


async def said(rows: Rows, text: str = "I have an exam.", after: timedelta = timedelta(0)) -> Utterance:
    """Something that Ann said in her DM, dealt with."""
    line = await rows.accept(text, after=after)
    await rows.sessions.append(line, BETA, 1000)
    await rows.inbox.remembered([line.id])
    return line


async def put_out(rows: Rows, due: datetime = START + DAY, *, farewell: bool = False) -> Outgoing:
    """A check-in of nothing that was said, ready to send."""
    checkin = await claimed(rows, due)
    outgoing = await rows.checkins.compose(checkin, message(due), composed(farewell=farewell), due)
    assert outgoing is not None
    return outgoing


async def sent(rows: Rows, due: datetime = START + DAY, *, farewell: bool = False) -> Outgoing:
    """The same, and it has arrived."""
    outgoing = await put_out(rows, due, farewell=farewell)
    await rows.outbox.sending(outgoing.id)
    await rows.outbox.sent(outgoing.id)
    return outgoing


async def state_of(rows: Rows, checkin_id: int) -> tuple[CheckInState, Why | None, str]:
    found = await rows.checkins.get(checkin_id)
    assert found is not None
    return found.state, found.why, found.failure


async def link(rows: Rows, second: str = "post:ann", first: str = ANN.id) -> None:
    """Makes the second identity one person with the first."""
    await rows.identities.offer(first, "owl", START + LEASE)
    await rows.identities.link(second, "owl", START)
