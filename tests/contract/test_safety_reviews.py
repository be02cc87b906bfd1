"""The contract of `bot.ports.SafetyReviews`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import (
    TOLD,
    Character,
    CheckInState,
    Erased,
    JobKind,
    Recollection,
    Scope,
    Trait,
    Utterance,
    VectorKind,
    Why,
)
from bot.storage.engine.database import put
from bot.storage.erasing.safety_reviews import KEY
from bot.storage.shared.tables import meta
from tests.contract.checkins import claimed as claimed_checkin
from tests.contract.checkins import composed, message, said
from tests.contract.test_corrections import DAY, due, in_session, learnt
from tests.looking import open_session
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BETA, HALL, START, Rows, reply_to

LOOK, OTHER = "a1b2", "c3d4"


async def withhold(rows: Rows, *lines: Utterance) -> Erased:
    """Reviews up to the last of these, all of which are withheld."""
    await rows.safety_reviews.begin(LOOK)
    return await rows.safety_reviews.reviewed(lines[-1].id, [line.id for line in lines], START)


async def test_it_goes_on_where_it_was_and_ends(rows: Rows) -> None:
    reviews = rows.safety_reviews
    lines = [await rows.accept(f"line {number}") for number in range(3)]
    lines.append(await rows.accept("mine", speaker=AGENT))
    assert await reviews.unreviewed(9) == [], "it has not begun"
    assert await reviews.begin(LOOK)
    later = await rows.accept("later")
    assert await reviews.begin(LOOK)
    assert await reviews.unreviewed(2) == lines[:2]
    assert await reviews.reviewed(lines[1].id, [], START) == Erased(0)
    assert await reviews.reviewed(lines[0].id, [], START) == Erased(0), "never back"
    assert await reviews.unreviewed(9) == lines[2:3]
    assert await reviews.begin(LOOK)
    await reviews.end()
    assert (await reviews.unreviewed(9), await reviews.begin(LOOK)) == ([], False)
    assert await reviews.begin(OTHER)
    assert await reviews.unreviewed(9) == [*lines[:3], later]
    await reviews.end()
    await reviews.forget()
    await reviews.forget()
    assert await reviews.unreviewed(9) == []
    assert await reviews.begin(OTHER)


async def test_a_version_that_an_earlier_program_counted_is_another_one(rows: Rows) -> None:
    line = await rows.accept()
    async with rows.database.writing() as connection:
        await put(connection, meta, {"key": KEY, "value": f"1 {line.id} {line.id}"})
    assert await rows.safety_reviews.unreviewed(9) == []
    assert await rows.safety_reviews.begin(LOOK)
    assert await rows.safety_reviews.unreviewed(9) == [line]


async def test_where_nothing_is_stored_nothing_is_left(rows: Rows) -> None:
    assert not await rows.safety_reviews.begin(LOOK)
    await rows.accept()
    assert not await rows.safety_reviews.begin(LOOK)


async def test_what_was_told_with_a_command_is_not_reviewed(rows: Rows) -> None:
    told = Utterance(ANNS_DM, f"{TOLD}1", ANN, "I sing.", START, to_bot=False)
    await rows.told.tell(told, "I sing.", now=START)
    await rows.safety_reviews.begin(LOOK)
    assert await rows.safety_reviews.unreviewed(9) == []


async def test_what_was_derived_goes_and_the_rest_is_derived_anew(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    hidden, kept = session.utterances
    event, trait = await rows.event(session), await rows.trait(session, ANN, "I sing and swim.")
    bens = await rows.trait(session, BEN, "I paint.")
    other = await rows.converse(HALL, [BEN], after=DAY)
    untouched = await rows.event(other, "They danced.", after=DAY)
    await rows.traits.readable_in(HALL, [ANN.id, BEN.id])
    version = await rows.events.version()
    await due(rows)
    erased = await withhold(rows, hidden)
    assert erased.utterances == ()
    assert {"They met.", "I sing and swim."} <= {*erased.texts}
    assert erased.vectors == (
        (Scope(VectorKind.EVENT, HALL.key), (event.id,)),
        (Scope(VectorKind.TRAIT, HALL.key), (trait.id,)),
    )
    assert [key for key, _ in await rows.erasures.unfinished()] == [erased.erasure_id]
    assert await rows.events.version() != version
    assert await rows.events.readable_in(HALL) == [untouched]
    assert await rows.traits.readable_in(HALL, [ANN.id, BEN.id]) == [bens]
    anew = {(JobKind.SUMMARISE, session.id), (JobKind.TRAITS, hidden.id), (JobKind.LINK, untouched.id)}
    assert await due(rows) == anew, "what was being linked begins anew, too"
    left = await rows.sessions.get(session.id)
    assert left is not None
    assert left.utterances == (hidden, kept)
    again = await withhold(rows, hidden)
    assert again == Erased(0)


async def test_a_trait_of_two_lines_is_learnt_anew_from_the_other(rows: Rows) -> None:
    hidden, kept = await in_session(rows, "I sing, at the end"), await in_session(rows, "I sing.")
    new = Trait(ANN.id, ANNS_DM, "I sing.", START, (hidden.id, kept.id))
    await rows.traits.apply(await rows.leased(), [new])
    await due(rows)
    assert (await withhold(rows, hidden)).erasure_id
    assert await rows.traits.current(ANN.id, ANNS_DM) == []
    assert (JobKind.TRAITS, kept.id) in await due(rows)


async def test_what_it_had_superseded_is_current_again_and_what_followed_is_learnt_anew(rows: Rows) -> None:
    lines = [await in_session(rows, city) for city in ("Rome", "Oslo", "Bern")]
    rome = await learnt(rows, lines[0], "I live in Rome.")
    oslo = await learnt(rows, lines[1], "I live in Oslo.", rome)
    await learnt(rows, lines[2], "I live in Bern.", oslo)
    await withhold(rows, lines[1])
    assert await rows.traits.current(ANN.id, ANNS_DM) == [rome]
    assert (JobKind.TRAITS, lines[2].id) in await due(rows)


async def test_replies_stay_that_were_made_with_it_in_view(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    [hidden] = session.utterances
    await rows.event(session)
    asked = await rows.accept("And now?", after=DAY)
    outgoing = await rows.outbox.commit(reply_to(asked), [asked.id], Recollection(), [], {hidden.id: hidden.text})
    assert outgoing is not None
    erased = await withhold(rows, hidden)
    assert (erased.utterances, [one.id for one in await rows.outbox.undelivered()]) == ((), [outgoing.id])
    assert "hi" in [line.text for line in await rows.utterances.recent(ANNS_DM, 9)]


async def test_what_was_learnt_of_the_companion_from_its_reply_goes(rows: Rows) -> None:
    hidden, other = await in_session(rows, "I may go."), await in_session(rows, "I sing.")
    known = []
    for line, text in ((hidden, "I go, too."), (other, "I hum.")):
        accepted = await rows.inbox.accept(reply_to(line, text))
        assert accepted is not None
        reply = (await rows.sessions.append(accepted, BETA, 1000)).utterances[-1]
        known.append(await learnt(rows, reply, text))
    assert (await withhold(rows, hidden)).erasure_id
    assert await rows.traits.current(AGENT.id, ANNS_DM) == known[1:]


@pytest.mark.parametrize("how", ["waits", "was sent", "of another"])
async def test_of_check_ins_those_go_that_nobody_has_seen(rows: Rows, how: str) -> None:
    hidden, other = await said(rows, "I may go."), await said(rows, "I have an exam.")
    checkin = await claimed_checkin(rows)
    words = composed(sources=(other if how == "of another" else hidden,))
    outgoing = await rows.checkins.compose(checkin, message(START + DAY), words, START + BETA)
    assert outgoing is not None
    if how == "was sent":
        await rows.outbox.sending(outgoing.id)
        await rows.outbox.sent(outgoing.id)
    behind = {"waits": [hidden], "was sent": [], "of another": [other]}
    assert [one.id for one in await rows.safety_reviews.behind_unsent()] == [one.id for one in behind[how]]
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    erased = await withhold(rows, hidden)
    found = await rows.checkins.get(checkin.id)
    assert found is not None
    state = {
        "waits": (CheckInState.SKIPPED, Why.CHANGED),
        "was sent": (CheckInState.SENT, None),
        "of another": (CheckInState.COMPOSED, None),
    }
    assert (found.state, found.why) == state[how]
    assert (words.text in [one.text for one in erased.utterances]) is (how == "waits")
    assert (words.background in erased.texts) is (how != "of another")
    assert (await rows.checkins.opened(session.id) is None) is (how != "of another"), "nothing is kept in mind of it"


async def test_a_check_in_goes_with_a_trait_that_was_in_view(rows: Rows) -> None:
    lines = [await in_session(rows, city) for city in ("Rome", "Oslo", "Bern")]
    rome = await learnt(rows, lines[0], "I live in Rome.")
    oslo = await learnt(rows, lines[1], "I live in Oslo.", rome)
    bern = await learnt(rows, lines[2], "I live in Bern.", oslo)
    checkin = await claimed_checkin(rows)
    words = replace(composed(sources=(lines[2],)), traits=(bern.id,))
    assert await rows.checkins.compose(checkin, message(START + DAY), words, START + BETA)
    await withhold(rows, lines[1])
    found = await rows.checkins.get(checkin.id)
    assert found is not None
    assert found.state is CheckInState.SKIPPED


async def test_a_personality_type_goes_that_was_guessed_from_it(rows: Rows) -> None:
    hidden, other = await in_session(rows, "I may go."), await in_session(rows, "I sing.")
    assert await rows.characters.put(Character(ANN.id, "INFP", sources=(hidden.id, other.id)))
    assert await withhold(rows, hidden) == Erased(0)
    assert (await rows.characters.of(ANN.id)).type == ""
